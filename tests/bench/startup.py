"""What whole commands cost, as ratios to bare Python and to a bare `import sqlalchemy`.

Run it as `python -m tests.bench.startup [--full]`. All commands take turns in rounds, each in a
process of its own; the figures are medians of processor time, which a busy machine disturbs less
than the time that passes (shown beside it). With --full: more rounds, 1,000 moves in the batch,
and 100,000 matches in the large database instead of 5,000.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from statistics import median

from pbmserv.desk.door import Desk
from pbmserv.desk.request import Request
from pbmserv.engine.games.star import Star
from pbmserv.store.store import Store

from .club_database import PASSWORD, build

PROGRAM = str(Path(sys.executable).with_name("pbmserv"))
CELLS = Star(14).board.names
CHECK = "from pbmserv.desk.passwords import Passwords; Passwords().verify('correct-horse', None)"
STONES = ("--x=F6 G6", "--o=F5")


@dataclass
class Command:
    """One thing measured: its words, made anew for each run, and what its runs cost in seconds."""

    name: str
    words: Iterator[tuple[str, ...]]
    input: str = ""
    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)

    def run(self) -> None:
        """Run it once, in a process of its own."""
        words = next(self.words)
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(words, input=self.input, stdout=subprocess.DEVNULL, check=True, text=True)
        self.wall.append(time.perf_counter() - start)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.cpu.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def always(*words: str) -> Iterator[tuple[str, ...]]:
    """Yield the same words again and again."""
    while True:
        yield words


def move_words(board: int, ply: int) -> tuple[str, ...]:
    """Return the words of a turn: X fills the board cell by cell and O passes."""
    userid, text = ("alice", CELLS[ply // 2]) if ply % 2 == 0 else ("bob", "pass")
    return ("star", "move", str(board), userid, PASSWORD, text)


def moving(database: str) -> Iterator[tuple[str, ...]]:
    """Yield the next move of board 101 again and again."""
    for ply in count():
        yield (PROGRAM, database, *move_words(101, ply))


def commands_on(url: str, label: str) -> list[Command]:
    """Return the commands whose cost must not grow with the number of matches."""
    database = f"--database={url}"
    return [
        Command(f"star show{label}", always(PROGRAM, database, "star", "show", "101")),
        Command(
            f"star games next{label}", always(PROGRAM, database, "star", "games", "alice", "next")
        ),
        Command(f"star move{label}", moving(database)),
    ]


def batch_on(url: str, moves: int) -> Command:
    """Return a batch of so many moves on boards of the usual size; it can be run once."""
    cells = Star(6).board.names
    lines = []
    for number in range(moves):
        board, ply = divmod(number, len(cells) - 1)
        userid = "bob" if ply % 2 else "alice"
        lines.append(f"star move {102 + board} {userid} {PASSWORD} {cells[ply]}")
    desk = Desk(lambda: Store.open(url))
    for _ in range(moves // (len(cells) - 1) + 1):
        desk.handle(Request(("star", "challenge", "alice", "bob")))
    desk.close()
    return Command("batch", always(PROGRAM, f"--database={url}", "batch", "-"), "\n".join(lines))


def single_commands() -> list[Command]:
    """Return the two measures and the commands that need no database."""
    python = sys.executable
    return [
        Command("bare Python", always(python, "-c", "pass")),
        Command("import sqlalchemy", always(python, "-c", "import sqlalchemy")),
        Command("a password check", always(python, "-c", CHECK)),
        Command("pbmserv --help", always(PROGRAM, "--help")),
        Command("star preview new F6", always(PROGRAM, "star", "preview", "new", "F6")),
        Command("star score new", always(PROGRAM, "star", "score", "new", *STONES)),
    ]


def table(commands: list[Command]) -> list[str]:
    """Return what each command costs, in milliseconds and as ratios."""
    bare, library = (median(command.cpu) for command in commands[:2])
    lines = [f"{'':28}{'cpu ms':>8}{'wall ms':>9}{'x bare':>8}{'x sqlalchemy':>14}"]
    for command in commands:
        cpu = median(command.cpu)
        lines.append(
            f"{command.name:28}{cpu * 1e3:8.1f}{median(command.wall) * 1e3:9.1f}"
            f"{cpu / bare:8.1f}{cpu / library:14.2f}"
        )
    return lines


def aims(commands: list[Command]) -> list[str]:
    """Return what was aimed at, and what was found."""
    cost = {command.name: median(command.cpu) for command in commands}
    bare, library = cost["bare Python"], cost["import sqlalchemy"]
    look = 1.4 * library
    limits = [
        (name, 8 * bare) for name in ("pbmserv --help", "star preview new F6", "star score new")
    ]
    limits += [("star show", look), ("star move", look + cost["a password check"] - bare)]
    grown = ("star show", "star games next", "star move")
    limits += [(f"{name}, large", 1.3 * cost[name]) for name in grown]
    return [
        f"{name:28}{cost[name] / limit:6.2f} of the aim{'' if cost[name] <= limit else '  MISSED'}"
        for name, limit in limits
    ]


def measure(folder: Path, *, rounds: int, matches: int, moves: int) -> Iterator[str]:
    """Measure everything and yield the report line by line."""
    small, large, batch = (str(folder / f"{name}.sqlite") for name in ("small", "large", "batch"))
    build(small, 0)
    build(large, matches)
    build(batch, 0)
    commands = [*single_commands(), *commands_on(small, ""), *commands_on(large, ", large")]
    for _ in range(rounds):
        for command in commands:
            command.run()
    whole = batch_on(batch, moves)
    whole.run()
    yield from table(commands)
    yield f"\nlarge: {matches} matches; {rounds} rounds"
    yield (
        f"batch of {moves} moves: {whole.cpu[0] / moves * 1e3:.2f} ms of processor time a move, "
        f"{whole.wall[0] / moves * 1e3:.2f} ms in all (aim: 4)\n"
    )
    yield from aims(commands)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--full", action="store_true", help="everything at its full size (minutes)")
    full = parser.parse_args().full
    # Compiled modules are kept by every installation; without them imports cost twice as much.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sizes = (15, 100_000, 1000) if full else (5, 5000, 100)
    with tempfile.TemporaryDirectory() as folder:
        rounds, matches, moves = sizes
        for line in measure(Path(folder), rounds=rounds, matches=matches, moves=moves):
            print(line)


if __name__ == "__main__":
    main()
