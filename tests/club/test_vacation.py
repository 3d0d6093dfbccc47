"""Vacation days: taking them, giving them back, counting them by calendar years."""

from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.club.clock import pauses
from pbmserv.club.vacation import (
    DAYS_A_YEAR,
    Absence,
    AbsenceKind,
    Vacations,
    change,
    come_back,
    leave,
    notice,
    take_automatic_day,
)
from pbmserv.engine.moments import DAY
from pbmserv.errors import Misunderstood, Refused


def at(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


SUMMER = at("2026-07-01T12:00")


def test_days_are_counted_from_now() -> None:
    away = change(Vacations(), ["10"], SUMMER)

    assert (Absence(SUMMER, SUMMER + 10 * DAY),) == away.absences
    assert away.current(SUMMER + 10 * DAY - 1) is not None
    assert away.current(SUMMER + 10 * DAY) is None
    assert away.days_left(SUMMER) == 20


def test_a_date_is_the_last_day_away() -> None:
    away = change(Vacations(), ["UNTIL", "2026-07-04"], SUMMER)

    assert (Absence(SUMMER, at("2026-07-05T00:00")),) == away.absences
    assert away.days_left(SUMMER) == 26


def test_today_can_be_the_last_day_but_not_yesterday() -> None:
    assert change(Vacations(), ["until", "2026-07-01"], SUMMER).current(SUMMER) is not None
    with pytest.raises(Refused, match="already over"):
        change(Vacations(), ["until", "2026-06-30"], SUMMER)


@pytest.mark.parametrize(
    "words",
    [
        *([], ["0"], ["-3"], ["ten"], ["5", "6"], ["99999"], ["\u0663"], ["off", "now"]),
        *(["until"], ["until", "20260704"], ["until", "2026-02-30"], ["until", "2026-W27-1"]),
    ],
)
def test_other_words_are_refused(words: list[str]) -> None:
    with pytest.raises(Misunderstood):
        change(Vacations(), words, SUMMER)


@pytest.mark.parametrize("words", [["31"], ["9999"], ["until", "2026-08-15"]])
def test_more_than_a_years_days_are_refused(words: list[str]) -> None:
    with pytest.raises(Refused, match="more than 30 days") as caught:
        change(Vacations(), words, SUMMER)
    assert caught.value.advice == "You have 30 days left this year."


def test_the_last_possible_date_overflows_nothing() -> None:
    with pytest.raises(Refused):
        change(Vacations(), ["until", "9999-12-31"], SUMMER)


def test_coming_back_keeps_the_day_begun() -> None:
    away = change(Vacations(), ["10"], SUMMER)

    back = change(away, ["off"], SUMMER + 2 * DAY + 1)

    assert back.current(SUMMER + 2 * DAY + 1) is None
    assert back.days_left(SUMMER) == 27
    with pytest.raises(Refused, match="not on vacation"):
        come_back(back, SUMMER + 3 * DAY)


def test_coming_back_at_once_still_uses_a_day() -> None:
    back = come_back(change(Vacations(), ["10"], SUMMER), SUMMER)

    assert back.days_left(SUMMER) == 29
    assert not list(pauses(back, 0))


def test_a_new_length_replaces_that_of_the_running_vacation() -> None:
    away = change(Vacations(), ["20"], SUMMER)

    shorter = change(away, ["3"], SUMMER + DAY)
    longer = change(away, ["29"], SUMMER + DAY)

    assert (Absence(SUMMER, SUMMER + 4 * DAY),) == shorter.absences
    assert longer.days_left(SUMMER) == 0
    with pytest.raises(Refused):
        change(away, ["30"], SUMMER + DAY)


def test_days_belong_to_the_year_in_which_they_begin() -> None:
    eve = at("2026-12-25T18:00")

    away = change(Vacations(), ["10"], eve)

    assert away.days_left(eve) == 23
    assert away.days_left(at("2027-01-01T00:00")) == 27


def test_a_new_year_brings_new_days() -> None:
    away = change(Vacations(), ["30"], SUMMER)

    assert away.days_left(SUMMER) == 0
    assert away.days_left(at("2027-01-01T00:00")) == DAYS_A_YEAR


def test_a_leap_day_is_a_day_like_any_other() -> None:
    away = change(Vacations(), ["until", "2028-02-29"], at("2028-02-28T00:00"))

    assert away.days_left(at("2028-02-28T00:00")) == 28


def test_an_automatic_day_becomes_part_of_a_manual_vacation() -> None:
    taken = take_automatic_day(Vacations(), SUMMER)

    away = change(taken, ["5"], SUMMER + 3600)

    assert (Absence(SUMMER, SUMMER + 3600 + 5 * DAY),) == away.absences
    assert taken.absences[0].kind is AbsenceKind.AUTOMATIC


def test_what_an_opponent_is_shown() -> None:
    away = change(Vacations(), ["until", "2026-07-04"], SUMMER)
    taken = take_automatic_day(Vacations(), SUMMER)

    assert notice("alice", away, SUMMER) == (
        "alice is on vacation until 2026-07-05 00:00 UTC, 26 of 30 days of the year left."
    )
    assert notice("alice", taken, SUMMER) == (
        "alice has run out of time; one day of vacation is used until 2026-07-02 12:00 UTC, 29 of "
        "30 days of the year left."
    )
    assert notice("alice", away, SUMMER + 30 * DAY) is None


def test_a_clock_set_back_forgets_the_vacation_of_the_future() -> None:
    away = change(Vacations(), ["5"], SUMMER + 100 * DAY)

    earlier = change(away, ["3"], SUMMER)

    assert (Absence(SUMMER, SUMMER + 3 * DAY),) == earlier.absences


steps = st.lists(
    st.tuples(
        st.integers(0, 40 * DAY),
        st.sampled_from(["leave", "off", "automatic"]),
        st.integers(1, 40 * DAY),
    ),
    max_size=30,
)


@given(steps, st.integers(1, 60))
def test_whatever_is_done_the_years_days_suffice(
    todo: list[tuple[int, str, int]], days_a_year: int
) -> None:
    now = SUMMER
    book = Vacations(days_a_year=days_a_year)
    for wait, what, length in todo:
        now += wait
        try:
            if what == "leave":
                book = leave(book, now + length, now)
            elif what == "off":
                book = come_back(book, now)
            elif book.current(now) is None and book.days_left(now):
                book = take_automatic_day(book, now)
        except Refused:
            continue

    spans = [(a.start, a.end) for a in book.absences]
    assert spans == sorted(spans)
    assert all(one[1] <= other[0] for one, other in pairwise(spans))
    for year in range(2026, 2031):
        assert sum(absence.days_in(year) for absence in book.absences) <= days_a_year
