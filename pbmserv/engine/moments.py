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
"""How people read a day, a moment, behind which its time zone stands, and an exact one."""

ISO = "%Y-%m-%dT%H:%M:%SZ"
ICALENDAR = "%Y%m%dT%H%M%SZ"
"""How programs read a moment, UTC."""

FIRST = -30_609_792_000
LAST = 253_402_214_399
"""What is told has a year of four digits, 1000 to 9999, wherever on earth it is read."""


class Moment(str):
    """A moment for people, UTC as it stands: ``2026-12-24 18:00 UTC``."""

    __slots__ = ("at",)
    at: int

    def __new__(cls, at: int) -> Self:
        """Return it, so many seconds after 1970."""
        moment = super().__new__(cls, utc(at).strftime(f"{MOMENT} UTC"))
        moment.at = at
        return moment


class Timed(str):
    """A text with moments in it, which knows them from what only looks like one."""

    __slots__ = ("pieces",)
    pieces: tuple[str, ...]

    def __new__(cls, *pieces: str) -> Self:
        """Return the pieces, moments and timed texts among them, as one text."""
        text = super().__new__(cls, "".join(pieces))
        text.pieces = pieces
        return text


def lines_of(lines: Iterable[str]) -> Timed:
    """Return several texts, each on a line of its own, with the moments in them."""
    return Timed(*[piece for line in lines for piece in ("\n", line)][1:])


def local(text: str) -> str:
    """Return a text with its moments in the time zone of whoever reads it here."""
    if isinstance(text, Moment):
        return utc(text.at).astimezone().strftime(f"{MOMENT} %Z")
    return "".join(map(local, text.pieces)) if isinstance(text, Timed) else text


def parse_timed(text: str) -> Timed:
    """Return a timed text of ours as it was before it was stored."""
    figures = re.sub("%[A-Za-z]", "[0-9]{2,4}", re.escape(MOMENT))
    pieces = re.split(rf"({figures}) UTC", text)
    moments = (datetime.strptime(each, MOMENT).replace(tzinfo=UTC) for each in pieces[1::2])
    pieces[1::2] = [Moment(int(each.timestamp())) for each in moments]
    return Timed(*pieces)


def utc(seconds: int) -> datetime:
    """Return the moment so many seconds after 1970, or the nearest that can be told.

    What is stored was noted by a clock that may have stood anywhere.
    """
    return datetime.fromtimestamp(min(max(seconds, FIRST), LAST), UTC)


def utc_date(seconds: int) -> str:
    """Return the date of a moment, UTC: ``2026-11-20``."""
    return utc(seconds).strftime(DATE)


def format_moment(seconds: int) -> str:
    """Return a moment as ISO 8601, UTC: ``2026-11-20T14:00:00Z``."""
    return f"{utc(seconds).isoformat()[:19]}Z"  # faster than strftime


def parse_moment(text: str) -> int:
    """Return the seconds since 1970 of such a moment; raises :class:`ValueError`."""
    return int(datetime.strptime(text, ISO).replace(tzinfo=UTC).timestamp())
