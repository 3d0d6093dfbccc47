"""Pictures made of characters, for mail and terminals."""

from __future__ import annotations

from enum import Enum
from functools import cache, lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Literal, NamedTuple

from pbmserv.club.written_text import WIDTH
from pbmserv.engine.position import Side
from pbmserv.engine.score import NOTHING_OWNED
from pbmserv.render.picture import Picture, blank_cells

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pbmserv.engine.board import Board, Label, Point
    from pbmserv.engine.score import External, Ownership
    from pbmserv.render.picture import CellView

Style = Literal["ascii", "unicode"]


class Role(Enum):
    """The role of a character of a text picture."""

    BLANK = "blank"
    LABEL = "label"
    EMPTY = "empty"
    CORNER = "corner"
    EDGE = "side of the board that is everybody's"
    EDGE_X = "side of the board that X joins, or a cord of X"
    EDGE_O = "side of the board that O joins, or a cord of O"
    X = "stone of X"
    O = "stone of O"
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


def text_picture(picture: Picture, style: Style = "ascii") -> str:
    """Return the picture as lines of text without trailing blanks or a final line end."""
    lines = ["".join([run.text for run in row]).rstrip() for row in drawn(picture, style).rows]
    legend = legend_lines(picture, style)
    return "\n".join([*lines, "", *legend] if legend else lines)


def text_lines(picture: Picture, style: Style = "ascii") -> list[list[Run]]:
    """Return the lines of the picture with its legend, each as runs of characters with one role.

    A last turn is in brackets, in place of blanks; a bar serves two neighbours.
    """
    rows = drawn(picture, style).rows
    for row in rows:
        while row and row[-1] is _BLANK:
            row.pop()
    legend = [[Run(line, Role.LEGEND)] for line in legend_lines(picture, style)]
    joined = [list(_join_runs(row)) for row in rows]
    return [*joined, [], *legend] if legend else joined


class TextDrawing(NamedTuple):
    """A board of runs of one character, with column and line of each cell, from 0."""

    rows: list[list[Run]]
    places: list[tuple[int, int]]


def drawn(picture: Picture, style: Style = "ascii", scale: int = 1) -> TextDrawing:
    """Return the board in characters, so many times as far apart as usual."""
    board, owned, glyphs = picture.game.board, picture.owned, GLYPHS[style]
    is_bare, how = owned == NOTHING_OWNED, (style, scale)
    ground = _bare_ground(board, how) if is_bare else _ground(board, picture.labels, owned, how)
    rows, places = [list(row) for row in ground.rows], ground.places
    has_brackets = is_bare or not any(spot.is_dead or spot.corner_count for spot in picture.spots)
    for spot, bare, (column, line) in zip(picture.spots, blank_cells(board), places, strict=True):
        if spot is bare:
            continue
        if spot.is_last and has_brackets:
            _bracket(rows[line], column)
        rows[line][column] = _cell_run(glyphs, spot)
        if spot.is_dead and spot.owner is not None:
            rows[line][column + 1] = _OWNED[spot.owner]
        elif spot.corner_count and spot.stone is not None:
            _write_count(rows[line], column, spot.corner_count, _OWNED[spot.stone].role)
    return TextDrawing(rows, places)


@lru_cache(maxsize=32)
def _bare_ground(board: Board, how: tuple[Style, int]) -> TextDrawing:
    """Return a board of which nobody owns anything: this is what most pictures begin with."""
    return _ground(board, board.labels, NOTHING_OWNED, how)


def _ground(
    board: Board, labels: Sequence[Label], owned: Ownership, how: tuple[Style, int]
) -> TextDrawing:
    """Return the board without stones, and what stands around it."""
    style, scale = how
    if scale > 1:
        labels = [label for label in labels if label.text != "\\"]
    grid, glyphs = Grid(board, labels, owned, scale), GLYPHS[style]
    rows = [[_BLANK] * grid.width for _ in range(grid.height)]
    _write_beside(rows, grid, labels, owned)
    places = grid.locate(board.points)
    for spot, (column, line) in zip(blank_cells(board), places, strict=True):
        bare = _free(spot.digit or glyphs.empty, Role.EMPTY)
        rows[line][column] = _free(glyphs.corner, Role.CORNER) if spot.is_corner else bare
    return TextDrawing(rows, places)


