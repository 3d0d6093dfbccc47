"""Clocks through the door: limits, reminders, vacations, forfeits, and servers that sleep."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import pytest

from pbmserv.club.clock import LOW_DAYS, ClockEventKind
from pbmserv.club.letter import LetterKind
from pbmserv.desk.tick import tick
from tests.local_server import LocalServer

from .passing_days import DAY, HOUR, letters, live, pass_days, with_letters

pytestmark = pytest.mark.costly

REMINDED, WARNED = ClockEventKind.REMINDED, ClockEventKind.WARNED
TAKEN, RAN_OUT = ClockEventKind.VACATION_TAKEN, ClockEventKind.RAN_OUT


@pytest.fixture
def club(local: LocalServer) -> LocalServer:
    """Alice and bob, each with an address, nobody with a day of vacation."""
    local.desk.vacation_days = lambda: 0
    with_letters(local, "alice", "bob")
    tick(local.desk)
    return local


def test_a_board_has_the_usual_limits(local: LocalServer) -> None:
    local.start()

    assert local.show(101)["time"] == {
        "nag": 7,
        "forfeit": 21,
        "total": None,
        "vacation": True,
        "used": {"X": 0, "O": 0},
    }


def test_a_challenge_sets_limits(local: LocalServer) -> None:
    local.start("-size=3 -nagtime=2 -forfeittime=9 -total=40")
    text = local.text("star show 101")

    assert local.show(101)["time"]["total"] == 40
    assert "reminder after 2 days, forfeit after 9 or 40 in all." in text
    local.start("-size=3 -nagtime=1")
    assert "reminder after 1 day, forfeit after 21." in local.text("star show 102")


@pytest.mark.parametrize(
    "options", ["-nagtime=0", "-nagtime=20", "-forfeittime=8", "-totaltime=20", "-nagtime=99999"]
)
def test_limits_that_no_clock_could_keep_are_refused(local: LocalServer, options: str) -> None:
    local.sign_up("alice", "bob")

    assert local.code(f"star challenge alice bob {options}") == "bad-time-limit"


def test_time_is_counted_for_whoever_is_to_move(local: LocalServer) -> None:
    local.start()
    pass_days(local, 1)
    local.move(101, "alice", "C1")
    pass_days(local, 2.5)
    used = local.show(101)["time"]["used"]
    text = local.text("star show 101")

    assert used == {"X": DAY, "O": DAY * 5 // 2}
    assert "Time used: X 1 d 0 h, O 2 d 12 h; reminder" in text
    local.move(101, "bob", "swap")
    assert local.show(101)["time"]["used"] == {"O": DAY, "X": DAY * 5 // 2}


def test_an_undo_gives_the_turn_but_no_time_back(local: LocalServer) -> None:
    local.start()
    pass_days(local, 1)
    local.move(101, "alice", "C1")
    pass_days(local, 1)
    local.move(101, "alice", "undo")
    local.move(101, "bob", "accept")
    pass_days(local, 1)

    assert local.show(101)["time"]["used"] == {"X": 2 * DAY, "O": DAY}


def test_the_clock_of_a_finished_game_stands_still(local: LocalServer) -> None:
    local.start()
    local.play(101, "C1 C2")
    pass_days(local, 3)
    local.move(101, "alice", "resign")
    pass_days(local, 50)

    assert local.show(101)["time"]["used"] == {"X": 3 * DAY, "O": 0}
    assert tick(local.desk).due == 0


def test_the_late_player_is_reminded_warned_and_forfeits(club: LocalServer) -> None:
    club.do("star challenge -size=3 alice bob")
    club.play(101, "C1 C2")
    report = live(club, 17)
    reminders = letters(club, "alice", LetterKind.REMINDER)

    assert (report.events[REMINDED], report.events[WARNED], report.events[RAN_OUT]) == (2, 0, 0)
    assert [r.split("\n\n")[:2] for r in reminders] == [
        [
            "Reminder. It is your turn.",
            "It is your turn at Star Board 101.\nYour time for it ends on 2027-02-05 08:00 UTC.",
        ]
    ] * 2
    assert letters(club, "bob", LetterKind.REMINDER) == []
    report = live(club, 2)
    assert (report.events[WARNED], report.events[RAN_OUT]) == (1, 0)
    (warning,) = letters(club, "bob", LetterKind.REMINDER)
    assert "The time for this turn ends on 2027-02-05 08:00 UTC" in warning
    report = live(club, 3)
    assert report.events[RAN_OUT] == 1
    shown = club.show(101)
    assert (shown["winner"], shown["reason"], shown["to_move"]) == ("O", "forfeit", None)
    assert "alice has run out of time." in letters(club, "bob")[-1]
    assert ("forfeit", "done") in club.audit()


def test_after_a_planned_answer_the_clock_still_knows_who_waits(club: LocalServer) -> None:
    club.do("star challenge -size=3 alice bob")
    club.play(101, "C1 C2")
    club.do("star queue 101 bob secret-bob B3:B4")
    club.move(101, "alice", "B3")
    shown = club.show(101)
    live(club, 19)
    (warning,) = letters(club, "bob", LetterKind.REMINDER)
    live(club, 3)

    assert (shown["ply"], shown["to_move"]) == (4, "X")
    assert "alice" in warning
    assert (club.show(101)["winner"], club.show(101)["reason"]) == ("O", "forfeit")


def test_nothing_is_due_twice(club: LocalServer) -> None:
    club.do("star challenge -size=3 alice bob")
    pass_days(club, 0.5)
    live(club, 7)

    assert tick(club.desk).due == 0


@pytest.mark.parametrize("moves", ["", "C1"])
def test_before_the_second_move_a_forfeit_declines(club: LocalServer, moves: str) -> None:
    club.do("star challenge -size=3 alice bob")
    club.play(101, moves)
    live(club, 22)

    assert club.show(101)["status"] == "removed"
    assert club.json("star standings")["standings"] == []


@pytest.mark.parametrize(("maker", "reason"), [("bob", "agreement"), ("alice", "forfeit")])
def test_a_draw_offer_counts_as_accepted_only_when_the_answerers_time_runs_out(
    club: LocalServer, maker: str, reason: str
) -> None:
    club.do("star challenge -size=3 alice bob")
    club.play(101, "C1 C2")
    club.move(101, maker, "propose")
    live(club, 22)

    assert club.show(101)["reason"] == reason


def test_a_command_that_would_change_the_board_settles_its_clock_first(club: LocalServer) -> None:
    club.do("star challenge -size=3 alice bob")
    club.play(101, "C1 C2")
    live(club, 20.75)
    pass_days(club, 0.5)

    assert club.show(101)["status"] == "running"
    with pytest.raises(Exception, match="has ended"):
        club.move(101, "alice", "C3")
    assert club.show(101)["reason"] == "forfeit"
    assert tick(club.desk).due == 0


def test_looking_settles_nothing(club: LocalServer) -> None:
    club.do("star challenge -size=3 alice bob")
    club.play(101, "C1 C2")
    live(club, 20.75)
    pass_days(club, 0.5)
    before = club.tables()
    for line in ("star show 101", "star showas alice secret-alice", "star score 101", "list"):
        club.do(line)

    assert club.tables() == before


def test_a_server_that_slept_warns_before_anybody_forfeits(club: LocalServer) -> None:
    for _ in range(3):
        club.do("star challenge -size=3 alice bob")
    club.play(101, "C1 C2")
    club.play(102, "C1")
    live(club, 15)
    pass_days(club, 10)
    first = tick(club.desk)
    after = live(club, 2.75)

    assert (first.events[WARNED], first.events[RAN_OUT]) == (3, 0)
    assert after.events[RAN_OUT] == 0
    assert live(club, 0.5).events[RAN_OUT] == 3


@dataclass
class Daily:
    """A club whose ticks come once a day, each day so many seconds after 8 o'clock."""

    club: LocalServer
    delays: Sequence[int]
    vacation_days: int = 0

    def run(self) -> tuple[int, int, int]:
        """Return the days of the last warning and of the forfeit, and how many were taken."""
        self.club.desk.vacation_days = lambda: self.vacation_days
        self.club.do("star challenge -size=3 -nagtime=2 -forfeittime=5 alice bob")
        self.club.play(101, "C1 C2")
        began, warned, taken = self.club.clock.seconds, 0, 0
        for day, delay in enumerate(self.delays, start=1):
            self.club.clock.seconds = began + day * DAY + delay
            events = tick(self.club.desk).events
            warned = day if events[WARNED] else warned
            taken += events[TAKEN]
            if events[RAN_OUT]:
                return warned, day, taken
        return warned, 0, taken


