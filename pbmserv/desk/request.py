"""Requests from a shell or by mail, and the run of one command through the door."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pbmserv.club.letter import Letter, TokenScope
from pbmserv.commands.answer import REHEARSED, Answer
from pbmserv.commands.grammar import AskPassword, Call
from pbmserv.errors import Paused, Refused
from pbmserv.services.session import KeyHolder, Source, WriteSession

if TYPE_CHECKING:
    from pbmserv.club.player import Player
    from pbmserv.store.people.players import Signer
    from pbmserv.store.store import Records


# Nothing changes one, but to have it frozen would take five times as long, for every line.
@dataclass(repr=False)
class Request:
    """The words of one command, who sent them and how; never printed, for words hold passwords.

    ``body`` is the text that some commands read. ``ask_password`` is called where the shell gave
    ``-`` for a password; other doors have none. ``sender`` is the address that a mail came from,
    ``answers_now`` tells whether a reply token shows that it answers the last letter of a board.
    ``keys`` is where a shell or browser keeps its sign-in key; at a gate ``acts_as`` is the userid
    of the player whose gate it is. ``key`` tells it from any other: what has it is done once only.
    By the web it comes from the network ``net``, a /24 or /64; "" if that is not known.
    """

    words: tuple[str, ...]
    source: Source = Source.SHELL
    body: Callable[[], str] = str
    ask_password: AskPassword | None = None
    sender: str | None = None
    answers_now: bool = False
    keys: KeyHolder | None = None
    acts_as: str | None = None
    key: str | None = None
    net: str = ""


@dataclass(frozen=True, repr=False)
class MailRequest:
    """One mail that passed the guard, read and cleaned.

    ``key`` tells it from any other of whoever signed it, and ``digest`` is that of its words.
    ``reply_to`` is its Message-ID where that can be repeated.
    ``lines`` are its commands, several only if ``is_multiple``. With ``is_short`` the one line is
    only what a reply token's holder wants to do: ``F6``, ``resign``. ``board`` is the game's word
    and the number that its Subject names. ``unread`` is why its commands could not be read.
    ``is_bare`` if nothing such as ``Re:`` stands before its Subject. ``is_authenticated`` if our
    own mail server vouches for the domain of ``sender``; ``net`` is where it says the mail is from.
    ``in_subject`` if the line was there, above words that are a comment.
    ``is_cut`` if the comment ends before what a mail of ours brought along.
    """

    key: str
    sender: str
    door: str
    lines: tuple[str, ...] = ()
    comment: str = ""
    reply_to: str | None = None
    proof: TokenScope | None = None
    is_short: bool = False
    is_multiple: bool = False
    board: tuple[str, int] | None = None
    unread: Refused | None = None
    digest: str = ""
    is_bare: bool = False
    is_authenticated: bool = False
    net: str = ""
    is_cut: bool = False
    in_subject: bool = False

    @property
    def unsigned_key(self) -> str:
        """What tells it from any other mail that nobody signed.

        Its Message-ID alone is not enough: whoever has seen it could send another under it.
        """
        return f"{self.key} {self.digest}"


Signature = Callable[["Records"], "Signer | None"]
"""Returns whose command it is, as the transaction finds them."""


def letters_about(session: WriteSession) -> Sequence[Letter]:
    """Return the letters about what was done, or none if mail is not set up."""
    if not session.writes_letters():
        return ()
    # A server without mail need not load what writes letters.
    from pbmserv.desk.match_letters import letters_of

    return letters_of(session)


def anonymous(_records: Records) -> None:
    """Sign for nobody."""


@dataclass
class CommandRun:
    """One command on its way through the door, of somebody who needs no more than a signature.

    What depends on how it came is overridden, as for a mail. Each method may raise
    :class:`Refused`. ``call`` and ``player`` are known as far as it was understood and signed by
    now; ``values`` are made before the transaction, for a new password takes time to hash.
    """

    request: Request
    call: Call | None = None
    player: Player | None = None
    signature: Signature = anonymous
    values: Mapping[str, Any] = field(default_factory=dict)
    has_news = True
    is_alone = True
    """Whether nothing else is done in its transaction."""

    def understand(self) -> Call:
        """Return what is to be done."""
        if self.call is None:
            raise TypeError("This was not understood.")
        return self.call

    def sign(self, records: Records, call: Call) -> Player | None:
        """Return the command's player, locked; raises :class:`Paused` during maintenance."""
        signer = self.signature(records)
        is_paused = records.maintenance.since() if signer is None else signer.paused_at
        if is_paused is not None and not call.verb.entry.for_operators:
            raise Paused
        if signer is not None:
            self.player, self.has_news = signer.player, signer.has_news
        return self.player

    def admit(self, call: Call, player: Player | None) -> Mapping[str, Any]:
        """Return the values for the command, where they may have it done by this way."""
        del call, player
        return self.values

    def is_worth_noting(self, error: Refused) -> bool:
        """Tell whether the audit has a line about a refusal."""
        del error
        return True

    def letters(self, session: WriteSession, call: Call, answer: Answer) -> Sequence[Letter]:
        """Return the letters to be posted about it."""
        del call, answer
        return session.letters(session)


class DryRun(Exception):
    """Leaves the savepoint of a command that was only to say what it would do."""

    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self.answer = answer._replace(
            content=(REHEARSED, *answer.blocks), facts={"dry_run": True, **answer.document}
        )
