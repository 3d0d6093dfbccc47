"""Who owns the rim of a star board: stars, the regions between them, and the figures of a side."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pbmserv.engine.board import Board, Cell, groups
from pbmserv.engine.position import Side


class StarGroup(NamedTuple):
    """A star: a group that holds two peries or more."""

    side: Side
    cells: tuple[Cell, ...]
    peries: tuple[Cell, ...]


class Region(NamedTuple):
    """Connected cells without a star's stone: their peries, the stars around, and the owner."""

    cells: tuple[Cell, ...]
    peries: tuple[Cell, ...]
    stars: tuple[StarGroup, ...]

    @property
    def owner(self) -> Side | None:
        """The side of all the stars around; nobody if there are both or none."""
        sides = {star.side for star in self.stars}
        return sides.pop() if len(sides) == 1 else None


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
        """How many peries belong to nobody."""
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
        return int(self.quarks >= 3)

    @property
    def standard(self) -> int:
        """Peries, quark peri and reward."""
        return self.peries + self.quark_peri + self.reward + self.komi

    @property
    def simplified(self) -> int:
        """Four less than the peries for every star, and the quark peri."""
        return self.peries - 4 * self.stars + self.quark_peri + self.komi


def survey_of(board: Board, stones: bytes) -> Survey:
    """Return the stars, best first, the regions between them and the sparks in those."""
    first_peri = min(board.corners)
    stars: list[StarGroup] = []
    lone: list[tuple[Side, tuple[Cell, ...], Cell]] = []
    for side in Side:
        stone = side.stone
        for group in groups(board, [found == stone for found in stones]):
            peries = tuple(sorted(cell for cell in group if cell >= first_peri))
            if len(peries) > 1:
                stars.append(StarGroup(side, tuple(sorted(group)), peries))
            elif peries:
                lone.append((side, tuple(sorted(group)), peries[0]))
    stars.sort(key=lambda star: (-len(star.peries), star.cells))
    regions = [region for region in _regions(board, stars) if region.peries]
    region_at = {peri: region for region in regions for peri in region.peries}
    return Survey(stars, regions, [Spark(*spark, region_at[spark[2]]) for spark in lone])


def _regions(board: Board, stars: Sequence[StarGroup]) -> Iterator[Region]:
    """Yield the regions: what is connected after all other stones are lifted."""
    first_peri = min(board.corners)
    star_at: list[int | None] = [None] * len(board)
    for number, star in enumerate(stars):
        for cell in star.cells:
            star_at[cell] = number
    for group in groups(board, [number is None for number in star_at]):
        peries = tuple(sorted(cell for cell in group if cell >= first_peri))
        beside = {star_at[other] for cell in group for other in board.neighbours[cell]}
        around = sorted(number for number in beside if number is not None)
        yield Region(tuple(sorted(group)), peries, tuple(stars[at] for at in around))


def owned_cells(board: Board, stones: bytes) -> dict[Cell, Side]:
    """Return who owns each cell of a region that somebody owns, with a peri or without."""
    return {
        cell: region.owner
        for region in _regions(board, survey_of(board, stones).stars)
        if region.owner is not None
        for cell in region.cells
    }


def accounts_of(board: Board, survey: Survey, komi: int) -> dict[Side, Account]:
    """Return the figures of both sides; ``komi`` is what O gets and X gives."""
    count = {side: sum(star.side is side for star in survey.stars) for side in Side}
    corners = set(board.corners)
    accounts = {}
    for side in Side:
        owned = [peri for star in survey.stars if star.side is side for peri in star.peries]
        for region in survey.regions:
            if region.owner is side:
                owned += region.peries
        accounts[side] = Account(
            len(owned),
            len(corners.intersection(owned)),
            count[side],
            2 * (count[side.other] - count[side]),
            komi if side is Side.O else -komi,
        )
    return accounts
