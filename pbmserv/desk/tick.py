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
from pbmserv.errors import Fault
from pbmserv.services.record_keeping import finish
from pbmserv.store.clocks import FIRST, Due
from pbmserv.store.kept_counts import has_many_rows, put_together
from pbmserv.store.quotas import DIGESTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pbmserv.club.clock import ClockEvent, ClockEventKind

CHUNK = 500
"""Due boards that are listed in one transaction."""


@dataclass
class Report:
    """What a tick did: how many boards were due, what came of them, and what went wrong.

    ``digests`` are the readers who were posted their mail of the day, ``newcomers`` the addresses
    that were asked for a proof.
    """

    due: int = 0
    events: Counter[ClockEventKind] = field(default_factory=Counter)
    digests: int = 0
    newcomers: int = 0
    problems: list[str] = field(default_factory=list)


def tick(desk: Desk) -> Report:
    """Settle every clock that is due by now; a board that cannot be settled holds up no other."""
    report = Report()
    desk.retried(lambda: _wake(desk))
    for due in _due(desk, desk.world.now()):
        report.due += 1
        try:
            events = desk.retried(lambda due=due: _settle_alone(desk, due))  # type: ignore[misc]
        except Fault as fault:
            report.problems.append(f"{due.game} {due.number}: {fault.message}")
        else:
            report.events.update(event.kind for event in events)
    desk.retried(lambda: _put_counts_together(desk))
    for number in _due_tournaments(desk):
        desk.retried(lambda number=number: _begin(desk, number))  # type: ignore[misc]
    if desk.writes_letters():
        from pbmserv.desk.newcomers import write_to_newcomers

        report.digests = sum(_digests(desk))
        report.newcomers = write_to_newcomers(desk)
    return report


def _put_counts_together(desk: Desk) -> None:
    with desk.store.reading() as records:
        if not has_many_rows(records.connection):
            return
    with desk.store.writing() as records:
        put_together(records.connection)


def _due_tournaments(desk: Desk) -> list[int]:
    with desk.store.reading() as records:
        return records.tournaments.due(desk.world.now())


def _begin(desk: Desk, number: int) -> None:
    from pbmserv.services.tournament_matches import begin_due

    with desk.store.writing() as records:
        session = desk.session_of_clock(records)
        begin_due(session, number)
        finish(session)


def _digests(desk: Desk) -> Iterator[bool]:
    """Post the mail of the day to all who want one; yield for each whether it was posted."""
    with desk.store.reading() as records:
        readers = records.talk.digest_readers()
    for player_id in readers:
        yield desk.retried(lambda reader=player_id: _digest(desk, reader))  # type: ignore[misc]


def _digest(desk: Desk, player_id: int) -> bool:
    """Tell readers which boards wait for them, if any do and they were not told today."""
    from pbmserv.render.service_letters import digest_letter
    from pbmserv.services.match_letters import addresses_of

    now = desk.world.now()
    with desk.store.writing() as records:
        waiting = records.matches.summaries(player_ids=[player_id], selector="next")
        readers = list(addresses_of(records, player_id))
        if not waiting or not readers:
            return False
        if not records.quotas.take(DIGESTS, f"player {player_id}", now):
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
        return records.clocks.wake(desk.world.now())


def _settle_alone(desk: Desk, due: Due) -> tuple[ClockEvent, ...]:
    with desk.store.writing() as records:
        return desk.settle_match(records, (due.game, due.number))
