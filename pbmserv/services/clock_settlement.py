"""Settling a clock: what it has due is done in an open transaction, before anything else."""

from __future__ import annotations

from dataclasses import replace

from pbmserv.club.clock import ClockEvent, ClockEventKind, due_at, settle, without_future
from pbmserv.club.match import Match
from pbmserv.club.notices import NoticeKind
from pbmserv.club.play import run_out
from pbmserv.club.player import Player
from pbmserv.club.wording import reminder_sentence
from pbmserv.services.ledger import Ledger
from pbmserv.services.match_changes import save_change
from pbmserv.services.session import Source, WriteSession

ACTING = frozenset({ClockEventKind.RAN_OUT, ClockEventKind.VACATION_TAKEN})
"""Events that change something; all others only notify."""


def settle_due(
    session: WriteSession, game: str, number: int, toucher: Player | None = None
) -> tuple[ClockEvent, ...]:
    """Apply the events that a match's clock has due, with audit lines and letters of their own.

    ``toucher`` is about to change the match: a player whose own clock runs is not reminded then.
    """
    match = session.records.matches.find_due(game, number, session.now)
    if match is None:
        return ()
    clock = replace(session, source=Source.CLOCK, signer=None, sender=None, ledger=Ledger())
    events = _settle(clock, match, toucher)
    clock.finish()
    session.records.matches.forget_extras()
    return events


def _settle(session: WriteSession, match: Match, toucher: Player | None) -> tuple[ClockEvent, ...]:
    records = session.records
    stored = records.clocks.find(match.id)
    if stored is None or not match.is_running:
        return ()
    late = stored.clock.player_id
    away = records.absences.of([late], session.vacation_days, lock=True)[late]
    robots = {seat.player_id for seat in (match.first, match.second) if seat.is_robot}
    is_kept = stored.clock.opponent_id in robots or not stored.limits.has_vacation
    if is_kept or records.talk.preferences(late).keeps_vacation:
        away = replace(away, days_a_year=0)
    awake = records.clocks.awake(session.now)
    before = without_future(stored.clock, session.now)
    found = settle(before, stored.limits, away, session.now, awake=awake)
    kinds = {event.kind for event in found.events}
    if toucher is not None and toucher.id == late and not kinds & ACTING:
        return ()
    if ClockEventKind.RAN_OUT in kinds:
        session.ledger.note("forfeit", "time", match_id=match.id)
        save_change(session, match, run_out(match, late, session.now))
    else:
        if found.vacations != away:
            records.absences.save(late, found.vacations)
            session.ledger.note("vacation", "automatic", match_id=match.id)
        due = due_at(found.clock, stored.limits, found.vacations, awake=awake, now=session.now)
        records.clocks.save(match.id, found.clock, due)
        _remind(session, match, found.events)
    return found.events


def _remind(session: WriteSession, match: Match, events: tuple[ClockEvent, ...]) -> None:
    """Notify the player of each event of the clock, and both players of a vacation day."""
    for event in events:
        if not event.is_news:
            continue
        told = {event.player_id}
        if event.kind is ClockEventKind.VACATION_TAKEN:
            told = {match.first.player_id, match.second.player_id}
        for player_id in sorted(told):
            sentence = reminder_sentence(match, event, player_id)
            session.ledger.tell_one(match, player_id, reminder=sentence)
            # Whoever has no mail is warned here: a warning counts from this moment on.
            session.records.notices.add(
                [player_id], NoticeKind.REMINDER, sentence, session.now, match_id=match.id
            )
