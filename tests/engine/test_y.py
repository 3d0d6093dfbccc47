from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.engine.games.y import Y
from pbmserv.engine.position import Side
from pbmserv.engine.score import Reason

from .random_stones import full_boards


def test_rows_grow_by_a_cell_and_end_in_the_first_letters() -> None:
    names = Y(11).board.names

    assert names[0] == "K1"
    assert names[-11:] == tuple(f"{letter}11" for letter in "ABCDEFGHIJK")
    assert len(names) == 66


def test_a_chain_on_all_three_sides_wins_at_once() -> None:
    game = Y(4)
    before = game.replay(["D1", "D2", "C2", "D3", "B3", "D4"])
    after = game.play(before, game.parse_move("A4"))
    outcome = game.outcome(after)
    score = game.score(after)

    assert game.outcome(before) is None
    assert game.score(before).winner is None
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == (Side.X, Reason.CONNECTION)
    assert score.points == {Side.X: 1, Side.O: 0}
    assert score.details["chains"]["X"] == [
        {"cells": ["D1", "C2", "B3", "A4"], "sides": ["left", "right", "bottom"]}
    ]
    assert [(line.side.value, line.points, line.why) for line in score.sheet] == [
        ("X", 1, "touches 3 of 3 sides: left, right, bottom"),
        ("O", 0, "touches 2 of 3 sides: right, bottom"),
    ]


def test_a_corner_lies_on_two_sides_and_the_middle_on_none() -> None:
    game = Y(4)
    position = game.position_of({Side.X: ["D1"], Side.O: ["C3"]})
    score = game.score(position)

    assert score.details["chains"] == {
        "X": [{"cells": ["D1"], "sides": ["left", "right"]}],
        "O": [{"cells": ["C3"], "sides": []}],
    }


def test_two_passes_are_a_draw() -> None:
    game = Y(3)
    outcome = game.outcome(game.replay(["C1", "pass", "pass"]))

    assert outcome is not None
    assert (outcome.winner, outcome.reason) == (None, Reason.TWO_PASSES)


@given(data=st.data(), size=st.integers(3, 26))
def test_a_full_board_has_exactly_one_winner(data: st.DataObject, size: int) -> None:
    game = Y(size)
    score = game.score(data.draw(full_boards(game)))
    winners = [
        side
        for side in "XO"
        if any(len(chain["sides"]) == 3 for chain in score.details["chains"][side])
    ]

    assert [score.winner] == winners


@given(data=st.data(), size=st.integers(3, 12))
def test_a_typed_full_board_is_decided_for_its_winner(data: st.DataObject, size: int) -> None:
    game = Y(size)
    position = data.draw(full_boards(game))
    decision = game.decided(position)

    assert decision is not None
    assert decision.winner is not None
    assert game.score(position).winner is decision.winner


@pytest.mark.parametrize("size", [3, 5, 9, 17])
def test_what_moves_track_is_what_the_board_shows(size: int) -> None:
    game = Y(size)
    for seed in range(10):
        names = list(game.board.names)
        Random(seed).shuffle(names)
        position = game.start()
        for name in names:
            if game.is_over(position):
                break

            assert game.score(position).winner is None
            position = game.play(position, game.parse_move(name))
        outcome = game.outcome(position)

        assert outcome is not None
        assert outcome.winner is position.to_move.other
        assert game.score(position).winner is position.to_move.other
