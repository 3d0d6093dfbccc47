"""Builders of ringed boards: rings of cells around a piece of lattice, named from the outside.

The rim of the lattice serves as the innermost ring. Rings touch as on polar boards: cell j of
sector s touches the cells j and j + 1 of its sector in the next ring, and the first cell of a
sector also the last one of the sector before. So the bent board of size 4 is a ring of nine cells
around a triangle of six, whose corners have five neighbours:

    >>> board = bent_triangle(4)
    >>> board.sorted_names(board.neighbours[board.index["B1"]])
    ['A1', 'A2', 'A9', 'B2', 'B6']

Rings in the plane change from the lattice's rim to the outline of the board. A text picture has
their cells at the nearest columns and lines.
"""

import cmath
import math
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from pbmserv.engine.board import Board, Cell, Label, Place, Point, polygon_turns
from pbmserv.engine.lattices import LATTICE_STEPS, LETTERS, ROW_HEIGHT, lattice_places
from pbmserv.engine.polar import RingCell, ring_links

LatticePoint = tuple[int, int]

WIDTH = 68
"""Columns of a text picture without its labels, at most."""
MAX_COLUMNS = 4.0
"""Columns of a text picture from a cell to the next, at most; a line counts as two columns."""
MIN_LINES = 1.1
"""Lines from a cell to the next, at least: fewer would put too many cells into a line."""
OPEN_SIZE, OPEN_SIDES = 7, 9
"""Cells along each side of the open polygon, and its sides."""


class Outline(NamedTuple):
    """The outer ring: its ``sides`` of so many ``steps``, how far its corners lie from the middle.

    ``bulge`` bends the sides: it is the radius of the circle whose arcs they have, less the chords.
    """

    sides: int
    steps: int
    reach: float
    bulge: float = 0.0


@lru_cache(maxsize=32)
def bent_triangle(size: int) -> Board:
    """Return the bent board of Y: ``size`` cells a side, and three cells with five neighbours."""
    steps = size - 1
    inner = (steps + 1) // 2
    core = [(column, row) for row in range(inner + 1) for column in range(inner - row, inner + 1)]
    # RULES: three cells inside it have five neighbours in place of six.
    # A ring lies one unit further out at the corners, a row of the lattice at the middles.
    corner, rings = inner / math.sqrt(3), steps - inner
    bulge = 2 * ROW_HEIGHT * rings - rings
    return _ringed(f"bent triangle {size}", core, inner, Outline(3, steps, corner + rings, bulge))


@lru_cache(maxsize=1)
def open_polygon() -> Board:
    """Return the board of Poly-Y whose middle is open: a hexagon in rings of nine sides.

    Of the hexagon's sides every second one is longer: a ray ends in its middle, where the cell has
    seven neighbours.
    """
    # RULES: it has three cells with seven, D1, D10 and D19.
    core = [
        (column, row)
        for row in range(10)
        for column in range(max(0, 3 - row), min(9, 12 - row) + 1)
    ]
    return _ringed("open polygon", core, 3, Outline(OPEN_SIDES, OPEN_SIZE - 1, 8.1))


def _ringed(title: str, core: Sequence[LatticePoint], inner: int, outline: Outline) -> Board:
    """Return a board around ``core``, whose rim has ``inner`` steps along each of the sides."""
    sides, steps = outline.sides, outline.steps
    layers = list(_peel(core))
    outer = [
        RingCell(sector, ring, position)
        for ring in range(steps, inner, -1)
        for sector in range(sides)
        for position in range(ring)
    ]
    rim = [RingCell(sector, inner, at) for sector in range(sides) for at in range(inner)]
    links = ring_links(sides, {spot: cell for cell, spot in enumerate([*outer, *rim])})
    points = [point for layer in layers for point in layer]
    index = {point: cell for cell, point in enumerate(points, start=len(outer))}
    links += [set() for _ in points[len(rim) :]]
    for (column, row), cell in index.items():
        near = ((column + across, row + down) for across, down in LATTICE_STEPS)
        links[cell] |= {index[point] for point in near if point in index}
    lengths = [*(sides * ring for ring in range(steps, inner, -1)), *map(len, layers)]
    middle = _centred(points)
    places = (*_ring_places(outer, middle[: len(rim)], outline), *middle)
    scale = min(MAX_COLUMNS, WIDTH / (2 * max(place.x for place in places)))
    text_points = _text_points(places, scale, max(scale / 2, MIN_LINES))
    corners = tuple(range(0, sides * steps, steps))
    # RULES: Letters name the rings from the outside, and numbers count clockwise from the top.
    # RULES: Letters name its rings from A, the rim, to H, and numbers count clockwise
    names = [
        f"{letter}{number + 1}"
        for letter, length in zip(LETTERS, lengths, strict=False)
        for number in range(length)
    ]
    firsts = {names.index(f"{letter}1"): letter for letter in LETTERS[1 : len(lengths)]}
    return Board(
        title=title,
        names=tuple(names),
        neighbours=tuple(tuple(sorted(others)) for others in links),
        places=places,
        points=text_points,
        labels=tuple(_labels(places, text_points, corners, scale)),
        corners=corners,
        # The letter O would be taken for a stone.
        digits={cell: letter for cell, letter in firsts.items() if letter != "O"},
        note="letters: the first cell of each ring",
        sectors=sides,
        hull=tuple(range(sides * steps)) if outline.bulge else corners,
        core=len(outer),
        turns=polygon_turns(3),
    )


