"""What robots cost others: a person's move while a robot thinks, and turns of robots a second.

Run it as `python -m tests.bench.robots [--postgresql=URL]`. The thinker is a process of its own, at
work on boards that each take level 7 some seconds. The last column is the ratio to the move with
nobody thinking.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

if not __package__:
    sys.path.insert(0, str(Path(__file__).parents[2]))

from pbmserv.cli.shell_commands import SHELL, shell_families
from pbmserv.commands.command_table import root
from pbmserv.desk.door import Desk
from pbmserv.desk.request import Request
from pbmserv.desk.robot_turns import play_due_turns
from pbmserv.engine.games.star import Star
from pbmserv.store.store import Store

CELLS = Star(14).board.names
MOVES = 60
THOUGHTS = 10
GAMES = 10


def main() -> None:
    """Print the figures for SQLite, or for the PostgreSQL database that is named."""
    named = [word.partition("=")[2] for word in sys.argv[1:] if word.startswith("--postgresql=")]
    with tempfile.TemporaryDirectory() as folder:
        url = named[0] if named else f"{folder}/games.sqlite"
        desk = Desk(
            lambda: Store.open(url),
            tree=root(SHELL, shell_families()),
            max_robot_boards=lambda: 9999,
        )
        do(desk, "signup alice correct-horse")
        do(desk, "signup bob battery-staple")
        do(desk, "admin robot add master -level=14")
        do(desk, "admin robot add quick1 -level=1")
        do(desk, "star challenge -size=14 alice bob")
        usual = moves(desk, 0)
        print(f"{'a move, in ms':<32} {'median':>8} {'longest':>8}")
        report("nobody thinks", usual, usual)
        for _ in range(THOUGHTS):
            do(desk, "star challenge -size=14 master alice")
        with thinker(url):
            report("a robot thinks", moves(desk, MOVES), usual)
        turns(desk)
        desk.close()


def do(desk: Desk, line: str) -> None:
    """Do a command."""
    desk.handle(Request(tuple(line.split())))


def moves(desk: Desk, begin: int) -> list[float]:
    """Play a part of a game of two people and return the seconds of each move."""
    found = []
    for ply in range(begin, begin + MOVES):
        who = "bob battery-staple" if ply % 2 else "alice correct-horse"
        start = time.perf_counter()
        do(desk, f"star move 101 {who} {CELLS[ply]}")
        found.append(time.perf_counter() - start)
        time.sleep(0.05)  # over the whole of several thoughts
    return found


@contextmanager
def thinker(url: str) -> Iterator[None]:
    """Have a process think for the length of a block."""
    program = Path(sys.executable).with_name("pbmserv")
    worker = subprocess.Popen([program, f"--database={url}", "robots", "run"])
    time.sleep(1)
    try:
        yield
    finally:
        worker.kill()
        worker.wait()


def report(what: str, times: list[float], usual: list[float]) -> None:
    """Print a line of the table."""
    ratio = median(times) / median(usual)
    print(f"{what:<32} {median(times) * 1000:8.1f} {max(times) * 1000:8.1f} {ratio:6.2f}x")


def turns(desk: Desk) -> None:
    """Print how many turns a second one worker makes in games of the lowest level."""
    do(desk, "admin suspend master")
    for _ in range(GAMES):
        do(desk, "star challenge -size=4 quick1 quick1")
    start = time.perf_counter()
    done = play_due_turns(desk).moves
    print(f"turns of robots a second: {done / (time.perf_counter() - start):.0f}")


if __name__ == "__main__":
    main()
