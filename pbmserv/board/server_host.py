"""A board of the server at the screen: everything goes through the one door, as ``me``."""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from pbmserv.board.hosts import Host
from pbmserv.board.play_session import Intent
from pbmserv.cli.key_file import KeyFile
from pbmserv.cli.options import ShellOptions
from pbmserv.club.clock import Deadline
from pbmserv.club.match import MatchSummary
from pbmserv.club.wording import span_words
from pbmserv.commands.answer import Answer
from pbmserv.engine.moments import DAY
from pbmserv.engine.record import Record
from pbmserv.engine.spec import parse_game
from pbmserv.errors import PbmservError, Refused
from pbmserv.render.document import Document
from pbmserv.render.view import View

if TYPE_CHECKING:
    from pbmserv.cli.shell import Shell

URGENT = 2 * DAY
"""Seconds left for a turn below which the row of a board has a mark."""


class ServerConnection:
    """The desk of a shell as the player who is signed in; it may raise :class:`PbmservError`."""

    def __init__(self, options: ShellOptions) -> None:
        self.options = options

    @cached_property
    def shell(self) -> "Shell":
        """The shell, which opens the database when it first needs it."""
        from pbmserv.cli.shell import Shell

        return Shell(self.options)

    def ask(self, words: Sequence[str]) -> Answer:
        """Have a command carried out and return its answer."""
        return self.shell.desk.handle(self.shell.request(words, reads_input=False))

    def change_stamp(self, game: str, number: int) -> tuple[int, int]:
        """Return a stamp that differs after each change of a board."""
        with self.shell.desk.store.reading() as records:
            return records.matches.change_stamp(game, number)

    def review(self, game: str, number: int) -> Mapping[str, Any] | None:
        """Return the stored chances at each move of a board."""
        with self.shell.desk.store.reading() as records:
            match = records.matches.find(game, number)
            return records.reviews.find(match.id, match.revision) if match else None

    def view(self, game: str, number: int) -> View:
        """Return a board as the player who is signed in sees it."""
        (view,) = self.ask([game, "showas", "me", str(number)]).views
        return view

    def close(self) -> None:
        """Close the database."""
        if "shell" in self.__dict__:
            self.shell.close()

    @property
    def is_signed_in(self) -> bool:
        """Whether there is a sign-in key, without a look at the database."""
        try:
            return KeyFile(lambda: self.options.url).read() is not None
        except PbmservError:
            return False


class ServerBoard(NamedTuple):
    """A board of the server: the game's name and the number."""

    game: str
    number: int


class ServerHost(Host):
    """A board of the server, seen by the player who is signed in."""

    is_slow = True

    def __init__(self, server: ServerConnection, place: ServerBoard) -> None:
        """Read the board; raises :class:`PbmservError`."""
        self.server = server
        self.place = place
        self._read()

    def view(self) -> View:
        """Return the game as it was read last."""
        return self._view

    @property
    def document(self) -> Document:
        """The document of ``showas``."""
        return {**self._answer.document}

    @property
    def review(self) -> Mapping[str, Any] | None:
        """The stored chances when the game was read last."""
        return self._review

    def look(self) -> View | None:
        """Return the game if it was changed or something was said since, else None."""
        if self.server.change_stamp(*self.place) == self._pulse:
            return None
        self._read()
        return self._view

    def perform(self, intent: Intent) -> str:
        """Send the intent to the server and read the board again."""
        is_own = intent.verb == "reject" and not self._view.acceptance
        if intent.verb == "next":
            self.place = self._next()
        elif intent.verb != "look":
            self.server.ask(self._words(intent))
        self._read()
        return "Withdrawn." if is_own else NOTES.get(intent.verb, "").format(text=intent.text)

    def record(self) -> Record[str]:
        """Return the record of the game as it was read last."""
        record = self._view.record
        game = record.with_players(record.first.userid, record.second.userid)
        return replace(game, board=str(self.place.number))

    def _words(self, intent: Intent) -> list[str]:
        """Return the command for an intent; a move has its number, so that crossed ones fail."""
        game, number, me = self.place.game, str(self.place.number), "me"
        match intent.verb:
            case "say":
                return [game, "chat", number, me, f"--text={intent.text}"]
            case "plan":
                return [game, "queue", number, me, *intent.text.split()]
            case "move":
                ply = self._view.record.ply + 1
                return [game, "move", number, me, f"{intent.text}#{ply}"]
        text = intent.text if intent.verb == "accept" else f"{intent.verb} {intent.text}"
        return [game, "move", number, me, *text.split()]

    def _next(self) -> ServerBoard:
        """Return the next board where it is the player's turn; raises :class:`Refused`."""
        found = self.server.ask(["all", "show", "me", "next"]).summaries
        others = sorted({ServerBoard(row.game, row.number) for row, _ in found} - {self.place})
        if not others:
            raise Refused("No other board is waiting for you.", code="no-board")
        return next((place for place in others if place > self.place), others[0])

    def _read(self) -> None:
        # The pulse before the board: what comes between is read again, never missed.
        self._pulse = self.server.change_stamp(*self.place)
        game, number = self.place
        self._answer = self.server.ask([game, "showas", "me", str(number)])
        (view,) = self._answer.views
        self._view = view
        self._review = None if view.mine else self.server.review(*self.place)


NOTES = {
    "say": "Said.",
    "propose": "Proposed.",
    "undo": "Asked for an undo.",
    "plan": "Planned: {text}",
    "next": "Next board.",
    "reject": "Rejected.",
}
"""The note after an intent was carried out; a move needs none."""


class MyBoard(NamedTuple):
    """A row of the player's boards; ``share`` is how full it is, ``left`` the time for the turn."""

    title: str
    opponent: str
    share: float
    left: str
    turn: str
    is_mine: bool
    is_urgent: bool
    intent: Intent


def my_boards(server: ServerConnection) -> tuple[str, list[MyBoard]]:
    """Return who is signed in and their running boards, those that wait for them first."""
    userid = server.ask(["whoami"]).document["userid"]
    found = server.ask(["all", "show", "me", "active"]).summaries
    now = int(time.time())
    rows = [(due.at if due else math.inf, _my_board(row, due, userid, now)) for row, due in found]
    rows.sort(key=lambda each: (not each[1].is_mine, each))
    return userid, [board for _, board in rows]


def _my_board(summary: MatchSummary, due: Deadline | None, userid: str, now: int) -> MyBoard:
    game, seats = parse_game(summary.spec), summary.seats.values()
    mine, other = sorted(seats, key=lambda seat: seat.userid != userid)
    is_turn = summary.next_seat == mine
    is_asked = summary.offer is not None and summary.offer.player_id != mine.player_id
    left = None if due is None else max(0, due.at - now)
    return MyBoard(
        f"{game.title} {summary.number}",
        other.name,
        summary.ply / len(game.board),
        "" if left is None else span_words(left),
        "your turn" if is_turn else "an offer" if is_asked else "their turn",
        is_turn or is_asked,
        is_turn and left is not None and left < URGENT,
        Intent("open", f"{summary.game} {summary.number}"),
    )
