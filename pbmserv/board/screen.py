"""The screen of a board: the drawing, the panel or a page, the keys."""

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from pbmserv.board.actions import key_lines
from pbmserv.board.drawn_board import (
    MAX_SCALE,
    BoardStyle,
    DrawnBoard,
    draw_board,
    extent,
    join_spans,
)
from pbmserv.board.frame import (
    Frame,
    Hit,
    Line,
    Size,
    Span,
    Tone,
    columns_of,
    line_of,
    note_lines,
    shorten_name,
    wrap_text,
)
from pbmserv.board.panel import ALL_LINES, change_words, ending_lines, panel_lines, score_of
from pbmserv.board.play_session import Session
from pbmserv.club.written_text import wrap_line
from pbmserv.engine.board import Cell
from pbmserv.engine.game import Game
from pbmserv.render.score_lines import sheet_lines
from pbmserv.render.view import move_lines, options_words, points_shown, score_words

MIN_SIZE = Size(40, 12)
"""Nothing smaller can be played on."""
PANEL = 24
"""The fewest columns that what stands beside the board needs, ..."""
MAX_PANEL = 44
"""... and the most it takes."""
MIN_UNDER = {1: 6, 2: 12}
"""The fewest lines that are worth showing under a board that is drawn so large."""
GAPS = 3
"""The columns left and right of a board that has a panel beside it."""
MARGIN = 2
"""Lines and columns shown around the cursor."""
MAX_PAGE = 76
BELOW = 2
"""The lines under the board: what Enter would do, and the keys."""


class Layout(NamedTuple):
    """The scale and lines of the board, the columns of the panel, the lines of one ``under`` it."""

    scale: int
    height: int
    panel: int
    under: int = 0


def layout(game: Game, size: Size, shows: frozenset[str] = frozenset()) -> Layout:
    """Return the layout with the largest board that leaves room for a panel beside or under it."""
    height, has_rim = size.height - BELOW - 1, "externals" in shows
    extents = {scale: extent(game, scale, has_rim=has_rim) for scale in range(MAX_SCALE, 0, -1)}
    for scale, (columns, lines) in extents.items():
        room, under = size.width - columns - GAPS, height - lines - 1
        if room >= PANEL and (lines <= height or scale == 1):
            return Layout(scale, height, min(MAX_PANEL, room))
        least = MIN_UNDER.get(scale, ALL_LINES)
        if columns <= size.width and under >= least:
            return Layout(scale, height, 0, under)
    return Layout(1, height, 0)


def screen(session: Session, size: Size) -> Frame:
    """Return the frame of a session."""
    if size.width < MIN_SIZE.width or size.height < MIN_SIZE.height:
        words = f"Terminal too small: it needs {MIN_SIZE.width} columns, {MIN_SIZE.height} lines."
        return Frame(tuple(wrap_text(words, size.width)))
    bottom, hits = _bottom(session, size)
    placed = _placed(session, size)
    is_ending = session.page == "g" and bool(placed.plan.panel)
    if session.page and not is_ending:
        return _page_frame(session, size, bottom, hits)
    table, plan = placed.table, placed.plan
    space = Span(" " * placed.gap)
    board = [(space, *row) for row in _board(session, placed, size)]
    body: list[Line] = [*[()] * placed.drop, *board]
    scroll, title = 0, _title(session, size, plan)
    if plan.panel:
        if is_ending:
            panel = ending_lines(session, plan.panel)
            scroll = max(0, min(session.scroll, len(panel) - plan.height))
            title = _scrolled(session, size, scroll, len(panel), plan.height) or title
        else:
            panel = panel_lines(session, plan.panel, plan.height, table.legend)
        body = _beside(body, placed.gap + table.width, placed.beside, panel[scroll:])
    elif plan.under:
        under = panel_lines(session, size.width - 2, plan.under, table.legend)
        body += [(), *((Span(" "), *line) for line in under)]
    column, line = table.places[session.cursor]
    cursor = (column - placed.left + placed.gap, line - placed.top + placed.drop + 1)
    lines = _filled(title, body, bottom, size)
    return Frame(lines, hits, cursor, scroll)


