"""What a hint teaches of a decided game is true: held by exhaustive play, passes included."""

import re
from random import Random

import pytest

from pbmserv.computer.hint_words import hint, hint_document, hint_marks
from pbmserv.computer.lesson import advise
from pbmserv.computer.level_list import HINT_LEVEL, LEVELS
from pbmserv.computer.proof import cells_against_threats
from pbmserv.engine.position import Side
from pbmserv.engine.spec import parse_game
from tests.computer.exhaustive import Exhaustive, empty_cells, with_stone
from tests.computer.test_proof import late_position


def words(spec: str, moves: str) -> list[str]:
    game = parse_game(spec)
    position = game.replay(moves.split())
    return hint(game, position, advise(game, position, HINT_LEVEL))


def test_in_a_lost_position_the_proof_is_told() -> None:
    assert [
        "Whatever you play, this game is lost.",
        "  X answers each stone on D2 C3, C5 D5 or E2 E3 there.",
    ] == words("y(size=5)", "D3 E1 D4")


def test_and_the_move_that_is_hardest_to_answer() -> None:
    game = parse_game("hex(size=5)")
    position = game.replay(["C3", "swap"])
    choice = advise(game, position, HINT_LEVEL)
    document = hint_document(game, position, choice)

    assert choice.move
    hardest = f"Hardest for X: {choice.move.text}, which only one of 10 cells can answer."
    assert f"  {hardest}" == hint(game, position, choice)[-1]
    assert (None, [], []) == (document["best"], document["candidates"], document["line"])
    assert hardest == document["reasons"][-1]
    assert {choice.move.cells[0]: "a"} == hint_marks(position, choice)


def test_a_win_is_told_by_its_smallest_carrier_and_without_chances() -> None:
    told = words("hex(size=5)", "C3 A1")

    assert told[0] == "Best: D1, which wins whatever is played."
    assert "  X would win even if O were to move." in told
    assert not re.search("[0-9] %", "\n".join(told))


def test_a_win_that_needs_its_move_is_not_said_to_need_none() -> None:
    told = words("hex(size=3)", "A1")

    assert told[0].startswith("Do not swap")
    assert "even if" not in "\n".join(told)


def test_an_open_position_has_no_lesson() -> None:
    for spec, moves in (("hex(size=11)", "F6 A1"), ("star(size=6)", "E5 F6")):
        game = parse_game(spec)

        assert advise(game, game.replay(moves.split()), HINT_LEVEL).verdict is None


@pytest.mark.costly(stay=2)
@pytest.mark.parametrize(
    "spec",
    [
        *("hex(size=4)", "y(size=4)", "star(size=3)", "polyy(size=3,sides=3)", "starweb(size=4)"),
        *(
            "hex(size=3)",
            "y(size=5)",
            "star(size=3,maxi)",
            "polyy(size=2,sides=9)",
            "polyy(size=3)",
        ),
    ],
)
def test_no_lesson_is_wrong(spec: str, *, full: bool) -> None:
    game, chance = parse_game(spec), Random(spec)
    exhaustive, won, lost, hardest = Exhaustive(game), 0, 0, 0
    for _ in range(5000 if full else 150):
        position = late_position(game, chance.randint(3, 7), chance)
        if game.is_over(position) or position.passes:
            continue
        choice = advise(game, position, LEVELS[9])
        side, stones, verdict = position.to_move, position.stones, choice.verdict
        if verdict is None:
            continue
        assert exhaustive.can_force(verdict.winner, stones, side)
        if verdict.winner is side:
            won += 1
            assert choice.move
            after = game.play(position, choice.move)
            assert game.is_over(after) or exhaustive.can_force(side, after.stones, side.other)
            if any("even if" in each for each in verdict.sentences):
                assert exhaustive.can_force(side, stones, side.other)
        else:
            lost += 1
            if choice.move is None:
                continue
            hardest += 1
            after = game.play(position, choice.move)
            answers = cells_against_threats(game, after)
            for cell in {*empty_cells(after.stones)} - {*answers}:
                elsewhere = with_stone(after.stones, cell, side.other)
                assert exhaustive.can_force(side, elsewhere, side)

    assert min(won, lost) > 10
    assert hardest or spec.startswith(("star(", "starweb", "polyy(size=2"))


def test_where_nothing_threatens_no_cells_are_told() -> None:
    game, large = parse_game("hex(size=5)"), parse_game("hex(size=11)")

    assert () == cells_against_threats(large, large.replay(["A1"]))
    assert () == cells_against_threats(game, game.replay(["C3", "C2"]), effort=25)
    double = parse_game("starstar(size=4,double)")
    assert () == cells_against_threats(double, double.start())


def test_the_side_of_a_lesson_is_whoever_wins() -> None:
    game = parse_game("hex(size=4)")

    for moves, winner in (("C2 swap", Side.X), ("A1", Side.O)):
        position = game.replay(moves.split())
        verdict = advise(game, position, HINT_LEVEL).verdict
        assert verdict
        assert winner is verdict.winner
