"""The neutral picture of a position, from which every drawing is made."""

from __future__ import annotations

from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from pbmserv.engine.position import Position, Side
from pbmserv.engine.score import NOTHING_OWNED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pbmserv.engine.board import Board, Cell, Label, Place, Point
    from pbmserv.engine.game import Game
    from pbmserv.engine.score import Ownership


class CellView(NamedTuple):
    """A cell to be drawn: its place and what is on it.

    ``digit`` replaces the dot of an empty cell. ``owner`` owns the empty cell or dead stone, and
    ``corner_owner`` its corner; ``corner_count`` counts the corners of a group, at one of its
    stones.
    """

    name: str
    place: Place
    point: Point
    stone: Side | None = None
    is_last: bool = False
    is_corner: bool = False
    digit: str = ""
    owner: Side | None = None
    corner_owner: Side | None = None
    corner_count: int = 0
    is_dead: bool = False
    is_winning: bool = False


class LegendText(NamedTuple):
    """The words of a legend; ``names_last`` if it names the cells of the last turn."""

    heading: str = ""
    x: str = ""
    o: str = ""
    standing: str = ""
    names_last: bool = True


NO_LEGEND = LegendText()
NO_MARKS: Mapping[Cell, str] = MappingProxyType({})


class Picture(NamedTuple):
    """What there is to draw of one position; holds no fonts, colours or characters.

    ``spots`` are in the board's order; of what is ``owned`` they have the cells and corners.
    ``labels`` are the board's, further out where externals lie around it. ``marks`` are what is
    written on cells.
    """

    title: str
    game: Game
    position: Position
    spots: tuple[CellView, ...]
    labels: tuple[Label, ...]
    owned: Ownership = NOTHING_OWNED
    caption: LegendText = NO_LEGEND
    marks: Mapping[Cell, str] = NO_MARKS

    @property
    def board(self) -> Board:
        """The board of the game."""
        return self.game.board


def draw(
    game: Game,
    position: Position,
    *,
    owners: bool = False,
    caption: LegendText = NO_LEGEND,
    marks: Mapping[Cell, str] = NO_MARKS,
) -> Picture:
    """Return the picture of a position; ``marks`` are characters on empty cells."""
    owned = game.ownership(position) if owners else NOTHING_OWNED
    return draw_owned(game, position, owned, caption=caption, marks=marks)


def draw_owned(
    game: Game,
    position: Position,
    owned: Ownership,
    *,
    caption: LegendText = NO_LEGEND,
    marks: Mapping[Cell, str] = NO_MARKS,
) -> Picture:
    """Return the picture of ``position`` that shows these things as owned."""
    board = game.board
    labels = board.labels
    if owned.externals:
        from pbmserv.engine.lattices import outer_label

        labels = tuple(map(outer_label, labels))
    title = caption.heading or game.title
    spots = _spots(board, position, owned, marks)
    return Picture(title, game, position, spots, labels, owned, caption, marks)


def _spots(
    board: Board, position: Position, owned: Ownership, marks: Mapping[Cell, str]
) -> tuple[CellView, ...]:
    spots = list(blank_cells(board))
    for cell, stone in enumerate(position.stones):
        if stone:
            spots[cell] = spots[cell]._replace(stone=_STONES[stone])
    for cell in position.last:
        spots[cell] = spots[cell]._replace(is_last=True)
    for cell, mark in marks.items():
        digit = mark or spots[cell].digit
        spots[cell] = spots[cell]._replace(is_corner=False, digit=digit)
    if owned != NOTHING_OWNED:
        spots = [_owned_spot(cell, spot, owned) for cell, spot in enumerate(spots)]
    return tuple(spots)


@lru_cache(maxsize=32)
def blank_cells(board: Board) -> tuple[CellView, ...]:
    """Return the cells of a board on which nothing stands."""
    corners, digits = frozenset(board.corners), board.digits
    cells = enumerate(zip(board.names, board.places, board.points, strict=True))
    return tuple(
        CellView(name, place, point, is_corner=cell in corners, digit=digits.get(cell, ""))
        for cell, (name, place, point) in cells
    )


def _owned_spot(cell: Cell, spot: CellView, owned: Ownership) -> CellView:
    owner = owned.cells.get(cell)
    return spot._replace(
        owner=owner,
        corner_owner=owned.corners.get(cell),
        corner_count=owned.corner_counts.get(cell, 0),
        is_dead=owner is not None and spot.stone is not None and owner is not spot.stone,
        is_winning=cell in owned.winning,
    )


_STONES = {0: None, Side.X.stone: Side.X, Side.O.stone: Side.O}
