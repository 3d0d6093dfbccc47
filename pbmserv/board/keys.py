"""What each key does at a board: see :func:`press`.

A key changes the session and at most makes a wish. Letters show and ask at once; a digit behind
one makes both the beginning of a cell's name, and what the letter did is undone.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from pbmserv.board.arrows import Arrow, arrows_of, diagonal
from pbmserv.board.play_session import Prompt, Question, Session, Wish
from pbmserv.board.table import SHOWS
from pbmserv.engine.board import Cell
from pbmserv.engine.position import PASS, SWAP
from pbmserv.errors import PbmservError

ARROWS = {"left": Arrow.LEFT, "right": Arrow.RIGHT, "up": Arrow.UP, "down": Arrow.DOWN}
DIAGONALS = {
    "home": (Arrow.LEFT, Arrow.UP),
    "pageup": (Arrow.RIGHT, Arrow.UP),
    "end": (Arrow.LEFT, Arrow.DOWN),
    "pagedown": (Arrow.RIGHT, Arrow.DOWN),
}
SCROLLS = {"up": -1, "down": 1, "pageup": -10, "pagedown": 10, "home": -9999, "end": 9999}
"""How far these keys move a page."""

LONGEST_TEXT = 2000


def press(session: Session, key: str) -> Session:
    """Return the session after a key: a character or a name such as ``up``, ``cell 12``."""
    after = _pressed(session, key)
    # A hint is for the position that it was asked for.
    is_same = not after.advice or after.position == session.position
    return after if is_same else replace(after, advice=())


def _pressed(session: Session, key: str) -> Session:
    clean = replace(session, wish=None, note="")
    if clean.prompt is not None:
        return _edited(clean, clean.prompt, key)
    if (found := _named(clean, key)) is not None:
        return found
    fresh = replace(clean, typed="", before=None)
    if fresh.page:
        return _paged(fresh, key)
    if fresh.question is not None:
        return _answered(fresh, fresh.question, key)
    verb, _, cell = key.partition(" ")
    after = _clicked(fresh, int(cell)) if verb == "cell" and cell else _commanded(fresh, key)
    if len(key) == 1 and (key.isalpha() or key == "*"):
        return replace(after, typed=key.upper(), before=fresh)
    return after


def hover(session: Session, cell: Cell | None) -> Session:
    """Return the session with the mouse over a cell, or over none."""
    return replace(session, hovered=cell, wish=None)


def _paged(session: Session, key: str) -> Session:
    """Return the session after a key at a page: it moves it, or closes it and does its own."""
    if key in SCROLLS:
        return replace(session, scroll=max(0, session.scroll + SCROLLS[key]))
    closed = replace(session, page="")
    return (
        closed
        if key in {"escape", "enter", " "} or key.lower() == session.page
        else press(closed, key)
    )


def _clicked(session: Session, cell: Cell) -> Session:
    """Return the session after a click: the second on the same cell is Enter."""
    if session.picked == cell == session.cursor:
        return replace(press(session, "enter"), picked=None)
    return replace(session, cursor=cell, picked=cell, hovered=None)


def _named(session: Session, key: str) -> Session | None:
    """Return the session with the cursor on the cell whose name is typed, None for no name."""
    if not (len(key) == 1 and key.isascii() and key.isdigit()):
        return None
    text = f"{session.typed}{key}".upper()
    names = session.game.board.index
    if not any(name.startswith(session.typed or text) for name in names):
        return None
    before = session.before or replace(session, typed="", before=None)
    if not any(name.startswith(text) for name in names):
        return before.said(f"There is no cell {text} here.")
    cell = session.game.board.find(text)
    cursor = before.cursor if cell is None else cell
    return replace(
        before, cursor=cursor, hovered=None, picked=None, typed=text, before=before, note=""
    )


def _edited(session: Session, prompt: Prompt, key: str) -> Session:
    """Return the session after a key in the line that is typed."""
    if key == "escape":
        return replace(session, prompt=None)
    if key == "enter":
        return _prompted(replace(session, prompt=None), prompt)
    if key == "backspace":
        return replace(session, prompt=prompt._replace(text=prompt.text[:-1]))
    if len(key) == 1 and key.isprintable() and len(prompt.text) < LONGEST_TEXT:
        return replace(session, prompt=prompt._replace(text=prompt.text + key))
    return session


def _prompted(session: Session, prompt: Prompt) -> Session:
    """Return the session after a line was typed to its end."""
    text = prompt.text.strip()
    if prompt.verb == "move":
        return _typed_move(session, text) if text else session
    if prompt.verb == "say" and not text:
        return session
    return replace(session, wish=Wish(prompt.verb, text))


def _typed_move(session: Session, text: str) -> Session:
    try:
        move = session.game.parse_move("+".join(text.split()))
    except PbmservError as error:
        return session.said(error.words)
    if not session.may_place:
        return session.said("It is not your turn. v tries moves out.")
    return session.turn(move)


def _answered(session: Session, question: Question, key: str) -> Session:
    """Return the session after the answer to a question; any other key drops it, and does more."""
    dropped = replace(session, question=None)
    if key == "enter":
        return replace(dropped, wish=question.wish, marked=())
    if question.other is not None and key == question.other[0]:
        return replace(dropped, wish=question.other[1])
    return dropped if key in {"escape", "backspace"} else press(dropped, key)


def _commanded(session: Session, key: str) -> Session:
    """Return the session after a key that is neither typed text nor an answer."""
    session = replace(session, picked=None)
    if key in ARROWS:
        cell = arrows_of(session.game.board)[session.cursor].get(ARROWS[key])
        return replace(session, cursor=session.cursor if cell is None else cell, hovered=None)
    if key in DIAGONALS:
        cell = diagonal(session.game.board, session.cursor, DIAGONALS[key])
        return replace(session, cursor=session.cursor if cell is None else cell, hovered=None)
    word = key.lower() if len(key) == 1 else key
    if word in SHOWS:
        return _toggled(session, *SHOWS[word])
    command = COMMANDS.get(word)
    return _unknown(session, key) if command is None else command(session)


def _unknown(session: Session, key: str) -> Session:
    """Return the session after a key that does nothing, unless a cell's name begins with it."""
    letter = key.upper()
    if len(key) == 1 and any(name.startswith(letter) for name in session.game.board.index):
        return session.said(f"{letter}: a number goes on with the cell's name.")
    return session.said("That key does nothing here: ? tells the keys.")


