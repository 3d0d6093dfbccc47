"""The tick: what the clocks have due, a transaction for each board that has anything.

Only boards that are due are looked at, however many there are. A board whose player moves at the
same moment is locked by one of the two. Whoever comes second finds what the first has made of it:
the move that was in time, or the game that is over.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pbmserv.desk.door import Desk
from pbmserv.desk.match_letters import addresses_of, proof_letter
from pbmserv.errors import Fault
from pbmserv.render.service_letters import digest_letter
from pbmserv.services.ledger import Unproven
from pbmserv.services.tournament_matches import begin_due
from pbmserv.store.mail.budgets import Purpose, Requester
from pbmserv.store.mail.proof_queue import in_turn
from pbmserv.store.matches.clocks import FIRST, Due

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pbmserv.club.clock import ClockEvent, ClockEventKind
    from pbmserv.club.letter import Letter
    from pbmserv.store.mail.proof_queue import ProofRequest
    from pbmserv.store.store import Records

CHUNK = 500
"""Due boards that are listed in one transaction."""


@dataclass
class TickReport:
    """What a tick did: how many boards were due, what came of them, and what went wrong how.

    ``digests`` are the readers who were posted their mail of the day, ``newcomers`` the addresses
    that were asked for a proof, ``rest`` the seconds for which no clock was settled before.
    """

    due: int = 0
    events: Counter[ClockEventKind] = field(default_factory=Counter)
    digests: int = 0
    newcomers: int = 0
    rest: int = 0
    problems: list[str] = field(default_factory=list)
    exit_codes: set[int] = field(default_factory=set)


def tick(desk: Desk) -> TickReport:
    """Settle every clock that is due by now; a board that cannot be settled holds up no other."""
    report = TickReport(rest=desk.with_retries(_wake, desk))
    for due in _due(desk, desk.world.now()):
        report.due += 1
        try:
            events = desk.with_retries(_settle_alone, desk, due)
        except Fault as fault:
            report.problems.append(f"{due.game} {due.number}: {fault.message}")
            report.exit_codes.add(fault.exit_code)
        else:
            report.events.update(event.kind for event in events)
    with desk.store.reading() as records:
        tournaments = records.tournaments.due(desk.world.now())
    for number in tournaments:
        desk.with_retries(_begin, desk, number)
    if desk.writes_letters():
        with desk.store.reading() as records:
            readers = records.talk.digest_readers()
        report.digests = sum(desk.with_retries(_digest, desk, reader) for reader in readers)
        report.newcomers = _write_to_newcomers(desk)
    return report


def _begin(desk: Desk, number: int) -> None:
    with desk.store.writing() as records:
        session = desk.session_of_clock(records)
        begin_due(session, number)
        session.finish()


def _digest(desk: Desk, player_id: int) -> bool:
    """Post a player's mail of the day, if boards wait for them and it was not posted today."""
    now = desk.world.now()
    with desk.store.writing() as records:
        waiting = records.matches.summaries(player_ids=[player_id], selector="next")
        readers = list(addresses_of(records, player_id))
        if not waiting or not readers:
            return False
        if not records.budgets.allow(Purpose.DIGEST, Requester(player_id=player_id), now):
            return False
        records.outbox.post([digest_letter(reader, waiting) for reader in readers], now)
        return True


def _due(desk: Desk, now: int) -> Iterator[Due]:
    """Yield every board that is due, in the order of its time."""
    last = FIRST
    while True:
        with desk.store.reading() as records:
            chunk = records.clocks.due(now, after=last, limit=CHUNK)
        yield from chunk
        if len(chunk) < CHUNK:
            return
        last = chunk[-1]


def _wake(desk: Desk) -> int:
    with desk.store.writing() as records:
        records.clocks.wake(desk.world.now())
        return records.clocks.last_rest()


def _settle_alone(desk: Desk, due: Due) -> tuple[ClockEvent, ...]:
    with desk.store.writing() as records:
        return desk.settle_match(records, (due.game, due.number))


def _write_to_newcomers(desk: Desk) -> int:
    """Post the letters whose turn it is; return how many. What waits for too long is dropped."""
    with desk.store.reading() as records:
        if not records.proof_queue.waiting(0):
            return 0
    return desk.with_retries(_write_in_turn, desk)


def _write_in_turn(desk: Desk) -> int:
    now = desk.world.now()
    posted = 0
    with desk.store.writing() as records:
        records.proof_queue.forget(now)
        for request in in_turn(records.proof_queue.waiting(now)):
            address, _, net, is_vouched, _ = request
            letter = _letter(records, request)
            if letter is None:
                records.proof_queue.remove(address)
                continue
            recipient = Requester(address, net=net, is_vouched=is_vouched)
            if records.budgets.allow(Purpose.WELCOME, recipient, now, letter.max_bytes):
                records.proof_queue.remove(address)
                records.outbox.post([letter], now)
                posted += 1
    return posted


def _letter(records: Records, request: ProofRequest) -> Letter | None:
    """Return the letter that asks the address for a proof.

    None where it is not the player's any more, or somebody has proven it meanwhile.
    """
    rows = records.addresses.of([request.player_id])
    own = [row for row in rows if row.address.lower() == request.address.lower()]
    if not any(not row.is_proven and row.stopped_at is None for row in own):
        return None
    player = records.players.get(request.player_id)
    is_new = not any(row.is_proven for row in rows)
    return proof_letter(Unproven(request.address, player, is_new))
