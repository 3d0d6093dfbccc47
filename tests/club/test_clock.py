"""The clock of a match: reminders, warnings, vacation days, the end; and awkward clocks."""

import os
import time
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import pytest

from pbmserv.club.clock import (
    Clock,
    ClockEvent,
    ClockEventKind,
    TimeBudget,
    awake_since,
    due_at,
    settle,
    time_used,
    turn_to,
)
from pbmserv.club.time_limits import TimeLimits
from pbmserv.club.vacation import AbsenceKind, Vacations, come_back, leave
from pbmserv.engine.moments import DAY

START = int(datetime(2026, 3, 1, tzinfo=UTC).timestamp())
LATE, OTHER = 7, 8
NONE_LEFT = Vacations(days_a_year=0)
LIMITS = TimeLimits()

REMINDED = ClockEventKind.REMINDED
WARNED = ClockEventKind.WARNED
OPPONENT_WARNED = ClockEventKind.OPPONENT_WARNED
VACATION_TAKEN = ClockEventKind.VACATION_TAKEN
RAN_OUT = ClockEventKind.RAN_OUT


@dataclass
class Desk:
    """A server that settles one clock, day after day."""

    clock: Clock = field(default_factory=lambda: Clock(LATE, OTHER, START))
    vacations: Vacations = NONE_LEFT
    limits: TimeLimits = LIMITS
    awake: int = 0
    diary: list[tuple[float, ClockEventKind]] = field(default_factory=list)

    def tick(self, now: int) -> tuple[ClockEvent, ...]:
        settlement = settle(self.clock, self.limits, self.vacations, now, awake=self.awake)
        self.clock, self.vacations = settlement.clock, settlement.vacations
        self.diary += [((now - START) / DAY, event.kind) for event in settlement.events]
        return settlement.events

    def due(self) -> int:
        return due_at(self.clock, self.limits, self.vacations, awake=self.awake)

    def run(self, days: int) -> list[tuple[float, ClockEventKind]]:
        """Settle whenever something is due in so many days, or until the time runs out."""
        while (due := self.due()) <= START + days * DAY and not self.is_over:
            assert self.tick(due)
        return self.diary

    @property
    def is_over(self) -> bool:
        return bool(self.diary) and self.diary[-1][1] is RAN_OUT


def test_the_ladder_of_a_turn() -> None:
    diary = Desk().run(100)

    assert diary == [
        (7, REMINDED),
        (14, REMINDED),
        (18, WARNED),
        (18, OPPONENT_WARNED),
        (21, RAN_OUT),
    ]


def test_a_warning_says_when_the_time_ends_and_whom_it_is_for() -> None:
    late, other = Desk().tick(START + 18 * DAY)

    last = START + 21 * DAY
    assert late == ClockEvent(WARNED, LATE, last, TimeBudget.TURN, is_final=True)
    assert other == ClockEvent(OPPONENT_WARNED, OTHER, last, TimeBudget.TURN, is_final=True)


def test_a_turn_begins_with_a_new_ladder() -> None:
    desk = Desk()
    desk.run(19)

    desk.clock = turn_to(desk.clock, OTHER, NONE_LEFT, START + 20 * DAY)

    assert (desk.clock.player_id, desk.clock.opponent_id) == (OTHER, LATE)
    assert desk.due() == START + 27 * DAY
    assert time_used(desk.clock, NONE_LEFT, START + 21 * DAY) == {LATE: 20 * DAY, OTHER: DAY}


def test_what_was_used_before_brings_the_end_of_all_time_nearer() -> None:
    used = Clock(LATE, OTHER, START, {LATE: 85 * DAY})
    desk = Desk(used, limits=replace(LIMITS, total_days=90))

    assert desk.due() == START + 2 * DAY
    assert desk.run(5) == [(2, WARNED), (2, OPPONENT_WARNED), (5, RAN_OUT)]


