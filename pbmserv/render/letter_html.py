"""Letters as HTML: what happened, deadline and aim; then picture, board to tap, answers, rest."""

import math
import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from pbmserv.club.letter import (
    CELLS,
    FRAME,
    IN_COLUMNS,
    MARK,
    Diagram,
    Letter,
    Piece,
    PieceKind,
    join_pieces,
)
from pbmserv.club.written_text import escape_html
from pbmserv.engine.game import JOINT
from pbmserv.engine.position import Side
from pbmserv.render import letter_board
from pbmserv.render.board_letters import WayOn, aim_words, answers_to, wrap_lines
from pbmserv.render.colours import DARK_PAPER, LIGHT, LIGHT_PAPER
from pbmserv.render.letter_board import SANS, SERIF, LetterBoard, Link
from pbmserv.render.picture import draw

MIN_WIDTH = 640
"""Pixels of a page, unless its board is wider."""

PAGE = f"margin:auto;padding:10px 4px;overflow-wrap:anywhere;font:16px/1.45 {SANS}"
HEAD = f"margin:2px 0 4px;font:600 25px/1.2 {SERIF}"
INVITATION = f"margin:0 0 8px;font:600 19px/1.2 {SERIF}"
FAINT = "margin:0 0 4px;font-size:14px"
TABLE = 'tabindex="0" style="font:12px/1.4 monospace;overflow-x:auto"'
INDENTED = 'style="font:12px/1.4 monospace;white-space:pre-wrap"'
QUOTATION = f"margin:0 0 1em;padding-left:12px;border-left:3px solid {LIGHT.frame}"
PICTURE = "display:block;width:100%;max-width:420px;height:auto;margin:0 auto 14px;border:0"
BUTTON = (
    f"display:inline-block;padding:9px 14px;margin:0 4px 8px 0;border:1px solid {LIGHT.frame};"
    "border-radius:9px;text-decoration:none;font-weight:600"
)

STYLE = (
    f"body,.m{{background:{LIGHT_PAPER.page};color:{LIGHT_PAPER.ink}}}"
    f".q{{color:{LIGHT_PAPER.faint}}}.n a{{color:{LIGHT_PAPER.link}}}.m p{{margin:0 0 12px}}"
)
DARK_STYLE = (
    "@media(prefers-color-scheme:dark)"
    f"{{body,.m{{background:{DARK_PAPER.page}!important;color:{DARK_PAPER.ink}!important}}"
    f".q{{color:{DARK_PAPER.faint}}}.n a{{color:{DARK_PAPER.link}!important}}"
    f"{letter_board.DARK_STYLE}}}"
)
DARK_PICTURE = (
    "@media(prefers-color-scheme:dark)"
    "{img{filter:invert(.9)hue-rotate(180deg)saturate(1.6)brightness(1.15)}}"
)
"""Its pale tiles are dark then, X is still blue and O amber, its labels are readable."""

HEADING = (PieceKind.NEWS, PieceKind.DEED, PieceKind.TURN)
"""What the heading of a page about a board says."""

IN_HEAD = {*HEADING, *FRAME, PieceKind.COMMENT, PieceKind.UNTIL, PieceKind.AIM}
"""What such a page says at a place of its own, or shows by itself."""

LABELS = {
    "propose": "Propose a draw",
    "undo": "Ask for an undo",
    "resign": "Resign \N{HORIZONTAL ELLIPSIS}",
}
"""What buttons say that write other words than their own."""

BREAK = r"((?=.{999}).{1,900}) "
LONG_WORD = r"((?:&#?\w+;|[^\s&<>]){90})"
"""Where lines are broken of which SMTP allows 998 bytes: at a blank, or unseen within a word."""
IN_BASE64 = 4 / 3 * 78 / 76
"""What a byte becomes in base64, with the ends of lines."""


