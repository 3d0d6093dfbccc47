"""The clock of a match: started with the board, switched with every turn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pbmserv.club.clock import (
    Clock,
    Deadline,
    StoredClock,
    Timing,
    deadline,
    due_at,
    stand_still,
    turn_to,
)
from pbmserv.club.match import Match, MatchSummary
from pbmserv.club.player import Player
from pbmserv.club.time_limits import TimeLimits
from pbmserv.club.vacation import Vacations, change
from pbmserv.services.session import ReadSession, WriteSession

CHUNK = 500
"""Clocks read at once when maintenance ends."""


def start_clock(session: ReadSession, match: Match, limits: TimeLimits) -> None:
    """Start the clock of a new match."""
    on_move, other = match.first, match.second
    if match.next_seat == other:
        on_move, other = other, on_move
    clock = Clock(on_move.player_id, other.player_id, session.now)
    away = session.records.absences.of((on_move.player_id, other.player_id))
    awake = session.records.clocks.awake(session.now)
    due = due_at(clock, limits, away[clock.player_id], awake=awake)
    session.records.clocks.add(StoredClock(match.id, limits, clock), due)
    session.records.matches.forget_extras()


def deadlines(session: ReadSession, matches: Iterable[MatchSummary]) -> dict[int, Deadline]:
    """Return when the turn must be made in each of these matches that runs with a clock."""
    running = [match.id for match in matches if match.next_seat is not None]
    if not running:
        return {}
    clocks = session.records.clocks.of(running)
    away = session.records.absences.of(stored.clock.player_id for stored in clocks)
    return {
        stored.match_id: deadline(stored.clock, stored.limits, away[stored.clock.player_id])
        for stored in clocks
    }


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
            due = due_at(after, stored.limits, own, awake=awake, now=session.now)
            records.clocks.save(stored.match_id, after, due)
        last = chunk[-1].match_id
    records.clocks.wake(session.now, has_stood=True)
    records.maintenance.end()


def take_vacation(
    session: ReadSession, player: Player, words: Sequence[str], *, auto: bool | None
) -> Vacations:
    """Let a player go on vacation, or come back, or decline ``auto``; return their vacations."""
    records = session.records
    # The boards first, as a tick has them: two that take locks in one order never wait in a ring.
    clocks = records.clocks.on_move(player.id)
    before = records.absences.of([player.id], session.vacation_days, lock=True)[player.id]
    after = change(before, words, session.now) if words else before
    if auto is not None:
        wanted = records.talk.preferences(player.id)
        records.talk.prefer(player.id, replace(wanted, keeps_vacation=not auto))
    records.absences.save(player.id, after)
    awake = records.clocks.awake(session.now)
    for stored in clocks:
        due = due_at(stored.clock, stored.limits, after, awake=awake, now=session.now)
        records.clocks.save(stored.match_id, stored.clock, due)
    return after


def turn_clock(
    session: ReadSession, before: Match, after: Match, timing: Timing | None
) -> Timing | None:
    """Switch the clock to the player on move; stop it when the match has ended.

    ``timing`` is how it stood before. Returns how it stands then, None without a clock.
    """
    if timing is None and after.is_running and not before.is_running:
        # A game that ended before there were clocks.
        start_clock(session, after, TimeLimits())
        return session.records.matches.extras(before.id, session.now).timing
    if timing is None or (after.is_running and before.is_running and after.ply == before.ply):
        return timing
    stored, away, awake = timing
    if not before.is_running:
        # A game that is opened again: nobody's time ran while it was over, and whoever has used
        # theirs up is warned anew before they forfeit.
        fresh = replace(stored.clock, began_at=session.now, total_warnings={})
        stored = stored._replace(clock=fresh)
    late = stored.clock.player_id
    mover = after.next_seat.player_id if after.next_seat else late
    turned = turn_to(stored.clock, mover, away[late], session.now)
    due = (
        due_at(turned, stored.limits, away[mover], awake=awake, now=session.now)
        if after.is_running
        else None
    )
    session.records.clocks.save(before.id, turned, due)
    return timing._replace(stored=stored._replace(clock=turned))
