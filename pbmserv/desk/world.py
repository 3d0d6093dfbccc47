"""The world outside: clock, chance and tokens, the only things that are not a function's input."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


def _now() -> int:
    return int(time.time())


def _chance() -> float:
    import random

    return random.random()  # noqa: S311 - for fairness and jitter, never for secrets


def _new_token() -> str:
    import secrets

    return secrets.token_urlsafe()


class World(NamedTuple):
    """What the door asks of the outside; tests put their own in its place.

    ``now`` gives whole seconds since 1970, UTC; ``chance`` a number from 0 to 1; ``new_token``
    text that nobody can guess.
    """

    now: Callable[[], int] = _now
    chance: Callable[[], float] = _chance
    new_token: Callable[[], str] = _new_token
