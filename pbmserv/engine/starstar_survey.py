"""The owners of a star board's rim: stars, the regions between them, and the sides' figures.

Groups with two peries or more are stars. All other stones are lifted; a flood fill of what is left
finds the regions, each with the stars around it. Only cells from the first peri on are asked for a
region, because the outer ring comes last in the order of cells.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from pbmserv.engine.board import Board, Cell, groups
from pbmserv.engine.position import Position, Side

FREE, SEEN, FIRST_STAR = range(3)
"""Of a cell: no star is on it and it is in no region yet; it is in one; the number of its star."""


class StarGroup(NamedTuple):
    """A star: a group that holds two peries or more."""

    side: Side
    cells: tuple[Cell, ...]
    peries: tuple[Cell, ...]


class Region(NamedTuple):
    """Connected cells without a star's stone: their peries, and the stars around.

    ``owner`` is the side of all those stars, None if there are both sides' or none.
    """

    cells: tuple[Cell, ...]
    peries: tuple[Cell, ...]
    stars: tuple[StarGroup, ...]
    owner: Side | None


class Spark(NamedTuple):
    """A group that holds a single peri, and the region that it lies in."""

    side: Side
    cells: tuple[Cell, ...]
    peri: Cell
    region: Region


class Survey(NamedTuple):
    """Everything on the board that has to do with peries; regions without one are left out."""

    stars: list[StarGroup]
    regions: list[Region]
    sparks: list[Spark]

    @property
    def unowned_peries(self) -> int:
        """The number of peries that belong to nobody."""
        return sum(len(region.peries) for region in self.regions if not region.owner)


class Account(NamedTuple):
    """The figures of one side; ``komi`` is negative for the side that gives points."""

    peries: int
    quarks: int
    stars: int
    reward: int
    komi: int

    @property
    def quark_peri(self) -> int:
        """One extra for three quarks or more."""
        # RULES: plus 1 (the quark peri) if you own three quarks or more,
        return int(self.quarks >= 3)

    @property
    def standard(self) -> int:
        """Peries, quark peri and reward."""
        # RULES: Your standard score is the number of peries you own,
        return self.peries + self.quark_peri + self.reward + self.komi

    @property
    def simplified(self) -> int:
        """Four less than the peries for every star, and the quark peri."""
        # RULES: The simplified score is the number of peries you own, minus four
        return self.peries - 4 * self.stars + self.quark_peri + self.komi


def survey_of(board: Board, position: Position) -> Survey:
    """Return the stars, best first, the regions between them and the sparks in those."""
    # RULES: Every cell of the outer ring holds a peri,
    first_peri = min(board.corners)
    stars: list[StarGroup] = []
    lone: list[tuple[Side, tuple[Cell, ...], Cell]] = []
    for side in Side:
        for group in groups(board, position.stone_mask(side)):
            if group[-1] < first_peri:
                continue
            peries = group[bisect_left(group, first_peri) :]
            # RULES: A star is a group (connected stones of one colour) that holds two
            if len(peries) > 1:
                stars.append(StarGroup(side, group, peries))
            else:
                lone.append((side, group, peries[0]))
    stars.sort(key=lambda star: (-len(star.peries), star.cells))
    regions = list(_regions(board, stars, first_peri))
    if not lone:
        return Survey(stars, regions, [])
    region_at = {peri: region for region in regions for peri in region.peries}
    return Survey(stars, regions, [Spark(*spark, region_at[spark[2]]) for spark in lone])


def _regions(board: Board, stars: Sequence[StarGroup], first: Cell) -> Iterator[Region]:
    """Yield the regions that reach as far out as the cell ``first``."""
    first_peri = min(board.corners)
    star_at = bytearray(len(board))
    for number, star in enumerate(stars, FIRST_STAR):
        for cell in star.cells:
            star_at[cell] = number
    for cells, numbers in _regions_between(board, bytes(star_at), first):
        beside = tuple(stars[number - FIRST_STAR] for number in numbers)
        sides = {star.side for star in beside}
        # RULES: A region that only stars of one side touch belongs to that side
        # RULES: A region between stars of both sides belongs to nobody.
        owner = sides.pop() if len(sides) == 1 else None
        yield Region(cells, cells[bisect_left(cells, first_peri) :], beside, owner)


@lru_cache(maxsize=2)
def _regions_between(
    board: Board, star_at: bytes, first: Cell
) -> list[tuple[tuple[Cell, ...], tuple[int, ...]]]:
    """Return the cells of each region, and the numbers of the stars around it."""
    # It is cached, because many turns change no star.
    # RULES: All other stones are dead.
    # RULES: Without them, the stars divide the rest of the board into regions.
    at = bytearray(star_at)
    neighbours = board.neighbours
    regions = []
    start = at.find(FREE, first)
    while start >= 0:
        at[start] = SEEN
        found, around = [start], set()
        for cell in found:  # grows while it is walked
            for other in neighbours[cell]:
                number = at[other]
                if number == FREE:
                    at[other] = SEEN
                    found.append(other)
                elif number != SEEN:
                    around.add(number)
        regions.append((tuple(sorted(found)), tuple(sorted(around))))
        start = at.find(FREE, start)
    return sorted(regions)


def owned_cells(board: Board, position: Position) -> dict[Cell, Side]:
    """Return who owns each cell of a region that somebody owns, with a peri or without."""
    return {
        cell: region.owner
        for region in _regions(board, survey_of(board, position).stars, 0)
        if region.owner is not None
        for cell in region.cells
    }


def accounts_of(board: Board, survey: Survey, komi: int) -> dict[Side, Account]:
    """Return the figures of both sides; ``komi`` is what O gets and X gives."""
    count = dict.fromkeys(Side, 0)
    owned: dict[Side, list[Cell]] = {side: [] for side in Side}
    for star in survey.stars:
        count[star.side] += 1
        owned[star.side] += star.peries
    for region in survey.regions:
        if region.owner:
            owned[region.owner] += region.peries
    corners = set(board.corners)
    return {
        side: Account(
            len(peries),
            len(corners.intersection(peries)),
            count[side],
            # RULES: The reward is twice the number of your opponent's stars minus your own.
            2 * (count[side.other] - count[side]),
            # RULES: With -komi=7, 7 points are added to O's score and taken from X's;
            komi if side is Side.O else -komi,
        )
        for side, peries in owned.items()
    }
