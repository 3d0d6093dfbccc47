"""Starweb: join as many corners as you can in as few groups as you can."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar, NamedTuple

from pbmserv.engine.board import Board, Cell, groups
from pbmserv.engine.game import Example, Game, Primer, Step, komi_option, option
from pbmserv.engine.lattices import notched_hexagon
from pbmserv.engine.position import Position, Side
from pbmserv.engine.score import (
    MAX_NAMES,
    Outcome,
    Ownership,
    Score,
    Tally,
    komi_tallies,
    leader,
    start_margin,
    with_komi,
)
from pbmserv.engine.score_tables import Tables

TITLE = "group"


class Web(NamedTuple):
    """A connected group of one colour and the corners that it holds."""

    cells: tuple[Cell, ...]
    corners: tuple[Cell, ...]

    @property
    def points(self) -> int:
        """What the group earns: 1 for its first corner, 2 more for the second, and so on."""
        # RULES: earns 1 point for its first corner, 2 for its second, 3 for its third and so on.
        # RULES: Groups without a corner earn nothing.
        return len(self.corners) * (len(self.corners) + 1) // 2


@dataclass(frozen=True)
class Starweb(Game):
    """Starweb is played on a hexagon with a notch in each corner, which leaves 18 corners.

    At the end every group (connected stones of one colour) earns 1 point for its first corner, 2
    for its second, 3 for its third and so on. A group with k corners is worth k(k+1)/2. The side
    with more points wins.

    Twelve corners point outward: cells with three neighbours. Six point inward, at the bottom of
    a notch: cells with five. Groups without a corner earn nothing. So it pays to join groups,
    especially large ones.

    A tie goes to the side that does not own the first stone: to O, or to X if X passed before
    there was any stone. So a draw is possible only by agreement, or if both pass before the first
    stone. Games that ended in a tie before this rule was corrected keep their result.

    A board of size n has n cells along each side before the k x k notches are cut. Rows are
    numbered from the top, and letters name the diagonals that go down to the right. The standard
    board (10 with notch 3) has 217 cells from M1 to G19.

    With -komi=2, 2 points are added to O's score and taken from X's before they are compared. A
    negative number favours X. Games with komi have no swap. They are unrated, unless
    challenge -even began them (help handicap).
    """

    name: ClassVar[str] = "starweb"
    title: ClassVar[str] = "Starweb"
    gist: ClassVar[str] = "A group with n corners scores 1 + 2 + ... + n."
    nicknames: ClassVar[tuple[str, ...]] = ("web",)
    source: ClassVar[str] = "the rules of Starweb by Christian Freeling (2017)"
    examples: ClassVar[tuple[Example, ...]] = (
        Example("starweb challenge -size=8 alice bob", "Starweb Board 101", "Start a board:"),
        Example("starweb preview new -size=5 E4", ".[X].", "Try a move on an empty board:"),
        Example(
            'starweb score new -size=4 --x="E1 F1 A5" --o="G2 G3"',
            "X: 4",
            "Score a position: two corners in one group earn 3, a single one 1:",
        ),
        Example(
            'starweb score new -size=4 --x="E1 F1" --o="B7 C7"',
            "With equal points O wins",
            "A tie, 3 to 3: O wins, because the first stone is X's:",
        ),
    )
    primer: ClassVar[Primer] = Primer(
        4,
        "F3 E6 F4 D2 B4 B6 D6 F2 C7 G2 B3 A6 C4 C2 E1 E3 D5 G3 A5 F5 B7 D4 C5 F1 D3 E2 E4 C3"
        " E5 B5 C6",
        turns=2,
        touching=13,
        steps=(
            Step(
                20,
                "Corners count",
                "The notches leave eighteen corners, the shaded cells: twelve point outward,"
                " and six point inward. The number on a group says how many of them it holds.",
            ),
            Step(
                31,
                "Larger groups earn more",
                "A group earns 1 point for its first corner, 2 for its second, 3 for its third and "
                "so on. So it pays to join groups, and to cut theirs apart. The side with more "
                "points on the full board wins; a tie goes to the side without the first stone.",
            ),
        ),
        group="group",
    )

    size: int = option(10, "cells along each side before the notches are cut", low=4, high=13)
    notch: int = option(
        None, "cells along each notch; by default a third of size", low=1, high=5, is_settled=True
    )
    komi: int = komi_option()

    @property
    def is_even(self) -> bool:
        """Whether there is no komi."""
        # RULES: Games with komi have no swap.
        # RULES: They are unrated, unless challenge -even began them (help handicap).
        return not self.komi

    def dependent(self) -> Iterable[tuple[str, int, range, str]]:
        """Return the notch, which leaves two cells of every side."""
        return [("notch", self.size // 3, range(1, self.size // 2), f"-size={self.size}")]

    @cached_property
    def board(self) -> Board:
        """The notched hexagon."""
        # RULES: Starweb is played on a hexagon with a notch in each corner,
        return notched_hexagon(self.size, self.notch)

    def score(self, position: Position) -> Score:
        """Return the points of all groups, and the winner of a tie."""
        webs = {side: webs_of(self.board, position.stone_mask(side)) for side in Side}
        # RULES: With -komi=2, 2 points are added to O's score and taken from X's
        # RULES: A negative number favours X.
        earned = {side: sum(web.points for web in webs[side]) for side in Side}
        points = with_komi(earned, self.komi)
        # RULES: The side with more points wins.
        winner = leader(points)
        notes: tuple[str, ...] = ()
        if winner is None and (winner := self.tie_winner(position)):
            notes = self._tie_notes(position, winner)
        return Score(
            points,
            winner,
            position.is_full,
            lambda: (
                tuple(self._tally(side, web) for side in Side for web in webs[side])
                + komi_tallies(self.komi)
            ),
            lambda: {"groups": {side.value: self._listed(webs[side]) for side in Side}},
            notes,
            earning=lambda: (
                *((side, TITLE, web.points) for side in Side for web in webs[side] if web.corners),
                *(line[:3] for line in komi_tallies(self.komi)),
            ),
        )

    def _tie_notes(self, position: Position, winner: Side) -> tuple[str, ...]:
        # A side without a stone is not said to win, unless the game is over.
        if winner.stone not in position.stones and position.passes < 2:
            return ()
        return (f"With equal points {winner} wins: the first stone is {winner.other}'s.",)

    def tables(self) -> Tables:
        """Return the corners as marks, and the points of a group by the number of its corners."""
        corners = set(self.board.corners)
        marks = [int(cell in corners) for cell in range(len(self.board))]
        points = [count * (count + 1) // 2 for count in range(len(corners) + 1)]
        start = start_margin(self.komi)
        return Tables(self.board, (marks, marks), points, start=start)

    def follow(self, position: Position, placed: Sequence[Cell]) -> Side | None:
        """Return who owns the first stone; of a position that was typed in, X if X has any."""
        if isinstance(position.trace, Side):
            return position.trace
        # RULES: A tie goes to the side that does not own the first stone:
        owners = {position.stones[cell] for cell in placed}
        return next((side for side in Side if side.stone in owners), None)

    def tie_winner(self, position: Position) -> Side | None:
        """Return the side that does not own the first stone, None if both passed before any."""
        # Before the first turn it is O: the first stone would be X's.
        first = self.trace_of(position) if position.trace is None else position.trace
        if first is None and not position.ply:
            # RULES: to O, or to X if X passed before there was any stone.
            first = Side.X
        return first.other if isinstance(first, Side) else None

    def may_end(self, position: Position, outcome: Outcome) -> bool:
        """Tell so of any tie that O won too: games keep the result that earlier rules gave."""
        if super().may_end(position, outcome):
            return True
        is_tie = leader(self.score(position).points) is None
        by_rules = self.outcome(position)
        # RULES: Games that ended in a tie before this rule was corrected keep their result.
        return is_tie and by_rules is not None and outcome == by_rules._replace(winner=Side.O)

    def ownership(self, position: Position) -> Ownership:
        """Return how many corners each group holds, at one of its corners."""
        every = (web for side in Side for web in webs_of(self.board, position.stone_mask(side)))
        webs = [web for web in every if web.corners]
        counts: dict[Cell, int] = {}
        for web in sorted(webs, key=lambda web: len(web.corners)):
            # A count of two digits stands on both sides of its stone: keep it off the mark of a
            # stone before. The other groups have too few corners to be in the way everywhere.
            free = (cell for cell in web.corners if cell - 1 not in counts)
            counts[next(free, web.corners[0])] = len(web.corners)
        return Ownership(corner_counts=counts)

    def _listed(self, webs: Iterable[Web]) -> list[dict[str, object]]:
        return [
            {
                "cells": self.board.sorted_names(web.cells),
                "corners": len(web.corners),
                "corner_cells": self.board.sorted_names(web.corners),
                "points": web.points,
            }
            for web in webs
            if web.corners
        ]

    def _tally(self, side: Side, web: Web) -> Tally:
        count = len(web.corners)
        if not count:
            lesson = "A group without a corner earns nothing; it may cut groups of the other side."
            return Tally(side, f"inner {TITLE}", 0, "holds no corner", web.cells, lesson)
        why = "1 corner" if count == 1 else f"{count} corners, {count} x {count + 1} / 2"
        if count <= MAX_NAMES:
            why += f": {' '.join(self.board.sorted_names(web.corners))}"
        lesson = (
            "The first corner of a group earns 1, its second 2, its third 3 and so on: a group with"
            " k corners earns k(k+1)/2. So joining two groups earns more than both apart."
        )
        return Tally(side, TITLE, web.points, why, web.cells, lesson)


@lru_cache(maxsize=4)
def webs_of(board: Board, stones: bytes) -> tuple[Web, ...]:
    """Return the groups of these stones, best first."""
    corners = frozenset(board.corners)
    found = [
        Web(group, tuple(sorted(corners.intersection(group)))) for group in groups(board, stones)
    ]
    return tuple(sorted(found, key=lambda web: (-len(web.corners), web.cells)))
