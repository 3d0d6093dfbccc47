"""Pictures made of characters, for mail and terminals."""

from __future__ import annotations

from enum import Enum
from functools import cache, lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Literal, NamedTuple

from pbmserv.engine.ownership import NOTHING_OWNED
from pbmserv.engine.position import Side
from pbmserv.render.picture import Picture, bare_spots

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pbmserv.engine.board import Board, Label, Point
    from pbmserv.engine.ownership import External
    from pbmserv.render.picture import Spot

Style = Literal["ascii", "unicode"]
STYLES: tuple[Style, ...] = ("ascii", "unicode")

WIDTH = 78
"""Columns that every picture fits; only its legend is broken for it, boards are made to fit."""


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
    OWNED_X = "what X owns"
    OWNED_O = "what O owns"
    BOTH = "what both sides touch"
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
_OWNED = {Side.X: Run("x", Role.OWNED_X), Side.O: Run("o", Role.OWNED_O)}
_BOTH = Run("&", Role.BOTH)
_NEITHER = Run("'", Role.EMPTY)
_OPENING, _BETWEEN, _CLOSING = (Run(character, Role.BRACKET) for character in "[|]")


def text_picture(picture: Picture, style: Style = "ascii") -> str:
    """Return the picture as lines of text without trailing blanks or a final line end."""
    ground = _ground_of(picture, style)
    is_bare = picture.owned == NOTHING_OWNED
    text = _bare_text(picture.board, style) if is_bare else _text_of(ground)
    characters, width = list(text), len(ground.rows[0]) + 1
    for column, line, run in _standing(picture, style, ground):
        characters[line * width + column] = run.text
    rows = [row.rstrip() for row in "".join(characters).split("\n")]
    legend = legend_lines(picture, style)
    return "\n".join([*rows, "", *legend] if legend else rows)


def text_lines(picture: Picture, style: Style = "ascii") -> list[list[Run]]:
    """Return the lines of the picture, each as runs of characters with one role.

    A last turn stands in brackets, which take the place of the blanks around it; between two
    such neighbours a bar serves both. Where marks stand behind stones there are no brackets. A
    legend explains the marks that occur.
    """
    rows = drawn(picture, style).rows
    for row in rows:
        while row and row[-1] is _BLANK:
            row.pop()
    legend = [[Run(line, Role.LEGEND)] for line in legend_lines(picture, style)]
    joined = [list(_joined(row)) for row in rows]
    return [*joined, [], *legend] if legend else joined


class Drawn(NamedTuple):
    """The board of a picture without its legend: runs of one character, and where each cell is.

    ``places`` are columns and lines from 0, in the order of the spots.
    """

    rows: list[list[Run]]
    places: list[tuple[int, int]]


def drawn(picture: Picture, style: Style = "ascii", scale: int = 1) -> Drawn:
    """Return the board in characters, so many times as far apart as usual."""
    ground = _ground_of(picture, style, scale)
    rows = [list(row) for row in ground.rows]
    for column, line, run in _standing(picture, style, ground):
        rows[line][column] = run
    return Drawn(rows, ground.places)


def _ground_of(picture: Picture, style: Style, scale: int = 1) -> Drawn:
    """Return the board without stones, and what stands around it."""
    if picture.owned == NOTHING_OWNED:
        return _bare_ground(picture.board, style, scale)
    return _ground(picture, style, scale)


@lru_cache(maxsize=32)
def _bare_ground(board: Board, style: Style, scale: int) -> Drawn:
    """Return a board of which nobody owns anything: this is what most pictures begin with."""
    return _ground(Picture("", board, bare_spots(board), board.labels), style, scale)


@lru_cache(maxsize=32)
def _bare_text(board: Board, style: Style) -> str:
    """Return the same as text."""
    return _text_of(_bare_ground(board, style, 1))


def _text_of(ground: Drawn) -> str:
    """Return the rows as lines of the same length."""
    return "\n".join(["".join([run.text for run in row]) for row in ground.rows])


