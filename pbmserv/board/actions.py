"""The actions at a board, by keys (:func:`press`) or by words in lines (:func:`speak`).

An action changes the session and at most sets an intent, asks a question, or opens a page or a
prompt. Letters show and ask at once; a digit behind one makes both the beginning of a cell's
name, and what the letter did is undone.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from pbmserv.board.arrows import Arrow, arrows_of, diagonal
from pbmserv.board.drawn_board import LINKS
from pbmserv.board.play_session import Intent, Prompt, Question, Session
from pbmserv.club.agreement import turns_to_undo, undo_words
from pbmserv.engine.board import Cell
from pbmserv.engine.position import PASS, SWAP
from pbmserv.errors import Misunderstood, PbmservError, Refused
from pbmserv.render.view import View

Act = Callable[[Session], Session]
UNLISTED = 3
"""Actions at the head of the table that the page of keys does not list."""
ARROWS_TOLD = "move the cursor; Home, End, PgUp, PgDn go across"
CHAIN = "show the chain under the cursor, links"
OWNED = "show owned cells, dead stones, corners, externals"
SAVE = "Write the record of this game to a file?"
NO_KEY = "That key does nothing here. Press ? for all keys."


class Action(NamedTuple):
    """The action of some keys at a board, and of a word in lines.

    ``told`` is the sentence on the page of keys, which the actions behind it share that have none.
    With ``takes`` the word sets the intent of its name with the text behind it; a text that must
    be there is named. ``alone`` is the note of a key that works only on server boards.
    """

    keys: tuple[str, ...]
    does: Act | None
    told: str = ""
    word: str = ""
    takes: str | None = None
    alone: str = ""

    def act(self, session: Session) -> Session:
        """Return the session after it was asked for."""
        if self.does is None or (self.alone and not session.now.is_stored):
            return session.say(self.alone)
        return self.does(session)


def _enter(session: Session) -> Session:
    if session.tried is not None:
        return session.place()
    if session.ply is not None:
        return replace(session, ply=None)
    if session.now.going_on:
        return replace(session, intent=Intent("next"))
    if session.now.is_waiting:
        return session.say("The computer is thinking; wait for its move.")
    if session.now.record.outcome is not None or not session.is_my_turn:
        return replace(session, tried=()).place()
    return session.place()


def _escape(session: Session) -> Session:
    if session.marked:
        return replace(session, marked=())
    if session.tried is not None or session.ply is not None:
        return replace(session, tried=None, ply=None)
    if session.shows:
        return replace(session, shows=frozenset())
    return session.say("Press q to leave the board.")


def _back(session: Session) -> Session:
    if session.tried:
        return replace(session, tried=session.tried[:-1], marked=())
    if session.count == 0:
        return session.say("This is the start of the game.")
    return replace(session, tried=None, ply=session.count - 1, marked=())


def _on(session: Session) -> Session:
    if session.ply is None or session.tried is not None:
        return session.say("This is the last move.")
    ply = session.ply + 1
    return replace(session, ply=None if ply == session.now.record.ply else ply)


def _first(session: Session) -> Session:
    if not session.now.record.moves:
        return session.say("No moves yet.")
    return replace(session, tried=None, ply=0, marked=())


def _vary(session: Session) -> Session:
    if session.tried is not None:
        return replace(session, tried=None, marked=())
    return replace(session, tried=(), marked=()).say("Only trying moves: v or Esc goes back.")


def _pass(session: Session) -> Session:
    if not session.may_place:
        return session.say("It is not your turn.")
    if session.marked:
        move = session.game.placing(session.marked, passed=1)
        text = "Play only one stone this turn?"
    else:
        move, text = PASS, "Pass?"
        if session.position.passes:
            text = "Pass and end the game?"
    if session.tried is not None:
        return session.turn(move)
    return session.ask(text, Intent("move", move.text))


def _swap(session: Session) -> Session:
    if not session.may_place or not session.game.may_swap(session.position):
        return session.say("You can swap only as the second move of a game with swap.")
    if session.tried is not None:
        return session.turn(SWAP)
    return session.ask("Swap: take over the first stone?", Intent("move", SWAP.text))


def _resign(session: Session) -> Session:
    now = session.now
    if not now.mine or now.record.outcome is not None or now.task:
        return session.say("There is nothing to resign.")
    return session.ask("Resign this game?", Intent("resign"))


def _undo(session: Session) -> Session:
    if session.tried is not None:
        return _back(session)
    if not session.now.mine or session.now.task:
        return session.say("There is nothing to undo; [ goes back through the moves.")
    if session.now.is_stored:
        record, me = session.now.record, session.now.reader or 0
        if not (count := turns_to_undo(record, me)):
            return session.say("You have made no move that could be undone.")
        return session.ask(f"Ask to undo {undo_words(count, record, me, me)}?", Intent("undo"))
    return session.ask("Undo your last move?", Intent("undo"))


def _hint(session: Session) -> Session:
    if not session.now.may_think:
        return session.say("No hints in a running game between people.")
    if session.is_over:
        return session.say("The game is over.")
    if session.now.is_waiting:
        return session.say("No hint now: the computer is thinking about its own move.")
    return replace(session, intent=Intent("hint"))


def _think(session: Session) -> Session:
    if not session.now.may_think:
        return session.say("No analysis in a running game between people.")
    return replace(session, thinks=not session.thinks)


def _curve(session: Session) -> Session:
    if not session.now.may_think or (session.now.record.outcome is None and session.now.mine):
        return session.say("The curve of winning chances is shown after the game.")
    return replace(session, intent=Intent("curve"), page="g", scroll=0)


def _propose(session: Session) -> Session:
    now = session.now
    if not now.is_stored or now.record.outcome is not None:
        return session.say("You can propose a result only on a running server board.")
    if now.acceptance:
        accept = Intent("accept", now.acceptance)
        return session.ask(f"{now.offered}. Accept?", accept, ("r", Intent("reject")))
    label = "Propose a result (26-25, X's points first; empty for a draw):"
    return replace(session, prompt=Prompt("propose", label))


def _plan(session: Session) -> Session:
    moves = [move.text for move in session.tried or ()]
    own = moves.pop(0) if moves and session.is_my_turn else ""
    pairs = zip(moves[::2], moves[1::2], strict=False)
    answers = "/".join(f"{theirs}:{mine}" for theirs, mine in pairs)
    if not answers or session.ply is not None:
        return session.say("First press v and try moves; then + plans your answers.")
    text = f"Play {own} now and plan {answers}?" if own else f"Plan {answers}?"
    return session.ask(text, Intent("plan", f"{own} {answers}".strip()))


def _ring(session: Session) -> Session:
    words = "Bell off." if session.rings else "Bell on: it rings when it is your turn."
    return replace(session, rings=not session.rings).say(words)


def _leave(session: Session) -> Session:
    """Leave, but ask where that loses something, or a cell's name may be meant."""
    losing = "Leave, and lose the moves tried?" if session.tried else session.now.losing
    if not losing and any(name.startswith("Q") for name in session.game.board.index):
        losing = "Leave the board?"
    intent = Intent("leave")
    return session.ask(losing, intent) if losing else replace(session, intent=intent)


