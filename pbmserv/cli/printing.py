"""Printing answers and errors: text, colour on a terminal, or JSON."""

from __future__ import annotations

import os
import re
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from pbmserv.cli.worker_context import require_own_process
from pbmserv.club.written_text import Paragraph, escape_controls, in_json, unwrap_block, wrap_line
from pbmserv.commands.answer import REHEARSED
from pbmserv.engine.games import PROGRAMS, game_names
from pbmserv.engine.moments import HOUR, local
from pbmserv.errors import PbmservError, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pbmserv.cli.options import ShellOptions
    from pbmserv.club.notices import Notice
    from pbmserv.commands.answer import Answer
    from pbmserv.render.blocks import Block
    from pbmserv.render.text import Style

WIDE_DISCS = ("ja", "ko", "zh")
"""Languages in which terminals may draw a disc two columns wide."""

MIN_COLUMNS = 40
"""Columns of the narrowest text, whatever the terminal says."""

TRACEBACK = "PBMSERV_TRACEBACK"
"""The environment variable that prints the traceback of an internal error."""
TRACEBACK_HINT = f"Set {TRACEBACK}=1 to see where, and please report this."

MAX_NOTICES = 5
"""Notices printed after a command; ``news`` prints them all."""


class OutputLost(Exception):
    """A command was carried out, but its answer could not be printed, as the message says."""


@contextmanager
def guard_output(
    what: str = "The command", hint: str = "Check the result before you repeat the command."
) -> Iterator[None]:
    """Raise :class:`OutputLost` if printing in the block fails: the command has not failed."""
    try:
        yield
        sys.stdout.flush()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise OutputLost(
            f"{what} was carried out, but its answer could not be printed: {reason}.\n{hint}"
        ) from error


def print_answer(answer: Answer, options: ShellOptions) -> None:
    """Print the answer to standard output, as options and terminal require."""
    if options.json:
        notices = answer.notices
        told = {} if notices is None else {"notices": [notice.document for notice in notices]}
        print_document({**answer.document, **told})
    elif answer.is_page:
        print_page(answer.blocks, options)
    else:
        from pbmserv.render.blocks import narrow_tables, plain_text

        if has_colours():
            _print_coloured(narrow_tables(answer.blocks, _columns()), options)
            return
        style, plain = style_of(options), options.plain
        is_shown = sys.stdout.isatty()
        blocks = narrow_tables(answer.blocks, _columns()) if is_shown else answer.blocks
        text = plain_text(blocks, style, lists_stones=plain, words=local if is_shown else str)
        sys.stdout.write(f"{text}\n")


def print_page(blocks: Iterable[Block], options: ShellOptions) -> None:
    """Print a help page, on a terminal set to its width and, if it is long, through a pager."""
    page = "\n\n".join(fit_to_terminal(block) for block in blocks if isinstance(block, str))
    is_whole = options.no_pager or not sys.stdout.isatty()
    if is_whole or page.count("\n") + 2 < _terminal_size().lines:
        sys.stdout.write(f"{page}\n")
        return
    require_own_process()
    from click import echo_via_pager

    echo_via_pager(f"{page}\n")


def fit_to_terminal(text: str) -> str:
    """Return a text wrapped to the width of the terminal, unchanged for a pipe or a file."""
    if not sys.stdout.isatty():
        return text
    lines = local(text).split("\n")
    if isinstance(text, Paragraph) and max(map(len, lines)) > _columns():
        lines = [unwrap_block(text)]
    return "\n".join(map(_fitted, lines))


def _fitted(line: str) -> str:
    """Return a line wrapped to the terminal with its indent."""
    if len(line) <= _columns():
        return line
    indent = " " * (len(line) - len(line.lstrip()))
    return "\n".join(wrap_line(line, _columns(), indent, breaks_words=False))


def print_news(notices: Sequence[Notice], options: ShellOptions, now: int) -> bool:
    """Print unread notices on stderr, known ones as a count once an hour; tell whether any."""
    new = [notice for notice in notices if notice.told_at is None]
    last = max((notice.told_at or 0 for notice in notices), default=0)
    if options.json or (not new and 0 <= now - last < HOUR):
        return False
    sys.stdout.flush()  # the news comes behind the answer
    told = [
        f"News: {with_local_times(notice.text)}".replace("\n", " ") for notice in new[:MAX_NOTICES]
    ]
    if more := len(notices) - len(told):
        told.append(f"... and {more} more." if told else f"Unread news: {more}.")
    print_notice("\n".join(["", *told, "Read and clear the news with: pbmserv news me"]))
    return True


