"""Scores of full boards as sums over chains, computed from a few flat tables.

From the tables follow the bounds of the margin (``settle.py``) and the computer player.

    >>> from pbmserv.engine.spec import parse_game
    >>> star = parse_game("star(size=3)")
    >>> star.tables().balance(bytes([1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2]))
    FullBoardResult(margin=1, winner=<Side.X: 'X'>)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import reduce
from operator import or_
from typing import NamedTuple

from pbmserv.engine.board import Board, Cell, groups
from pbmserv.engine.position import STONE_MASKS, Side
from pbmserv.engine.score import compare


class TieRule(Enum):
    """How the sums of the two sides become a margin and a winner."""

    DIFFERENCE = "difference"
    """X's sum less O's."""
    MAJORITY = "majority"
    """The larger sum wins by one point."""
    BEST_CHAIN = "best chain"
    """X's best chain less O's; if they are equal the next best decide, and so on."""


class SharedMark(NamedTuple):
    """Two neighbours whose marks count ``less`` for a chain that has both."""

    one: Cell
    other: Cell
    less: int


class FullBoardResult(NamedTuple):
    """X's margin and the winner of a full board, None for a draw."""

    margin: int
    winner: Side | None


@dataclass(frozen=True, eq=False, repr=False)
class Tables:
    """A game's score on full boards: each chain has a mark, which a table turns into points.

    ``marks`` has for X and for O the mark of every cell. The mark of a chain is the sum of its
    cells' marks, less its ``shares``; or, with ``are_bits``, their bitwise or. ``points`` has the
    points of a chain by its mark. So has ``tie_points``, if there are any; the side with more of
    them gets one point extra. ``start`` is X's margin before stones are counted. ``total`` is the
    sum of the points of all chains on every full board, None if that varies or there are tie
    points; where one chain wins, it is 1, although two chains may have done so.

    A game with tables promises that no side gains by giving a cell of a full board to the other.
    """

    board: Board
    marks: tuple[Sequence[int], Sequence[int]]
    points: Sequence[int]
    are_bits: bool = False
    shares: tuple[SharedMark, ...] = ()
    tie_points: Sequence[int] = ()
    start: int = 0
    total: int | None = None
    ending: TieRule = TieRule.DIFFERENCE

    def balance(self, stones: bytes) -> FullBoardResult:
        """Return the margin and the winner of a full board, given as in ``Position.stones``."""
        if self.total is None or self.ending is TieRule.BEST_CHAIN:
            x, o = (self.chain_marks(stones, side) for side in Side)
            return self.balance_of(x, o)
        # What one side earns the other does not: count the one with fewer stones.
        fewer = min(Side, key=lambda side: stones.count(side.stone))
        earned = sum(self.points[mark] for mark in self.chain_marks(stones, fewer))
        lead = 2 * earned - self.total
        return self._balance(self.start + (lead if fewer is Side.X else -lead))

    def balance_of(self, x: Sequence[int], o: Sequence[int]) -> FullBoardResult:
        """Return the margin and the winner if X's and O's chains have these marks."""
        ours, theirs = [self.points[mark] for mark in x], [self.points[mark] for mark in o]
        if self.ending is TieRule.BEST_CHAIN:
            ours, theirs = sorted(filter(None, ours))[::-1], sorted(filter(None, theirs))[::-1]
            margin = max(ours, default=0) - max(theirs, default=0) + self.start
            return FullBoardResult(margin, compare(ours, theirs))
        extra = 0
        if self.tie_points:
            extra = sum(self.tie_points[mark] for mark in x)
            extra -= sum(self.tie_points[mark] for mark in o)
        return self._balance(self.start + sum(ours) - sum(theirs), extra)

    def chain_marks(self, stones: bytes, side: Side) -> list[int]:
        """Return the marks of the chains of ``side``."""
        chains = groups(self.board, stones.translate(STONE_MASKS[side]))
        mark_of = self.marks[side.stone - 1].__getitem__
        if self.are_bits:
            return [reduce(or_, map(mark_of, chain)) for chain in chains]
        found = [sum(map(mark_of, chain)) for chain in chains]
        if self.shares:
            chain_at = {cell: number for number, chain in enumerate(chains) for cell in chain}
            for one, other, less in self.shares:
                if one in chain_at and other in chain_at:
                    found[chain_at[one]] -= less
        return found

    def _balance(self, margin: int, extra: int = 0) -> FullBoardResult:
        """Return the result of X's margin and of its lead in tie points."""
        if self.ending is TieRule.MAJORITY:
            margin = (margin > 0) - (margin < 0)
        margin += (extra > 0) - (extra < 0)
        lead = margin or extra
        return FullBoardResult(margin, (Side.X if lead > 0 else Side.O) if lead else None)
