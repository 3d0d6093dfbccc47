"""The line above a score sheet: points, or in a game without any what the winner has done."""

import pytest

from pbmserv.club.clock import Deadline
from pbmserv.club.wording import left_words
from pbmserv.engine.settle import settled
from pbmserv.engine.spec import parse_game
from pbmserv.render.score_lines import explanation_lines, headline, prospect_lines, sheet_lines
from tests.render.pictured_boards import all_boards, random_position


@pytest.mark.parametrize(
    ("spec", "moves", "is_over", "expected"),
    [
        (
            "star(size=3)",
            "C1 pass",
            False,
            "Score if the game ended now: X: 1   O: 0   X is ahead by 1",
        ),
        ("star(size=3)", "C1 pass", True, "Score: X: 1   O: 0   X is ahead by 1"),
        ("star(size=3)", "C1 A3", True, "Score: X: 1   O: 1   even"),
        ("y(size=3)", "C1 pass B2", False, "Nobody has won yet."),
        ("y(size=3)", "C1 pass B2", True, "Nobody had won on the board."),
        ("y(size=3)", "C1 pass B2 pass A3", True, "X has joined all three sides."),
        ("polyy(sides=3,size=2)", "00 pass A10", False, "Nobody has won yet."),
        (
            "polyy(sides=3,size=2)",
            "pass 00 pass A10 pass B10",
            True,
            "O owns more than half of the 3 corners.",
        ),
    ],
)
def test_the_headline(spec: str, moves: str, is_over: bool, expected: str) -> None:  # noqa: FBT001
    game = parse_game(spec)
    position = game.start()
    for text in moves.split():
        position = game.play(position, game.parse_move(text))

    assert headline(game.score(position), is_over=is_over) == expected


def test_a_sheet_has_an_empty_line_between_its_parts_alone() -> None:
    for game in all_boards():
        lines = sheet_lines(game, game.score(random_position(game, 2)), "First")
        after = [lines[number + 1] for number, line in enumerate(lines) if not line.strip()]

        assert ["X: ", "O: "] == [line[:3] for line in after[:2]], game
        assert len(after) <= 3
        assert max(map(len, lines)) <= 78
        walk = "\n".join(explanation_lines(game, game.score(random_position(game, 2)), "First"))
        assert "\n\n\n" not in walk, game


@pytest.mark.parametrize(
    ("spec", "moves", "is_told"),
    [
        ("star(size=3)", "C1 A3", True),
        ("y(size=3)", "C3 B3", False),
    ],
)
def test_what_can_still_become_of_points_is_told_and_of_a_game_without_what_is_certain(
    spec: str,
    moves: str,
    is_told: bool,  # noqa: FBT001
) -> None:
    game = parse_game(spec)
    position = game.replay(moves.split())
    score, bounds = game.score(position), settled(game, position)

    assert bounds is not None
    assert ([bounds.words] if is_told else []) == prospect_lines(score, bounds)
    assert [] == prospect_lines(score, None)


def test_time_is_left_until_the_moment_itself() -> None:
    due = Deadline(1_000_000, is_reminded=False)

    assert ("1 min", "overdue") == (left_words(due, 999_940), left_words(due, 1_000_000))
    assert "2 d 4 h" == left_words(due, 1_000_000 - 2 * 86_400 - 4 * 3_600 - 59)
