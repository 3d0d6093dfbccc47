"""The pages that are shown in place of the board: the keys, the score sheet, the chances."""

from functools import lru_cache

from pbmserv.board.frame import Line, Size, Span, Tone, line_of, wrapped
from pbmserv.board.keys import KEYS
from pbmserv.board.play_session import Session
from pbmserv.engine.game import Game
from pbmserv.engine.position import Position
from pbmserv.engine.score import Score
from pbmserv.render.score_lines import headline, sheet_lines
from pbmserv.render.view import move_lines


def page_lines(session: Session, size: Size) -> list[Line]:
    """Return the page that is open: the keys, the score sheet, or the curve of chances."""
    match session.page:
        case "?":
            return _help(session, size)
        case "s":
            return _sheet(session)
    return _curve(session, size)


def _help(session: Session, size: Size) -> list[Line]:
    width = max(len(key) for key, _ in KEYS) + 2
    # The task of a lesson too, which has no room beside the board on a small screen.
    lines = [*wrapped(session.course.text, size.width - 2), ()] if session.course.text else []
    for key, words in KEYS:
        first, *more = wrapped(words, size.width - width - 3)
        lines.append((Span(f"  {key:<{width}}", Tone.KEY), *first))
        lines += [(Span(" " * (width + 2)), *line) for line in more]
    return lines


def _sheet(session: Session) -> list[Line]:
    score = score_of(session.game, session.position)
    found = sheet_lines(session.game, score, headline(score, is_over=session.view.to_move is None))
    lines = [line_of(f"  {text}") for text in found]
    lines += [line_of(f"  {text}", Tone.DIM) for text in ("", *move_lines(session.view, 8))]
    return lines


CURVE_LINES = 10


def _curve(session: Session, size: Size) -> list[Line]:
    """Return X's chance after each move as a curve, as far as it is known."""
    count, chances = len(session.course.positions), session.curve
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


@lru_cache(maxsize=16)
def score_of(game: Game, position: Position) -> Score:
    """Return the score, kept for the next key."""
    return game.score(position)