def _types(verb: str, label: str) -> Act:
    return lambda session: replace(session, prompt=Prompt(verb, label))


def _asks(question: str, verb: str) -> Act:
    return lambda session: session.ask(question, Intent(verb))


def _opens(page: str) -> Act:
    return lambda session: replace(session, page=page, scroll=0)


def _shows(show: str, words: str) -> Act:
    """Return an action that shows or hides something on the board."""

    def toggled(session: Session) -> Session:
        after = replace(session, shows=session.shows ^ {show})
        return after.say(f"Shown: {words}.") if show in after.shows else after

    return toggled


def _links(session: Session) -> Session:
    if not session.now.may_think:
        return session.say("No links in a running game between people.")
    return _shows(LINKS, "links")(session)


ACTIONS = (
    Action(("escape",), _escape),
    Action(("f5",), lambda s: replace(s, intent=Intent("look")), alone=NO_KEY),
    Action(("?",), _opens("?"), word="help"),
    Action(("enter", " "), _enter, "place the stone, or do what the line below the board says"),
    Action(("p",), _pass, "pass, swap, resign; each asks first"),
    Action(("w",), _swap),
    Action(("r",), _resign, word="resign"),
    Action(("u",), _undo, "undo, or ask for an undo", "undo"),
    Action(("[",), _back, "previous, next, first, last position", "back"),
    Action(("]",), _on, word="on"),
    Action(("{",), _first, word="first"),
    Action(("}",), lambda s: replace(s, tried=None, ply=None, marked=()), word="last"),
    Action(("v",), _vary, "try moves; Esc goes back", "try"),
    Action(("h",), _hint, "a hint, live analysis, the game report", "hint"),
    Action(("t",), _think),
    Action(("g",), _curve),
    Action(("s",), _opens("s"), "the score sheet", "score"),
    Action(("m",), _opens("m"), "players, score and moves, if they do not fit beside the board"),
    Action(("c",), _shows("chain", "the chain under the cursor"), CHAIN),
    Action(("b",), _links),
    Action(("o",), _shows("owned", "owned empty cells"), OWNED),
    Action(("d",), _shows("dead", "dead stones")),
    Action(("k",), _shows("corners", "corners")),
    Action(("e",), _shows("externals", "externals")),
    Action((":",), _types("move", "Move (a cell, pass, swap):"), "type a move"),
    Action(
        ("/",),
        _types("say", "Chat at the board:"),
        "chat, propose or accept a result, plan moves tried",
        "say",
        "TEXT",
        "Chat works only on server boards.",
    ),
    Action(("=",), _propose, word="propose", takes=""),
    Action((), None, word="accept", takes=""),
    Action((), None, word="reject", takes=""),
    Action(("+",), _plan, "", "plan", "MOVES", "Plans work only on server boards."),
    Action(
        ("n", "tab"),
        _asks("Go to the next board where it is your turn?", "next"),
        "next board where it is your turn; the bell",
        "next",
        alone="This works only on server boards.",
    ),
    Action(("!",), _ring, word="bell"),
    Action(
        ("x",),
        _asks(SAVE, "save"),
        "write the record, a picture (SVG) to a file; copy a link",
        "save",
        "FILE",
    ),
    Action(("i",), _asks("Write this picture to an SVG file?", "picture")),
    Action(("y",), lambda s: replace(s, intent=Intent("copy")), word="link"),
    Action(
        ("q",), _leave, "leave (asks if something would be lost); Ctrl-C leaves at once", "quit"
    ),
)

