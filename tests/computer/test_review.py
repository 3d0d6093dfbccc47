"""A review finds the blunder that was put into a game, blames who made it, and is kept whole."""

import json

import pytest

from pbmserv.computer.review import Look, Review, look_back, review_from, review_of
from pbmserv.computer.review_words import review_document, review_lines
from pbmserv.engine.position import Side
from pbmserv.engine.spec import parse_game

HEX = parse_game("hex(size=3)")
STAR = parse_game("star(size=3)")
BLUNDER = ("A1", "C3", "B2", "C1", "B1", "A3", "B3")
"""O answers the corner with a corner: X has won with the middle."""


@pytest.fixture(scope="module")
def blundered() -> Review:
    return review_of(HEX, BLUNDER, list(look_back(HEX, BLUNDER, 300)))


def made_up(moves: str, *looks: tuple[float, str, float]) -> Review:
    """Return the review of a game of *Star with these looks, up to the number of moves."""
    texts = tuple(moves.split())
    sides = (Side.X, Side.O, Side.O, Side.X) if "swap" in texts else (Side.X, Side.O) * 2
    return Review(texts, sides[: len(texts)], tuple(Look(*look) for look in looks), None, True)


def test_the_chances_end_with_the_result(blundered: Review) -> None:
    assert 8 == len(blundered.chances)
    assert 0.5 == blundered.chances[0]
    assert min(blundered.chances[3:]) > 0.9
    assert 1.0 == blundered.chances[-1]


def test_a_blunder_is_a_turning_point_with_a_better_move(blundered: Review) -> None:
    [turn] = [point for point in blundered.turning_points() if point.number == 2]

    assert (Side.O, "C3") == (turn.side, turn.played)
    assert turn.after < turn.before - 0.1
    assert turn.better == turn.line[0] != "C3"


def test_who_blunders_is_less_accurate(blundered: Review) -> None:
    accuracy = blundered.accuracy()

    assert 1.0 == accuracy[Side.X]
    assert 0 < (accuracy[Side.O] or 0) < 0.9


def test_what_is_kept_gives_the_same_review(blundered: Review) -> None:
    kept = json.loads(json.dumps(blundered.document))

    assert blundered == review_from(HEX, BLUNDER, kept)


def test_several_threads_find_the_same(blundered: Review) -> None:
    assert blundered.looks == tuple(look_back(HEX, BLUNDER, 300, threads=2))


def test_the_words_name_players_and_moves(blundered: Review) -> None:
    lines = review_lines(HEX, blundered, {Side.X: "alice", Side.O: None})

    assert lines[0].startswith("Turning points")
    assert "  Move 2: O plays C3, " in lines[1]
    assert "Accuracy: X (alice) 100 %, O " in lines[-1]
    assert 2 in [turn["number"] for turn in review_document(blundered)["turning_points"]]


def test_it_tells_when_nothing_could_change_the_winner_any_more() -> None:
    moves = ["C1", "C2", "D1", "B3", "D2", "C3", "D3", "B4", "C4", "A3"]
    found = review_of(STAR, moves, list(look_back(STAR, moves, 20)))
    lines = review_lines(STAR, found, dict.fromkeys(Side))

    assert "Settled after move 9: X wins by 3 to 13, whatever is played." in lines


def test_a_missed_swap_is_a_mistake_and_a_swap_keeps_its_stone() -> None:
    missed = made_up("A1 B1", (0.5, "A1", 0.5), (0.8, "swap", 0.8), (0.8, "", 0.0))
    swapped = made_up("A1 swap", (0.5, "A1", 0.5), (0.8, "swap", 0.8), (0.8, "", 0.0))

    assert [(2, "swap")] == [(turn.number, turn.better) for turn in missed.turning_points()]
    assert [] == swapped.turning_points()
    assert {Side.X: None, Side.O: pytest.approx(0.4)} == missed.accuracy()
    assert {Side.X: 1.0, Side.O: None} == swapped.accuracy()
