"""The text form of a clock, for storage."""

import json
from typing import Any

from pbmserv.club.clock import Clock, Warned
from pbmserv.errors import Fault


def format_clock(clock: Clock) -> str:
    """Return the clock as one line of JSON."""
    warned = clock.turn_warning
    document = {
        "on": clock.player_id,
        "other": clock.opponent_id,
        "began": clock.began_at,
        "used": {str(player): seconds for player, seconds in clock.used.items()},
        "rung": clock.rung,
        "warned": None if warned is None else [warned.at, warned.spent],
        "total": {
            str(player): [warned.at, warned.spent]
            for player, warned in clock.total_warnings.items()
        },
        "vacation": clock.has_taken_vacation,
    }
    return json.dumps(document, separators=(",", ":"))


def parse_clock(text: str) -> Clock:
    """Return the clock that :func:`format_clock` wrote; raises :class:`Fault` for anything else."""
    try:
        found: dict[str, Any] = json.loads(text)
        return Clock(
            int(found["on"]),
            int(found["other"]),
            int(found["began"]),
            {int(player): int(seconds) for player, seconds in found["used"].items()},
            int(found["rung"]),
            None if found["warned"] is None else Warned(*map(int, found["warned"])),
            {int(player): Warned(*map(int, pair)) for player, pair in found["total"].items()},
            bool(found["vacation"]),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Fault("A stored clock cannot be read.", code="damaged-clock") from error