KEYS: Mapping[str, Action] = {key: action for action in ACTIONS for key in action.keys}
WORDS: Mapping[str, Action] = {action.word: action for action in ACTIONS if action.word}

WORD_HELP = {
    "undo": "undo your last move and the computer's answer",
    "resign": "resign the game",
    "hint": "the move that the computer suggests, and why",
    "score": "the score sheet, if the game ended now",
    "back, on": "go through the moves; first and last go to either end",
    "try": "try moves from here; try again to go back to the game",
    "save FILE": "write the game record to a new file",
    "link": "print a link to the game, or its record",
}
"""The help of words."""
SERVER_WORDS = {
    "undo": "ask to undo your last move; undo 2, the last two moves",
    "say TEXT": "write a chat line",
    "propose": "offer a draw; propose 26-25 offers a result, X's points first",
    "accept": "accept your opponent's offer; reject it with reject",
    "plan MOVES": "plan moves: F6 G7:H8/A1:A2 (pbmserv help queue)",
    "next": "go to the next board where it is your turn",
    "bell": "turn the bell for your turn on or off",
}
"""Their help on a board of the server."""


def key_lines() -> list[tuple[str, str]]:
    """Return the lines of the page of keys, never more than a screen: the keys, what they do."""
    lines = [("arrows", ARROWS_TOLD), ("F6", "a cell's name: jump there")]
    for action in ACTIONS[UNLISTED:]:
        key = "Enter" if "enter" in action.keys else next(iter(action.keys), "")
        if action.told:
            lines.append((key, action.told))
        elif key:
            lines[-1] = (f"{lines[-1][0]} {key}", lines[-1][1])
    return lines


