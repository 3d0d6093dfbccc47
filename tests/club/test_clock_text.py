"""The text form of a clock."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.club.clock import Clock, Warned, format_clock, parse_clock
from pbmserv.errors import Fault

seconds = st.integers(0, 2**40)
players = st.integers(1, 10**6)
warned = st.builds(Warned, seconds, seconds)
clocks = st.builds(
    Clock,
    players,
    players,
    seconds,
    st.dictionaries(players, seconds, max_size=2),
    st.integers(0, 20),
    st.none() | warned,
    st.dictionaries(players, warned, max_size=2),
    st.booleans(),
)


@given(clocks)
def test_text_both_ways(clock: Clock) -> None:
    text = format_clock(clock)

    assert parse_clock(text) == clock
    assert "\n" not in text


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", "null", '{"on":1}', format_clock(Clock(1, 2, 3))[:-1]]
)
def test_a_damaged_clock_is_a_fault(text: str) -> None:
    with pytest.raises(Fault):
        parse_clock(text)
