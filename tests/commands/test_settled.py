"""What can still become of a game wherever its score is shown, and told once when settled."""

import pytest

from pbmserv.engine.spec import parse_game
from tests.databases import made_once
from tests.engine.sample_games import random_game
from tests.local_server import LocalServer

BEFORE = "C1 C2 D1 B3 D2 C3 D3 B4"
WON = {"low": 3, "high": 13, "winner": "X"}
"""What C4 by X makes of the board after these moves."""

SENTENCE = "X wins by 3 to 13, whatever is played."
ADVICE = "You can both pass, or agree on it."


@pytest.fixture
@made_once
def club(local: LocalServer) -> LocalServer:
    """Star board 101 before the stone that settles it; alice (X) is to move."""
    local.start("-size=3")
    local.play(101, BEFORE)
    return local


def test_whoever_looks_is_told_what_the_margin_can_become(club: LocalServer) -> None:
    before = club.text("star show 101")
    club.move(101, "alice", "C4")

    assert "\nStill open: any margin from X by 13 to O by 1.\n" in before
    for line in ("star show 101", "star score 101", "star score 101#9 -explain"):
        assert f"\n{SENTENCE}\n" in club.text(line)
    assert club.show(101)["settled"] == club.json("star score 101")["settled"] == WON
    assert club.show("101#8")["settled"] == {"low": -1, "high": 13, "winner": None}


def test_a_preview_tells_what_a_move_would_settle(club: LocalServer) -> None:
    assert f"\n{SENTENCE}\n" in club.text("star preview 101 C4")
    assert club.json("star preview 101 C4")["settled"] == WON
    assert club.json("star preview new -size=3")["settled"]["winner"] is None


def test_a_typed_position_has_its_bounds(local: LocalServer) -> None:
    found = local.json('star score new -size=3 -x="C1 D1 D2 D3 C4" -o="C2 B3 C3 B4"')

    assert found["settled"] == WON


def test_the_players_are_told_once_that_a_game_is_settled(club: LocalServer) -> None:
    settling = club.do("star move 101 alice secret-alice C4")
    told = str(settling.blocks[0])
    later = [club.text(f"star move 101 {who} secret-{who} {move}") for who, move in NEXT]

    assert told == f"alice plays C4.\nThe result is certain now. {SENTENCE}\n{ADVICE}"
    assert all(ADVICE not in text for text in later)
    assert club.show(101)["status"] == "running"


NEXT = [("bob", "A3"), ("alice", "pass")]


def test_a_taken_back_move_unsettles_it(club: LocalServer) -> None:
    club.move(101, "alice", "C4")
    club.move(101, "alice", "undo")
    club.move(101, "bob", "accept")

    assert club.show(101)["settled"]["winner"] is None
    assert ADVICE in club.text("star move 101 alice secret-alice C4")


def test_planned_moves_may_settle_it(local: LocalServer) -> None:
    local.start("-size=3")
    local.play(101, BEFORE.rsplit(" ", 1)[0])
    local.do("star queue 101 alice secret-alice C4")
    text = local.text("star move 101 bob secret-bob B4")

    assert text.count(ADVICE) == 1


@pytest.mark.parametrize("last", ["resign", "pass"])
def test_nothing_is_open_after_the_end(club: LocalServer, last: str) -> None:
    club.move(101, "alice", "C4")
    club.move(101, "bob", last)
    if last == "pass":
        club.move(101, "alice", last)

    assert club.show(101)["settled"] is None
    assert club.json("star score 101")["settled"] is None
    assert "whatever is played" not in club.text("star show 101")


@pytest.mark.parametrize("name", ["hex", "y", "polyy"])
def test_where_only_a_winner_counts_it_is_open_until_the_end(local: LocalServer, name: str) -> None:
    local.game = name
    local.start("-size=3")
    moves = [move.text for move, _ in random_game(parse_game(f"{name}(size=3)"), 3) if move]
    open_until_then = {"low": -1, "high": 1, "winner": None}
    seen = [
        local.json(f"{name} preview new -size=3 {' '.join(moves[:n])}")
        for n in range(len(moves) + 1)
    ]
    bounds = [shown["settled"] for shown in seen]

    assert bounds[: len(moves)] == [open_until_then] * len(moves)
    assert bounds[len(moves)] is None
    assert "\nNobody has won yet.\nMove 1: alice (X) to move." in local.text(f"{name} show 101")
