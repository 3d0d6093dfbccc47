"""The alarm for the operator where nobody settles the clocks, and what a tick does of itself."""

import pytest

from pbmserv.club.letter import LetterKind
from pbmserv.desk.tick import LATEST_TICK, late_since, tell_operator, tick
from pbmserv.store.tables import metadata
from tests.commands.passing_days import HOUR, letters, live, pass_days, with_letters
from tests.databases import ONE_DATABASE, made_once
from tests.local_server import DAY, NOW, LocalServer

pytestmark = ONE_DATABASE

OPERATOR = "operator@example.org"


@pytest.fixture
@made_once
def club(local: LocalServer) -> LocalServer:
    """Alice (X) and bob at two boards; they and carol have addresses; a tick has just been."""
    with_letters(local, "alice", "bob", "carol")
    for _ in range(2):
        local.do("star challenge -size=3 alice bob")
    tick(local.desk)
    return local


@pytest.fixture(autouse=True)
def opened(local: LocalServer) -> None:
    """Have what the fixture said of the door hold in a copy of its database too."""
    local.desk.vacation_days = lambda: 0
    local.desk.writes_letters = lambda: True


def since(club: LocalServer) -> int | None:
    with club.desk.store.reading() as records:
        return late_since(records, club.clock.now())


def told(club: LocalServer) -> int:
    """Have the operator told, and return how many letters they have had."""
    tell_operator(club.desk.store, OPERATOR, club.clock.now())
    return len(letters(club, "operator"))


def test_clocks_are_late_after_a_day_and_an_hour_not_before(club: LocalServer) -> None:
    club.clock.seconds = NOW + LATEST_TICK
    assert since(club) is None
    club.clock.seconds += 1
    assert NOW == since(club)
    tick(club.desk)
    assert since(club) is None


def test_where_there_was_never_a_tick_they_are_late_since_the_first_board(
    local: LocalServer,
) -> None:
    local.start()
    pass_days(local, 1)
    assert since(local) is None
    pass_days(local, 1)
    assert NOW == since(local)


def test_nobody_misses_a_tick_where_no_clock_runs_or_all_stand_still(club: LocalServer) -> None:
    pass_days(club, 2)
    with club.desk.store.writing() as records:
        records.maintenance.begin(club.clock.now())
    assert since(club) is None
    assert 0 == told(club)
    with club.desk.store.writing(for_operators=True) as records:
        records.maintenance.end()
    assert NOW == since(club)
    for board in (101, 102):
        club.move(board, "alice", "resign")
    assert since(club) is None
    assert 0 == told(club)


def test_the_operator_has_one_letter_a_day_and_it_says_what_to_do(club: LocalServer) -> None:
    assert 0 == told(club)
    pass_days(club, 2)
    assert [1, 1] == [told(club), told(club)]
    (text,) = letters(club, "operator", LetterKind.OPERATOR)
    assert "run pbmserv tick every hour" in " ".join(text.split())
    assert "2027-01-15 08:00 UTC" in text
    pass_days(club, 1)
    assert 2 == told(club)
    tell_operator(club.desk.store, None, club.clock.now() + 9 * DAY)
    assert [2, 0, 0] == [len(letters(club, u)) for u in ("operator", "nobody", "none")]


def test_what_else_the_operator_is_told_leaves_the_alarm_its_letter(club: LocalServer) -> None:
    from pbmserv.store.mail.budgets import Purpose, Requester, max_letters

    pass_days(club, 2)
    with club.desk.store.writing() as records:
        for _ in range(max_letters(Purpose.OPERATOR) + 1):
            records.budgets.allow(Purpose.OPERATOR, Requester("other"), club.clock.now())
    assert 1 == told(club)


# Ticks


def count(club: LocalServer, table: str) -> int:
    assert table in metadata.tables
    return len(club.tables(but=())[table])


def test_a_digest_comes_once_a_day_while_a_board_waits_and_to_who_asked_alone(
    club: LocalServer,
) -> None:
    for userid in ("alice", "bob", "carol"):
        club.do(f"digest {userid} secret-{userid} on")
    report = tick(club.desk)

    assert 1 == report.digests
    assert [1, 0, 0] == digests(club)
    assert 0 == tick(club.desk).digests
    pass_days(club, 1)
    assert 1 == tick(club.desk).digests
    club.move(101, "alice", "C1")
    club.move(102, "alice", "C1")
    pass_days(club, 1)
    tick(club.desk)
    assert [2, 1, 0] == digests(club)
    club.do("digest bob secret-bob off")
    pass_days(club, 1)
    assert 0 == tick(club.desk).digests


def digests(club: LocalServer) -> list[int]:
    return [len(letters(club, userid, LetterKind.DIGEST)) for userid in ("alice", "bob", "carol")]


def test_where_no_mail_leaves_a_tick_writes_none(club: LocalServer) -> None:
    club.do("digest alice secret-alice on")
    club.desk.writes_letters = lambda: False
    before = count(club, "outbox")

    report = tick(club.desk)
    assert (0, 0) == (report.digests, report.newcomers)
    assert before == count(club, "outbox")


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("chunk", [1, 2, 3])
def test_every_board_that_is_due_is_settled_however_many_are_listed_at_once(
    club: LocalServer, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    from pbmserv.desk import tick as ticking

    monkeypatch.setattr(ticking, "CHUNK", chunk)
    for _ in range(3):
        club.do("star challenge -size=3 alice bob")
    pass_days(club, 1)
    tick(club.desk)
    pass_days(club, 6)
    report = tick(club.desk)

    assert 5 == report.due
    assert 5 == report.events.total()
    assert [] == report.problems
    assert 0 == tick(club.desk).due


def test_a_board_that_cannot_be_settled_holds_up_no_other_and_is_named(club: LocalServer) -> None:
    club.damage("UPDATE clock SET clock = 'nonsense' WHERE match_id = 1")
    pass_days(club, 1)
    tick(club.desk)
    pass_days(club, 6)
    report = tick(club.desk)

    assert (2, 1) == (report.due, report.events.total())
    assert ["star 101"] == [problem.partition(":")[0] for problem in report.problems]


def test_after_a_sleep_a_tick_wakes_the_clocks_before_it_settles_them(club: LocalServer) -> None:
    pass_days(club, 40)
    tick(club.desk)

    assert ["running", "running"] == [club.show(board)["status"] for board in (101, 102)]
    live(club, 4)
    assert ["removed", "removed"] == [club.show(board)["status"] for board in (101, 102)]


def test_what_a_date_begins_stands_in_the_audit(club: LocalServer) -> None:
    club.do('tournament create carol secret-carol star "Cup" -size=3 -start=2027-01-17')
    for userid in ("alice", "bob"):
        club.do(f"tournament join 1 {userid} secret-{userid}")
    pass_days(club, 1)
    tick(club.desk)
    assert ("tournament start", "done") not in club.audit()
    pass_days(club, 1)
    tick(club.desk)
    tick(club.desk)
    assert 1 == club.audit().count(("tournament start", "done"))
    assert "running" == club.json("tournament show 1")["status"]


@pytest.mark.parametrize("hours", [0, 1, 24])
def test_a_second_tick_at_the_same_moment_does_nothing(club: LocalServer, hours: int) -> None:
    club.clock.seconds += hours * HOUR
    tick(club.desk)
    notes = ("audit", "throttle", "moment")
    before = club.tables(but=notes)
    again = tick(club.desk)

    assert (0, 0, 0, 0) == (again.due, again.events.total(), again.digests, again.newcomers)
    assert before == club.tables(but=notes)
