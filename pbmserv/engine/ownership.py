"""What stands on a board is worth to whom: the marks of a picture that shows who owns what."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from pbmserv.engine.board import Cell, Place, Point
from pbmserv.engine.position import Side


class External(NamedTuple):
    """A cell just outside the board that nobody plays on, and the sides that touch it."""

    place: Place
    point: Point
    sides: frozenset[Side]


@dataclass(frozen=True, repr=False)
class Ownership:
    """Who owns what in a position, beside the stones that count for those who placed them.

    ``cells`` are empty cells and dead stones that a side owns, ``corners`` the corners that are
    decided, whatever stands there; ``corner_counts`` has for one stone of each group how many
    corners the group holds; ``externals`` are drawn around the board; ``winning`` is the chain that
    has won the game, and ``path`` a part of it that suffices, of which no stone can be left out.
    """

    cells: Mapping[Cell, Side] = field(default_factory=dict)
    corners: Mapping[Cell, Side] = field(default_factory=dict)
    corner_counts: Mapping[Cell, int] = field(default_factory=dict)
    externals: tuple[External, ...] = ()
    winning: frozenset[Cell] = frozenset()
    path: frozenset[Cell] = frozenset()


NOTHING_OWNED = Ownership()
