"""Boards as PNG and PDF, drawn from the SVG with the font that is shipped here."""

import logging
import re
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from pbmserv.club.letter import Diagram
from pbmserv.engine.game import Game
from pbmserv.engine.position import Position
from pbmserv.render.colours import BOTH_LABEL, LIGHT, PAGE, SHEET, Colours
from pbmserv.render.picture import Picture, draw
from pbmserv.render.svg import (
    FLAT_RULES,
    FONT,
    DrawingOptions,
    ground_parts,
    svg_board,
    svg_file,
    svg_ground,
)

if TYPE_CHECKING:
    from PIL.Image import Image

FONT_FILE = Path(__file__).parent / "fonts" / "DejaVuSans-ASCII.ttf"
WIDTH, MIN_WIDTH = 420, 260
"""Pixels of a letter's picture, as it is shown; fewer where the file is too large."""

SHRINKING = 0.8
"""The exponent by which the width follows from the size of the file."""

DENSITY = 200
"""Dots an inch of a sheet that is printed."""

PDF_RULES = ".x{fill:@x}.o{fill:@o}.nx{stroke:none}.nd{fill:@x_rim}"
"""What the library for PDF does not read, and what it has instead of paint below a number."""

SHADES = 64
FEW_SHADES = 48
"""Those of a letter's picture."""

CACHE_SIZE = 8
IN_LETTERS = LIGHT._replace(label=BOTH_LABEL)


def png_picture(picture: Picture, *, zoom: float = 1.0) -> bytes:
    """Return the picture with its legend as a PNG file, ``zoom`` times the size of the SVG."""
    board = svg_board(picture, DrawingOptions(has_legend=True, has_shadow=False, is_flat=zoom < 1))
    return _compress(_rasterize(board, LIGHT, PAGE, zoom=zoom))


def png_sheet(sheet: str) -> bytes:
    """Return a sheet whose size is given in millimetres as a PNG file."""
    return _compress(_rasterize(sheet, LIGHT, SHEET, dpi=DENSITY))


def pdf_sheet(sheet: str, title: str) -> bytes:
    """Return one with flat stones as a PDF file of one page, which holds its lines and words."""
    from fpdf import FPDF

    # It would tell of what it leaves out: descriptions, and letters that the font does not have.
    logging.getLogger("fpdf").setLevel(logging.ERROR)
    width, height = map(int, re.findall(r'"(\d+)mm"', sheet))
    page = FPDF(format=(width, height))
    page.set_title(title)
    page.add_font("sans-serif", fname=FONT_FILE)
    page.add_page()
    sheet = re.sub('<path [^>]* d=""/>', "", svg_file(sheet, LIGHT, FLAT_RULES + PDF_RULES))
    board = re.sub("(?<=[{;'])font:[0-9 ]*?([0-9]+)px [^;}'<]*", r"font-size:\1", sheet)
    page.image(BytesIO(board.encode()), x=0, y=0, w=width, h=height)
    return bytes(page.output())


def letter_picture(diagram: Diagram, most: int) -> bytes:
    """Return a letter's board as a PNG file of at most ``most`` bytes, for light and dark pages."""
    from PIL.Image import Resampling

    drawn, file = _of_letter(diagram.game, diagram.position, owners=diagram.shows_owners)
    width = WIDTH
    while len(file) > most and width > MIN_WIDTH:
        width = max(MIN_WIDTH, int(width * (max(most, 0) / len(file)) ** SHRINKING))
        height = drawn.height * width // WIDTH
        file = _compress(drawn.resize((width, height), Resampling.HAMMING), FEW_SHADES)
    return file


@lru_cache(maxsize=CACHE_SIZE)
def _of_letter(game: Game, position: Position, *, owners: bool) -> "tuple[Image, bytes]":
    """Return it in true colour and as a file, drawn once for all the letters that show it."""
    frame = DrawingOptions(has_shadow=False, has_names=False, is_flat=True)
    board = svg_board(draw(game, position, owners=owners), frame)
    stones = board.replace(ground_parts(game, has_labels=True), "")
    drawn = _ground(game).copy()
    drawn.alpha_composite(_rasterize(stones, IN_LETTERS, None, width=WIDTH))
    return drawn, _compress(drawn, FEW_SHADES)


@lru_cache(maxsize=CACHE_SIZE)
def _ground(game: Game) -> "Image":
    """Return what lies below the stones of a letter, a third of the work, once for a game."""
    return _rasterize(svg_ground(game), IN_LETTERS, None, width=WIDTH)


def _rasterize(
    board: str,
    colours: Colours,
    background: str | None,
    *,
    zoom: float | None = None,
    width: int | None = None,
    dpi: float = 0,
) -> "Image":
    """Return the board in true colour; fonts of the machine are left alone."""
    import resvg_py
    from PIL import Image

    png = resvg_py.svg_to_bytes(
        svg_string=svg_file(board, colours, FLAT_RULES),
        background=background,
        zoom=zoom,
        width=width,
        dpi=dpi,
        skip_system_fonts=True,
        font_files=[str(FONT_FILE)],
        font_family=FONT,
    )
    return Image.open(BytesIO(bytes(png)))


def _compress(drawn: "Image", shades: int = SHADES) -> bytes:
    """Return the picture as a file in few shades: a fifth of the bytes."""
    from PIL import Image

    found = BytesIO()
    image = drawn.quantize(shades, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    image.save(found, "PNG", compress_level=5)
    return found.getvalue()
