"""Games that a chain wins at once by joining the sides of the board that it has to join."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import ClassVar, NamedTuple

from pbmserv.engine.board import Cell, Chains, groups
from pbmserv.engine.game import Edge, Game
from pbmserv.engine.position import Position, Side
from pbmserv.engine.score import Outcome, Ownership, Points, Reason, Score, Tally
from pbmserv.engine.score_tables import Tables, TieRule


class SideTrace(NamedTuple):
    """The trace of a game: the chains, and the side that has won."""

    chains: Chains
    winner: Side | None


class SideChain(NamedTuple):
    """A chain, and those of the sides it must join that it touches."""

    cells: tuple[Cell, ...]
    sides: tuple[str, ...]


@dataclass(frozen=True)
class ConnectionGame(Game):
    """The rules that Y and Hex share; nobody can be cut off on a full board, so one side wins.

    ``sides`` name the sides of the board; ``goals`` are those that a chain of each colour must
    join, as bits. Pieces of sentences: ``aim`` is what a chain must do, ``feat`` what the winner
    has done, ``caution`` what a beginner may overlook.
    """

    ending: ClassVar[str] = (
        "The game ends as soon as somebody has won; two passes in succession end it as a draw."
    )
    sides: ClassVar[tuple[str, ...]]
    goals: ClassVar[Mapping[Side, int]]
    aim: ClassVar[str]
    feat: ClassVar[str]
    caution: ClassVar[str]

    @property
    @abstractmethod
    def cell_sides(self) -> Sequence[int]:
        """The sides of the board on which each cell lies, as bits in the order of ``sides``."""

    def edges(self) -> tuple[Edge, ...]:
        """Return the sides of the board, each with its owner if only one player must touch it."""
        wanted_by = {
            bit: [s for s in Side if self.goals[s] >> bit & 1] for bit in range(len(self.sides))
        }
        return tuple(
            Edge(
                tuple(cell for cell, bits in enumerate(self.cell_sides) if bits >> bit & 1),
                owners[0] if len(owners) == 1 else None,
                self.sides[bit],
            )
            for bit, owners in wanted_by.items()
        )

    def goal_of(self, side: Side) -> str:
        """Return the sides of the board that this side joins, "" if both join the same."""
        if len(set(self.goals.values())) == 1:
            return ""
        names = [name for bit, name in enumerate(self.sides) if self.goals[side] >> bit & 1]
        return f"joins {' and '.join(names)}"

    @property
    def full_board_sum(self) -> int | None:
        """One point: a full board has exactly one winner."""
        # RULES: so a board played to the end always has a winner;
        return 1

    def points_to_agree(self, score: Score) -> Points | None:
        """Return None: only a winner counts."""
        del score
        return None

    def follow(self, position: Position, placed: Sequence[Cell]) -> SideTrace:
        """Return the chains after this turn, and the winner if one of them joins the sides."""
        before = position.trace
        chains = (
            before.chains if isinstance(before, SideTrace) else Chains.of_cells(self.cell_sides)
        ).join(self.board, position.stones, placed)
        winner = None  # there was none before, or this turn would not have been played
        for cell in placed:
            touched = chains.touched_by(cell)
            if touched.bit_count() > 1:  # a quick test that most chains fail
                side = Side.X if position.stones[cell] == Side.X.stone else Side.O
                # RULES: the first to join their own two sides with a chain wins.
                # RULES: the first chain that touches all three sides wins.
                if touched & self.goals[side] == self.goals[side]:
                    winner = side
        return SideTrace(chains, winner)

    def decided(self, position: Position) -> Outcome | None:
        """Return the win of the side whose chain joins the sides."""
        trace = self.trace_of(position) if position.trace is None else position.trace
        if not isinstance(trace, SideTrace) or trace.winner is None:
            return None
        return Outcome(trace.winner, Reason.CONNECTION)

    def score(self, position: Position) -> Score:
        """Return one point for the winner, if there is one."""
        chains = {side: self._chains(position, side) for side in Side}
        won = {side: any(self._wins(chain, side) for chain in chains[side]) for side in Side}
        # RULES: a draw is possible only by two passes or by agreement.
        winner = next((side for side in Side if won[side]), None)
        names = self.board.sorted_names
        return Score(
            {side: int(side is winner) for side in Side},
            winner,
            position.is_full,
            lambda: tuple(
                self._tally(side, chain) for side in Side for chain in chains[side] if chain.sides
            ),
            lambda: {
                "chains": {
                    side: [
                        {"cells": names(chain.cells), "sides": list(chain.sides)}
                        for chain in chains[side]
                    ]
                    for side in Side
                }
            },
            () if winner else (f"No chain {self.aim}.",),
            feat=self.feat,
            is_undecided=winner is None,
        )

    def ownership(self, position: Position) -> Ownership:
        """Return the winning chain, if there is one."""
        for side in Side:
            for chain in self._chains(position, side):
                if self._wins(chain, side):
                    return Ownership(winning=frozenset(chain.cells), path=self._path(chain, side))
        return Ownership()

    def _path(self, chain: SideChain, side: Side) -> frozenset[Cell]:
        """Return a part of a winning chain that needs each of its stones to win."""
        board, goal, kept = self.board, self.goals[side], set(chain.cells)
        for cell in chain.cells:
            members = bytearray(len(board))
            for other in kept - {cell}:
                members[other] = 1
            for group in groups(board, bytes(members)):
                if reduce(or_, (self.cell_sides[one] for one in group), 0) & goal == goal:
                    kept = set(group)
                    break
        return frozenset(kept)

    def tables(self) -> Tables:
        """Return the sides of each cell as marks; a chain on all of its goal earns a point."""
        goals = self.goals[Side.X], self.goals[Side.O]
        x, o = ([touched & goal for touched in self.cell_sides] for goal in goals)
        points = [int(touched in goals) for touched in range(1 << len(self.sides))]
        return Tables(self.board, (x, o), points, are_bits=True, total=1, ending=TieRule.MAJORITY)

    def _chains(self, position: Position, side: Side) -> list[SideChain]:
        """Return the chains of ``side``, those that touch most of its sides first."""
        touches, goal = self.cell_sides, self.goals[side]
        found = []
        # RULES: A chain is a connected group of stones of one colour.
        for group in groups(self.board, position.stone_mask(side)):
            bits = 0
            for cell in group:
                bits |= touches[cell] & goal
            names = tuple(name for number, name in enumerate(self.sides) if bits >> number & 1)
            found.append(SideChain(group, names))
        return sorted(found, key=lambda chain: (-len(chain.sides), chain.cells))

    def _wins(self, chain: SideChain, side: Side) -> bool:
        return len(chain.sides) == self.goals[side].bit_count()

    def _tally(self, side: Side, chain: SideChain) -> Tally:
        count = self.goals[side].bit_count()
        why = f"touches {len(chain.sides)} of {count} sides: {', '.join(chain.sides)}"
        wins = self._wins(chain, side)
        lesson = f"A chain wins only if it {self.aim}; {self.caution}."
        if wins:
            lesson = f"A chain that {self.aim} wins at once."
        return Tally(side, "chain", int(wins), why, chain.cells, lesson)