def with_local_times(text: str) -> str:
    """Return the text with local times on a terminal, in UTC elsewhere."""
    return local(text) if sys.stdout.isatty() else text


def print_result(
    document: Mapping[str, Any], text: str, options: ShellOptions, *, is_rehearsal: bool = False
) -> None:
    """Print a result as JSON or text; raises :class:`OutputLost`."""
    if is_rehearsal:
        document, text = {"dry_run": True, **document}, f"{REHEARSED}\n\n{text}"
    with guard_output():
        if options.json:
            print_document(document)
        else:
            sys.stdout.write(f"{escape_controls(text)}\n")


def print_document(document: Mapping[str, Any]) -> None:
    """Print a JSON document on one line; escape only what the encoding of the terminal lacks."""
    import json

    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    if not _is_printable(text):
        text = json.dumps(document, separators=(",", ":"))
    sys.stdout.write(f"{in_json(text)}\n")


def print_error(error: PbmservError, options: ShellOptions) -> None:
    """Print message and hint on stderr or as JSON; raises OSError unless the reader has gone."""
    with suppress(BrokenPipeError):
        _print_error(error, options)


def _print_error(error: PbmservError, options: ShellOptions) -> None:
    hint = _for_a_shell(error.advice)
    if options.json:
        found = {"code": error.code, "message": quoted(error), "hint": hint}
        print_document({"error": found})
        return
    message = f"pbmserv: {quoted(error)}"
    if error.meant and not (error.hint or error.syntax) and len(message) + len(hint) < _columns():
        message, hint = f"{message} {hint}", ""
    # A program that looks for a message finds it on one line.
    message = _wrapped(message) if sys.stderr.isatty() else message
    lines = [line for line in hint.splitlines() if line]
    indents = [0] * (len(lines) - 1) + [8 * bool(error.syntax)]
    _write_error("\n".join((message, *map(_wrapped, lines, indents))))


def _for_a_shell(hint: str) -> str:
    """Return a hint with ``pbmserv`` before games that have no script."""
    games = "|".join({*game_names()} - PROGRAMS)
    return re.sub(rf"(?<!pbmserv )(?<!help )\b(?=(?:{games}) [a-z-])", "pbmserv ", hint)


def _wrapped(line: str, indent: int = 0) -> str:
    """Return a line of a hint wrapped to the terminal, what is wrapped after so many blanks."""
    if len(line) < _columns():
        return line
    return "\n".join(wrap_line(line, _columns() - 1, " " * indent))


def _columns() -> int:
    """Return the columns of the terminal."""
    return max(_terminal_size().columns, MIN_COLUMNS)


def _terminal_size() -> os.terminal_size:
    import shutil  # slow, and most answers do without it

    return shutil.get_terminal_size()


def print_notice(text: str) -> None:
    """Print a line beside the answer, to standard error, if it can be written."""
    with suppress(OSError):
        _write_error(text)


def _write_error(text: str) -> None:
    sys.stderr.write(f"{escape_controls(text)}\n")
    sys.stderr.flush()


def has_colours() -> bool:
    """Tell whether standard output is a terminal that shows colours."""
    return (
        sys.stdout.isatty()
        and not os.environ.get("NO_COLOR")
        and os.environ.get("TERM", "dumb") != "dumb"
    )


def style_of(options: ShellOptions) -> Style:
    """Return the style of the options, ASCII if its characters are not one column wide."""
    return "unicode" if options.style == "unicode" and _has_narrow_discs() else "ascii"


def _has_narrow_discs() -> bool:
    """Tell whether standard output shows the discs of the Unicode style in one column each."""
    if not _is_printable("●○·"):
        return False
    names = (os.environ.get(name) for name in ("LC_ALL", "LC_CTYPE", "LANG"))
    return not next(filter(None, names), "").startswith(WIDE_DISCS)


def _is_printable(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def _print_coloured(blocks: Iterable[Block], options: ShellOptions) -> None:
    from rich.console import Console

    from pbmserv.render.terminal import terminal_target

    console = Console(highlight=False, markup=False, emoji=False)
    target = terminal_target(style_of(options), lists_stones=options.plain)
    for number, block in enumerate(blocks):
        if number:
            console.print()
        console.print(target.render(block), soft_wrap=True)
