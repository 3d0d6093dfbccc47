"""Who may do what by mail: rules beyond a right password, which the shell does not need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pbmserv.commands.answer import Access
from pbmserv.desk.identity import needs_password
from pbmserv.errors import Denied, Refused

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pbmserv.club.match import Match
    from pbmserv.commands.grammar import Call
    from pbmserv.desk.request import Proof
    from pbmserv.store.addresses import Address
    from pbmserv.store.store import Records

FOR_STRANGERS = frozenset({"help", "signup", "reset"})
"""What may be asked from an address that is not on file."""

ANSWERED_TO_STRANGERS = frozenset({"help", "signup"})
"""What is answered to such an address, once a day."""

SHELL_ONLY = frozenset({"import"})

AT_ANY_REVISION = frozenset({"resign", "chat", "unsubscribe"})
"""What a reply token is good for even when the board has changed since it was made."""


def require_right(records: Records, call: Call, holders: Iterable[Address]) -> None:
    """Raise :class:`Refused` unless this may be done by a mail from an address of ``holders``."""
    verb = call.verb.name or ""
    if verb in SHELL_ONLY:
        raise Denied("This cannot be done by mail.", code="shell-only")
    if needs_password(call) or verb in FOR_STRANGERS:
        return
    known = {address.player_id for address in holders}
    if not known:
        raise Denied(
            "This address is not on file.",
            code="unknown-sender",
            hint="Open an account with the Subject: signup USERID PASSWORD",
        )
    if call.access is Access.CHANGE and verb == "challenge":
        _require_own_challenge(records, call, known)


def _require_own_challenge(records: Records, call: Call, known: set[int]) -> None:
    players = [records.players.find(call.params[name]) for name in ("userid1", "userid2")]
    if not any(player is not None and player.id in known for player in players):
        raise Denied(
            "A challenge by mail must come from an address of one of the two players.",
            code="not-your-challenge",
        )


def require_fresh(match: Match, proof: Proof, word: str) -> None:
    """Raise :class:`Refused` if the board has changed since the reply token was made.

    Resigning, chat and leaving a subscription are right until the match ends.
    """
    is_lasting = word in AT_ANY_REVISION and match.is_running
    if is_lasting or match.revision == proof.revision:
        return
    raise Refused(
        f"{match.title} has changed since the mail that you answered.",
        code="stale-token",
        hint="Look at the newest mail of this board and answer that one.",
    )