class Grid:
    """Where the characters of a text picture lie, with room for marks beside the cells."""

    def __init__(
        self, board: Board, labels: Sequence[Label], owned: Ownership, scale: int = 1
    ) -> None:
        self._scale, self._board, self._has_rim = scale, board, bool(owned.externals)
        # The letter of a sector is at its corner; on a ringed board the name is.
        names = ((board.names[cell], side) for cell, side in owned.corners.items())
        owners = {one: side for name, side in names for one in (name, name[0])}
        self.owned_labels = [
            (label, owners[label.text]) for label in labels if label.text in owners
        ]
        points = self._beside(labels)
        spans = [
            (column - len(label.text) + 1, column, line)
            for label, (column, line) in zip(labels, points, strict=True)
        ]
        for label, _ in self.owned_labels:
            [(column, line)] = self._beside([label])
            spans.append((column - len(label.text) - 1, column + 2, line))
        cells = list(board.points)
        cells += [external.point for external in owned.externals]
        columns, lines = zip(*self._scaled(cells), strict=True)
        spans += [(min(columns) - 1, max(columns) + 1, line) for line in (min(lines), max(lines))]
        firsts, lasts, lines = zip(*spans, strict=True)
        self._left, self._top = min(firsts), min(lines)
        self.width, self.height = max(lasts) - self._left + 1, max(lines) - self._top + 1

    def locate(self, points: Iterable[Point]) -> list[tuple[int, int]]:
        """Return the columns and lines, from 0, of the points of cells."""
        left, top = self._left, self._top
        return [(column - left, line - top) for column, line in self._scaled(points)]

    def locate_labels(self, labels: Sequence[Label]) -> list[tuple[int, int]]:
        """Return the columns and lines, from 0, of the last characters of labels."""
        left, top = self._left, self._top
        return [(column - left, line - top) for column, line in self._beside(labels)]

    def _beside(self, labels: Sequence[Label]) -> Iterable[tuple[int, int]]:
        """Return where labels stand: on a large lattice close to the cells that they name."""
        scale = self._scale
        points = [label.point for label in labels]
        if scale == 1:
            return points
        if self._board.sectors:
            return self._scaled(points)
        cells = frozenset(self._board.points)
        lowest = max(line for _, line in cells)
        found = []
        for label in labels:
            column, line = label.point
            is_row = label.text.endswith("-")
            across, down = (1, 0) if is_row else (-1, -1)
            while (column, line) not in cells:
                column, line = column + across, line + down
            # Between two lines of cells nothing is taken for a stone.
            away = scale + 1 if self._has_rim else 2 if is_row or line == lowest else 1
            x, y = (-2 * away, 0) if is_row else (away, away)
            found.append((column * scale + x, line * scale + y))
        return found

    def _scaled(self, points: Iterable[Point]) -> Iterable[tuple[int, int]]:
        if self._scale == 1:
            return points
        return [(column * self._scale, line * self._scale) for column, line in points]


def _write_beside(
    rows: list[list[Run]], grid: Grid, labels: Sequence[Label], owned: Ownership
) -> None:
    """Write the labels, of which the last characters stand at their points, and the externals."""
    for label, (column, line) in zip(labels, grid.locate_labels(labels), strict=True):
        runs = [Run(text, Role.LABEL) for text in label.text]
        rows[line][column - len(runs) + 1 : column + 1] = runs
    for label, owner in grid.owned_labels:
        _write_owner(rows, grid, label, owner)
    for external in owned.externals:
        [(column, line)] = grid.locate([external.point])
        rows[line][column] = _external(external)


