"""A review finds the blunder that was put into a game, blames who made it, and is kept whole."""

import json
import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

import pytest

from pbmserv.computer.lesson import advise
from pbmserv.computer.level_list import HINT_LEVEL
from pbmserv.computer.review import (
    MAX_TURNING,
    MIN_LOSS,
    PositionAnalysis,
    Review,
    analyse_positions,
    curve_words,
    load_review,
    percent,
    review_document,
    review_lines,
    review_of,
)
from pbmserv.engine.position import Side
from pbmserv.engine.record import played
from pbmserv.engine.score import Outcome, Reason
from pbmserv.engine.settle import settled
from pbmserv.engine.spec import parse_game
from tests.engine.sample_games import random_game
from tests.generators.proof_search import ProofSearch

HEX = parse_game("hex(size=3)")
STAR = parse_game("star(size=3)")
UNEVEN = parse_game("starstar(size=4,komi=7)")
BLUNDER = ("A1", "C3", "B2", "C1", "B1", "A3", "B3")
"""O answers the corner with a corner: X has won with the middle."""


@pytest.fixture(scope="module")
def blundered() -> Review:
    record = played(HEX, BLUNDER)
    return review_of(record, analyse_positions(record, 300))


def made_up(moves: str, *looks: tuple[float, str, float]) -> Review:
    """Return the review of a game with these looks, up to the number of moves."""
    record = played(HEX, moves.split())
    return Review(record, tuple(PositionAnalysis(*look) for look in looks), None)


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

    assert blundered == load_review(played(HEX, BLUNDER), kept)


def test_several_threads_find_the_same(blundered: Review) -> None:
    assert blundered.looks == tuple(analyse_positions(blundered.record, 300, threads=2))


