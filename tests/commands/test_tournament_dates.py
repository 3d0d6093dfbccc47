"""Tournaments that start on a date, are called off, and are named by their names."""

import pytest

from pbmserv.desk.tick import tick
from tests.local_server import DAY, LocalServer

MIDNIGHT = 1_800_144_000
"""2027-01-17 00:00 UTC."""


@pytest.fixture
def cup(local: LocalServer) -> LocalServer:
    """A server with an open tournament, which olga runs and which starts in two days."""
    local.sign_up("olga", "alice", "bob")
    local.do('tournament create olga secret-olga star "Spring Cup" -size=3 -start=2027-01-17')
    return local


def enter(cup: LocalServer, *userids: str) -> None:
    for userid in userids:
        cup.do(f'tournament join "spring cup" {userid} secret-{userid}')


def told(cup: LocalServer, userid: str) -> list[str]:
    answer = cup.do(f"account {userid} secret-{userid}")
    return [notice.text for notice in answer.notices or ()]


def test_it_starts_by_itself_on_its_day(cup: LocalServer) -> None:
    enter(cup, "alice", "bob")
    before = cup.text("tournament show 1")
    cup.clock.seconds += DAY
    tick(cup.desk)
    early = cup.json("tournament show 1")
    cup.clock.seconds += DAY
    tick(cup.desk)
    tick(cup.desk)
    shown = cup.json('tournament show "Spring Cup"')

    assert "Starts on 2027-01-17 00:00 UTC" in before
    assert (early["status"], early["starts"]) == ("open", 1_800_144_000)
    other = 'tournament create olga secret-olga star "Late Cup" -size=3 -start=2027-02-28'
    assert str(cup.json(other)["starts"]) == "1803772800"
    assert shown["status"] == "running"
    assert len(cup.json("star games")["matches"]) == 1


def test_without_two_players_it_is_cancelled_on_its_day(cup: LocalServer) -> None:
    enter(cup, "alice")
    cup.clock.seconds += 2 * DAY
    tick(cup.desk)

    assert cup.json("tournament show 1")["status"] == "cancelled"
    assert told(cup, "alice") == ["Nobody else joined Spring Cup, so it has been cancelled."]
    assert told(cup, "olga") == told(cup, "alice")


def test_its_organiser_may_start_it_before(cup: LocalServer) -> None:
    enter(cup, "alice", "bob")
    cup.do("tournament start 1 olga secret-olga")
    cup.clock.seconds += 3 * DAY
    tick(cup.desk)

    assert len(cup.json("star games")["matches"]) == 1


def test_a_cancelled_one_goes_no_further_but_its_boards_do(cup: LocalServer) -> None:
    enter(cup, "alice", "bob")
    cup.do("tournament start 1 olga secret-olga")
    cup.do("tournament cancel 1 olga secret-olga")
    cup.play(101, "C1 C2")
    cup.move(101, "alice", "resign")
    again = cup.code("tournament cancel 1 olga secret-olga")

    assert cup.json("tournament show 1")["status"] == "cancelled"
    assert cup.show(101)["status"] == "won"
    assert again == "tournament-over"
    assert told(cup, "bob") == ["olga has cancelled the tournament Spring Cup."]


def test_who_may_cancel_and_what_cannot_be_done_afterwards(cup: LocalServer) -> None:
    assert cup.code("tournament cancel 1 alice secret-alice") == "not-organiser"
    cup.do("tournament cancel 1 olga secret-olga")
    assert cup.code("tournament join 1 alice secret-alice") == "tournament-over"
    assert cup.code("tournament start 1 olga secret-olga") == "tournament-over"


def test_a_name_must_be_clear(cup: LocalServer) -> None:
    cup.do('tournament create bob secret-bob star "SPRING CUP" -size=3')
    refused = cup.refusal('tournament join "Spring Cup" alice secret-alice')
    cup.do("tournament cancel 2 bob secret-bob")
    enter(cup, "alice")

    assert (refused.code, refused.advice) == ("ambiguous-name", "Give its number: 2, 1.")
    assert cup.code("tournament join Autumn alice secret-alice") == "no-such-tournament"


@pytest.mark.parametrize(
    ("date", "code"), [("2027-01-15", "start-in-the-past"), ("2027-02-30", "bad-date")]
)
def test_a_date_is_a_day_to_come(cup: LocalServer, date: str, code: str) -> None:
    line = f"tournament create olga secret-olga star Cup -start={date}"

    assert cup.code(line) == code


def test_a_day_has_begun_from_its_first_moment_on_in_utc(local: LocalServer) -> None:
    local.sign_up("olga")
    local.clock.seconds = MIDNIGHT
    line = 'tournament create olga secret-olga star "Cup" -size=3 -start=2027-01-17'

    assert "start-in-the-past" == local.code(line)
    local.clock.seconds -= 1
    assert MIDNIGHT == local.json(line)["starts"]