LATER_EVERY_DAY = range(120)
EARLIER_EVERY_DAY = range(120, 0, -1)


@pytest.mark.parametrize("vacation_days", [0, 1, 30])
def test_a_daily_tick_may_come_a_moment_later_every_day(
    club: LocalServer, vacation_days: int
) -> None:
    found = Daily(club, LATER_EVERY_DAY, vacation_days).run()

    assert found == (2, 5 + vacation_days, vacation_days)


@pytest.mark.parametrize("vacation_days", [0, 1, 30])
@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2))])
def test_a_daily_tick_may_come_at_any_moment_of_an_hour(
    club: LocalServer, vacation_days: int, seed: int
) -> None:
    chance = Random(seed)
    delays = [chance.randint(0, HOUR) for _ in range(120)]
    warned, forfeited, taken = Daily(club, delays, vacation_days).run()

    # A tick that comes earlier than the one that warned leaves it to the next: the last day of
    # vacation, and the end.
    most = 1 + bool(vacation_days)
    assert (warned, taken) == (2, vacation_days)
    assert 0 <= forfeited - 5 - vacation_days <= most


def test_a_daily_tick_may_come_a_moment_earlier_every_day(club: LocalServer) -> None:
    assert Daily(club, EARLIER_EVERY_DAY, 30).run() == (2, 36, 30)


