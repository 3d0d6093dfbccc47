"""Y: be the first to join all three sides of a triangle."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar

from pbmserv.engine.board import Board
from pbmserv.engine.connection_game import ConnectionGame
from pbmserv.engine.game import Example, Primer, Step, option
from pbmserv.engine.lattices import lattice_points, triangle
from pbmserv.engine.polar import sides_of
from pbmserv.engine.position import Side
from pbmserv.engine.ringed import bent_triangle

ALL_SIDES = 0b111
FLAT, BENT = "flat", "bent"


@dataclass(frozen=True)
class Y(ConnectionGame):
    """Y is played on a triangle; the first chain that touches all three sides wins.

    A chain is a connected group of stones of one colour. The cell in a corner of the triangle
    belongs to both sides that meet there. Exactly one player can join the three sides, so a board
    played to the end always has a winner; a draw is possible only by two passes or by agreement.

    Rows are numbered from the top, where row 1 is a single cell, and letters name the diagonals
    that go down to the right. On a board of size 11 the top is K1 and the last row runs from A11 to
    K11. F6 touches E6, G6, F5, F7, G5 and E7. Moving first is a great advantage, which swap evens
    out.

    With -shape=bent you play on the bent board of Craige Schensted and Charles Titus. Its sides are
    curved, and three cells inside it have five neighbours in place of six. Its standard size 9 has
    93 cells. Letters name the rings from the outside, and numbers count clockwise from the top. On
    size 9 the corners are A1, A9 and A17. B1 touches A1, A2, A24, B2, B21 and C1.
    """

    name: ClassVar[str] = "y"
    title: ClassVar[str] = "Y"
    gist: ClassVar[str] = "The first to join all three sides with one chain wins."
    source: ClassVar[str] = "the pbmserv help page for Y (Cameron Browne)"
    examples: ClassVar[tuple[Example, ...]] = (
        Example("y challenge -size=11 alice bob", "Y Board 101", "Start a board:"),
        Example("y preview new -size=5 C4", ".[X].", "Try a move on an empty board:"),
        Example(
            'y score new -size=4 --x="D1 C2 B3 A4"',
            "X: 1",
            "Score a position: a chain along the left side touches the other two at its ends:",
        ),
    )
    primer: ClassVar[Primer] = Primer(
        6,
        "E2 C5 E4 E3 D4 E5 D5 D3 C4 F4 F3 E6 C6",
        turns=2,
        touching=9,
        steps=(
            Step(
                11,
                "Three sides count",
                "Both players want the same: a chain that touches all three sides of the"
                " triangle. A cell in a corner lies on both sides that meet there.",
            ),
            Step(
                13,
                "Join all three",
                "The first chain that touches all three sides wins at once; the line shows how. "
                "Only one player can do so, and on a full board one of them has.",
            ),
        ),
    )

    sides: ClassVar[tuple[str, ...]] = ("left", "right", "bottom")
    goals: ClassVar[Mapping[Side, int]] = dict.fromkeys(Side, ALL_SIDES)
    aim: ClassVar[str] = "touches all three sides"
    feat: ClassVar[str] = "has joined all three sides"
    caution: ClassVar[str] = "a corner cell lies on two"

    size: int = option(
        17,
        "cells along each side, default 17; bent: 4 to 25, default 9",
        low=3,
        high=26,
        is_settled=True,
    )
    shape: str = option(
        FLAT, "a flat triangle, or the bent one of Schensted and Titus", choices=(FLAT, BENT)
    )

    def dependent(self) -> Iterable[tuple[str, int, range, str]]:
        """Return the size, as the shape has it."""
        # RULES: Its standard size 9 has 93 cells.
        usual, sizes = (9, range(4, 26)) if self.shape == BENT else (17, range(3, 27))
        return [("size", usual, sizes, f"-shape={self.shape}")]

    @cached_property
    def board(self) -> Board:
        """The triangle."""
        # RULES: Y is played on a triangle;
        # RULES: With -shape=bent you play on the bent board
        return bent_triangle(self.size) if self.shape == BENT else triangle(self.size)

    @property
    def cell_sides(self) -> tuple[int, ...]:
        """The sides of the triangle."""
        return bent_sides(self.size) if self.shape == BENT else flat_sides(self.size)


@lru_cache(maxsize=32)
def flat_sides(size: int) -> tuple[int, ...]:
    """Return for each cell the sides it lies on, as bits in the order of ``Y.sides``."""
    points = lattice_points(triangle(size).names)
    return tuple(
        # RULES: The cell in a corner of the triangle belongs to both sides that meet there.
        (column + row == size) | (column == size - 1) << 1 | (row == size) << 2
        for column, row in points
    )


@lru_cache(maxsize=32)
def bent_sides(size: int) -> tuple[int, ...]:
    """Return the same for the bent board, of which side 0 is the right one, then the bottom."""
    return tuple(bits >> 2 | bits << 1 & ALL_SIDES for bits in sides_of(bent_triangle(size)))
