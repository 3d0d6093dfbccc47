"""What a command is given and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pbmserv.errors import Refused

if TYPE_CHECKING:
    from pbmserv.club.events import Event
    from pbmserv.club.letter import Letter
    from pbmserv.club.match import Match
    from pbmserv.club.player import Player
    from pbmserv.engine.game import Game
    from pbmserv.render.blocks import Block
    from pbmserv.store.store import Records


class Source(Enum):
    """The door a request came through; the values are stored."""

    SHELL = "shell"
    MAIL = "mail"
    CLOCK = "clock"
    """Nobody's: time alone has passed."""


class Access(Enum):
    """What a command needs of the database."""

    NOTHING = "nothing"
    LOOK = "look"
    CHANGE = "change"
    SHELL = "shell"
    """The command is the shell's own: it drives the door or the database file itself."""


class Answer(NamedTuple):
    """The answer to a command that was done: blocks for people, a document for programs.

    ``ok`` is False for a list of findings that a script should notice (exit code 1).
    """

    blocks: tuple[Block, ...]
    document: Mapping[str, Any]
    ok: bool = True


@dataclass(frozen=True)
class Session:
    """What a command may use while it runs: one open transaction and values from outside.

    ``player`` is who has proved to be himself, for commands with userid and password.
    """

    source: Source
    now: int
    read_body: Callable[[], str] = str
    game_type: type[Game] | None = None
    open_records: Records | None = None
    signed_player: Player | None = None
    find_page: Callable[[Sequence[str]], tuple[str, str]] | None = None
    sender: str | None = None
    """The address that a mail came from, None in the shell."""
    writes_letters: Callable[[], bool] = bool
    """Tells whether letters that are posted will ever leave."""
    find_vacation_days: Callable[[], int] | None = None
    settle_clock: Callable[[tuple[str, int], Player | None], None] | None = None
    news: list[News] = field(default_factory=list)
    asides: list[Aside] = field(default_factory=list)
    letters: list[Letter] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    @property
    def game(self) -> type[Game]:
        """The game before the verb."""
        return _given(self.game_type, "a server command has no game")

    @property
    def records(self) -> Records:
        """The open transaction."""
        return _given(self.open_records, "this command was declared to need no database")

    def page(self, words: Sequence[str]) -> tuple[str, str]:
        """Return topic and text of a help page of the door; raises :class:`NotFound`."""
        return _given(self.find_page, "every door has help pages")(words)

    @property
    def vacation_days(self) -> int:
        """How many days of vacation a player has in a year; may read the settings."""
        return _given(self.find_vacation_days, "every door knows the days of vacation")()

    def settle(self, board: tuple[str, int], toucher: Player | None = None) -> None:
        """Do what the clock of a board has due, before ``toucher`` or the operator changes it."""
        _given(self.settle_clock, "every door settles clocks")(board, toucher)

    @property
    def body(self) -> str:
        """The text that came with the command."""
        return self.read_body()

    @property
    def player(self) -> Player:
        """Who gave userid and password."""
        return _given(self.signed_player, "this command was declared to need no password")

    def tell(self, match: Match, events: Sequence[Event], notes: Sequence[str] = ()) -> None:
        """Have the players and subscribers of a board told what happened there."""
        self.news.append(News(match, tuple(events), notes=tuple(notes)))

    def tell_one(
        self, match: Match, player_id: int, *, events: Sequence[Event] = (), reminder: str = ""
    ) -> None:
        """Have one player of a board, and nobody else, told of these events or reminded."""
        self.asides.append(Aside(match, player_id, tuple(events), reminder))

    def say(self, match: Match, text: str) -> None:
        """Have what the player says passed on to the players and subscribers of a board."""
        self.news.append(News(match, (), text))

    def require_letters(self) -> None:
        """Raise :class:`Refused` if no letter will ever leave, for want of a mail address."""
        if not self.writes_letters():
            raise Refused(
                "This server sends no mail.",
                code="no-mail",
                hint="Its operator can set mail_address (pbmserv help gateway).",
            )

    def post(self, letters: Iterable[Letter]) -> None:
        """Put letters into the outbox, in the transaction of this command."""
        self.letters.extend(letters)

    def note(self, verb: str, detail: str = "", *, match_id: int | None = None) -> None:
        """Have the audit say that ``verb`` was done, with a detail that holds no secret."""
        self.notes.append(Note(verb, detail, match_id))


class News(NamedTuple):
    """What happened at a board, as the board is now, or what was said there.

    ``notes`` are further lines about what happened.
    """

    match: Match
    events: tuple[Event, ...]
    said: str = ""
    notes: tuple[str, ...] = ()


class Aside(NamedTuple):
    """What one player alone is told about a board: events, or a reminder in a sentence."""

    match: Match
    player_id: int
    events: tuple[Event, ...] = ()
    reminder: str = ""


class Note(NamedTuple):
    """A line for the audit, written in the transaction of the command that made it."""

    verb: str
    detail: str
    match_id: int | None


T = TypeVar("T")


def _given(value: T | None, why_not: str) -> T:
    if value is None:
        raise LookupError(why_not)
    return value


AccessRule = Access | Callable[[Mapping[str, Any]], Access]
