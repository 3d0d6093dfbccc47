"""The end of maintenance: clocks go on as if no time had passed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pbmserv.club.clock import due_at, stand_still

if TYPE_CHECKING:
    from pbmserv.services.session import WriteSession

CHUNK = 500


def end_maintenance(session: WriteSession, since: int) -> None:
    """Let everybody change things again; no running clock has spent any time since then."""
    records = session.records
    awake = records.clocks.awake(session.now)
    last = 0
    while chunk := records.clocks.running(last, CHUNK):
        away = records.absences.of(stored.clock.player_id for stored in chunk)
        for stored in chunk:
            own = away[stored.clock.player_id]
            after = stand_still(stored.clock, own, since, session.now)
            due = due_at(after, stored.limits, own, awake=awake)
            records.clocks.save(stored.match_id, after, due)
        last = chunk[-1].match_id
    records.maintenance.end()
