"""The board in characters on a whole screen: sides in their players' colours, chains joined."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from pbmserv.engine.game import Edge
from pbmserv.engine.position import Side
from pbmserv.render.picture import Picture
from pbmserv.render.text import Role, Run, Style, TextDrawing, drawn

Place = tuple[int, int]
Stroke = tuple[int, int, str]
"""A character and where it stands: its column, its line."""


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


def draw_large(picture: Picture, style: Style, scale: int) -> TextDrawing:
    """Return the board with its sides, and with cords between neighbours where there is room."""
    rows, places = drawn(picture, style, scale)
    board, strokes = picture.board, STROKES[style]
    edges = () if board.sectors else picture.game.edges()
    if any(_is_top(edge, places) for edge in edges):
        rows = [[Run(" ", Role.BLANK)] * len(rows[0]), *rows]
        places = [(column, line + 1) for column, line in places]
    for edge in edges:
        _draw(rows, _side(edge, places, strokes, scale), OF_SIDE[edge.side])
    for one, other in board.links if scale > 1 else ():
        side = picture.spots[one].stone
        if side is not None and side is picture.spots[other].stone:
            _draw(rows, _cord(places[one], places[other], strokes), OF_SIDE[side])
    return TextDrawing(rows, places)


def _draw(rows: list[list[Run]], strokes: Iterable[Stroke], role: Role) -> None:
    """Put strokes where nothing stands."""
    for column, line, text in strokes:
        if rows[line][column].role is Role.BLANK:
            rows[line][column] = Run(text, role)


def _is_top(edge: Edge, places: Sequence[Place]) -> bool:
    """Tell whether a side is the first line of the board."""
    first = min(line for _, line in places)
    return all(places[cell][1] == first for cell in edge.cells)


def _side(edge: Edge, places: Sequence[Place], strokes: Strokes, scale: int) -> Iterator[Stroke]:
    """Yield the characters along a side of a board, one place further out than a bracket."""
    along = [places[cell] for cell in edge.cells]
    (first, line), (last, lowest) = along[0], along[-1]
    if line != lowest:
        yield from _slanting_side(along, places, strokes, scale)
        return
    is_top = _is_top(edge, places)
    for column in range(first - 2, last + 3):
        yield column, line + (-1 if is_top else 1), strokes.top if is_top else strokes.bottom


def _slanting_side(
    along: Sequence[Place], places: Sequence[Place], strokes: Strokes, scale: int
) -> Iterator[Stroke]:
    """Yield the characters along a side on the left or on the right, joined from line to line."""
    is_left = along == [min(place for place in places if place[1] == line) for _, line in along]
    away, text = (-min(scale, 2) - 1, strokes.left) if is_left else (2, strokes.right)
    beside = [(column + away, line) for column, line in along]
    for column, line in beside:
        yield column, line, text
    for one, other in pairwise(beside):
        yield from _cord(one, other, strokes)


def _cord(one: Place, other: Place, strokes: Strokes) -> Iterator[Stroke]:
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
