"""The world outside: time and chance, which the door asks of nobody else."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


def _now() -> int:
    return int(time.time())


def _chance() -> float:
    import random

    return random.random()  # noqa: S311 - for fairness and pauses, never for secrets


class World(NamedTuple):
    """Time and chance as the door sees them; tests put their own in their place.

    ``now`` gives whole seconds since 1970, UTC, ``chance`` a number from 0 to 1, and ``sleep``
    waits for so many seconds. Secrets are not made here: a password's salt comes from its library,
    a reply token from the signing keys.
    """

    now: Callable[[], int] = _now
    chance: Callable[[], float] = _chance
    sleep: Callable[[float], object] = time.sleep
