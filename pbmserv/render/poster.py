"""A board on a sheet of A4: a whole game with its turns as numbers, or a board to play on."""

from pbmserv.club.written_text import escape_html
from pbmserv.engine.board import Cell
from pbmserv.render.blocks import BoardPicture
from pbmserv.render.geometry import geometry_of
from pbmserv.render.picture import LegendText
from pbmserv.render.svg import HEADINGS, DrawingOptions, svg_board
from pbmserv.render.view import options_words

SHORT, LONG = 210, 297
"""The sides of A4, in millimetres."""

MARGIN, HEAD, FOOT = 14, 42, 24
"""What stays free beside, above and below the board."""

TO_WRITE_ON = " " + "_" * 24
"""Where a player's name can be written with a pen."""


def poster(block: BoardPicture, *, is_flat: bool = False) -> str:
    """Return the sheet as SVG, landscape for wide boards; without nested drawings, for fpdf2."""
    picture, caption = block.draw(), block.caption
    box = geometry_of(block.game).box()
    width, height = (LONG, SHORT) if box.width > 1.25 * box.height else (SHORT, LONG)
    room = width - 2 * MARGIN, height - HEAD - FOOT
    scale = min(room[0] / box.width, room[1] / box.height)
    left, top = (width - scale * box.width) / 2, HEAD + (room[1] - scale * box.height) / 2
    players = [f"{side} {name}" for side, name in (("X", caption.x), ("O", caption.o)) if name]
    ends = caption.standing.split("\n")
    below = [line for line in dict.fromkeys((ends[0], ends[-1])) if line]
    words = "".join(
        f"<text class=\"lg\" style='font:{size}px {HEADINGS}'"
        f' text-anchor="middle" x="{width / 2:g}" y="{first + 7 * row}">{escape_html(line)}</text>'
        for lines, size, first in (
            ((caption.heading,), 8, 19),
            (players, 5, 30),
            (below, 5, height - FOOT + 8),
        )
        for row, line in enumerate(lines)
    )
    drawn = svg_board(picture, DrawingOptions(has_shadow=False, has_names=False, is_flat=is_flat))
    _, _, board = drawn.removesuffix("</svg>").partition(">")
    at = f"translate({left - scale * box.left:.2f} {top - scale * box.top:.2f}) scale({scale:.4f})"
    start = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
    size = f'width="{width}mm" height="{height}mm"'
    told = f'role="img" aria-label="{escape_html(picture.title)}"'
    return f'{start} {size}>{words}<g transform="{at}" {told}>{board}</g></svg>'


def with_numbers(block: BoardPicture) -> BoardPicture:
    """Return the board with the number of its turn on each stone."""
    marks: dict[Cell, str] = {}
    for number, move in enumerate(block.record.moves if block.record else (), 1):
        marks |= dict.fromkeys(move.cells, str(number))
    return block._replace(marks=marks)


def blank_board(block: BoardPicture) -> BoardPicture:
    """Return the board without stones, with room for the players' names."""
    game = block.game
    caption = LegendText(f"{game.title} ({options_words(game)})", TO_WRITE_ON, TO_WRITE_ON)
    return BoardPicture(game, game.start(), caption=caption)
