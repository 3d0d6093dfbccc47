"""Puzzles: each has one solution, is shown, answered, and counted."""

import json
from pathlib import Path

import pytest

from pbmserv.board.saved_games import load_solved, save_solved
from pbmserv.club.puzzles import FILE, puzzle_of_day, puzzles
from pbmserv.commands.puzzle import puzzle_answer, read_words
from pbmserv.computer.game_arrays import arrays_of
from pbmserv.engine.games import find_game, game_names
from pbmserv.engine.moments import DAY
from pbmserv.errors import InvalidMove
from tests.generators.puzzles import winning_moves

PLAYED_BY_THE_COMPUTER = {name for name in game_names() if arrays_of(find_game(name)())}


def test_there_are_a_hundred_and_they_are_of_all_games() -> None:
    assert len(puzzles()) >= 100
    assert {puzzle.game.name for puzzle in puzzles()} == PLAYED_BY_THE_COMPUTER
    assert len({(puzzle.game, puzzle.moves) for puzzle in puzzles()}) == len(puzzles())


@pytest.mark.slow
def test_a_puzzle_has_one_solution(full: bool) -> None:  # noqa: FBT001
    for puzzle in puzzles() if full else puzzles()[::25]:
        found = winning_moves(puzzle.game, puzzle.position)

        assert found is not None
        assert [puzzle.solution] == [move.text for move in found], puzzle.number


def test_there_is_another_one_every_day() -> None:
    shown = [puzzle_of_day(day * DAY).number for day in range(len(puzzles()))]

    assert sorted(shown) == list(range(1, len(puzzles()) + 1))
    assert puzzle_of_day(DAY - 1) == puzzle_of_day(0)


def test_what_was_solved_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "data" / "puzzles.solved"

    assert load_solved(file) == set()

    save_solved(file, {3, 1})

    assert load_solved(file) == {1, 3}

    file.write_text("no JSON")

    assert load_solved(file) == set()


def test_the_file_tells_where_each_comes_from() -> None:
    rows = json.loads(FILE.read_text(encoding="utf-8"))

    assert all({"game", "moves", "solution", "seed"} == row.keys() for row in rows)


@pytest.mark.parametrize("number", [1, 7, len(puzzles())])
def test_a_solution_is_right_however_it_is_written_and_no_other_move_is(number: int) -> None:
    found = puzzles()[number - 1]
    other = next(
        move.text
        for move in found.game.legal_moves(found.position)
        if move.cells and move.text != found.solution
    )
    said = {
        found.solution: True,
        found.solution.lower(): True,
        f"({found.solution})": True,
        "solution": None,
        "SOLUTION": None,
        other: False,
    }

    for word, is_solved in said.items():
        answer = puzzle_answer(*read_words([str(number), word], 0))
        assert (number, is_solved) == (answer.document["puzzle"], answer.document["solved"]), word
        assert (found.solution in str(answer.blocks)) is (word != other)


def test_behind_the_last_puzzle_comes_the_first() -> None:
    hints = {}
    for number in (1, 2, len(puzzles())):
        with pytest.raises(InvalidMove) as caught:
            read_words([str(number), "next"], 0)
        hints[number] = caught.value.advice

    assert {
        1: "Did you mean pbmserv puzzle 2?",
        2: "Did you mean pbmserv puzzle 3?",
        len(puzzles()): "Did you mean pbmserv puzzle 1?",
    } == hints
