"""Strategies for random stones."""

from hypothesis import strategies as st

from pbmserv.engine.game import Game
from pbmserv.engine.position import Position


def full_boards(game: Game) -> st.SearchStrategy[Position]:
    """Return a strategy for positions without an empty cell."""
    return _stones(game, {0: 1, 1: 2})


def partial_boards(game: Game) -> st.SearchStrategy[Position]:
    """Return a strategy for positions with about a third of the cells empty."""
    return _stones(game, {0: 0, 1: 1, 2: 2})


def _stones(game: Game, values: dict[int, int]) -> st.SearchStrategy[Position]:
    count = len(game.board)
    raw = st.binary(min_size=count, max_size=count)
    return raw.map(lambda drawn: Position(bytes(values[byte % len(values)] for byte in drawn)))
