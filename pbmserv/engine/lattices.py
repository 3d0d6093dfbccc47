"""Builders of lattice boards: one function for each shape, each result cached.

A lattice cell of column c (A = 0) and row r is named by letter and row number. It touches (c±1, r),
(c, r±1), (c+1, r-1) and (c-1, r+1), and lies at (c + r/2, r·√3/2) of the plane. In a text picture
a row is one line and its cells are two columns apart.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from pbmserv.engine.board import (
    Board,
    Label,
    Place,
    Point,
    Turn,
    polygon_turns,
    reflection,
    rotation,
)

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ROW_HEIGHT = math.sqrt(3) / 2
# RULES: F6 touches E6, G6, F5, F7, G5 and E7.
LATTICE_STEPS = ((-1, 0), (1, 0), (0, -1), (0, 1), (1, -1), (-1, 1))
TRIANGLE_TURNS = polygon_turns(3)
WHOLE_ROWS = 24
"""Rows of a rhombus at most of which 78 columns have room for the whole picture."""
LABEL_LINES = 4
"""Lines of the letters below the rows, with a blank one."""
RHOMBUS_TURNS = (rotation(math.pi), reflection(math.pi / 6), reflection(math.pi * 2 / 3))
"""Half a turn, and the reflections that exchange rows with columns."""


@lru_cache(maxsize=32)
def alternating_hexagon(size: int) -> Board:
    """Return the Star board: three sides of ``size`` cells, three of ``size - 1`` between them."""
    rows = []
    for row in range(1, 2 * size - 1):
        first = max(size - row, 0)
        last = 2 * size - 3 if row <= size else 3 * size - 3 - row
        rows.append((row, range(first, last + 1)))
    return lattice_board(f"hexagon {size}", rows)


@lru_cache(maxsize=32)
def notched_hexagon(size: int, notch: int) -> Board:
    """Return the Starweb board: ``size`` cells a side, a rhombus cut out at each corner."""
    # The three coordinates of a cell add up to 0 and lie between -(size - 1) and size - 1. A
    # rhombus is where one of them is above, and another below, what notch leaves.
    # RULES: A board of size n has n cells along each side before the k x k notches are cut.
    reach = size - 1
    kept = reach - notch
    rows = []
    for down in range(-reach, reach + 1):
        columns = [
            across + reach
            for across in range(max(-reach, -reach - down), min(reach, reach - down) + 1)
            if max(across, down, -across - down) <= kept
            or min(across, down, -across - down) >= -kept
        ]
        rows.append((down + size, range(columns[0], columns[-1] + 1)))
    title = f"notched hexagon {size}-{notch}"
    # RULES: Twelve corners point outward: cells with three neighbours.
    # RULES: Six point inward, at the bottom of a notch: cells with five.
    return lattice_board(title, rows, corner_links=(3, 5), turns=polygon_turns(6))


@lru_cache(maxsize=32)
def triangle(size: int) -> Board:
    """Return the Y board: a triangle whose row r has r cells."""
    rows = [(row, range(size - row, size)) for row in range(1, size + 1)]
    return lattice_board(f"triangle {size}", rows)


@lru_cache(maxsize=32)
def rhombus(size: int) -> Board:
    """Return the Hex board: ``size`` rows of ``size`` cells.

    A picture of characters of more than :data:`WHOLE_ROWS` has the lower half below the upper one,
    each with its letters.
    """
    rows = [(row, range(size)) for row in range(1, size + 1)]
    board = lattice_board(f"rhombus {size}", rows, turns=RHOMBUS_TURNS)
    if size <= WHOLE_ROWS:
        return board
    # RULES: A picture in text of 25 or 26 rows has the lower half below the upper one
    half = size // 2

    def part_point(point: Point) -> Point:
        return Point(point.column - half, point.line + LABEL_LINES) if point.line > half else point

    lower = [
        label._replace(point=part_point(label.point)) for label in _lattice_labels(rows[half:])
    ]
    labels = (*_lattice_labels(rows[:half]), *lower)
    return replace(board, points=tuple(map(part_point, board.points)), labels=labels)


def lattice_board(
    title: str,
    rows: Sequence[tuple[int, range]],
    *,
    corner_links: tuple[int, ...] = (),
    turns: tuple[Turn, ...] = TRIANGLE_TURNS,
) -> Board:
    """Return the board of these rows: row number from 1 and the columns of its cells from 0.

    Its corners are the cells that have one of ``corner_links`` numbers of neighbours, and
    ``turns`` map it onto itself.
    """
    points = [(column, row) for row, columns in rows for column in columns]
    index = {point: cell for cell, point in enumerate(points)}
    neighbours = tuple(
        tuple(
            sorted(
                index[column + across, row + down]
                for across, down in LATTICE_STEPS
                if (column + across, row + down) in index
            )
        )
        for column, row in points
    )
    return Board(
        title=title,
        # RULES: Rows are numbered from the top
        names=tuple(f"{LETTERS[column]}{row}" for column, row in points),
        neighbours=neighbours,
        places=lattice_places(points),
        points=lattice_text_points(points),
        labels=_lattice_labels(rows),
        corners=tuple(
            cell for cell, others in enumerate(neighbours) if len(others) in corner_links
        ),
        turns=turns,
    )


def lattice_places(points: Iterable[tuple[int, int]]) -> tuple[Place, ...]:
    """Return the places of lattice points, each its column and row."""
    return tuple([Place(column + row / 2, row * ROW_HEIGHT) for column, row in points])


def lattice_text_points(points: Iterable[tuple[int, int]]) -> tuple[Point, ...]:
    """Return the points of a text picture at lattice points."""
    return tuple([Point(2 * column + row, row) for column, row in points])


def lattice_points(names: Iterable[str]) -> list[tuple[int, int]]:
    """Return the column (A = 0) and the row of the names of lattice cells.

    >>> lattice_points(["F6"])
    [(5, 6)]
    """
    return [(LETTERS.index(name[0]), int(name[1:])) for name in names]


def _lattice_labels(rows: Sequence[tuple[int, range]]) -> tuple[Label, ...]:
    """Return row numbers to the left of the rows and letters below the ends of the diagonals."""
    # A letter is moved further down its diagonal if it would look like a cell of a row, or run into
    # the number of one.
    found = {(columns[0] - 2, row): f"{row}-" for row, columns in rows}
    row_ends = {row: columns[-1] for row, columns in rows}
    last_rows = {column: row for row, columns in rows for column in columns}
    for column, last_row in last_rows.items():
        row = last_row + 2
        while column < 2 + max(row_ends.get(row, -2), row_ends.get(row + 1, -2)):
            row += 1
        found |= {(column, row): "\\", (column, row + 1): LETTERS[column]}
    places, text_points = lattice_places(found), lattice_text_points(found)
    return tuple(map(Label, found.values(), places, text_points))


def outer_label(label: Label) -> Label:
    """Return the label moved one cell outwards, for boards with a ring of externals."""
    ways = [(-1, 0) if label.text.endswith("-") else (0, 1)]
    (step,), (way,) = lattice_places(ways), lattice_text_points(ways)
    return Label(
        label.text,
        Place(label.place.x + step.x, label.place.y + step.y),
        Point(label.point.column + way.column, label.point.line + way.line),
    )