def _write_owner(rows: list[list[Run]], grid: Grid, label: Label, owner: Side) -> None:
    """Write whose a corner is at its letter, away from the board: ``A=x``."""
    [(last, line)] = grid.locate_labels([label])
    first = last - len(label.text) - 1 if label.point.column < 0 else last - len(label.text) + 1
    runs = [*(Run(text, Role.LABEL) for text in f"{label.text}="), _OWNED[owner]]
    rows[line][first : first + len(runs)] = runs


def _write_count(row: list[Run], column: int, count: int, role: Role) -> None:
    """Write a number behind a stone, the first of two digits before it."""
    if count > 9:
        row[column - 1] = Run(str(count // 10), role)
    row[column + 1] = Run(str(count % 10), role)


def _external(external: External) -> Run:
    if len(external.sides) == 2:
        return _BOTH
    return _OWNED[next(iter(external.sides))] if external.sides else _NEITHER


def _cell_run(glyphs: Glyphs, spot: CellView) -> Run:
    if spot.stone is not None:
        return _stone(glyphs, spot.stone, is_last=spot.is_last, is_corner=spot.is_corner)
    if spot.owner is not None:
        return _OWNED[spot.owner]
    if spot.is_corner:
        return _free(glyphs.corner, Role.CORNER)
    return _free(spot.digit or glyphs.empty, Role.EMPTY)


@cache
def _free(text: str, role: Role) -> Run:
    return Run(text, role)


@cache
def _stone(glyphs: Glyphs, side: Side, *, is_last: bool, is_corner: bool) -> Run:
    if side is Side.X:
        return Run(glyphs.x, Role.LAST_X if is_last else Role.X, is_corner)
    return Run(glyphs.o, Role.LAST_O if is_last else Role.O, is_corner)


def _bracket(row: list[Run], column: int) -> None:
    shared = row[column - 1].role is Role.BRACKET
    row[column - 1] = Run("|" if shared else "[", Role.BRACKET)
    row[column + 1] = Run("]", Role.BRACKET)


def _join_runs(characters: Iterable[Run]) -> Iterator[Run]:
    for (role, on_corner), runs in groupby(characters, key=lambda run: (run.role, run.on_corner)):
        yield Run("".join(run.text for run in runs), role, on_corner)


def legend_lines(picture: Picture, style: Style = "ascii") -> list[str]:
    """Return the lines that explain the marks of the picture, broken between explanations."""
    board = picture.game.board
    free = [spot for spot in picture.spots if spot.stone is spot.owner is None]
    words = []
    if any(spot.is_corner for spot in free):
        words.append(f"{GLYPHS[style].corner} empty corner")
    if board.digits and any(spot.digit.isdigit() for spot in free):
        words.append("a digit marks an empty cell of that ring")
    if board.note:
        words.append(board.note)
    if picture.owned != NOTHING_OWNED:
        words += _ownership_words(picture, GLYPHS[style])
    lines: list[str] = []
    for part in words:
        if lines and len(lines[-1]) + len(part) + 2 <= WIDTH:
            lines[-1] += f"; {part}"
        else:
            lines.append(part)
    return lines


def _ownership_words(picture: Picture, glyphs: Glyphs) -> Iterator[str]:
    spots = picture.spots
    if any(spot.stone is None and spot.owner for spot in spots):
        yield "x, o: cells owned by X and O"
    if any(spot.is_dead for spot in spots):
        yield f"{glyphs.o}x, {glyphs.x}o: a dead stone and its owner"
    if any(spot.corner_owner for spot in spots):
        yield "=x, =o: a corner owned by X, by O"
    most = max(spot.corner_count for spot in spots)
    if most:
        yield "a digit after a stone: how many corners its group has"
    if most > 9:
        yield f"1{glyphs.x}0: ten of them"
    if picture.owned.externals:
        yield "around the board: x, o, &, ' = externals touched by X, O, both, nobody"
