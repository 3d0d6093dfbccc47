"""Star: connect as much of the rim as you can, with as few chains as you can."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce
from itertools import zip_longest
from operator import or_
from typing import ClassVar, NamedTuple

from pbmserv.engine.board import Board, Cell, groups
from pbmserv.engine.game import Example, Game, Primer, Step, komi_option, option
from pbmserv.engine.lattices import (
    LATTICE_STEPS,
    alternating_hexagon,
    lattice_places,
    lattice_points,
    lattice_text_points,
)
from pbmserv.engine.position import Position, Side
from pbmserv.engine.score import (
    External,
    Ownership,
    Points,
    Score,
    Tally,
    compare,
    komi_tallies,
    leader,
    with_komi,
)
from pbmserv.engine.score_tables import SharedMark, Tables, TieRule
from pbmserv.errors import Misunderstood

# RULES: the number of externals it touches, minus two.
COST = 2
"""The points that a chain on the rim pays."""


class Chain(NamedTuple):
    """A connected group of one colour and the number of external cells that it touches."""

    cells: tuple[Cell, ...]
    externals: int

    @property
    def points(self) -> int:
        """What the chain earns: two less than its externals, nothing without any."""
        # RULES: At the end every chain (a connected group of one colour) that touches
        return self.externals - COST if self.externals else 0


@dataclass(frozen=True)
class Star(Game):
    """Star is played on a hexagon whose sides have n and n-1 cells in turn.

    Just outside the board lies a ring of external cells, which nobody plays on. At the end every
    chain (a connected group of one colour) that touches at least one of them earns the number of
    externals it touches, minus two. The side with more points wins.

    Empty cells and enclosed areas score nothing; an external touched by both colours counts for
    both. So every chain that reaches the rim costs two points, and joining two of them gains two. A
    corner cell touches three externals, every other cell of the rim two. On a full board the
    points of both sides always add up to the same odd number, so a draw is possible only
    by early passes or by agreement.

    In Maxi-Star only the single best chain of each side counts; equal best chains are decided by
    the second best, then the third, and so on. With -corners=2 the corner cells touch two
    externals like the rest of the rim.

    With -komi=2, 2 points are added to O's score and taken from X's. A negative number favours X.
    Maxi-Star has no komi. Games with komi have no swap. They are unrated, unless
    challenge -even began them (help handicap).
    """

    name: ClassVar[str] = "star"
    title: ClassVar[str] = "Star"
    gist: ClassVar[str] = "Each chain scores the externals that it touches, minus two."
    source: ClassVar[str] = "the pbmserv help page for Star (Cameron Browne, 2003); Wikipedia"
    examples: ClassVar[tuple[Example, ...]] = (
        Example("star challenge -size=7 -maxi alice bob", "Star Board 101", "Start a board:"),
        Example("star preview new -size=4 D4", ".[X].", "Try a move on an empty board:"),
        Example(
            'star score new --o="H1 I1 H2 H3 J3 H4 I4 H5 A6 G6 C7 G7 C8 G8 G9 B10 F10"',
            "O: 8",
            "Score a position: one chain of 9 externals (+7), a corner (+1), an edge stone (0):",
        ),
    )
    primer: ClassVar[Primer] = Primer(
        4,
        "D4 B3 F4 D1 F1 A6 D6 A4 B6 F2 E2 C6 D5 C5 B5 A5 C4 C2 F3 D3 E3 D2 E4 C3 E1 B4 E5",
        turns=2,
        touching=13,
        steps=(
            Step(
                18,
                "The rim counts",
                "Around the board lies a ring of externals, on which nobody plays. Each shows a "
                "small stone of the side that touches it, or half of each if both do. A stone on "
                "a corner touches three of them, any other stone on the rim two.",
            ),
            Step(
                27,
                "Each chain costs two",
                "A chain earns the number of externals that it touches, minus two. So joining two "
                "of your chains gains two points, and keeping two of theirs apart costs them two. "
                "The side with more points on the full board wins.",
            ),
        ),
    )

    size: int = option(6, "cells along each of the three longer sides", low=3, high=14, step=1)
    maxi: bool = option(False, "Maxi-Star: only the best chain of each side counts")
    corners: int = option(3, "externals that a corner cell touches", choices=(2, 3))
    komi: int = komi_option()

    def __post_init__(self) -> None:
        """Raise :class:`Misunderstood` for komi in Maxi-Star, too."""
        super().__post_init__()
        # RULES: Maxi-Star has no komi.
        if self.maxi and self.komi:
            raise Misunderstood(
                "Maxi-Star has no komi: lists of chains are compared, not points.",
                code="bad-option-value",
                hint="Leave out either -komi or -maxi.",
            )

    @cached_property
    def board(self) -> Board:
        """The hexagon with alternating sides."""
        # RULES: Star is played on a hexagon whose sides have n and n-1 cells in turn.
        return alternating_hexagon(self.size)

    @property
    def full_board_sum(self) -> int | None:
        """6n-5, or 6n-11 with -corners=2; the best chains alone have no constant sum."""
        return None if self.maxi else self._sum_of_chains

    def score(self, position: Position) -> Score:
        """Return the points of all chains, or with maxi of the best chain of each side."""
        chains = {Side.X: self.chains(position, Side.X), Side.O: self.chains(position, Side.O)}
        lists = {side: [p for chain in own if (p := chain.points)] for side, own in chains.items()}
        points, winner = self._result(lists)
        return Score(
            points,
            winner,
            position.is_full,
            lambda: (
                tuple(
                    self._tally(side, chain, is_best=number == 0)
                    for side in Side
                    for number, chain in enumerate(chains[side])
                )
                + komi_tallies(self.komi)
            ),
            lambda: {
                "chains": {side.value: self._listed(chains[side]) for side in Side},
                "inner_chains": {side.value: self._inner(chains[side]) for side in Side},
                "maxi": {side.value: lists[side] for side in Side},
            },
            tuple(self._maxi_notes(lists, winner)) if self.maxi else (),
            earning=lambda: (
                *(
                    (side, self._title(is_best=number == 0), earned)
                    for side in Side
                    for number, earned in enumerate(lists[side])
                ),
                *(line[:3] for line in komi_tallies(self.komi)),
            ),
        )

    def _result(self, lists: dict[Side, list[int]]) -> tuple[Points, Side | None]:
        if self.maxi:
            # Lists that differ only in length compare as if padded with zeros: no zero is in them.
            # RULES: In Maxi-Star only the single best chain of each side counts;
            points = {side: max(earned, default=0) for side, earned in lists.items()}
            # RULES: equal best chains are decided by the second best, then the third, and so on.
            return points, compare(lists[Side.X], lists[Side.O])
        # RULES: With -komi=2, 2 points are added to O's score and taken from X's.
        # RULES: A negative number favours X.
        points = with_komi({side: sum(lists[side]) for side in Side}, self.komi)
        # RULES: The side with more points wins.
        return points, leader(points)

    def points_to_agree(self, score: Score) -> Points | None:
        """Return the points; None in Maxi-Star, where they are those of the best chains alone."""
        return None if self.maxi else score.points

    def tables(self) -> Tables:
        """Return the externals of each cell, less those it shares with a neighbour."""
        externals = externals_of(self.size, self.corners)
        marks = [touched.bit_count() for touched in externals]
        shares = [
            SharedMark(one, other, (externals[one] & externals[other]).bit_count())
            for one, other in self.board.links
            if externals[one] & externals[other]
        ]
        most = reduce(or_, externals).bit_count()
        return Tables(
            self.board,
            (marks, marks),
            [0, *range(1 - COST, most + 1 - COST)],
            shares=tuple(shares),
            start=-2 * self.komi,
            total=self._sum_of_chains,
            ending=TieRule.BEST_CHAIN if self.maxi else TieRule.DIFFERENCE,
        )

    @property
    def _sum_of_chains(self) -> int:
        """What all chains of a full board earn together."""
        # RULES: On a full board the points of both sides always add up to the same odd number,
        return 6 * self.size - (5 if self.corners == 3 else 11)

    def _maxi_notes(self, lists: dict[Side, list[int]], winner: Side | None) -> Iterator[str]:
        """Yield that only the best chains count, and which later ones broke a tie."""
        yield "Only the best chain of each side counts."
        pairs = list(zip_longest(lists[Side.X], lists[Side.O], fillvalue=0))
        number = next((at for at, (x, o) in enumerate(pairs, start=1) if x != o), 0)
        if number > 1:
            x, o = pairs[number - 1]
            yield f"Equal best chains: {winner} is ahead in chain number {number}, {x} to {o}."

    def ownership(self, position: Position) -> Ownership:
        """Return which sides touch each external."""
        points, cells = zip(*externals_around(self.size, self.corners), strict=True)
        sides = [
            frozenset(
                side for side in Side if any(position.stones[cell] == side.stone for cell in near)
            )
            for near in cells
        ]
        places, text_points = lattice_places(points), lattice_text_points(points)
        return Ownership(externals=tuple(map(External, places, text_points, sides)))

    def chains(self, position: Position, side: Side) -> tuple[Chain, ...]:
        """Return the chains of ``side``, best first, those that touch nothing outside last."""
        return chains_of(self.size, self.corners, position.stone_mask(side))

    def _listed(self, chains: Iterable[Chain]) -> list[dict[str, object]]:
        return [
            {
                "cells": self.board.sorted_names(chain.cells),
                "externals": chain.externals,
                "points": chain.points,
            }
            for chain in chains
            if chain.externals
        ]

    def _inner(self, chains: Iterable[Chain]) -> list[list[str]]:
        return [self.board.sorted_names(chain.cells) for chain in chains if not chain.externals]

    def _tally(self, side: Side, chain: Chain, *, is_best: bool) -> Tally:
        if not chain.externals:
            lesson = "Only chains that reach the rim score; inner chains earn and cost nothing."
            return Tally(side, "inner chain", 0, "touches no external", chain.cells, lesson)
        why = f"touches {chain.externals} externals, minus 2"
        corner = "three" if self.corners == 3 else "two as well"
        lesson = (
            "A chain on the rim earns one point for each external it touches and pays two. Two "
            "chains that are joined pay only once. A stone on the rim touches two externals, a "
            f"stone on a corner {corner}; an external counts once for each chain."
        )
        if self.maxi and not is_best:
            why += "; counts only to break a tie"
        return Tally(side, self._title(is_best=is_best), chain.points, why, chain.cells, lesson)

    def _title(self, *, is_best: bool) -> str:
        if not self.maxi:
            return "chain"
        return "best chain" if is_best else "other chain"


@lru_cache(maxsize=32)
def externals_around(
    size: int, corners: int
) -> tuple[tuple[tuple[int, int], tuple[Cell, ...]], ...]:
    """Return the externals as column and row, each with the cells of the board that it touches."""
    # The externals are the lattice points beside a cell that are not on the board. With corners 2
    # those that only a corner cell touches are left out.
    points = lattice_points(alternating_hexagon(size).names)
    inside = set(points)
    touching: dict[tuple[int, int], list[Cell]] = {}
    for cell, (column, row) in enumerate(points):
        for across, down in LATTICE_STEPS:
            point = (column + across, row + down)
            # RULES: Just outside the board lies a ring of external cells, which nobody plays on.
            if point not in inside:
                touching.setdefault(point, []).append(cell)
    # RULES: A corner cell touches three externals, every other cell of the rim two.
    # RULES: With -corners=2 the corner cells touch two externals like the rest of the rim.
    return tuple(
        (point, tuple(cells)) for point, cells in touching.items() if corners == 3 or len(cells) > 1
    )


@lru_cache(maxsize=32)
def externals_of(size: int, corners: int) -> tuple[int, ...]:
    """Return for each cell of the board the externals it touches, as bits of a whole number."""
    bits = [0] * len(alternating_hexagon(size))
    for number, (_, cells) in enumerate(externals_around(size, corners)):
        for cell in cells:
            # RULES: an external touched by both colours counts for both.
            bits[cell] |= 1 << number
    return tuple(bits)


@lru_cache(maxsize=4)
def chains_of(size: int, corners: int, stones: bytes) -> tuple[Chain, ...]:
    """Return the chains of these stones, best first, those that touch nothing outside last."""
    externals = externals_of(size, corners)
    found = [
        Chain(group, reduce(or_, map(externals.__getitem__, group)).bit_count())
        for group in groups(alternating_hexagon(size), stones)
    ]
    return tuple(sorted(found, key=lambda chain: (-chain.externals, chain.cells)))
