"""Arrow keys on any board: where each leads, so that every cell is reached soon."""

from collections.abc import Iterator, Sequence
from enum import Enum
from functools import lru_cache
from itertools import product
from math import atan2, degrees, hypot

from pbmserv.engine.board import Board, Cell

MAX_ANGLE = 75.0
"""An arrow follows a link that lies at most so many degrees off its way."""


class Arrow(Enum):
    """A key that moves the cursor; the value is its way in columns and lines."""

    LEFT = (-1, 0)
    RIGHT = (1, 0)
    UP = (0, -1)
    DOWN = (0, 1)


Arrows = tuple[dict[Arrow, Cell], ...]
"""For each cell where the arrows lead; one is missing where nothing lies that way."""


@lru_cache(maxsize=8)
def arrows_of(board: Board) -> Arrows:
    """Return where the arrows lead on a board; every neighbour is at most two keys away."""
    found = tuple(
        {arrow: cell for arrow in Arrow if (cell := _straight(board, start, arrow)) is not None}
        for start in range(len(board))
    )
    _repair(board, found)
    return found


def diagonal(board: Board, start: Cell, ways: Sequence[Arrow]) -> Cell | None:
    """Return the neighbour that lies nearest to the diagonal between two arrows, if any."""
    across, down = map(sum, zip(*(way.value for way in ways), strict=True))
    near = [
        (off, cell)
        for cell in board.neighbours[start]
        if (off := _angle(board, start, cell, (2 * across, 2 * down))) <= 45.0
    ]
    return min(near)[1] if near else None


def far_neighbours(board: Board, arrows: Arrows, cell: Cell) -> list[Cell]:
    """Return the neighbours of a cell that two keys do not reach."""
    first = set(arrows[cell].values())
    near = first.union(*(arrows[other].values() for other in first))
    return [other for other in board.neighbours[cell] if other not in near]


def _straight(board: Board, start: Cell, arrow: Arrow) -> Cell | None:
    """Return where an arrow leads: along a link, else to the nearest cell on its side.

    Of two links equally far off, as up and down on a lattice, lines take the right and the left
    in turn, so that up goes straight up.
    """
    links = [
        (round(off, 6), cell)
        for cell in board.neighbours[start]
        if (off := _angle(board, start, cell, arrow.value)) <= MAX_ANGLE
    ]
    if links:
        least = min(links)[0]
        best = [cell for off, cell in links if off == least]
        best.sort(key=lambda cell: board.points[cell].column)
        return best[0] if board.points[start].line % 2 else best[-1]
    others = (
        (hypot(*_vector(board, start, cell)), cell)
        for cell in range(len(board))
        if _angle(board, start, cell, arrow.value) < 90.0 and cell != start
    )
    return min(others, default=(0.0, None))[1]


def _repair(board: Board, arrows: Arrows) -> None:
    """Turn arrows to other neighbours on their side until no neighbour is too far."""
    for cell in [*range(len(board))] * 2:  # what helps a cell may be bad for one before it
        for other in far_neighbours(board, arrows, cell):
            if other in far_neighbours(board, arrows, cell):
                _bring_near(board, arrows, cell, other)


def _bring_near(board: Board, arrows: Arrows, start: Cell, goal: Cell) -> None:
    """Change one arrow so that two keys lead from ``start`` to ``goal``, and nothing gets lost."""
    for step, arrow, target in _changes(board, arrows, start, goal):
        before = arrows[step].get(arrow)
        touched = {step, *board.neighbours[step]}
        touched |= {cell for near in tuple(touched) for cell in board.neighbours[near]}
        count = sum(len(far_neighbours(board, arrows, cell)) for cell in touched)
        arrows[step][arrow] = target
        if sum(len(far_neighbours(board, arrows, cell)) for cell in touched) < count:
            return
        if before is None:
            del arrows[step][arrow]
        else:
            arrows[step][arrow] = before


def _changes(
    board: Board, arrows: Arrows, start: Cell, goal: Cell
) -> Iterator[tuple[Cell, Arrow, Cell]]:
    """Yield arrows that might lead elsewhere: at the start, and one key from it."""
    steps = (start, *dict.fromkeys(arrows[start].values()))
    targets = (goal, *board.neighbours[start])
    for step, target, arrow in product(steps, targets, Arrow):
        is_link = target in board.neighbours[step]
        if is_link and _angle(board, step, target, arrow.value) < 90.0:
            yield step, arrow, target


def _angle(board: Board, start: Cell, cell: Cell, way: tuple[int, int]) -> float:
    """Return by how many degrees a cell lies off a way, lines counted double."""
    across, down = _vector(board, start, cell)
    turn = degrees(atan2(down, across) - atan2(way[1], way[0])) % 360.0
    return min(turn, 360.0 - turn)


def _vector(board: Board, start: Cell, cell: Cell) -> tuple[int, int]:
    here, there = board.points[start], board.points[cell]
    return there.column - here.column, 2 * (there.line - here.line)
