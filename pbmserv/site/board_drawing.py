"""Boards on the pages: a ground that all boards of a game share, and cells that a script fills."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from html import escape
from typing import NamedTuple

from pbmserv.engine.game import Game
from pbmserv.engine.position import Position, Side
from pbmserv.engine.spec import format_game
from pbmserv.render.picture import draw
from pbmserv.render.svg import CORNERS, FILLS, GROUND, OWNED_RADIUS, Canvas, svg_external
from pbmserv.render.svg import svg_ground as lines_and_labels

CLASSES = {None: "e", Side.X: "x", Side.O: "o"}
EMPTY_RADIUS = 4


class Ground(NamedTuple):
    """What all boards of a game with its options have in common, a file of its own.

    ``path`` leads there from the root of the site. ``radius`` is that of stones; ``places`` are
    the middles of the cells in the order of the board.
    """

    width: int
    height: int
    radius: float
    path: str
    drawn: str
    places: tuple[tuple[float, float], ...]
    canvas: Canvas


@lru_cache(maxsize=128)
def ground_of(game: Game) -> Ground:
    """Return what is drawn below the stones."""
    picture = draw(game, game.start(), owners=True)
    canvas = Canvas(picture)
    places = tuple(canvas.at(spot.place) for spot in picture.spots)
    corners = "".join(
        f'<circle cx="{x:g}" cy="{y:g}" r="{canvas.radius + 3:g}" fill="none"'
        f' stroke="{CORNERS}" stroke-width="1.5"/>'
        for spot, (x, y) in zip(picture.spots, places, strict=True)
        if spot.is_corner
    )
    drawn = "".join(
        (
            f'<rect width="{canvas.width}" height="{canvas.board_height}" rx="8" fill="{GROUND}"/>',
            *lines_and_labels(picture, canvas),
            *(svg_external(external, canvas) for external in picture.owned.externals),
            corners,
        )
    )
    path = f"grounds/{re.sub('[^a-z0-9]+', '-', format_game(game)).strip('-')}.svg"
    size = f'width="{canvas.width}" height="{canvas.board_height}"'
    drawn = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{drawn}</svg>\n'
    return Ground(canvas.width, canvas.board_height, canvas.radius, path, drawn, places, canvas)


def board_svg(game: Game, position: Position, heard: str, root: str) -> str:
    """Return a position, its owners marked; ``heard`` is said where nothing is seen.

    ``root`` leads to the root of the site, where the ground is.

    A script finds the cells in the group ``cells``, in the board's order, and hides ``owners``.
    """
    ground = ground_of(game)
    owned = game.ownership(position)
    owners = "".join(
        (
            *(_disc(ground.places[cell], side) for cell, side in owned.cells.items()),
            *(_ring(ground, ground.places[cell], side) for cell, side in owned.corners.items()),
            *(svg_external(one, ground.canvas) for one in owned.externals if one.sides),
        )
    )
    cells = "".join(_cells(game, position, ground))
    return _svg(
        ground,
        heard,
        root,
        f'<g id="cells" data-radius="{ground.radius:g}">{cells}</g><g id="owners">{owners}</g>',
    )


def heat_svg(game: Game, degrees: Mapping[str, float], heard: str, root: str) -> str:
    """Return the empty board, each cell darker the larger its degree from 0 to 1 is."""
    ground = ground_of(game)
    spots = "".join(
        f'<circle class="heat" cx="{x:g}" cy="{y:g}" r="{ground.radius:g}"'
        f' fill-opacity="{max(degrees[name], 0.06):.2f}"><title>{name}</title></circle>'
        if name in degrees
        else f'<circle class="e" cx="{x:g}" cy="{y:g}" r="{EMPTY_RADIUS}"/>'
        for name, (x, y) in zip(game.board.names, ground.places, strict=True)
    )
    return _svg(ground, heard, root, spots)


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


def _svg(ground: Ground, heard: str, root: str, inside: str) -> str:
    size = f'width="{ground.width}" height="{ground.height}"'
    return (
        f'<svg class="board" viewBox="0 0 {ground.width} {ground.height}" {size} role="img"'
        f' aria-label="{escape(heard)}"><image {size} href="{root}{ground.path}"/>{inside}</svg>'
    )


def _cells(game: Game, position: Position, ground: Ground) -> Iterator[str]:
    sides = {0: None, Side.X.stone: Side.X, Side.O.stone: Side.O}
    radius = f"{ground.radius:g}"
    for cell, (name, (x, y)) in enumerate(zip(game.board.names, ground.places, strict=True)):
        side = sides[position.stones[cell]]
        last = " l" if cell in position.last else ""
        yield (
            f'<circle class="{CLASSES[side]}{last}" cx="{x:g}" cy="{y:g}"'
            f' r="{radius if side else EMPTY_RADIUS}"><title>{name}</title></circle>'
        )


def _disc(place: tuple[float, float], side: Side) -> str:
    x, y = place
    return f'<circle cx="{x:g}" cy="{y:g}" r="{OWNED_RADIUS}" fill="{FILLS[side]}"/>'


def _ring(ground: Ground, place: tuple[float, float], side: Side) -> str:
    x, y = place
    return (
        f'<circle cx="{x:g}" cy="{y:g}" r="{ground.radius * 1.45:g}" fill="none"'
        f' stroke="{FILLS[side]}" stroke-width="3.5"/>'
    )
