"""A hint in words says what the search found: the chance, the margin, two others, and the line."""

import re
from random import Random

import pytest

from pbmserv.club.puzzles import puzzles
from pbmserv.computer.hint_words import (
    LETTERS,
    NEARLY_EVEN,
    hint,
    hint_document,
    hint_lines,
    hint_marks,
)
from pbmserv.computer.level_list import FIRST_SEARCH, HINT_LEVEL, LEVELS, Level
from pbmserv.computer.levels import Choice, choose
from pbmserv.computer.openings import chance_after
from pbmserv.computer.search import Analysis, Candidate
from pbmserv.engine.game import Game
from pbmserv.engine.position import Side
from pbmserv.engine.spec import parse_game

STAR, HEX = parse_game("star(size=6)"), parse_game("hex(size=5)")


def found(game: Game, *parts: tuple[str, float, float, float | None], line: str = "") -> Analysis:
    """Return what a search found: of each move the share, the chance and the margin."""
    candidates = tuple(
        Candidate(game.parse_move(text), share, chance, margin)
        for text, share, chance, margin in parts
    )
    moves = tuple(map(game.parse_move, line.split()))
    return Analysis(Side.X, 100, candidates, None, (), moves)


def said(game: Game, moves: str, analysis: Analysis, chosen: int = 0) -> list[str]:
    choice = Choice(analysis.candidates[chosen].move, analysis)
    lines = hint(game, game.replay(moves.split()), choice)
    return [line for line in lines if not line.startswith("  ")]


def test_chances_margins_and_the_line_are_told() -> None:
    analysis = found(
        STAR,
        ("E5", 0.6, 0.634, 2.34),
        ("D5", 0.3, 0.5, -0.06),
        ("F5", 0.1, 0.2, -7.0),
        ("G5", 0.0, 0.5, 0.0),
        line="E5 D5 F5",
    )

    assert [
        "Best: E5, winning chance 63 %, expected margin +2.3.",
        "Also: D5, winning chance 50 %, expected margin -0.1.",
        "Also: F5, winning chance 20 %, expected margin -7.0.",
        "Likely continuation: E5 D5 F5.",
    ] == said(STAR, "A6 A7", analysis)


def test_a_game_without_margins_has_none_and_a_sure_win_says_so() -> None:
    analysis = found(HEX, ("C3", 0.9, 1.0, None), ("B2", 0.1, 0.0, None), line="C3")

    assert [
        "Best: C3, which wins whatever is played.",
        "Also: B2, winning chance 0 %.",
    ] == said(HEX, "A1 E5", analysis)


def test_beside_a_sure_win_stand_other_proofs_but_no_chance_of_a_search_that_it_ended() -> None:
    analysis = found(
        HEX,
        ("B1", 0.5, 1.0, None),
        ("B2", 0.4, 0.87, None),
        ("C4", 0.1, 1.0, None),
        line="B1 B2",
    )
    position = HEX.replay(["A1", "E5"])
    document = hint_document(HEX, position, Choice(analysis.best.move, analysis))

    assert [
        "Best: B1, which wins whatever is played.",
        "Also: C4, which wins whatever is played.",
        "Likely continuation: B1 B2.",
    ] == said(HEX, "A1 E5", analysis)
    assert [1, 1] == [each["chance"] for each in document["candidates"]]


def test_what_was_chosen_is_best_whatever_was_tried_more_and_untried_moves_are_left_out() -> None:
    analysis = found(
        HEX,
        ("C3", 0.8, 0.6, None),
        ("B2", 0.2, 0.4, None),
        ("D4", 0.0, 0.5, None),
        line="C3 B2",
    )

    assert [
        "Best: B2, winning chance 40 %.",
        "Also: C3, winning chance 60 %.",
    ] == said(HEX, "A1 E5", analysis, chosen=1)


def test_marks_and_document_name_the_same_moves() -> None:
    analysis = found(
        HEX,
        ("C3", 0.5, 0.61234, None),
        ("B2", 0.3, 0.4, None),
        ("D4", 0.1, 0.3, None),
        ("D3", 0.1, 0.2, None),
        line="C3 B2",
    )
    choice = Choice(analysis.candidates[0].move, analysis)
    position = HEX.replay(["A1", "E5"])
    document = hint_document(HEX, position, choice)
    index = HEX.board.index

    assert {index["C3"]: "a", index["B2"]: "b", index["D4"]: "c"} == hint_marks(position, choice)
    assert "abc" == LETTERS
    assert ["C3", "B2", "D4"] == [each["move"] for each in document["candidates"]]
    assert [0.612, 0.4, 0.3] == [each["chance"] for each in document["candidates"]]
    assert [None] * 3 == [each["margin"] for each in document["candidates"]]
    assert ["C3", "B2"] == document["line"]
    assert {} == hint_marks(position, Choice(None, analysis))


def test_two_stones_of_a_turn_have_one_letter_and_the_better_turn_keeps_its_own() -> None:
    game = parse_game("starstar(size=4,double)")
    analysis = found(game, ("S40+T40", 0.7, 0.6, 1.0), ("T40+A40", 0.3, 0.5, 0.0))
    choice = Choice(analysis.candidates[0].move, analysis)
    index = game.board.index

    marks = hint_marks(game.replay(["S30"]), choice)

    assert {index["S40"]: "a", index["T40"]: "a", index["A40"]: "b"} == marks


