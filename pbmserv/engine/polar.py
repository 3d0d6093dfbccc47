"""Builders of polar boards: rings of cells, divided into sectors by rays from the middle.

Ring r has r cells in each sector. The cell at position y of ring r lies on the ray for y = 0 and
moves clockwise with y. It touches the previous and the next cell of its ring, and outwards the
cells y and y + 1 of its sector in ring r + 1; on a ray also the last cell of the sector before.

The cells of a sector form a lattice: cell y of ring r lies r-y steps along the ray of its sector
and y steps along the next. In the plane the rays are those of a regular polygon, of one unit a
step. In a picture made of characters each ray takes a whole step of columns and lines, so that
nothing is rounded. The steps are near those of the polygon, no two cells of a line come closer than
three columns, and every board with its labels fits 78 columns.
"""

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from pbmserv.engine.board import Board, Cell, Label, Place, Point, polygon_turns

CENTRE = "00"

_RIGHT_HALVES = {
    3: ((0, -2), (3, 1)),
    5: ((0, -1), (3, 0), (2, 1)),
    7: ((0, -2), (3, -1), (3, 0), (2, 1)),
    9: ((0, -2), (2, -1), (3, 0), (3, 1), (2, 2)),
}
"""Columns and lines of a step along each ray, from the top clockwise to the bottom."""

_STEPS = {
    sides: half + tuple((-across, down) for across, down in reversed(half[1:]))
    for sides, half in _RIGHT_HALVES.items()
}


class RingCell(NamedTuple):
    """Where a polar cell is: number of its sector, ring from the middle, position clockwise."""

    sector: int
    ring: int
    position: int


@lru_cache(maxsize=32)
def bridged_star(rings: int) -> Board:
    """Return the *Star board: sectors ``* S T A R`` and a bridge between the cells of ring 1."""
    spots = _spots(5, rings)
    index = {spot: cell for cell, spot in enumerate(spots)}
    links = ring_links(5, index)
    middle = {index[spot] for spot in spots if spot.ring == 1}
    for cell in middle:
        # RULES: The five cells of ring 1 all touch one another over the bridge in the middle,
        links[cell] |= middle - {cell}
    # RULES: The sectors are * S T A R, clockwise, with A at the top;
    letters = "*STAR"
    names = tuple(_name(letters, spot) for spot in spots)
    return Board(
        title=f"star {rings}",
        names=names,
        neighbours=tuple(tuple(sorted(others)) for others in links),
        places=tuple(polar_place(5, spot.sector - 3, spot.ring, spot.position) for spot in spots),
        points=tuple(polar_point(5, spot.sector - 3, spot.ring, spot.position) for spot in spots),
        labels=tuple(polar_labels(letters[3:] + letters[:3], rings)),
        corners=_corners(index, rings),
        digits=_ring_digits(index, rings),
        note="the bridge joins the five cells in the middle",
        sectors=5,
        bridge=tuple(sorted(middle)),
        turns=polygon_turns(5),
        # RULES: In a shell write P for the sector *, because a shell expands *:
        synonyms={f"P{name[1:]}": name for name in names if name[0] == "*"},
    )


@lru_cache(maxsize=32)
def centred_polygon(sides: int, size: int) -> Board:
    """Return the Poly-Y board: ``size`` cells a side and a centre that touches all of ring 1."""
    rings = size - 1
    spots = _spots(sides, rings)
    index = {spot: cell for cell, spot in enumerate(spots, start=1)}
    links = [{index[spot] for spot in spots if spot.ring == 1}, *ring_links(sides, index)]
    # RULES: Cells lie on rings around the centre, which is written 00.
    # RULES: You can play there, and it touches all cells of the first ring.
    for cell in links[0]:
        links[cell].add(0)
    letters = "ABCDEFGHI"[:sides]
    return Board(
        title=f"polygon {sides}-{size}",
        names=(CENTRE, *(_name(letters, spot) for spot in spots)),
        neighbours=tuple(tuple(sorted(others)) for others in links),
        places=(Place(0, 0), *(polar_place(sides, *spot) for spot in spots)),
        points=(Point(0, 0), *(polar_point(sides, *spot) for spot in spots)),
        labels=tuple(polar_labels(letters, rings)),
        corners=_corners(index, rings),
        digits=_ring_digits(index, rings),
        note=f"the cell in the middle is {CENTRE}",
        sectors=sides,
        turns=polygon_turns(sides),
    )


