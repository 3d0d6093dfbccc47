"""Boards on the pages: the one drawing, above a ground that all boards of a game share."""

import re
from collections.abc import Iterable, Mapping
from html import escape

from pbmserv.engine.game import Game
from pbmserv.engine.position import Position
from pbmserv.engine.spec import format_game
from pbmserv.render.picture import Caption, draw
from pbmserv.render.svg import Frame, alone, svg_board, svg_heat


def ground_path(game: Game) -> str:
    """Return where the ground of a game's boards is, from the root of the site."""
    return f"grounds/{re.sub('[^a-z0-9]+', '-', format_game(game)).strip('-')}.svg"


def board_svg(
    game: Game, position: Position, heard: str, root: str, *, owners: bool = False
) -> str:
    """Return a position; ``heard`` is said where nothing is seen.

    ``root`` leads to the root of the site, where the ground is. A script finds the parts by their
    ids, and the cells in the board's order.
    """
    picture = draw(game, position, owners=owners, caption=Caption(heard))
    return svg_board(picture, Frame(is_scripted=True, ground=f"{root}{ground_path(game)}"))


def square_svg(game: Game, position: Position, heard: str, *, owners: bool) -> str:
    """Return a position as a small square file, which follows the colours of the reader's screen.

    Its cells have no names and nothing stands around it, as befits its size.
    """
    frame = Frame(has_labels=False, is_square=True, has_names=False)
    return alone(svg_board(draw(game, position, owners=owners, caption=Caption(heard)), frame))


def heat_svg(game: Game, degrees: Mapping[str, float], heard: str, root: str) -> str:
    """Return the empty board, each cell darker the larger its degree from 0 to 1 is."""
    picture = draw(game, game.start(), caption=Caption(heard))
    return svg_heat(picture, degrees, f"{root}{ground_path(game)}")


def curve_svg(values: Iterable[float], heard: str, *, low: float, high: float) -> str:
    """Return a line through the values from left to right, ``low`` at the bottom."""
    width, height = 600, 100
    found = list(values)
    step = width / max(1, len(found) - 1)
    spread = (high - low) or 1
    points = " ".join(
        f"{number * step:.1f},{height - (value - low) / spread * height:.1f}"
        for number, value in enumerate(found)
    )
    return (
        f'<svg class="curve" viewBox="0 -4 {width} {height + 8}" role="img"'
        f' aria-label="{escape(heard)}"><polyline points="{points}"/></svg>'
    )
