"""Moments in the calendar, UTC: how long its units are, and how each moment is written."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterable

MINUTE = 60
HOUR = 60 * MINUTE
DAY = 24 * HOUR
WEEK = 7 * DAY
"""Lengths of time, in seconds."""

DATE = "%Y-%m-%d"
MOMENT = f"{DATE} %H:%M"
SECOND = f"{MOMENT}:%S"
"""How people read a day, a moment, which its time zone follows, and an exact moment."""

ISO = "%Y-%m-%dT%H:%M:%SZ"
ICALENDAR = "%Y%m%dT%H%M%SZ"
HOUR_OF, DAY_OF, MONTH_OF = "%Y%m%d%H", "%Y%m%d", "%Y%m"
"""How programs read a moment, UTC."""

MIN_MOMENT = -30_609_792_000
MAX_MOMENT = 253_402_214_399
"""The moments that have a year of four digits, 1000 to 9999, in every time zone."""


class Moment(str):
    """A moment as text for people, in UTC: ``2026-12-24 18:00 UTC``."""

    __slots__ = ("at",)
    at: int

    def __new__(cls, at: int) -> Self:
        """Return the moment ``at`` seconds after 1970."""
        moment = super().__new__(cls, utc(at).strftime(f"{MOMENT} UTC"))
        moment.at = at
        return moment


class TimedText(str):
    """A text that knows the moments in it from what only looks like one."""

    __slots__ = ("pieces",)
    pieces: tuple[str, ...]

    def __new__(cls, *pieces: str) -> Self:
        """Return the pieces, moments and timed texts among them, as one text."""
        text = super().__new__(cls, "".join(pieces))
        text.pieces = pieces
        return text


def lines_of(lines: Iterable[str]) -> TimedText:
    """Return several texts, each on a line of its own, with the moments in them."""
    return TimedText(*[piece for line in lines for piece in ("\n", line)][1:])


def local(text: str) -> str:
    """Return a text with its moments in the local time zone."""
    if isinstance(text, Moment):
        return utc(text.at).astimezone().strftime(f"{MOMENT} %Z")
    return "".join(map(local, text.pieces)) if isinstance(text, TimedText) else text


def parse_timed(text: str) -> TimedText:
    """Return a timed text that was stored as plain text."""
    figures = re.sub("%[A-Za-z]", "[0-9]{2,4}", re.escape(MOMENT))
    pieces = re.split(rf"({figures}) UTC", text)
    moments = (datetime.strptime(each, MOMENT).replace(tzinfo=UTC) for each in pieces[1::2])
    pieces[1::2] = [Moment(int(each.timestamp())) for each in moments]
    return TimedText(*pieces)


def utc(seconds: int) -> datetime:
    """Return the moment ``seconds`` after 1970, or the nearest with a year of four digits."""
    # Stored moments come from clocks that may have been set to anything.
    return datetime.fromtimestamp(min(max(seconds, MIN_MOMENT), MAX_MOMENT), UTC)


def utc_date(seconds: int) -> str:
    """Return the date of a moment, UTC: ``2026-11-20``."""
    return utc(seconds).strftime(DATE)


def format_moment(seconds: int) -> str:
    """Return a moment as ISO 8601, UTC: ``2026-11-20T14:00:00Z``."""
    return f"{utc(seconds).isoformat()[:19]}Z"  # faster than strftime


def parse_moment(text: str) -> int:
    """Return the seconds since 1970 of such a moment; raises :class:`ValueError`."""
    return int(datetime.strptime(text, ISO).replace(tzinfo=UTC).timestamp())
