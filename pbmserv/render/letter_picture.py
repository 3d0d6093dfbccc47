"""Pictures for letters: small files, and quick where a game is running.

The empty board is drawn once, and beside it a stone of each look. A position is then a copy of it
on which stones are stamped, which takes a twentieth of the time that drawing does.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import product
from typing import TypeVar

from pbmserv.club.letter import Diagram
from pbmserv.engine.game import Game
from pbmserv.engine.position import Position, Side
from pbmserv.render.legend import LegendLine
from pbmserv.render.picture import Caption, Spot, draw
from pbmserv.render.png import png_of_svg, png_picture
from pbmserv.render.png_palette import Indexed, indexed
from pbmserv.render.svg import STAMP, Canvas, svg_stamps

WIDE = 580
"""Pixels from which on a picture is drawn smaller."""

SMALLER = (0.5, 0.4)
"""The sizes that are tried where the file would be too large."""

CAPTION = Caption(names_last=False)

LOOKS = tuple(product(Side, (False, True), (False, True)))
"""Each look of a stone: its side, whether it is of the last turn, whether on a corner."""

KEPT = 16

Drawn = TypeVar("Drawn")


def letter_picture(diagram: Diagram, most: int) -> bytes:
    """Return the board of a letter as a PNG file, with its legend.

    It is so small that its file, or that of the empty board, has at most so many bytes if possible.
    """
    game, position = diagram.game, diagram.position
    return (_drawn if diagram.shows_owners else _stamped)(game, position, most)


@lru_cache(maxsize=KEPT)
def _drawn(game: Game, position: Position, most: int) -> bytes:
    """Return the picture of a game that is over, made once for all the letters that show it."""
    picture = draw(game, position, owners=True, caption=CAPTION)
    return _small_enough(Canvas(picture), lambda zoom: png_picture(picture, zoom=zoom), len, most)


@lru_cache(maxsize=KEPT)
def _stamped(game: Game, position: Position, most: int) -> bytes:
    """Return the picture of a running game, made once for all the letters that show it."""
    legend = Canvas(draw(game, position, caption=CAPTION)).legend
    return _empty_board(game, tuple(legend), most).with_stones(position)


@lru_cache(maxsize=KEPT)
def _empty_board(game: Game, legend: Sequence[LegendLine], most: int) -> "_EmptyBoard":
    return _small_enough(
        Canvas(draw(game, game.start())),
        lambda zoom: _EmptyBoard(game, legend, zoom),
        lambda board: len(board.empty.png()),
        most,
    )


def _small_enough(
    canvas: Canvas, drawn: Callable[[float], Drawn], size: Callable[[Drawn], int], most: int
) -> Drawn:
    """Return what is drawn at the first size that gives at most so many bytes, or else the last."""
    for zoom in (0.75 if canvas.width > WIDE else 1.0, *SMALLER):
        found = drawn(zoom)
        if size(found) <= most:
            break
    return found


class _EmptyBoard:
    """The empty board of a game with this legend, and the stamps that make positions of it."""

    def __init__(self, game: Game, legend: Sequence[LegendLine], zoom: float) -> None:
        picture = draw(game, game.start(), caption=CAPTION)
        canvas = Canvas(picture, legend)
        stamps = [_stone(picture.spots[0], look) for look in LOOKS]
        sheet = indexed(png_of_svg(svg_stamps(picture, canvas, stamps), zoom))
        self.empty = _cut(sheet, round(canvas.width * zoom), round(canvas.height * zoom))
        self._corners = game.board.corners
        self._stamps = {
            look: list(self._stamp(sheet, canvas.stamp(number), zoom))
            for number, look in enumerate(LOOKS)
        }
        places = (canvas.at(place) for place in game.board.places)
        self._middles = [_at(self.empty, round(x * zoom), round(y * zoom)) for x, y in places]

    def _stamp(
        self, sheet: Indexed, middle: tuple[int, int], zoom: float
    ) -> Iterator[tuple[int, bytes]]:
        """Yield the rows of a stone: how far behind its middle each begins, and its pixels."""
        x, y = (round(pixel * zoom) for pixel in middle)
        ground = sheet.pixels[-1 - sheet.width % 2 :][:1]
        reach = int(STAMP * zoom) // 2 - 1
        for down in range(-reach, reach + 1):
            begin = _at(sheet, x - reach, y + down)
            row = sheet.pixels[begin : begin + 2 * reach + 1].rstrip(ground)
            inside = row.lstrip(ground)
            if inside:
                yield down * self.empty.stride + len(row) - len(inside) - reach, inside

    def with_stones(self, position: Position) -> bytes:
        """Return the picture of a position as a PNG file."""
        pixels = bytearray(self.empty.pixels)
        for side in Side:
            for cell in position.cells_of(side):
                middle = self._middles[cell]
                look = side, cell in position.last, cell in self._corners
                for begin, row in self._stamps[look]:
                    pixels[middle + begin : middle + begin + len(row)] = row
        return self.empty._replace(pixels=bytes(pixels)).png()


def _stone(spot: Spot, look: tuple[Side, bool, bool]) -> Spot:
    side, is_last, is_corner = look
    return spot._replace(stone=side, is_last=is_last, is_corner=is_corner)


def _at(sheet: Indexed, x: int, y: int) -> int:
    """Return the index of a pixel."""
    return 2 + x + y * sheet.stride


def _cut(sheet: Indexed, width: int, height: int) -> Indexed:
    """Return the upper left part of a picture."""
    end = bytes(width % 2)
    rows = (
        b"\0\0" + sheet.pixels[_at(sheet, 0, y) : _at(sheet, width, y)] + end for y in range(height)
    )
    return Indexed(width, height, sheet.palette, b"".join(rows))
