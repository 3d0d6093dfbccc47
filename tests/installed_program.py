"""The installed program as a process of its own, and a database with a board for it."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pbmserv.desk.door import Desk
from pbmserv.desk.request import Request
from pbmserv.store.store import Store

PROGRAM = str(Path(sys.executable).with_name("pbmserv"))
LONGEST = 120
"""Seconds after which a process that should have ended long ago is given up."""

INHERITED = frozenset({"HOME", "LANG", "PATH", "PYTHONPATH", "PYTHONPYCACHEPREFIX", "TMPDIR", "TZ"})
"""What programs have of the environment in which the tests were started, and no more."""


def own_environment(**more: str) -> dict[str, str]:
    """Return the environment of a program: the same short one, whoever runs the tests."""
    kept = {name: text for name, text in os.environ.items() if name in INHERITED}
    return {**kept, **more}


def script(*lines: str, python: str = sys.executable) -> str:
    """Return a program of these lines for this Python, as installers write one.

    A ``#!`` line cannot name a Python whose path has a blank, or is long.
    """
    begin = ("#!/bin/sh", f'\'\'\'exec\' "{python}" "$0" "$@"', "' '''")
    return "".join(f"{line}\n" for line in (*begin, *lines))


def impatient(folder: Path, waits: Mapping[str, float]) -> Path:
    """Write the program with other seconds for some waits, by their full names, into a folder."""
    modules = [name.rpartition(".")[0] for name in waits]
    lines = [
        *(f"import {module}" for module in ("pbmserv.cli.start", *modules)),
        *(f"{name} = {seconds}" for name, seconds in waits.items()),
        "pbmserv.cli.start.pbmserv()",
    ]
    program = folder / "impatient"
    program.write_text(script(*lines))
    program.chmod(0o700)
    return program


def waited_for(
    what: Callable[[], object], *, while_runs: "subprocess.Popen[Any] | None" = None
) -> None:
    """Wait until it is so: not for ever, nor for a process that has ended meanwhile."""
    end = time.monotonic() + LONGEST
    while not what():
        assert while_runs is None or while_runs.poll() is None
        assert time.monotonic() < end
        time.sleep(0.02)


def children(process: int) -> list[int]:
    """Return what a process has started, from whichever of its threads."""
    told = [path.read_text() for path in Path(f"/proc/{process}/task").glob("*/children")]
    return [int(child) for each in told for child in each.split()]


def is_alive(process: int) -> bool:
    """Tell whether a process has not ended; one that has may wait for somebody to hear of it."""
    folder = Path(f"/proc/{process}")
    try:
        state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
        threads = len([*(folder / "task").iterdir()])
    except (FileNotFoundError, ProcessLookupError):
        return False
    # The first thread may be gone while another has not yet closed what is open.
    return state not in {"Z", "X"} or threads > 1


def real_board(url: str) -> None:
    """Sign alice and bob up with real passwords and play two moves on a large board."""
    desk = Desk(lambda: Store.open(url))
    for line in (
        "signup alice secret-alice",
        "signup bob secret-bob",
        "star challenge alice bob -size=14",
        "star move 101 alice secret-alice N1",
        "star move 101 bob secret-bob M2",
    ):
        desk.handle(Request(tuple(line.split())))
    desk.close()


def moves(url: str) -> list[str]:
    """Return the moves of board 101 of Star."""
    desk = Desk(lambda: Store.open(url))
    found: list[str] = desk.handle(Request(("star", "show", "101"))).document["moves"]
    desk.close()
    return found


def environment(url: str) -> dict[str, str]:
    return own_environment(PBMSERV_DATABASE_URL=url, PBMSERV_CONFIG=os.devnull)


def start_program(url: str, words: Sequence[str], **options: Any) -> subprocess.Popen[str]:
    return subprocess.Popen([PROGRAM, *words], env=environment(url), text=True, **options)


def run_program(
    url: str, words: Sequence[str], *, prefix: Sequence[str] = (), **options: Any
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*prefix, PROGRAM, *words],
        env=environment(url),
        text=True,
        check=False,
        timeout=LONGEST,
        stdin=subprocess.DEVNULL,
        **options,
    )