def word_lines(now: View) -> Iterator[str]:
    """Yield the help lines of the words at a board."""
    for words, said in {**WORD_HELP, **(SERVER_WORDS if now.is_stored else {})}.items():
        if now.may_think or words != "hint":
            yield f"  {words:<10} {said}"


WAYS = {
    "left": (Arrow.LEFT,),
    "right": (Arrow.RIGHT,),
    "up": (Arrow.UP,),
    "down": (Arrow.DOWN,),
    "home": (Arrow.LEFT, Arrow.UP),
    "pageup": (Arrow.RIGHT, Arrow.UP),
    "end": (Arrow.LEFT, Arrow.DOWN),
    "pagedown": (Arrow.RIGHT, Arrow.DOWN),
}
"""Where these keys move the cursor: along an arrow, or between two."""

SCROLLS = {"up": -1, "down": 1, "pageup": -10, "pagedown": 10, "home": -9999, "end": 9999}
"""How far these keys move a page."""

MAX_TEXT = 2000


def press(session: Session, key: str) -> Session:
    """Return the session after a key: a character or a name such as ``up``, ``cell 12``."""
    after = _press(session, key)
    # A hint is for the position that it was asked for.
    is_same = not after.advice or after.position == session.position
    return after if is_same else replace(after, advice=())


def _press(session: Session, key: str) -> Session:
    clean = replace(session, intent=None, note="")
    if clean.prompt is not None:
        return _edit(clean, clean.prompt, key)
    if (found := _begin_name(clean, key)) is not None:
        return found
    fresh = replace(clean, typed="", before=None)
    if fresh.page:
        return _turn_page(fresh, key)
    if fresh.question is not None:
        return _answer(fresh, fresh.question, key)
    verb, _, cell = key.partition(" ")
    after = _click(fresh, int(cell)) if verb == "cell" and cell else _command(fresh, key)
    if len(key) == 1 and (key.isalpha() or key == "*"):
        return replace(after, typed=key.upper(), before=fresh)
    return after


def hover(session: Session, cell: Cell | None) -> Session:
    """Return the session with the mouse over a cell, or over none."""
    return replace(session, hovered=cell, intent=None)


def _turn_page(session: Session, key: str) -> Session:
    """Return the session after a key at a page: it moves it, or closes it and does its own."""
    if key in SCROLLS:
        return replace(session, scroll=max(0, session.scroll + SCROLLS[key]))
    closed = replace(session, page="")
    if key in {"escape", "enter", " "} or key.lower() == session.page:
        return closed
    return press(closed, key)


def _click(session: Session, cell: Cell) -> Session:
    """Return the session after a click: the second on the same cell is Enter."""
    if session.picked == cell == session.cursor:
        return replace(press(session, "enter"), picked=None)
    return replace(session, cursor=cell, picked=cell, hovered=None)


def _begin_name(session: Session, key: str) -> Session | None:
    """Return the session with the cursor on the cell whose name is typed, None for no name."""
    if not (len(key) == 1 and key.isascii() and key.isdigit()):
        return None
    text = f"{session.typed}{key}".upper()
    names = session.game.board.index
    if not any(name.startswith(session.typed or text) for name in names):
        return None
    before = session.before or replace(session, typed="", before=None)
    if not any(name.startswith(text) for name in names):
        return before.say(f"There is no cell {text} here.")
    cell = session.game.board.find(text)
    cursor = before.cursor if cell is None else cell
    return replace(
        before, cursor=cursor, hovered=None, picked=None, typed=text, before=before, note=""
    )


