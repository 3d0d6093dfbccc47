"""One command on its way through the door, signed and admitted as it came."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pbmserv.commands.answer import REHEARSED, Answer
from pbmserv.errors import Paused

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pbmserv.club.letter import Letter
    from pbmserv.club.player import Player
    from pbmserv.commands.grammar import Call
    from pbmserv.desk.request import Request
    from pbmserv.services.session import WriteSession
    from pbmserv.store.people.players import Signer
    from pbmserv.store.store import Records

Signature = Callable[["Records"], "Signer | None"]
"""Returns whose command it is, as the transaction finds them."""


def letters_about(session: WriteSession) -> Sequence[Letter]:
    """Return the letters about what was done, none where mail is not set up."""
    if not session.writes_letters():
        return ()
    # A server without mail need not load what writes letters.
    from pbmserv.desk.match_letters import letters_of

    return letters_of(session)


def nobody_signs(records: Records) -> None:
    """Sign for nobody."""
    del records


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
    signature: Signature = nobody_signs
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
        """Return the player whose command it is, now that nobody else can change them.

        Raises :class:`Paused` during maintenance.
        """
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

    def letters(self, session: WriteSession, call: Call, answer: Answer) -> Sequence[Letter]:
        """Return what is to be posted about it."""
        del call, answer
        return session.letters(session)


class DryRun(Exception):
    """Leaves the savepoint of a command that was only to say what it would do."""

    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self.answer = answer._replace(
            content=(REHEARSED, *answer.blocks), facts={"dry_run": True, **answer.document}
        )