def _toggled(session: Session, show: str, words: str) -> Session:
    if show in session.shows:
        return replace(session, shows=session.shows - {show})
    return replace(session, shows=session.shows | {show}).said(f"Shown: {words}.")


def _enter(session: Session) -> Session:
    if session.tried is not None:
        return session.place()
    if session.ply is not None:
        return replace(session, ply=None)
    if session.course.going_on:
        return replace(session, wish=Wish("next"))
    if session.course.outcome is not None or not session.is_my_turn:
        return replace(session, tried=()).place()
    return session.place()


def _escape(session: Session) -> Session:
    if session.marked:
        return replace(session, marked=())
    if session.tried is not None or session.ply is not None:
        return replace(session, tried=None, ply=None)
    if session.shows:
        return replace(session, shows=frozenset())
    return session.said("q leaves the board.")


def _back(session: Session) -> Session:
    if session.tried:
        return replace(session, tried=session.tried[:-1], marked=())
    if session.count == 0:
        return session.said("This is the beginning.")
    return replace(session, tried=None, ply=session.count - 1, marked=())


def _on(session: Session) -> Session:
    if session.ply is None or session.tried is not None:
        return session.said("This is the last move.")
    ply = session.ply + 1
    return replace(session, ply=None if ply == len(session.course.moves) else ply)


def _first(session: Session) -> Session:
    if not session.course.moves:
        return session.said("Nothing was played yet.")
    return replace(session, tried=None, ply=0, marked=())


def _vary(session: Session) -> Session:
    if session.tried is not None:
        return replace(session, tried=None, marked=())
    return replace(session, tried=(), marked=()).said("Moves are only tried from now on.")


def _pass(session: Session) -> Session:
    if not session.may_place:
        return session.said("It is not your turn.")
    if session.marked:
        move = session.game.placing(session.marked, passed=1)
        text = "Give up the second stone of this turn?"
    else:
        move, text = PASS, "Pass?"
        if session.position.passes:
            text = "Pass, which ends the game?"
    if session.tried is not None:
        return session.turn(move)
    return session.asked(text, Wish("move", move.text))


def _swap(session: Session) -> Session:
    if not session.may_place or not session.game.may_swap(session.position):
        return session.said("Swap is possible only as the second move of an even game.")
    if session.tried is not None:
        return session.turn(SWAP)
    return session.asked("Swap: take over the first stone?", Wish("move", SWAP.text))


def _resign(session: Session) -> Session:
    course = session.course
    if not course.mine or course.outcome is not None or course.text:
        return session.said("There is nothing to resign.")
    return session.asked("Give this game up?", Wish("resign"))


def _undo(session: Session) -> Session:
    if session.tried is not None:
        return _back(session)
    if not session.course.mine or session.course.text:
        return session.said("There is nothing to take back; [ goes back through the moves.")
    if session.course.is_stored:
        return session.asked("Ask your opponent to take the last move back?", Wish("undo"))
    return session.asked("Take your last move back?", Wish("undo"))


