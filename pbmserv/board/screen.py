"""The screen of a board: the drawing, what stands beside it or in its place, what can be done."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import NamedTuple

from pbmserv.board.actions import key_lines
from pbmserv.board.frame import (
    Frame,
    Hit,
    Line,
    Size,
    Span,
    Tone,
    line_of,
    named_within,
    told_lines,
    wrapped,
)
from pbmserv.board.play_session import Session
from pbmserv.board.table import BIGGEST, Look, Table, extent, merged, table_of
from pbmserv.engine.board import Cell
from pbmserv.engine.game import Game
from pbmserv.engine.position import EMPTY, Position, Side
from pbmserv.engine.score import Score
from pbmserv.render.score_change import change_lines
from pbmserv.render.score_lines import sheet_lines
from pbmserv.render.text import GLYPHS
from pbmserv.render.view import (
    move_lines,
    options_words,
    score_words,
    standing_words,
    warning_lines,
)

LEAST = Size(40, 12)
"""Nothing smaller can be played on."""
PANEL = 30
"""The fewest columns that what stands beside the board needs, ..."""
WIDEST_PANEL = 52
"""... and the most it takes."""
LEAST_UNDER = 6
"""The fewest lines that are worth showing under the board."""
MARGIN = 2
"""So many lines and columns are to be seen on each side of the cursor."""
ONE_LINE = 9_999
"""A width at which nothing is broken: it is fitted to the panel afterwards."""
BELOW = 2
"""The lines under the board: what Enter would do, and the keys."""


class Layout(NamedTuple):
    """Where the board lies: how far apart its cells are, the lines it has, the panel's columns.

    ``under`` are the lines of a panel under the board, where there is none beside it.
    """

    scale: int
    height: int
    panel: int
    under: int = 0


def layout(game: Game, size: Size) -> Layout:
    """Return where things go on a screen of this size; without room beside it there is no panel."""
    height = size.height - BELOW - 1
    for scale in range(BIGGEST, 0, -1):
        columns, lines = extent(game, scale)
        room = size.width - columns - 4
        if room >= PANEL and (lines <= height or scale == 1):
            return Layout(scale, height, min(WIDEST_PANEL, room))
    under = height - lines - 1
    return Layout(1, height, 0, under if under >= LEAST_UNDER else 0)


def screen(session: Session, size: Size) -> Frame:
    """Return what is shown of a session."""
    if size.width < LEAST.width or size.height < LEAST.height:
        words = f"Too small: a board needs {LEAST.width} columns and {LEAST.height} lines."
        return Frame(tuple(wrapped(words, size.width)))
    bottom, hits = _bottom(session, size)
    if session.page:
        return _page_frame(session, size, bottom, hits)
    placed = _placed(session, size)
    table, plan = placed.table, placed.plan
    space = Span(" " * placed.gap)
    board = [(space, *row) for row in _board(session, placed, size)]
    body: list[Line] = [*[()] * placed.drop, *board]
    if plan.panel:
        at = placed.gap + max(table.width, extent(session.game, plan.scale)[0]) + 2
        body = _beside(body, placed.gap + table.width, at, _panel(session, plan, table))
    elif plan.under:
        under = Layout(1, plan.under, size.width - 2)
        body += [(Span(" "), *line) for line in _panel(session, under, table)]
    column, line = table.places[session.cursor]
    cursor = (column - placed.left + placed.gap, line - placed.top + placed.drop + 1)
    return Frame(_filled(_title(session, size, plan), body, bottom, size), hits, cursor)


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
    last = min(first + room, len(page))
    title = _title(session, size, layout(session.game, size))
    if len(page) > room:
        title = _titled(session, [f"lines {first + 1} to {last} of {len(page)}"], size)
    return Frame(_filled(title, page[first:], bottom, size), hits, scroll=first)


POINTS = re.compile(r" *(?:[-+]\d+ +)?", re.ASCII)
"""What stands before the words of a line of the sheet."""


def page_lines(session: Session, size: Size) -> list[Line]:
    """Return the page that is open: the keys, the score sheet, or the curve of chances."""
    match session.page:
        case "?":
            return _help(session, size)
        case "s":
            return _sheet(session, size)
    return _curve(session, size)


def _help(session: Session, size: Size) -> list[Line]:
    width = max(len(keys) for keys, _ in key_lines()) + 2
    # The task of a lesson too, which has no room beside the board on a small screen.
    lines = [*wrapped(session.now.task, size.width - 2), ()] if session.now.task else []
    for key, words in key_lines():
        first, *more = wrapped(words, size.width - width - 3)
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
    """Return a line of a sheet in as many as the screen is too narrow for, equally indented."""
    if len(text) < size.width:
        return [line_of(text)]
    found = POINTS.match(text)
    return wrapped(text, size.width - 1, indent=" " * (found.end() if found else 0))


CURVE_LINES = 10


def _curve(session: Session, size: Size) -> list[Line]:
    """Return X's chance after each move as a curve, as far as it is known."""
    count, chances = len(session.now.record.positions), session.curve
    step = max(1, -(-count // (size.width - 10)))
    shown = chances[::step]
    lines: list[Line] = [(), line_of("  The chance of X to win, after each move"), ()]
    for line in range(CURVE_LINES, 0, -1):
        label = {CURVE_LINES: "100 %", CURVE_LINES // 2: " 50 %"}.get(line, "     ")
        bars = "".join("#" if round(c * CURVE_LINES) >= line else " " for c in shown)
        lines.append((Span(f"  {label} "), Span(bars, Tone.OWNED_X)))
    lines.append(line_of(f"    0 % {'-' * -(-count // step)}"))
    lines.append(line_of(f"        move 0 to {count - 1}", Tone.DIM))
    missing = count - len(chances)
    if missing:
        lines.append(line_of(f"  The computer is thinking: {missing} moments to go.", Tone.DIM))
    return lines


class Placed(NamedTuple):
    """The drawing on the screen: its first line and column shown, and what lies above and left."""

    table: Table
    plan: Layout
    top: int
    left: int
    drop: int
    gap: int


def _placed(session: Session, size: Size) -> Placed:
    """Return where the board lies, above a bottom that may need more lines than usual."""
    plan = layout(session.game, size)
    usual = plan.height
    plan = plan._replace(height=usual + BELOW - len(_bottom(session, size)[0]))
    look = Look(session.style, plan.scale, session.shown)
    table = table_of(session.game, session.position, look)
    # A long note moves the board only where it takes the lines that the board needs.
    drop = max(0, min((usual - table.height) // 4, plan.height - table.height))
    column, line = table.places[session.cursor]
    room = size.width - table.width
    return Placed(
        table,
        plan,
        top=_first(line, plan.height, table.height),
        left=_first(column, size.width, table.width),
        drop=0 if plan.under else drop,
        gap=max(0, min(2, room) if plan.panel else room // 2),
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


def _board(session: Session, placed: Placed, size: Size) -> Iterator[Line]:
    """Yield the lines of the board that are shown, each as wide as the others."""
    table = placed.table
    marks = dict.fromkeys(session.marked, "()")
    if session.hovered is not None:
        marks[session.hovered] = "()"
    marks[session.cursor] = "<>"
    for number in range(placed.top, min(placed.top + placed.plan.height, table.height)):
        line = table.line(number, marks, session.chain)
        yield line if table.width <= size.width else _cut(line, placed.left, size.width)


def _cut(line: Line, left: int, width: int) -> Line:
    singles = [Span(text, span.tone, span.marked) for span in line for text in span.text]
    return merged(singles[left : left + width])


def _title(session: Session, size: Size, plan: Layout) -> Line:
    """Return the first line: the game, the moment, and where there is no panel the score."""
    view = session.view
    moment = f"after move {view.record.ply}"
    if session.now.task and not session.now.record.moves:
        moment = ""  # a task has stones that nobody played
    if session.tried is not None:
        moment = f"trying, {moment}".removesuffix(", ")
    elif session.ply is not None:
        moment += f" of {session.now.record.ply}"
    parts = [moment]
    if not (plan.panel or plan.under):
        score = score_of(session.game, session.position)
        points = "  ".join(f"{side} {score.points[side]}" for side in Side)
        parts += ["" if score.is_undecided else points, _change(session)]
    return _titled(session, parts, size)


def _titled(session: Session, parts: Sequence[str], size: Size) -> Line:
    """Return a first line with as many of these parts, the first ones first, as have room.

    Parts are left out whole, and so are the game's options; a number stays with its name.
    """

    def has_room(*texts: str) -> bool:
        return len("   ".join(filter(None, texts))) + 2 <= size.width

    needed = len(parts[0]) + 3 if parts[0] else 0
    title = named_within(session.now.title, size.width - 2 - needed)
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


def _change(session: Session) -> str:
    """Return what a stone under the cursor would change, in a word: ``F6: X +2``."""
    after = _after(session)
    if after is None:
        return ""
    name = session.game.board.names[session.pointed]
    before, score = score_of(session.game, session.position), score_of(session.game, after)
    gained = [f"{s} {d:+d}" for s in Side if (d := score.points[s] - before.points[s])]
    return f"{name}: {' '.join(gained) or 'no change'}"


def _after(session: Session) -> Position | None:
    """Return the position with a stone on the cell that is pointed at, if one can be placed."""
    if session.is_over or session.position.stones[session.pointed] != EMPTY:
        return None
    return with_stone(session.game, session.position, session.pointed)


@lru_cache(maxsize=8)
def with_stone(game: Game, position: Position, cell: Cell) -> Position:
    """Return the position with one more stone of the side to move."""
    after = position.after(game.placing((cell,)))
    return after.with_trace(game.follow(after, (cell,)))


def _panel(session: Session, plan: Layout, table: Table) -> list[Line]:
    width = plan.panel
    above, below = (_task, _players, _standing), (_advice, _thoughts, _pointed, _around)
    head = [line for part in above for line in part(session, width)]
    legend = wrapped("; ".join(table.legend), width, Tone.DIM) if session.shown else []
    tail = [*(line for part in below for line in part(session, width)), (), *legend]
    room = plan.height - len(head) - len(tail)
    return [*head, *_moves(session, width, room), *tail]


def _players(session: Session, width: int) -> Iterator[Line]:
    view = session.view
    glyphs = GLYPHS[session.style]
    for side, glyph, tone in ((Side.X, glyphs.x, Tone.X), (Side.O, glyphs.o, Tone.O)):
        name = view.names[side] or ""
        mark = side.value if glyph == side.value else f"{side} {glyph}"
        turn = "  to move" if view.to_move is side else ""
        yield Span(mark, tone), Span(f" {name}"[: width - len(turn) - 4]), Span(turn, Tone.STRONG)
    for text in session.now.beside:
        yield from wrapped(text, width, Tone.DIM)


def _task(session: Session, width: int) -> Iterator[Line]:
    if session.now.task:
        yield from wrapped(session.now.task, width)
        yield ()


def _standing(session: Session, width: int) -> Iterator[Line]:
    view, score = session.view, score_of(session.game, session.position)
    yield ()
    for part in (*standing_words(view, score).split("\n"), *warning_lines(view, score)):
        yield from wrapped(part, width)
    if view.closing:
        yield from wrapped(view.closing, width, Tone.STRONG)
    if session.now.offered and session.is_now:
        yield from wrapped(f"{session.now.offered}: = answers.", width, Tone.ASKED)


def _pointed(session: Session, width: int) -> Iterator[Line]:
    """Yield what there is to know of the cell under the mouse or the cursor."""
    cell, position = session.pointed, session.position
    name = session.game.board.names[cell]
    yield ()
    if position.stones[cell] != EMPTY:
        side = Side.X if position.stones[cell] == Side.X.stone else Side.O
        yield line_of(f"{name}: a stone of {side}", Tone.STRONG)
        for tally in score_of(session.game, position).sheet:
            if cell in tally.cells:
                yield from wrapped(f"{tally.title}: {tally.why} ({tally.points:+d})", width)
        return
    after = _after(session)
    if after is None:
        yield line_of(f"{name}: empty", Tone.STRONG)
        return
    yield line_of(f"{name}: a stone of {position.to_move} there", Tone.STRONG)
    before, score = score_of(session.game, position), score_of(session.game, after)
    for text in change_lines(before, score, width=ONE_LINE)[1:]:
        yield from wrapped(text.strip(), width, indent="  ")


def _moves(session: Session, width: int, room: int) -> list[Line]:
    record = session.view.record
    if room < 2 or not record.texts:
        return []
    return [(), *_move_lines(record.sides, record.texts, width)[1 - room :]]


@lru_cache(maxsize=8)
def _move_lines(movers: tuple[Side, ...], moves: tuple[str, ...], width: int) -> tuple[Line, ...]:
    columns = max(1, width // 15)
    texts = [
        f"{number:>3} {side} {text}"
        for number, (side, text) in enumerate(zip(movers, moves, strict=True), start=1)
    ]
    return tuple(
        line_of("".join(text.ljust(15) for text in texts[first : first + columns]).rstrip())
        for first in range(0, len(texts), columns)
    )


def _advice(session: Session, width: int) -> Iterator[Line]:
    if session.advice:
        yield ()
    for text in session.advice:
        yield from wrapped(text, width, indent="  ")


def _thoughts(session: Session, width: int) -> Iterator[Line]:
    """Yield what the computer thinks: who is likely to win as a bar, and its best line."""
    if not session.thinks:
        return
    yield ()
    thoughts = session.thoughts
    if thoughts is None:
        yield line_of("The computer is thinking ...", Tone.DIM)
        return
    room = width - 12
    filled = round(thoughts.chance * room)
    yield (
        Span(f"X {100 * thoughts.chance:3.0f} % "),
        Span("#" * filled, Tone.X),
        Span("-" * (room - filled), Tone.O),
        Span(" O"),
    )
    for text in thoughts.lines:
        yield from wrapped(text, width, Tone.DIM, indent="  ")


def _around(session: Session, width: int) -> Iterator[Line]:
    for text in session.now.said[-3:]:
        yield ()
        yield from wrapped(text, width)


def _bottom(session: Session, size: Size) -> tuple[list[Line], tuple[Hit, ...]]:
    """Return the last two lines: what Enter would do, and a note or the keys to be clicked."""
    hits: list[Hit] = []
    last = size.height - 1
    prompt = session.prompt
    if prompt is not None:
        typed = f"{prompt.label}{prompt.text}"
        shown = typed[-(size.width - 3) :]
        first: Line = (Span(f" {shown}"), Span(" ", Tone.CHOSEN))
        return [first, _buttons(size, last, hits, PROMPT_KEYS)], tuple(hits)
    typed = f"{session.typed}  " if len(session.typed) > 1 else ""
    tone = Tone.ASKED if session.question is not None else Tone.STRONG
    lines = told_lines(f"{typed}{session.status}", size, tone)
    if session.note:
        notes = told_lines(session.note, size, Tone.STRONG)
    else:
        keys = list(offers(session))
        if (question := session.question) is not None:
            keys = list(QUESTION_KEYS)
            if question.other is not None:
                keys.append((question.other[0], question.other[1].verb))
        notes = [_buttons(size, last, hits, keys)]
    top = size.height - len(lines) - len(notes)
    hits += [Hit(top + number, 0, size.width, "enter") for number in range(len(lines))]
    return [*lines, *notes], tuple(hits)


KEY_NAMES = {"enter": "Enter", "escape": "Esc"}
PROMPT_KEYS = [("enter", "sends it"), ("escape", "drops it")]
QUESTION_KEYS = [("enter", "yes"), ("escape", "no")]


def offers(session: Session) -> Iterator[tuple[str, str]]:
    """Yield what can be done now: the key and its word."""
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
    if now.may_think and not (session.is_over or now.is_waiting):
        yield "h", "hint"
    if now.is_stored:
        yield "n", "next board"
        yield "/", "say"
    if now.record.moves:
        yield "[", "back"
        yield "]", "on"
    yield "s", "score"
    yield "?", "keys"
    yield "q", "leave"


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


ALWAYS = {"?", "q"}
"""The keys that are told in however little room."""


@lru_cache(maxsize=16)
def score_of(game: Game, position: Position) -> Score:
    """Return the score, kept for the next key."""
    return game.score(position)
