"""Heat maps: how often each cell was the first move, as digits on the board."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pbmserv.club.statistics import heat
from pbmserv.render.picture import draw
from pbmserv.render.text import Points, text_picture

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pbmserv.engine.game import Game


def heat_lines(game: Game, first_moves: Mapping[str, int]) -> list[str]:
    """Return the board with a digit on every cell that was a first move, 9 for the hottest.

    First moves that are no cell are told below.
    """
    picture = draw(game, game.start())
    points = Points(picture)
    degrees = heat(first_moves)
    lines = [list(line) for line in text_picture(picture).split("\n")]
    for spot in picture.spots:
        if spot.name in degrees:
            column, line = points.of(spot.place)
            lines[line][column] = str(degrees[spot.name])
    drawn = ["".join(line) for line in lines]
    others = {move: count for move, count in first_moves.items() if move not in game.board.index}
    if others:
        told = ", ".join(f"{move} {count}" for move, count in sorted(others.items()))
        drawn += ["", f"Not on the board: {told}"]
    return drawn
