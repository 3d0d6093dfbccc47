"""The lists of operators: each page is a part of the whole, and every wish leaves others out."""

from collections.abc import Callable
from typing import Any

import pytest

from pbmserv.club.letter import Letter, LetterKind
from pbmserv.store.mail.inbox import Arrival
from pbmserv.store.operator_lists import Filter, Lists, Page
from tests.local_server import DAY, NOW, LocalServer

ADDRESS = "a@x.example"


@pytest.fixture
def club(local: LocalServer) -> LocalServer:
    """Boards of two games in every state, some changed on days of their own, and mail."""
    for _ in range(6):
        local.start()
    local.start(o="carol")
    local.play(102, "pass pass")
    for number, who, moves in (
        *((103, "alice", "C1 C2"), (106, "bob", "C1 C2")),
        *((104, "bob", ""), (105, "bob", "")),
    ):
        local.clock.seconds += DAY
        local.play(number, moves)
        local.move(number, who, "resign")
    local.game = "hex"
    local.start()
    with local.desk.store.writing() as records:
        for number in range(4):
            player_id, at = 1 + number % 2, NOW + number
            board = records.matches.identity("star" if number < 3 else "hex", 101)
            words = ("Board", f"{number}")
            letter = Letter(LetterKind.BOARD, ADDRESS, *words, player_id=player_id, match_id=board)
            records.outbox.post([letter], at)
            outcome = "done" if number else "no-subject"
            records.inbox.take(Arrival(player_id, f"{number}", ADDRESS, at, "pipe", outcome))
        records.outbox.drop(2, NOW)
    return local


def boards(page: Page[Any]) -> list[str]:
    return [f"{row.game} {row.number}" for row in page.rows]


LISTS: tuple[Callable[[Lists, Filter], Page[Any]], ...] = (
    Lists.matches,
    Lists.players,
    Lists.audit,
    Lists.arrivals,
    Lists.letters,
)


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("listed", LISTS, ids=lambda listed: listed.__name__)
def test_a_page_is_a_part_of_the_whole(
    club: LocalServer, listed: Callable[[Lists, Filter], Page[Any]]
) -> None:
    with club.desk.store.reading() as records:
        whole = listed(records.lists, Filter())
        for offset in range(len(whole.rows) + 2):
            for limit in (None, 1, 2, 9):
                page = listed(records.lists, Filter(limit=limit, offset=offset))
                end = None if limit is None else offset + limit

                assert (page.rows, page.total) == (whole.rows[offset:end], len(whole.rows))


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(
    ("wanted", "listed"),
    [
        (Filter(), "hex 101, star 101, star 107, star 106, star 103, star 102"),
        (Filter(game="hex"), "hex 101"),
        (Filter(player_id=3), "star 107"),
        (Filter(player_id=2), "hex 101, star 101, star 106, star 103, star 102"),
        (Filter(status="running"), "hex 101, star 101, star 107"),
        (Filter(status="won"), "star 106, star 103"),
        (Filter(status="drawn"), "star 102"),
        (Filter(status="removed"), "star 105, star 104"),
        (Filter(status="removed", player_id=3), ""),
        (Filter(since=NOW + 2 * DAY), "hex 101, star 106"),
        (Filter(since=NOW + 2 * DAY + 1), "hex 101"),
        (Filter(since=NOW + 4 * DAY, status="removed"), "star 105"),
        (Filter(status="won", game="hex"), ""),
        (Filter(status="won", player_id=1, since=NOW + 2 * DAY), "star 106"),
    ],
)
def test_boards_are_those_that_were_wished_for(
    club: LocalServer, wanted: Filter, listed: str
) -> None:
    with club.desk.store.reading() as records:
        found = records.lists.matches(wanted)

    assert ", ".join(boards(found)) == listed
    assert found.total == len(found.rows)


def test_letters_and_mails_are_those_that_were_wished_for(club: LocalServer) -> None:
    with club.desk.store.reading() as records:
        letters, mails = (
            {
                name: [row.created_at - NOW for row in records.lists.letters(wanted).rows]
                for name, wanted in WISHES.items()
            },
            {
                name: [row.received_at - NOW for row in records.lists.arrivals(wanted).rows]
                for name, wanted in WISHES.items()
            },
        )

    assert letters == {
        "all": [3, 2, 1, 0],
        "of bob": [3, 1],
        "since": [3, 2],
        "dropped": [1],
        "done": [],
        "hex": [3],
    }
    assert mails == {
        "all": [3, 2, 1, 0],
        "of bob": [3, 1],
        "since": [3, 2],
        "dropped": [],
        "done": [3, 2, 1],
        "hex": [3, 2, 1, 0],
    }


WISHES = {
    "all": Filter(),
    "of bob": Filter(player_id=2),
    "since": Filter(since=NOW + 2),
    "dropped": Filter(status="dropped"),
    "done": Filter(status="done"),
    "hex": Filter(game="hex"),
}


def test_of_the_audit_each_row_has_its_own_player_board_and_moment(club: LocalServer) -> None:
    with club.desk.store.reading() as records:
        lists = records.lists
        whole = lists.audit(Filter())
        of_hex = lists.audit(Filter(game="hex"))
        of_carol = lists.audit(Filter(player_id=3))
        refused = lists.audit(Filter(status="wrong-login"))
        last = lists.audit(Filter(since=whole.rows[0].at))

    assert {(row.game, row.number) for row in of_hex.rows} == {("hex", 101)}
    assert {row.userid for row in of_carol.rows} <= {"carol"}
    assert (refused.rows, refused.total) == ([], 0)
    assert last.rows == [row for row in whole.rows if row.at >= whole.rows[0].at]
    assert last.total == len(last.rows) < whole.total


def test_players_are_listed_by_what_they_are_and_play(club: LocalServer) -> None:
    with club.desk.store.writing() as records:
        carol = records.players.get(3)
        records.players.suspend(carol.id, NOW)
        found = {
            name: [player.userid for player in records.lists.players(wanted).rows]
            for name, wanted in {
                "all": Filter(),
                "hex": Filter(game="hex"),
                "suspended": Filter(status="suspended"),
                "active": Filter(status="active"),
                "one": Filter(player_id=3, status="suspended"),
                "nobody": Filter(player_id=1, status="suspended"),
            }.items()
        }

    assert found == {
        "all": ["alice", "bob", "carol"],
        "hex": ["alice", "bob"],
        "suspended": ["carol"],
        "active": ["alice", "bob"],
        "one": ["carol"],
        "nobody": [],
    }
