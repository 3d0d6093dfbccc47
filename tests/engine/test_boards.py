"""How many symmetries boards have, how many of them keep the score, and cells by their links."""

from collections import Counter

import pytest

from pbmserv.engine.position import Side
from pbmserv.engine.spec import format_game, parse_game
from pbmserv.errors import Misunderstood, quoted

from .naive.fillings import random_fillings
from .rivals import RIVALS


@pytest.mark.parametrize(
    ("spec", "of_the_board", "of_the_game"),
    [
        ("star(size=4)", 5, 5),
        ("starstar(size=4)", 9, 9),
        ("starweb(size=4)", 11, 11),
        ("polyy(size=3,sides=7)", 13, 13),
        ("polyy(shape=open)", 5, 5),
        ("y(size=4)", 5, 5),
        ("y(size=4,shape=bent)", 5, 5),
        ("y(size=25,shape=bent)", 5, 5),
        ("hex(size=4)", 3, 1),
    ],
)
def test_boards_and_games_have_their_symmetries(
    spec: str, of_the_board: int, of_the_game: int
) -> None:
    game = parse_game(spec)

    assert (of_the_board, of_the_game) == (len(game.board.symmetries), len(game.symmetries))


BENT = {4: 15, 5: 27, 6: 37, 7: 55, 8: 69, 9: 93, 10: 111, 11: 141, 12: 163, 13: 199, 15: 267}
BENT |= {17: 345, 19: 433, 21: 531, 25: 757}
"""The cells of bent boards by their size, as the book of them says."""


@pytest.mark.parametrize("size", range(4, 26))
def test_a_bent_board_has_three_cells_of_five_neighbours_inside(size: int) -> None:
    board = parse_game(f"y(size={size},shape=bent)").board
    degrees = Counter(map(len, board.neighbours))

    assert BENT.get(size, len(board)) == len(board)
    inside = len(board) - 3 * (size - 1)
    assert {3: 3, 4: 3 * (size - 2), 5: 3, 6: inside - 3} == degrees
    if size % 2:  # half a geodesic sphere
        half = (size - 1) // 2
        assert 5 * half**2 + 3 * half + 1 == len(board)


def test_the_usual_bent_board_has_the_names_of_its_rings() -> None:
    board = parse_game("y(shape=bent)").board
    last = {"A": 24, "B": 21, "C": 18, "D": 15, "E": 12, "F": 3}

    assert board.names == tuple(
        f"{ring}{number}" for ring in last for number in range(1, last[ring] + 1)
    )
    assert [board.names[cell] for cell in board.corners] == ["A1", "A9", "A17"]
    fives = [
        name for name, near in zip(board.names, board.neighbours, strict=True) if len(near) == 5
    ]
    assert fives == ["E1", "E5", "E9"]


def test_the_open_board_has_208_cells_and_three_of_seven_neighbours() -> None:
    board = parse_game("polyy(shape=open)").board
    around = dict(zip(board.names, map(len, board.neighbours), strict=True))

    assert len(around) == 208
    assert {3: 9, 4: 45, 7: 3, 6: 151} == Counter(around.values())
    assert [name for name in around if around[name] == 7] == ["D1", "D10", "D19"]
    assert [board.names[cell] for cell in board.corners] == [f"A{at}" for at in range(1, 55, 6)]


@pytest.mark.costly(stay=3)
@pytest.mark.parametrize("size", [9, 4, 12, *range(5, 12), *range(13, 26)])
def test_a_full_bent_board_has_one_winner(size: int) -> None:
    game = parse_game(f"y(size={size},shape=bent)")
    for stones in random_fillings(game.board.names, 2000 if size <= 13 else 200, str(size)):
        if len(stones["X"]) + len(stones["O"]) < len(game.board):
            continue
        facts = RIVALS["y"].naive(game, stones)
        winners = [
            side for side in "XO" if any(len(touched) == 3 for _, touched in facts["chains"][side])
        ]
        score = game.score(game.position_of({Side(side): stones[side] for side in stones}))

        assert [score.verdict] == winners


@pytest.mark.costly
def test_a_corner_of_a_full_open_board_has_one_owner() -> None:
    game = parse_game("polyy(shape=open)")
    for stones in random_fillings(game.board.names, 2000, "open"):
        if len(stones["X"]) + len(stones["O"]) < 208:
            continue
        facts = RIVALS["polyy"].naive(game, stones)
        score = game.score(game.position_of({Side(side): stones[side] for side in stones}))

        assert sorted([*facts["corners"]["X"], *facts["corners"]["O"]]) == sorted(
            f"A{at}" for at in range(1, 55, 6)
        )
        assert {side: {*score.details["corners"][side]} for side in "XO"} == facts["corners"]
        assert score.verdict == facts["winner"]


@pytest.mark.parametrize(
    ("spec", "whole"),
    [
        ("y", "y(size=17)"),
        ("y(size=11)", "y(size=11)"),
        ("y(shape=flat)", "y(size=17)"),
        ("y(shape=bent)", "y(size=9,shape=bent)"),
        ("y(shape=bent,size=17)", "y(size=17,shape=bent)"),
        ("polyy(size=7,sides=9)", "polyy(size=7,sides=9)"),
        ("polyy(shape=centred)", "polyy(size=7)"),
        ("polyy(shape=open)", "polyy(size=7,sides=9,shape=open)"),
        ("polyy(size=7,sides=9,shape=open)", "polyy(size=7,sides=9,shape=open)"),
    ],
)
def test_a_shape_has_its_own_size(spec: str, whole: str) -> None:
    game = parse_game(spec)

    assert whole == format_game(game)
    assert game == parse_game(whole)


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("y(size=3,shape=bent)", "-size: 3 (4 to 25 with -shape=bent)"),
        ("y(size=26,shape=bent)", "-size: 26 (4 to 25 with -shape=bent)"),
        ("y(size=9,shape=open)", "-shape: open (flat, bent)"),
        ("polyy(size=6,shape=open)", "-size: 6 (7 with -shape=open)"),
        ("polyy(sides=5,shape=open)", "-sides: 5 (9 with -shape=open)"),
    ],
)
def test_what_a_shape_does_not_have_is_refused_with_what_it_has(spec: str, why: str) -> None:
    with pytest.raises(Misunderstood) as refusal:
        parse_game(spec)

    assert f"Invalid value for {why}." == quoted(refusal.value)
