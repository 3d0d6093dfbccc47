"""Letters to addresses that nobody has proven: how many may be sent, and which wait for their turn.

Anybody may name an address of somebody else, in a mail or in a browser.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pbmserv.club.letter import LetterKind
from pbmserv.errors import Refused
from pbmserv.store.mail.budgets import Purpose, Requester
from pbmserv.store.mail.proof_queue import ProofRequest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pbmserv.club.letter import Letter
    from pbmserv.services.session import Source
    from pbmserv.store.people.addresses import Address
    from pbmserv.store.store import Records

TOO_MANY_NEWCOMERS = "too-many-newcomers"


class LetterCause(NamedTuple):
    """A mail or a visit because of which letters are written.

    ``sender`` is the address that a mail says it is from, None where somebody only named one by the
    web, ``net`` the network that it came from, "" if nobody says so. ``is_authenticated`` if our
    mail server vouches for the sender.
    """

    now: int
    net: str
    sender: str | None = None
    is_authenticated: bool = False

    def is_from(self, address: str) -> bool:
        """Tell whether it comes from this address, or may."""
        return self.sender is None or self.sender.lower() == address.lower()


def may_be_sent(
    records: Records, letter: Letter, on_file: Sequence[Address], cause: LetterCause
) -> bool:
    """Tell whether the letter goes to a proven address, or the budget for others has room.

    ``on_file`` has those with its address, and may have others. A letter that asks for a proof
    waits otherwise, and always if it would go to another address than the sender's.
    """
    address, player_id = letter.address.lower(), letter.player_id
    own = [row for row in on_file if row.address.lower() == address]
    rows = [row for row in own if player_id in {None, row.player_id}]
    if letter.kind is LetterKind.OPERATOR or any(row.is_open for row in rows):
        return True
    if any(row.stopped_at is not None for row in rows):
        return False
    is_vouched = cause.is_authenticated and cause.is_from(address)
    recipient = Requester(letter.address, net=cause.net, is_vouched=is_vouched)
    if letter.kind is LetterKind.WELCOME and player_id is not None:
        return _may_be_welcomed(records, letter, player_id, recipient, cause)
    return records.budgets.allow(Purpose.STRANGER, recipient, cause.now, letter.max_bytes)


def _may_be_welcomed(
    records: Records, letter: Letter, player_id: int, recipient: Requester, cause: LetterCause
) -> bool:
    """Tell whether a letter that asks for a proof is sent now; else it waits for its turn.

    Raises :class:`Refused` if too many are waiting.
    """
    if cause.is_from(letter.address):
        again = records.latecomers.may_retry(letter.address, cause.now)
        newcomer = recipient._replace(asks_again=again)
        if records.budgets.allow(Purpose.WELCOME, newcomer, cause.now, letter.max_bytes):
            records.proof_queue.remove(letter.address)
            return True
        records.latecomers.note(letter.address, cause.now)
    is_vouched = recipient.is_vouched
    if not queue_proof(records, letter.address, player_id, cause, is_vouched=is_vouched):
        raise Refused(
            "Too many people want to join at the moment.",
            code=TOO_MANY_NEWCOMERS,
            hint="Try again in a quarter of an hour, or tomorrow.",
        )
    return False


def queue_proof(
    records: Records,
    address: str,
    player_id: int,
    cause: LetterCause,
    *,
    is_vouched: bool = False,
) -> bool:
    """Have an address wait for the letter that proves it; tell whether there is room."""
    request = ProofRequest(address, player_id, cause.net, is_vouched, cause.now)
    return records.proof_queue.add(request)


def prove_address(
    records: Records, address: str, player_id: int, cause: LetterCause, source: Source
) -> None:
    """Note that whoever reads an address has proved it; mail to it begins again.

    With the first address that somebody proves, their others are asked for a proof too. Only what
    changes anything is audited.
    """
    before, key, now = records.addresses.of([player_id]), address.lower(), cause.now
    records.addresses.verify(player_id, address, now)
    if any(not row.is_open for row in before if row.address.lower() == key):
        way = source.value
        records.audit.add(at=now, source=way, verb="verify", outcome="done", player_id=player_id)
    if not any(row.is_proven for row in before):
        for row in before:
            if row.address.lower() != key:
                queue_proof(records, row.address, player_id, cause)
