"""The context of a match, and its clock, limits and ratings in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pbmserv.club.clock import ClockEventKind, TimeBudget, time_used
from pbmserv.club.match import STONES_TO_RATE
from pbmserv.club.time_limits import NO_VACATION, TimeLimits
from pbmserv.club.vacation import notice
from pbmserv.engine.moments import DAY, HOUR, MINUTE, WEEK, Moment, TimedText, parse_timed
from pbmserv.engine.position import Side

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pbmserv.club.clock import ClockEvent, Deadline, Timing
    from pbmserv.club.match import Match
    from pbmserv.club.player import Seat
    from pbmserv.club.standing import RatingChange
    from pbmserv.club.vacation import Vacations


EARLY = f"Unrated: agreed before each side had placed {STONES_TO_RATE} stones."
AFTER_VACATION = """\
Then days of your vacation are used, if you have any left this year, and
after the last of them"""


class MatchContext(NamedTuple):
    """A match ``now`` with its timing, if it has a clock, and its rating changes at the end."""

    match: Match
    now: int
    timing: Timing | None
    ratings: Mapping[int, RatingChange]

    @property
    def used(self) -> dict[Side, int]:
        """The seconds that each side has used, {} without a clock."""
        if self.timing is None:
            return {}
        clock = self.timing.stored.clock
        used = clock.used
        if self.match.is_running:
            used = time_used(clock, self.timing.vacations[clock.player_id], self.now)
        return {side: used.get(self.match.seats[side].player_id, 0) for side in Side}

    @property
    def deadline(self) -> Deadline | None:
        """The deadline of the turn, None unless the match runs with a clock."""
        return self.timing.deadline if self.timing and self.match.is_running else None

    @property
    def away(self) -> Mapping[int, Vacations]:
        """The vacations of the players, which matter only while the match runs."""
        return self.timing.vacations if self.timing and self.match.is_running else {}


def time_lines(around: MatchContext) -> Iterator[str]:
    """Yield how much time was used: apart, for it is nothing to be told again after every move."""
    if around.timing is None:
        return
    words = ", ".join(f"{side.value} {span_words(time)}" for side, time in around.used.items())
    limits = f"; {limits_words(around.timing.stored.limits)}" if around.match.is_running else ""
    yield f"Time used: {words}{limits}."
    due, mover = around.deadline, around.match.next_seat
    if due is not None and mover is not None:
        left = left_words(due, around.now)
        yield TimedText(f"{mover.name} must move by ", Moment(due.at), f": {left}.")


def other_lines(around: MatchContext) -> list[str]:
    """Return who is away, or what the game did to ratings."""
    if around.ratings:
        return [ratings_line(around.match.seats.values(), around.ratings)]
    if around.match.record.outcome and around.match.is_rated and around.match.is_agreed_early:
        return [EARLY]
    seats = dict.fromkeys(around.match.seats.values())
    away = ((seat.userid, around.away.get(seat.player_id)) for seat in seats)
    told = (notice(userid, vacations, around.now) for userid, vacations in away if vacations)
    return [line for line in told if line]


def reminder_sentence(match: Match, event: ClockEvent, reader_id: int) -> str:
    """Return the sentence of a clock's event for one of the players."""
    late = match.next_seat.name if match.next_seat else ""
    until = Moment(event.ends_at)
    budget = "this turn" if event.budget is TimeBudget.TURN else "all turns of this game"
    is_late = match.next_seat is not None and match.next_seat.player_id == reader_id
    match event.kind:
        case ClockEventKind.REMINDED:
            return f"It is your turn at {match.title}.\nYour time for it ends on {until}."
        case ClockEventKind.WARNED:
            return (
                f"It is your turn at {match.title}.\n"
                f"Your time for {budget} ends on {until}.\n"
                f"{'Then' if event.is_final else AFTER_VACATION} the game is forfeited."
            )
        case ClockEventKind.OPPONENT_WARNED:
            then = "Then" if event.is_final else "If there is no vacation left either,"
            return (
                f"{late} is to move at {match.title}.\n"
                f"The time for {budget} ends on {until}.\n"
                f"{then} the game will be forfeited to you."
            )
        case ClockEventKind.VACATION_TAKEN if is_late:
            return f"Your time is over; one day of your vacation is used, until {until}."
        case ClockEventKind.VACATION_TAKEN:
            return f"{late} has run out of time; one day of vacation is used, until {until}."
        case ClockEventKind.RAN_OUT:
            return f"{late} has run out of time."


def span_words(seconds: int) -> str:
    """Return a length of time in its two largest units: ``3 d 4 h``, ``5 h 12 min``, ``0 min``."""
    days, rest = divmod(seconds, DAY)
    hours, rest = divmod(rest, HOUR)
    minutes = rest // MINUTE
    if days:
        return f"{days} d {hours} h"
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def ahead_words(seconds: int) -> str:
    """Return about how far ahead a moment is, in one unit: ``, in 3 weeks``, "" if it is not."""
    units = ((WEEK, "week"), (DAY, "day"), (HOUR, "hour"), (MINUTE, "minute"))
    unit, name = next((each for each in units if seconds >= 2 * each[0]), units[-1])
    return f", in {with_count(round(seconds / unit), name)}" if seconds >= MINUTE else ""


def until_words(sentence: str, now: int) -> str:
    """Return a sentence that ends with a deadline, with how far ahead it is by now."""
    who, until, *_ = parse_timed(sentence).pieces
    return f"{who}{until}{ahead_words(until.at - now) if isinstance(until, Moment) else ''}."


def left_words(due: Deadline, now: int) -> str:
    """Return the time left for a turn: ``2 d 4 h``, ``overdue``, ``5 h 0 min, reminded``."""
    left = span_words(due.at - now) if due.at > now else "overdue"
    return f"{left}, reminded" if due.is_reminded else left


def ratings_line(seats: Iterable[Seat], changes: Mapping[int, RatingChange]) -> str:
    """Return the changes of its players' ratings by a game, in words."""
    words = ", ".join(f"{seat.name} {changes[seat.player_id].words}" for seat in seats)
    return f"Ratings: {words}."


def rated_words(match: Match) -> tuple[str, ...]:
    """Return a sentence on whether a new match is rated, if people may expect otherwise."""
    is_usual = match.shift is None and not (match.first.is_robot or match.second.is_robot)
    if match.is_rated and is_usual:
        return ()
    return (f"This game is {'rated' if match.is_rated else 'unrated'}.",)


def limits_words(limits: TimeLimits) -> str:
    """Return time limits for people."""
    words = (
        f"reminder after {with_count(limits.nag_days, 'day')}, forfeit after {limits.forfeit_days}"
    )
    words = words if limits.total_days is None else f"{words} or {limits.total_days} in all"
    return words if limits.has_vacation else f"{words}, {NO_VACATION}"


def with_count(number: int, what: str) -> str:
    """Return a number with its noun: ``1 move``, ``2 moves``."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
