"""Games from their records: whose they are, when they were, and what they never count for."""

import pytest

from tests.databases import ONE_DATABASE, made_once
from tests.local_server import DAY, NOW, LocalServer

pytestmark = ONE_DATABASE

RECORD = """pbmserv record 2
game: star(size=3)
first: {first}
second: {second}
{more}result: {result}

  1. C1
  2. C2
  3. B3
"""


@pytest.fixture
@made_once
def club(local: LocalServer) -> LocalServer:
    local.sign_up("alice", "bob")
    return local


def record(
    first: str = "alice",
    second: str = "carl",
    more: str = "",
    result: str = "alice wins as X by resignation",
) -> str:
    return RECORD.format(first=first, second=second, more=more, result=result)


def when(club: LocalServer, board: int) -> tuple[int, int]:
    with club.desk.store.reading() as records:
        match = records.matches.find("star", board)
    assert match is not None
    assert (True, False) == (match.is_imported, match.is_rated)
    return match.started_at, match.changed_at


def test_a_game_of_a_member_is_signed_by_one_of_its_players(club: LocalServer) -> None:
    assert "not-your-game" == club.code("star import bob secret-bob", record())
    assert "not-your-game" == club.code("star import", record())
    assert 101 == club.json("star import alice secret-alice", record())["board"]
    assert (
        102
        == club.json(
            "star import bob secret-bob", record("bob", "carl", "", "bob wins as X by resignation")
        )["board"]
    )
    assert ["alice", "bob", "carl"] == sorted(club.userids())


def test_who_is_known_by_games_alone_needs_nobody_to_sign_and_can_still_sign_up(
    club: LocalServer,
) -> None:
    text = record("anna", "carl", "", "anna wins as X by resignation")
    assert 101 == club.json("star import", text)["board"]
    club.sign_up("anna")
    assert "not-your-game" == club.code("star import", text)


@pytest.mark.parametrize(
    ("more", "started", "finished"),
    [
        ("", 0, 0),
        ("started: 2027-01-10T08:00:00Z\nfinished: 2027-01-12T08:00:00Z\n", -5, -3),
        ("finished: 2027-01-12T08:00:00Z\n", -3, -3),
        ("started: 2027-01-10T08:00:00Z\n", -5, 0),
        ("started: 2027-01-14T08:00:00Z\nfinished: 2027-01-12T08:00:00Z\n", -3, -3),
    ],
)
def test_a_game_began_before_it_ended(
    club: LocalServer, more: str, started: int, finished: int
) -> None:
    board = club.json("star import alice secret-alice", record(more=more))["board"]

    assert (NOW + started * DAY, NOW + finished * DAY) == when(club, board)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (record(more="finished: 2027-01-15T09:00:00Z\n"), "bad-record"),
        (record(result="running"), "not-finished"),
        (record().replace("star(size=3)", "hex(size=4)"), "wrong-game"),
        (record("9x", result="9x wins as X by resignation"), "foreign-names"),
        (record("me", result="me wins as X by resignation"), "userid"),
        (record() + record(more="finished: 2027-01-15T09:00:00Z\n"), "bad-record"),
    ],
)
def test_what_is_no_finished_game_of_this_kind_leaves_nothing(
    club: LocalServer, text: str, code: str
) -> None:
    assert code in club.code("star import alice secret-alice", text)


def test_an_imported_game_rates_nobody_and_begins_no_clock(club: LocalServer) -> None:
    club.do("star import alice secret-alice", record(second="bob"))

    assert [] == club.json("star standings")["standings"]
    assert [] == club.tables()["clock"]
    assert club.show(101)["deadline"] is None
