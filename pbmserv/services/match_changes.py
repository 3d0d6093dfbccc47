"""Saving a match, with all consequences of a change, in the same transaction.

The change is stored; planned moves follow it; the clock goes over to whoever is to move; a rated
game that has ended changes the ratings; and whoever is to be told is told. Every command that
changes a match, and the clock itself, goes through :func:`save_change`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pbmserv.club.events import Event, EventKind
from pbmserv.club.play import Change, certainty_event
from pbmserv.club.rating import NO_SHIFT
from pbmserv.club.standing import RatingChange, after_game
from pbmserv.club.wording import EARLY, ratings_line
from pbmserv.services.match_clock import turn_clock

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pbmserv.club.clock import Timing
    from pbmserv.club.match import Match
    from pbmserv.club.planned_moves import CancelledPlan, PlanOutcome
    from pbmserv.club.plans import Plan
    from pbmserv.club.player import Seat
    from pbmserv.services.session import WriteSession


class SavedChange(NamedTuple):
    """A changed match with its clock, lines for everybody, and events for the signer alone."""

    match: Match
    events: tuple[Event, ...]
    timing: Timing | None
    notes: tuple[str, ...] = ()
    asides: tuple[Event, ...] = ()


def save_change(
    session: WriteSession,
    before: Match,
    change: Change,
    *,
    queued: Mapping[int, Plan] | None = None,
) -> SavedChange:
    """Store a change with all that follows, and notify; ``queued`` are new plans by player."""
    after, events = change
    beside = session.records.matches.extras(before.id, session.now)
    dropped: tuple[CancelledPlan, ...] = ()
    if after.ply < before.ply:
        session.records.plans.clear(before.id)
    elif after.is_running and (queued or (beside.has_plans and after.ply > before.ply)):
        played = _play_plans(session, before, after, queued or {})
        after, dropped = played.match, played.dropped
        events = (*events, *played.events)
        _note_planned(session, after, played.events)
    if after.is_running and after.ply > before.ply:
        events = (*events, *certainty_event(before, after))
    timing = turn_clock(session, before, after, beside.timing)
    session.records.matches.save(before, after)
    notes = _finish(session, after) if before.is_running and not after.is_running else ()
    if events:
        session.ledger.tell(after, events, notes, timing)
    if before.is_running != after.is_running:
        _notify_tournament(session, after, events)
    asides = _notify_plan_owners(session, after, dropped) if dropped else ()
    return SavedChange(after, events, timing, notes, asides)


class QueueResult(NamedTuple):
    """The result of queuing a plan: the plan left as text, and the change if a move was played."""

    text: str
    due: int
    kept: SavedChange | None = None


def queue_moves(session: WriteSession, match: Match, seat: Seat, plan: Plan) -> QueueResult:
    """Replace a player's plan, and play its first move if it is due.

    An empty one clears it. Raises :class:`Refused` for a plan that can never be played.
    """
    from pbmserv.club.plan_check import checked_plan
    from pbmserv.club.plans import CLEAR, format_plan
    from pbmserv.store.matches.plans_and_reviews import StoredPlan

    plans, player_id = session.records.plans, seat.player_id
    session.ledger.note("queue", match_id=match.id)
    if plan.is_empty:
        plans.remove(match.id, [player_id])
        return QueueResult(CLEAR, 0)
    is_own_turn = match.next_seat is not None and match.next_seat.player_id == player_id
    due = checked_plan(plan, match.game, match.position, own_turn=is_own_turn)
    if not (is_own_turn and plan.line):
        text = format_plan(due)
        plans.save(match.id, StoredPlan(player_id, text, due.due))
        return QueueResult(text, due.due)
    kept = save_change(session, match, (match, ()), queued={player_id: due})
    left = {stored.player_id: stored.text for stored in plans.of(match.id) if not stored.dropped}
    return QueueResult(left.get(player_id, CLEAR), due.due, kept)


def _notify_tournament(session: WriteSession, match: Match, events: Sequence[Event]) -> None:
    """Let the tournament of a match that has ended, or goes on again, know of it."""
    found = session.records.tournaments.place_of(match.id)
    if found is None:
        return
    from pbmserv.services.tournament_matches import enter_result, reopen

    if match.is_running:
        reopen(session, *found)
    else:
        enter_result(session, *found, match, events)


def _play_plans(
    session: WriteSession, before: Match, after: Match, queued: Mapping[int, Plan]
) -> PlanOutcome:
    """Play what is planned for now and store what is left of the plans."""
    from pbmserv.club.planned_moves import play_plans
    from pbmserv.club.plans import format_plan, parse_plan
    from pbmserv.store.matches.plans_and_reviews import StoredPlan

    stored = session.records.plans.of(before.id)
    mover = before.next_seat.player_id if before.next_seat else None
    old = {plan.player_id for plan in stored if plan.dropped and plan.player_id == mover}
    plans = {
        plan.player_id: parse_plan(plan.text.split(), after.game, plan.due)
        for plan in stored
        if plan.dropped is None
    }
    plans |= queued
    played = play_plans(after, plans, session.now)
    for player_id, plan in played.plans.items():
        if plan != plans[player_id] or player_id in queued:
            text = format_plan(plan)
            session.records.plans.save(before.id, StoredPlan(player_id, text, plan.due))
    for drop in played.dropped:
        due = plans[drop.player_id].due
        lost = StoredPlan(drop.player_id, drop.words, due, drop.drop.name)
        session.records.plans.save(before.id, lost)
    kept = {drop.player_id for drop in played.dropped} | played.plans.keys()
    session.records.plans.remove(before.id, sorted((plans.keys() | old) - kept))
    return played


def _note_planned(session: WriteSession, match: Match, events: Sequence[Event]) -> None:
    """Have the audit say which moves were planned, now that they are no secret any more."""
    for event in events:
        if event.is_planned and event.actor is not None:
            words = f"{event.actor.userid} {event.text}".rstrip()
            session.ledger.note("planned", words, match_id=match.id)


def _finish(session: WriteSession, ended: Match) -> tuple[str, ...]:
    """Drop the plans for a game that has just ended, and rate it; return a line if it is rated."""
    session.records.plans.clear(ended.id)
    if not ended.is_rated or ended.is_removed or ended.outcome is None:
        return ()
    if ended.is_agreed_early:
        return (EARLY,)
    ratings, game, seats = session.records.ratings, ended.game.name, ended.seats
    held = ratings.lock((seat.player_id for seat in seats.values()), game)
    before = {side: held[seat.player_id] for side, seat in seats.items()}
    after = after_game(before, ended.outcome.winner, session.now, ended.shift or NO_SHIFT)
    changes = [
        RatingChange(ended.id, seat.player_id, before[side].rating.value, after[side].rating)
        for side, seat in seats.items()
    ]
    for side, seat in seats.items():
        ratings.save(seat.player_id, game, after[side])
    ratings.add((game, change) for change in changes)
    return (ratings_line(seats.values(), {each.player_id: each for each in changes}),)


def _notify_plan_owners(
    session: WriteSession, match: Match, dropped: Sequence[CancelledPlan]
) -> tuple[Event, ...]:
    """Tell each owner of a plan that it is given up; return what the signed player is told."""
    signer, told = session.signer, []
    for drop in dropped:
        seat = match.seat_of(drop.player_id)
        event = Event(EventKind.PLAN_DROPPED, seat, drop.drop.value)
        session.ledger.tell_one(match, drop.player_id, events=(event,))
        session.ledger.note("plan dropped", seat.userid if seat else "", match_id=match.id)
        told += [event] if signer is not None and drop.player_id == signer.id else []
    return tuple(told)
