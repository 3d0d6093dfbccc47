"""The board drawn on the screen: what stands where, and which cell lies under the mouse."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, groupby
from operator import itemgetter
from typing import NamedTuple

from pbmserv.board.frame import Line, Span, Tone
from pbmserv.engine.board import Cell, groups
from pbmserv.engine.game import Game
from pbmserv.engine.position import Position, Side
from pbmserv.engine.score import NOTHING_OWNED, Ownership
from pbmserv.render.large_text import draw_large
from pbmserv.render.picture import draw_owned
from pbmserv.render.text import Role, Style, legend_lines

OF_OWN_NAME = ("CORNER", "EDGE_X", "EDGE_O", "X", "O", "LAST_X", "LAST_O", "OWNED_X", "OWNED_O")
TONES = {
    **dict.fromkeys(Role, Tone.PLAIN),
    **dict.fromkeys((Role.LABEL, Role.LEGEND, Role.EDGE), Tone.DIM),
    **dict.fromkeys((Role.BRACKET, Role.BOTH), Tone.STRONG),
    **{Role[name]: Tone[name] for name in OF_OWN_NAME},
}

MAX_SCALE = 3


class BoardStyle(NamedTuple):
    """The style of the drawing: characters, their distance, what is shown, and marks on cells."""

    style: Style = "ascii"
    scale: int = 1
    shows: frozenset[str] = frozenset()
    marks: tuple[tuple[Cell, str], ...] = ()


@dataclass(frozen=True, eq=False)
class DrawnBoard:
    """A drawn position: rows of characters, lines of spans, and column and line of each cell."""

    rows: tuple[tuple[Span, ...], ...]
    lines: tuple[Line, ...]
    places: tuple[tuple[int, int], ...]
    legend: tuple[str, ...]
    scale: int

    @property
    def width(self) -> int:
        """The columns of the drawing."""
        return len(self.rows[0])

    @property
    def height(self) -> int:
        """The lines of the drawing."""
        return len(self.rows)

    def cell_at(self, column: int, line: int) -> Cell | None:
        """Return the cell whose character lies there or beside it, if one does."""
        near = [
            (abs(x - column) + 2 * abs(y - line), cell)
            for cell, (x, y) in enumerate(self.places)
            if abs(x - column) <= self.scale and 2 * abs(y - line) < self.scale + 1
        ]
        return min(near)[1] if near else None

    def line(self, number: int, marks: dict[Cell, str], chained: frozenset[Cell]) -> Line:
        """Return a line with pairs of characters such as ``<>`` around cells and a marked chain."""
        at = self.places
        pairs = [(at[cell][0], pair) for cell, pair in marks.items() if at[cell][1] == number]
        marked = [at[cell][0] for cell in chained if at[cell][1] == number]
        if not pairs and not marked:
            return self.lines[number]
        spans = list(self.rows[number])
        for column in marked:
            spans[column] = spans[column]._replace(marked=True)
        for column, pair in pairs:
            spans[column - 1] = Span(pair[0], Tone.CURSOR)
            spans[column + 1] = Span(pair[1], Tone.CURSOR)
        return join_spans(spans)


def join_spans(row: Iterable[Span]) -> Line:
    """Return single characters as pieces of one tone."""
    return tuple(
        Span("".join([span.text for span in spans]), tone, marked)
        for (tone, marked), spans in groupby(row, key=itemgetter(1, 2))
    )


@lru_cache(maxsize=8)
def draw_board(game: Game, position: Position, look: BoardStyle) -> DrawnBoard:
    """Return a position drawn."""
    owned = owned_by(game, position, look.shows)
    picture = draw_owned(game, position, owned, marks=dict(look.marks))
    rows, places = draw_large(picture, look.style, look.scale)
    lines = [[Span(run.text, TONES[run.role], run.on_corner) for run in row] for row in rows]
    if owned.winning:
        for cell, (column, line) in enumerate(places):
            lines[line][column] = _after_win(lines[line][column], is_winning=cell in owned.winning)
    if look.scale > 1:
        for column, line in places:
            _widen(lines[line], column)
    return DrawnBoard(
        tuple(map(tuple, lines)),
        tuple(map(join_spans, lines)),
        tuple(places),
        tuple(legend_lines(picture, look.style)),
        look.scale,
    )


FADED = {Tone.X: Tone.EDGE_X, Tone.O: Tone.EDGE_O}


def _after_win(stone: Span, *, is_winning: bool) -> Span:
    """Mark a stone of the chain that has won, and take its ground from any other."""
    if is_winning:
        return stone._replace(marked=True)
    return stone._replace(tone=FADED.get(stone.tone, stone.tone))


STONES = {Tone.X, Tone.O, Tone.LAST_X, Tone.LAST_O}


def _widen(line: list[Span], column: int) -> None:
    """Give a stone the colour of the characters beside it, where there is room."""
    tone = line[column].tone
    for beside in (column - 1, column + 1):
        if tone in STONES and line[beside].tone in {Tone.PLAIN, Tone.STRONG}:
            line[beside] = line[beside]._replace(tone=tone)


@lru_cache(maxsize=32)
def extent(game: Game, scale: int, *, has_rim: bool = False) -> tuple[int, int]:
    """Return the columns and lines of a board, with what lies around it or without."""
    shows = frozenset({"externals"} if has_rim else ())
    table = draw_board(game, game.start(), BoardStyle(scale=scale, shows=shows))
    return table.width, table.height


LINKS = "links"
OWNERSHIP = frozenset({"owned", "dead", "corners", "externals"})


def owned_by(game: Game, position: Position, shows: frozenset[str]) -> Ownership:
    """Return the cells to be shown as owned."""
    owned = game.ownership(position) if shows & OWNERSHIP else NOTHING_OWNED
    cells = {
        cell: side
        for cell, side in owned.cells.items()
        if ("dead" if position.stones[cell] else "owned") in shows
    }
    if LINKS in shows:
        cells = {**links(game, position), **cells}
    has_corners = "corners" in shows
    return Ownership(
        cells,
        owned.corners if has_corners else {},
        owned.corner_counts if has_corners else {},
        owned.externals if "externals" in shows else (),
        owned.winning if "owned" in shows else frozenset(),
    )


def links(game: Game, position: Position) -> dict[Cell, Side]:
    """Return the empty cells of the links of a side that hold all at once."""
    from pbmserv.computer.proof import kept_links

    kept = (link for link in kept_links(game, position) if not link.shared)
    return {cell: link.side for link in kept for cell in link.cells}


def chain_of(game: Game, position: Position, cell: Cell) -> frozenset[Cell]:
    """Return the chain of the stone on a cell, nothing where there is none."""
    found = (groups(game.board, position.stone_mask(side)) for side in Side)
    return frozenset(next((group for group in chain(*found) if cell in group), ()))
