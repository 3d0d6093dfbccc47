"""How fast the engine scores and plays, in figures and as ratios to the naive scorers.

Run it as `python -m tests.bench.engine [--full]` or `python tests/bench/engine.py [--full]`.
"""

import argparse
import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import cycle, pairwise
from pathlib import Path
from random import Random
from typing import TypeVar

if not __package__:
    sys.path.insert(0, str(Path(__file__).parents[2]))

from pbmserv.engine.game import Game
from pbmserv.engine.games import game_names
from pbmserv.engine.position import Move, Position, Side
from pbmserv.engine.settle import settled
from pbmserv.engine.spec import parse_game
from tests.engine.naive.fillings import Stones, random_fillings
from tests.engine.rivals import RIVALS, Facts

T = TypeVar("T")

SIZES = {
    "star": (6, 10),
    "starstar": (6, 10),
    "starweb": (6, 10),
    "polyy": (5, 7),
    "y": (11, 17),
    "hex": (7, 11),
}
ALL_SIZES = {
    "star": (3, 4, 6, 8, 10, 12, 14),
    "starstar": (4, 6, 8, 10),
    "starweb": (4, 6, 8, 10, 13),
    "polyy": (3, 5, 7, 10),
    "y": (5, 8, 11, 17, 26),
    "hex": (5, 7, 11, 14, 19),
}
HEAD = (
    f"{'game':18}{'cells':>6} |{'scores/s':>9}{'x naive':>8}{'us/cell':>8} |"
    f"{'games/s':>9}{'x naive':>8}{'us/cell':>8} |{'moves':>6}{'replay ms':>10}{'x naive':>8} |"
    f"{'settled ms':>11}"
)
LEGEND = """
scores/s   positions scored in a second; every other one is full
games/s    random games played move by move to their end and scored, in a second
moves      turns of the longest of these games; replay ms: reading and playing it from its texts
settled ms working out what the margin can still become
us/cell    microseconds for one score or game, divided by the cells of the board
x naive    how many times faster than the naive scorer in this run. For games and replays that
           one puts the stones into sets and scores once at the end; where a game may end before
           the board is full, it scores after every move to see whether it has
"""


@dataclass(frozen=True)
class Pace:
    """The seconds that one thing takes the engine and its naive rival."""

    engine: float
    naive: float

    @property
    def ratio(self) -> float:
        return self.naive / self.engine


@dataclass(frozen=True)
class Figures:
    """What was measured on one board."""

    spec: str
    cells: int
    moves: int
    score: Pace
    game: Pace
    replay: Pace
    settled: float

    @property
    def row(self) -> str:
        return (
            f"{self.spec:18}{self.cells:6} |{self._pace(self.score)} |{self._pace(self.game)} |"
            f"{self.moves:6}{self.replay.engine * 1e3:10.2f}{self.replay.ratio:8.2f} |"
            f"{self.settled * 1e3:11.3f}"
        )

    def _pace(self, pace: Pace) -> str:
        return f"{1 / pace.engine:9,.0f}{pace.ratio:8.2f}{pace.engine / self.cells * 1e6:8.2f}"


def seconds_each(work: Callable[[T], object], inputs: Sequence[T], budget: float) -> float:
    """Return the mean seconds for one input in the best of the rounds that the budget allows."""
    best = math.inf
    stop = time.perf_counter() + budget
    while best == math.inf or time.perf_counter() < stop:
        start = time.perf_counter()
        for value in inputs:
            work(value)
        best = min(best, (time.perf_counter() - start) / len(inputs))
    return best


def engine_game(game: Game, cells: Sequence[str]) -> Position:
    """Play these cells in turn until the game is over, and score it."""
    position = game.start()
    index = game.board.index
    for cell in cells:
        position = game.play(position, Move(cell, (index[cell],)))
        if game.is_over(position):
            break
    game.score(position)
    return position


def naive_game(game: Game, cells: Sequence[str]) -> Facts:
    """Do the same with sets and the naive scorer."""
    score = RIVALS[game.name].naive
    stones: Stones = {"X": set(), "O": set()}
    may_end_early = score(game, stones)["winner"] is None
    for side, cell in zip(cycle("XO"), cells, strict=False):
        stones[side].add(cell)
        if may_end_early and score(game, stones)["winner"]:
            break
    return score(game, stones)


def measure(spec: str, budget: float) -> Figures:
    game = parse_game(spec)
    names = game.board.names
    naive = RIVALS[game.name].naive
    fillings = list(random_fillings(names, 20, spec))
    positions = [
        game.position_of({Side(side): cells for side, cells in stones.items()})
        for stones in fillings
    ]
    random = Random(spec)
    unfinished = [position for position in positions if not game.is_over(position)]
    games = [random.sample(names, len(names)) for _ in range(4)]
    longest = max(games, key=lambda cells: engine_game(game, cells).ply)
    moves = engine_game(game, longest).ply
    return Figures(
        spec,
        len(names),
        moves,
        score=Pace(
            seconds_each(game.score, positions, budget),
            seconds_each(lambda stones: naive(game, stones), fillings, budget),
        ),
        game=Pace(
            seconds_each(lambda cells: engine_game(game, cells), games, budget),
            seconds_each(lambda cells: naive_game(game, cells), games, budget),
        ),
        replay=Pace(
            seconds_each(game.replay, [longest[:moves]], budget),
            seconds_each(lambda cells: naive_game(game, cells), [longest[:moves]], budget),
        ),
        settled=seconds_each(lambda position: settled(game, position), unfinished, budget),
    )


def growth(small: Figures, large: Figures) -> str:
    """Say with which power of the number of cells the time grows."""

    def power(seconds: Callable[[Figures], float]) -> float:
        return math.log(seconds(large) / seconds(small)) / math.log(large.cells / small.cells)

    score = power(lambda figures: figures.score.engine)
    game = power(lambda figures: figures.game.engine)
    return (
        f"{small.spec} to {large.spec}: time of a score grows with cells^{score:.2f}, "
        f"of a game with cells^{game:.2f}"
    )


def show_progress(text: str) -> None:
    """Overwrite the progress line, if a terminal is there to see it."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--full", action="store_true", help="more sizes, longer rounds (minutes)")
    full = parser.parse_args().full
    sizes = ALL_SIZES if full else SIZES
    specs = [f"{name}(size={size})" for name in game_names() for size in sizes.get(name, ())]
    table = []
    for number, spec in enumerate(specs, 1):
        show_progress(f"{number}/{len(specs)} {spec}")
        table.append(measure(spec, 1.0 if full else 0.1))
    show_progress("")
    print(HEAD, *(figures.row for figures in table), LEGEND, sep="\n")
    for small, large in pairwise(table):
        if small.spec.partition("(")[0] == large.spec.partition("(")[0]:
            print(growth(small, large))
    for figures in table:
        if figures.spec == "starstar(size=10)":
            print(
                f"{figures.moves} moves of *Star replayed in {figures.replay.engine * 1e3:.2f} ms"
            )


if __name__ == "__main__":
    main()
