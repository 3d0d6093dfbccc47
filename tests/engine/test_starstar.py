from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbmserv.engine.board import Board
from pbmserv.engine.game import Game
from pbmserv.engine.games.starstar import StarStar
from pbmserv.engine.position import EMPTY, Position, Side
from pbmserv.engine.score import Reason, Score
from pbmserv.errors import IllegalMove

from .random_stones import full_boards, partial_boards
from .sample_games import random_filling
from .vectors import position_of, vector

SCORINGS = ("standard", "simplified", "alternative")
SIZES = st.sampled_from((4, 6, 8, 10))


def score_of(identity: str, game: StarStar) -> Score:
    return game.score(position_of(game, vector(f"starstar/{identity}")["stones"]))


def neighbours_of(board: Board, name: str) -> set[str]:
    return {board.names[other] for other in board.neighbours[board.index[name]]}


# The board


def test_a_corner_has_three_neighbours_and_the_bridge_joins_ring_1() -> None:
    board = StarStar().board

    assert neighbours_of(board, "S00") == {"S01", "*09", "S90"}
    assert neighbours_of(board, "*10") == {"S10", "T10", "A10", "R10", "*20", "*21", "R21"}
    assert (len(board), sum(map(len, board.neighbours)) // 2) == (275, 775)


def test_p_stands_for_the_sector_that_shells_expand() -> None:
    game = StarStar()

    assert game.parse_move("p60").text == "*60"
    assert game.parse_move("P60+*61").text == "*60+*61"


def test_a_is_at_the_top_and_sectors_follow_clockwise() -> None:
    board = StarStar().board
    places = {name: board.places[board.index[f"{name}00"]] for name in "*STAR"}

    assert min(places, key=lambda name: places[name].y) == "A"
    assert max(places, key=lambda name: places[name].x) == "R"
    assert min(places, key=lambda name: places[name].x) == "T"
    assert places["*"].x > places["A"].x > places["S"].x
    assert min(places["*"].y, places["S"].y) > max(places["R"].y, places["T"].y)


# Scoring


@pytest.mark.parametrize(
    "identity",
    [
        "example-1",
        pytest.param("example-2", marks=pytest.mark.slow),
        pytest.param("example-1-worthless-star-gone", marks=pytest.mark.slow),
    ],
)
def test_all_fillings_of_the_worked_examples_keep_11_to_10(identity: str) -> None:
    game = StarStar(4)
    stones = position_of(game, vector(f"starstar/{identity}")["stones"]).stones
    empty = [cell for cell, stone in enumerate(stones) if stone == EMPTY]
    filled = bytearray(stones)
    results = set()
    for filling in product((1, 2), repeat=len(empty)):
        for cell, stone in zip(empty, filling, strict=True):
            filled[cell] = stone
        results.add(tuple(game.score(Position(bytes(filled))).points.values()))

    assert len(empty) == (12 if identity.endswith("gone") else 10)
    assert results == {(11, 10)}


@pytest.mark.parametrize(
    ("scoring", "first", "second"),
    [
        ("standard", {"X": 11, "O": 10}, {"X": 11, "O": 10}),
        ("simplified", {"X": 3, "O": 2}, {"X": -1, "O": -2}),
        ("alternative", {"X": 1, "O": -1}, {"X": 1, "O": -1}),
    ],
)
def test_the_worked_examples_by_every_scoring(
    scoring: str, first: dict[str, int], second: dict[str, int]
) -> None:
    game = StarStar(4, scoring)

    assert score_of("example-1", game).points == first
    assert score_of("example-2", game).points == second
    assert score_of("example-1", game).winner is Side.X


def test_the_sheet_of_example_2_tells_what_lives_and_why() -> None:
    sheet = score_of("example-2", StarStar(4)).sheet
    lines = [(line.side.value, line.title, line.points, line.why) for line in sheet]

    assert lines == [
        (
            "X",
            "star S42",
            4,
            "4 peries, with 1 quark; 5 peries with those it alone encloses",
        ),
        ("X", "star *41", 3, "3 peries, with 1 quark"),
        ("X", "star T43", 2, "2 peries, with 1 quark"),
        ("X", "region S43", 1, "1 peri enclosed by the star through S42"),
        ("X", "quark peri", 1, "3 quarks"),
        ("X", "reward", 0, "2 x (3 - 3): O's stars minus your own"),
        ("O", "star *42", 5, "5 peries, with 1 quark"),
        ("O", "star *40", 3, "3 peries, with 1 quark"),
        ("O", "star T42", 2, "2 peries"),
        ("O", "spark S43", 0, "only one peri, in a region of X"),
        ("O", "reward", 0, "2 x (3 - 3): X's stars minus your own"),
    ]
    assert all(line.lesson for line in sheet)


@pytest.mark.parametrize("scoring", SCORINGS)
@pytest.mark.parametrize("komi", [-2, 0, 3])
def test_the_sheet_adds_up_to_the_score(scoring: str, komi: int) -> None:
    game = StarStar(6, scoring, komi=komi)
    for seed in range(30):
        score = game.score(Position(random_filling(game, seed)))
        added = {
            side.value: sum(line.points for line in score.sheet if line.side is side)
            for side in Side
        }

        assert score.points == added


def test_a_first_pass_can_be_warned_of_what_nobody_owns() -> None:
    score = score_of("intro-figure", StarStar(6))

    assert score.details["unowned_peries"] == 22
    assert "22 peries belong to nobody." in score.notes


def test_a_region_around_which_no_star_lies_is_nobodys() -> None:
    game = StarStar(4)
    score = game.score(game.position_of({Side.X: ["S41"]}))
    (region,) = score.details["regions"]

    assert (region["owner"], region["stars"]) == (None, [])
    assert score.details["sparks"]["X"] == [{"cells": ["S41"], "peri": "S41", "owner": None}]
    assert score.is_draw


def test_more_quarks_break_a_tie() -> None:
    score = score_of("tie-broken-by-quarks", StarStar(4))

    assert score.points == {Side.X: 2, Side.O: 2}
    assert score.winner is Side.X
    assert "Equal scores: X has more quarks." in score.notes


def test_a_draw_needs_equal_scores_and_quarks() -> None:
    assert score_of("two-stars", StarStar()).is_draw


@pytest.mark.parametrize("komi", [-3, 1, 5])
def test_komi_goes_to_o_and_comes_from_x_in_every_scoring(komi: int) -> None:
    plain = score_of("example-1", StarStar(4)).details
    details = score_of("example-1", StarStar(4, komi=komi)).details

    for scoring in ("standard", "simplified"):
        assert details[scoring]["O"] == plain[scoring]["O"] + komi
        assert details[scoring]["X"] == plain[scoring]["X"] - komi
    assert details["alternative"]["O"] == plain["alternative"]["O"] + 2 * komi
    assert details["peries"] == plain["peries"]


def test_komi_can_turn_the_winner() -> None:
    assert score_of("example-1", StarStar(4)).winner is Side.X
    assert score_of("example-1", StarStar(4, komi=1)).winner is Side.O


@given(data=st.data(), size=SIZES)
@settings(max_examples=60)
def test_full_boards_add_up_and_are_never_drawn(data: st.DataObject, size: int) -> None:
    game = StarStar(size)
    score = game.score(data.draw(full_boards(game)))

    assert sum(score.points.values()) == 5 * size + 1
    assert score.winner is not None
    assert score.details["unowned_peries"] == 0


@given(data=st.data(), size=SIZES, komi=st.integers(-9, 9))
@settings(max_examples=60)
def test_all_scorings_have_one_margin_and_one_winner(
    data: st.DataObject, size: int, komi: int
) -> None:
    position = data.draw(partial_boards(StarStar(size)))
    scores = {name: StarStar(size, name, komi=komi).score(position) for name in SCORINGS}
    points = {name: score.points for name, score in scores.items()}
    margins = {name: found[Side.X] - found[Side.O] for name, found in points.items()}

    assert margins["standard"] == margins["simplified"]
    assert margins["standard"] == points["alternative"][Side.X]
    assert points["alternative"][Side.X] == -points["alternative"][Side.O]
    assert len({score.winner for score in scores.values()}) == 1


# Handicap


@pytest.mark.parametrize(
    ("size", "names"),
    [
        (10, "S60 A60 *60 T60 R60 S30 A30 *30 T30 R30"),
        (8, "S50 A50 *50 T50 R50 S20 A20 *20 T20 R20"),
        (6, "S40 A40 *40 T40 R40 S20 A20 *20 T20 R20"),
        (4, "S20 A20 *20 T20 R20 S10 A10 *10 T10 R10"),
    ],
)
def test_handicap_stones_stand_on_the_rays(size: int, names: str) -> None:
    for count in range(11):
        start = StarStar(size, handicap=count).start()
        board = StarStar(size).board
        actual = {board.names[cell] for cell in start.cells_of(Side.O)}

        assert set(names.split()[:count]) == actual
        assert not start.cells_of(Side.X)
        assert (start.to_move, start.ply) == (Side.X, 0)


@pytest.mark.parametrize("game", [StarStar(komi=1), StarStar(komi=-1), StarStar(handicap=1)])
def test_there_is_no_swap_with_komi_or_handicap(game: StarStar) -> None:
    assert not game.is_even
    with pytest.raises(IllegalMove, match="Swap"):
        game.replay(["A31", "swap"])


# Double *Star

DOUBLE = StarStar(4, double=True)


def refused(game: Game, *texts: str) -> str:
    *before, last = texts
    position = game.replay(before)
    with pytest.raises(IllegalMove) as refusal:
        game.play(position, game.parse_move(last))
    return refusal.value.code


def test_the_first_turn_is_one_stone_and_later_ones_are_two() -> None:
    position = DOUBLE.replay(["A30", "a40+a41", "T30+T31"])

    assert refused(DOUBLE, "A30+A31") == "wrong-stone-count"
    assert refused(DOUBLE, "A30+-") == "wrong-stone-count"
    assert refused(DOUBLE, "A30", "A40") == "wrong-stone-count"
    assert refused(DOUBLE, "A30", "A40+A30") == "occupied"
    assert refused(DOUBLE, "A30", "A40+A40") == "occupied"
    assert refused(StarStar(4), "A30+A31") == "wrong-stone-count"
    assert (position.ply, position.to_move) == (3, Side.O)
    assert DOUBLE.board.sorted_names(position.last) == ["T30", "T31"]


def test_a_turn_may_be_a_stone_and_a_pass_but_only_a_whole_pass_counts() -> None:
    position = DOUBLE.replay(["A30", "pass", "A40+-"])

    assert position.passes == 0
    assert DOUBLE.parse_move("-+a40").text == "A40+-"
    assert DOUBLE.parse_move("--+-").is_pass
    assert DOUBLE.outcome(position) is None
    assert DOUBLE.stones_due(DOUBLE.replay(["A30", "A40+-", "pass"])) == 2


def test_a_passed_first_turn_spends_the_single_stone() -> None:
    assert DOUBLE.stones_due(DOUBLE.replay(["pass"])) == 2
    assert refused(DOUBLE, "pass", "A30") == "wrong-stone-count"


def test_swap_is_allowed_after_the_single_stone() -> None:
    position = DOUBLE.replay(["A30", "swap"])

    assert (position.to_move, DOUBLE.stones_due(position)) == (Side.O, 2)
    assert refused(DOUBLE, "A30", "A40+A41", "swap") == "swap-not-allowed"


def test_with_one_empty_cell_left_the_turn_is_one_stone() -> None:
    names = list(DOUBLE.board.names)
    pairs = [
        f"{first}+{second}" for first, second in zip(names[1:-2:2], names[2:-1:2], strict=True)
    ]
    position = DOUBLE.replay([names[0], *pairs])
    last = DOUBLE.play(position, DOUBLE.parse_move(names[-1]))
    outcome = DOUBLE.outcome(last)

    assert position.empty_count == 1
    assert [move.text for move in DOUBLE.legal_moves(position)] == [names[-1], "pass"]
    assert refused(DOUBLE, names[0], *pairs, f"{names[-1]}+-") == "wrong-stone-count"
    assert outcome is not None
    assert outcome.reason is Reason.FULL_BOARD


def test_a_double_turn_has_every_pair_every_single_and_a_pass() -> None:
    position = DOUBLE.replay(["A30"])
    texts = [move.text for move in DOUBLE.legal_moves(position)]

    assert len(texts) == 49 * 48 // 2 + 49 + 1 + 1
    assert texts[-2:] == ["pass", "swap"]
