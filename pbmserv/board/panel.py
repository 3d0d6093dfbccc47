"""The panel beside the board: the players, the score, the cell, the moves."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from pbmserv.board.drawn_board import chain_of
from pbmserv.board.frame import Line, Span, Tone, line_of, width_of, wrap_text
from pbmserv.board.play_session import Session
from pbmserv.engine.board import Cell
from pbmserv.engine.game import Game
from pbmserv.engine.position import EMPTY, Position, Side
from pbmserv.engine.score import Score
from pbmserv.render.curve import HIGH, TITLE, curve_rows
from pbmserv.render.score_lines import change_document, change_lines, prospect_lines
from pbmserv.render.text import GLYPHS, Style
from pbmserv.render.view import points_shown, score_words, warning_lines

MIN_FRAMED = 18
"""A panel of fewer lines has its players without frames."""
MIN_MOVES = 4
"""Lines reserved for the moves, before the clocks and the legend."""
ALL_LINES = 9_999
"""A height in which all moves have room."""
ONE_LINE = 9_999
"""A width at which nothing is broken: it is fitted to the panel afterwards."""
WIDE = 60
"""Columns from which a curve is 10 lines high; below, 6."""


class Signs(NamedTuple):
    """The characters of a style: both players' frames, clockwise corners first, and of bars."""

    frames: dict[Side, tuple[str, ...]]
    full: str
    rest: str
    heights: str


SIGNS: dict[Style, Signs] = {
    "ascii": Signs({Side.X: tuple("++++-|"), Side.O: tuple("####=#")}, "#", "-", " #"),
    "unicode": Signs({Side.X: tuple("┏┓┗┛━┃"), Side.O: tuple("╔╗╚╝═║")}, "▰", "▱", " ▁▂▃▄▅▆▇█"),
}

TONES = {Side.X: (Tone.X, Tone.EDGE_X), Side.O: (Tone.O, Tone.EDGE_O)}


def panel_lines(session: Session, width: int, height: int, legend: Iterable[str]) -> list[Line]:
    """Return the lines of the panel; the moves take the room that is left."""
    players = _cards if height >= MIN_FRAMED and not session.task else _players
    found: list[Line] = []
    for part in (_task, players, _standing, _pointed, _advice, _thoughts, _said):
        for line in part(session, width):
            if line or (found and found[-1]):  # between two parts there is one empty line
                found.append(line)
    if any(found[height:]):
        return [*found[: height - 1], line_of("(m: more)", Tone.KEY)]
    kept = min(MIN_MOVES, len(_moves(session, width, ALL_LINES)))
    tail: list[Line] = []
    now = session.now
    for text in ("; ".join(legend) if session.shown else "", *now.beside, *now.notes):
        lines = wrap_text(text, width, Tone.DIM) if text else []
        if len(found) + kept + len(tail) + len(lines) < height:
            tail += lines
    moves = _moves(session, width, height - len(found) - len(tail) - 1)
    return [*found, *moves, (), *tail]


def _task(session: Session, width: int) -> Iterator[Line]:
    if session.task:
        yield from wrap_text(session.task, width)
        yield ()


def _players(session: Session, width: int) -> Iterator[Line]:
    """Yield a line for each player where there is no room for more."""
    view = session.view
    for side in Side:
        name, points = view.names[side] or "", _points(session, side)
        turn = "" if view.to_move is side.other else _turn(session, side)
        told = "  ".join(filter(None, (turn, points)))
        room = width - len(told) - len(_sign(session, side)) - 3
        yield (
            Span(_sign(session, side), TONES[side][0]),
            Span(f" {name[:room]:<{room}}  "),
            Span(told, Tone.STRONG),
        )


def _cards(session: Session, width: int) -> Iterator[Line]:
    """Yield the players as cards: X in a single frame, O in a double one."""
    view = session.view
    for side in Side:
        stone, edge = TONES[side]
        left, right, lower, corner, level, upright = SIGNS[session.style].frames[side]
        sign, inner = _sign(session, side), width - 4
        rest = level * (width - len(sign) - 5)
        yield (Span(left + level, edge), Span(f" {sign} ", stone), Span(rest + right, edge))
        name, aim = view.names[side], session.game.goal_of(side)
        turn, points = _turn(session, side), _points(session, side)
        left_time = session.now.left if session.is_now and view.to_move is side else ""
        tone = Tone.STRONG if turn in {"to move", "won"} else Tone.DIM
        lines = list(_between(name, points, inner)) if name else []
        lines += wrap_text(aim, inner, Tone.DIM) if aim and view.to_move else []
        lines += _between(turn, left_time if name else points, inner, tone)
        for line in lines:
            gap = " " * (inner - width_of(line))
            yield (Span(f"{upright} ", edge), *line, Span(gap), Span(f" {upright}", edge))
        yield line_of(lower + level * (width - 2) + corner, edge)


