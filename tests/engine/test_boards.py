"""How many symmetries boards have, and how many of them keep the score."""

import pytest

from pbmserv.engine.spec import parse_game


@pytest.mark.parametrize(
    ("spec", "of_the_board", "of_the_game"),
    [
        ("star(size=4)", 5, 5),
        ("starstar(size=4)", 9, 9),
        ("starweb(size=4)", 11, 11),
        ("polyy(size=3,sides=7)", 13, 13),
        ("y(size=4)", 5, 5),
        ("hex(size=4)", 3, 1),
    ],
)
def test_boards_and_games_have_their_symmetries(
    spec: str, of_the_board: int, of_the_game: int
) -> None:
    game = parse_game(spec)

    assert (of_the_board, of_the_game) == (len(game.board.symmetries), len(game.symmetries))
