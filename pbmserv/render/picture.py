"""The neutral picture of a position, from which every drawing is made."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from pbmserv.engine.ownership import Ownership
from pbmserv.engine.position import Position, Side

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pbmserv.engine.board import Board, Cell, Label, Place, Point
    from pbmserv.engine.game import Game
    from pbmserv.engine.ownership import External


class Spot(NamedTuple):
    """One cell as it is to be drawn: where it lies and what there is to see.

    ``digit`` is what an empty cell shows instead of a dot: that of its ring, or a mark. ``owner``
    owns the empty cell or the dead stone, ``corner_owner`` the corner that is decided;
    ``corner_count`` is the number of corners of the group, at one of its stones. ``is_dead`` tells
    whether a stone stands here that the other side owns, ``is_winning`` whether its chain has won.
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


class Caption(NamedTuple):
    """What the legend of a drawing says beside its marks; each part may be empty.

    ``heading`` names the board, ``x`` and ``o`` who plays, ``standing`` how the game stands.
    ``names_last`` if the cells of the last turn stand beside its mark.
    """

    heading: str = ""
    x: str = ""
    o: str = ""
    standing: str = ""
    names_last: bool = True


NO_CAPTION = Caption()
NO_MARKS: Mapping[Cell, str] = MappingProxyType({})


class Picture(NamedTuple):
    """What there is to draw of one position; holds no rules, fonts, colours or characters.

    ``spots`` are in the board's order, ``links`` are pairs of neighbours, each once; ``note`` is
    as in :class:`pbmserv.engine.board.Board`.
    """

    title: str
    spots: tuple[Spot, ...]
    links: tuple[tuple[Cell, Cell], ...]
    labels: tuple[Label, ...]
    note: str = ""
    externals: tuple[External, ...] = ()
    caption: Caption = NO_CAPTION


def draw(
    game: Game,
    position: Position,
    *,
    owners: bool = False,
    caption: Caption = NO_CAPTION,
    marks: Mapping[Cell, str] = NO_MARKS,
) -> Picture:
    """Return the picture of ``position``, the cells of its last turn marked.

    With ``owners`` it shows who owns what; ``marks`` are characters for empty cells.
    """
    owned = game.ownership(position) if owners else Ownership()
    return draw_owned(game, position, owned, caption=caption, marks=marks)


def draw_owned(
    game: Game,
    position: Position,
    owned: Ownership,
    *,
    caption: Caption = NO_CAPTION,
    marks: Mapping[Cell, str] = NO_MARKS,
) -> Picture:
    """Return the picture of ``position`` that shows these things as owned."""
    board = game.board
    links = board.links
    labels = board.labels
    if owned.externals:
        from pbmserv.engine.lattices import outer_label

        labels = tuple(map(outer_label, labels))
    return Picture(
        caption.heading or game.title,
        _spots(board, position, owned, marks),
        links,
        labels,
        board.note,
        owned.externals,
        caption,
    )


def _spots(
    board: Board, position: Position, owned: Ownership, marks: Mapping[Cell, str]
) -> tuple[Spot, ...]:
    stones = [_STONES[stone] for stone in position.stones]
    return tuple(
        [
            Spot(
                name,
                board.places[cell],
                board.points[cell],
                stones[cell],
                cell in position.last,
                cell in board.corners and cell not in marks,
                marks.get(cell) or board.digits.get(cell, ""),
                owner := owned.cells.get(cell),
                owned.corners.get(cell),
                owned.corner_counts.get(cell, 0),
                stones[cell] is not None and owner is not None and owner is not stones[cell],
                cell in owned.winning,
            )
            for cell, name in enumerate(board.names)
        ]
    )


_STONES = {0: None, Side.X.stone: Side.X, Side.O.stone: Side.O}