def _peel(core: Iterable[LatticePoint]) -> Iterator[list[LatticePoint]]:
    """Yield the rings of a piece of lattice from its rim inwards, each clockwise from the top."""
    left = set(core)
    places = dict(zip(sorted(left), _centred(sorted(left)), strict=True))

    def turn(point: LatticePoint) -> float:
        return round(math.atan2(places[point].x, -places[point].y) % math.tau, 6)

    while left:
        ring = [
            (column, row)
            for column, row in left
            if any((column + across, row + down) not in left for across, down in LATTICE_STEPS)
        ]
        yield sorted(ring, key=turn)
        left -= set(ring)


def _centred(points: Sequence[LatticePoint]) -> list[Place]:
    """Return the places of lattice points about their middle."""
    places = lattice_places(points)
    x, y = (sum(values) / len(places) for values in zip(*places, strict=True))
    return [Place(place.x - x, place.y - y) for place in places]


def _ring_places(
    outer: Iterable[RingCell], rim: Sequence[Place], outline: Outline
) -> Iterator[Place]:
    """Yield the places of rings, which change from the lattice's ``rim`` to the outline."""
    sides, steps, reach, bulge = outline
    inner = len(rim) // sides
    rays = [cmath.rect(1, (turn / sides - 0.25) * math.tau) for turn in range(sides + 1)]
    corners = [complex(*rim[number % sides * inner]) for number in range(sides + 1)]
    for sector, ring, position in outer:
        far, on = (ring - inner) / (steps - inner), position / ring
        here, after = (
            corners[number] * (1 - far) + rays[number] * reach * far
            for number in (sector, sector + 1)
        )
        arc = rays[sector] * cmath.rect(1, on / sides * math.tau)
        chord = rays[sector] * (1 - on) + rays[sector + 1] * on
        at = here * (1 - on) + after * on + (arc - chord) * far * bulge
        yield Place(at.real, at.imag)


def _text_points(places: Sequence[Place], scale: float, lines_a_unit: float) -> tuple[Point, ...]:
    """Return near points, two columns or more apart in a line; left and right mirror each other."""
    lines: dict[int, list[tuple[float, Cell]]] = {}
    for cell, place in enumerate(places):
        line = math.floor(place.y * lines_a_unit + 0.5 + 1e-9)
        lines.setdefault(line, []).append((round(place.x * scale, 6), cell))
    found: dict[Cell, Point] = {}
    for line, row in lines.items():
        middle = [cell for x, cell in row if x == 0]
        found |= {cell: Point(0, line) for cell in middle}
        right = sorted((x, cell) for x, cell in row if x > 0)
        left = sorted((-x, cell) for x, cell in row if x < 0)
        column = 0 if middle else -1
        for (x, cell), (_, mirrored) in zip(right, left, strict=True):
            column = max(round(x), column + 2)
            found |= {cell: Point(column, line), mirrored: Point(-column, line)}
    return tuple(found[cell] for cell in range(len(places)))


def _labels(
    places: Sequence[Place], points: Sequence[Point], corners: Sequence[Cell], scale: float
) -> Iterator[Label]:
    """Yield the names of the corners and the numbers of cells between them, outside the rim."""
    taken: set[tuple[int, int]] = {*points}
    steps, apart = corners[1], math.ceil(MAX_COLUMNS / scale)
    rim = places[: len(corners) * steps]
    for cell, (place, before) in enumerate(zip(rim, (rim[-1], *rim), strict=False)):
        if cell % steps % apart:
            continue
        after = rim[(cell + 1) % len(rim)]
        far = math.dist(before, after)
        way = Place((after.y - before.y) / far, (before.x - after.x) / far)
        text = f"A{cell + 1}" if cell in corners else str(cell + 1)
        column, line = points[cell]
        room = 3 if cell in corners else 1  # whose a corner is can be written beside its name
        for out in range(4, 20):
            last = round(column + out * way.x / 2 + (1 + way.x) * (len(text) - 1) / 2)
            height = round(line + out * way.y / 4)
            span = {(at, height) for at in range(last - len(text) - room + 1, last + room + 1)}
            if span.isdisjoint(taken):
                break
        taken |= span
        yield Label(text, Place(place.x + way.x, place.y + way.y), Point(last, height))
