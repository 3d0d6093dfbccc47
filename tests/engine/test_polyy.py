from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.engine.games.polyy import PolyY
from pbmserv.engine.position import Position, Side
from pbmserv.engine.score import Reason

from .random_stones import full_boards, partial_boards
from .sample_games import position_with

SHAPES = st.tuples(st.integers(2, 10), st.sampled_from((3, 5, 7, 9)))


def test_the_codecup_board_has_106_cells_and_285_links() -> None:
    board = PolyY().board

    assert len(board) == 106
    assert sum(map(len, board.neighbours)) == 2 * 285
    assert board.names[:3] == ("00", "A10", "B10")
    assert len(board.neighbours[0]) == 5


def test_a_chain_on_three_sides_owns_the_corners_between_them() -> None:
    game = PolyY(3)
    score = game.score(game.position_of({Side.O: ["A20", "A21", "B20", "B21"]}))

    assert score.details["corners"] == {"X": [], "O": ["A20", "B20"]}
    assert score.points == {Side.X: 0, Side.O: 0}
    assert score.winner is None
    assert score.notes == ("Corners without an owner: 3 of 5.",)


def test_a_chain_on_the_two_sides_of_a_corner_alone_does_not_own_it() -> None:
    game = PolyY(5)
    position = game.position_of({Side.X: ["E43", "E32", "A30", "A31", "A41", "A40"]})

    assert game.score(position).details["corners"] == {"X": [], "O": []}


def test_a_corner_can_be_owned_without_a_stone_on_it() -> None:
    game = PolyY(3)
    line = ["E21", "A10", "A21", "00", "C10", "C20"]
    score = game.score(game.position_of({Side.X: line, Side.O: ["A20"]}))

    assert "A20" in score.details["corners"]["X"]


def test_the_game_ends_at_the_majority() -> None:
    game = PolyY(3)
    moves = ["A20", "E20", "A21", "E21", "B20", "D10", "B21", "D20"]
    before = game.replay(moves)
    after = game.play(before, game.parse_move("C20"))
    outcome = game.outcome(after)

    assert game.outcome(before) is None
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == (Side.X, Reason.MAJORITY)
    assert game.score(after).points == {Side.X: 1, Side.O: 0}
    assert game.score(after).sheet[-1].title == "majority"


def test_two_passes_are_a_draw() -> None:
    game = PolyY(3)
    outcome = game.outcome(game.replay(["A20", "A21", "pass", "pass"]))

    assert outcome is not None
    assert (outcome.winner, outcome.reason) == (None, Reason.TWO_PASSES)


@pytest.mark.costly
@given(data=st.data(), shape=SHAPES)
def test_every_corner_of_a_full_board_has_exactly_one_owner(
    data: st.DataObject, shape: tuple[int, int]
) -> None:
    game = PolyY(*shape)
    score = game.score(data.draw(full_boards(game)))
    owned = score.details["corners"]["X"] + score.details["corners"]["O"]

    assert sorted(owned) == [game.board.names[cell] for cell in game.board.corners]
    assert score.winner is not None


@given(data=st.data(), shape=SHAPES)
def test_no_corner_ever_has_two_owners(data: st.DataObject, shape: tuple[int, int]) -> None:
    game = PolyY(*shape)
    owned = game.score(data.draw(partial_boards(game))).details["corners"]

    assert not set(owned["X"]) & set(owned["O"])


@pytest.mark.parametrize("shape", [(2, 5), (4, 3), (5, 5), (7, 9)])
def test_what_moves_track_is_what_the_board_shows_and_owned_for_good(
    shape: tuple[int, int],
) -> None:
    game = PolyY(*shape)
    for seed in range(5):
        cells = list(range(len(game.board)))
        Random(seed).shuffle(cells)
        stones = bytearray(len(cells))
        before: set[tuple[str, str]] = set()
        for number, cell in enumerate(cells):
            stones[cell] = number % 2 + 1
            position = position_with(game, bytes(stones)) if number % 9 == 0 else None
            score = game.score(Position(bytes(stones)))
            owned = {(side, name) for side in "XO" for name in score.details["corners"][side]}

            assert before <= owned
            before = owned
            if position is not None:
                decision = game.decided(position)
                assert score.winner is (decision.winner if decision else None)
