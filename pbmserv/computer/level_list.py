"""The seven levels: how hard each thinks; apart, for a menu that lists them thinks of nothing."""

from typing import NamedTuple


class Level(NamedTuple):
    """How hard one level thinks.

    ``proof_depth`` is how many moves its proofs look ahead; 0 where it does without. ``threads``
    is how many cores it thinks on: that changes what it finds, but not how well.
    """

    number: int
    name: str
    simulations: int
    proof_depth: int = 0
    threads: int = 1


LEVELS = (
    Level(1, "beginner", 8),
    Level(2, "novice", 20),
    Level(3, "casual", 50),
    Level(4, "club", 130),
    Level(5, "strong", 500),
    Level(6, "expert", 2_600),
    Level(7, "master", 32_000, proof_depth=1),
)
HINT_LEVEL = LEVELS[5]
"""The level that gives hints where none is named."""
