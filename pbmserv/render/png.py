"""Pictures as PNG, drawn from the SVG by resvg with the font that is shipped here."""

from pathlib import Path

from pbmserv.render.picture import Picture
from pbmserv.render.png_palette import with_palette
from pbmserv.render.svg import FONT, GROUND, svg_picture

FONT_FILE = Path(__file__).parent / "fonts" / "DejaVuSans-ASCII.ttf"


def png_picture(picture: Picture, *, zoom: float = 1.0, has_palette: bool = True) -> bytes:
    """Return the picture as a PNG file, ``zoom`` times the size of the SVG.

    A palette makes the file small, and takes half of the time.
    """
    drawn = png_of_svg(svg_picture(picture), zoom)
    return with_palette(drawn) if has_palette else drawn


def png_of_svg(svg: str, zoom: float = 1.0) -> bytes:
    """Return an SVG of ours as a PNG file in true colour.

    Fonts of the machine are left alone, so that labels look the same everywhere.
    """
    import resvg_py

    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg,
            background=GROUND,
            zoom=zoom,
            skip_system_fonts=True,
            font_files=[str(FONT_FILE)],
            font_family=FONT,
            sans_serif_family=FONT,
        )
    )
