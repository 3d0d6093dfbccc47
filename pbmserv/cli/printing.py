"""Printing answers and errors: text, colour on a terminal, or JSON."""

from __future__ import annotations

import json
import os
import shutil
import sys
from typing import TYPE_CHECKING, Any

from pbmserv.errors import PbmservError, quoted
from pbmserv.render.blocks import plain_target

WIDE_DISCS = ("ja", "ko", "zh")
"""Languages in whose locales terminals may give a disc two columns."""

LEAST_COLUMNS = 40
"""No text is set narrower than this, whatever the terminal says."""

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
        target = plain_target(_style(options), lists_stones=options.plain)
        text = "\n\n".join(map(target.render, answer.blocks))
        sys.stdout.write(f"{text}\n")


def print_result(document: Mapping[str, Any], text: str, options: ShellOptions) -> None:
    """Print what came of a command: the document if JSON is asked for, else the text."""
    if options.json:
        print_document(document)
    else:
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
    message, hint = f"pbmserv: {quoted(error)}", error.hint
    is_short = hint.startswith("Did you mean ") and "\n" not in hint
    if is_short and len(message) + len(hint) < _columns():
        message, hint = f"{message} {hint}", ""
    print_notice("\n".join(filter(None, (message, *map(_wrapped, hint.splitlines())))))


def _wrapped(line: str) -> str:
    """Return a line of a hint in lines that the terminal does not break."""
    if len(line) < _columns():
        return line
    import textwrap

    indent = " " * 8 if line.startswith("Syntax:") else ""
    return textwrap.fill(line, _columns() - 1, subsequent_indent=indent, break_on_hyphens=False)


def _columns() -> int:
    """Return how many characters a line of messages may have: those of the terminal."""
    return max(shutil.get_terminal_size().columns, LEAST_COLUMNS)


def print_notice(text: str) -> None:
    """Print a line for people beside the answer: to standard error."""
    sys.stderr.write(f"{text}\n")


def has_colours() -> bool:
    """Tell whether standard output is a terminal that shows colours."""
    return (
        sys.stdout.isatty()
        and not os.environ.get("NO_COLOR")
        and os.environ.get("TERM", "dumb") != "dumb"
    )


def _style(options: ShellOptions) -> Style:
    """Return the style that is asked for, but ASCII where its characters have not one column."""
    return "unicode" if options.style == "unicode" and _has_narrow_discs() else "ascii"


def _has_narrow_discs() -> bool:
    """Tell whether standard output takes the discs of the Unicode style, in one column each."""
    try:
        "●○·".encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    names = (os.environ.get(name) for name in ("LC_ALL", "LC_CTYPE", "LANG"))
    return not next(filter(None, names), "").startswith(WIDE_DISCS)


def _print_coloured(answer: Answer, options: ShellOptions) -> None:
    from rich.console import Console

    from pbmserv.render.terminal import terminal_target

    console = Console(highlight=False, markup=False, emoji=False)
    target = terminal_target(_style(options), lists_stones=options.plain)
    for number, block in enumerate(answer.blocks):
        if number:
            console.print()
        console.print(target.render(block), soft_wrap=True)
