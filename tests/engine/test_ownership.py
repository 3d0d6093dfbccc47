"""Who owns what, against what the score says of the same positions."""

from random import Random

import pytest

from pbmserv.engine.game import Game
from pbmserv.engine.games import find_game, game_names
from pbmserv.engine.games.star import Star
from pbmserv.engine.position import Position, Side
from pbmserv.engine.score import Ownership
from pbmserv.engine.spec import parse_game


def filled(game: Game, seed: int) -> Position:
    """Return a position in large patches, so that there are chains, stars and regions."""
    chance = Random(seed)
    stones = bytearray(len(game.board))
    for _ in range(len(stones) // 3):
        cell = chance.randrange(len(stones))
        stone = chance.choice((0, 1, 1, 2, 2))
        for near in (cell, *game.board.neighbours[cell]):
            stones[near] = stone
    return Position(bytes(stones))


@pytest.mark.parametrize("name", game_names())
def test_nobody_owns_their_own_stone_and_an_empty_board_has_no_owner(name: str) -> None:
    game = find_game(name)()
    empty = game.ownership(Position(bytes(len(game.board))))

    assert (empty.cells, empty.corners, empty.corner_counts) == ({}, {}, {})
    for seed in range(10):
        position = filled(game, seed)
        owned = game.ownership(position).cells

        assert [] == [cell for cell, owner in owned.items() if position.stones[cell] == owner.stone]


@pytest.mark.parametrize("name", ["y", "hex"])
def test_games_of_connection_mark_nothing(name: str) -> None:
    game = find_game(name)()

    assert game.ownership(filled(game, 1)) == Ownership()


def test_the_peries_that_a_side_owns_are_those_of_its_score() -> None:
    game = parse_game("starstar(size=6)")
    rim = range(min(game.board.corners), len(game.board))
    for seed in range(30):
        position = filled(game, seed)
        lists = game.score(position).details
        owned = game.ownership(position).cells
        for side in Side:
            in_stars = {
                peri for star in lists["star_groups"][side.value] for peri in star["peries"]
            }
            in_regions = {
                peri
                for region in lists["regions"]
                if region["owner"] == side.value
                for peri in region["peries"]
            }
            marked = {game.board.names[cell] for cell in rim if owned.get(cell) is side}
            own_stones = {
                game.board.names[cell] for cell in rim if position.stones[cell] == side.stone
            }

            assert in_regions - own_stones == marked
            assert in_stars.isdisjoint(marked)


def test_a_region_without_a_peri_is_owned_too() -> None:
    game = parse_game("starstar(size=4)")
    around = "A20 A21 R20 R21 *20 *21 S20 S21 T20 T21 A30 A40 A41"
    owned = game.ownership(game.position_of({Side.X: around.split(), Side.O: ["A10"]})).cells
    middle = {"A10", "R10", "*10", "S10", "T10"}

    assert middle <= {game.board.names[cell] for cell, side in owned.items() if side is Side.X}


@pytest.mark.parametrize(("corners", "count"), [(3, 33), (2, 27)])
def test_the_externals_that_a_side_touches_are_those_of_its_chains(
    corners: int, count: int
) -> None:
    game = Star(size=6, corners=corners)
    for seed in range(10):
        position = filled(game, seed)
        externals = game.ownership(position).externals
        for side in Side:
            chains = sum(chain.externals for chain in game.chains(position, side))
            touched = sum(side in external.sides for external in externals)

            # Two chains of one colour may touch the same external.
            assert bool(touched) == bool(chains)
            assert touched <= chains
        assert count == len({external.point for external in externals})


def test_a_chain_touches_the_externals_of_the_example() -> None:
    game = Star(size=6)
    chain = ["J3", "I4", "H5", "G6", "G7", "G8", "G9", "H4", "H3", "H2", "H1", "I1"]
    position = game.position_of({Side.O: chain})
    (one,) = game.chains(position, Side.O)
    externals = game.ownership(position).externals

    assert one.externals == sum(external.sides == {Side.O} for external in externals)


def test_the_corners_of_groups_add_up_to_those_that_are_held() -> None:
    game = find_game("starweb")()
    for seed in range(20):
        position = filled(game, seed)
        counts = game.ownership(position).corner_counts
        for side in Side:
            held = sum(position.stones[cell] == side.stone for cell in game.board.corners)
            marked = [n for cell, n in counts.items() if position.stones[cell] == side.stone]

            assert held == sum(marked)
            assert len(game.score(position).details["groups"][side.value]) == len(marked)


def test_a_count_of_two_digits_keeps_off_the_mark_of_the_stone_before_it() -> None:
    game = parse_game("starweb(size=4)")
    for seed in range(200):
        chance = Random(seed)
        stones = bytes(chance.choice((1, 1, 1, 2)) for _ in game.board.names)
        counts = game.ownership(Position(stones)).corner_counts
        large = [cell for cell, count in counts.items() if count > 9]

        assert [] == [cell for cell in large if cell - 1 in counts]


def test_the_corners_of_a_polygon_are_those_of_its_score() -> None:
    game = parse_game("polyy(size=4,sides=7)")
    for seed in range(30):
        position = filled(game, seed)
        corners = game.ownership(position).corners
        lists = game.score(position).details["corners"]

        assert lists == {
            side.value: [
                game.board.names[cell] for cell in game.board.corners if corners.get(cell) is side
            ]
            for side in Side
        }
