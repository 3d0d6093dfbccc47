"""The line above a score sheet: points, or in a game without any what the winner has done."""

import pytest

from pbmserv.engine.spec import parse_game
from pbmserv.render.score_lines import headline


@pytest.mark.parametrize(
    ("spec", "moves", "is_over", "expected"),
    [
        ("star(size=3)", "C1 pass", False, "Score if it ended now: X: 1   O: 0   X is ahead by 1"),
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