def test_a_day_of_25_hours_is_no_sleep(club: LocalServer) -> None:
    assert Daily(club, [0, 0, 0, HOUR, HOUR, HOUR]).run() == (2, 5, 0)


def test_a_turn_that_began_by_a_wrong_clock_does_not_wait_for_its_time(club: LocalServer) -> None:
    for _ in range(2):
        club.do("star challenge -size=3 alice bob")
    club.play(101, "C1 C2")
    club.play(102, "C1 C2")
    live(club, 2)
    pass_days(club, 4000)
    tick(club.desk)  # warns
    club.move(101, "alice", "C3")
    pass_days(club, -4000)
    back = live(club, 20)
    end = live(club, 2)

    # The turn on 102 goes on from the day on which it began, that on 101 begins anew.
    assert (back.events[RAN_OUT], end.events[RAN_OUT]) == (1, 1)
    assert club.show(102)["winner"] == "O"
    assert (club.show(101)["winner"], club.show(101)["reason"]) == ("X", "forfeit")


def test_a_vacation_stops_the_clock_and_is_shown(local: LocalServer) -> None:
    tick(local.desk)
    local.start()
    local.play(101, "C1 C2")
    answer = local.do("vacation alice secret-alice 25")
    until = local.clock.seconds + 25 * DAY
    text = local.text("star show 101")

    assert answer.document == {
        "userid": "alice",
        "until": until,
        "days_left": 5,
        "days_a_year": 30,
        "auto": True,
    }
    assert "alice is on vacation until 2027-02-09 08:00 UTC, 5 of 30 days of the year left." in text
    assert local.show(101)["vacation"] == {"X": until, "O": None}
    assert live(local, 24.75).events == {}
    assert local.show(101)["time"]["used"]["X"] == 0
    assert live(local, 7.25).events[REMINDED] == 1


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("31", "no-vacation-left"),
        ("until 2026-01-01", "vacation-in-the-past"),
        ("until tomorrow", "bad-date"),
        ("off", "not-on-vacation"),
        ("sometimes", "bad-vacation"),
        ("0", "bad-vacation"),
    ],
)
def test_a_vacation_that_cannot_be_is_refused(local: LocalServer, words: str, code: str) -> None:
    local.sign_up("alice")

    assert local.code(f"vacation alice secret-alice {words}") == code


def test_days_of_vacation_are_taken_before_a_game_is_lost(local: LocalServer) -> None:
    local.desk.vacation_days = lambda: 2
    with_letters(local, "alice", "bob")
    tick(local.desk)
    local.do("star challenge -size=3 alice bob")
    local.play(101, "C1 C2")
    live(local, 21)
    text = local.text("star show 101")

    assert "alice has run out of time; one day of vacation is used until 2027-02-06" in text
    assert "one day of vacation is used" in letters(local, "bob", LetterKind.REMINDER)[-1]
    assert "one day of your vacation is used" in letters(local, "alice", LetterKind.REMINDER)[-1]
    report = live(local, 2)
    assert (report.events[TAKEN], report.events[RAN_OUT]) == (1, 1)
    assert local.show(101)["reason"] == "forfeit"


def test_only_the_first_and_the_last_days_of_vacation_are_told(local: LocalServer) -> None:
    local.desk.vacation_days = lambda: 6
    with_letters(local, "alice", "bob")
    tick(local.desk)
    local.do("star challenge -size=3 alice bob")
    local.play(101, "C1 C2")
    report = live(local, 28)
    told = [letters(local, userid, LetterKind.REMINDER) for userid in ("alice", "bob")]
    days = [[text for text in texts if "vacation is used" in text] for texts in told]

    assert report.events[TAKEN] == 6
    assert [len(texts) for texts in days] == [1 + LOW_DAYS] * 2
    assert local.show(101)["reason"] == "forfeit"


def test_a_damaged_board_holds_up_no_other(club: LocalServer) -> None:
    for _ in range(2):
        club.do("star challenge -size=3 alice bob")
    club.play(101, "C1 C2")
    club.damage("UPDATE match SET spec = 'star(size=99)' WHERE number = 101")
    pass_days(club, 8)
    report = tick(club.desk)

    assert (report.due, len(report.problems)) == (2, 1)
    assert sum(report.events.values()) == 1


def test_signing_off_ends_the_boards_with_their_clocks_and_ratings(local: LocalServer) -> None:
    local.start()
    local.play(101, "C1 C2")
    local.do("signoff alice secret-alice")

    assert local.show(101)["reason"] == "resignation"
    assert [row["userid"] for row in local.json("star standings")["standings"]] == ["bob"]
    pass_days(local, 30)
    assert tick(local.desk).due == 0
