"""Y: be the first to join all three sides of a triangle."""

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from pbmserv.engine.board import Board, Cell, groups
from pbmserv.engine.chains import Chains
from pbmserv.engine.game import Example, Game, option
from pbmserv.engine.lattices import lattice_point, triangle
from pbmserv.engine.position import Position, Side
from pbmserv.engine.score import Outcome, Reason, Score, Tally
from pbmserv.engine.tables import Ending, Tables

if TYPE_CHECKING:
    from collections.abc import Sequence

SIDES = ("left", "right", "bottom")
ALL_SIDES = 0b111


class SideTrace(NamedTuple):
    """What Y follows from move to move: the chains, and who has joined the sides."""

    chains: Chains
    winner: Side | None


@dataclass(frozen=True)
class Y(Game):
    """Y is played on a triangle; the first chain that touches all three sides wins.

    A chain is a connected group of stones of one colour. The cell in a corner of the triangle
    belongs to both sides that meet there. Exactly one player can join the three sides, so a
    board played to the end always has a winner; only two passes in succession make a draw.

    Rows are numbered from the top, where row 1 is a single cell, and letters name the diagonals
    that fall to the right: on a board of size 11 the top is K1 and the last row runs from A11 to
    K11. F6 touches E6, G6, F5, F7, G5 and E7. Moving first is a great advantage, so the second
    player may answer the first stone with swap and take it over.
    """

    name: ClassVar[str] = "y"
    title: ClassVar[str] = "Y"
    source: ClassVar[str] = "the pbmserv help page for Y (Cameron Browne)"
    examples: ClassVar[tuple[Example, ...]] = (
        Example("y challenge -size=11 alice bob", "Y Board 101", "Start a board:"),
        Example("y preview new -size=5 C4", ".[X].", "Try a move on an empty board:"),
        Example(
            'y score new -size=4 --x="D1 C2 B3 A4"',
            "X: 1",
            "Score a position: the left side whole, whose two ends lie on the other sides:",
        ),
    )

    size: int = option(17, "rows of the triangle", low=3, high=26)

    @property
    def board(self) -> Board:
        """The triangle."""
        return triangle(self.size)

    @property
    def full_board_sum(self) -> int | None:
        """One point: a full board has exactly one winner."""
        return 1

    def follow(self, position: Position, placed: "Sequence[Cell]") -> SideTrace:
        """Return the chains after this turn, and the winner if one of them joins the sides."""
        before = position.trace
        chains = (
            before.chains if isinstance(before, SideTrace) else Chains.of_cells(sides_of(self.size))
        ).joined(self.board, position.stones, placed)
        winner = None  # there was none before, or this turn would not have been played
        for cell in placed:
            if chains.touched(cell) == ALL_SIDES:
                winner = Side.X if position.stones[cell] == Side.X.stone else Side.O
        return SideTrace(chains, winner)

    def decided(self, position: Position) -> Outcome | None:
        """Return the win of the side whose chain touches all three sides."""
        trace = self.trace_of(position) if position.trace is None else position.trace
        if not isinstance(trace, SideTrace) or trace.winner is None:
            return None
        return Outcome(trace.winner, Reason.CONNECTION)

    def score(self, position: Position) -> Score:
        """Return one point for the side that has joined the three sides, if there is one."""
        chains = {side: self._chains(position, side) for side in Side}
        won = {side: any(len(sides) == 3 for _, sides in chains[side]) for side in Side}
        winner = next((side for side in Side if won[side]), None)
        details = {
            "chains": {
                side.value: [
                    {"cells": self.board.sorted_names(cells), "sides": sides}
                    for cells, sides in chains[side]
                ]
                for side in Side
            }
        }
        sheet = tuple(_tally(side, *chain) for side in Side for chain in chains[side] if chain[1])
        return Score(
            {side.value: int(side is winner) for side in Side},
            winner.value if winner else None,
            position.is_full,
            sheet,
            details,
            () if winner else ("No chain touches all three sides yet.",),
            feat="has joined all three sides",
        )

    def tables(self) -> Tables:
        """Return the sides of each cell; a chain on all three earns the only point."""
        marks = sides_of(self.size)
        points = [int(touched == ALL_SIDES) for touched in range(ALL_SIDES + 1)]
        return Tables(
            self.board, (marks, marks), points, are_bits=True, total=1, ending=Ending.MAJORITY
        )

    def _chains(self, position: Position, side: Side) -> list[tuple[tuple[Cell, ...], list[str]]]:
        """Return the chains of ``side`` with the sides each touches, most sides first."""
        touches = sides_of(self.size)
        found = []
        for group in groups(self.board, [stone == side.stone for stone in position.stones]):
            bits = 0
            for cell in group:
                bits |= touches[cell]
            sides = [name for number, name in enumerate(SIDES) if bits >> number & 1]
            found.append((tuple(sorted(group)), sides))
        return sorted(found, key=lambda chain: (-len(chain[1]), chain[0]))


@lru_cache(maxsize=32)
def sides_of(size: int) -> tuple[int, ...]:
    """Return for each cell the sides it lies on, as bits in the order of :data:`SIDES`."""
    points = [lattice_point(name) for name in triangle(size).names]
    return tuple(
        (column + row == size) | (column == size - 1) << 1 | (row == size) << 2
        for column, row in points
    )


def _tally(side: Side, cells: tuple[Cell, ...], sides: list[str]) -> Tally:
    why = f"touches {len(sides)} of 3 sides: {', '.join(sides)}"
    lesson = (
        "A chain that touches all three sides wins at once."
        if len(sides) == 3
        else "A chain wins only when it touches all three sides; a corner cell lies on two."
    )
    return Tally(side, "chain", int(len(sides) == 3), why, cells, lesson)
