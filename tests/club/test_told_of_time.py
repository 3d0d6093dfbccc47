"""What people read of a clock: time used and left, deadlines, reminders, for each of the two."""

from dataclasses import replace

import pytest

from pbmserv.club.clock import (
    Clock,
    ClockEvent,
    ClockEventKind,
    Deadline,
    StoredClock,
    TimeBudget,
    Timing,
    Warned,
)
from pbmserv.club.match import Match
from pbmserv.club.play import play, resign
from pbmserv.club.player import Seat
from pbmserv.club.rating import Rating
from pbmserv.club.standing import RatingChange
from pbmserv.club.time_limits import TimeLimits
from pbmserv.club.vacation import Vacations, leave
from pbmserv.club.wording import (
    MatchContext,
    left_words,
    limits_words,
    other_lines,
    ratings_line,
    reminder_sentence,
    span_words,
    time_lines,
    with_count,
)
from pbmserv.engine.moments import DAY, HOUR, MINUTE
from pbmserv.engine.position import Side
from pbmserv.engine.spec import parse_game

ALICE, BOB = Seat(1, "alice"), Seat(2, "bob")
NOW = 1_800_000_000
NOBODY_AWAY = {1: Vacations(), 2: Vacations()}


def match(*texts: str, second: Seat = BOB) -> Match:
    made = Match(7, parse_game("star(size=3)"), 101, ALICE, second, NOW, NOW)
    for text in texts:
        on_move = made.next_seat
        assert on_move is not None
        made, _ = play(made, on_move.player_id, made.game.parse_move(text), NOW)
    return made


def around(
    at: Match, clock: Clock, now: int, vacations: dict[int, Vacations] | None = None
) -> MatchContext:
    timing = Timing(StoredClock(at.id, TimeLimits(), clock), vacations or NOBODY_AWAY, 0)
    return MatchContext(at, now, timing, {})


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 min"),
        (59, "0 min"),
        (MINUTE, "1 min"),
        (HOUR - 1, "59 min"),
        (HOUR, "1 h 0 min"),
        (DAY - 1, "23 h 59 min"),
        (DAY, "1 d 0 h"),
        (3 * DAY + 4 * HOUR + 59 * MINUTE, "3 d 4 h"),
    ],
)
def test_a_span_is_told_in_its_two_largest_units(seconds: int, words: str) -> None:
    assert words == span_words(seconds)


def test_what_is_left_ends_at_the_deadline_itself() -> None:
    assert "1 h 0 min" == left_words(Deadline(NOW + HOUR, is_reminded=False), NOW)
    assert "1 h 0 min, reminded" == left_words(Deadline(NOW + HOUR, is_reminded=True), NOW)
    assert "overdue" == left_words(Deadline(NOW, is_reminded=False), NOW)
    assert "overdue, reminded" == left_words(Deadline(NOW - DAY, is_reminded=True), NOW)


def test_one_is_no_plural() -> None:
    assert ["0 days", "1 day", "2 days"] == [with_count(number, "day") for number in range(3)]
    assert "reminder after 1 day, forfeit after 21" == limits_words(TimeLimits(1, 21))
    assert "reminder after 7 days, forfeit after 21 or 90 in all" == limits_words(
        TimeLimits(7, 21, 90)
    )


def test_the_running_turn_counts_for_whoever_is_on_move_and_only_while_the_game_runs() -> None:
    running = match("C1", "C2")
    clock = Clock(1, 2, NOW, used={1: DAY, 2: 2 * DAY})
    later = NOW + 3 * DAY
    ended, _ = resign(running, 1, later)

    assert {Side.X: 4 * DAY, Side.O: 2 * DAY} == around(running, clock, later).used
    assert {Side.X: DAY, Side.O: 2 * DAY} == around(ended, clock, later).used
    assert {} == MatchContext(running, later, None, {}).used


def test_after_a_swap_time_goes_with_the_player_not_with_the_side() -> None:
    clock = Clock(1, 2, NOW, used={1: DAY, 2: 2 * DAY})

    assert {Side.X: 2 * DAY, Side.O: DAY} == around(match("C1", "swap"), clock, NOW).used


