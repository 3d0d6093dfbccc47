"""What commands cost in a club with many games, beside what they cost in one with few.

Run it as `python -m tests.bench.growth` (1,000 and 10,000 matches), with `--full` (10,000 and
1,000,000: some minutes, two gigabytes), or with two databases that `tests.bench.club_database` has
made. Figures are medians of processor time in one held process, in turn on the one and the other;
PostgreSQL's own processes are not in them, so there the second table has the time by the clock.
Lists with an aim give as many lines in both clubs: what a line costs is no growth.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from pbmserv.desk.door import Desk
from pbmserv.desk.request import Request
from pbmserv.desk.tick import tick
from pbmserv.engine.spec import parse_game
from pbmserv.store.store import Store

from .club_database import PASSWORD, build

FEW, MANY = 1000, 10_000
FULL = 10_000, 1_000_000
BOARDS = 20
"""So many boards alice is to move at."""

AIM = 1.3
AIMED = {"show", "move", "games me next", "all show USERID", "list", "standings", "tick"}
LOOKS = {
    "show": "star show 101",
    "games me next": "star games alice next",
    "standings": "star standings",
    "stats": "stats",
    "games USERID": "star games player3",
    "all show USERID": f"all show alice -limit={BOARDS}",
    "stats USERID": "stats player3",
    "games": "star games",
    "history": "star history",
    "list": "list star hex -limit=4",
    "admin games": "admin games",
    "admin audit": "admin audit",
}


class Club:
    """One database, with what is done there."""

    def __init__(self, url: str) -> None:
        from pbmserv.cli.shell_commands import SHELL, shell_families
        from pbmserv.commands.command_table import root

        self.desk = Desk(lambda: Store.open(url), tree=root(SHELL, shell_families()))
        mine = self.ask("star games alice next")["matches"]
        for number in range(3, 3 + BOARDS - len(mine)):
            self.ask(f"star challenge alice player{number} -size=3")
        shown = self.ask("star show 101")
        self.mover = shown["to_move"]
        self.players = shown["players"]
        taken = set(shown["moves"])
        names = parse_game("star(size=14)").board.names
        self.cells = (name for name in names if name not in taken)

    def ask(self, line: str) -> Any:
        return self.desk.handle(Request(tuple(line.split()))).document

    def move(self) -> None:
        """Play the next free cell."""
        userid = self.players[self.mover]
        self.ask(f"star move 101 {userid} {PASSWORD} {next(self.cells)}")
        self.mover = "XO"[self.mover == "X"]

    def actions(self) -> dict[str, Callable[[], object]]:
        looks = {name: lambda line=line: self.ask(line) for name, line in LOOKS.items()}
        return {**looks, "move": self.move, "tick": lambda: tick(self.desk)}


def measured(clubs: tuple[Club, Club], rounds: int) -> dict[str, list[tuple[float, float]]]:
    """Return for each action what it takes in both: processor time, and time by the clock."""
    found = {}
    pairs = [club.actions() for club in clubs]
    for name in pairs[0]:
        taken: list[list[tuple[float, float]]] = [[], []]
        for number in range(rounds + 2):
            for place, actions in enumerate(pairs):
                cpu, wall = time.process_time(), time.perf_counter()
                actions[name]()
                if number > 1:
                    taken[place].append((time.process_time() - cpu, time.perf_counter() - wall))
        found[name] = [
            (median(cpu for cpu, _ in each), median(wall for _, wall in each)) for each in taken
        ]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("databases", nargs="*", help="two databases made before")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--rounds", type=int, default=15)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        urls = chosen.databases
        if not urls:
            sizes = FULL if chosen.full else (FEW, MANY)
            urls = [str(Path(folder) / f"{size}.sqlite") for size in sizes]
            for url, size in zip(urls, sizes, strict=True):
                build(url, size)
        few, many = (Club(url) for url in urls)
        print(f"{'ms of processor time':22}{'few':>9}{'many':>9}{'ratio':>7}   by the clock")
        for name, pair in measured((few, many), chosen.rounds).items():
            (cpu, wall), (more_cpu, more_wall) = pair
            aim = f"  aim {AIM}" if name in AIMED else ""
            print(
                f"{name:22}{cpu * 1e3:9.2f}{more_cpu * 1e3:9.2f}{more_cpu / cpu:7.2f}   "
                f"{wall * 1e3:.2f} {more_wall * 1e3:.2f} {more_wall / wall:.2f}{aim}"
            )
        for club in (few, many):
            club.desk.close()


if __name__ == "__main__":
    main()
