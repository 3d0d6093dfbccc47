"""News, letters and audit notes of a change, collected while it is made."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pbmserv.club.clock import Timing
    from pbmserv.club.events import Event
    from pbmserv.club.letter import Letter
    from pbmserv.club.match import Match
    from pbmserv.club.player import Player


class MatchNews(NamedTuple):
    """Events at a match as it is now, lines about them, and the clock if it is known already."""

    match: Match
    events: tuple[Event, ...]
    notes: tuple[str, ...] = ()
    timing: Timing | None = None


class Remark(NamedTuple):
    """A comment by a player or a subscriber of a match."""

    match: Match
    player: Player
    text: str


class PrivateNews(NamedTuple):
    """News of a match for one player alone: events, or a reminder in a sentence."""

    match: Match
    player_id: int
    events: tuple[Event, ...] = ()
    reminder: str = ""


class Unproven(NamedTuple):
    """A player's address that is to be proven by an answer to a letter."""

    address: str
    player: Player
    is_new: bool
    """Whether no other address of theirs is proven."""


class Announcement(NamedTuple):
    """A sentence for some players, and its subject."""

    about: str
    player_ids: tuple[int, ...]
    sentence: str


class PrecedingNews(NamedTuple):
    """A person's turn that a robot answers at once, with its comment."""

    news: MatchNews
    comment: str
    said_by: str


class Note(NamedTuple):
    """A line for the audit, written in the transaction of the command that made it."""

    verb: str
    detail: str
    match_id: int | None


@dataclass(eq=False, repr=False)
class Ledger:
    """All news, letters and notes of one change, for the transaction that makes it."""

    news: list[MatchNews] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    asides: list[PrivateNews] = field(default_factory=list)
    letters: list[Letter] = field(default_factory=list)
    unproven: list[Unproven] = field(default_factory=list)
    announcements: list[Announcement] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    comment: str = ""
    """The signed player's comment on what they did."""
    said_by: str = ""
    """The userid that the letters give as its writer."""
    was_cut: bool = False
    """Whether what they wrote had a token in it, of which they are told."""

    def tell(
        self,
        match: Match,
        events: Sequence[Event],
        notes: Sequence[str] = (),
        timing: Timing | None = None,
    ) -> None:
        """Notify the players and subscribers of a match of events."""
        self.news.append(MatchNews(match, tuple(events), tuple(notes), timing))

    def tell_one(
        self, match: Match, player_id: int, *, events: Sequence[Event] = (), reminder: str = ""
    ) -> None:
        """Have one player of a match, and nobody else, told of these events or reminded."""
        self.asides.append(PrivateNews(match, player_id, tuple(events), reminder))

    def say(self, match: Match, player: Player, text: str) -> None:
        """Have what a player says passed on to the players and subscribers of a match."""
        self.remarks.append(Remark(match, player, text))

    def post(self, letters: Iterable[Letter]) -> None:
        """Put letters into the outbox."""
        self.letters.extend(letters)

    def note(self, verb: str, detail: str = "", *, match_id: int | None = None) -> None:
        """Have the audit say that ``verb`` was done, with a detail that holds no secret."""
        self.notes.append(Note(verb, detail, match_id))
