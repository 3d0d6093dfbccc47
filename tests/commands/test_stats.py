"""Figures: counted by the database as the matches count them one by one."""

import random

import pytest

from pbmserv.club.statistics import PlayerStatistics, Statistics
from pbmserv.engine.spec import format_game
from tests.club.counted_by_hand import of_match, of_player
from tests.databases import made_once
from tests.local_server import LocalServer


@pytest.fixture
@made_once
def club(local: LocalServer) -> LocalServer:
    """101 a win of X, 102 of O after a swap, 103 drawn, 104 running, 105 removed, 106 size 4."""
    for _ in range(5):
        local.start()
    local.play(101, "C1 C2")
    local.move(101, "bob", "resign")
    local.play(102, "C2 swap B3")
    local.move(102, "bob", "resign")
    local.play(103, "pass pass")
    local.play(104, "C1")
    local.move(105, "bob", "resign")
    local.start("-size=4")
    local.play(106, "D2 D3")
    local.move(106, "alice", "resign")
    return local


def test_figures_of_the_club(club: LocalServer) -> None:
    found = club.json("stats")
    (star,) = found["games"]

    assert (found["players"], found["boards"]) == (
        2,
        {"running": 1, "finished": 4, "removed": 1},
    )
    assert {name: star[name] for name in ("game", "games", "plain", "swapped", "average")} == {
        "game": "star",
        "games": 4,
        "plain": {"X": 1, "O": 1, "drawn": 1},
        "swapped": {"X": 0, "O": 1, "drawn": 0},
        "average": 2.25,
    }


def test_figures_of_a_game_tell_its_boards_apart(club: LocalServer) -> None:
    small, large = club.json("stats STAR")["games"][0]["variants"]

    assert (small["options"]["size"], small["games"], small["first_moves"]) == (
        3,
        3,
        {"C1": 1, "C2": 1, "pass": 1},
    )
    assert (large["options"]["size"], large["games"], large["first_moves"]) == (4, 1, {"D2": 1})


@pytest.mark.parametrize("userid", ["alice", "bob"])
def test_the_table_of_a_player_says_what_the_document_does(club: LocalServer, userid: str) -> None:
    club.play(club.start(x="bob", o="alice"), "C1 C2")
    club.move(107, "alice", "resign")
    (star,) = club.json(f"stats {userid}")["games"]
    (row,) = [row for row in club.text(f"stats {userid}").split("\n") if row.startswith("star ")]
    figures = [star["sides"]["X"], star["sides"]["O"], star["swapped"]]
    lines = ["-".join(str(each[name]) for name in ("won", "lost", "drawn")) for each in figures]

    assert len({*lines}) == 3, "or which stands where would not be seen"
    assert row.split()[5:8] == lines


def test_first_moves_are_drawn(club: LocalServer) -> None:
    club.start()
    club.play(107, "C1 C2")
    club.move(107, "alice", "resign")
    text = club.text("stats")

    assert "First moves in Star (size 3)" in text
    assert "1-   9 ." in text
    assert "2-   . 4 ." in text
    assert "Other first moves: pass 1" in text
    assert "(size 4)" not in text
    assert "First moves in Star (size 4)" in club.text("stats star")


def test_a_board_from_a_position_says_nothing_of_first_moves(club: LocalServer) -> None:
    before = club.json("stats star")["games"][0]["variants"][0]
    club.do("star challenge alice bob -from=101#2")
    club.play(107, "B3 A3")
    club.move(107, "alice", "resign")
    after = club.json("stats star")["games"][0]["variants"][0]

    assert after["first_moves"] == before["first_moves"]
    assert after["games"] == before["games"] + 1


def test_figures_of_a_player(club: LocalServer) -> None:
    (star,) = club.json("stats alice")["games"]

    assert star == {
        "game": "star",
        "games": 4,
        "all": {"won": 2, "lost": 1, "drawn": 1},
        "swapped": {"won": 1, "lost": 0, "drawn": 0},
        "sides": {
            "X": {"won": 1, "lost": 1, "drawn": 1},
            "O": {"won": 1, "lost": 0, "drawn": 0},
        },
        "average": 2.25,
    }
    assert "1-0-0" in club.text("stats alice")


def test_games_against_oneself_count_for_the_club_only(club: LocalServer) -> None:
    club.start(x="alice", o="alice")
    club.play(107, "C1 swap C2 pass pass")
    (star,) = club.json("stats")["games"]
    (hers,) = club.json("stats alice")["games"]

    assert (star["games"], star["swapped"]["X"] + star["swapped"]["O"]) == (5, 2)
    assert hers["games"] == 4


def test_an_empty_club(local: LocalServer) -> None:
    local.sign_up("alice")

    assert local.json("stats")["games"] == []
    assert local.json("stats alice")["games"] == []
    assert local.json("stats y")["games"] == []
    assert "No finished games yet." in local.text("stats")


def test_what_nobody_is_called_has_no_figures(local: LocalServer) -> None:
    assert local.code("stats nobody") == "no-such-player"
    assert local.code("stats alice bob") == "surplus-word"


@pytest.mark.costly
def test_the_database_counts_as_the_matches_do(local: LocalServer) -> None:
    rng = random.Random(8)
    local.sign_up("alice", "bob", "carol")
    for _ in range(25):
        x, o = rng.choice("abc"), rng.choice("abc")
        names = {"a": "alice", "b": "bob", "c": "carol"}
        number = local.start(f"-size={rng.choice([3, 4])}", names[x], names[o])
        opening = rng.choice(["C2 C3", "C2 swap", "C3 swap B3", "pass pass", "C3"])
        over = local.play(number, opening)["status"] != "running"
        if not over and rng.random() < 0.8:
            local.move(number, names[rng.choice([x, o])], "resign")
    with local.desk.store.reading() as records:
        matches = [records.matches.get(number) for number in records.matches.ids()]
        players = records.lists.players().rows
        found = records.figures.of_club()
        hers = {p.id: records.figures.of_player(p.id) for p in players}
    expected: dict[str, Statistics] = {}
    for match in matches:
        assert match is not None
        if of_match(match).games:
            spec = format_game(match.game)
            expected[spec] = expected.get(spec, Statistics()) + of_match(match)

    assert found == expected
    for player in players:
        added = [of_player(match, player.id) for match in matches if match is not None]

        assert sum(added, PlayerStatistics()) == (
            hers[player.id]["star"].all if hers[player.id] else PlayerStatistics()
        )
