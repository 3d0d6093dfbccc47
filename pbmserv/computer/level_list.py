"""The levels: how hard each thinks; apart, for a menu that lists them thinks of nothing."""

from typing import NamedTuple


class Level(NamedTuple):
    """How hard one level thinks.

    ``proof_depth`` is how many moves its proofs look ahead; 0 where it does without. ``threads``
    is how many cores it thinks on: that changes what it finds, but not how well. Without patterns
    it knows nothing of moves but what it tries.
    """

    number: int
    name: str
    simulations: int
    proof_depth: int = 0
    threads: int = 1
    has_patterns: bool = True


LEVELS = (
    Level(1, "beginner", 8, has_patterns=False),
    Level(2, "novice", 20, has_patterns=False),
    Level(3, "casual", 50, has_patterns=False),
    Level(4, "club", 130, has_patterns=False),
    Level(5, "strong", 500),
    Level(6, "expert", 2_600),
    Level(7, "master", 32_000, proof_depth=1),
)
EASIEST = LEVELS[0]
"""The level that plays where none is named."""

ROBOT_LEVEL = LEVELS[3]
"""The level of a robot of which none is named."""

HINT_LEVEL = LEVELS[5]
"""The level that gives hints where none is named."""


def level_of(number: int | None, usual: Level) -> Level:
    """Return the level with this number, or the usual one for None."""
    return usual if number is None else LEVELS[number - 1]
