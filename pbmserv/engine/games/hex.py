"""Hex: be the first to join your two sides of a rhombus."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar

from pbmserv.engine.board import Board, Cell
from pbmserv.engine.connection_game import ConnectionGame
from pbmserv.engine.game import Example, Primer, Step, option
from pbmserv.engine.lattices import lattice_points, rhombus
from pbmserv.engine.position import Side

TOP_AND_BOTTOM, LEFT_AND_RIGHT = 0b0011, 0b1100


@dataclass(frozen=True)
class Hex(ConnectionGame):
    """Hex is played on a rhombus; the first to join their own two sides with a chain wins.

    A chain is a connected group of stones of one colour. X joins the top, row 1, to the bottom, the
    last row; O joins the left side, column A, to the right side, the last column. The cell in a
    corner belongs to both sides that meet there. Only one player can join their sides, so a board
    played to the end always has a winner; a draw is possible only by two passes or by agreement.

    Rows are numbered from the top, and letters name the columns from the left, which slope down to
    the right. On a board of size 11 row 1 runs from A1 to K1 and the last row from A11 to K11. F6
    touches E6, G6, F5, F7, G5 and E7. Moving first is a great advantage, which swap evens out: a
    player who swaps also takes over X's two sides. A picture in text of 25 or 26 rows has the lower
    half below the upper one.
    """

    name: ClassVar[str] = "hex"
    title: ClassVar[str] = "Hex"
    gist: ClassVar[str] = "X joins top and bottom, O left and right."
    sgf_number: ClassVar[int | None] = 11
    nicknames: ClassVar[tuple[str, ...]] = ("hexagon", "hexagons")
    source: ClassVar[str] = "the rules of Hex by Piet Hein (1942) and John Nash (1948)"
    examples: ClassVar[tuple[Example, ...]] = (
        Example("hex challenge -size=7 alice bob", "Hex Board 101", "Start a board:"),
        Example("hex preview new -size=5 C3", ".[X].", "Try a move on an empty board:"),
        Example(
            'hex score new -size=4 --x="C1 C2 B3 B4" --o="A2 B2 D2 D3"',
            "X: 1",
            "Score a position: X has joined the top to the bottom, between two chains of O:",
        ),
    )
    primer: ClassVar[Primer] = Primer(
        5,
        "E2 C2 E1 D4 E4 E3 A2 C3 B3 B4 D1 D3 B2 A4",
        turns=2,
        touching=9,
        steps=(
            Step(
                12,
                "Two sides are yours",
                "X has the top and the bottom, O the left and the right, as the colours of the "
                "edges show. A cell in a corner belongs to both sides that meet there.",
            ),
            Step(
                14,
                "Join them",
                "The first to join their own two sides with a chain wins at once; the line shows "
                "how. Only one player can do so, and on a full board one of them has.",
            ),
        ),
    )
    sides: ClassVar[tuple[str, ...]] = ("top", "bottom", "left", "right")
    # RULES: X joins the top, row 1, to the bottom, the last row;
    # RULES: O joins the left side, column A, to the right side, the last column.
    goals: ClassVar[Mapping[Side, int]] = {Side.X: TOP_AND_BOTTOM, Side.O: LEFT_AND_RIGHT}
    aim: ClassVar[str] = "joins its own two sides"
    feat: ClassVar[str] = "has joined its own two sides"
    caution: ClassVar[str] = "the other two sides are the opponent's"

    size: int = option(11, "rows, and cells in each of them", low=3, high=26, step=0)

    @cached_property
    def board(self) -> Board:
        """The rhombus."""
        # RULES: Hex is played on a rhombus;
        return rhombus(self.size)

    @property
    def symmetries(self) -> tuple[tuple[Cell, ...], ...]:
        """Half a turn alone: the reflections lay the sides of X on those of O."""
        return self.board.symmetries[:1]

    @property
    def is_colour_symmetric(self) -> bool:
        """No: either side joins other sides of the board."""
        return False

    @property
    def cell_sides(self) -> tuple[int, ...]:
        """The sides of the rhombus."""
        return sides_of(self.size)


@lru_cache(maxsize=32)
def sides_of(size: int) -> tuple[int, ...]:
    """Return for each cell the sides it lies on, as bits in the order of ``Hex.sides``."""
    points = lattice_points(rhombus(size).names)
    return tuple(
        # RULES: The cell in a corner belongs to both sides that meet there.
        (row == 1) | (row == size) << 1 | (column == 0) << 2 | (column == size - 1) << 3
        for column, row in points
    )
