"""Letters as HTML: the same words, with a picture and a board whose empty cells write a move."""

import math
import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from pbmserv.club.letter import CELLS, Diagram, Letter
from pbmserv.club.written_text import in_markup
from pbmserv.engine.game import JOINT
from pbmserv.engine.position import Side
from pbmserv.render import letter_board
from pbmserv.render.board_letters import MARK, answers_to, fit
from pbmserv.render.colours import DARK_PAPER, LIGHT, LIGHT_PAPER
from pbmserv.render.letter_board import BUTTON, MARGIN, LetterBoard, Link
from pbmserv.render.picture import draw

PAGE = f"max-width:844px;margin:8px auto;padding:0 {MARGIN}px;overflow-wrap:anywhere"
WORDS = "font:16px/1.45 Helvetica,Arial,sans-serif"
TABLE = "font:12px/1.4 monospace;overflow-x:auto"
QUOTATION = f"margin:0 0 1em;padding-left:10px;border-left:3px solid {LIGHT.x}"
PICTURE = "max-width:100%;height:auto;border:0;border-radius:8px"

STYLE = f"{letter_board.STYLE}\n.n a{{color:{LIGHT_PAPER.link}}}"
DARK_STYLE = (
    "@media(prefers-color-scheme:dark)"
    f"{{body{{background:{DARK_PAPER.page};color:{DARK_PAPER.ink}}}"
    f".n a{{color:{DARK_PAPER.link}!important}}{letter_board.DARK_STYLE}}}"
)

UNTIL = re.compile(r"(?<=<br>\n)(\S+ must move by [0-9-]+ [0-9:]+ UTC\.)(?=</p>)")
"""The line that says until when to move."""

MOVE = r"[0-9]+\. [XO] \S+"
"""A numbered move; lines of nothing else flow."""

IN_BASE64 = 4 / 3 * 78 / 76
"""What a byte becomes in base64, with the ends of lines."""


def letter_html(
    letter: Letter, image: str | None, link: Link | None, room: float = math.inf
) -> str:
    """Return the letter as a page of HTML that loads nothing and runs nothing.

    It is all ASCII unless that would take more bytes.

    ``image`` is the URL of the picture of its board, a part of the same mail; ``link`` makes the
    cells clickable where the letter allows it. A page of more than ``room`` bytes has links in a
    part of the board alone, and if need be no more of its cells; the others are to be asked for.
    What a mail program makes of the page without its style sheets can be read and clicked as well.
    """
    diagram = letter.diagram
    if diagram is None or image is None:
        return _page(letter, "", ())
    board = LetterBoard(draw(diagram.game, diagram.position, owners=diagram.shows_owners))
    picture = _picture(diagram, image)
    if not diagram.is_clickable or link is None:
        whole = _page(letter, board.style(), (picture, *board.html(lambda _: "")))
        return whole if bytes_in_mail(whole) <= room else _page(letter, "", (picture,))
    # The first of two stones leaves the joint behind, for the reader to go on from.
    more = JOINT if diagram.game.stones_due(diagram.position) > 1 else ""

    def cell_link(cell: str) -> str:
        return link(f"{cell}{more}")

    def page() -> str:
        shown = (*_invitation(diagram, board, link), *board.html(cell_link))
        return _page(letter, board.style(), (picture, *shown))

    board.linked = board.names
    whole = page()
    if bytes_in_mail(whole) <= room:
        return whole
    for shown in (board.names, []):
        board.unlink(shown)
        board.link_some(cell_link, room - bytes_in_mail(page()), diagram.part)
        if board.linked:
            break
    return page()


def _page(letter: Letter, style: str, board: Iterable[str]) -> str:
    styles = [f"<style>{STYLE}\n{style}</style>"] if letter.diagram is not None else []
    page = (
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width">',
        '<meta name="color-scheme" content="light dark">',
        '<meta name="supported-color-schemes" content="light dark">',
        f"<title>{in_markup(letter.subject)}</title>",
        *styles,
        f"<style>:root{{color-scheme:light dark}}{DARK_STYLE}</style></head>",
        f'<body style="{PAGE};{WORDS}">',
        *(UNTIL.sub(r"<b>\1</b>", part, count=1) for part in _words(letter.lead)),
        *board,
        *_words(letter.tail),
        "</body></html>",
        "",
    )
    text = "\n".join(page)
    ascii_text = text.encode("ascii", "xmlcharrefreplace").decode("ascii")
    return min(ascii_text, text, key=bytes_in_mail)


