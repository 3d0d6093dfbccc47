"""Pictures as a page of HTML that stands on its own."""

from collections.abc import Iterable

from pbmserv.club.written_text import in_markup
from pbmserv.render.picture import Picture
from pbmserv.render.svg import svg_picture

_STYLE = (
    "body{font-family:sans-serif;margin:2em auto;max-width:60em;padding:0 1em}"
    "svg{max-width:100%;height:auto}"
    "p{overflow-wrap:anywhere}"
)


def html_page(picture: Picture, heading: str, lines: Iterable[str] = ()) -> str:
    """Return a page with the heading, the picture and a paragraph for each of the lines.

    It loads nothing, runs no script and is readable at any width.
    """
    title = in_markup(heading)
    return "\n".join(
        (
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{title}</title>",
            f"<style>{_STYLE}</style>",
            "</head>",
            "<body>",
            f"<h1>{title}</h1>",
            svg_picture(picture),
            *(f"<p>{in_markup(line)}</p>" for line in lines),
            "</body>",
            "</html>",
            "",
        )
    )
