"""Printing answers and errors: text, colour on a terminal, or JSON."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

from pbmserv.errors import PbmservError, quoted
from pbmserv.render.blocks import Block, BoardPicture, Table, table_lines

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pbmserv.cli.options import ShellOptions
    from pbmserv.commands.answer import Answer
    from pbmserv.render.text import Style


def print_answer(answer: Answer, options: ShellOptions) -> None:
    """Print the answer to standard output as the options and the terminal ask for."""
    if options.json:
        print_document(answer.document)
    elif has_colours():
        _print_coloured(answer, options)
    else:
        text = "\n\n".join(block_text(block, options) for block in answer.blocks)
        sys.stdout.write(f"{text}\n")


def print_document(document: Mapping[str, Any]) -> None:
    """Print one JSON document on one line."""
    sys.stdout.write(f"{json.dumps(document, ensure_ascii=False, separators=(',', ':'))}\n")


def print_error(error: PbmservError, options: ShellOptions) -> None:
    """Print what was wrong and what would be right: to standard error, or as JSON to output."""
    if options.json:
        found = {"code": error.code, "message": quoted(error), "hint": error.hint}
        print_document({"error": found})
        return
    lines = [f"pbmserv: {quoted(error)}"]
    if error.hint:
        lines.append(error.hint)
    print_notice("\n".join(lines))


def print_notice(text: str) -> None:
    """Print a line for people beside the answer: to standard error."""
    sys.stderr.write(f"{text}\n")


def block_text(block: Block, options: ShellOptions) -> str:
    """Return one piece of an answer as text."""
    if isinstance(block, str):
        return block
    if isinstance(block, Table):
        return "\n".join(table_lines(block))
    return _picture_text(block, options)


def has_colours() -> bool:
    """Tell whether standard output is a terminal that shows colours."""
    return (
        sys.stdout.isatty()
        and not os.environ.get("NO_COLOR")
        and os.environ.get("TERM", "dumb") != "dumb"
    )


def _style(options: ShellOptions) -> Style:
    return "unicode" if options.style == "unicode" else "ascii"


def _picture_text(block: BoardPicture, options: ShellOptions) -> str:
    if options.plain:
        from pbmserv.render.plain import plain_lines

        return "\n".join(plain_lines(block.game, block.position))
    from pbmserv.render.picture import draw
    from pbmserv.render.text import text_picture

    return text_picture(draw(block.game, block.position), _style(options))


def _print_coloured(answer: Answer, options: ShellOptions) -> None:
    from rich.console import Console
    from rich.text import Text

    from pbmserv.render.picture import draw
    from pbmserv.render.terminal import terminal_picture

    console = Console(highlight=False, markup=False, emoji=False)
    for number, block in enumerate(answer.blocks):
        if number:
            console.print()
        if isinstance(block, BoardPicture) and not options.plain:
            picture = draw(block.game, block.position)
            console.print(terminal_picture(picture, _style(options)), soft_wrap=True)
        elif isinstance(block, Table) and block.rows:
            lines = table_lines(block)
            console.print(Text(lines[0], style="bold"), soft_wrap=True)
            console.print(Text("\n".join(lines[1:])), soft_wrap=True)
        else:
            console.print(Text(block_text(block, options)), soft_wrap=True)