def _ground(picture: Picture, style: Style, scale: int) -> Drawn:
    grid, glyphs = Grid(picture, scale), GLYPHS[style]
    rows = [[_BLANK] * grid.width for _ in range(grid.height)]
    _write_beside(rows, grid, picture)
    places = grid.locate(picture.board.points)
    for spot, (column, line) in zip(bare_spots(picture.board), places, strict=True):
        bare = _free(spot.digit or glyphs.empty, Role.EMPTY)
        rows[line][column] = _free(glyphs.corner, Role.CORNER) if spot.is_corner else bare
    return Drawn(rows, places)


def _standing(picture: Picture, style: Style, ground: Drawn) -> list[tuple[int, int, Run]]:
    """Return what the picture has in place of its ground: column, line and character."""
    spots, bare_ones, glyphs = picture.spots, bare_spots(picture.board), GLYPHS[style]
    has_marks = picture.owned != NOTHING_OWNED and any(s.is_dead or s.corner_count for s in spots)
    found: list[tuple[int, int, Run]] = []
    bracketed = set()
    for spot, bare, place in zip(spots, bare_ones, ground.places, strict=True):
        if spot is bare:
            continue
        column, line = place
        if spot.is_last and not has_marks:
            opening = _BETWEEN if (column - 2, line) in bracketed else _OPENING
            found += [(column - 1, line, opening), (column + 1, line, _CLOSING)]
            bracketed.add(place)
        found.append((column, line, _cell_run(glyphs, spot)))
        if spot.is_dead and spot.owner is not None:
            found.append((column + 1, line, _OWNED[spot.owner]))
        elif spot.corner_count and spot.stone is not None:
            role = _OWNED[spot.stone].role
            if spot.corner_count > 9:  # of two digits the first stands before the stone
                found.append((column - 1, line, Run(str(spot.corner_count // 10), role)))
            found.append((column + 1, line, Run(str(spot.corner_count % 10), role)))
    return found


class Grid:
    """The characters of a text picture: how many columns and lines, and where a point lies.

    What marks a cell has room beside it; what is empty around the whole is cut off.
    """

    def __init__(self, picture: Picture, scale: int = 1) -> None:
        self._scale = scale
        board = picture.board
        owners = {board.names[cell][0]: side for cell, side in picture.owned.corners.items()}
        self.owned_labels = [
            (label, owners[label.text]) for label in picture.labels if label.text in owners
        ]
        labels = self._scaled([label.point for label in picture.labels])
        spans = [
            (column - len(label.text) + 1, column, line)
            for label, (column, line) in zip(picture.labels, labels, strict=True)
        ]
        for column, line in self._scaled([label.point for label, _ in self.owned_labels]):
            spans.append((column - 2, column, line) if column < 0 else (column, column + 2, line))
        cells = list(board.points)
        cells += [external.point for external in picture.owned.externals]
        columns, lines = zip(*self._scaled(cells), strict=True)
        spans += [(min(columns) - 1, max(columns) + 1, line) for line in (min(lines), max(lines))]
        firsts, lasts, lines = zip(*spans, strict=True)
        self._left, self._top = min(firsts), min(lines)
        self.width, self.height = max(lasts) - self._left + 1, max(lines) - self._top + 1

    def locate(self, points: Iterable[Point]) -> list[tuple[int, int]]:
        """Return the columns and lines, from 0, of the points of cells or labels."""
        left, top = self._left, self._top
        return [(column - left, line - top) for column, line in self._scaled(points)]

    def _scaled(self, points: Iterable[Point]) -> Iterable[tuple[int, int]]:
        if self._scale == 1:
            return points
        return [(column * self._scale, line * self._scale) for column, line in points]


def _write_beside(rows: list[list[Run]], grid: Grid, picture: Picture) -> None:
    """Write the labels, of which the last characters stand at their points, and the externals."""
    places = grid.locate([label.point for label in picture.labels])
    for label, (column, line) in zip(picture.labels, places, strict=True):
        runs = [Run(text, Role.LABEL) for text in label.text]
        rows[line][column - len(runs) + 1 : column + 1] = runs
    for label, owner in grid.owned_labels:
        _write_owner(rows, grid, label, owner)
    for external in picture.owned.externals:
        [(column, line)] = grid.locate([external.point])
        rows[line][column] = _external(external)


def _write_owner(rows: list[list[Run]], grid: Grid, label: Label, owner: Side) -> None:
    """Write whose a corner is at its letter, away from the board: ``A=x``."""
    [(column, line)] = grid.locate([label.point])
    first = column - 2 if label.point.column < 0 else column
    letter, equals = Run(label.text, Role.LABEL), Run("=", Role.LABEL)
    rows[line][first : first + 3] = [letter, equals, _OWNED[owner]]


def _external(external: External) -> Run:
    if len(external.sides) == 2:
        return _BOTH
    return _OWNED[next(iter(external.sides))] if external.sides else _NEITHER


def _cell_run(glyphs: Glyphs, spot: Spot) -> Run:
    """Return the character that stands on a cell."""
    if spot.stone is not None:
        return _stone(glyphs, spot.stone, spot.is_last, spot.is_corner)
    if spot.owner is not None:
        return _OWNED[spot.owner]
    if spot.is_corner:
        return _free(glyphs.corner, Role.CORNER)
    return _free(spot.digit or glyphs.empty, Role.EMPTY)


@cache
def _free(text: str, role: Role) -> Run:
    return Run(text, role)


@cache
def _stone(glyphs: Glyphs, side: Side, is_last: bool, is_corner: bool) -> Run:  # noqa: FBT001
    if side is Side.X:
        return Run(glyphs.x, Role.LAST_X if is_last else Role.X, is_corner)
    return Run(glyphs.o, Role.LAST_O if is_last else Role.O, is_corner)


def _joined(characters: Iterable[Run]) -> Iterator[Run]:
    for (role, on_corner), runs in groupby(characters, key=lambda run: (run.role, run.on_corner)):
        yield Run("".join(run.text for run in runs), role, on_corner)


def legend_lines(picture: Picture, style: Style = "ascii") -> list[str]:
    """Return the lines that explain the marks of the picture, broken between explanations."""
    glyphs = GLYPHS[style]
    parts = []
    board, spots = picture.board, picture.spots
    if board.corners and any(s.is_corner and s.stone is s.owner is None for s in spots):
        parts.append(f"{glyphs.corner} empty corner")
    if board.digits and any(s.digit.isdigit() and s.stone is s.owner is None for s in spots):
        parts.append("a digit on the board: an empty cell of that ring")
    if board.note:
        parts.append(board.note)
    if picture.owned != NOTHING_OWNED:
        parts += _ownership_words(picture, glyphs)
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + len(part) + 2 <= WIDTH:
            lines[-1] += f"; {part}"
        else:
            lines.append(part)
    return lines


def _ownership_words(picture: Picture, glyphs: Glyphs) -> Iterator[str]:
    spots = [s for s in picture.spots if s.owner or s.corner_owner or s.corner_count]
    if any(spot.stone is None and spot.owner for spot in spots):
        yield "x, o: owned by X, by O"
    if any(spot.is_dead for spot in spots):
        yield f"{glyphs.o}x, {glyphs.x}o: a dead stone and its owner"
    if any(spot.corner_owner for spot in spots):
        yield "=x, =o: a corner that X, that O owns"
    if any(spot.corner_count for spot in spots):
        yield "a digit after a stone: the corners of its group"
    if any(spot.corner_count > 9 for spot in spots):
        yield f"1{glyphs.x}0: ten of them"
    if picture.owned.externals:
        yield "around the board: x, o, & touched by X, by O, by both, ' by nobody"
