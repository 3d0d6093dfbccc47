"""Every game with a spread of options, and seeded random games of it."""

from collections.abc import Callable, Iterator
from functools import cache
from random import Random
from typing import Any

import pytest

from pbmserv.engine.game import JOINT, Game, GameOption
from pbmserv.engine.games import find_game, game_names
from pbmserv.engine.position import EMPTY, PASS, SWAP, Move, Position, Side
from pbmserv.engine.score_tables import FullBoardResult
from pbmserv.engine.spec import format_game
from pbmserv.errors import Misunderstood


def spread() -> Iterator[Game]:
    """Yield every game on small, middling and large boards, and with each option changed."""
    for name in game_names():
        game_type = find_game(name)
        sizing, *others = game_type.options()
        sizes = values_of(sizing)
        yield from (game_type(**{sizing.name: size}) for size in sizes)
        for option in others:
            for value in values_of(option):
                for size in ({sizing.name: sizes[0]}, {}):  # a shape may have no small board
                    try:
                        game = game_type(**size, **{option.name: value})
                    except Misunderstood:
                        continue
                    if game != game_type(**size):
                        yield game
                    break


@cache
def _spread_of(name: str) -> list[Game]:
    return [game for game in spread() if game.name == name]


def on_every_game(test: Callable[[Game], None]) -> Callable[[str], None]:
    """Have a test look at every game of the spread; of each kind they are one test."""

    @pytest.mark.parametrize("name", game_names())
    def over_the_games(name: str) -> None:
        for game in _spread_of(name):
            try:
                test(game)
            except BaseException as failure:
                failure.add_note(f"This was with {format_game(game)}.")
                raise

    over_the_games.__name__ = test.__name__
    over_the_games.on = test  # type: ignore[attr-defined]
    return over_the_games


def values_of(option: GameOption) -> list[Any]:
    """Return some values of an option, the extremes among them."""
    if option.choices:
        return list(option.choices)
    if option.is_flag:
        return [True]
    assert option.low is not None, option.name
    assert option.high is not None, option.name
    return [option.low, (option.low + option.high) // 2, option.high]


def games_with_random_options(name: str) -> Iterator[Game]:
    """Yield games of one kind without end, each option chosen at random."""
    chance = Random(name)
    game_type = find_game(name)
    while True:
        chosen: dict[str, Any] = {
            option.name: chance.choice(option.choices)
            if option.choices
            else chance.random() < 0.5
            if option.is_flag
            else chance.randint(option.low or 0, option.high or 0)
            for option in game_type.options()
        }
        try:
            yield game_type(**chosen)
        except Misunderstood:
            continue


def random_move(game: Game, position: Position, chance: Random) -> Move:
    """Return a legal move: mostly stones, now and then a pass, a swap or half a turn."""
    if game.may_swap(position) and chance.random() < 0.5:
        return SWAP
    if chance.random() < 0.02:
        return PASS
    empty = [cell for cell, stone in enumerate(position.stones) if stone == EMPTY]
    due = game.stones_due(position)
    cells = chance.sample(empty, due)
    names = [game.board.names[cell] for cell in cells]
    if due == 2 and chance.random() < 0.1:
        names[1] = "-"
    return game.parse_move(JOINT.join(names))


def random_game(game: Game, seed: object) -> Iterator[tuple[Move | None, Position]]:
    """Yield the start and then every move of a random game with the position after it."""
    chance = Random(repr(seed))
    position = game.start()
    yield None, position
    while not game.is_over(position):
        move = random_move(game, position, chance)
        position = game.play(position, move)
        yield move, position


def random_filling(game: Game, seed: object, *, full: bool = False) -> bytes:
    """Return random stones, on every cell or on some part of the board."""
    chance = Random(repr(seed))
    share = 1.0 if full else chance.random()
    lean = chance.uniform(0.25, 0.75)
    return bytes(
        (1 if chance.random() < lean else 2) if chance.random() < share else EMPTY
        for _ in game.board.names
    )


def position_with(game: Game, stones: bytes) -> Position:
    """Return the position of these stones with its trace."""
    position = Position(stones)
    return Position(stones, trace=game.trace_of(position))


def balance_of(game: Game, position: Position) -> FullBoardResult:
    """Return X's margin and the winner by the game's own score if the game ended now."""
    score = game.score(position)
    outcome = game.outcome(position) or game.when_passed_out(position)
    return FullBoardResult(score.lead if score.winner is Side.X else -score.lead, outcome.winner)