def test_a_player_against_himself_has_one_account() -> None:
    clock = turn_to(Clock(LATE, LATE, START), LATE, NONE_LEFT, START + DAY)

    assert time_used(clock, NONE_LEFT, START + 3 * DAY) == {LATE: 3 * DAY}


def test_vacation_stops_the_clock() -> None:
    desk = Desk(vacations=leave(Vacations(), START + 10 * DAY, START + 5 * DAY))
    desk.vacations = replace(desk.vacations, days_a_year=5)

    assert desk.run(100) == [
        (12, REMINDED),
        (19, REMINDED),
        (23, WARNED),
        (23, OPPONENT_WARNED),
        (26, RAN_OUT),
    ]
    assert time_used(desk.clock, desk.vacations, START + 26 * DAY)[LATE] == 21 * DAY


def test_after_vacation_a_warning_comes_before_any_forfeit() -> None:
    desk = Desk()
    desk.run(19)
    desk.vacations = replace(leave(Vacations(), START + 30 * DAY, START + 20 * DAY), days_a_year=10)

    assert desk.run(100)[4:] == [(30, WARNED), (30, OPPONENT_WARNED), (33, RAN_OUT)]


def test_coming_back_early_starts_the_clock_early() -> None:
    desk = Desk(vacations=leave(Vacations(), START + 20 * DAY, START))
    desk.vacations = come_back(desk.vacations, START + 2 * DAY)

    assert desk.due() == START + 9 * DAY


def test_days_of_vacation_are_taken_when_the_time_runs_out() -> None:
    desk = Desk(vacations=Vacations(days_a_year=6))
    desk.run(100)

    assert desk.diary[4:] == [*((day, VACATION_TAKEN) for day in range(21, 27)), (27, RAN_OUT)]
    assert {a.kind for a in desk.vacations.absences} == {AbsenceKind.AUTOMATIC}
    assert time_used(desk.clock, desk.vacations, START + 27 * DAY)[LATE] == 21 * DAY


def test_people_are_told_of_the_first_day_taken_and_of_the_last_ones() -> None:
    desk = Desk(vacations=Vacations(days_a_year=6))
    news = []
    while not desk.is_over:
        events = desk.tick(desk.due())
        news += [event.is_news for event in events if event.kind is VACATION_TAKEN]

    assert news == [True, False, False, True, True, True]


def test_a_new_year_brings_days_to_be_taken() -> None:
    start = int(datetime(2026, 12, 11, tzinfo=UTC).timestamp())
    desk = Desk(Clock(LATE, OTHER, start), Vacations(days_a_year=1))
    for day in range(26):
        desk.tick(start + day * DAY)

    taken = [a.start for a in desk.vacations.absences]
    assert [start + 21 * DAY] == taken
    assert desk.is_over


def test_all_turns_together_have_a_limit() -> None:
    desk = Desk(limits=TimeLimits(7, 21, 30))
    for day in (10, 12, 25, 26):
        desk.clock = turn_to(desk.clock, desk.clock.opponent_id, NONE_LEFT, START + day * DAY)

    # The late player has used 23 days and is on move again on day 26.
    warned, _ = desk.tick(START + 30 * DAY)
    assert warned == ClockEvent(WARNED, LATE, START + 33 * DAY, TimeBudget.TOTAL, is_final=True)
    assert desk.due() == START + 33 * DAY
    assert desk.tick(START + 33 * DAY) == (
        ClockEvent(RAN_OUT, LATE, START + 33 * DAY, TimeBudget.TOTAL),
    )


def test_little_time_for_all_turns_is_warned_of_at_once_and_only_once() -> None:
    desk = Desk(limits=TimeLimits(7, 21, 30))
    desk.clock = replace(desk.clock, used={LATE: 29 * DAY})

    warned, _ = desk.tick(START)
    assert warned.ends_at == START + 3 * DAY

    # Two more turns of a day and a half use up the three days of grace.
    for half_day in (3, 4):
        now = START + half_day * DAY // 2
        desk.clock = turn_to(desk.clock, desk.clock.opponent_id, NONE_LEFT, now)
    assert desk.due() == START + 7 * DAY // 2
    assert [RAN_OUT] == [event.kind for event in desk.tick(desk.due())]