def _filled(title: Line, body: list[Line], bottom: list[Line], size: Size) -> tuple[Line, ...]:
    """Return all lines of a screen, whose body is cut or filled up."""
    room = size.height - 1 - len(bottom)
    return (title, *body[:room], *[()] * (room - len(body)), *bottom)


def _beside(board: list[Line], width: int, at: int, panel: list[Line]) -> list[Line]:
    """Return the lines of a board that is so wide with those of a panel from column ``at`` on."""
    space, after = (Span(" " * at),), Span(" " * (at - width))
    lines = [(*line, after) if line else space for line in board]
    lines += [space] * (len(panel) - len(lines))
    return [(*one, *other) for one, other in zip_longest(lines, panel, fillvalue=())]


def _page_frame(session: Session, size: Size, bottom: list[Line], hits: tuple[Hit, ...]) -> Frame:
    """Return a page in place of the board, which can be scrolled where it is longer."""
    page = page_lines(session, size)
    room = size.height - 1 - len(bottom)
    first = max(0, min(session.scroll, len(page) - room))
    title = _scrolled(session, size, first, len(page), room)
    title = title or _title(session, size, layout(session.game, size, session.shown))
    return Frame(_filled(title, page[first:], bottom, size), hits, scroll=first)


def _scrolled(session: Session, size: Size, first: int, count: int, room: int) -> Line:
    """Return a title with the range of lines shown, empty if all are."""
    if count <= room:
        return ()
    return _titled(session, [f"lines {first + 1} to {min(first + room, count)} of {count}"], size)


POINTS = re.compile(r" *(?:[-+]\d+ +)?", re.ASCII)
"""The points before the words of a line of the sheet."""


def page_lines(session: Session, size: Size) -> list[Line]:
    """Return the lines of the open page: keys, score sheet, end of the game, or the panel."""
    match session.page:
        case "?":
            return _help(session, size)
        case "s":
            return _sheet(session, size)
    width = min(size.width - 2, MAX_PAGE)
    if session.page == "g":
        found = ending_lines(session, width)
    else:
        legend = draw_board(
            session.game, session.position, BoardStyle(session.style, 1, session.shown)
        )
        found = panel_lines(session, width, ALL_LINES, legend.legend)
    return [(Span(" "), *line) for line in found]


def _help(session: Session, size: Size) -> list[Line]:
    width = max(len(keys) for keys, _ in key_lines()) + 2
    # The task or remark too, which has no room beside the board on a small screen.
    lines = [*wrap_text(session.task, size.width - 2), ()] if session.task else []
    for key, words in key_lines():
        first, *more = wrap_text(words, size.width - width - 3)
        lines.append((Span(f"  {key:<{width}}", Tone.KEY), *first))
        lines += [(Span(" " * (width + 2)), *line) for line in more]
    return lines


def _sheet(session: Session, size: Size) -> list[Line]:
    score = score_of(session.game, session.position)
    found = sheet_lines(session.game, score, score_words(session.view, score))
    lines = [line for text in found for line in _fitted(f"  {text}", size)]
    moves = move_lines(session.view, 8, room=size.width - 2)
    return lines + [line_of(f"  {text}", Tone.DIM) for text in ("", *moves)]


def _fitted(text: str, size: Size) -> list[Line]:
    """Return a line of the score sheet, wrapped with its indent."""
    if len(text) < size.width:
        return [line_of(text)]
    found = POINTS.match(text)
    return wrap_text(text, size.width - 1, indent=" " * (found.end() if found else 0))


class Placement(NamedTuple):
    """The visible part of the drawing, and the column where the panel begins."""

    table: DrawnBoard
    plan: Layout
    top: int
    left: int
    drop: int
    gap: int
    beside: int


