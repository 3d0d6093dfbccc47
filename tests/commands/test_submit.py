"""Moves that are shown before they are played."""

import pytest

from tests.house import House


def test_a_submitted_move_is_shown_and_not_played(house: House) -> None:
    house.start()
    before = house.show(101)
    answer = house.json("star submit 101 alice secret-alice c1")

    assert (answer["submitted"], answer["board"], answer["moves"]) == ("C1", None, ["C1"])
    assert house.show(101) == before


def test_a_submission_is_seen_by_its_owner_alone(house: House) -> None:
    house.start()
    house.do("star submit 101 alice secret-alice C1")
    hers = house.do("star showas alice secret-alice 101")
    his = house.do("star showas bob secret-bob 101")

    assert hers.document["submitted"] == {"101": "C1"}
    assert his.document["submitted"] == {}
    assert "C1" not in str(his.blocks)


def test_confirm_plays_the_submitted_move(house: House) -> None:
    house.start()
    house.do("star submit 101 alice secret-alice C1")
    house.do("star submit 101 alice secret-alice C2")
    after = house.json("star confirm 101 alice secret-alice")

    assert (after["moves"], after["board"]) == (["C2"], 101)
    assert house.code("star confirm 101 alice secret-alice") == "nothing-submitted"


def test_nothing_submitted_is_nothing_to_confirm(house: House) -> None:
    house.start()

    assert house.code("star confirm 101 alice secret-alice") == "nothing-submitted"


@pytest.mark.parametrize("text", ["swap", "pass", "C1"])
def test_a_turn_of_any_kind_can_be_submitted(house: House, text: str) -> None:
    house.start()
    if text == "swap":
        house.play(101, "C1")
    userid = "bob" if text == "swap" else "alice"
    shown = house.json(f"star submit 101 {userid} secret-{userid} {text}")
    after = house.json(f"star confirm 101 {userid} secret-{userid}")

    assert shown["players"] == after["players"]
    assert after["moves"][-1] == text


@pytest.mark.parametrize("text", ["resign", "propose", "undo", "accept", "ZZ99"])
def test_only_a_turn_can_be_submitted(house: House, text: str) -> None:
    house.start()

    assert house.code(f"star submit 101 alice secret-alice {text}") == "invalid-move"


def test_a_move_made_otherwise_clears_the_submission(house: House) -> None:
    house.start()
    house.do("star submit 101 alice secret-alice C1")
    house.move(101, "alice", "C2")

    assert house.tables()["submission"] == []
