"""What a game can still come to, against everything that may come."""

from itertools import islice, product
from random import Random

import pytest

from pbmserv.engine.game import Game
from pbmserv.engine.games import game_names
from pbmserv.engine.position import EMPTY, Position, Side
from pbmserv.engine.score import Points
from pbmserv.engine.score_tables import TieRule
from pbmserv.engine.settle import MarginBounds, points_bounds, settled
from pbmserv.engine.spec import format_game, parse_game

from .sample_games import balance_of, games_with_random_options, position_with, random_game, spread

SOME = [game for name in game_names() for game in islice(games_with_random_options(name), 12)]
SMALL = [*dict.fromkeys(game for game in (*spread(), *SOME) if len(game.board) <= 60)]
EACH_SMALL = pytest.mark.parametrize("game", SMALL, ids=format_game)


def few_empty(game: Game, empty: int, seed: int) -> Position:
    """Return a position that random play could reach, with so many empty cells."""
    chance = Random(seed)
    cells = chance.sample(range(len(game.board)), len(game.board))
    stones = bytearray(len(cells))
    for number, cell in enumerate(cells[empty:]):
        stones[cell] = 1 + number % 2
    return position_with(game, bytes(stones))


def fillings(stones: bytes) -> list[bytes]:
    """Return every way to fill the board."""
    holes = [cell for cell, stone in enumerate(stones) if stone == EMPTY]
    result = []
    for choice in product((1, 2), repeat=len(holes)):
        full = bytearray(stones)
        for cell, stone in zip(holes, choice, strict=True):
            full[cell] = stone
        result.append(bytes(full))
    return result


@EACH_SMALL
def test_the_bounds_are_the_extremes_of_all_fillings(game: Game, full: bool) -> None:  # noqa: FBT001
    for seed in range(60 if full else 3):
        position = few_empty(game, 1 + seed % (6 if full else 4), seed)
        found = settled(game, position)
        if found is None:
            continue
        balances = [balance_of(game, Position(stones)) for stones in fillings(position.stones)]
        margins = [margin for margin, _ in balances]
        winners = {winner for _, winner in balances}

        assert (min(margins), max(margins)) == (found.low, found.high), position
        assert (winners.pop() if len(winners) == 1 else None) == found.winner, position


@EACH_SMALL
def test_no_filling_gives_a_side_points_beyond_its_bounds(game: Game) -> None:
    for seed in range(3):
        position = few_empty(game, 1 + seed, seed)
        points = [points_of(game, stones) for stones in fillings(position.stones)]
        if None in points or settled(game, position) is None:
            continue
        low, high = points_bounds(game, position)
        for side in Side:
            of_side = [each[side] for each in points if each is not None]

            assert (min(of_side), max(of_side)) == (low[side], high[side]), position


def points_of(game: Game, stones: bytes) -> Points | None:
    full = Position(stones)
    return game.points_to_agree(game.score(full.with_trace(game.trace_of(full))))


@EACH_SMALL
def test_no_later_moment_leaves_the_bounds(game: Game, full: bool) -> None:  # noqa: FBT001
    for seed in range(50 if full else 2):
        low, high = -10_000, 10_000
        winner: Side | None = None
        for _, position in random_game(game, seed):
            found = settled(game, position)
            margin, leader = balance_of(game, position)
            if found is not None:
                low, high = max(low, found.low), min(high, found.high)
                winner = winner or found.winner

            assert low <= margin <= high, (seed, position)
            assert winner in {None, leader}, (seed, position)


def test_a_chain_that_cannot_be_outdone_settles_the_game() -> None:
    game = parse_game("star(size=3)")
    position = game.position_of({Side.X: ["C1", "D1", "D2", "D3", "C4"]})  # 10 of 15 externals
    found = settled(game, position)

    assert MarginBounds(3, 13, Side.X) == found
    assert found is not None
    assert "X wins by 3 to 13, whatever is played." == found.words


def test_a_tie_is_won_where_the_game_breaks_it() -> None:
    game = parse_game("starweb(size=4)")
    position = few_empty(game, 3, 82)  # O is ahead, and X at best draws level
    found = settled(game, position)

    assert MarginBounds(-15, 0, Side.O) == found
    assert found is not None
    assert "O wins by up to 15 or by the tie-break, whatever is played." == found.words


def test_nothing_is_told_after_the_end() -> None:
    game = parse_game("star(size=3)")

    assert settled(game, game.replay(["A3", "pass", "pass"])) is None


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        (MarginBounds(3, 9, Side.X), "X wins by 3 to 9, whatever is played."),
        (MarginBounds(-9, -3, Side.O), "O wins by 3 to 9, whatever is played."),
        (MarginBounds(3, 3, Side.X), "X wins by 3, whatever is played."),
        (MarginBounds(-4, 0, Side.O), "O wins by up to 4 or by the tie-break, whatever is played."),
        (MarginBounds(0, 0, Side.O), "O wins the tie, whatever is played."),
        (MarginBounds(0, 0, None), "The game is a draw, whatever is played."),
        (MarginBounds(-1, 1, None), "Still open: any margin from X by 1 to O by 1."),
        (MarginBounds(-1, 1, None, TieRule.MAJORITY), "Still open."),
        (MarginBounds(1, 1, Side.X, TieRule.MAJORITY), "X wins, whatever is played."),
        (MarginBounds(-1, 0, Side.O, TieRule.MAJORITY), "O wins, whatever is played."),
        (MarginBounds(0, 0, None, TieRule.BEST_CHAIN), "Still open: even, tie-break not counted."),
        (MarginBounds(-7, 25, None), "Still open: any margin from X by 25 to O by 7."),
        (MarginBounds(0, 6, None), "Still open: any margin from X by 6 to even."),
    ],
)
def test_the_bounds_are_told_in_words(bounds: MarginBounds, words: str) -> None:
    assert words == bounds.words
    assert words.endswith("whatever is played.") == bounds.is_certain


@pytest.mark.parametrize(
    ("bounds", "winner"),
    [
        (MarginBounds(3, 9, Side.X), "X"),
        (MarginBounds(0, 0, Side.O), "O"),
        (MarginBounds(0, 0, None), "draw"),
        (MarginBounds(0, 0, None, TieRule.BEST_CHAIN), None),
        (MarginBounds(-1, 5, None), None),
    ],
)
def test_the_document_says_who_wins_for_certain(bounds: MarginBounds, winner: str | None) -> None:
    assert {"low": bounds.low, "high": bounds.high, "winner": winner} == bounds.document
