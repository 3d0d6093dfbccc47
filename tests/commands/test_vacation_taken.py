"""Vacation taken by itself: where it can be declined, and where none is taken."""

from typing import Any

import pytest

from pbmserv.cli.shell_commands import SHELL, shell_families
from pbmserv.club.letter import LetterKind
from pbmserv.commands.command_table import root
from pbmserv.desk.tick import tick
from tests.local_server import LocalServer

from .passing_days import letters, live, pass_days, with_letters

AUTO_OFF = "No days are taken for you when your time runs out. Days left this year: 30."


@pytest.fixture
def club(local: LocalServer) -> LocalServer:
    """Players with an address each, and a robot that nobody lets move."""
    with_letters(local, "alice", "bob", "carol")
    local.desk.tree = root(SHELL, shell_families())
    local.do("admin robot add slow7 -level=14 -games=star,y")
    tick(local.desk)
    return local


def warnings(club: LocalServer, userid: str) -> list[str]:
    return [text for text in letters(club, userid, LetterKind.REMINDER) if "Then" in text]


def ended(shown: dict[str, Any]) -> tuple[object, object]:
    return shown["status"], shown["reason"]


@pytest.mark.costly
@pytest.mark.parametrize(("game", "cells"), [("star", ("D5", "E5")), ("y", ("N4", "O4"))])
def test_who_declined_loses_without_a_day_taken_and_is_warned_of_that(
    club: LocalServer, game: str, cells: tuple[str, str]
) -> None:
    club.do(f"{game} challenge alice bob")
    club.do(f"{game} challenge carol bob")
    for board, userid in ((101, "alice"), (102, "carol")):
        for mover, cell in zip((userid, "bob"), cells, strict=True):
            club.do(f"{game} move {board} {mover} secret-{mover} {cell}")
    assert AUTO_OFF in club.text("vacation alice secret-alice -auto=off")
    live(club, 23)
    shown = {board: club.json(f"{game} show {board}") for board in (101, 102)}

    assert ended(shown[101]) == ("won", "forfeit")
    assert ended(shown[102]) == ("running", None)
    assert "Then the game is forfeited." in warnings(club, "alice")[-1]
    assert "Then days of your vacation are used" in warnings(club, "carol")[-1]
    told = [text for text in letters(club, "bob") if "forfeited to you" in text]
    assert ["Then the game will be" in text for text in told] == [True, False]
    assert club.json("account alice secret-alice")["vacation"]["left"] == 30
    assert club.json("account carol secret-carol")["vacation"]["left"] < 30


def test_the_wish_is_told_and_taken_back_and_leaves_the_rest_alone(club: LocalServer) -> None:
    club.do("digest alice secret-alice on")
    off = club.json("vacation alice secret-alice 3 -auto=OFF")
    club.do("broadcast alice secret-alice off")
    shown, told = club.json("account alice secret-alice"), club.text("account alice secret-alice")
    until = off["until"]
    on = club.json("vacation alice secret-alice -auto=on")

    assert (off["auto"], off["days_left"], until is None) == (False, 27, False)
    assert shown["vacation"] == {"left": 27, "days": 30, "until": until, "auto": False}
    assert (shown["digest"], shown["broadcast"]) == (True, False)
    assert "UTC; no automatic vacation" in told
    assert (on["auto"], on["days_left"], on["until"]) == (True, 27, until)
    assert "no automatic" not in club.text("account alice secret-alice")
    assert club.json("account bob secret-bob")["vacation"]["auto"]
    exported = club.json("account export alice secret-alice")["tables"]["preference"]
    assert [row["keeps_vacation"] for row in exported] == [0]


@pytest.mark.parametrize(
    ("words", "code"),
    [("", "missing-word"), ("-auto=never", "bad-switch"), ("31", "no-vacation-left")],
)
def test_what_is_refused_changes_nothing(club: LocalServer, words: str, code: str) -> None:
    assert club.code(f"vacation alice secret-alice {words}") == code
    assert club.json("account alice secret-alice")["vacation"]["auto"]


def test_a_refused_vacation_leaves_the_wish_as_it_was(club: LocalServer) -> None:
    assert club.code("vacation alice secret-alice 31 -auto=off") == "no-vacation-left"
    assert club.json("account alice secret-alice")["vacation"]["auto"]


