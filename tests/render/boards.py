"""Every board of every game, positions on them, and a reader of text pictures."""

import re
from collections.abc import Iterator
from itertools import groupby, product
from random import Random
from typing import Any

import pytest

from pbmserv.engine.game import Game, Option
from pbmserv.engine.games import find_game, game_names
from pbmserv.engine.position import Position
from pbmserv.errors import Misunderstood

_CELLS = {".": 0, "+": 0, "X": 1, "O": 2}
_ROW = re.compile(r" *\d+- +(\S+(?: \S+)*)")


def all_boards() -> Iterator[Game]:
    """Yield one game for each board; the first two options are those that shape boards."""
    seen = set()
    for name in game_names():
        game_type = find_game(name)
        shaping = game_type.options()[:2]
        for values in product(*map(_values, shaping)):
            chosen = dict(zip((option.name for option in shaping), values, strict=True))
            try:
                game = game_type(**chosen)
            except Misunderstood:
                continue
            if (name, game.board.title) not in seen:
                seen.add((name, game.board.title))
                yield game


def _values(option: Option) -> tuple[Any, ...]:
    if option.choices:
        return option.choices
    if option.low is not None and option.high is not None:
        return tuple(dict.fromkeys((option.default, *range(option.low, option.high + 1))))
    return (option.default,)


def random_position(game: Game, seed: int, *, last: int = 1) -> Position:
    """Return a position with about as many empty cells, X and O, and ``last`` cells marked."""
    chance = Random(seed)
    stones = bytes(chance.choice((0, 1, 2)) for _ in game.board.names)
    taken = [cell for cell, stone in enumerate(stones) if stone]
    return Position(stones, ply=9, last=tuple(chance.sample(taken, min(last, len(taken)))))


def read_picture(game: Game, text: str) -> tuple[bytes, set[int]]:
    """Return the stones and the bracketed cells of an ASCII picture, going by the page alone.

    On a lattice the cells of a row follow its number, one blank apart; elsewhere every dot, plus
    and capital X or O is a cell. Both are read line by line from the left, the order in which
    cells lie.
    """
    lines = text.partition("\n\n+ ")[0].split("\n")
    rows = [match[1] for line in lines if (match := _ROW.match(line))]
    found = [
        (_CELLS[mark], line[max(at - 1, 0) : at] in {"[", "|"} and line[at + 1] in "]|")
        for line in rows or lines
        for at, mark in enumerate(line)
        if mark in _CELLS
    ]
    places = game.board.places
    order = sorted(range(len(places)), key=lambda cell: (round(places[cell].y, 3), places[cell].x))
    stones = bytearray(len(places))
    last = set()
    for cell, (stone, is_last) in zip(order, found, strict=True):
        stones[cell] = stone
        if is_last:
            last.add(cell)
    return bytes(stones), last


EACH_GAME = pytest.mark.parametrize(
    "boards", [list(found) for _, found in groupby(all_boards(), key=type)], ids=game_names()
)
"""For a test of all ``boards`` of a game: what is promised of one is promised of each."""