def _edit(session: Session, prompt: Prompt, key: str) -> Session:
    if key == "escape":
        return replace(session, prompt=None)
    if key == "enter":
        return _prompted(replace(session, prompt=None), prompt)
    if key == "backspace":
        return replace(session, prompt=prompt._replace(text=prompt.text[:-1]))
    if len(key) == 1 and key.isprintable() and len(prompt.text) < MAX_TEXT:
        return replace(session, prompt=prompt._replace(text=prompt.text + key))
    return session


def _prompted(session: Session, prompt: Prompt) -> Session:
    text = prompt.text.strip()
    if prompt.verb == "move":
        return _typed_move(session, text) if text else session
    if prompt.verb == "say" and not text:
        return session
    return replace(session, intent=Intent(prompt.verb, text))


def _typed_move(session: Session, text: str) -> Session:
    try:
        move = session.game.parse_move("+".join(text.split()))
    except PbmservError as error:
        return session.say(error.words)
    if not session.may_place:
        return session.say("It is not your turn. Press v to try moves.")
    return session.turn(move)


def _answer(session: Session, question: Question, key: str) -> Session:
    """Return the session after the answer to a question; any other key drops it, and does more."""
    dropped = replace(session, question=None)
    if key == "enter":
        return replace(dropped, intent=question.intent, marked=())
    if question.other is not None and key == question.other[0]:
        return replace(dropped, intent=question.other[1])
    return dropped if key in {"escape", "backspace"} else press(dropped, key)


def _command(session: Session, key: str) -> Session:
    """Return the session after a key that is neither typed text nor an answer."""
    session = replace(session, picked=None)
    if (ways := WAYS.get(key)) is not None:
        board, here = session.game.board, session.cursor
        is_straight = len(ways) == 1
        cell = arrows_of(board)[here].get(ways[0]) if is_straight else diagonal(board, here, ways)
        return replace(session, cursor=here if cell is None else cell, hovered=None)
    action = KEYS.get(key.lower() if len(key) == 1 else key)
    return _unknown(session, key) if action is None else action.act(session)


def _unknown(session: Session, key: str) -> Session:
    """Return the session after a key that does nothing, unless a cell's name begins with it."""
    letter = key.upper()
    if len(key) == 1 and any(name.startswith(letter) for name in session.game.board.index):
        return session.say(f"{letter}: type a number to complete the cell name.")
    return session.say(NO_KEY)


def speak(session: Session, line: str) -> Session:
    """Return the session after a word with its text or a move; raises :class:`PbmservError`."""
    word, _, text = line.partition(" ")
    action, text = WORDS.get(word.lower()), text.strip()
    if action is not None and (action.takes is not None or (text and action.word == "undo")):
        return replace(session, intent=_wish(session.now, action, text))
    if action is not None and not text:
        return action.act(session)
    move = session.game.parse_move("+".join(line.split()))
    if session.tried is not None:
        session.game.play(session.position, move)
        return session.turn(move)
    if session.ply is not None:
        raise Refused(
            "This is an earlier position; you cannot move here.",
            code="look-at-past",
            hint="Type last to return to the game, or try to try moves from here.",
        )
    return replace(session, intent=Intent("move", move.text))


def _wish(now: View, action: Action, text: str) -> Intent:
    """Return the intent of a word that takes a text; raises :class:`PbmservError`."""
    if action.takes and not text:
        raise Misunderstood(f"Missing argument: {action.takes}.", code="missing-word")
    if action.word in {"accept", "reject"}:
        if not (now.acceptance or (now.offer and now.mine and action.word == "reject")):
            raise Refused("There is no offer to answer.", code="nothing-offered")
        text = now.acceptance if action.word == "accept" else ""
    if action.word != "save" and not now.is_stored:
        raise Refused("This works only on server boards.", code="no-server")
    return Intent(action.word, text)