def _between(left: str, right: str, width: int, tone: Tone = Tone.PLAIN) -> Iterator[Line]:
    """Yield a text with another at the right end of its first line."""
    first, *more = wrap_text(left, width - len(right) - 1, tone)
    gap = " " * (width - width_of(first) - len(right))
    yield (*first, Span(gap), Span(right, Tone.STRONG))
    yield from more


def _sign(session: Session, side: Side) -> str:
    glyphs = GLYPHS[session.style]
    glyph = glyphs.x if side is Side.X else glyphs.o
    return side.value if glyph == side.value else f"{side} {glyph}"


def _points(session: Session, side: Side) -> str:
    """Return the points of a side; "" if points do not count or most of the board is empty."""
    points = points_shown(session.view.record, score_of(session.game, session.position))
    return str(points[side]) if points and not session.view.is_open else ""


def _turn(session: Session, side: Side) -> str:
    to_move, outcome = session.view.to_move, session.view.record.outcome
    if to_move is not None or outcome is None:
        return "to move" if to_move is side else "waiting"
    return {side: "won", None: "a draw"}.get(outcome.winner, "lost")


def _standing(session: Session, width: int) -> Iterator[Line]:
    """Yield the score as a bar, what can become of it, and how the game ended."""
    view, score = session.view, score_of(session.game, session.position)
    yield ()
    if view.to_move is None:
        yield from wrap_text(score_words(view, score), width)
    elif not (view.is_open or score.is_undecided or score.feat):
        yield bar_line(session.style, _share(score), width)
        yield line_of("if the game ended now", Tone.DIM)
    for text in prospect_lines(score, view.settled):
        yield from wrap_text(text, width)
    for part in warning_lines(view, score):
        yield from wrap_text(part, width)
    if view.closing:
        yield from wrap_text(view.closing, width, Tone.STRONG)
    if session.now.offered and session.is_now:
        yield from wrap_text(f"{session.now.offered}.", width, Tone.ASKED)
        if session.now.acceptance:
            yield line_of("Press = to answer.", Tone.ASKED)


def _share(score: Score) -> float:
    """Return X's share of the points, of which some may be below 0."""
    x, o = (score.points[side] - min(0, *score.points.values()) for side in Side)
    return x / (x + o) if x + o else 0.5


def bar_text(style: Style, share: float, width: int) -> str:
    """Return a bar of which so large a share is full, and all of it only where all is."""
    signs = SIGNS[style]
    full = min(int(share * width + 0.5), width if share >= 1 else width - 1)
    return signs.full * full + signs.rest * (width - full)


def bar_line(style: Style, share: float, width: int) -> Line:
    """Return a bar of which X has a share and O has the rest."""
    signs, room = SIGNS[style], width - 4
    full = round(share * room)
    return (
        Span("X "),
        Span(signs.full * full, Tone.EDGE_X),
        Span(signs.rest * (room - full), Tone.EDGE_O),
        Span(" O"),
    )


def _pointed(session: Session, width: int) -> Iterator[Line]:
    """Yield the lines about the cell under the mouse or the cursor."""
    cell, position = session.pointed, session.position
    name = session.game.board.names[cell]
    yield ()
    if position.stones[cell] != EMPTY:
        side = Side.X if position.stones[cell] == Side.X.stone else Side.O
        yield line_of(f"{name}: a stone of {side}", Tone.STRONG)
        for tally in score_of(session.game, position).sheet:
            if cell in tally.cells:
                yield from wrap_text(f"{tally.title}: {tally.why} ({tally.points:+d})", width)
        return
    after = _after(session)
    if after is None:
        yield line_of(f"{name}: empty", Tone.STRONG)
        return
    yield line_of(f"{name}: if {position.to_move} plays here", Tone.STRONG)
    yield from wrap_text(_joining(session.game, position, after, cell), width, indent="  ")
    before, score = score_of(session.game, position), score_of(session.game, after)
    gained = change_document(before, score)
    if not any(gained.values()):
        if not score.is_undecided:
            yield line_of("no change of score")
        return
    for text in change_lines(before, score, width=ONE_LINE)[1:]:
        if not text.endswith("(no change)"):
            yield from wrap_text(text.strip(), width, indent="  ")


