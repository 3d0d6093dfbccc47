"""Boards on the pages: the one drawing, above a ground that all boards of a game share."""

import re
from collections.abc import Mapping

from pbmserv.engine.game import Game
from pbmserv.engine.position import Position
from pbmserv.engine.spec import format_game
from pbmserv.render.picture import Caption, Picture, draw
from pbmserv.render.svg import Drawing, alone, svg_board, svg_heat


def ground_path(game: Game) -> str:
    """Return where the ground of a game's boards is, from the root of the site."""
    return f"grounds/{re.sub('[^a-z0-9]+', '-', format_game(game)).strip('-')}.svg"


def board_svg(picture: Picture, root: str, *, is_replayed: bool = True) -> str:
    """Return a board of a page; ``root`` leads to the root of the site, where its ground is.

    In one that is replayed a script finds the parts by their ids, and the cells in the board's
    order.
    """
    ground = f"{root}{ground_path(picture.game)}"
    return svg_board(picture, Drawing(is_scripted=is_replayed, ground=ground))


def square_svg(game: Game, position: Position, heard: str, *, owners: bool) -> str:
    """Return a position as a small square file, which follows the colours of the reader's screen.

    Its cells have no names and nothing stands around it, as befits its size.
    """
    frame = Drawing(has_labels=False, is_square=True, has_names=False)
    return alone(svg_board(draw(game, position, owners=owners, caption=Caption(heard)), frame))


def heat_svg(game: Game, degrees: Mapping[str, float], heard: str, root: str) -> str:
    """Return the empty board, each cell darker the larger its degree from 0 to 1 is."""
    picture = draw(game, game.start(), caption=Caption(heard))
    return svg_heat(picture, degrees, f"{root}{ground_path(game)}")