def _spots(sectors: int, rings: int) -> list[RingCell]:
    """Return every cell in reading order: ring by ring from the middle, then clockwise."""
    return [
        RingCell(sector, ring, position)
        for ring in range(1, rings + 1)
        for sector in range(sectors)
        for position in range(ring)
    ]


def ring_links(sectors: int, index: dict[RingCell, Cell]) -> list[set[Cell]]:
    """Return the neighbours of each cell along its ring, outwards and inwards."""
    links: dict[Cell, set[Cell]] = {cell: set() for cell in index.values()}
    for spot, cell in index.items():
        sector, ring, position = spot
        following = (
            RingCell(sector, ring, position + 1)
            if position + 1 < ring
            else RingCell((sector + 1) % sectors, ring, 0)
        )
        beside = [
            following,
            RingCell(sector, ring + 1, position),
            RingCell(sector, ring + 1, position + 1),
        ]
        if position == 0:
            beside.append(RingCell((sector - 1) % sectors, ring + 1, ring))
        for other in beside:
            if other in index:
                links[cell].add(index[other])
                links[index[other]].add(cell)
    return [links[cell] for cell in index.values()]


def _corners(index: dict[RingCell, Cell], rings: int) -> tuple[Cell, ...]:
    return tuple(cell for spot, cell in index.items() if spot.ring == rings and spot.position == 0)


def _ring_digits(index: dict[RingCell, Cell], rings: int) -> dict[Cell, str]:
    """Return the number of its ring for each cell on a ray, but for the corners."""
    return {
        cell: str(spot.ring)
        for spot, cell in index.items()
        if spot.position == 0 and spot.ring < rings
    }


def _name(letters: str, spot: RingCell) -> str:
    """Return the name of a cell; ring 10 is written 0."""
    # RULES: Cells are named by sector, ring and position.
    # RULES: rings count from the middle, 10 written 0.
    # RULES: Positions count clockwise from 0 on the ray.
    # RULES: The name of another cell has the letter of its sector, from A at the top clockwise,
    return f"{letters[spot.sector]}{spot.ring % 10}{spot.position}"


def polar_place(sides: int, ray: int, ring: int, position: int) -> Place:
    """Return the place of a cell: ``ray`` 0 points to the top, the others follow clockwise."""
    here = ray * math.tau / sides - math.pi / 2
    after = here + math.tau / sides
    back, on = ring - position, position
    return Place(
        back * math.cos(here) + on * math.cos(after), back * math.sin(here) + on * math.sin(after)
    )


def polar_point(sides: int, ray: int, ring: int, position: int) -> Point:
    """Return the point of a cell in a text picture, with rays as in :func:`polar_place`."""
    across, down = _STEPS[sides][ray % sides]
    next_across, next_down = _STEPS[sides][(ray + 1) % sides]
    back, on = ring - position, position
    return Point(back * across + on * next_across, back * down + on * next_down)


def polar_labels(letters: str, rings: int) -> Iterator[Label]:
    """Yield the letter of each sector and the positions along its edge, one ring outside.

    ``letters`` begin at the top and follow clockwise. A position stands at the end of the line of
    cells that share it, which is parallel to the ray of its sector.
    """
    sides = len(letters)
    for ray, letter in enumerate(letters):
        for position in range(rings):
            yield Label(
                str(position) if position else letter,
                polar_place(sides, ray, rings + 1, position),
                polar_point(sides, ray, rings + 1, position),
            )


@lru_cache(maxsize=32)
def sides_of(board: Board) -> tuple[int, ...]:
    """Return for each cell the sides it lies on, as bits; its rim goes on from corner to corner."""
    # Side number s runs from corner s to the next one; so corner s lies on the sides s - 1 and s.
    sides, steps = len(board.corners), board.corners[1] - board.corners[0]
    bits = [0] * len(board)
    for side, corner in enumerate(board.corners):
        for cell in range(corner, corner + steps):
            bits[cell] = 1 << side
        # RULES: A corner cell lies on both its sides, the centre on none.
        bits[corner] |= 1 << (side - 1) % sides
    return tuple(bits)
