"""Moves that are shown before they are played."""

import pytest

from tests.local_server import LocalServer


def test_a_submitted_move_is_shown_and_not_played(local: LocalServer) -> None:
    local.start()
    before = local.show(101)
    answer = local.json("star submit 101 alice secret-alice c1")

    assert (answer["submitted"], answer["board"], answer["moves"]) == ("C1", None, ["C1"])
    assert local.show(101) == before


def test_a_submission_is_seen_by_its_owner_alone(local: LocalServer) -> None:
    local.start()
    local.do("star submit 101 alice secret-alice C1")
    hers = local.do("star showas alice secret-alice 101")
    his = local.do("star showas bob secret-bob 101")

    assert hers.document["submitted"] == {"101": "C1"}
    assert his.document["submitted"] == {}
    assert "C1" not in str(his.blocks)


def test_confirm_plays_the_submitted_move(local: LocalServer) -> None:
    local.start()
    local.do("star submit 101 alice secret-alice C1")
    local.do("star submit 101 alice secret-alice C2")
    after = local.json("star confirm 101 alice secret-alice")

    assert (after["moves"], after["board"]) == (["C2"], 101)
    assert local.code("star confirm 101 alice secret-alice") == "nothing-submitted"


@pytest.mark.parametrize("text", ["swap", "pass", "C1"])
def test_a_turn_of_any_kind_can_be_submitted(local: LocalServer, text: str) -> None:
    local.start()
    if text == "swap":
        local.play(101, "C1")
    userid = "bob" if text == "swap" else "alice"
    shown = local.json(f"star submit 101 {userid} secret-{userid} {text}")
    after = local.json(f"star confirm 101 {userid} secret-{userid}")

    assert shown["players"] == after["players"]
    assert after["moves"][-1] == text


@pytest.mark.parametrize("text", ["resign", "propose", "undo", "accept", "ZZ99"])
def test_only_a_turn_can_be_submitted(local: LocalServer, text: str) -> None:
    local.start()

    assert local.code(f"star submit 101 alice secret-alice {text}") == "invalid-move"


def test_a_move_made_otherwise_clears_the_submission(local: LocalServer) -> None:
    local.start()
    local.do("star submit 101 alice secret-alice C1")
    local.move(101, "alice", "C2")

    assert local.tables()["submission"] == []
