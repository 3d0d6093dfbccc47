"""The levels: how hard each thinks; apart, for a menu that lists them thinks of nothing."""

import re
from math import inf
from typing import NamedTuple

from pbmserv.engine.moments import HOUR
from pbmserv.errors import Misunderstood, invalid_value

LEAST_SECONDS, MOST_SECONDS = 0.1, HOUR
ENDLESS = 2**31 - 1
"""More simulations than there is time for."""


class Level(NamedTuple):
    """How hard one level thinks.

    ``proof_depth`` is how many moves its proofs look ahead; 0 where it does without. ``threads``
    is how many cores it thinks on: that changes what it finds, but not how well. Without patterns
    it knows nothing of moves but what it tries. It thinks for at most so many ``seconds`` of
    processor time, on each core; a level that has a number, the same on every machine, for as long
    as it takes.
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
        """Its number, or its time as in ``2.5s``: enough to know it again."""
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
EASIEST = LEVELS[0]
"""The level that plays where none is named."""

ROBOT_LEVEL = LEVELS[3]
"""The level of a robot of which none is named."""

HINT_LEVEL = LEVELS[5]
"""The level that gives hints where none is named."""


def level_of(number: int | None, seconds: float | None, usual: Level) -> Level:
    """Return the level with this number, or that thinks so long; the usual one for neither."""
    if seconds is not None:
        return timed(seconds)
    return usual if number is None else LEVELS[number - 1]


def timed(seconds: float) -> Level:
    """Return the highest level, thinking for as long as this."""
    name = f"{seconds:g} s a move"
    return LEVELS[-1]._replace(number=None, name=name, simulations=ENDLESS, seconds=seconds)


def parse_seconds(text: str) -> float:
    """Return so many seconds as anybody may think; raises :class:`Misunderstood`."""
    seconds = float(text) if re.fullmatch(r"[0-9]{1,4}(\.[0-9]+)?", text, re.ASCII) else 0.0
    if LEAST_SECONDS <= seconds <= MOST_SECONDS:
        return seconds
    raise invalid_value("time", text, f"{LEAST_SECONDS:g} to {MOST_SECONDS} seconds")


def level_labelled(label: str) -> Level | None:
    """Return the level with this label, None for a text that is none."""
    if (level := next((each for each in LEVELS if each.label == label), None)) is not None:
        return level
    try:
        level = timed(parse_seconds(label.removesuffix("s")))
    except Misunderstood:
        return None
    return level if level.label == label else None
