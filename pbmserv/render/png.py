"""Boards as PNG, drawn from the SVG by resvg with the font that is shipped here."""

from functools import lru_cache
from io import BytesIO
from pathlib import Path

from pbmserv.club.letter import Diagram
from pbmserv.engine.game import Game
from pbmserv.engine.position import Position
from pbmserv.render.colours import BOTH_LABEL, LIGHT, PAGE, SHEET, Colours
from pbmserv.render.picture import Picture, draw
from pbmserv.render.svg import FONT, Frame, alone, svg_board

FONT_FILE = Path(__file__).parent / "fonts" / "DejaVuSans-ASCII.ttf"
WIDTHS = (840, 720, 640, 560, 480, 400, 320, 260)
"""Pixels of a letter's picture, the first that gives a file which is small enough."""

DENSITY = 200
"""Dots an inch of a sheet that is printed."""

SHADES = 64
FEW_SHADES = 48
"""Those of a letter's picture."""

KEPT = 32


def png_picture(picture: Picture, *, zoom: float = 1.0) -> bytes:
    """Return the picture with its legend as a PNG file, ``zoom`` times the size of the SVG."""
    board = svg_board(picture, Frame(has_legend=True, has_shadow=False, has_names=False))
    return _small(_drawn(board, LIGHT, PAGE, zoom=zoom))


def png_sheet(sheet: str) -> bytes:
    """Return a sheet whose size is given in millimetres as a PNG file."""
    return _small(_drawn(sheet, LIGHT, SHEET, dpi=DENSITY))


def pdf_sheet(sheet: str) -> bytes:
    """Return it as a PDF file of one page, which holds it as an image."""
    from PIL import Image

    found = BytesIO()
    image = Image.open(BytesIO(_drawn(sheet, LIGHT, SHEET, dpi=DENSITY))).convert("RGB")
    image.save(found, "PDF", resolution=DENSITY)
    return found.getvalue()


def letter_picture(diagram: Diagram, most: int) -> bytes:
    """Return the board of a letter as a PNG file of at most so many bytes, if that can be.

    It has no ground of its own, and its labels are read on a light page and on a dark one.
    """
    file, drawn = b"", WIDTHS[0]
    for width in WIDTHS:
        # What cannot be small enough is not drawn: no file shrinks faster than this.
        if file and width > WIDTHS[-1] and len(file) * (width / drawn) ** 1.5 > most:
            continue
        file = _of_letter(diagram.game, diagram.position, width, owners=diagram.shows_owners)
        drawn = width
        if len(file) <= most:
            break
    return file


@lru_cache(maxsize=KEPT)
def _of_letter(game: Game, position: Position, width: int, *, owners: bool) -> bytes:
    """Return it in one width, drawn once for all the letters that show it."""
    board = svg_board(draw(game, position, owners=owners), Frame(has_shadow=False, has_names=False))
    return _small(_drawn(board, LIGHT._replace(label=BOTH_LABEL), None, width=width), FEW_SHADES)


def _drawn(
    board: str,
    colours: Colours,
    background: str | None,
    *,
    zoom: float | None = None,
    width: int | None = None,
    dpi: float = 0,
) -> bytes:
    """Return the board in true colour; fonts of the machine are left alone."""
    import resvg_py

    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=alone(board, colours),
            background=background,
            zoom=zoom,
            width=width,
            dpi=dpi,
            skip_system_fonts=True,
            font_files=[str(FONT_FILE)],
            font_family=FONT,
            sans_serif_family=FONT,
            serif_family=FONT,
        )
    )


def _small(png: bytes, shades: int = SHADES) -> bytes:
    """Return the same picture in few shades: a fifth of the bytes."""
    from PIL import Image

    found = BytesIO()
    whole = Image.open(BytesIO(png))
    image = whole.quantize(shades, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    image.save(found, "PNG", optimize=True)
    return found.getvalue()