def test_with_one_thread_each_look_is_taken_when_it_is_asked_for(
    blundered: Review, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[threading.Thread] = []

    def look(*_: object) -> PositionAnalysis:
        taken.append(threading.current_thread())
        return PositionAnalysis(0.5)

    monkeypatch.setattr("pbmserv.computer.review._look", look)
    looks = analyse_positions(blundered.record)

    assert [next(looks), next(looks)] == [PositionAnalysis(0.5)] * 2
    assert taken == [threading.current_thread()] * 2


def test_with_two_threads_two_positions_are_thought_about_at_a_time(
    blundered: Review, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = threading.Barrier(2, timeout=60)

    def look(*_: object) -> PositionAnalysis:
        both.wait()
        return PositionAnalysis(0.5)

    monkeypatch.setattr("pbmserv.computer.review._look", look)

    assert list(analyse_positions(blundered.record, threads=2)) == [PositionAnalysis(0.5)] * 8


def test_the_words_name_players_and_moves(blundered: Review) -> None:
    lines = review_lines(blundered, {Side.X: "alice", Side.O: None}, 76)

    assert lines[0].startswith("Turning points")
    assert "  Move 2: O plays C3, " in lines[1]
    assert "%. It gave up the winning link. Better: " in lines[1]
    assert "Accuracy: X (alice) 100 %, O " in lines[-1]
    assert 2 in [turn["number"] for turn in review_document(blundered)["turning_points"]]


def test_it_tells_when_nothing_could_change_the_winner_any_more() -> None:
    record = played(STAR, ["C1", "C2", "D1", "B3", "D2", "C3", "D3", "B4", "C4", "A3"])
    found = review_of(record, analyse_positions(record, 20))
    lines = review_lines(found, dict.fromkeys(Side), 76)

    assert "Certain after move 9: X wins by 3 to 13, whatever is played." in lines


def test_a_missed_swap_is_a_mistake_and_a_swap_keeps_its_stone() -> None:
    missed = made_up("A1 B1", (0.5, "A1", 0.5), (0.8, "swap", 0.8), (0.8, "", 0.0))
    swapped = made_up("A1 swap", (0.5, "A1", 0.5), (0.8, "swap", 0.8), (0.8, "", 0.0))

    assert [(2, "swap")] == [(turn.number, turn.better) for turn in missed.turning_points()]
    assert [] == swapped.turning_points()
    assert {Side.X: None, Side.O: pytest.approx(0.4)} == missed.accuracy()
    assert {Side.X: 1.0, Side.O: None} == swapped.accuracy()


def long_review(chance: Random) -> Review:
    """Return the review of a made-up game of twelve moves in which much is given away."""
    names = UNEVEN.board.names
    some = partial(chance.uniform, 0.01, 0.99)
    looks = [PositionAnalysis(some(), b, some(), (b, "C1")) for b in names[12:24]]
    record = played(UNEVEN, names[:12])
    return Review(record, (*looks, PositionAnalysis(1.0)), None)


def test_what_was_kept_of_samples_is_told_as_no_proof() -> None:
    kept: list[Any] = [(0.5, "*10", 0.9996, []), (0.0004, "S10", 0.999, ["S10"])]
    kept += [(1, "T10", 1, []), (0, "", 0, [])]
    record = played(UNEVEN, ["A20", "R10", "S20"])
    review = load_review(record, {"settled_at": None, "looks": kept})
    words = "\n".join([*review_lines(review, dict.fromkeys(Side), 99), curve_words(review)])
    document = review_document(review)

    assert [0.5, 0.01, 1, 0] == [*review.chances]
    assert [0.5, 0.01, 1, 0] == document["chances"]
    assert [(0.99, 0.01), (0.99, 0), (1, 0)] == [
        (turn["before"], turn["after"]) for turn in document["turning_points"]
    ]
    assert "Move 1: X plays A20, 99 % -> 1 %." in words
    assert "Move 2: O plays R10, 99 % -> 0 %." in words
    assert "at the start: 50 %." in words
    assert ("1 %", "99 %", "0 %", "100 %") == tuple(map(percent, (0.0001, 0.9999, 0, 1)))


def test_losses_turning_points_and_accuracy_follow_from_the_chances() -> None:
    for seed in range(40):
        review = long_review(Random(seed))
        afters = [
            look.chance if number % 2 == 0 else 1.0 - look.chance
            for number, look in enumerate(review.looks[1:])
        ]
        given = [look.value - after for look, after in zip(review.looks, afters, strict=False)]
        large = sorted(number for number, much in enumerate(given) if much >= MIN_LOSS)
        worst = sorted(sorted(large, key=given.__getitem__, reverse=True)[:MAX_TURNING])
        turns = review.turning_points()

        assert [max(much, 0.0) for much in given] == pytest.approx(review.losses)
        assert [number + 1 for number in worst] == [turn.number for turn in turns]
        for turn in turns:
            look = review.looks[turn.number - 1]
            assert (look.value, afters[turn.number - 1]) == (turn.before, turn.after)
            assert (look.best, look.line) == (turn.better, turn.line)
            assert review.record.texts[turn.number - 1] == turn.played
            assert review.record.sides[turn.number - 1] is turn.side
        for side, first in ((Side.X, 0), (Side.O, 1)):
            assert 1 - sum(review.losses[first::2]) / 6 == pytest.approx(review.accuracy()[side])


def test_who_played_the_best_move_has_no_turning_point_however_it_ended() -> None:
    review = made_up("A1 B1 C1", (0.5, "A1", 0.5), (0.5, "B1", 0.9), (0.5, "C1", 0.6), (0.0, "", 0))

    assert [] == review.turning_points()


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("spec", ["hex(size=3)", "star(size=3)", "starstar(size=4)", "y(size=4)"])
def test_the_last_look_says_who_won_and_the_others_never_are_so_sure(spec: str) -> None:
    game = parse_game(spec)
    winners = set()
    for seed in range(12):
        record = played(game, [move.text for move, _ in random_game(game, seed) if move])
        looks = list(analyse_positions(record, 30))
        end = game.outcome(record.position)
        winner = end.winner if end else None
        last = {Side.X: 1.0, Side.O: 0.0, None: 0.5}[winner]
        winners.add(winner)

        assert record.ply + 1 == len(looks)
        assert PositionAnalysis(last) == looks[-1]
        assert all(0 <= look.chance <= 1 and 0 <= look.value <= 1 for look in looks)
        assert all(look.best == look.line[0] for look in looks[:-1])
        if game.is_even:
            assert 0.5 == looks[0].chance
    assert {Side.X, Side.O} <= winners


def test_what_a_look_sees_is_seen_by_both_sides_alike() -> None:
    [_, after_middle] = analyse_positions(played(HEX, ["B2"]), 2000)
    [_, after_corner] = analyse_positions(played(HEX, ["A1"]), 2000)
    *_, before_last = analyse_positions(played(HEX, ["A1", "C3", "B2", "C1", "B1", "A3"]), 500)

    assert (1.0, "swap", 1.0) == after_middle[:3]
    assert after_corner.best != "swap"
    assert after_corner.value == pytest.approx(1.0 - after_corner.chance)
    assert (1.0, 1.0) == (before_last.chance, before_last.value)


def test_a_game_is_settled_after_the_first_move_that_nothing_could_change() -> None:
    for seed in range(20):
        record = played(STAR, [move.text for move, _ in random_game(STAR, seed) if move])
        found = review_of(record, [PositionAnalysis(0.5)] * (record.ply + 1))
        sure = [
            number
            for number, position in enumerate(record.positions)
            if (end := settled(STAR, position)) and end.is_certain
        ]

        assert found.settled_at == (sure[0] if sure else None)
        assert bool(sure) is any(
            line.startswith(f"Certain after move {found.settled_at}: ")
            for line in review_lines(found, dict.fromkeys(Side), 76)
        )


@pytest.mark.costly
def test_the_words_are_the_figures_of_the_document_and_keep_their_width() -> None:
    for seed in range(20):
        review = long_review(Random(seed))
        document = review_document(review)
        narrow = review_lines(review, dict.fromkeys(Side), 60)
        [*wide, accuracy] = review_lines(review, dict.fromkeys(Side), 200)
        turns = document["turning_points"]
        x, o = (document["accuracy"][side] for side in Side)

        assert max(map(len, narrow)) <= 60
        assert " ".join(narrow).split() == " ".join([*wide, accuracy]).split()
        assert [round(chance, 3) for chance in review.chances] == document["chances"]
        assert len(turns) == len(wide) - 1
        for turn, line in zip(turns, wide[1:], strict=True):
            assert line.startswith(
                f"  Move {turn['number']}: {turn['side']} plays {turn['played']}"
            )
            shares = [int(share) for share in re.findall(r"(\d+) %", line)]
            assert [100 * turn["before"], 100 * turn["after"]] == pytest.approx(shares, abs=0.6)
            why = f" {turn['why']}" if turn["why"] else ""
            assert line.endswith(f" %.{why} Better: {turn['better']}, then C1.")
        shares = [int(share) for share in re.findall(r"(\d+) %", accuracy)]
        assert [100 * x, 100 * o] == pytest.approx(shares, abs=0.6)


def test_of_a_better_line_the_first_moves_are_told_and_no_more() -> None:
    line = ("R10", "B2", "B3", "B4", "B5", "B6", "B7")
    looks = (PositionAnalysis(0.9, "R10", 0.9, line), PositionAnalysis(0.1))
    review = Review(played(UNEVEN, ["A20"]), looks, None)

    assert "Better: R10, then B2 B3 B4 B5." in review_lines(review, dict.fromkeys(Side), 99)[1]


def test_of_a_game_without_mistakes_that_is_said() -> None:
    record = played(UNEVEN, ["A20"])
    review = Review(record, (PositionAnalysis(0.9, "A20", 0.9), PositionAnalysis(0.9)), None)
    names = {Side.X: "alice", Side.O: "bob"}

    assert ["No serious mistakes.", "Accuracy: X (alice) 100 %."] == review_lines(review, names, 60)
    assert ["No serious mistakes."] == review_lines(
        Review(played(HEX, []), (PositionAnalysis(0.5),), None), names, 60
    )


def test_programs_are_told_chances_in_three_places() -> None:
    document = review_document(long_review(Random(3)))
    turns = document["turning_points"]
    told = [*document["chances"], *(turn[word] for turn in turns for word in ("before", "after"))]

    assert turns
    assert told == [round(chance, 3) for chance in told]


@pytest.fixture(scope="module")
def resigned() -> Review:
    """O leaves X the middle of Hex 5, and resigns."""
    hexagons = parse_game("hex(size=5)")
    record = played(hexagons, ["A1", "E5", "C3", "E4", "B3"])
    record = replace(record, outcome=Outcome(Side.X, Reason.RESIGNATION))
    return review_of(record, analyse_positions(record, 300), 300)


def test_what_is_proven_at_the_end_is_followed_back_to_the_move_that_lost(
    resigned: Review,
) -> None:
    at = resigned.proven_at
    assert at is not None
    exhaustive = ProofSearch(resigned.record.game)
    positions = resigned.record.positions

    assert all(chance == 1 for chance in resigned.chances[at:])
    assert resigned.chances[at - 1] < 1
    assert resigned.record.sides[at - 1] is Side.O
    for position in positions[at:]:
        assert exhaustive.solve(position.stones, position.to_move).winner is Side.X
    assert at == review_document(resigned)["proven_after"]
    assert 1 == sum(f"After move {at}, O " in line for line in lines_of(resigned))


def lines_of(review: Review) -> list[str]:
    return review_lines(review, {Side.X: None, Side.O: None}, 76)


def test_the_move_that_is_told_as_better_is_not_proven_to_lose(resigned: Review) -> None:
    game, at = resigned.record.game, resigned.proven_at
    assert at is not None
    look, before = resigned.looks[at - 1], resigned.record.positions[at - 1]
    after = game.play(before, game.parse_move(look.best))
    winner = ProofSearch(game).solve(after.stones, after.to_move).winner
    told = [line for line in lines_of(resigned) if line.startswith(f"After move {at}")]

    assert (winner is Side.O) is any("Better: " in line for line in told)


def test_whoever_resigns_a_game_that_is_not_lost_is_told_no_proof() -> None:
    record = played(parse_game("hex(size=5)"), ["A1", "C3"])
    record = replace(record, outcome=Outcome(Side.X, Reason.RESIGNATION))
    review = review_of(record, analyse_positions(record, 300), 300)

    assert review.proven_at is None
    assert review_document(review)["proven_after"] is None
    assert not any("proven" in line for line in lines_of(review))


def test_a_drop_that_no_closer_look_confirms_is_no_turning_point(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    moves = ("A1", "C3", "B1")
    record = played(HEX, moves)
    looks = [
        PositionAnalysis(0.5, "A1", 0.5),
        PositionAnalysis(0.5, "B2", 0.9),
        PositionAnalysis(0.6, "B2", 0.6),
        PositionAnalysis(0.5),
    ]
    for closer, told in ((0.45, []), (0.2, [2])):
        found = iter((closer, 0.5))  # X's chance after B2, and after C3

        def look(*_: object, found: Iterator[float] = found) -> PositionAnalysis:
            return PositionAnalysis(next(found))

        monkeypatch.setattr("pbmserv.computer.review._look", look)
        review = review_of(record, looks)

        assert told == [turn.number for turn in review.turning_points()]


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["star(size=5)", "starstar(size=4)", "hex(size=9)"])
def test_a_game_played_as_hints_say_has_no_turning_point(spec: str, *, full: bool) -> None:
    game = parse_game(spec)
    for seed in range(7 if full else 1):
        moves = [Random(seed).choice(game.board.names)]  # a first stone is never judged
        position = game.replay(moves)
        while not game.is_over(position):
            choice = advise(game, position, HINT_LEVEL)
            lost = choice.verdict and choice.verdict.winner is not position.to_move
            if lost or choice.move is None:
                break
            moves.append(choice.move.text)
            position = game.play(position, choice.move)
        record = played(game, moves)

        assert [] == review_of(record, analyse_positions(record)).turning_points()
