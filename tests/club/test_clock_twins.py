"""Clocks of two players, two budgets and two years; handed on, standing still, read anew."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from pbmserv.club.clock import (
    Clock,
    ClockEventKind,
    Settlement,
    Warned,
    format_clock,
    parse_clock,
    settle,
    stand_still,
    time_used,
    turn_to,
    without_future,
)
from pbmserv.club.time_limits import TimeLimits
from pbmserv.club.vacation import Absence, Vacations
from pbmserv.engine.moments import DAY, HOUR

START = 1_800_000_000

FULL = Clock(
    1,
    2,
    START,
    {1: 10, 2: 20},
    3,
    Warned(START + 5, 6, is_last=True),
    {1: Warned(START + 7, 8), 2: Warned(START + 9, 10, is_last=True)},
    has_taken_vacation=True,
)


@pytest.mark.parametrize(
    "clock",
    [
        *(FULL, Clock(1, 2, START), replace(FULL, turn_warning=None)),
        *(
            replace(FULL, turn_warning=Warned(START + 5, 6)),
            replace(FULL, has_taken_vacation=False),
        ),
    ],
)
def test_a_clock_is_read_as_it_was_written(clock: Clock) -> None:
    assert clock == parse_clock(format_clock(clock))


def test_a_clock_changes_hands_with_all_that_is_kept_of_its_players() -> None:
    renamed = FULL.with_players_renamed({1: 11, 2: 12, 3: 13})

    assert (11, 12) == (renamed.player_id, renamed.opponent_id)
    assert {11: 10, 12: 20} == renamed.used
    assert {11: FULL.total_warnings[1], 12: FULL.total_warnings[2]} == renamed.total_warnings
    assert FULL == FULL.with_players_renamed({})
    assert 2 == FULL.with_players_renamed({1: 11}).opponent_id


def test_of_two_who_become_one_the_times_are_added() -> None:
    assert {1: 30} == FULL.with_players_renamed({2: 1}).used


@pytest.mark.parametrize("back", [0, 5, 6, 7, 8, 9, 10])
def test_a_clock_set_back_forgets_each_warning_that_lies_ahead_and_no_other(back: int) -> None:
    now = START + back
    kept = without_future(FULL, now)

    assert (FULL.turn_warning if back >= 5 else None) == kept.turn_warning
    assert {player for player, at in ((1, 7), (2, 9)) if at <= back} == kept.total_warnings.keys()
    assert all(FULL.total_warnings[player] == each for player, each in kept.total_warnings.items())
    assert replace(FULL, turn_warning=None, total_warnings={}) == replace(
        kept, turn_warning=None, total_warnings={}
    )


def test_a_turn_that_would_begin_later_begins_now_with_nothing_told() -> None:
    early = without_future(FULL, START - 1)

    assert Clock(1, 2, START - 1, FULL.used) == early


AWAY = Vacations(
    (Absence(START + 2 * DAY, START + 4 * DAY), Absence(START + 6 * DAY, START + 7 * DAY))
)


@pytest.mark.parametrize("since", [0, 1, 2, 3, 4, 5, 6.5, 8])
@pytest.mark.parametrize("stood", [0, 0.5, 1, 3, 6, 20])
def test_who_stood_still_has_spent_as_much_as_before(since: float, stood: float) -> None:
    clock, then = Clock(1, 2, START), START + int(since * DAY)
    until = then + int(stood * DAY)
    after = stand_still(clock, AWAY, then, until)

    assert time_used(clock, AWAY, then) == time_used(after, AWAY, until)
    spent = time_used(after, AWAY, until + HOUR)[1] - time_used(after, AWAY, until)[1]
    assert (0 if AWAY.current(until) else HOUR) == spent


LIMITS = TimeLimits(7, 21, 30)
NONE_LEFT = Vacations(days_a_year=0)


def settled(clock: Clock, days: float, vacations: Vacations = NONE_LEFT) -> Settlement:
    return settle(clock, LIMITS, vacations, START + int(days * DAY), awake=0)


def test_the_warning_of_one_player_leaves_that_of_the_other_as_it_was() -> None:
    first = settled(Clock(1, 2, START, {1: 27 * DAY, 2: 27 * DAY}), 0).clock
    turned = turn_to(first, 2, NONE_LEFT, START + DAY)
    second = settled(turned, 1).clock

    assert {1: Warned(START, 27 * DAY)} == turned.total_warnings
    assert {1: Warned(START, 27 * DAY), 2: Warned(START + DAY, 27 * DAY)} == second.total_warnings


def test_whoever_has_been_away_is_warned_anew_of_all_their_time() -> None:
    warned = settled(Clock(1, 2, START, {1: 27 * DAY}), 0).clock
    away = Vacations((Absence(START + DAY, START + 11 * DAY),), days_a_year=10)
    back = settled(warned, 11, away)

    assert [ClockEventKind.WARNED, ClockEventKind.OPPONENT_WARNED] == [e.kind for e in back.events]
    assert START + 11 * DAY == back.clock.total_warnings[1].at


def test_a_day_that_is_taken_belongs_to_a_year_that_has_one_left() -> None:
    silvester = int(datetime(2026, 12, 31, 12, tzinfo=UTC).timestamp())
    used = Absence(silvester - 200 * DAY, silvester - 199 * DAY)
    late = Clock(1, 2, silvester - 21 * DAY, turn_warning=Warned(silvester - 3 * DAY, 18 * DAY))
    now = silvester + DAY
    found = settle(late, TimeLimits(), Vacations((used,), days_a_year=1), now, awake=0)

    assert [ClockEventKind.VACATION_TAKEN] == [event.kind for event in found.events]
    assert now == found.vacations.absences[-1].start


def test_a_day_that_is_taken_begins_when_the_time_ran_out_not_when_that_was_seen() -> None:
    late = Clock(1, 2, START, turn_warning=Warned(START + 18 * DAY, 18 * DAY))
    seen = START + 21 * DAY + HOUR
    found = settle(late, TimeLimits(), Vacations(), seen, awake=0)

    assert START + 21 * DAY == found.vacations.absences[-1].start
    again = settle(found.clock, TimeLimits(), found.vacations, START + 22 * DAY, awake=0)
    assert START + 22 * DAY == again.vacations.absences[-1].start
