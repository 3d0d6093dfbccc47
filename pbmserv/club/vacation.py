"""Vacations: days on which a player's clocks stand still, a number of them in each calendar year.

Players take days themselves (*manual*), or a clock takes one for them when their time would run
out and they have days left (*automatic*). Times are whole seconds UTC. A day is 24 hours from the
beginning of the vacation; it belongs to the calendar year, UTC, in which it begins, and part of a
day counts as a whole one.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from enum import Enum

from pbmserv.engine.moments import DAY, Moment, TimedText, utc
from pbmserv.errors import Misunderstood, Refused

DAYS_A_YEAR = 30
"""The default number of days of vacation."""

UNITS: dict[tuple[str, ...], int] = {(): 1, ("day",): 1, ("days",): 1, ("week",): 7, ("weeks",): 7}
"""The days of a unit, as it is written after a number."""

WHOLE_DAYS = re.compile("[0-9]{1,4}", re.ASCII)
ISO_DATE = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)


class AbsenceKind(Enum):
    """Who began a vacation; the values are stored."""

    MANUAL = "manual"
    AUTOMATIC = "automatic"


@dataclass(frozen=True)
class Absence:
    """One vacation: from ``start`` until just before ``end``."""

    start: int
    end: int
    kind: AbsenceKind = AbsenceKind.MANUAL

    @property
    def days(self) -> int:
        """The number of days that it uses, at least one."""
        return max(1, -(-(self.end - self.start) // DAY))

    def days_in(self, year: int) -> int:
        """Return the number of its days that begin in this calendar year."""
        return sum(_year(self.start + day * DAY) == year for day in range(self.days))

    def covers(self, now: int) -> bool:
        """Tell whether the player is away at this moment."""
        return self.start <= now < self.end


@dataclass(frozen=True)
class Vacations:
    """All vacations of one player, oldest first and never overlapping, and their days a year."""

    absences: tuple[Absence, ...] = ()
    days_a_year: int = DAYS_A_YEAR

    def current(self, now: int) -> Absence | None:
        """Return the running vacation, or None."""
        return next((absence for absence in self.absences if absence.covers(now)), None)

    def days_left(self, now: int) -> int:
        """Return the number of days that are left in this calendar year."""
        year = _year(now)
        return max(0, self.days_a_year - sum(absence.days_in(year) for absence in self.absences))


def change(vacations: Vacations, words: Sequence[str], now: int) -> Vacations:
    """Return the vacations after a command's words: ``N``, ``until YYYY-MM-DD`` or ``off``.

    Raises :class:`Misunderstood` or :class:`Refused`.
    """
    match [word.lower() for word in words]:
        case ["off"]:
            return come_back(vacations, now)
        case ["until", text]:
            if (end := parse_day(text) + DAY) <= now:
                raise Refused("That day is already over.", code="vacation-in-the-past")
            return leave(vacations, end, now)
        case [text, *unit] if WHOLE_DAYS.fullmatch(text) and int(text) and tuple(unit) in UNITS:
            return leave(vacations, now + int(text) * UNITS[*unit] * DAY, now)
    raise Misunderstood(
        "Not a valid length of vacation.",
        code="bad-vacation",
        hint="Write a number of days, until YYYY-MM-DD, or off.",
        about=" ".join(words),
    )


def leave(vacations: Vacations, end: int, now: int) -> Vacations:
    """Return the vacations with one until ``end``, from now or from the start of a running one.

    Raises :class:`Refused` if that takes more days than a calendar year has left.
    """
    running = vacations.current(now)
    start = now if running is None else running.start
    # Tested first, so that the days of a thousand years are never counted.
    if end - start > 2 * vacations.days_a_year * DAY:
        raise _too_long(vacations, now)
    others = tuple(absence for absence in _begun(vacations, now) if absence != running)
    after = replace(vacations, absences=(*others, Absence(start, end)))
    for year in range(_year(start), _year(end) + 1):
        if sum(absence.days_in(year) for absence in after.absences) > vacations.days_a_year:
            raise _too_long(vacations, now)
    return after


def come_back(vacations: Vacations, now: int) -> Vacations:
    """Return the vacations with the running one ended now; the day begun stays used."""
    running = vacations.current(now)
    if running is None:
        raise Refused("You are not on vacation.", code="not-on-vacation")
    absences = (replace(a, end=now) if a == running else a for a in vacations.absences)
    return replace(vacations, absences=tuple(absences))


def take_automatic_day(vacations: Vacations, start: int, *, since: int | None = None) -> Vacations:
    """Return the vacations with a day from ``start``, taken by a clock; one must be left.

    With ``since``, the days from then on are taken too, the latest first, as far as there are any.
    """
    begun, away = _begun(vacations, start), Absence(start, start + DAY, AbsenceKind.AUTOMATIC)
    while True:
        taken = replace(vacations, absences=(*begun, away))
        earlier = away.start - DAY
        if since is None or earlier < since or not taken.days_left(earlier):
            return taken
        away = replace(away, start=earlier)


def notice(userid: str, vacations: Vacations, now: int) -> str | None:
    """Return a sentence for opponents on a player's vacation, None if they are not away."""
    running = vacations.current(now)
    if running is None:
        return None
    is_taken = running.kind is AbsenceKind.AUTOMATIC
    what = "has run out of time; one day of vacation is used" if is_taken else "is on vacation"
    rest = f"{vacations.days_left(now)} of {vacations.days_a_year} days of the year left"
    return TimedText(f"{userid} {what} until ", Moment(running.end), f", {rest}.")


def _begun(vacations: Vacations, now: int) -> tuple[Absence, ...]:
    """Return the vacations that have begun; others come from a clock that was set back."""
    return tuple(absence for absence in vacations.absences if absence.start <= now)


def parse_date(text: str) -> date:
    """Return the date in ISO 8601; raises :class:`Misunderstood`."""
    try:
        if ISO_DATE.fullmatch(text):
            return date.fromisoformat(text)
    except ValueError:
        pass
    raise Misunderstood(
        "Not a valid date.", code="bad-date", hint="A date looks like 2026-12-24.", about=text
    )


def parse_day(text: str) -> int:
    """Return the first moment of a date, UTC; raises :class:`Misunderstood`."""
    return int(datetime.combine(parse_date(text), time.min, UTC).timestamp())


def _too_long(vacations: Vacations, now: int) -> Refused:
    left = vacations.days_left(now)
    return Refused(
        f"That would be more than {vacations.days_a_year} days of vacation in a calendar year.",
        code="no-vacation-left",
        hint=f"You have {left} {'day' if left == 1 else 'days'} left this year.",
    )


def _year(moment: int) -> int:
    return utc(moment).year
