"""Time limits of a match: how long a turn may take, and all turns of a player together."""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from pbmserv.engine.moments import DAY
from pbmserv.errors import Misunderstood

GRACE_DAYS = 3
"""Days between a reminder and a forfeit, at least."""

MAX_DAYS = 3650

NO_VACATION = "no automatic vacation"
TEXT = re.compile(f"([0-9]{{1,4}})/([0-9]{{1,4}})(?:/([0-9]{{1,4}}))?(, {NO_VACATION})?", re.ASCII)


@dataclass(frozen=True)
class TimeLimits:
    """Days until a reminder and a forfeit in one turn, and days that a player has for all turns.

    With ``has_vacation`` a day of vacation is taken for a player whose time has run out.

    >>> format_limits(TimeLimits(total_days=90))
    '7/21/90'
    """

    nag_days: int = 7
    forfeit_days: int = 21
    total_days: int | None = None
    has_vacation: bool = True

    def __post_init__(self) -> None:
        """Raise :class:`Misunderstood` for limits that contradict each other."""
        if not (1 <= self.nag_days <= MAX_DAYS and self.forfeit_days <= MAX_DAYS):
            raise _bad_limits(f"Times are whole days from 1 to {MAX_DAYS}.")
        if self.forfeit_days < self.nag_days + GRACE_DAYS:
            raise _bad_limits(
                f"-forfeittime must be at least {GRACE_DAYS} days more than -nagtime."
            )
        if self.total_days is not None and not self.forfeit_days <= self.total_days <= MAX_DAYS:
            raise _bad_limits("The time for all turns cannot be shorter than that for one.")

    @cached_property
    def rungs(self) -> tuple[int, ...]:
        """The seconds of a turn after which the late player is reminded, before the warning."""
        # After the nag time, twice, four times, ... as long, but not within a day of the warning.
        last = self.turn - GRACE_DAYS * DAY
        rungs = []
        rung = self.nag_days * DAY
        while rung <= last - DAY:
            rungs.append(rung)
            rung *= 2
        return tuple(rungs)

    @cached_property
    def turn(self) -> int:
        """The seconds that a turn may take."""
        return self.forfeit_days * DAY

    @cached_property
    def total(self) -> int | None:
        """The seconds that all turns of a player may take, None for no limit."""
        return None if self.total_days is None else self.total_days * DAY


@lru_cache(maxsize=64)
def parse_limits(text: str) -> TimeLimits:
    """Return the limits that :func:`format_limits` wrote; raises :class:`Misunderstood`."""
    found = TEXT.fullmatch(text)
    if found is None:
        raise _bad_limits("Time limits look like 7/21 or 7/21/90.")
    nag, forfeit, total, without = found.groups()
    return TimeLimits(int(nag), int(forfeit), None if total is None else int(total), not without)


def format_limits(limits: TimeLimits) -> str:
    """Return the limits as text: days to nag, to forfeit and, if limited, for all turns."""
    days = [limits.nag_days, limits.forfeit_days, limits.total_days]
    text = "/".join(str(number) for number in days if number is not None)
    return text if limits.has_vacation else f"{text}, {NO_VACATION}"


def _bad_limits(hint: str) -> Misunderstood:
    return Misunderstood("Invalid time limits.", code="bad-time-limit", hint=hint)
