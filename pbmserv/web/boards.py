"""What a visitor does at a board: choose a cell, see what it would do, confirm; offers and talk.

Each choice is an address, ``?at=F6``, which changes nothing; only a form does.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from flask import Blueprint, Response, current_app, g, make_response, request

from pbmserv.club.agreement import turns_to_undo, undo_words
from pbmserv.club.match import Match
from pbmserv.commands.show import showas
from pbmserv.commands.types import BoardRef
from pbmserv.engine.board import Cell
from pbmserv.engine.game import JOINT
from pbmserv.engine.games import find_game, shell_name
from pbmserv.engine.position import MoveKind, Side
from pbmserv.errors import Misunderstood, Refused
from pbmserv.render.view import View, standing_words, warning_lines
from pbmserv.services.lookup import no_such_match
from pbmserv.services.match_clock import deadlines
from pbmserv.site.pages import Acts
from pbmserv.web.club import now, records, respond
from pbmserv.web.forms import known_path, perform, reading_session, see_other, status_of
from pbmserv.web.visitor import require_signed_in, signed_in, waiting

boards = Blueprint("boards", __name__)

WORDS = ("resign", "undo", "propose", "accept", "reject")
"""What can be chosen besides a turn."""

CELL = "?at="
"""The start of the address at which a cell is chosen."""


def acts_at(match: Match) -> Acts | None:
    """Return what the visitor of this page can do at a board, None for who is not signed in."""
    player = signed_in()
    if player is None:
        return None
    session = reading_session()
    (view,) = showas(session, type(match.game), player, (BoardRef(match.number),)).views
    chosen = choose(view, request.args.getlist("at"))
    is_seated = player.id in {match.first.player_id, match.second.player_id}
    follows = not is_seated and player.id in records().talk.subscribers(match.id)
    count = turns_to_undo(view.record, player.id) if view.mine else 0
    values: dict[str, Any] = {
        "board": f"{shell_name(match.game.name)} {{}} {match.number} me",
        "is_seated": is_seated,
        "follows": follows,
        "hears": is_seated or follows,
        "undoes": undo_words(count, view.record, player.id, player.id) if count else "",
        "ply": view.record.ply + 1,
        "is_over": not match.is_running,
        "links": (match.game.name, "settled", match.number, "-links"),
        "cell": CELL,
        "here": f"{match.number}.html",
        "address": (),
        "next": next_board(match),
        **turn_values(view, chosen, g.get("alert", "")),
    }
    said = records().talk.said(match.id) if is_seated or follows else []
    return Acts(chosen.shown, chosen.link, chosen.ghosts, said, values)


class ChosenTurn(NamedTuple):
    """What a visitor means to do next, and the board as it would be; ``link`` leads to a cell.

    ``told`` is what it would do, ``alert`` why it cannot be done. ``ghosts`` are its stones.
    """

    shown: View
    text: str = ""
    link: str = ""
    ghosts: Mapping[Cell, Side] = MappingProxyType({})
    is_whole: bool = False
    told: str = ""
    alert: str = ""


def choose(
    view: View, words: Sequence[str], cell: str = CELL, others: Sequence[str] = WORDS
) -> ChosenTurn:
    """Return what these words of an address, cells or one of the ``others``, would do.

    ``cell`` is the start of the address at which a cell is chosen.
    """
    link = cell if view.is_my_turn else ""
    first = words[0].lower() if words else ""
    if first in others and view.mine:
        return ChosenTurn(view, first, link, is_whole=True)
    if not words or not view.is_my_turn or view.to_move is None:
        return ChosenTurn(view, link=link)
    try:
        move = view.game.parse_move(JOINT.join(words))
        ghosts = dict.fromkeys(move.cells, view.to_move)
        if move.kind is MoveKind.STONES and move.stone_count < view.game.stones_due(view.position):
            return ChosenTurn(view, move.text, f"{cell}{move.text}&at=", ghosts)
        shown = view.with_moves([move])
    except Refused as error:
        return ChosenTurn(view, link=link, alert=error.words)
    told = [standing_words(shown, shown.score), *warning_lines(shown, shown.score), shown.closing]
    text = "\n".join(filter(None, told))
    return ChosenTurn(shown, move.text, link, ghosts, is_whole=True, told=text)


def turn_values(view: View, chosen: ChosenTurn, alert: str) -> dict[str, Any]:
    """Return what the template of a turn shows of a choice, or the ``alert`` about another."""
    return {
        "view": view,
        "may_swap": view.is_my_turn and view.game.may_swap(view.position),
        "chosen": chosen.text,
        "question": _question(view, chosen.text),
        "text": view.acceptance if chosen.text == "accept" else chosen.text,
        "is_whole": chosen.is_whole,
        "told": chosen.told,
        "alert": alert or chosen.alert,
    }


def _question(view: View, word: str) -> str:
    """Return what is asked before a choice is carried out."""
    questions = {
        "pass": "Pass and end the game?" if view.position.passes else "Pass?",
        "swap": "Take over the first stone?",
        "resign": "Resign this game?",
        "undo": "Ask to undo your last move?",
        "accept": f"{view.offered}. Accept?",
        "reject": f"{view.offered}. Reject it?" if view.acceptance else "Withdraw your offer?",
    }
    return questions.get(word, f"Play {word}?")


def next_board(match: Match) -> str:
    """Return the path of the board that waits most for the visitor, another one than this."""
    others = [line for line in waiting() if line.id != match.id]
    due = deadlines(reading_session(), others)
    others.sort(key=lambda line: due[line.id].at if line.id in due else math.inf)
    return f"boards/{others[0].game}/{others[0].number}.html" if others else ""


@boards.post("/boards/<game:game>/<number:number>/act")
def act(game: str, number: int) -> Response:
    """Do what a form at a board says, then show the board, or say there why not."""
    require_signed_in()
    found, verb = find_game(game), request.form.get("verb", "")
    if verb not in ACTS:
        raise Misunderstood("This form says nothing that can be done.", code="no-such-form")
    words = ACTS[verb](str(number), request.form.get("text", ""), request.form.get("ply", ""))
    if comment := request.form.get("comment", "").strip():
        words.append(f"--comment={comment}")
    try:
        perform([found.name, *words])
    except Refused as error:
        g.alert = error.words
        show = current_app.view_functions["public.board"]
        return make_response(show(found.name, number, "html"), status_of(error))
    if records().published.stamp(found.name, number) is None:  # it was declined
        return see_other(known_path("my"))
    return see_other(f"../{number}.html")


ACTS: dict[str, Callable[[str, str, str], list[str]]] = {
    "move": lambda n, text, ply: ["move", n, "me", f"{text}#{ply}"],
    "vote": lambda n, text, _: ["move", n, "me", *text.split()],
    "say": lambda n, text, _: ["chat", n, "me", f"--text={text}"],
    "plan": lambda n, text, _: ["queue", n, "me", *(text.split() or ["none"])],
    "follow": lambda n, *_: ["subscribe", "me", n],
    "leave": lambda n, *_: ["unsubscribe", "me", n],
    "rematch": lambda n, *_: ["rematch", n, "me"],
}
"""The words of each form at a board, from its number, what was typed and the number of the move."""


@boards.get("/boards/<game:game>/<number:number>.pulse")
def pulse(game: str, number: int) -> Response:
    """Return a stamp that differs after each change and remark at a board."""
    found = find_game(game)
    if records().matches.identity(found.name, number) is None:
        raise no_such_match(found, number)
    stamp = stamp_of(found.name, number)
    return respond(lambda: stamp, "text/plain", stamp, now())


def stamp_of(game: str, number: int) -> str:
    """Return what differs after each change and remark at a board."""
    return "{}.{}".format(*records().matches.change_stamp(game, number))
