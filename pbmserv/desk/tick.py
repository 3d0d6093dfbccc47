"""The tick: what the clocks have due, a transaction for each board that has anything.

Only boards that are due are looked at, however many there are. A board whose player moves at the
same moment is locked by one of the two. Whoever comes second finds what the first has made of it:
the move that was in time, or the game that is over.

The alarm: where nobody settles the clocks, nobody is reminded and nobody forfeits. Late is more
than LATEST_TICK seconds after the last tick or, before the first, after the oldest running clock
began; at maintenance clocks stand still.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from pbmserv.club.clock import ClockEvent, ClockEventKind
from pbmserv.club.letter import Letter
from pbmserv.club.wording import span_words
from pbmserv.desk.door import Desk
from pbmserv.desk.match_letters import addresses_of, proof_letter
from pbmserv.engine.moments import HOUR, Moment, TimedText
from pbmserv.errors import Fault
from pbmserv.render.board_letters import Reader
from pbmserv.render.service_letters import digest_letter, trouble_letter
from pbmserv.services.ledger import Unproven
from pbmserv.services.tournament_matches import begin_due
from pbmserv.store.mail.budgets import Purpose, Requester
from pbmserv.store.mail.proof_queue import ProofRequest, in_turn
from pbmserv.store.matches.clocks import FIRST, DueClock
from pbmserv.store.store import Records, Store

# Due boards are read in pages of CHUNK along the index of due times, each page from the last
# (time, match) on: a board that cannot be settled stays due, and does not come again in the same
# tick. Each board is settled in a transaction of its own, so that a move made meanwhile waits for
# one board.

CHUNK = 500
"""Due boards that are listed in one transaction."""


@dataclass
class TickReport:
    """The results of a tick: boards that were due, their events, and the problems.

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


def _due(desk: Desk, now: int) -> Iterator[DueClock]:
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


def _settle_alone(desk: Desk, due: DueClock) -> tuple[ClockEvent, ...]:
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
    """Return the letter of proof to an address, or None if it is proven or no longer theirs."""
    rows = records.addresses.of([request.player_id])
    own = [row for row in rows if row.address.lower() == request.address.lower()]
    if not any(not row.is_proven and row.stopped_at is None for row in own):
        return None
    player = records.players.get(request.player_id)
    is_new = not any(row.is_proven for row in rows)
    return proof_letter(Unproven(request.address, player, is_new))


LATEST_TICK = 25 * HOUR
"""Seconds after which a daily tick is missing; an hour is left for a day that has 25."""

WHAT_TO_DO = "Nobody is reminded or loses on time: run pbmserv tick every hour."
TOO_SELDOM = "Reminders and forfeits are late by that time: run pbmserv tick every hour."


def late_since(records: Records, now: int) -> int | None:
    """Return since when running clocks have not been settled, or None if that is not too long.

    During maintenance clocks stand still and are not missed.
    """
    running = records.clocks.running(0, 1)
    if not running or records.maintenance.since() is not None:
        return None
    settled = records.clocks.settled_at()
    since = running[0].clock.began_at if settled is None else settled
    return since if now - since > LATEST_TICK else None


def seldom_words(rest: int) -> str:
    """Return the alarm where so many seconds passed between two ticks; nothing if all is well."""
    if rest <= LATEST_TICK:
        return ""
    return f"Before this tick the clocks were not checked for {span_words(rest)}. {TOO_SELDOM}"


def late_words(since: int) -> str:
    """Return the alarm for people."""
    return TimedText("The clocks have not been checked since ", Moment(since), f". {WHAT_TO_DO}")


def tell_operator(store: Store, operator: str | None, now: int) -> None:
    """Post a letter to the operator where the clocks are late, once a day at most."""
    if operator is None:
        return
    with store.reading() as records:
        since = late_since(records, now)
    if since is None:
        return
    with store.writing(for_operators=True) as records:
        if records.budgets.allow(Purpose.OPERATOR, Requester("late-tick"), now):
            letter = trouble_letter(Reader(operator), "the clocks", [late_words(since)])
            records.outbox.post([letter], now)
