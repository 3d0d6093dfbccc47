"""What belongs to a match beside its moves: its clock, who is away, what it did to ratings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from pbmserv.club.clock import Deadline, deadline, time_used
from pbmserv.club.vacation import notice
from pbmserv.engine.position import Side
from pbmserv.render.document import deadline_document
from pbmserv.render.wording import counted, left_words, moment_words, span_words

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
    """What goes with a match as it is ``now``: lines for people and keys for programs.

    Without a clock the match has no timing, while it runs no changes of ratings.
    """

    match: Match
    now: int
    timing: Timing | None
    ratings: Mapping[int, RatingChange]
    lines: tuple[str, ...]

    @property
    def away(self) -> Mapping[int, Vacations]:
        """The vacations of the players, which matter only while the match runs."""
        return self.timing.vacations if self.timing and self.match.is_running else {}

    @property
    def time_line(self) -> str:
        """How much time was used: apart, for it is nothing to be told again after every move."""
        if self.timing is None:
            return ""
        words = (f"{side.value} {span_words(time)}" for side, time in self._used(self.timing))
        line = f"Time used: {', '.join(words)}"
        if self.match.is_running:
            line += f"; {limits_words(self.timing.stored.limits)}"
        due = self.deadline
        if due is None or self.match.next_seat is None:
            return f"{line}."
        who = self.match.next_seat.name
        return f"{line}.\n{who} must move by {moment_words(due.at)}: {left_words(due, self.now)}."

    @property
    def deadline(self) -> Deadline | None:
        """When the turn must be made, while the match runs with a clock."""
        if self.timing is None or not self.match.is_running:
            return None
        stored = self.timing.stored
        return deadline(stored.clock, stored.limits, self.away[stored.clock.player_id])

    @property
    def document(self) -> Document:
        """The keys for programs."""
        time, seats, ratings = None, self.match.seats, None
        if self.timing is not None:
            used = {side.value: spent for side, spent in self._used(self.timing)}
            time = {**limits_document(self.timing.stored.limits), "used": used}
        if self.ratings:
            ratings = {
                side.value: _rating(self.ratings[seat.player_id]) for side, seat in seats.items()
            }
        away = {
            side.value: _until(self.away.get(seat.player_id), self.now)
            for side, seat in seats.items()
        }
        due = deadline_document(self.deadline)
        return {**due, "time": time, "vacation": away, "ratings": ratings}

    def _used(self, timing: Timing) -> list[tuple[Side, int]]:
        """Return the seconds that each side has used."""
        clock = timing.stored.clock
        used = clock.used
        if self.match.is_running:
            used = time_used(clock, self.away[clock.player_id], self.now)
        return [(side, used.get(self.match.seats[side].player_id, 0)) for side in Side]


def look_around(session: ReadSession, match: Match) -> Around:
    """Return what is to be shown beside a match whose clock was not read before."""
    return around(session, match, session.records.matches.beside(match.id, session.now).timing)


def around(session: ReadSession, match: Match, timing: Timing | None) -> Around:
    """Return what is to be shown beside a match as it is now; without a clock it has no timing."""
    if match.is_running:
        away = {} if timing is None else {p: v for p, v in timing.vacations.items() if v.absences}
        lines = [
            line
            for seat in dict.fromkeys(match.seats.values())
            if seat.player_id in away
            for line in _notice(session, seat, away[seat.player_id])
        ]
        return Around(match, session.now, timing, {}, tuple(lines))
    ratings = session.records.ratings.of_match(match.id)
    seats = match.seats.values() if ratings else ()
    words = ", ".join(f"{seat.name} {ratings[seat.player_id].words}" for seat in seats)
    return Around(match, session.now, timing, ratings, (f"Ratings: {words}.",) if words else ())


def plan_words(plan: StoredPlan) -> str:
    """Return a plan as its owner, and nobody else, is shown it."""
    if plan.dropped is None:
        return f"your plan is {plan.text}, from move {plan.due + 1} on."
    from pbmserv.club.plans import Drop

    return f"your plan {plan.text} was dropped. {Drop[plan.dropped].value}."


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


def _notice(session: ReadSession, seat: Seat, vacations: Vacations) -> list[str]:
    """Return a line about a player who is away, nothing if they are not."""
    if vacations.current(session.now) is None:
        return []
    known = replace(vacations, days_a_year=session.vacation_days)
    return [notice(seat.userid, known, session.now) or ""]


def _until(vacations: Vacations | None, now: int) -> int | None:
    running = vacations.current(now) if vacations is not None else None
    return running.end if running is not None else None


def _rating(change: RatingChange) -> Document:
    return {"before": round(change.before), "after": round(change.after.value)}
