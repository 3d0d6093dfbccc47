"""Pictures made of characters, for mail and terminals."""

from __future__ import annotations

from enum import Enum
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, Literal, NamedTuple

from pbmserv.engine.position import Side

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pbmserv.engine.board import Place
    from pbmserv.render.picture import Picture

Style = Literal["ascii", "unicode"]
STYLES: tuple[Style, ...] = ("ascii", "unicode")

MARGIN = 5
"""Columns to the left of x = 0 at least; lattices, which begin there, have exactly so many."""


class Role(Enum):
    """What a character of a text picture stands for."""

    BLANK = "blank"
    LABEL = "label"
    EMPTY = "empty"
    CORNER = "corner"
    X = "stone of X"
    O = "stone of O"  # noqa: E741 - the side's name
    LAST_X = "stone of X placed in the last turn"
    LAST_O = "stone of O placed in the last turn"
    BRACKET = "bracket"
    OWNER_X = "corner of X"
    OWNER_O = "corner of O"
    LEGEND = "legend"


class Run(NamedTuple):
    """Successive characters of a line with the same role; ``on_corner`` are stones on corners."""

    text: str
    role: Role
    on_corner: bool = False


class Glyphs(NamedTuple):
    """The characters of a style; all are one column wide."""

    empty: str
    corner: str
    x: str
    o: str


GLYPHS: dict[Style, Glyphs] = {
    "ascii": Glyphs(".", "+", "X", "O"),
    "unicode": Glyphs("·", "+", "●", "○"),
}

_BLANK = Run(" ", Role.BLANK)
_OWNERS = {Side.X: Run("x", Role.OWNER_X), Side.O: Run("o", Role.OWNER_O)}


def text_picture(picture: Picture, style: Style = "ascii") -> str:
    """Return the picture as lines of text without trailing blanks or a final line end."""
    return "\n".join("".join([run.text for run in row]) for row in _rows(picture, style))


def text_lines(picture: Picture, style: Style = "ascii") -> list[list[Run]]:
    """Return the lines of the picture, each as runs of characters with one role.

    A last turn stands in brackets, which take the place of the blanks around it; between two
    such neighbours a bar serves both. A legend explains the marks that occur.
    """
    return [list(_joined(row)) for row in _rows(picture, style)]


def _rows(picture: Picture, style: Style) -> list[list[Run]]:
    """Return the lines, each as runs of one character; the legend is one run."""
    glyphs = GLYPHS[style]
    points = Points(picture)
    rows = [[_BLANK] * points.width for _ in range(points.height)]
    for label in picture.labels:
        column, line = points.of(label.place)
        first = column - len(label.text) + 1
        rows[line][first : column + 1] = [Run(text, Role.LABEL) for text in label.text]
    for spot in picture.spots:
        if spot.is_last:
            column, line = points.of(spot.place)
            _bracket(rows[line], column)
    for spot in picture.spots:
        column, line = points.of(spot.place)
        rows[line][column] = _stone(glyphs, spot.stone, spot.is_last, spot.is_corner)
        if spot.owner is not None:
            rows[line][column - (2 if spot.is_last else 1)] = _OWNERS[spot.owner]
    for row in rows:
        while row and row[-1] is _BLANK:
            row.pop()
    legend = _legend(picture, glyphs)
    return [*rows, [], [Run(legend, Role.LEGEND)]] if legend else rows


class Points:
    """The column and line, from 0, at which each place of a picture is written.

    ``width`` and ``height`` are how many there are; what marks a cell has room beside it.
    """

    def __init__(self, picture: Picture) -> None:
        width, height = picture.character
        rooms = [(label.place, len(label.text) - 1) for label in picture.labels]
        rooms += [(spot.place, 1) for spot in picture.spots]
        points = [
            (place, round(place.x / width), round(place.y / height), room) for place, room in rooms
        ]
        left = min(-MARGIN, *(column - room for _, column, _, room in points))
        top = min(line for _, _, line, _ in points)
        self._points = {place: (column - left, line - top) for place, column, line, _ in points}
        self.width = max(column for column, _ in self._points.values()) + 2
        self.height = max(line for _, line in self._points.values()) + 1

    def of(self, place: Place) -> tuple[int, int]:
        """Return the column and line of a place of a cell or a label."""
        return self._points[place]


@cache
def _stone(glyphs: Glyphs, stone: Side | None, is_last: bool, is_corner: bool) -> Run:  # noqa: FBT001
    if stone is Side.X:
        return Run(glyphs.x, Role.LAST_X if is_last else Role.X, is_corner)
    if stone is Side.O:
        return Run(glyphs.o, Role.LAST_O if is_last else Role.O, is_corner)
    if is_corner:
        return Run(glyphs.corner, Role.CORNER)
    return Run(glyphs.empty, Role.EMPTY)


def _bracket(row: list[Run], column: int) -> None:
    shared = row[column - 1].role is Role.BRACKET
    row[column - 1] = Run("|" if shared else "[", Role.BRACKET)
    row[column + 1] = Run("]", Role.BRACKET)


def _joined(characters: Iterable[Run]) -> Iterator[Run]:
    for (role, on_corner), runs in groupby(characters, key=lambda run: (run.role, run.on_corner)):
        yield Run("".join(run.text for run in runs), role, on_corner)


def _legend(picture: Picture, glyphs: Glyphs) -> str:
    parts = []
    if any(spot.is_corner and spot.stone is None for spot in picture.spots):
        parts.append(f"{glyphs.corner} empty corner")
    if any(spot.owner is not None for spot in picture.spots):
        parts.append("x, o before a corner: its owner")
    return "; ".join(parts)