def _joining(game: Game, position: Position, after: Position, cell: Cell) -> str:
    """Return how a stone on a cell joins the mover's chains."""
    chain, stone = chain_of(game, after, cell), after.stones[cell]
    own = [other for other in game.board.neighbours[cell] if position.stones[other] == stone]
    chains = {chain_of(game, position, other) for other in own}
    mover = position.to_move
    to_join = [edge for edge in game.edges() if edge.name and edge.side in {None, mover}]
    sides = [edge.name for edge in to_join if not chain.isdisjoint(edge.cells)]
    at = f", at the {' and the '.join(sides)}" if sides else ""
    if not chains:
        return f"a single stone{at}"
    joins = f"joins {len(chains)} chains: " if len(chains) > 1 else "a chain of "
    return f"{joins}{len(chain)} stones{at}"


def change_words(session: Session) -> str:
    """Return how a stone under the cursor would change the score: ``F6: X +2``."""
    after = _after(session)
    if after is None:
        return ""
    name = session.game.board.names[session.pointed]
    before, score = score_of(session.game, session.position), score_of(session.game, after)
    gained = [f"{side} {d:+d}" for side, d in change_document(before, score).items() if d]
    return f"{name}: {' '.join(gained) or 'no change'}"


def _after(session: Session) -> Position | None:
    """Return the position with a stone on the pointed cell, None if none can be placed there."""
    if session.is_over or session.position.stones[session.pointed] != EMPTY:
        return None
    return with_stone(session.game, session.position, session.pointed)


@lru_cache(maxsize=8)
def with_stone(game: Game, position: Position, cell: Cell) -> Position:
    """Return the position with one more stone of the side to move."""
    after = position.after(game.placing((cell,)))
    return after.with_trace(game.follow(after, (cell,)))


def _advice(session: Session, width: int) -> Iterator[Line]:
    if session.advice:
        yield ()
    for text in session.advice:
        yield from wrap_text(text, width, indent="  ")


def _thoughts(session: Session, width: int) -> Iterator[Line]:
    """Yield the computer's analysis: the winning chance as a bar, and its best line."""
    if not session.thinks:
        return
    yield ()
    thoughts = session.thoughts
    if thoughts is None:
        yield line_of("The computer is thinking ...", Tone.DIM)
        return
    yield bar_line(session.style, thoughts.chance, width)
    first, *others = thoughts.lines
    yield line_of(first)
    for text in others:
        yield from wrap_text(text, width, Tone.DIM, indent="  ")


def _said(session: Session, width: int) -> Iterator[Line]:
    for text in session.now.said[-3:]:
        yield ()
        yield from wrap_text(text, width)


def _moves(session: Session, width: int, room: int) -> list[Line]:
    record = session.view.record
    if room < 2 or not record.texts:
        return []
    return [(), *_move_lines(record.sides, record.texts, width)[1 - room :]]


@lru_cache(maxsize=8)
def _move_lines(movers: tuple[Side, ...], moves: tuple[str, ...], width: int) -> tuple[Line, ...]:
    texts = [
        f"{number:>3} {side} {text}"
        for number, (side, text) in enumerate(zip(movers, moves, strict=True), start=1)
    ]
    wide = max(map(len, texts)) + 1
    columns = max(1, (width + 1) // wide)
    return tuple(
        line_of("".join(text.ljust(wide) for text in texts[first : first + columns]).rstrip())
        for first in range(0, len(texts), columns)
    )


def ending_lines(session: Session, width: int) -> list[Line]:
    """Return the end of a game: its result, the curve of chances, and where it turned."""
    view = session.now
    lines = wrap_text(view.closing, width, Tone.STRONG) if view.closing else []
    if view.to_move is None:
        lines += wrap_text(score_words(view, score_of(view.game, view.position)), width)
    lines += [(), *_curve(session, width)]
    for text in session.turns:
        lines += wrap_text(text, width, indent="  ")
    return lines


def _curve(session: Session, width: int) -> Iterator[Line]:
    """Yield X's chance after each move as a curve, as far as it is known."""
    count, chances = len(session.now.record.positions), session.curve
    high = HIGH if width >= WIDE else 6
    heights = SIGNS[session.style].heights
    yield from wrap_text(TITLE, width)
    *bars, axis, numbers = curve_rows(
        chances, session.turned, count=count, columns=width - 6, high=high, heights=heights
    )
    for label, drawn in bars:
        yield Span(f"{label} "), Span(drawn, Tone.EDGE_X)
    for label, drawn in (axis, numbers):
        yield line_of(f"{label} {drawn}", Tone.DIM)
    if len(chances) < count:
        words = f"The computer is thinking: {count - len(chances)} positions to go."
        yield from wrap_text(words, width, Tone.DIM)
    yield ()


@lru_cache(maxsize=16)
def score_of(game: Game, position: Position) -> Score:
    """Return the score, cached for the next key."""
    return game.score(position)
