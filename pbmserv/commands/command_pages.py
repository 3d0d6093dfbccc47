"""The pages of commands, made from their declarations."""

from __future__ import annotations

import inspect
import textwrap
from typing import TYPE_CHECKING

from pbmserv.club.written_text import WIDTH
from pbmserv.commands.grammar import Command, Group, option_name
from pbmserv.engine.games import shell_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    import click


MAX_COLUMN_WIDTH = 26
DRAWING = ("-svg=", "-png=", "-html=", "-pdf=", "-poster", "-blank", "-film", "-force")
"""How options begin that players seldom need: they stand below the others."""


def command_page(command: click.Command, context: click.Context) -> str:
    """Return the page of a command or of a group of commands."""
    if isinstance(command, Group):
        return family_page(command, context)
    if isinstance(command, Command):
        return "\n".join([*syntax_lines(command, context), "", *verb_lines(command)])
    raise TypeError(f"{context.command_path} is no command of ours.")


def syntax_lines(verb: Command, context: click.Context) -> list[str]:
    """Return how the command is to be written, in as many lines as it needs."""
    return textwrap.wrap(
        verb.syntax(context), WIDTH - 1, subsequent_indent=" " * 8, break_on_hyphens=False
    )


Row = tuple[str, str]
"""An option as it is written, and what it does."""


def option_rows(verb: Command) -> list[Row]:
    """Return the options of a command that are shown to people."""
    return [(option_words(option), option.help or "") for option in verb.options()]


def verb_lines(verb: Command, width: int = WIDTH, shared: Collection[Row] = ()) -> list[str]:
    """Return what the command does, its options but those ``shared``, and its other names."""
    lines = paragraphs(verb.help or "", width)
    rows = [row for row in option_rows(verb) if row not in shared]
    draws = any(row[0].startswith(DRAWING[0]) for row in rows)
    drawn = [row for row in rows if draws and row[0].startswith(DRAWING)]
    others = [row for row in rows if row not in drawn]
    for head, part in {"Options": others, "Pictures in files": drawn}.items():
        lines += ["", head, *columns(part, width)] if part else []
    if verb.entry.synonyms:
        lines += ["", f"Also written: {', '.join(verb.entry.synonyms)}."]
    if verb.entry.shortest:
        lines += ["", f"Can be shortened to {(verb.name or '')[: verb.entry.shortest]}."]
    return lines


def family_page(family: Group, context: click.Context) -> str:
    """Return the page of a group of commands: their names and what they do."""
    path = context.command_path
    if family.find_game is not None:
        path = shell_name(family.name or "")
        more = [f"{path} COMMAND -h explains a command, {path} help the rules and options."]
    else:
        more = [f"{path} COMMAND -h explains a command."]
    lines = [f"Syntax: {path} COMMAND ...", "", *columns(family.summaries()), "", *more]
    if family is context.obj:
        lines.append("pbmserv help lists the other help pages.")
    return "\n".join(lines)


def columns(rows: Iterable[tuple[str, str]], width: int = WIDTH) -> list[str]:
    """Return two columns of text, the second wrapped beside the first, or below a wide one."""
    rows = list(rows)
    indent = min(max(len(left) for left, _ in rows) + 4, MAX_COLUMN_WIDTH)
    lines = []
    for left, right in rows:
        first = f"  {left}"
        if len(first) + 2 > indent:
            lines.append(first)
            first = ""
        wrapped = textwrap.wrap(
            right,
            width,
            initial_indent=first.ljust(indent),
            subsequent_indent=" " * indent,
            break_on_hyphens=False,
        )
        lines += wrapped or [first]
    return [line for line in lines if line]


def paragraphs(docstring: str, width: int = WIDTH) -> list[str]:
    """Return the lines of a docstring, its paragraphs wrapped anew."""
    lines: list[str] = []
    for paragraph in inspect.cleandoc(docstring).split("\n\n"):
        lines += ["", *textwrap.wrap(paragraph, width, break_on_hyphens=False)]
    return lines[1:]


def option_words(option: click.Option) -> str:
    """Return how an option is written."""
    name = option_name(option)
    return f"-{name}" if option.is_flag else f"-{name}={option.metavar}"
