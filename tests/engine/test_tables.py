"""The tables of every game against its own score, on random full boards."""

from collections.abc import Iterator
from itertools import islice
from random import Random

import pytest

from pbmserv.engine.game import Game
from pbmserv.engine.games import game_names
from pbmserv.engine.position import Position, Side
from pbmserv.engine.score_tables import FullBoardResult, Tables
from pbmserv.engine.settle import tables_of

from .sample_games import balance_of, games_with_random_options, random_filling

BY_NAME = pytest.mark.parametrize("name", game_names())


def games_of(name: str, count: int) -> Iterator[tuple[Game, Tables]]:
    """Yield so many games with their tables, each option chosen at random."""
    for game in islice(games_with_random_options(name), count):
        tables = tables_of(game)
        if tables is None:
            pytest.skip(f"{name} gives no tables")
        yield game, tables


@BY_NAME
def test_the_points_of_all_chains_add_up_where_the_tables_say_so(name: str) -> None:
    for game, tables in games_of(name, 10):
        sums = set()
        for seed in range(10):
            stones = random_filling(game, seed, full=True)
            marks = [mark for side in Side for mark in tables.chain_marks(stones, side)]
            total = sum(tables.points[mark] for mark in marks)
            # Two chains of one side may both win.
            sums.add(min(total, 1) if tables.total == 1 else total)

        assert tables.total is None or {tables.total} == sums, game


def balance_by_tables(game: Game, tables: Tables, stones: bytes) -> FullBoardResult:
    margin, winner = tables.balance(stones)
    return FullBoardResult(margin, winner or game.tie_winner(Position(stones)))


@pytest.mark.costly(stay=1)
@BY_NAME
def test_tables_give_the_score_of_every_full_board(name: str, full: bool) -> None:  # noqa: FBT001
    for game, tables in games_of(name, 340 if full else 40):
        for seed in range(50 if full else 10):
            stones = random_filling(game, seed, full=True)
            expected = balance_of(game, Position(stones))

            assert expected == balance_by_tables(game, tables, stones), (game, stones)


@BY_NAME
def test_giving_a_cell_away_never_betters_ones_standing(name: str, full: bool) -> None:  # noqa: FBT001
    for game, tables in games_of(name, 100 if full else 10):
        for seed in range(20 if full else 4):
            stones = random_filling(game, seed, full=True)
            before = tables.balance(stones)
            for cell in Random(seed).choices(range(len(stones)), k=10):
                turned = bytearray(stones)
                turned[cell] = 3 - turned[cell]
                after = tables.balance(bytes(turned))
                lower, higher = (after, before) if turned[cell] == 2 else (before, after)

                assert lower.margin <= higher.margin, (game, stones, cell)
                assert worth(lower) <= worth(higher), (game, stones, cell)


def worth(balance: FullBoardResult) -> int:
    return 0 if balance.winner is None else 3 - 2 * balance.winner.stone