def test_a_deadline_and_who_is_away_are_told_only_of_a_running_game() -> None:
    running = match("C1", "C2")
    away = {1: Vacations(), 2: leave(Vacations(), NOW + 2 * DAY, NOW)}
    ended, _ = resign(running, 1, NOW)
    clock = Clock(1, 2, NOW)

    told = [*map(str, time_lines(around(running, clock, NOW + DAY, away)))]
    assert 2 == len(told)
    assert told[0] == "Time used: X 1 d 0 h, O 0 min; reminder after 7 days, forfeit after 21."
    assert told[1].startswith("alice must move by ")
    assert told[1].endswith(": 20 d 0 h.")
    assert ["bob is on vacation"] == [
        line[:18] for line in other_lines(around(running, clock, NOW, away))
    ]
    assert ["Time used: X 0 min, O 0 min."] == [*time_lines(around(ended, clock, NOW + DAY, away))]
    assert [] == other_lines(around(ended, clock, NOW, away))
    assert around(ended, clock, NOW).deadline is None
    assert [] == [*time_lines(MatchContext(running, NOW, None, {}))]


def test_whoever_plays_against_themselves_is_away_once() -> None:
    own = match("C1", second=ALICE)
    away = {1: leave(Vacations(), NOW + 2 * DAY, NOW)}

    assert 1 == len(other_lines(around(own, Clock(1, 1, NOW), NOW, away)))


def test_ratings_are_told_in_the_order_of_the_seats() -> None:
    changes = {
        1: RatingChange(7, 1, 1500.4, Rating(1662.3)),
        2: RatingChange(7, 2, 1500.4, Rating(1337.7)),
    }
    line = "Ratings: bob 1500 to 1338 (-162), alice 1500 to 1662 (+162)."

    assert line == ratings_line((BOB, ALICE), changes)
    ended, _ = resign(match("C1", "C2"), 2, NOW)
    assert ["Ratings: alice 1500 to 1662 (+162), bob 1500 to 1338 (-162)."] == other_lines(
        MatchContext(ended, NOW, None, changes)
    )


def said(kind: ClockEventKind, reader: int, budget: TimeBudget = TimeBudget.TURN) -> str:
    """Return what a reader is told at a board at which bob is to move."""
    sentence = reminder_sentence(match("C1"), ClockEvent(kind, 2, NOW + DAY, budget), reader)
    return " ".join(sentence.split())


def test_a_reminder_says_whose_time_it_is_to_each_of_the_two() -> None:
    taken = ClockEventKind.VACATION_TAKEN

    assert "It is your turn at Star Board 101. Your time for it" in said(ClockEventKind.REMINDED, 2)
    assert "Your time for this turn ends on" in said(ClockEventKind.WARNED, 2)
    assert "Your time for all turns of this game ends" in said(
        ClockEventKind.WARNED, 2, TimeBudget.TOTAL
    )
    assert "bob is to move at Star Board 101. The time for this turn ends" in said(
        ClockEventKind.OPPONENT_WARNED, 1
    )
    assert said(taken, 2).startswith("Your time is over; one day of your vacation is used")
    assert said(taken, 1).startswith("bob has run out of time; one day of vacation is used")
    assert "bob has run out of time." == said(ClockEventKind.RAN_OUT, 1)


def test_a_deadline_is_reminded_of_by_a_reminder_or_by_a_warning() -> None:
    limits, away = TimeLimits(7, 21, 30), Vacations()
    clock = Clock(1, 2, NOW)

    def due(of: Clock) -> Deadline:
        return Timing(StoredClock(7, limits, of), {1: away, 2: away}, 0).deadline

    assert Deadline(NOW + 21 * DAY, is_reminded=False) == due(clock)
    assert due(replace(clock, rung=1)).is_reminded
    assert due(replace(clock, turn_warning=Warned(NOW, 0))).is_reminded
    assert due(replace(clock, total_warnings={1: Warned(NOW, 0)})).is_reminded
    assert not due(replace(clock, total_warnings={2: Warned(NOW, 0)})).is_reminded


def test_a_deadline_is_the_budget_that_ends_first_of_this_player_and_never_before_its_warning() -> (
    None
):
    limits, away = TimeLimits(7, 21, 30), Vacations()

    def at(of: Clock) -> float:
        timing = Timing(StoredClock(7, limits, of), {1: away, 2: away}, 0)
        return (timing.deadline.at - NOW) / DAY

    assert 21 == at(Clock(1, 2, NOW, used={1: 9 * DAY, 2: 29 * DAY}))
    assert 5 == at(Clock(1, 2, NOW, used={1: 25 * DAY, 2: 0}))
    late = Clock(1, 2, NOW, turn_warning=Warned(NOW + 20 * DAY, 20 * DAY))
    assert 23 == at(late)
    spent = Clock(1, 2, NOW, used={1: 29 * DAY}, total_warnings={1: Warned(NOW, 29 * DAY)})
    assert 3 == at(spent)
