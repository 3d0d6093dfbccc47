"""What belongs to a match beside its moves: its clock, who is away, what it did to ratings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from pbmserv.club.clock import time_used
from pbmserv.club.vacation import notice
from pbmserv.engine.position import Side
from pbmserv.render.wording import counted, span_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pbmserv.club.match import Match
    from pbmserv.club.player import Seat
    from pbmserv.club.standing import RatingChange
    from pbmserv.club.time_limits import TimeLimits
    from pbmserv.club.vacation import Vacations
    from pbmserv.render.document import Document
    from pbmserv.services.session import ReadSession
    from pbmserv.store.clocks import Timing
    from pbmserv.store.stored_plans import StoredPlan


class Around(NamedTuple):
    """Lines for people and keys for programs that go with a match.

    ``time_line`` stands apart, for it is nothing to be told again after every move.
    """

    lines: tuple[str, ...]
    time_line: str
    document: Document


def look_around(session: ReadSession, match: Match) -> Around:
    """Return what is to be shown beside a match whose clock was not read before."""
    return around(session, match, session.records.clocks.timing(match.id, session.now))


def around(session: ReadSession, match: Match, timing: Timing | None) -> Around:
    """Return what is to be shown beside a match as it is now; without a clock it has no timing."""
    away = timing.vacations if timing is not None and match.is_running else {}
    time, time_line = _time_used(session, match, timing) if timing is not None else (None, "")
    ratings = {} if match.is_running else session.records.ratings.of_match(match.id)
    seats = match.seats
    document = {
        "time": time,
        "vacation": {
            side.value: _until(away.get(seat.player_id), session.now)
            for side, seat in seats.items()
        },
        "ratings": {side.value: _rating(ratings[seat.player_id]) for side, seat in seats.items()}
        if ratings
        else None,
    }
    lines: list[str] = []
    if match.is_running:
        for seat in dict.fromkeys(seats.values()):
            lines += _notice(session, seat, away)
    if ratings:
        words = (f"{seat.userid} {ratings[seat.player_id].words}" for seat in seats.values())
        lines.append(f"Ratings: {', '.join(words)}.")
    return Around(tuple(lines), time_line, document)


def plan_words(plan: StoredPlan) -> str:
    """Return a plan as its owner, and nobody else, is shown it."""
    if plan.dropped is None:
        return f"your plan is {plan.text}, from move {plan.due + 1} on."
    from pbmserv.club.plans import Drop

    return f"your plan {plan.text} was given up. {Drop[plan.dropped].value}."


def limits_words(limits: TimeLimits) -> str:
    """Return time limits for people."""
    words = f"reminder after {counted(limits.nag_days, 'day')}, forfeit after {limits.forfeit_days}"
    return words if limits.total_days is None else f"{words} or {limits.total_days} in all"


def limits_document(limits: TimeLimits) -> Document:
    """Return time limits by name, in days."""
    return {
        "nag": limits.nag_days,
        "forfeit": limits.forfeit_days,
        "total": limits.total_days,
    }


def _time_used(session: ReadSession, match: Match, timing: Timing) -> tuple[Document, str]:
    """Return limits and time used, as a document and in a line."""
    stored, away = timing.stored, timing.vacations
    used = stored.clock.used
    if match.is_running:
        used = time_used(stored.clock, away[stored.clock.player_id], session.now)
    spent = {side: used.get(match.seats[side].player_id, 0) for side in Side}
    words = ", ".join(f"{side.value} {span_words(spent[side])}" for side in Side)
    document = {
        **limits_document(stored.limits),
        "used": {side.value: spent[side] for side in Side},
    }
    line = f"Time used: {words}"
    if match.is_running:
        line += f"; {limits_words(stored.limits)}"
    return document, f"{line}."


def _notice(session: ReadSession, seat: Seat, away: Mapping[int, Vacations]) -> list[str]:
    """Return a line about a player who is away, nothing if they are not."""
    vacations = away.get(seat.player_id)
    if vacations is None or vacations.current(session.now) is None:
        return []
    known = replace(vacations, days_a_year=session.vacation_days)
    return [notice(seat.userid, known, session.now) or ""]


def _until(vacations: Vacations | None, now: int) -> int | None:
    running = vacations.current(now) if vacations is not None else None
    return running.end if running is not None else None


def _rating(change: RatingChange) -> Document:
    return {"before": round(change.before), "after": round(change.after.value)}
