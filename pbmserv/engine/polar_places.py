"""Where a polar board is drawn: the places of its cells and of the labels around them.

A polar board has a ray from the centre to each of its corners. Each ray takes one whole step of
characters from a ring to the next, so the cells of a sector form a lattice that fits a text
picture without rounding: cell y of ring r lies r-y steps along the ray of its sector and y steps
along the next one. The steps are those near a regular polygon for which no two cells of a line
come closer than three characters and ten rings, labels included, fit 100 columns and about 50
lines (nine rings where there are seven or nine sides).
"""

from collections.abc import Iterator

from pbmserv.engine.board import Label, Place

POLAR_CHARACTER = (0.25, 0.45)
"""The size of a character in the plane: neighbours lie about one unit apart, as on a lattice."""

_RIGHT_HALVES = {
    3: ((0, -2), (4, 1)),
    5: ((0, -2), (4, -1), (2, 2)),
    7: ((0, -2), (4, -1), (5, 1), (2, 2)),
    9: ((0, -3), (3, -2), (5, -1), (5, 1), (2, 2)),
}
"""Columns and lines of a step along each ray, from the top clockwise to the bottom."""

_RAYS = {
    sides: half + tuple((-across, down) for across, down in reversed(half[1:]))
    for sides, half in _RIGHT_HALVES.items()
}

_OUTSIDE = 0.8
"""How many steps outside the last ring the letters and digits stand."""


def polar_place(sides: int, ray: int, ring: float, position: int) -> Place:
    """Return the place of a cell: ``ray`` 0 points to the top, the others follow clockwise."""
    across, down = _RAYS[sides][ray % sides]
    next_across, next_down = _RAYS[sides][(ray + 1) % sides]
    before = ring - position
    width, height = POLAR_CHARACTER
    return Place(
        (before * across + position * next_across) * width,
        (before * down + position * next_down) * height,
    )


def polar_labels(letters: str, rings: int) -> Iterator[Label]:
    """Yield the letter of each sector, the positions along its edge and the ring numbers.

    ``letters`` begin at the top and follow clockwise. A position stands outside the last ring at
    the end of the line of cells that share it, which is parallel to the ray of its sector. Ring
    numbers stand to the right of the top ray, the tenth written 0 as in the names of cells.
    """
    sides = len(letters)
    for ray, letter in enumerate(letters):
        yield Label(letter, polar_place(sides, ray, rings + _OUTSIDE, 0))
        for position in range(1, rings):
            yield Label(str(position), polar_place(sides, ray, rings + _OUTSIDE, position))
    for ring in range(1, rings + 1):
        place = polar_place(sides, 0, ring, 0)
        yield Label(str(ring % 10), Place(place.x + 2 * POLAR_CHARACTER[0], place.y))


def bridge_label() -> Label:
    """Return the label in the middle of a board whose first ring is joined by a bridge."""
    return Label("bridge", Place(2 * POLAR_CHARACTER[0], 0.0))
