"""``batch``: the commands in a file, one a line, each in its own transaction."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Annotated

from pbmserv.cli.printing import guard_output, print_answer, print_error, print_notice
from pbmserv.cli.shell import Shell
from pbmserv.cli.shell_commands import SHELL, shell_families
from pbmserv.club.written_text import decoded
from pbmserv.commands.answer import Answer
from pbmserv.commands.command_table import root
from pbmserv.commands.declaration import Word, command
from pbmserv.commands.grammar import Call
from pbmserv.commands.slots import FILE, slot
from pbmserv.commands.words import drop_marks, split_line
from pbmserv.desk.request import Request
from pbmserv.errors import EXIT_DONE, EXIT_REFUSED, Fault, Misunderstood, Refused

LINES_AHEAD = 100
ParsedLine = tuple[Request, Call] | Refused
"""The call of a line, or why it cannot be parsed."""


@command()
def batch(shell: Shell, file: Annotated[str, Word(slot(FILE, "-"))]) -> int:
    """Run the commands in FILE, one per line; - reads standard input.

    Each line is its own transaction. A refused line is reported and the next one is run; the exit
    code is 1 if any was refused. Empty lines and lines that begin with # are skipped.
    """
    shell.desk.tree = root()
    has_refusals = False
    for number, understood in _calls(shell, file):
        try:
            if isinstance(understood, Refused):
                raise understood
            request, call = understood
            shell.confirm(call, may_ask=False)
            with shell.logged(call):
                answer = shell.desk.perform(request, call)
        except Refused as error:
            _head(shell, number, "refused")
            print_error(error, shell.options)
            has_refusals = True
        except Fault:
            _head(shell, number, "failed")
            raise
        else:
            _print_done(shell, number, answer)
        sys.stdout.flush()
    return EXIT_REFUSED if has_refusals else EXIT_DONE


def _calls(shell: Shell, file: str) -> Iterator[tuple[int, ParsedLine]]:
    """Yield the number and the call of each line with a command.

    Many lines of a file are parsed ahead, which halves the time, but none of a pipe.
    """
    ahead = LINES_AHEAD if file != "-" and Path(file).is_file() else 1
    waiting: list[tuple[int, ParsedLine]] = []
    try:
        for number, line in _lines(file):
            waiting.append((number, _parse(shell, line)))
            if len(waiting) == ahead:
                yield from waiting
                waiting.clear()
    except Refused:
        yield from waiting
        raise
    yield from waiting


def _parse(shell: Shell, line: str) -> ParsedLine:
    try:
        words = split_line(decoded(line))
        _require_no_shell_command(words)
        request = shell.request(words, reads_input=False)
        return request, shell.desk.understand(request)
    except Refused as error:
        return error


def _require_no_shell_command(words: Sequence[str]) -> None:
    """Raise :class:`Misunderstood` if the line begins with a command that only a shell has."""
    first = next(iter(drop_marks(words)), "").lower()
    if first in SHELL or first in shell_families():
        raise Misunderstood(
            "This command works on the command line only, not in a batch.",
            code="no-such-command",
            hint="Run it in the shell itself.",
            about=first,
        )


def _print_done(shell: Shell, number: int, answer: Answer) -> None:
    """Print the answer to a line; raises :class:`OutputLost`, which leaves the rest undone."""
    with guard_output(f"Line {number}", "The remaining lines were not run."):
        _head(shell, number, "done")
        print_answer(answer, shell.options)


def _head(shell: Shell, number: int, outcome: str) -> None:
    """Print the number of a line before its answer, but not the line, which may have a password."""
    if not shell.options.json:
        say = print_notice if outcome != "done" else print
        say(f"--- line {number}: {outcome}")


def _lines(file: str) -> Iterator[tuple[int, str]]:
    """Yield the number and text of each line with a command."""
    try:
        opened = partial(Path(file).open, encoding="utf-8", errors="surrogateescape")
        with nullcontext(sys.stdin) if file == "-" else opened() as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip() and not line.lstrip().startswith("#"):
                    yield number, line
    except (OSError, ValueError) as error:
        told = f"There is no file {file}." if isinstance(error, FileNotFoundError) else ""
        raise Refused(
            told or f"The file {Path(file)} cannot be read.", code="no-such-file"
        ) from error
