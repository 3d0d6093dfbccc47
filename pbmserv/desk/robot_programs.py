"""Programs that play: one conversation in the Go Text Protocol for each of their turns.

The program is told the whole game and asked for a move, in a process of its own, without a shell:
a robot's in an empty environment, with bounds for its time, its memory and what it writes; one at
the keyboard as if its user had started it. It is ended as soon as it has answered.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from select import select
from tempfile import TemporaryFile
from time import monotonic
from typing import Any, NamedTuple

from pbmserv.engine.position import Move, Side
from pbmserv.engine.record import Record
from pbmserv.engine.spec import named_options
from pbmserv.engine.swap_pieces import parse_gtp_move
from pbmserv.errors import Fault, PbmservError

MAX_SAID = 1 << 20
"""Bytes that a program may write to any file, and in its answers."""

COLOURS = {Side.X: "black", Side.O: "white"}

MAY_SWAP = "param_game allow_swap 1"
"""Sent before a turn that may be a swap; programs that do not know it may refuse it."""

LAUNCHER = """
import os, resource, sys
seconds, memory, written = map(int, sys.argv[1:4])
limits = {"CORE": 0, "CPU": seconds, "FSIZE": written, "AS": memory}
for name, most in limits.items():
    resource.setrlimit(getattr(resource, "RLIMIT_" + name), (most, most))
os.execve(sys.argv[4], sys.argv[4:], {})
"""
"""Sets the bounds in the child itself, where no thread of ours runs."""


class Program(NamedTuple):
    """The arguments of a program, the first of them the path of its file, and its bounds.

    Without a bound for its memory it has all that its user has.
    """

    arguments: tuple[str, ...]
    seconds: int
    megabytes: int | None = None


def ask_program(record: Record[Any], program: Program | None) -> Move | None:
    """Return a program's next move, or None if it resigns; raises :class:`Fault` without one."""
    if program is None:
        raise _failed("There is no program for this robot in the settings")
    lines = list(_lines(record))
    said = _converse(program, lines)
    for number in re.findall(r"^\?([0-9]{1,4})\b", said, re.MULTILINE | re.ASCII):
        if 0 < int(number) < len(lines) and (line := lines[int(number) - 1]) != MAY_SWAP:
            raise _failed(f"The program refused {line}")
    answer = re.search(rf"^={len(lines) - 1}[ \t]+(\S+)[ \t\r]*$", said, re.MULTILINE)
    if answer is None:
        raise _failed("The program gave no answer")
    if answer[1].lower() == "resign":
        return None
    try:
        move = parse_gtp_move(record.game, answer[1])
        record.game.play(record.position, move)
    except PbmservError as error:
        raise _failed("The program did not answer with a legal move") from error
    return move


def _lines(record: Record[Any]) -> Iterator[str]:
    """Yield the conversation that asks for the next move; the last line but one does.

    Nothing is said of a swap: the stones are those on the board, and colours take turns.
    """
    game = record.game
    (_, size), *others = named_options(game)
    yield f"boardsize {size}"
    yield from (f"komi {value}" for option, value in others if option.name == "komi")
    yield "clear_board"
    for side, move in zip(record.sides, record.moves, strict=True):
        if not move.is_swap:
            yield f"play {COLOURS[side]} {move.text}"
    if game.may_swap(record.position):
        yield MAY_SWAP
    yield f"genmove {COLOURS[record.position.to_move]}"
    yield "quit"


def _converse(program: Program, lines: list[str]) -> str:
    """Return the output of a program up to its answer to the last line but one."""
    arguments, environment, folder = list(program.arguments), None, None
    if program.megabytes is not None:
        bounds = (program.seconds + 1, program.megabytes << 20, MAX_SAID)
        arguments[:0] = [sys.executable, "-I", "-S", "-c", LAUNCHER, *map(str, bounds)]
        environment, folder = dict[str, str](), "/"
    ours, theirs = os.pipe()
    with os.fdopen(ours) as said, os.fdopen(theirs, "w") as answers, TemporaryFile() as asked:
        asked.write("".join(f"{n} {line}\n" for n, line in enumerate(lines, start=1)).encode())
        asked.seek(0)
        try:
            child = subprocess.Popen(
                arguments,
                stdin=asked,
                stdout=answers,
                stderr=subprocess.DEVNULL,
                env=environment,
                cwd=folder,
                start_new_session=True,
            )
        except OSError as error:
            raise _failed(f"The program {program.arguments[0]} cannot be started") from error
        answers.close()  # so that its end is seen
        try:
            return _listen(said.fileno(), program.seconds, len(lines) - 1)
        finally:
            # Its whole group, which has its number while one of them lives.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()


def _listen(stream: int, seconds: int, number: int) -> str:
    """Return what is said up to the answer of this number, or to the end."""
    said, end = b"", monotonic() + seconds
    answer = re.compile(rb"^[=?]%d\b.*\n" % number, re.MULTILINE)
    while len(said) < MAX_SAID and not answer.search(said):
        if not select([stream], [], [], max(end - monotonic(), 0))[0]:
            raise _failed(f"The program took more than {seconds} s")
        new = os.read(stream, MAX_SAID)
        if not new:
            break
        said += new
    return said.decode(errors="replace")


def _failed(why: str) -> Fault:
    return Fault(f"{why}.", code="robot-program", hint="Undo your last move to ask it again.")