def bytes_in_mail(text: str) -> float:
    """Return how many bytes a text takes in a mail: those of ASCII, or else in base64."""
    return len(text) if text.isascii() else len(text.encode()) * IN_BASE64


def _words(text: str) -> Iterator[str]:
    """Yield whole lines as paragraphs that fit any width, and tables as they are."""
    for block in re.split(r"\n{2,}", text.strip("\n")):
        lines = block.split("\n")
        if all(re.fullmatch(f" *{MOVE}( +{MOVE})*", line) for line in lines):
            moves = [in_markup(move) for line in lines for move in re.findall(MOVE, line)]
            yield f"<p>{'&ensp; '.join(move.replace(' ', '&nbsp;') for move in moves)}</p>"
            continue
        for is_quoted, found in groupby(lines, key=lambda line: line.startswith(MARK)):
            if is_quoted:
                said = _flowing(line[2:] for line in found)
                yield f'<blockquote style="{QUOTATION}">{said}</blockquote>'
            else:
                yield _paragraph(list(found))


def _paragraph(lines: list[str]) -> str:
    """Return lines as a paragraph, or just as they are where columns or indents matter."""
    columns = sum("  " in line.strip() for line in lines)
    if columns > 1 or any(line.startswith(" ") for line in lines):
        return f'<pre style="{TABLE}">{in_markup(fit(chr(10).join(lines)))}</pre>'
    return f"<p>{_flowing(lines)}</p>"


def _flowing(lines: Iterable[str]) -> str:
    """Return lines as HTML that may be broken anywhere; blanks within them are kept."""
    return "<br>\n".join(in_markup(line).replace("  ", "&nbsp; ") for line in lines)


def _picture(diagram: Diagram, image: str) -> str:
    counts = [f"{len(diagram.position.cells_of(side))} of {side.value}" for side in Side]
    title = f"{diagram.game.title} board, {diagram.game.board.title}"
    alternative = in_markup(f"{title}. Stones: {', '.join(counts)}, listed below.")
    return f'<img src="{in_markup(image)}" alt="{alternative}" style="{PICTURE}">'


def _invitation(diagram: Diagram, board: LetterBoard, link: Link) -> Iterator[str]:
    """Yield what to click, in two steps where the board is too large for a telephone.

    What has no links is asked for by a mail of its own, ready to be sent as well.
    """
    parts = board.parts()
    linked = [part for part in parts if part.name in board.linked]
    what = "Click or tap an empty cell and send the mail that opens."
    if diagram.game.stones_due(diagram.position) > 1:
        what = "Click or tap an empty cell, add the second one to the mail that opens, and send it."
    if board.linked:
        yield f"<p>{what}</p>"
    words = ((word, link(word)) for word in answers_to(diagram))
    yield f'<p class="n">Instead of a move: {_buttons(words)}</p>'
    if linked and not board.is_narrow:
        places = ((part.name, f"#{part.id}") for part in linked)
        yield f'<p class="n c">Choose a {board.kind}, then a cell:<br>\n{_buttons(places)}</p>'
    if len(linked) < len(parts):
        more = ((p.name, link(f"{CELLS} {p.name}")) for p in parts if p not in linked)
        yield (
            f'<p class="n">This mail would be too large with links in every {board.kind}. Choose'
            f" another one, send the mail that opens, and its cells come as links:<br>\n"
            f"{_buttons(more)}</p>"
        )


def _buttons(links: Iterable[tuple[str, str]]) -> str:
    return "\n".join(
        f'<a href="{in_markup(url)}" style="{BUTTON}">{word}</a>' for word, url in links
    )
