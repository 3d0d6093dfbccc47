"""Guests against the computer: ``/play/star?spec&level&side&moves&at``, a game that is its address.

To look draws it; a form lets the computer think and leads to the longer address. So the same
address is the same game, Back undoes a move, nothing is kept of it, and no link makes a game longer
but those to a cell, which crawlers are asked not to follow.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from flask import Blueprint, Response, abort, make_response, request

from pbmserv.computer.level_list import LEVELS, Level
from pbmserv.computer.levels import choose as choose_reply
from pbmserv.computer.levels import is_quick
from pbmserv.computer.openings import has_chances, specs_with_chances
from pbmserv.desk.local_game import MIN_RESIGNED, LocalGame, new_game
from pbmserv.engine.game import Game
from pbmserv.engine.games import SAMPLE_GAME, find_game
from pbmserv.engine.position import Side
from pbmserv.engine.record import Record
from pbmserv.engine.spec import format_game, option_words, parse_game
from pbmserv.errors import IllegalMove, Misunderstood, Refused, Throttled, invalid_value
from pbmserv.render.picture import LegendText, draw
from pbmserv.render.view import options_words
from pbmserv.site.game_pages import sample_board
from pbmserv.site.pages import Acts, game_titles
from pbmserv.site.replay import board_svg
from pbmserv.web.boards import choose, turn_values
from pbmserv.web.club import current, now, pages, records, respond
from pbmserv.web.forms import see_other
from pbmserv.web.limits import network_of
from pbmserv.web.visitor import signed_in

guests = Blueprint("guests", __name__)

LOWEST = LEVELS[:3]
"""The levels that a guest may play against."""

MAX_CELLS = 300
"""Cells of the largest board: a reply and its page take 40 ms at most, of 500 cells 100."""

RESIGN = "resign"
"""The last of the moves in an address if the side to move resigns."""

MORE_TURNS = 4
"""Turns of a game besides one for each cell: a swap, two passes, and who resigns."""

TOO_LONG = "Resign, or start a new game."

ROBOTS = """\
User-agent: *
Disallow: /play/
Disallow: /*?at=
"""


class GuestGame(NamedTuple):
    """A guest's game: the level of the computer, the side that the guest began as, the game.

    ``alert`` says why it does not go on as the address or the form has it.
    """

    level: Level
    side: Side
    local: LocalGame
    alert: str = ""

    @property
    def fields(self) -> dict[str, str]:
        """The parts of the address."""
        outcome, texts = self.local.record.outcome, self.local.record.texts
        if outcome is not None and not outcome.reason.is_by_rules:
            texts = (*texts, RESIGN)
        found = {"spec": format_game(self.local.game), "level": str(self.level.number)}
        return found | {"side": self.side.value} | ({"moves": ",".join(texts)} if texts else {})

    @property
    def address(self) -> str:
        """Where the game is, behind the path of its page."""
        return address_of(self.fields)

    @property
    def max_turns(self) -> int:
        """How many turns the game may have."""
        return len(self.local.game.board) + MORE_TURNS

    def play(self, text: str) -> "GuestGame":
        """Return the game after the guest's turn, and the computer's if it is its turn then.

        Raises :class:`Refused` for a turn that cannot be made.
        """
        local = self.local
        if local.record.ply + 2 >= self.max_turns and text != RESIGN:
            raise IllegalMove("The game has too many turns.", code="too-long", hint=TOO_LONG)
        if not local.thinks:
            local = _after(local, text)
        if local.thinks:
            seed = int(local.position.digest(), 16)
            reply = choose_reply(local.game, local.position, self.level, seed)
            local = local.answered(reply.move)
        return self._replace(local=local)


def address_of(fields: Mapping[str, str]) -> str:
    """Return the part of an address that names a game.

    >>> address_of({"spec": "starstar(size=4,double)", "moves": "A40+*10"})
    '?spec=starstar(size=4,double)&moves=A40%2B*10'
    """
    return f"?{urlencode(fields, safe='(),=*', quote_via=quote)}"


@guests.get("/play/<game>")
def play(game: str) -> Response:
    """Show a guest's game, and what a chosen cell would do."""
    return _page(_read(game, request.args), request.args.getlist("at"))


@guests.post("/play/<game>")
def think(game: str) -> Response:
    """Make a guest's turn and the computer's, and lead to the longer address."""
    network = network_of(request.remote_addr)
    if seconds := current().replies.seconds_to_wait(network, now()):
        raise Throttled(
            "The computer has made too many moves for your network.",
            seconds,
            code="too-many-replies",
            hint="Wait a minute, then go on: your game is in the address.",
        )
    found = _read(game, request.form)
    if found.alert:
        return _page(found)
    try:
        return see_other(found.play(request.form.get("text", "")).address)
    except Refused as error:
        return _page(found._replace(alert=error.words))


@guests.get("/robots.txt")
def robots() -> Response:
    """Ask crawlers not to play."""
    return respond(lambda: ROBOTS, "text/plain", ROBOTS)


def play_path(record: Record[Any]) -> str:
    """Return where a guest goes on from a position, "" if that cannot be."""
    game, position = record.game, record.position
    is_short = record.ply <= len(game.board)
    is_open = current().web.takes_guests and _is_playable(game)
    if not (is_open and is_short) or game.is_over(position):
        return ""
    side = position.to_move.other if record.has_swap else position.to_move
    fields = {"spec": format_game(game), "moves": ",".join(record.texts), "side": side.value}
    return f"play/{game.name}{address_of({name: text for name, text in fields.items() if text})}"


def small_board() -> dict[str, Any] | None:
    """Return a board for the home page to play on at once, None if guests cannot play.

    The computer has begun, lest it answers a visitor's first stone with a swap.
    """
    if not current().web.takes_guests:
        return None
    found = _small_game()
    game, path = found.local.game, f"play/{found.local.game.name}"
    picture = draw(game, found.local.position, caption=LegendText(f"{game.title}, you are O"))
    link = f"{path}{address_of(found.fields | {'at': ''})}"
    board = board_svg(picture, "", link, is_replayed=False)
    return {"board": board, "path": path, "game": game}


@lru_cache(maxsize=1)
def _small_game() -> GuestGame:
    game, level = sample_board(find_game(SAMPLE_GAME)), LOWEST[0]
    return GuestGame(level, Side.O, new_game(game, level, computer_begins=True)).play("")


def _read(name: str, fields: Mapping[str, str]) -> GuestGame:
    """Return the game of an address or a form, with an alert for moves that cannot be played.

    Raises :class:`NotFound` for no such game, :class:`Misunderstood` for a board or level that is
    none of a guest's.
    """
    if not current().web.takes_guests:
        abort(404)
    kind = find_game(name)
    spec = fields.get("spec")
    game = parse_game(spec) if spec else sample_board(kind)
    if type(game) is not kind or not _is_playable(game):
        raise Misunderstood(
            "Guests cannot play against the computer on this board.",
            code="no-guest-board",
            hint="Choose another board. On your own computer you can play on any: pbmserv play",
        )
    number, side = fields.get("level", "1"), fields.get("side", Side.X)
    level = next((each for each in LOWEST if str(each.number) == number), None)
    if level is None:
        raise invalid_value("level", number, f"1 to {len(LOWEST)}")
    if side not in [*Side]:
        raise invalid_value("side", side, "X, O")
    begun = new_game(game, level, computer_begins=side == Side.O)
    found = GuestGame(level, Side(side), begun)
    texts = list(filter(None, fields.get("moves", "").split(",")))
    if len(texts) > found.max_turns:
        return found._replace(alert=f"The game has too many turns. {TOO_LONG}")
    for text in texts:
        try:
            found = found._replace(local=_after(found.local, text))
        except Refused as error:
            return found._replace(alert=f"These moves cannot be played. {error.words}")
    return found


def _after(local: LocalGame, text: str) -> LocalGame:
    """Return the game after a turn of the side to move, which resigns by a word."""
    if text.lower() == RESIGN:
        return local.answered(None) if local.thinks else local.resign()
    return local.play(local.game.parse_move(text))


@lru_cache(maxsize=128)
def _boards(game: Game) -> list[tuple[str, str]]:
    """Return the boards to choose from: plain ones of all sizes, and all others of this size."""
    kind, name = type(game), game.options()[0].name
    sizes = {
        one: getattr(one, name)
        for one in map(parse_game, specs_with_chances(game.name))
        if _is_playable(one)
    }
    return [
        (format_game(one), options_words(one))
        for one, size in sorted(sizes.items(), key=lambda item: item[1])
        if size == sizes.get(game) or one == kind(**{name: size})
    ]


def _is_playable(game: Game) -> bool:
    """Tell whether the computer answers on this board at once, whatever is played.

    On boards without a table it would search for its first stone, and whether to swap.
    """
    is_small = has_chances(game) and len(game.board) <= MAX_CELLS
    return is_small and is_quick(game, game.start(), LOWEST[-1])


def _page(found: GuestGame, words: Sequence[str] = ()) -> Response:
    """Return the page of a guest's game; one that says what is wrong has that as its status."""
    view, undone = found.local.view, ""
    with suppress(IllegalMove):
        undone = found._replace(local=found.local.undo()).address
    cell = address_of(found.fields | {"at": ""})
    chosen = choose(view, words, cell, (RESIGN,))
    acts = {
        "cell": cell,
        "here": found.address,
        "address": found.fields.items(),
        "may_resign": view.is_my_turn and view.record.ply >= MIN_RESIGNED,
        "deed": f"The computer {found.local.deed}." if view.is_my_turn and view.record.ply else "",
        "undo": undone,
        **turn_values(view, chosen, found.alert),
    }
    shown, choices = Acts(chosen.shown, chosen.link, chosen.ghosts, (), acts), _choices(found)
    draw_page = partial(pages().guest_board, view, shown, **choices)
    if acts["alert"]:
        response = make_response(draw_page(), 400)
    else:
        response = respond(draw_page, "text/html", repr(choices))
    if acts["alert"] or words or found.local.record.moves:
        response.headers["X-Robots-Tag"] = "noindex"
    return response


def _choices(found: GuestGame) -> dict[str, Any]:
    """Return what a guest may choose for another game, and who else there is to play with."""
    game = found.local.game
    start = {name: text for name, text in found.fields.items() if name != "moves"}
    above = LOWEST[LOWEST.index(found.level) + 1 :]
    return {
        "name": game.name,
        "spec": format_game(game),
        "level": found.level,
        "side": found.side,
        "boards": _boards(game),
        "games": [(name, words) for name, words in game_titles() if specs_with_chances(name)],
        "levels": LOWEST,
        "again": address_of(start),
        "harder": [(n.title, address_of(start | {"level": str(n.number)})) for n in above[:1]],
        "robot": _robot_like(game, found.level),
        "kept": option_words(game).split(),
        "signups": current().web.takes_signups,
    }


def _robot_like(game: Game, level: Level) -> str:
    """Return a robot of the club that plays like this, "" for none or if nobody is signed in."""
    if signed_in() is None:
        return ""
    for each in records().players.robots():
        is_alike = each.robot and each.robot.level == level.number and game.name in each.robot.games
        if is_alike and each.suspended_at is None:
            return each.userid
    return ""
