"""Letters as HTML: the same words, with a picture whose empty cells are links that write a move."""

from collections.abc import Callable, Iterator

from pbmserv.club.letter import Diagram, Letter
from pbmserv.club.written_text import in_markup
from pbmserv.engine.game import JOINT
from pbmserv.engine.position import Side
from pbmserv.render.picture import Picture, draw
from pbmserv.render.svg import SCALE, Canvas

REACH = round(SCALE * 0.48)
"""Pixels around the middle of a cell that belong to it: no two cells overlap."""

BODY = "font-family:sans-serif;color:#222222;background:#ffffff"
WORDS = "font-family:monospace;font-size:14px;white-space:pre-wrap;margin:1em 0"

Link = Callable[[str], str]
"""Returns the URL that opens a ready-written mail with this move."""


def letter_html(letter: Letter, image: str | None, link: Link | None) -> str:
    """Return the letter as a page of HTML that loads nothing and runs nothing.

    ``image`` is the URL of the picture of its board, a part of the same mail; ``link`` makes the
    cells clickable where the letter allows it.
    """
    parts = [_words(letter.lead)]
    if letter.diagram is not None and image is not None:
        parts += _board(letter.diagram, image, link if letter.diagram.is_clickable else None)
    parts.append(_words(letter.tail))
    return "\n".join(
        (
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8">',
            f"<title>{in_markup(letter.subject)}</title></head>",
            f'<body style="{BODY}">',
            *filter(None, parts),
            "</body></html>",
            "",
        )
    )


def alternative_text(diagram: Diagram) -> str:
    """Return what stands for the picture where it is not shown."""
    counts = [f"{len(diagram.position.cells_of(side))} of {side.value}" for side in Side]
    title = f"{diagram.game.title} board, {diagram.game.board.title}"
    return f"{title}. Stones: {', '.join(counts)}, listed below."


def _words(text: str) -> str:
    return f'<pre style="{WORDS}">{in_markup(text)}</pre>' if text else ""


def _board(diagram: Diagram, image: str, link: Link | None) -> Iterator[str]:
    picture = draw(diagram.game, diagram.position, owners=diagram.shows_owners)
    canvas = Canvas(picture)
    size = f'width="{canvas.width}" height="{canvas.height}"'
    used = ' usemap="#board"' if link else ""
    alternative = in_markup(alternative_text(diagram))
    yield (
        f'<img src="{in_markup(image)}"{used} {size} alt="{alternative}" '
        'style="border:0;display:block">'
    )
    if link is not None:
        yield '<map name="board">'
        yield from _areas(diagram, picture, link)
        yield "</map>"
        yield _invitation(diagram, link)


def _areas(diagram: Diagram, picture: Picture, link: Link) -> Iterator[str]:
    """Yield one link for each empty cell."""
    canvas = Canvas(picture)
    # The first of two stones leaves the joint behind, for the reader to go on from.
    more = JOINT if diagram.game.stones_due(diagram.position) > 1 else ""
    for spot in picture.spots:
        if spot.stone is None:
            x, y = (round(value) for value in canvas.at(spot.place))
            href = in_markup(link(f"{spot.name}{more}"))
            yield f'<area shape="circle" coords="{x},{y},{REACH}" href="{href}" alt="{spot.name}">'


def _invitation(diagram: Diagram, link: Link) -> str:
    what = "Click an empty cell and send the mail that opens."
    if diagram.game.stones_due(diagram.position) > 1:
        what = "Click an empty cell, add the second one to the mail that opens, and send it."
    words = ["pass"]
    if diagram.game.may_swap(diagram.position):
        words.append("swap")
    links = " or ".join(f'<a href="{in_markup(link(word))}">{word}</a>' for word in words)
    return f"<p>{what} Instead of a move: {links}.</p>"
