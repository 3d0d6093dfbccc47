"""Scores as sums over chains: what a full board is worth, worked out from a few flat tables."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from pbmserv.engine.board import Board, Cell
from pbmserv.engine.position import Side


class Ending(Enum):
    """How the sums of the two sides become a margin and a winner."""

    DIFFERENCE = "difference"
    """X's sum less O's."""
    MAJORITY = "majority"
    """The larger sum wins by one point."""
    BEST_CHAIN = "best chain"
    """X's best chain less O's; if they are equal the next best decide, and so on."""


class Share(NamedTuple):
    """Two neighbours whose marks count ``less`` for a chain that holds both."""

    one: Cell
    other: Cell
    less: int


class Balance(NamedTuple):
    """X's margin and the winner of a full board; without a winner it is even."""

    margin: int
    winner: Side | None


@dataclass(frozen=True, eq=False)
class Tables:
    """A game's score on full boards: each chain has a mark, which a table turns into points.

    ``marks`` holds for X and for O the mark of every cell. The mark of a chain is the sum of
    those of its cells, less what its ``shares`` say; or, with ``are_bits``, their bitwise or.
    ``points`` takes a chain's mark to its points. ``tie_points``, if there are any, do so too,
    and the side with more of them gets one point extra. ``start`` is X's margin before a stone
    is counted. ``total`` is what the points of all chains add up to on every full board, or None
    if that varies.

    Whoever gives tables promises too that giving a cell of a full board to the other side never
    betters the margin of the side that loses it.
    """

    board: Board
    marks: tuple[Sequence[int], Sequence[int]]
    points: Sequence[int]
    are_bits: bool = False
    shares: tuple[Share, ...] = ()
    tie_points: Sequence[int] = ()
    start: int = 0
    total: int | None = None
    ending: Ending = Ending.DIFFERENCE

    def balance(self, stones: Sequence[int]) -> Balance:
        """Return the margin and the winner of a full board, given as in ``Position.stones``."""
        return self.balance_of(*self.chain_marks(stones))

    def balance_of(self, x: Sequence[int], o: Sequence[int]) -> Balance:
        """Return the margin and the winner where X's and O's chains have these marks."""
        ours, theirs = [self.points[mark] for mark in x], [self.points[mark] for mark in o]
        if self.ending is Ending.BEST_CHAIN:
            ours, theirs = sorted(filter(None, ours))[::-1], sorted(filter(None, theirs))[::-1]
            margin = max(ours, default=0) - max(theirs, default=0) + self.start
            return Balance(margin, _larger(ours, theirs))
        margin = self.start + sum(ours) - sum(theirs)
        if self.ending is Ending.MAJORITY:
            margin = (margin > 0) - (margin < 0)
        extra = 0
        if self.tie_points:
            extra = sum(self.tie_points[mark] for mark in x)
            extra -= sum(self.tie_points[mark] for mark in o)
            margin += (extra > 0) - (extra < 0)
        return Balance(margin, _larger([margin, extra], [0, 0]))

    def chain_marks(self, stones: Sequence[int]) -> tuple[list[int], list[int]]:
        """Return the marks of X's chains and of O's."""
        leads = chain_leads(self.board, stones)
        marks = self.marks
        found: tuple[dict[Cell, int], dict[Cell, int]] = (defaultdict(int), defaultdict(int))
        for cell, stone in enumerate(stones):
            mark = marks[stone - 1][cell]
            if mark:
                if self.are_bits:
                    found[stone - 1][leads[cell]] |= mark
                else:
                    found[stone - 1][leads[cell]] += mark
        for one, other, less in self.shares:
            if stones[one] == stones[other]:
                found[stones[one] - 1][leads[one]] -= less
        return [*found[0].values()], [*found[1].values()]


def chain_leads(board: Board, stones: Sequence[int]) -> list[Cell]:
    """Return for each cell the first cell of its chain; empty cells form chains too."""
    leads = list(range(len(stones)))
    for one, other in board.links:
        if stones[one] == stones[other]:
            while leads[one] != one:
                leads[one] = one = leads[leads[one]]  # noqa: PLW2901 - two steps up
            while leads[other] != other:
                leads[other] = other = leads[leads[other]]  # noqa: PLW2901
            if one < other:
                leads[other] = one
            else:
                leads[one] = other
    for cell, lead in enumerate(leads):  # a lead comes before its cell, so one step is enough
        leads[cell] = leads[lead]
    return leads


def _larger(x: list[int], o: list[int]) -> Side | None:
    if x == o:
        return None
    return Side.X if x > o else Side.O