def test_lines_are_wrapped_without_parting_a_number_from_its_per_cent() -> None:
    analysis = found(STAR, ("E5", 0.6, 0.634, 2.34), ("D5", 0.4, 0.5, -0.06), line="E5 D5 F5")
    position = STAR.replay(["A6", "A7"])
    choice = Choice(analysis.candidates[0].move, analysis)
    for width in range(24, 80):
        lines = hint_lines(STAR, position, choice, width)

        assert max(map(len, lines)) <= width
        assert not any(line.lstrip().startswith("%") for line in lines)
        assert " ".join(hint(STAR, position, choice)).split() == " ".join(lines).split()


@pytest.mark.costly
@pytest.mark.parametrize(
    ("spec", "moves"),
    [("star(size=6)", "F6 E5 D4"), ("hex(size=11)", "F6 G5 E7"), ("starstar(size=6,double)", "")],
)
def test_no_sample_is_told_as_a_proof_however_few_simulations_it_has(spec: str, moves: str) -> None:
    game = parse_game(spec)
    position = game.replay(moves.split() or ["S60", "T60+A60"])
    for seed in range(60):
        choice = choose(game, position, FIRST_SEARCH._replace(simulations=8), seed)
        words = "\n".join(hint(game, position, choice))
        chances = [each["chance"] for each in hint_document(game, position, choice)["candidates"]]

        assert "wins whatever" not in words
        assert not re.search(r"\b(0|100) %", words)
        assert chances
        assert all(0.01 <= chance <= 0.99 for chance in chances)


@pytest.mark.costly
@pytest.mark.parametrize(
    "level",
    [
        pytest.param(each, marks=[pytest.mark.slow][: each.simulations > HINT_LEVEL.simulations])
        for each in LEVELS
        if not each.temperature
    ],
)
def test_of_the_moves_of_a_puzzle_only_the_solution_is_said_to_win(level: Level) -> None:
    for puzzle in puzzles():
        choice = choose(puzzle.game, puzzle.position, level, puzzle.number)
        chances = {
            each["move"]: each["chance"]
            for each in hint_document(puzzle.game, puzzle.position, choice)["candidates"]
        }
        words = "\n".join(hint(puzzle.game, puzzle.position, choice))
        others = words.replace(f"{puzzle.solution}, which wins whatever is played", "")

        assert choice.move
        assert chances.pop(puzzle.solution, 1) > 0
        assert all(chance < 1 for chance in chances.values())
        assert "wins whatever" not in others
        assert not re.search(r"\bwins?\b", words) or choice.move.text == puzzle.solution


@pytest.mark.parametrize("spec", ["star(size=6)", "hex(size=7)", "y(size=9)"])
def test_a_first_stone_is_called_even_only_where_it_is(spec: str) -> None:
    game, chance = parse_game(spec), Random(spec)
    seen = set()
    for name in chance.sample(game.board.names, 15):
        move = game.parse_move(name)
        [line] = hint(game, game.start(), Choice(move))
        of_x = chance_after(game, move.cells[0])
        assert of_x is not None
        is_even = abs(of_x - 0.5) <= NEARLY_EVEN
        seen.add(is_even)

        assert line.startswith(f"Best: {name}, ")
        assert is_even is ("nearly even" in line)
        assert is_even is not ("the most even first stone" in line)
        assert line.endswith(f"X's winning chance {100 * of_x:.0f} %.")
    assert False in seen


def test_a_game_that_is_lost_says_so_and_has_no_moves() -> None:
    position = HEX.replay(["A1", "E5"])
    document = hint_document(HEX, position, Choice(None))

    assert ["This position is lost, whatever you play."] == hint(HEX, position, Choice(None))
    assert {"best": None, "candidates": [], "reasons": [], "line": []} == document


@pytest.mark.parametrize(
    ("second", "third", "order"),
    [
        ((0.5, -0.06), (0.6, -7.0), ["F5", "D5"]),
        ((0.5, -3.0), (0.501, 2.0), ["F5", "D5"]),
        ((0.504, 2.0), (0.5, -3.0), ["D5", "F5"]),
        ((0.999, 1.0), (0.01, 0.5), ["D5", "F5"]),
    ],
)
def test_other_moves_are_told_in_order_of_worth(
    second: tuple[float, float], third: tuple[float, float], order: list[str]
) -> None:
    analysis = found(STAR, ("E5", 0.6, 0.634, 2.34), ("D5", 0.3, *second), ("F5", 0.1, *third))
    position = STAR.replay(["A6", "A7"])
    choice = Choice(analysis.best.move, analysis)
    also = [line for line in said(STAR, "A6 A7", analysis) if line.startswith("Also: ")]
    told = [each["move"] for each in hint_document(STAR, position, choice)["candidates"]]
    found_marks = hint_marks(position, choice)
    marks = {letter: STAR.board.names[cell] for cell, letter in found_marks.items()}

    assert order == [line.split()[1].rstrip(",") for line in also]
    assert ["E5", *order] == told == [marks[letter] for letter in LETTERS]
