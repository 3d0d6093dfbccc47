"""Komi: points added to O's score and subtracted from X's, in the games that have this option."""

from typing import Any

from pbmserv.engine.game import option
from pbmserv.engine.position import Side
from pbmserv.engine.score import Points, Tally

MAX_KOMI = 99
"""The largest komi, for either side."""


def komi_option() -> Any:
    """Declare the option ``komi`` of a game."""
    return option(0, "points given to O and taken from X", low=-MAX_KOMI, high=MAX_KOMI)


def komi_points(komi: int) -> Points:
    """Return what komi gives to each side.

    >>> komi_points(7) == {Side.X: -7, Side.O: 7}
    True
    """
    return {Side.X: -komi, Side.O: komi}


def start_margin(komi: int) -> int:
    """Return X's margin before stones are counted: both sides' points change."""
    return -2 * komi


def with_komi(points: Points, komi: int) -> dict[Side, int]:
    """Return the points with komi."""
    return {side: points[side] + given for side, given in komi_points(komi).items()}


def komi_tallies(komi: int) -> tuple[Tally, ...]:
    """Return the lines of the score sheet about komi, X's first; none without komi."""
    lesson = "Komi evens out a difference in strength: O gets it and X pays it."
    return tuple(
        Tally(side, "komi", given, f"-komi={komi}", lesson=lesson)
        for side, given in komi_points(komi).items()
        if given
    )
