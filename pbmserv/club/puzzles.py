"""Puzzles: positions in which one move wins and every other loses, kept as a data file."""

import json
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from pbmserv.engine.game import Game
from pbmserv.engine.position import Position, Side
from pbmserv.engine.record import Record
from pbmserv.engine.spec import parse_game

FILE = Path(__file__).with_name("puzzles.json")
"""A list of objects: ``game``, the ``moves`` so far, the ``solution``, and the ``seed``."""

DAY = 86_400


class Puzzle(NamedTuple):
    """A position after some moves, in which only ``solution`` wins for who is to move.

    Puzzles are numbered from 1.
    """

    number: int
    game: Game
    moves: tuple[str, ...]
    solution: str

    @property
    def position(self) -> Position:
        """The position to be solved."""
        return Record(self.game, "", "", self.moves, None).replay()

    @property
    def side(self) -> Side:
        """Who is to move and win."""
        return self.position.to_move


@lru_cache(maxsize=1)
def puzzles() -> tuple[Puzzle, ...]:
    """Return all puzzles, of one game after another in turn."""
    rows = json.loads(FILE.read_text(encoding="utf-8"))
    return tuple(
        Puzzle(number, parse_game(row["game"]), tuple(row["moves"]), row["solution"])
        for number, row in enumerate(rows, start=1)
    )


def puzzle_of_day(now: int) -> Puzzle:
    """Return the puzzle of the day, UTC, that ``now`` belongs to."""
    found = puzzles()
    return found[now // DAY % len(found)]
