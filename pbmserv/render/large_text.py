"""The board in characters on a whole screen: sides in their players' colours, chains joined."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from pbmserv.engine.position import Side
from pbmserv.render.text import Drawn, Role, Run, drawn

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pbmserv.engine.board import Cell
    from pbmserv.engine.game import Edge
    from pbmserv.render.picture import Picture
    from pbmserv.render.text import Style

    Place = tuple[int, int]


class Strokes(NamedTuple):
    """The characters of a style that join cells, and those along the sides of a board."""

    level: str
    upright: str
    rising: str
    falling: str
    top: str
    bottom: str
    left: str
    right: str


STROKES: dict[Style, Strokes] = {
    "ascii": Strokes("-", "|", "/", "\\", "=", "=", "|", "|"),
    "unicode": Strokes("─", "│", "\u2571", "\u2572", "▄", "▀", "▌", "▐"),
}

OF_SIDE = {Side.X: Role.EDGE_X, Side.O: Role.EDGE_O, None: Role.EDGE}


def large_drawn(picture: Picture, style: Style, scale: int) -> Drawn:
    """Return the board with its sides, and with cords between neighbours where there is room."""
    rows, places = drawn(picture, style, scale)
    strokes, board = STROKES[style], picture.board
    if not board.sectors:
        edges = picture.game.edges()
        if any(_is_level(edge.cells, places) and _is_first(edge.cells, places) for edge in edges):
            rows = [[Run(" ", Role.BLANK)] * len(rows[0]), *rows]
            places = [(column, line + 1) for column, line in places]
        for edge in edges:
            for column, line, text in _side(edge, places, strokes, scale):
                rows[line][column] = Run(text, OF_SIDE[edge.side])
    if scale > 1:
        for one, other in board.links:
            side = picture.spots[one].stone
            if side is not None and side is picture.spots[other].stone:
                for column, line, text in _cord(places[one], places[other], strokes):
                    if rows[line][column].role is Role.BLANK:
                        rows[line][column] = Run(text, OF_SIDE[side])
    return Drawn(rows, places)


def _is_level(cells: Sequence[Cell], places: Sequence[Place]) -> bool:
    return len({places[cell][1] for cell in cells}) == 1


def _is_first(cells: Sequence[Cell], places: Sequence[Place]) -> bool:
    return places[cells[0]][1] == min(line for _, line in places)


def _side(
    edge: Edge, places: Sequence[Place], strokes: Strokes, scale: int
) -> Iterator[tuple[int, int, str]]:
    """Yield the characters along a side of a board, one place further out than a bracket."""
    along = [places[cell] for cell in edge.cells]
    if _is_level(edge.cells, places):
        line = along[0][1]
        is_top = _is_first(edge.cells, places)
        for column in range(along[0][0] - 2, along[-1][0] + 3):
            yield column, line + (-1 if is_top else 1), strokes.top if is_top else strokes.bottom
        return
    first = {line: min(x for x, y in places if y == line) for _, line in along}
    is_left = all(first[line] == column for column, line in along)
    away, text = (-2, strokes.left) if is_left else (2, strokes.right)
    if is_left and scale > 1:
        away -= 1
    beside = [(column + away, line) for column, line in along]
    for column, line in beside:
        yield column, line, text
    for one, other in pairwise(beside):
        yield from _cord(one, other, strokes)


def _cord(one: Place, other: Place, strokes: Strokes) -> Iterator[tuple[int, int, str]]:
    """Yield the characters that join two places, but for those of stones and their brackets."""
    (column, line), (x, y) = min(one, other, key=_by_line), max(one, other, key=_by_line)
    if line == y:
        for at in range(column + 2, x - 1):
            yield at, line, strokes.level
        return
    across = x - column
    text = strokes.upright if across == 0 else strokes.falling if across > 0 else strokes.rising
    for down in range(1, y - line):
        yield column + round(across * down / (y - line)), line + down, text


def _by_line(place: Place) -> Place:
    return place[1], place[0]