def letter_html(
    letter: Letter,
    image: str | None,
    link: Link | None,
    room: float = math.inf,
    way_on: WayOn | None = None,
) -> str:
    """Return the letter as a page of HTML that loads and runs nothing, in ASCII if that is shorter.

    ``image`` is the URL of the picture in the same mail; ``link`` makes cells clickable where the
    letter allows it. ``way_on`` is a button above the board. A page of more than ``room`` bytes
    has links in a part of the board, and if need be no more of its cells. It can be
    read and clicked without its style sheets, too.
    """
    diagram = letter.diagram
    above = (*_above(letter), *_onward(way_on))
    if diagram is None or image is None:
        return _page(letter, [*above, *_pieces(letter.below)])
    board = LetterBoard(draw(diagram.game, diagram.position, owners=diagram.shows_owners))
    first, below = (*above, _picture(diagram, image)), _below(letter)
    if not diagram.is_clickable or link is None:
        last = tuple(_pieces(below))
        still = _page(letter, [*first, *board.html(lambda _: ""), *last], board)
        return still if bytes_in_mail(still) <= room else _page(letter, [*first, *last])
    # The first of two stones leaves the joint behind, for the reader to go on from.
    more = JOINT if diagram.game.stones_due(diagram.position) > 1 else ""
    by_hand = [piece for piece in below if piece[0] is PieceKind.ANSWERS]
    below = [piece for piece in below if piece not in by_hand]

    def cell_link(cell: str) -> str:
        return link(f"{cell}{more}")

    def page() -> str:
        shown = (*_invitation(diagram, board), *board.html(cell_link))
        answers = (*_other_cells(board, link), _answers(diagram, link), *_pieces(by_hand))
        return _page(letter, [*first, *shown, *answers, *_pieces(below)], board)

    board.linked = board.names
    full = page()
    if bytes_in_mail(full) <= room:
        return full
    for shown in ([],) if board.is_too_wide else (board.names, []):
        board.unlink(shown)
        board.link_some(cell_link, room - bytes_in_mail(page()), diagram.part)
        if board.linked:
            break
    return page()


def _page(letter: Letter, body: Iterable[str], board: LetterBoard | None = None) -> str:
    width = MIN_WIDTH if board is None else max(MIN_WIDTH, board.width)
    page = (
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width">',
        '<meta name="color-scheme" content="light dark">',
        '<meta name="supported-color-schemes" content="light dark">',
        f"<title>{escape_html(letter.subject)}</title>",
        f"<style>:root{{color-scheme:light dark}}{STYLE}",
        *([letter_board.STYLE] if board is not None else []),
        f"{DARK_STYLE}{DARK_PICTURE if letter.diagram else ''}</style></head>",
        '<body style="margin:0">',
        f'<div class="m" role="main" style="max-width:{width}px;{PAGE}">',
        *body,
        "</div></body></html>",
        "",
    )
    text = "\n".join(page)
    ascii_text = re.sub(BREAK, r"\1\n", text.encode("ascii", "xmlcharrefreplace").decode("ascii"))
    return ascii_text if text.isascii() else min(ascii_text, text, key=bytes_in_mail)


def _is_of_turn(letter: Letter) -> bool:
    """Tell whether the page begins with what happened at the board, and not with the subject."""
    return letter.diagram is not None and any(kind is PieceKind.TURN for kind, _ in letter.above)


def _above(letter: Letter) -> Iterable[str]:
    """Return the text above the picture."""
    if _is_of_turn(letter):
        return _above_board(letter)
    return (
        f'<h1 class="q" style="{FAINT}">{escape_html(letter.subject)}</h1>',
        *_pieces(letter.above),
    )


def _above_board(letter: Letter) -> Iterator[str]:
    """Yield what happened at the board, until when to move, and what for."""
    told = dict.fromkeys(PieceKind, "")
    for kind, text in letter.above:
        told[kind] += f" {text}" if told[kind] else text
    game = told[PieceKind.GAME].split("\n")
    if letter.diagram is not None and not letter.diagram.shows_owners:
        game.append(f"Move {letter.diagram.position.ply + 1}")
    shown = " \N{MIDDLE DOT} ".join(map(_unbroken, game))
    yield f'<p class="q" style="{FAINT}">{shown}</p>'
    head = (told[kind].replace("\n", " ") for kind in HEADING)
    yield f'<h1 style="{HEAD}">{escape_html(" ".join(filter(None, head)))}</h1>'
    until = f"<b>{escape_html(told[PieceKind.UNTIL])}</b>" if told[PieceKind.UNTIL] else ""
    if what_for := " ".join(filter(None, (until, _aim(letter.diagram)))):
        yield f"<p>{what_for}</p>"
    yield from _pieces(piece for piece in letter.above if piece[0] not in IN_HEAD)


def _aim(diagram: Diagram | None) -> str:
    if diagram is None or not diagram.is_clickable:
        return ""
    return escape_html(aim_words(diagram.game, diagram.position.to_move))


def _below(letter: Letter) -> list[Piece]:
    """Return the last part: for a board its moves, too."""
    moves = [piece for piece in letter.above if piece[0] is PieceKind.MOVES]
    return [*(moves if _is_of_turn(letter) else ()), *letter.below]


