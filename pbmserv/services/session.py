"""Sessions: what a command may use, an open transaction and values from outside."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, NoReturn, Protocol

from pbmserv.errors import Denied, Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pbmserv.club.letter import Letter
    from pbmserv.club.player import Player
    from pbmserv.services.ledger import Ledger
    from pbmserv.store.store import Records


DEFAULT_ROBOT_BOARDS = 10
"""Boards against robots that a player may have running, unless the settings differ."""


class Source(Enum):
    """The door a request came through; the values are stored."""

    SHELL = "shell"
    MAIL = "mail"
    GATE = "gate"
    """A shell of somebody who has no account on the machine, and may touch no file there."""
    WEB = "web"
    """A browser."""
    CLOCK = "clock"
    """Nobody's: time alone has passed."""
    ROBOT = "robot"
    """The computer makes the move of one of its players."""


class KeyHolder(Protocol):
    """Where the sender of a request keeps their sign-in key."""

    @property
    def life(self) -> int | None:
        """Seconds after which a new key ends although it is used, None for no such end."""

    def read(self) -> str | None:
        """Return the key, or None without one; raises :class:`Refused`."""

    def keep(self, key: str) -> None:
        """Keep this key in place of any other; raises :class:`Refused`."""

    def drop(self) -> None:
        """Keep no key any more; raises :class:`Refused`."""


def refuse_me(_records: Records) -> NoReturn:
    """Raise :class:`Denied`: ``me`` stands for nobody where nobody can sign in."""
    raise Denied(
        "The word me does not work here.",
        code="me-by-mail",
        hint="It works in a shell, after: pbmserv login USERID",
    )


# Nothing changes one, but to have it frozen would take five times as long, for every command.
@dataclass(eq=False, repr=False)
class ReadSession:
    """The session of a command that only looks; ``signer`` is the player who has signed, if any.

    ``find_me`` returns the player for whom ``me`` stands, or raises :class:`Denied`.
    """

    source: Source
    now: int
    records: Records
    find_vacation_days: Callable[[], int]
    signer: Player | None = None
    find_me: Callable[[Records], Player] = refuse_me
    has_news: bool = True
    """Whether there may be something that the signer has not read."""

    @cached_property
    def me(self) -> Player:
        """The signed-in player, whom ``me`` means; raises :class:`Denied` without one."""
        return self.find_me(self.records)

    @cached_property
    def viewer(self) -> Player | None:
        """The player who looks, if known: the signer, else the signed-in player."""
        if self.signer is None and self.source in {Source.SHELL, Source.WEB}:
            with suppress(Denied):
                return self.me
        return self.signer

    @property
    def vacation_days(self) -> int:
        """How many days of vacation a player has in a year; may read the settings."""
        return self.find_vacation_days()


@dataclass(eq=False, repr=False)
class WriteSession(ReadSession):
    """The session of a command that changes something: the ledger too, and what came with it.

    ``sender`` is the address that a mail came from, None in the shell; ``read_body`` gives the
    text that came with the command. ``writes_letters`` tells whether letters will ever leave,
    ``own_address`` the server's own address, "" without one;
    ``letters`` writes those about what was done, ``answers_now`` whether the request answers the
    last letter about its board. ``keys`` is where a shell keeps its sign-in key.
    ``max_robot_boards`` says how many boards against robots a player may have running.
    """

    ledger: Ledger = field(kw_only=True)
    sender: str | None = None
    read_body: Callable[[], str] = str
    writes_letters: Callable[[], bool] = bool
    own_address: Callable[[], str] = str
    letters: Callable[[WriteSession], Sequence[Letter]] = lambda _session: ()
    answers_now: bool = False
    keys: KeyHolder | None = None
    max_robot_boards: Callable[[], int] = lambda: DEFAULT_ROBOT_BOARDS
    is_password_of: Callable[[str, Player], bool] = lambda _word, _player: False
    """Tells, slowly where it is not, whether a word is somebody's password."""
    key: str | None = None
    """Identifies the request, if it must be known later whether it was done."""

    def finish(self) -> None:
        """Record what was done and post the letters about it."""
        self.record()
        self.records.outbox.post(self.letters(self), self.now)

    def record(self) -> None:
        """Enter what was done in the audit."""
        player = self.signer
        for number, note in enumerate(self.ledger.notes):
            self.records.audit.add(
                at=self.now,
                source=self.source.value,
                player_id=player.id if player else None,
                match_id=note.match_id,
                verb=note.verb,
                detail=note.detail,
                outcome="done",
                key=None if number else self.key,
            )
        if player is not None and self.ledger.notes:
            self.records.players.note_seen(player, self.now)

    def require_letters(self) -> None:
        """Raise :class:`Refused` if no letter will ever leave, for want of a mail address."""
        if not self.writes_letters():
            raise Refused(
                "This server sends no mail.",
                code="no-mail",
                hint="Its operator can set mail_address (pbmserv help gateway).",
            )
