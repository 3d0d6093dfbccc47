"""The neutral picture of a position, from which every drawing is made."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pbmserv.engine.position import Position, Side

if TYPE_CHECKING:
    from pbmserv.engine.board import Cell, Label, Place
    from pbmserv.engine.game import Game


class Spot(NamedTuple):
    """One cell as it is to be drawn: where it lies and what there is to see."""

    name: str
    place: Place
    stone: Side | None = None
    is_last: bool = False
    is_corner: bool = False
    owner: Side | None = None


class Picture(NamedTuple):
    """What there is to draw of one position; holds no rules, fonts, colours or characters.

    ``spots`` are in the board's order, ``links`` are pairs of neighbours, each once;
    ``character`` is as in :class:`pbmserv.engine.board.Board`.
    """

    title: str
    spots: tuple[Spot, ...]
    links: tuple[tuple[Cell, Cell], ...]
    labels: tuple[Label, ...]
    character: tuple[float, float]


def draw(game: Game, position: Position) -> Picture:
    """Return the picture of ``position``, the cells of its last turn marked."""
    board = game.board
    owners = game.owners(position)
    spots = tuple(
        Spot(
            name,
            board.places[cell],
            _STONES[position.stones[cell]],
            cell in position.last,
            cell in board.corners,
            owners.get(cell),
        )
        for cell, name in enumerate(board.names)
    )
    return Picture(game.title, spots, board.links, board.labels, board.character)


_STONES = {0: None, Side.X.stone: Side.X, Side.O.stone: Side.O}
