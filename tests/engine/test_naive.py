"""The engine against the naive scorers: the same boards and, on any position, the same facts."""

from itertools import chain, cycle
from random import Random

import pytest

from pbmserv.engine.game import Game
from pbmserv.engine.games import game_names
from pbmserv.engine.position import Position, Side
from pbmserv.engine.spec import parse_game

from .naive.fillings import Stones, all_fillings, random_fillings
from .rivals import RIVALS, Facts

SPECS = [spec for name in game_names() if name in RIVALS for spec in RIVALS[name].specs]


def set_up(game: Game, stones: Stones) -> Position:
    return game.position_of({Side(side): cells for side, cells in stones.items()})


def engine_facts(game: Game, position: Position) -> Facts:
    return RIVALS[game.name].facts(game.score(position))


def may_end_early(game: Game) -> bool:
    """Tell whether the naive scorer knows no winner until the game is decided."""
    return RIVALS[game.name].naive(game, {"X": set(), "O": set()})["winner"] is None


def decided_for(game: Game, position: Position) -> str | None:
    """Return the side for which the engine calls the position decided, if it does."""
    decision = game.decided(position)
    return decision.winner.value if decision and decision.winner else None


@pytest.mark.parametrize("name", game_names())
def test_a_game_has_a_naive_rival(name: str) -> None:
    assert name in RIVALS, f"nobody has written a naive scorer of {name} in tests/engine/naive"
    spread = {spec.partition("(")[0] for spec in RIVALS[name].specs}

    assert {name} == spread


@pytest.mark.parametrize("spec", SPECS)
def test_the_boards_agree(spec: str) -> None:
    game = parse_game(spec)
    board = game.board
    actual = {
        name: {board.names[cell] for cell in board.neighbours[number]}
        for number, name in enumerate(board.names)
    }

    assert RIVALS[game.name].board(game) == actual


@pytest.mark.slow
@pytest.mark.parametrize("spec", SPECS)
def test_random_positions_score_the_same(spec: str, full: bool) -> None:  # noqa: FBT001
    game = parse_game(spec)
    rival = RIVALS[game.name]
    early = may_end_early(game)
    count = 2500 if full else 125
    for stones in random_fillings(rival.board(game), count, spec):
        expected = rival.naive(game, stones)
        position = set_up(game, stones)

        assert expected == engine_facts(game, position), stones
        assert (expected["winner"] if early else None) == decided_for(game, position), stones


@pytest.mark.costly(stay=13)
@pytest.mark.parametrize("spec", SPECS)
def test_random_games_are_decided_at_the_same_move(spec: str, full: bool) -> None:  # noqa: FBT001
    game = parse_game(spec)
    rival = RIVALS[game.name]
    random = Random(spec)
    cells = sorted(rival.board(game))
    early = may_end_early(game)
    for _ in range(20 if full else 2):
        stones: Stones = {"X": set(), "O": set()}
        position = game.start()
        for side, cell in zip(cycle("XO"), random.sample(cells, len(cells)), strict=False):
            stones[side].add(cell)
            position = game.play(position, game.parse_move(cell))
            winner = rival.naive(game, stones)["winner"] if early else None

            assert winner == decided_for(game, position), stones
            assert (winner is not None or position.is_full) == game.is_over(position), stones
            if game.is_over(position):
                break
        outcome = game.outcome(position)
        winner = rival.naive(game, stones)["winner"]

        assert outcome is not None
        assert (None if winner == "draw" else Side(winner)) == outcome.winner, stones


@pytest.mark.costly
@pytest.mark.parametrize(
    "options",
    [
        "corners=2",
        *(pytest.param(o, marks=pytest.mark.slow) for o in ("corners=3", "maxi", "maxi,corners=2")),
    ],
)
def test_every_position_of_the_smallest_star_board_scores_the_same(
    options: str,
    full: bool,  # noqa: FBT001
) -> None:
    game = parse_game(f"star(size=3,{options})")
    rival = RIVALS["star"]
    cells = rival.board(game)
    some = chain(all_fillings(cells, "XO"), random_fillings(cells, 1000, options))
    for stones in all_fillings(cells, "XO.") if full else some:
        expected = rival.naive(game, stones)

        assert expected == engine_facts(game, set_up(game, stones)), stones
