"""The levels: how hard each thinks. A menu lists them without loading what thinks."""

import re
from math import inf
from typing import NamedTuple

from pbmserv.engine.moments import HOUR
from pbmserv.errors import Misunderstood, invalid_value

MIN_SECONDS, MAX_SECONDS = 0.1, HOUR
ENDLESS = 2**31 - 1
"""The simulations of a level with a time: more than there is time for."""


class Level(NamedTuple):
    """How hard one level thinks.

    ``proof_depth`` is how many moves its proofs look ahead, 0 for no proofs. ``threads`` is how
    many cores it thinks on: that changes what it finds, but not how well. Without patterns it knows
    nothing of moves but what it tries. It thinks for at most ``seconds`` of processor time on each
    core; a level with a number, the same on every machine, for as long as it takes.
    """

    number: int | None
    name: str
    simulations: int
    proof_depth: int = 0
    threads: int = 1
    has_patterns: bool = True
    seconds: float = inf

    @property
    def label(self) -> str:
        """Its number, or its time as in ``2.5s``; :func:`find_level` reads it."""
        return f"{self.seconds:g}s" if self.number is None else str(self.number)

    @property
    def title(self) -> str:
        """Its name and number, or its time."""
        return self.name if self.number is None else f"{self.name} ({self.number})"


LEVELS = (
    Level(1, "beginner", 8, has_patterns=False),
    Level(2, "novice", 22, has_patterns=False),
    Level(3, "casual", 60, has_patterns=False),
    Level(4, "club", 220, has_patterns=False),
    Level(5, "strong", 500),
    Level(6, "expert", 10_000),
    Level(7, "master", 200_000, proof_depth=1),
)
DEFAULT_LEVEL = LEVELS[0]
"""The level that plays if none is named."""

ROBOT_LEVEL = LEVELS[3]
"""The level of a robot if none is named."""

HINT_LEVEL = LEVELS[5]
"""The level that gives hints if none is named."""


def level_of(number: int | None, seconds: float | None, default: Level) -> Level:
    """Return the level with this number or time, the default one for neither."""
    if seconds is not None:
        return timed_level(seconds)
    return default if number is None else LEVELS[number - 1]


def timed_level(seconds: float) -> Level:
    """Return the highest level with a time in place of simulations."""
    name = f"{seconds:g} s a move"
    return LEVELS[-1]._replace(number=None, name=name, simulations=ENDLESS, seconds=seconds)


def parse_seconds(text: str) -> float:
    """Return the time for a move; raises :class:`Misunderstood` unless it is one."""
    seconds = float(text) if re.fullmatch(r"[0-9]{1,4}(\.[0-9]+)?", text, re.ASCII) else 0.0
    if MIN_SECONDS <= seconds <= MAX_SECONDS:
        return seconds
    raise invalid_value("time", text, f"{MIN_SECONDS:g} to {MAX_SECONDS} seconds")


def find_level(label: str) -> Level | None:
    """Return the level with this label, or None."""
    if (level := next((each for each in LEVELS if each.label == label), None)) is not None:
        return level
    try:
        level = timed_level(parse_seconds(label.removesuffix("s")))
    except Misunderstood:
        return None
    return level if level.label == label else None
