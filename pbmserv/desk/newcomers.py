"""Letters that ask for a proof of an address, sent in turn when the day's budget has room."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pbmserv.render.board_letters import Reader
from pbmserv.render.service_letters import verify_letter, welcome_letter
from pbmserv.store.proof_queue import in_turn
from pbmserv.store.quotas import TO_BE_PROVEN, Recipient

if TYPE_CHECKING:
    from pbmserv.desk.door import Desk
    from pbmserv.store.proof_queue import ProofRequest
    from pbmserv.store.store import Records


def write_to_newcomers(desk: Desk) -> int:
    """Post the letters whose turn it is; return how many. What waits for too long is dropped."""
    with desk.store.reading() as records:
        if not records.proof_queue.waiting(0):
            return 0
    return desk.retried(lambda: _write(desk))


def _write(desk: Desk) -> int:
    now = desk.world.now()
    posted = 0
    with desk.store.writing() as records:
        records.proof_queue.forget(now)
        for request in in_turn(records.proof_queue.waiting(now)):
            if not _is_wanted(records, request):
                records.proof_queue.remove(request.address)
                continue
            recipient = Recipient(request.address, request.net, request.is_authenticated)
            if records.quotas.spend(TO_BE_PROVEN, recipient, now):
                records.proof_queue.remove(request.address)
                _post(records, request, now)
                posted += 1
    return posted


def _is_wanted(records: Records, request: ProofRequest) -> bool:
    """Tell whether the address is still the player's, and nobody has proven it meanwhile."""
    rows = records.addresses.of([request.player_id])
    own = [row for row in rows if row.address.lower() == request.address.lower()]
    return any(not row.is_proven and row.stopped_at is None for row in own)


def _post(records: Records, request: ProofRequest, now: int) -> None:
    rows = records.addresses.of([request.player_id])
    write = verify_letter if any(row.is_proven for row in rows) else welcome_letter
    userid = records.players.get(request.player_id).userid
    letter = write(Reader(request.address, request.player_id), userid)
    records.outbox.post([letter], now)
