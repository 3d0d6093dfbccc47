"""Chains that grow move by move: what each of them touches, without flooding the board."""

from collections.abc import Sequence
from typing import NamedTuple

from pbmserv.engine.board import Board, Cell


class Chains(NamedTuple):
    """The chains of both sides as a union-find that every turn copies and no turn changes.

    ``leads`` takes each cell a step towards the cell that stands for its chain, which leads to
    itself; ``touches`` holds at that cell, as bits, whatever the chain touches.
    """

    leads: tuple[Cell, ...]
    touches: tuple[int, ...]

    @classmethod
    def of_cells(cls, touches: Sequence[int]) -> "Chains":
        """Return every cell as a chain of its own that touches these bits."""
        return cls(tuple(range(len(touches))), tuple(touches))

    def joined(self, board: Board, stones: bytes, placed: Sequence[Cell]) -> "Chains":
        """Return the chains after the stones on ``placed`` have joined those of their colour."""
        leads, touches = list(self.leads), list(self.touches)
        for cell in placed:
            for other in board.neighbours[cell]:
                if stones[other] != stones[cell]:
                    continue
                ours, theirs = _shortened(leads, cell), _shortened(leads, other)
                if ours != theirs:
                    leads[ours] = theirs
                    touches[theirs] |= touches[ours]
        return Chains(tuple(leads), tuple(touches))

    def touched(self, cell: Cell) -> int:
        """Return the bits that the chain of ``cell`` touches."""
        while self.leads[cell] != cell:
            cell = self.leads[cell]
        return self.touches[cell]


def _shortened(leads: list[Cell], cell: Cell) -> Cell:
    """Return the cell that stands for the chain of ``cell``, halving the way there."""
    while leads[cell] != cell:
        leads[cell] = leads[leads[cell]]
        cell = leads[cell]
    return cell
