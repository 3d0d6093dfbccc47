from pbmserv.engine.games.hex import Hex
from pbmserv.engine.position import Position, Side
from pbmserv.engine.score import Outcome, Reason


def test_each_side_joins_its_own_two_sides() -> None:
    game = Hex(3)
    down = game.position_of({Side.X: ["B1", "B2", "A3"]})
    across = game.position_of({Side.O: ["A2", "B2", "C1"]})

    assert Outcome(Side.X, Reason.CONNECTION) == game.decided(down)
    assert Outcome(Side.O, Reason.CONNECTION) == game.decided(across)


def test_the_sides_of_the_opponent_count_for_nothing() -> None:
    game = Hex(3)
    across = game.position_of({Side.X: ["A2", "B2", "C1"]})
    score = game.score(across)

    assert game.decided(across) is None
    assert (score.winner, score.is_undecided, score.is_draw) == (None, True, False)
    assert score.details["chains"]["X"] == [{"cells": ["C1", "A2", "B2"], "sides": ["top"]}]


def test_a_half_turn_keeps_the_score_and_a_reflection_gives_the_sides_away() -> None:
    game = Hex(4)
    half_turn, *reflections = game.board.symmetries
    column = game.position_of({Side.X: ["B1", "B2", "B3", "B4"]})
    winners = []
    for images in (half_turn, *reflections):
        turned = bytearray(len(column.stones))
        for cell, image in enumerate(images):
            turned[image] = column.stones[cell]
        winners.append(game.score(Position(bytes(turned))).winner)

    assert [Side.X, None, None] == winners


def test_the_seats_are_exchanged_and_the_stone_stays_with_its_sides() -> None:
    game = Hex(3)
    position = game.replay(["B1", "swap", "A1", "B2", "A2", "B3"])
    outcome = game.outcome(position)

    assert Outcome(Side.X, Reason.CONNECTION) == outcome


def test_corners_have_two_or_three_neighbours() -> None:
    board = Hex().board
    degrees = {
        name: len(board.neighbours[board.index[name]]) for name in ("A1", "K1", "A11", "K11")
    }

    assert {"A1": 2, "K1": 3, "A11": 3, "K11": 2} == degrees


def test_two_passes_are_a_draw() -> None:
    game = Hex(3)
    position = game.replay(["B2", "pass", "pass"])

    assert Outcome(None, Reason.TWO_PASSES) == game.outcome(position)
