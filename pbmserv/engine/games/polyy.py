"""Poly-Y: cut off more than half of the corners of a polygon."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from pbmserv.engine.board import Board, Cell, Chains, groups
from pbmserv.engine.game import Edge, Example, Game, Primer, Step, option
from pbmserv.engine.polar import centred_polygon, sides_of
from pbmserv.engine.position import Position, Side
from pbmserv.engine.ringed import OPEN_SIDES, OPEN_SIZE, open_polygon
from pbmserv.engine.score import Outcome, Ownership, Points, Reason, Score, Tally
from pbmserv.engine.score_tables import Tables, TieRule

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

CENTRED, OPEN = "centred", "open"


class CornerTrace(NamedTuple):
    """The state that Poly-Y updates with each move: the chains, and the corners owned, as bits."""

    chains: Chains
    x: int = 0
    o: int = 0


class OwnedCorner(NamedTuple):
    """A corner, by its number, and the chain that owns it with the sides it touches, as bits."""

    corner: int
    cells: tuple[Cell, ...]
    sides: int


@dataclass(frozen=True)
class PolyY(Game):
    """Poly-Y is played on a polygon; the first to own more than half of its corners wins at once.

    A chain is a connected group of stones of one colour. If it touches the two sides which meet in
    a corner, and any third side as well, it owns that corner permanently. It has cut the corner off
    from the rest of the board. Every corner of a full board has exactly one owner. Their number is
    odd, so somebody wins; a draw is possible only by two passes or by agreement.

    Cells lie on rings around the centre, which is written 00. You can play there, and it touches
    all cells of the first ring. The name of another cell has the letter of its sector, from A at
    the top clockwise, the number of its ring, and its position. Positions count clockwise from 0 on
    the ray. A60 is the corner A of a board with seven cells a side. A61 is its neighbour on side A,
    which ends at B60. A corner cell lies on both its sides, the centre on none.

    With -sides=3 the game is Y on another board. The board with nine sides of seven cells, which
    its inventor thought ideal, has 190 cells here. The published picture of it has 208.

    With -shape=open you play on a board of those 208 cells, after the published picture, built by
    us. In place of one centre with nine neighbours it has three cells with seven, D1, D10 and D19.
    Letters name its rings from A, the rim, to H, and numbers count clockwise from the top corner.
    Its corners are A1, A7, A13 and so on.
    """

    name: ClassVar[str] = "polyy"
    title: ClassVar[str] = "Poly-Y"
    gist: ClassVar[str] = "The first to own more than half of the corners wins."
    nicknames: ClassVar[tuple[str, ...]] = ("poly",)
    source: ClassVar[str] = "the CodeCup 2014 rules for Poly-Y"
    aliases: ClassVar[tuple[str, ...]] = ("poly-y",)
    ending: ClassVar[str] = (
        "The game ends as soon as somebody has won; two passes in succession end it as a draw."
    )
    examples: ClassVar[tuple[Example, ...]] = (
        Example("polyy challenge -sides=7 -size=5 alice bob", "Poly-Y Board 101", "Start a board:"),
        Example("polyy preview new -size=4 00", "[X]", "Try a move on an empty board:"),
        Example(
            'polyy score new -size=3 --x="A20 A21 B20 B21 C20"',
            "X: 1",
            "Score a position: a chain along two sides, from corner to corner, owns three of five:",
        ),
    )
    primer: ClassVar[Primer] = Primer(
        4,
        "B30 E30 A31 C30 D21 C20 E21 A20 A30 E32 B10 A21 B20 A10 D10 C10 00 A32 E31 C21 D20"
        " D30 C32 C31 E20",
        turns=2,
        touching=17,
        steps=(
            Step(
                23,
                "Corners count",
                "A chain that touches both sides of a corner, and any third side as well, owns "
                "that corner permanently. Its letter then appears on a stone of the owner.",
            ),
            Step(
                25,
                "More than half wins",
                "The first to own more than half of the corners wins at once. Every corner of a "
                "full board has one owner, and their number is odd: somebody wins.",
            ),
        ),
    )

    size: int = option(7, "cells along each side", low=2, high=10)
    sides: int = option(5, "sides of the board; open: 9", choices=(3, 5, 7, 9), is_settled=True)
    shape: str = option(
        CENTRED,
        "with a centre, or the board of 208 cells: -size=7 -sides=9",
        choices=(CENTRED, OPEN),
    )

    def dependent(self) -> "Iterable[tuple[str, int, range, str]]":
        """Return size and sides, of which the open board has one each."""
        if self.shape == CENTRED:
            return [("sides", 5, range(10), f"-shape={CENTRED}")]
        only = {"size": OPEN_SIZE, "sides": OPEN_SIDES}
        return [(name, n, range(n, n + 1), f"-shape={OPEN}") for name, n in only.items()]

    @cached_property
    def board(self) -> Board:
        """The polygon."""
        # RULES: Poly-Y is played on a polygon;
        # RULES: With -shape=open you play on a board of those 208 cells,
        return open_polygon() if self.shape == OPEN else centred_polygon(self.sides, self.size)

    def edges(self) -> tuple[Edge, ...]:
        """Return the sides of the polygon, which are everybody's."""
        bits = sides_of(self.board)
        return tuple(
            Edge(tuple(cell for cell, on in enumerate(bits) if on >> side & 1))
            for side in range(self.sides)
        )

    @property
    def full_board_sum(self) -> int | None:
        """One point: a full board has exactly one winner."""
        # RULES: Every corner of a full board has exactly one owner.
        return 1

    def points_to_agree(self, score: Score) -> Points | None:
        """Return None: only a winner counts."""
        del score
        return None

    def follow(self, position: Position, placed: "Sequence[Cell]") -> CornerTrace:
        """Return the chains after this turn and the corners that either side then owns."""
        before = position.trace
        if not isinstance(before, CornerTrace):
            before = CornerTrace(Chains.of_cells(sides_of(self.board)))
        chains = before.chains.join(self.board, position.stones, placed)
        owned = {Side.X.stone: before.x, Side.O.stone: before.o}
        for cell in placed:
            # RULES: it owns that corner permanently.
            owned[position.stones[cell]] |= corners_cut(chains.touched_by(cell), self.sides)
        return CornerTrace(chains, owned[Side.X.stone], owned[Side.O.stone])

    def decided(self, position: Position) -> Outcome | None:
        """Return the win of the side that owns more than half of the corners."""
        trace = self.trace_of(position) if position.trace is None else position.trace
        if not isinstance(trace, CornerTrace):
            return None
        for side, owned in ((Side.X, trace.x), (Side.O, trace.o)):
            # RULES: the first to own more than half of its corners wins at once.
            if owned.bit_count() * 2 > self.sides:
                return Outcome(side, Reason.MAJORITY)
        return None

    def score(self, position: Position) -> Score:
        """Return one point for the side that owns more than half of the corners, if there is one.

        The corners of both sides are in the details and, one by one, on the sheet.
        """
        owning = {side: self._owned_corners(position, side) for side in Side}
        # RULES: a draw is possible only by two passes or by agreement.
        winner = next((side for side in Side if len(owning[side]) * 2 > self.sides), None)
        details = {
            "corners": {
                side.value: [self._corner_name(one.corner) for one in owning[side]] for side in Side
            }
        }
        sheet = [self._tally(side, one) for side in Side for one in owning[side]]
        if winner:
            why = f"{len(owning[winner])} of {self.sides} corners"
            lesson = "The first to own more than half of the corners wins at once."
            sheet.append(Tally(winner, "majority", 1, why, lesson=lesson))
        free = self.sides - sum(len(corners) for corners in owning.values())
        return Score(
            {side: int(side is winner) for side in Side},
            winner,
            position.is_full,
            tuple(sheet),
            details,
            (f"Corners without an owner: {free} of {self.sides}.",) if free else (),
            feat=f"owns more than half of the {self.sides} corners",
            is_undecided=winner is None,
        )

    def ownership(self, position: Position) -> Ownership:
        """Return the owner of each corner."""
        return Ownership(
            corners={
                self.board.corners[one.corner]: side
                for side in Side
                for one in self._owned_corners(position, side)
            }
        )

    def tables(self) -> Tables:
        """Return the sides of each cell, and how many corners a chain on such sides cuts off."""
        marks = sides_of(self.board)
        points = [
            corners_cut(touched, self.sides).bit_count() for touched in range(1 << self.sides)
        ]
        return Tables(
            self.board,
            (marks, marks),
            points,
            are_bits=True,
            total=self.sides,
            ending=TieRule.MAJORITY,
        )

    def _owned_corners(self, position: Position, side: Side) -> list[OwnedCorner]:
        """Return every corner that ``side`` owns with the chain that cuts it off."""
        touches = sides_of(self.board)
        found = {}
        for group in groups(self.board, position.stone_mask(side)):
            bits = 0
            for cell in group:
                bits |= touches[cell]
            cut = corners_cut(bits, self.sides)
            for corner in range(self.sides):
                if cut >> corner & 1:
                    found[corner] = OwnedCorner(corner, group, bits)
        return [found[corner] for corner in sorted(found)]

    def _corner_name(self, corner: int) -> str:
        return self.board.names[self.board.corners[corner]]

    def _side_name(self, side: int) -> str:
        """Return the name of a side: that of the corner where it begins, or its letter."""
        return self._corner_name(side)[: None if self.shape == OPEN else 1]

    def _tally(self, side: Side, one: OwnedCorner) -> Tally:
        here, before = self._side_name(one.corner), self._side_name(one.corner - 1)
        touched = [self._side_name(side) for side in range(self.sides) if one.sides >> side & 1]
        others = [name for name in touched if name not in {before, here}]
        return Tally(
            side,
            f"corner {self._corner_name(one.corner)}",
            0,
            f"a chain joins its sides {before} and {here} to {', '.join(others)}",
            one.cells,
            "Two sides meet in a corner. A chain that touches both of them, and any third side"
            " too, cuts the corner off from the rest of the board and owns it permanently.",
        )


def corners_cut(touched: int, sides: int) -> int:
    """Return, as bits, the corners that a chain on these sides owns.

    It needs both sides of a corner and any third.

    >>> bin(corners_cut(0b01011, 5))
    '0b10'
    """
    # RULES: touches the two sides which meet in a corner, and any third side as well,
    if touched.bit_count() < 3:
        return 0
    before = touched << 1 | touched >> (sides - 1)
    return touched & before
