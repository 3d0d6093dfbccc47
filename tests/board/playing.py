"""Sessions for tests: games on small boards, and what a screen shows as text."""

from pbmserv.board.actions import press
from pbmserv.board.frame import Frame, Size
from pbmserv.board.play_session import Session, new_session
from pbmserv.computer.level_list import LEVELS
from pbmserv.desk.local_game import new_game
from pbmserv.engine.spec import parse_game
from pbmserv.render.view import View

SMALL = Size(80, 24)


def view_of(spec: str, moves: str = "", *, two: bool = True) -> View:
    game = parse_game(spec)
    local = new_game(game, None if two else LEVELS[0], computer_begins=False)
    for text in moves.split():
        local = local.play(game.parse_move(text))
    return local.view


def session(spec: str = "star(size=3)", moves: str = "", *, two: bool = True) -> Session:
    return new_session(view_of(spec, moves, two=two))


def typed(before: Session, *keys: str) -> Session:
    """Return the session after these keys."""
    for key in keys:
        before = press(before, key)
    return before


def at(before: Session) -> str:
    """Return the name of the cell under the cursor."""
    return before.game.board.names[before.cursor]


def text_of(frame: Frame) -> str:
    return "\n".join("".join(span.text for span in line).rstrip() for line in frame.lines)
