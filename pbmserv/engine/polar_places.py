"""Where a polar board is drawn: its cells and the labels around them, in the plane and in text.

A polar board has a ray from the middle to each of its corners, and the cells of a sector form a
lattice: cell y of ring r lies r-y steps along the ray of its sector and y steps along the next.
In the plane the rays are those of a regular polygon, of one unit a step. In a picture made of
characters each ray takes a whole step of columns and lines, so that nothing is rounded. The steps
are near those of the polygon, no two cells of a line come closer than three columns, and every
board with its labels fits 78 columns.
"""

import math
from collections.abc import Iterator

from pbmserv.engine.board import Label, Place, Point

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


def polar_place(sides: int, ray: int, ring: int, position: int) -> Place:
    """Return the place of a cell: ``ray`` 0 points to the top, the others follow clockwise."""
    here = ray * math.tau / sides - math.pi / 2
    after = here + math.tau / sides
    back, on = ring - position, position
    return Place(
        back * math.cos(here) + on * math.cos(after), back * math.sin(here) + on * math.sin(after)
    )


def polar_point(sides: int, ray: int, ring: int, position: int) -> Point:
    """Return where a cell stands in a text picture, with rays as in :func:`polar_place`."""
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