def test_a_server_that_slept_warns_first() -> None:
    desk = Desk()
    desk.run(19)

    desk.awake = awake_since(0, START + 19 * DAY, START + 29 * DAY)

    assert [WARNED, OPPONENT_WARNED] == [e.kind for e in desk.tick(START + 29 * DAY)]
    assert desk.due() == START + 32 * DAY
    assert desk.tick(START + 32 * DAY)[0].kind is RAN_OUT


@pytest.mark.parametrize("rest", [2 * DAY + 1, 5 * DAY // 2, 3 * DAY, 7 * DAY, 14 * DAY])
def test_a_clock_ends_though_the_server_sleeps_before_every_tick(rest: int) -> None:
    desk = Desk(limits=TimeLimits(1, 4))
    moments = range(START + rest, START + 100 * DAY, rest)
    for now in moments:
        desk.awake = now
        desk.tick(now)
        if desk.is_over:
            break
    told = [kind for _, kind in desk.diary]

    assert desk.is_over
    assert desk.diary[-1][0] * DAY <= 4 * DAY + 3 * DAY + 3 * rest
    # Warned, spared after a sleep once, and no more.
    assert told == [WARNED, OPPONENT_WARNED] * 2 + [RAN_OUT]


@pytest.mark.parametrize("rest", [2 * DAY + 1, 5 * DAY // 2, 3 * DAY, 7 * DAY, 14 * DAY])
@pytest.mark.parametrize("turn", [DAY // 2, DAY, 2 * DAY])
def test_the_time_for_all_turns_ends_so_too_however_short_each_turn_is(
    turn: int, rest: int
) -> None:
    desk = Desk(limits=TimeLimits(7, 14, 20))
    ticks, moves = (range(START + each, START + 100 * DAY, each) for each in (rest, turn))
    for now in sorted({*ticks, *moves}):
        if now in ticks:
            desk.awake = now
        desk.tick(now)
        if desk.is_over:
            break
        if now in moves:
            # The opponent answers at once.
            desk.clock = turn_to(desk.clock, OTHER, NONE_LEFT, now)
            desk.clock = turn_to(desk.clock, LATE, NONE_LEFT, now)
    told = [kind for _, kind in desk.diary]

    assert desk.is_over
    assert 20 * DAY <= desk.diary[-1][0] * DAY <= 20 * DAY + 2 * 3 * DAY + 3 * rest
    assert 1 <= told.count(WARNED) <= 2


def test_a_sleep_in_another_turn_is_forgiven_as_well() -> None:
    desk = Desk()
    for turn in range(3):
        began = START + turn * 40 * DAY
        desk.clock = turn_to(desk.clock, LATE, NONE_LEFT, began)
        desk.tick(began + 18 * DAY)
        desk.awake = began + 25 * DAY

        assert [WARNED, OPPONENT_WARNED] == [e.kind for e in desk.tick(desk.awake)]
        assert desk.tick(desk.awake + 3 * DAY - 1) == ()


def test_a_vacation_after_a_sleep_is_followed_by_a_warning_of_its_own() -> None:
    desk = Desk()
    desk.tick(START + 18 * DAY)
    desk.awake = START + 25 * DAY
    desk.tick(desk.awake)
    away = leave(Vacations(days_a_year=1), START + 27 * DAY, START + 26 * DAY)
    desk.vacations = away

    assert [WARNED, OPPONENT_WARNED] == [e.kind for e in desk.tick(START + 27 * DAY)]
    desk.awake = START + 40 * DAY
    assert [RAN_OUT] == [e.kind for e in desk.tick(desk.awake)]


def test_days_of_vacation_that_passed_unseen_are_taken_at_once() -> None:
    desk = Desk(vacations=Vacations(days_a_year=12))
    desk.run(18)
    seen = [desk.tick(START + 21 * DAY + passed) for passed in (7 * DAY + 5, 14 * DAY, 21 * DAY)]

    # Eight days that began since the time ran out, then the four that are left, the latest.
    assert [[event.kind for event in events] for events in seen] == [
        [VACATION_TAKEN] * 8,
        [VACATION_TAKEN] * 4,
        [RAN_OUT],
    ]
    assert [event.is_news for event in seen[0]] == [False] * 7 + [True]
    assert [((a.start - START) / DAY, a.days) for a in desk.vacations.absences] == [
        (21, 8),
        (32, 4),
    ]


def test_a_fortnightly_tick_takes_days_faster_than_the_years_bring_them() -> None:
    desk = Desk(vacations=Vacations(days_a_year=30))
    for fortnight in range(1, 20):
        desk.awake = START + fortnight * 14 * DAY
        desk.tick(desk.awake)
        if desk.is_over:
            break

    assert desk.diary[-1] == (98, RAN_OUT)


def test_a_server_that_slept_through_the_whole_ladder_warns_once() -> None:
    desk = Desk(awake=START + 50 * DAY)

    assert [WARNED, OPPONENT_WARNED] == [e.kind for e in desk.tick(START + 50 * DAY)]
    assert desk.tick(START + 50 * DAY) == ()


@pytest.mark.parametrize(
    ("before", "last", "now", "since"),
    [
        (None, None, 100, 100),
        (50, None, 100, 100),
        (50, 90, 100, 50),
        (50, 100, 100 + DAY, 50),
        (50, 100, 100 + 2 * DAY, 50),
        (50, 100, 101 + 2 * DAY, 101 + 2 * DAY),
        (50, 100 + 2 * DAY, 99, 99),  # the clock was set back
        (200, 90, 100, 100),
        (50, 130, 100, 50),  # a small correction
    ],
)
def test_when_the_server_woke(before: int | None, last: int | None, now: int, since: int) -> None:
    assert awake_since(before, last, now) == since


def test_a_clock_set_back_costs_nobody_a_game() -> None:
    desk = Desk()

    assert desk.tick(START - 100 * DAY) == ()
    assert time_used(desk.clock, NONE_LEFT, START - 100 * DAY) == {LATE: 0, OTHER: 0}
    desk.run(19)
    assert desk.tick(START) == ()
    assert desk.tick(START + 21 * DAY - 1) == ()


def test_a_turn_ended_before_it_began_used_no_time() -> None:
    clock = turn_to(Clock(LATE, OTHER, START), OTHER, NONE_LEFT, START - DAY)

    assert clock.used == {LATE: 0, OTHER: 0}


def test_time_counted_twice_by_a_clock_set_back_costs_nobody_a_game() -> None:
    desk = Desk(limits=TimeLimits(7, 21, 21))
    desk.clock = replace(desk.clock, used={LATE: 8 * DAY})
    desk.tick(START + 10 * DAY)  # warned with 18 days used
    desk.clock = turn_to(desk.clock, OTHER, NONE_LEFT, START + 12 * DAY)

    # The clock goes back a week: the player is on move again before he was warned.
    desk.clock = turn_to(desk.clock, LATE, NONE_LEFT, START + 5 * DAY)

    assert [REMINDED] == [event.kind for event in desk.tick(START + 12 * DAY)]
    assert desk.due() == START + 13 * DAY


@pytest.mark.parametrize(
    "begin", ["2028-02-10", "2027-02-10", "2026-03-20", "2026-10-20", "2026-12-20"]
)
@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Pacific/Apia", "UTC"])
def test_leap_days_and_daylight_saving_change_nothing(
    begin: str, zone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(os.environ, "TZ", zone)
    time.tzset()
    try:
        start = int(datetime.fromisoformat(begin).replace(tzinfo=UTC).timestamp())
        desk = Desk(Clock(LATE, OTHER, start))
        moments = []
        while not desk.is_over:
            moments.append(desk.due() - start)
            desk.tick(desk.due())
    finally:
        monkeypatch.undo()
        time.tzset()

    assert [day * DAY for day in (7, 14, 18, 21)] == moments