def _hint(session: Session) -> Session:
    if not session.course.may_think:
        return session.said("No hints in a running game between people.")
    if session.is_over:
        return session.said("The game is over.")
    if session.course.is_waiting:
        return session.said("The computer is thinking about its own move.")
    return replace(session, wish=Wish("hint"))


def _think(session: Session) -> Session:
    if not session.course.may_think:
        return session.said("No analysis in a running game between people.")
    return replace(session, thinks=not session.thinks)


def _curve(session: Session) -> Session:
    if not session.course.may_think or (session.course.outcome is None and session.course.mine):
        return session.said("The curve of chances is drawn when the game has ended.")
    return replace(session, wish=Wish("curve"), page="g", scroll=0)


def _say(session: Session) -> Session:
    if not session.course.is_stored:
        return session.said("There is nobody to talk to here.")
    return replace(session, prompt=Prompt("say", "Say at the board: "))


def _propose(session: Session) -> Session:
    course = session.course
    if not course.is_stored or course.outcome is not None:
        return session.said("An end is proposed on a running board of the server.")
    if course.answers:
        accept = Wish("accept", course.answers)
        return session.asked(f"{course.offer}. Accept?", accept, ("r", Wish("reject")))
    label = "Propose a result (26-25, X's points first; nothing for a draw): "
    return replace(session, prompt=Prompt("propose", label))


def _plan(session: Session) -> Session:
    if not session.course.is_stored:
        return session.said("Plans are for boards on the server.")
    moves = [move.text for move in session.tried or ()]
    own = moves.pop(0) if moves and session.is_my_turn else ""
    pairs = zip(moves[::2], moves[1::2], strict=False)
    answers = "/".join(f"{theirs}:{mine}" for theirs, mine in pairs)
    if not answers or session.ply is not None:
        return session.said("Try moves from now on with v; + then plans your answers.")
    text = f"Play {own} now and plan {answers}?" if own else f"Plan {answers}?"
    return session.asked(text, Wish("plan", f"{own} {answers}".strip()))


def _next(session: Session) -> Session:
    if not session.course.is_stored:
        return session.said("There are no other boards here.")
    return session.asked("Go to the next board where it is your turn?", Wish("next"))


def _ring(session: Session) -> Session:
    words = "silent" if session.rings else "loud: a bell rings when it is your turn"
    return replace(session, rings=not session.rings).said(f"The board is {words}.")


COMMANDS: Mapping[str, Callable[[Session], Session]] = {
    "enter": _enter,
    " ": _enter,
    "escape": _escape,
    "[": _back,
    "]": _on,
    "{": _first,
    "}": lambda s: replace(s, tried=None, ply=None, marked=()),
    "v": _vary,
    "p": _pass,
    "w": _swap,
    "r": _resign,
    "u": _undo,
    "h": _hint,
    "t": _think,
    "g": _curve,
    ":": lambda s: replace(s, prompt=Prompt("move", "Move (a cell, pass, swap): ")),
    "/": _say,
    "=": _propose,
    "+": _plan,
    "n": _next,
    "tab": _next,
    "x": lambda s: s.asked("Write the record of this game into a file?", Wish("export")),
    "i": lambda s: s.asked("Write this picture into an SVG file?", Wish("picture")),
    "!": _ring,
    "q": lambda s: s.asked("Leave the board?", Wish("leave")),
    "f5": lambda s: replace(s, wish=Wish("look")) if s.course.is_stored else _unknown(s, "f5"),
    "?": lambda s: replace(s, page="?", scroll=0),
    "s": lambda s: replace(s, page="s", scroll=0),
}

KEYS = (
    ("arrows", "move the cursor; Home, End, PgUp, PgDn go across"),
    ("F6", "a cell's name: jump there"),
    ("Enter", "place the stone, or do what is told below the board"),
    ("p w r", "pass, swap, resign (you are asked)"),
    ("u", "take back, or ask for it"),
    ("[ ] { }", "back and forth through the moves, first, last"),
    ("v", "try moves out; Esc goes back"),
    ("h t g", "a hint, the computer's thoughts, the curve of chances"),
    ("s", "the score sheet"),
    ("c b", "show the chain under the cursor, bridges"),
    ("o d k e", "show what is owned, dead stones, corners, externals"),
    (":", "type a move"),
    ("/ = +", "say something, propose or accept an end, plan moves tried"),
    ("n !", "next board where it is your turn; a bell"),
    ("x i", "write the record, a picture (SVG) into a file"),
    ("q", "leave (you are asked); Ctrl-C at once"),
)
"""The keys, as the help page tells them: never more than a screen."""
