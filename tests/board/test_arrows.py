"""Arrow keys: where they lead on every board of every size."""

from collections.abc import Iterator
from itertools import product

import pytest

from pbmserv.board.arrows import Arrow, arrows_of, diagonal, far_neighbours
from pbmserv.engine.board import Board
from pbmserv.engine.games import find_game, game_names
from pbmserv.engine.spec import parse_game
from pbmserv.errors import Misunderstood


def boards_of(name: str) -> Iterator[Board]:
    """Yield every board of a game, each once."""
    game = find_game(name)
    shaping = [
        option for option in game.options() if option.name in {"size", "sides", "notch", "shape"}
    ]
    values = [o.choices or range(o.low or 0, (o.high or 0) + 1) for o in shaping]
    seen = set()
    for chosen in product(*values):
        try:
            board = game(**{o.name: v for o, v in zip(shaping, chosen, strict=True)}).board
        except Misunderstood:
            continue  # a notch too deep for the size, or a size that a shape does not have
        if board not in seen:
            seen.add(board)
            yield board


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("name", game_names())
def test_every_neighbour_is_two_keys_away_on_every_board(name: str) -> None:
    far = [
        f"{board.title}: {board.names[cell]}"
        for board in boards_of(name)
        for cell in range(len(board))
        if far_neighbours(board, arrows_of(board), cell)
    ]

    # Then every cell is at most twice its distance away.
    assert [] == far


def test_up_goes_straight_up_on_a_lattice() -> None:
    board = parse_game("star(size=6)").board
    cell, columns = board.index["C9"], []
    while (above := arrows_of(board)[cell].get(Arrow.UP)) is not None:
        columns.append(board.points[cell].column)
        cell = above

    assert max(columns) - min(columns) <= 2
    assert board.points[cell].line == board.points[0].line


def test_no_arrow_leads_off_the_board_and_none_against_its_way() -> None:
    board = parse_game("starstar(size=6)").board
    for start, arrows in enumerate(arrows_of(board)):
        here = board.points[start]
        for arrow, cell in arrows.items():
            across, down = arrow.value
            there = board.points[cell]
            assert (there.column - here.column) * across + (there.line - here.line) * down > 0


def test_the_corner_keys_go_along_links() -> None:
    board = parse_game("star(size=6)").board
    start = board.index["E6"]

    def led(*ways: Arrow) -> str | None:
        cell = diagonal(board, start, (ways[0], ways[1]))
        return None if cell is None else board.names[cell]

    assert ("E5", "F5") == (led(Arrow.LEFT, Arrow.UP), led(Arrow.RIGHT, Arrow.UP))
    assert ("D7", "E7") == (led(Arrow.LEFT, Arrow.DOWN), led(Arrow.RIGHT, Arrow.DOWN))
