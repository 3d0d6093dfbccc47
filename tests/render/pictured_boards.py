"""Every board of every game, positions on them, and a reader of text pictures."""

from collections.abc import Iterator
from itertools import groupby, product
from random import Random
from typing import Any

import pytest

from pbmserv.engine.game import Game, GameOption
from pbmserv.engine.games import find_game, game_names
from pbmserv.engine.position import Position
from pbmserv.errors import Misunderstood
from pbmserv.render.picture import draw
from pbmserv.render.text import Grid

_STONES = {"X": 1, "O": 2}


def all_boards() -> Iterator[Game]:
    """Yield one game for each board; the first three options shape boards."""
    seen = set()
    for name in game_names():
        game_type = find_game(name)
        shaping = game_type.options()[:3]
        for values in product(*map(_values, shaping)):
            chosen = dict(zip((option.name for option in shaping), values, strict=True))
            try:
                game = game_type(**chosen)
            except Misunderstood:
                continue
            if (name, game.board.title) not in seen:
                seen.add((name, game.board.title))
                yield game


def _values(option: GameOption) -> tuple[Any, ...]:
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


def read_picture(game: Game, text: str, *, owners: bool = False) -> tuple[bytes, set[int]]:
    """Return the stones and the bracketed cells of an ASCII picture, line by line."""
    board = game.board
    lines = text.split("\n")
    empty = draw(game, game.start(), owners=owners)
    grid = Grid(board, empty.labels, empty.owned)
    stones = bytearray(len(board))
    last = set()
    for cell, (column, line) in enumerate(grid.locate(board.points)):
        around = lines[line].ljust(column + 2)[column - 1 : column + 2]
        stones[cell] = _STONES.get(around[1], 0)
        assert stones[cell] or around[1] in {".", "+", "x", "o", board.digits.get(cell)}
        if around[0] in "[|" and around[2] in "|]":
            last.add(cell)
    return bytes(stones), last


EACH_GAME = pytest.mark.parametrize(
    "boards", [list(found) for _, found in groupby(all_boards(), key=type)], ids=game_names()
)
"""For a test of all ``boards`` of a game: what is promised of one is promised of each."""
