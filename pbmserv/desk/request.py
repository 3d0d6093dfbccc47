"""What comes to the door: one line from a shell, or one mail."""

from collections.abc import Callable
from dataclasses import dataclass

from pbmserv.club.letter import TokenScope
from pbmserv.commands.grammar import AskPassword
from pbmserv.errors import Refused
from pbmserv.services.session import KeyHolder, Source


# Nothing changes one, but to have it frozen would take five times as long, for every line.
@dataclass(repr=False)
class Request:
    """The words of one command, who sent them and how; never printed, for words hold passwords.

    ``body`` is the text that some commands read. ``ask_password`` is called where the shell gave
    ``-`` for a password; other doors have none. ``sender`` is the address that a mail came from,
    ``answers_now`` tells whether a reply token shows that it answers the last letter of a board.
    ``keys`` is where the shell keeps its sign-in key; at a gate ``acts_as`` is the userid of the
    player whose gate it is. ``key`` tells it from any other: what has it is done once only.
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
