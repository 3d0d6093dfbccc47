"""The options for time limits, which challenges, seeks and tournaments share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pbmserv.club.time_limits import TimeLimits
from pbmserv.commands.declaration import Option
from pbmserv.commands.types import parse_whole_number

DEFAULT_LIMITS = TimeLimits()


def _days(text: str, default: int | str) -> Option:
    return Option("DAYS", f"{text} (default {default})", parse_whole_number)


@dataclass(frozen=True)
class TimeOptions:
    """The time limits that were given, in days; limits that no clock could keep are refused."""

    nagtime: Annotated[
        int | None, _days("days before a reminder is sent", DEFAULT_LIMITS.nag_days)
    ] = None
    forfeittime: Annotated[int | None, _days("days for each turn", DEFAULT_LIMITS.forfeit_days)] = (
        None
    )
    totaltime: Annotated[
        int | None, _days("total days for all of a player's turns", "no limit")
    ] = None

    def __post_init__(self) -> None:
        """Raise :class:`Misunderstood` for limits that no clock could keep."""
        _ = self.limits

    @property
    def limits(self) -> TimeLimits:
        """The time limits; those not given are the usual ones."""
        return TimeLimits(
            DEFAULT_LIMITS.nag_days if self.nagtime is None else self.nagtime,
            DEFAULT_LIMITS.forfeit_days if self.forfeittime is None else self.forfeittime,
            self.totaltime,
        )

    def fit(self, limits: TimeLimits) -> bool:
        """Tell whether these limits are as far as given."""
        return (
            self.nagtime in {None, limits.nag_days}
            and self.forfeittime in {None, limits.forfeit_days}
            and self.totaltime in {None, limits.total_days}
        )
