"""A game as flat arrays: its neighbours, marks and bridges, laid out once for all positions."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, chain, combinations
from typing import NamedTuple

from pbmserv.engine.board import Cell
from pbmserv.engine.game import Game
from pbmserv.engine.position import Position, Side
from pbmserv.engine.score_tables import Tables
from pbmserv.errors import Refused

EDGE = -1
"""The edge of the board as the end of a bridge."""
EITHER = Side.X.stone | Side.O.stone
"""The users of a bridge that serves both sides; that of one side has its stone."""


class Bridge(NamedTuple):
    """A pair of cells of which either joins the same two ends: lose one, take the other.

    ``ends`` are two cells that do not touch, or a cell and :data:`EDGE`. ``users`` is
    :data:`EITHER`, or the stone of the only side that this edge serves.
    """

    pair: tuple[Cell, Cell]
    ends: tuple[Cell, Cell]
    users: int


@dataclass(frozen=True, eq=False)
class GameArrays:
    """The flat arrays of a game; a position is its ``stones``: 0 empty, 1 X, 2 O.

    The neighbours of cell c are ``beside[starts[c]:starts[c + 1]]``, in ascending order; at the
    same index ``less`` is what the two cells' marks count less in one chain.
    """

    tables: Tables
    stones_a_turn: int
    starts: tuple[int, ...]
    beside: tuple[Cell, ...]
    less: tuple[int, ...]
    bridges: tuple[Bridge, ...]

    @property
    def size(self) -> int:
        """The number of cells."""
        return len(self.starts) - 1


def require_arrays(game: Game) -> GameArrays:
    """Return the arrays of a game; raises :class:`Refused` if the computer cannot play it."""
    arrays = arrays_of(game)
    if arrays is None:
        raise Refused(f"The computer cannot play {game.title}.", code="no-computer")
    return arrays


@lru_cache(maxsize=8)
def arrays_of(game: Game) -> GameArrays | None:
    """Return the arrays of a game, or None if the game gives no tables."""
    tables = game.tables()
    if tables is None:
        return None
    neighbours = tables.board.neighbours
    shared = {(share.one, share.other): share.less for share in tables.shares}
    return GameArrays(
        tables=tables,
        stones_a_turn=max_stones_a_turn(game),
        starts=(0, *accumulate(len(others) for others in neighbours)),
        beside=tuple(chain.from_iterable(neighbours)),
        less=tuple(
            shared.get((min(cell, other), max(cell, other)), 0)
            for cell, others in enumerate(neighbours)
            for other in others
        ),
        bridges=(*_inner_bridges(tables), *_edge_bridges(tables)),
    )


def can_link(arrays: GameArrays) -> bool:
    """Tell whether a side wins by joining sides of the board, with one stone a turn."""
    tables = arrays.tables
    return tables.are_bits and tables.total is not None and arrays.stones_a_turn == 1


def max_stones_a_turn(game: Game) -> int:
    """Return the largest number of stones in a turn, with the options of this game."""
    empty = Position(bytes(len(game.board)))
    return max(game.stones_due(empty), game.stones_due(Position(empty.stones, ply=1)))


def _inner_bridges(tables: Tables) -> Iterator[Bridge]:
    """Yield every two common neighbours of two cells that do not touch."""
    neighbours = [set(others) for others in tables.board.neighbours]
    for one, beside in enumerate(neighbours):
        further = {cell for other in beside for cell in neighbours[other] if cell > one} - beside
        for other in sorted(further):
            for pair in combinations(sorted(beside & neighbours[other]), 2):
                yield Bridge(pair, (one, other), EITHER)


def _edge_bridges(tables: Tables) -> Iterator[Bridge]:
    """Yield every two cells on an edge that touch a cell off it, in games that join edges."""
    if not tables.are_bits:
        return
    x, o = tables.marks
    for cell, beside in enumerate(tables.board.neighbours):
        for pair in combinations(beside, 2):
            users = [
                side.stone
                for side, marks in ((Side.X, x), (Side.O, o))
                if marks[pair[0]] & marks[pair[1]] & ~marks[cell]
            ]
            if users:
                yield Bridge(pair, (cell, EDGE), sum(users))
