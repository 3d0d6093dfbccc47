"""Time limits: what is allowed, their text, and when reminders come."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.club.time_limits import GRACE_DAYS, TimeLimits, format_limits, parse_limits
from pbmserv.engine.moments import DAY
from pbmserv.errors import Misunderstood


def test_usual_limits() -> None:
    assert TimeLimits() == TimeLimits(7, 21, None)


@pytest.mark.parametrize(
    "days", [(0, 21, None), (7, 9, None), (7, 4000, None), (7, 21, 20), (7, 21, 4000), (-7, 1, 1)]
)
def test_limits_that_cannot_be(days: tuple[int, int, int | None]) -> None:
    with pytest.raises(Misunderstood, match="Invalid time limits"):
        TimeLimits(*days)


@pytest.mark.parametrize("text", ["", "7", "7/21/", "7/21/90/1", "a/b", "-7/21", "7/21 ", "1/2"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(Misunderstood):
        parse_limits(text)


@given(st.integers(1, 100), st.integers(3, 400), st.none() | st.integers(0, 900))
def test_text_both_ways(nag: int, more: int, extra: int | None) -> None:
    limits = TimeLimits(nag, nag + more, None if extra is None else nag + more + extra)

    assert parse_limits(format_limits(limits)) == limits


@pytest.mark.parametrize(
    ("nag", "forfeit", "days"),
    [
        (7, 21, [7, 14]),
        (7, 17, [7]),
        (7, 10, []),
        (1, 60, [1, 2, 4, 8, 16, 32]),
        (1, 4, []),
        (14, 90, [14, 28, 56]),
    ],
)
def test_reminders_grow_rarer(nag: int, forfeit: int, days: list[int]) -> None:
    assert TimeLimits(nag, forfeit).rungs == tuple(day * DAY for day in days)
    assert all(day < forfeit - GRACE_DAYS for day in days)
