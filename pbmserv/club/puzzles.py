"""Puzzles: positions in which one move wins and every other loses, from a data file."""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, cast

from pbmserv.engine.game import Game
from pbmserv.engine.moments import DAY
from pbmserv.engine.position import Position, Side
from pbmserv.engine.record import Record, played
from pbmserv.engine.spec import parse_game

FILE = Path(__file__).with_name("puzzles.json")
"""A list of objects: ``game``, the ``moves`` so far, the ``solution``, and the ``seed``."""


class Puzzle(NamedTuple):
    """A position after some moves, in which only ``solution`` wins for the side to move.

    Puzzles are numbered from 1.
    """

    number: int
    game: Game
    moves: tuple[str, ...]
    solution: str

    @property
    def record(self) -> Record[str]:
        """The game up to the task."""
        return played(self.game, self.moves)

    @property
    def position(self) -> Position:
        """The position to be solved."""
        return self.record.position

    @property
    def side(self) -> Side:
        """The side that is to move and win."""
        return self.position.to_move


@lru_cache(maxsize=1)
def puzzles() -> tuple[Puzzle, ...]:
    """Return all puzzles, of one game after another in turn."""
    return tuple(
        Puzzle(number, parse_game(row["game"]), tuple(row["moves"]), row["solution"])
        for number, row in enumerate(_rows(), start=1)
    )


def count_puzzles() -> int:
    """Return the number of puzzles without loading a game."""
    return len(_rows())


@lru_cache(maxsize=1)
def _rows() -> Sequence[Mapping[str, Any]]:
    return cast("Sequence[Mapping[str, Any]]", json.loads(FILE.read_text(encoding="utf-8")))


def puzzle_of_day(now: int) -> Puzzle:
    """Return the puzzle of the day of ``now``, UTC."""
    found = puzzles()
    return found[now // DAY % len(found)]
