"""The options for time limits, which challenges, seeks and tournaments share."""

from collections.abc import Mapping
from typing import Any

from pbmserv.club.time_limits import TimeLimits
from pbmserv.commands.types import option, parse_whole_number

DEFAULT_LIMITS = TimeLimits()
TIME_OPTIONS = (
    option(
        "nagtime",
        "DAYS",
        f"days of a turn until a reminder (default {DEFAULT_LIMITS.nag_days})",
        parse_whole_number,
    ),
    option(
        "forfeittime",
        "DAYS",
        f"days that a turn may take (default {DEFAULT_LIMITS.forfeit_days})",
        parse_whole_number,
    ),
    option(
        "totaltime",
        "DAYS",
        "days that all turns of a player may take (default no limit)",
        parse_whole_number,
    ),
)


def choose_limits(options: Mapping[str, Any]) -> TimeLimits:
    """Return the time limits among the options; those not given are the usual ones.

    Raises :class:`Misunderstood` for limits that no clock could keep.
    """
    nag, forfeit = options.get("nagtime"), options.get("forfeittime")
    return TimeLimits(
        DEFAULT_LIMITS.nag_days if nag is None else nag,
        DEFAULT_LIMITS.forfeit_days if forfeit is None else forfeit,
        options.get("totaltime"),
    )


def check_limits(_: object, params: Mapping[str, Any]) -> None:
    """Raise :class:`Misunderstood` if the time limits among the values cannot be."""
    choose_limits(params)
