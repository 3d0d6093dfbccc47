"""A page of HTML that stands on its own: of a board, or of a tournament."""

from collections.abc import Iterable

from pbmserv.club.written_text import escape_html

STYLE = (
    "body{font-family:sans-serif;margin:2em auto;max-width:60em;padding:0 1em}"
    "svg{max-width:100%;height:auto}"
    "p{overflow-wrap:anywhere}"
)


def paragraphs(lines: Iterable[str]) -> list[str]:
    """Return a paragraph for each of the lines."""
    return [f"<p>{escape_html(line)}</p>" for line in lines]


def html_page(heading: str, parts: Iterable[str], style: str = "") -> str:
    """Return a page with the heading above these parts, which are HTML."""
    title = escape_html(heading)
    return "\n".join(
        (
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{title}</title>",
            f"<style>{STYLE}{style}</style>",
            "</head>",
            "<body>",
            f"<h1>{title}</h1>",
            *parts,
            "</body>",
            "</html>",
            "",
        )
    )