def _placed(session: Session, size: Size) -> Placement:
    """Return where the board lies, above a bottom that may have more lines than usual."""
    plan = layout(session.game, size, session.shown)
    usual = plan.height
    plan = plan._replace(height=usual + BELOW - len(_bottom(session, size)[0]))
    look = BoardStyle(session.style, plan.scale, session.shown, session.marks)
    table = draw_board(session.game, session.position, look)
    columns, _ = extent(session.game, plan.scale, has_rim="externals" in session.shown)
    columns = max(columns, table.width)
    # A long note moves the board only where it takes the lines that the board needs.
    drop = max(0, min((usual - table.height) // 4, plan.height - table.height))
    column, line = table.places[session.cursor]
    gap = max(0, size.width - columns - (plan.panel + GAPS if plan.panel else 0)) // 2
    gap += 1 if plan.panel else 0
    return Placement(
        table,
        plan,
        top=_first(line, plan.height, table.height),
        left=_first(column, size.width, table.width),
        drop=0 if plan.under else drop,
        gap=gap,
        beside=gap + columns + 2,
    )


def cell_at(session: Session, size: Size, column: int, line: int) -> Cell | None:
    """Return the cell that lies at a place of the screen."""
    placed = _placed(session, size)
    if session.page or not 1 <= line <= placed.plan.height:
        return None
    return placed.table.cell_at(
        column - placed.gap + placed.left, line - placed.drop - 1 + placed.top
    )


def _first(at: int, room: int, whole: int) -> int:
    """Return where a window on a row begins: it jumps by halves of itself, not at every step."""
    beyond = max(0, at + MARGIN + 1 - room)
    half = max(1, room // 2)
    return min(-(-beyond // half) * half, max(0, whole - room))


def _board(session: Session, placed: Placement, size: Size) -> Iterator[Line]:
    """Yield the lines of the board that are shown, each as wide as the others."""
    table = placed.table
    marks = dict.fromkeys(session.marked, "()")
    if session.hovered is not None:
        marks[session.hovered] = "()"
    if not session.page:
        marks[session.cursor] = "<>"
    for number in range(placed.top, min(placed.top + placed.plan.height, table.height)):
        line = table.line(number, marks, session.chain)
        yield line if table.width <= size.width else _cut(line, placed.left, size.width)


def _cut(line: Line, left: int, width: int) -> Line:
    singles = [Span(text, span.tone, span.marked) for span in line for text in span.text]
    return join_spans(singles[left : left + width])


def _title(session: Session, size: Size, plan: Layout) -> Line:
    """Return the first line: the game, the moment, and where there is no panel the score."""
    view = session.view
    moment = f"after move {view.record.ply}"
    if session.task and not session.now.record.moves:
        moment = ""  # a task has stones that nobody played
    if session.tried is not None:
        moment = f"trying, {moment}".removesuffix(", ")
    elif session.ply is not None:
        moment += f" of {session.now.record.ply}"
    parts = [moment]
    if not (plan.panel or plan.under):
        points = points_shown(view.record, score_of(session.game, session.position)) or {}
        left = f"{session.now.left} left" if session.now.left and session.is_now else ""
        told = "  ".join(f"{side} {value}" for side, value in points.items())
        parts += [told, left, change_words(session)]
    return _titled(session, parts, size)


def _titled(session: Session, parts: Sequence[str], size: Size) -> Line:
    """Return a title with as many of the parts as fit, whole; then options, if they fit."""

    def has_room(*texts: str) -> bool:
        return len("   ".join(filter(None, texts))) + 2 <= size.width

    needed = len(parts[0]) + 3 if parts[0] else 0
    title = shorten_name(session.now.title, size.width - 2 - needed)
    if not has_room(title, *parts):
        parts = [part.replace("after ", "") for part in parts]
    while len(parts) > 1 and not has_room(title, *parts):
        parts = parts[:-1]
    if not has_room(title, *parts):
        parts = [parts[0].removeprefix("trying, ")]
    right = "   ".join(filter(None, reversed(parts)))
    named = f"{title} ({options_words(session.game)})"
    left = named if options_words(session.game) and has_room(named, right) else title
    return line_of(f" {left:<{size.width - len(right) - 2}}{right} "[: size.width], Tone.TITLE)


def _bottom(session: Session, size: Size) -> tuple[list[Line], tuple[Hit, ...]]:
    """Return the last lines: what Enter does, and a note or the keys to click."""
    hits: list[Hit] = []
    last = size.height - 1
    prompt = session.prompt
    if prompt is not None:
        room = size.width - 3
        *above, label = wrap_line(prompt.label, room)
        if columns_of(label) + 1 + columns_of(prompt.text) > room:
            above, label = [*above, label], ""
        shown = f"{label} {prompt.text}".lstrip()[-room:]
        lines = [line_of(f" {text}") for text in above]
        lines.append((Span(f" {shown}"), Span(" ", Tone.CHOSEN)))
        return [*lines, _buttons(size, last, hits, PROMPT_KEYS)], tuple(hits)
    typed = f"{session.typed}  " if len(session.typed) > 1 else ""
    tone = Tone.ASKED if session.question is not None else Tone.STRONG
    plan = layout(session.game, size, session.shown)
    lines = note_lines(f"{typed}{session.status}", size, tone)
    if session.note:
        notes = note_lines(session.note, size, Tone.STRONG)
    else:
        keys = list(offers(session))
        if (question := session.question) is not None:
            keys = list(QUESTION_KEYS)
            if question.other is not None:
                keys.append((question.other[0], question.other[1].verb))
        elif not (plan.panel or plan.under or session.page):
            keys.insert(-3, ("m", "more"))
        notes = [_buttons(size, last, hits, keys)]
    top = size.height - len(lines) - len(notes)
    hits += [Hit(top + number, 0, size.width, "enter") for number in range(len(lines))]
    return [*lines, *notes], tuple(hits)


KEY_NAMES = {"enter": "Enter", "escape": "Esc"}
PROMPT_KEYS = [("enter", "send"), ("escape", "cancel")]
QUESTION_KEYS = [("enter", "yes"), ("escape", "no")]


def offers(session: Session) -> Iterator[tuple[str, str]]:
    """Yield the keys that do something now, each with its word."""
    now = session.now
    yield from _offers_of_turn(session)
    if now.may_think and not (session.is_over or now.is_waiting):
        yield "h", "hint"
    if now.is_stored:
        yield "n", "next board"
        yield "/", "say"
    if now.record.outcome is not None and not now.task:
        yield "g", "the end"
    if now.record.moves:
        yield "[", "back"
        yield "]", "on"
    yield "s", "score"
    yield "?", "keys"
    yield "q", "leave"


def _offers_of_turn(session: Session) -> Iterator[tuple[str, str]]:
    """Yield the keys that change the game."""
    now = session.now
    if session.tried is not None or session.ply is not None:
        yield "escape", "back"
    elif session.is_my_turn:
        yield "p", "pass"
        if session.game.may_swap(session.position):
            yield "w", "swap"
    if now.mine and now.record.moves and now.record.outcome is None and not now.task:
        yield "u", "undo"
        yield "r", "resign"


def _buttons(size: Size, line: int, hits: list[Hit], keys: list[tuple[str, str]]) -> Line:
    """Return keys with their words, as many as there is room for; note where each lies."""
    spans, column = [Span(" ")], 1
    kept = sum(len(key) + len(word) + 3 for key, word in keys if key in ALWAYS)
    for key, word in keys:
        name = KEY_NAMES.get(key, key)
        width = len(name) + len(word) + 3
        kept -= width if key in ALWAYS else 0
        if column + width + kept > size.width and key not in ALWAYS:
            continue
        spans += [Span(name, Tone.KEY), Span(f" {word}  ", Tone.DIM)]
        hits.append(Hit(line, column, column + width - 1, key))
        column += width
    return tuple(spans)


ALWAYS = {"m", "?", "q"}
"""Keys that are shown however little room there is."""