@pytest.mark.costly
def test_against_a_robot_no_day_is_taken_and_against_people_one_is(club: LocalServer) -> None:
    club.do("star challenge alice slow7 -size=3")
    club.do("star challenge alice bob -size=3")
    live(club, 23)
    robot, person = club.show(101), club.show(102)

    assert robot["status"] == "removed"
    assert ended(person) == ("running", None)


@pytest.mark.costly
def test_a_tournament_without_vacation_says_so_and_takes_none(club: LocalServer) -> None:
    made = club.json('tournament create alice secret-alice star "Cup" -size=3 -novacation -both')
    for userid in ("alice", "bob"):
        club.do(f"tournament join 1 {userid} secret-{userid}")
    club.do("tournament start 1 alice secret-alice")
    club.do("star challenge alice bob -size=3")
    terms, shown = club.text("tournament show 1"), club.text("star show 101")

    assert (made["limits"], made["vacation"]) == ("7/21", False)
    assert "time 7/21, no automatic vacation, organised by alice" in terms
    assert "forfeit after 21, no automatic vacation." in shown
    assert [club.show(board)["time"]["vacation"] for board in (101, 103)] == [False, True]
    assert "no automatic vacation" not in club.text("star show 103")
    club.play(101, "C1 C2")
    club.move(101, "alice", "resign")
    again = club.json("star rematch 101 alice secret-alice")["board"]
    assert club.show(again)["time"]["vacation"]
    live(club, 23)
    assert [club.show(board)["status"] for board in (102, 103)] == ["removed", "running"]


def test_a_vacation_of_ones_own_stops_the_clock_of_such_a_tournament(club: LocalServer) -> None:
    club.do('tournament create alice secret-alice star "Cup" -limits=7/21/90 -novacation')
    for userid in ("alice", "bob"):
        club.do(f"tournament join Cup {userid} secret-{userid}")
    club.do("tournament start Cup alice secret-alice")
    mover = club.show(101)["players"]["X"]
    before = club.show(101)["deadline"]
    club.do(f"vacation {mover} secret-{mover} 10")

    assert "time 7/21/90, no automatic vacation" in club.text("tournament show Cup")
    assert club.show(101)["deadline"] == before + 10 * 86_400


def test_an_opponent_on_vacation_does_not_count_for_a_limit(club: LocalServer) -> None:
    club.do("star limit alice secret-alice 2")
    club.do("star challenge alice bob")
    club.do("star challenge carol alice")
    full = club.refusal("star challenge alice bob")
    club.do("vacation carol secret-carol 5")
    club.do("vacation alice secret-alice 5")
    running = [row["running"] for row in club.json("account alice secret-alice")["games"]]

    assert full.message == "alice wants at most 2 running boards of Star and has 2."
    assert sum(running) == 2
    assert club.json("star challenge alice bob")["board"] == 103
    assert club.code("star challenge alice bob") == "challenge-refused"
    club.do("vacation bob secret-bob 2")
    assert club.json("star challenge alice bob")["board"] == 104
    pass_days(club, 2)
    assert club.refusal("star challenge bob alice").message == (
        "alice wants at most 2 running boards of Star and has 3."
    )


def test_a_board_against_oneself_counts_also_on_vacation(club: LocalServer) -> None:
    club.do("star limit alice secret-alice 1")
    club.do("star challenge alice alice")
    club.do("vacation alice secret-alice 5")

    assert club.code("star challenge alice bob") == "challenge-refused"


@pytest.mark.parametrize("stays_wants", [None, "on"])
def test_a_merge_keeps_the_wish_of_whoever_stays_or_else_the_other_one(
    club: LocalServer, stays_wants: str | None
) -> None:
    club.do("vacation alice secret-alice -auto=off")
    if stays_wants:
        club.do(f"vacation carol secret-carol -auto={stays_wants}")
    club.do("admin merge alice carol")

    assert club.json("account carol secret-carol")["vacation"]["auto"] == bool(stays_wants)


def test_with_the_account_its_wish_is_erased(club: LocalServer) -> None:
    club.do("vacation alice secret-alice -auto=off")
    club.do("signoff alice secret-alice -erase")

    assert club.tables()["preference"] == []