def _pieces(pieces: Iterable[Piece]) -> Iterator[str]:
    """Yield pieces as paragraphs, tables and moves; words that follow each other flow together."""
    for is_words, found in groupby(pieces, lambda piece: piece[0] not in IN_COLUMNS):
        if is_words:
            yield from _words(join_pieces(found)[0])
            continue
        for kind, text in found:
            is_table = kind is PieceKind.TABLE
            yield (
                f"<pre {TABLE}>{escape_html(wrap_lines(text))}</pre>" if is_table else _moves(text)
            )


def _moves(text: str) -> str:
    """Return numbered moves in columns as a paragraph, of which none is broken."""
    moves = re.split(r"\s+(?=\d+\. )", text.strip())
    return f"<p>{'&ensp; '.join(map(_unbroken, moves))}</p>"


def _unbroken(text: str) -> str:
    return escape_html(text).replace(" ", "&nbsp;")


def bytes_in_mail(text: str) -> float:
    """Return how many bytes a text takes in a mail: those of ASCII, or else in base64."""
    return len(text) + text.count("\n") if text.isascii() else len(text.encode()) * IN_BASE64


def _words(text: str) -> Iterator[str]:
    """Yield whole lines as paragraphs that fit any width."""
    for block in filter(None, re.split(r"\n{2,}", text.strip("\n"))):
        lines = block.split("\n")
        for is_quoted, found in groupby(lines, key=lambda line: line.startswith(MARK)):
            if is_quoted:
                said = _flowing(line[2:] for line in found)
                yield f'<blockquote style="{QUOTATION}">{said}</blockquote>'
            else:
                yield _paragraph(list(found))


def _paragraph(lines: list[str]) -> str:
    """Return lines as a paragraph, or just as they are if some are indented."""
    if any(line.startswith(" ") for line in lines):
        return f"<pre {INDENTED}>{escape_html(wrap_lines(chr(10).join(lines)))}</pre>"
    return f"<p>{_flowing(lines)}</p>"


def _flowing(lines: Iterable[str]) -> str:
    """Return lines as HTML that may be broken anywhere; blanks within them are kept."""
    shown = (escape_html(line).replace("  ", "&nbsp; ") for line in lines)
    return "<br>\n".join(re.sub(LONG_WORD, r"\1<wbr\n>", line) for line in shown)


def _picture(diagram: Diagram, image: str) -> str:
    counts = [f"{len(diagram.position.cells_of(side))} of {side.value}" for side in Side]
    title = f"{diagram.game.title} board, {diagram.game.board.title}"
    alternative = escape_html(f"{title}. Stones: {', '.join(counts)}, listed below.")
    return f'<img src="{escape_html(image)}" alt="{alternative}" style="{PICTURE}">'


def _invitation(diagram: Diagram, board: LetterBoard) -> Iterator[str]:
    """Yield what to tap, first the sector where the board is shown by sectors."""
    if not board.linked:
        return
    what = "Tap a cell, send the mail that opens"
    if diagram.game.stones_due(diagram.position) > 1:
        what = "Tap a cell, add the second one to the mail that opens, and send it"
    yield f'<h2 style="{INVITATION}">{what}</h2>'
    if board.places:
        places = ((name, f"#{place}") for name, place in board.places if name in board.linked)
        yield f'<p class="n" style="margin:0">Your sector: {_buttons(places)}</p>'
        beside = "Faint cells on the right belong to the next sector."
        yield f'<p class="q" style="{FAINT}">{beside}</p>'


def _onward(way_on: WayOn | None) -> Iterator[str]:
    if way_on is not None:
        yield f'<p class="n">{_buttons([way_on])}</p>'


def _other_cells(board: LetterBoard, link: Link) -> Iterator[str]:
    """Yield by which mails the cells are asked for that have no links."""
    if len(board.linked) < len(board.names):
        more = ((n, link(f"{CELLS} {n}")) for n in board.names if n not in board.linked)
        yield (
            f'<p class="n">This mail would be too large with links in every {board.kind}. Choose '
            "another one and send the mail that opens; the answer has links in it:<br>\n"
            f"{_buttons(more)}</p>"
        )


def _answers(diagram: Diagram, link: Link) -> str:
    """Return the buttons that answer without a cell."""
    words = answers_to(diagram)
    buttons = _buttons((LABELS.get(word, word.capitalize()), link(word)) for word in words)
    return f'<p class="n" style="margin:14px 0 4px">{buttons}</p>'


def _buttons(links: Iterable[tuple[str, str]]) -> str:
    return "\n".join(
        f'<a href="{escape_html(url)}" style="{BUTTON}">{word}</a>' for word, url in links
    )
