"""The levels: how hard each thinks. A menu lists them without loading what thinks."""

import re
from collections.abc import Callable
from math import inf
from typing import Any, NamedTuple

from pbmserv.engine.moments import HOUR
from pbmserv.errors import Misunderstood, invalid_value

MIN_SECONDS, MAX_SECONDS = 0.1, HOUR
ENDLESS = 2**31 - 1
"""The simulations of a level with a time: more than there is time for."""


class Level(NamedTuple):
    """How hard one level thinks.

    One with a ``temperature`` does not search: it draws a move that its patterns make likely, the
    likeliest ones more often the lower it is. ``sight`` is how often it sees then that the opponent
    threatens to win with one stone; one that never does misses its own such wins, too. Any other
    searches for so many ``simulations``, and if it ``solves``, on a solved or a small board until
    it has proven who wins. ``proof_depth`` is how many moves its proofs look ahead, 0 for no
    proofs. ``threads`` is how many cores it thinks on: that changes what it finds, but not how
    well. It thinks for at most ``seconds`` of processor time on each core; a level with a number,
    the same on every machine, for as long as it takes. ``watch`` is called with each search now and
    then, with None between two, and has it end by returning True. In place of all that a
    ``program`` may play: these are its arguments.
    """

    number: int | None
    name: str
    simulations: int = 0
    proof_depth: int = 0
    threads: int = 1
    seconds: float = inf
    temperature: float = 0.0
    sight: float = 1.0
    solves: bool = False
    watch: Callable[[Any], bool] | None = None
    program: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """Its number as in ``level4``, or its time as in ``2.5s``; :func:`find_level` reads it.

        A program's name, which that cannot find.
        """
        if self.program:
            return self.name
        return f"{self.seconds:g}s" if self.number is None else f"level{self.number}"

    @property
    def title(self) -> str:
        """Its name and number, or its time."""
        return self.name if self.number is None else f"{self.name} ({self.number})"


LEVELS = (
    Level(1, "newcomer", temperature=3.0, sight=0.0),
    Level(2, "beginner", temperature=2.65, sight=0.2),
    Level(3, "novice", temperature=2.03, sight=0.4),
    Level(4, "learner", temperature=1.5, sight=0.6),
    Level(5, "casual", temperature=1.12, sight=0.8),
    Level(6, "regular", temperature=0.72),
    Level(7, "amateur", 13),
    Level(8, "club", 68),
    Level(9, "skilled", 200),
    Level(10, "strong", 500, solves=True),
    Level(11, "advanced", 2_000, solves=True),
    Level(12, "expert", 10_000, solves=True),
    Level(13, "champion", 45_000, solves=True),
    Level(14, "master", 200_000, proof_depth=1, solves=True),
)
DEFAULT_LEVEL = LEVELS[0]
"""The level that plays if none is named."""

ROBOT_LEVEL = LEVELS[7]
"""The level of a robot if none is named."""

HINT_LEVEL = LEVELS[11]
"""The level that gives hints if none is named."""

FIRST_SEARCH = next(level for level in LEVELS if not level.temperature)
"""The lowest level that searches, which gives the hints of those below it, too."""

BEFORE = (3, 5, 6, 8, 10, 12, 14)
"""The numbers of the levels that were 1 to 7 before there were so many."""

PLAIN_LEVEL, PLAIN_RATING, STEP = 4, 1500, 200
"""The level whose rating is that of a newcomer to a club; and the points from one to the next."""


def level_of(number: int | None, seconds: float | None, default: Level) -> Level:
    """Return the level with this number or time, the default one for neither."""
    if seconds is not None:
        return timed_level(seconds)
    return default if number is None else LEVELS[number - 1]


def next_level(level: Level, run: int) -> Level | None:
    """Return the level to play after so many wins in a row, losses if below 0; None for this."""
    number = (level.number or 0) + (run > 0) - (run < 0)
    return LEVELS[number - 1] if abs(run) > 1 and 1 <= number <= len(LEVELS) else None


def rating_of(number: int) -> int:
    """Return the rating in a club by which a level may be named, too."""
    return PLAIN_RATING + STEP * (number - PLAIN_LEVEL)


def parse_level(text: str) -> int:
    """Return the number of the level with this number or rating; raises :class:`Misunderstood`."""
    last, low, high = len(LEVELS), rating_of(1), rating_of(len(LEVELS))
    number = int(text) if re.fullmatch("[1-9][0-9]{,3}", text, re.ASCII) else 0
    if low <= number <= high:
        number = PLAIN_LEVEL + round((number - PLAIN_RATING) / STEP)
    if 1 <= number <= last:
        return number
    raise invalid_value("level", text, f"1 to {last}, or a rating from {low} to {high}")


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
    """Return the level with this label, or None; a mere number is one of those before."""
    if label in map(str, range(1, len(BEFORE) + 1)):
        return LEVELS[BEFORE[int(label) - 1] - 1]
    if (level := next((each for each in LEVELS if each.label == label), None)) is not None:
        return level
    try:
        level = timed_level(parse_seconds(label.removesuffix("s")))
    except Misunderstood:
        return None
    return level if level.label == label else None
