"""Robots that are programs: one conversation in the Go Text Protocol for each of their turns.

The program is told the whole game and asked for a move, in a process of its own: no shell, an
empty environment, and bounds for its time, its memory and what it writes.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from tempfile import TemporaryFile
from typing import NamedTuple

from pbmserv.club.match import Match
from pbmserv.engine.spec import named_options
from pbmserv.engine.swap_pieces import format_gtp_move, parse_gtp_move, with_swapped_pieces
from pbmserv.errors import Fault, PbmservError

MAX_SAID = 1 << 20
"""Bytes that a program may write to any file, its answers among them."""

COLOURS = ("black", "white")
"""Black is who moved first, also after a swap."""

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
    """The arguments of a program, the first of them the path of its file, and its bounds."""

    arguments: tuple[str, ...]
    seconds: int
    megabytes: int


def ask_program(match: Match, program: Program | None) -> str:
    """Return a program's move in a match, or ``resign``; raises :class:`Fault` without one."""
    if program is None:
        raise _failed("There is no program for this robot in the settings")
    lines = list(_lines(match))
    said = _converse(program, "".join(f"{n} {line}\n" for n, line in enumerate(lines, start=1)))
    for number in re.findall(r"^\?([0-9]{1,4})\b", said, re.MULTILINE | re.ASCII):
        if 0 < int(number) < len(lines) and (line := lines[int(number) - 1]) != MAY_SWAP:
            raise _failed(f"The robot's program refused {line}")
    answer = re.search(rf"^={len(lines) - 1}[ \t]+(\S+)[ \t\r]*$", said, re.MULTILINE)
    if answer is None:
        raise _failed("The robot's program gave no answer")
    return _move_of(match, answer[1])


def _move_of(match: Match, text: str) -> str:
    if text.lower() == "resign":
        return "resign"
    game = match.game
    try:
        *_, move = with_swapped_pieces(game, [*match.record.moves, parse_gtp_move(game, text)])
        game.play(match.position, move)
    except PbmservError as error:
        raise _failed("The robot's program did not answer with a legal move") from error
    return move.text


def _lines(match: Match) -> Iterator[str]:
    """Yield the conversation that asks for the next move; the last line but one does."""
    game = match.game
    size, *_ = game.options()
    yield f"boardsize {getattr(game, size.name)}"
    for option, value in named_options(game):
        if option.name == "komi":
            yield f"komi {value}"
    yield "clear_board"
    for ply, move in enumerate(with_swapped_pieces(game, match.record.moves)):
        yield f"play {COLOURS[ply % 2]} {format_gtp_move(move)}"
    if game.may_swap(match.position):
        yield MAY_SWAP
    yield f"genmove {COLOURS[match.ply % 2]}"
    yield "quit"


def _converse(program: Program, lines: str) -> str:
    """Return the program's output for these lines; it is killed when its time is over."""
    bounds = (program.seconds + 1, program.megabytes << 20, MAX_SAID)
    launcher = [sys.executable, "-I", "-S", "-c", LAUNCHER, *map(str, bounds)]
    with TemporaryFile() as asked, TemporaryFile() as said:
        asked.write(lines.encode())
        asked.seek(0)
        child = subprocess.Popen(
            [*launcher, *program.arguments],
            stdin=asked,
            stdout=said,
            stderr=subprocess.DEVNULL,
            env={},
            cwd="/",
            start_new_session=True,
        )
        try:
            child.wait(program.seconds)
        except subprocess.TimeoutExpired:
            raise _failed(f"The robot's program took more than {program.seconds} s") from None
        finally:
            # Its whole group, which has its number while one of them lives.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        said.seek(0)
        return said.read(MAX_SAID).decode(errors="replace")


def _failed(why: str) -> Fault:
    return Fault(f"{why}.", code="robot-program", hint="It will be asked again later.")
