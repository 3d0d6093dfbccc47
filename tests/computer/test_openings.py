"""The table of first stones: every game and size is in it, and levels open and swap by it."""

from random import Random

import pytest

from pbmserv.computer.level_list import LEVELS
from pbmserv.computer.levels import choose
from pbmserv.computer.openings import NEARLY, chance_after, distinct_cells, even_opening, table
from pbmserv.engine.position import PASS, SWAP, Side
from pbmserv.engine.spec import parse_game
from tests.generators import openings
from tests.generators.openings import all_specs, compute

TABLE = table()
BEGINNER = LEVELS[0]


@pytest.mark.slow
def test_every_game_of_every_size_is_in_the_table_and_nothing_else() -> None:
    assert {*all_specs()} == TABLE["chances"].keys()
    assert {"seed", "simulations", "chances"} == TABLE.keys()


@pytest.mark.costly
def test_a_row_has_one_cell_of_those_that_look_alike() -> None:
    for spec, row in TABLE["chances"].items():
        game = parse_game(spec)

        assert [*row] == [game.board.names[cell] for cell in distinct_cells(game)]
        assert all(0 <= chance <= 1000 for chance in row.values())


def test_the_first_stone_is_nearly_the_most_even_one_and_varies() -> None:
    game = parse_game("star(size=6)")
    row = TABLE["chances"]["star(size=6)"]
    least = min(abs(chance - 500) for chance in row.values())
    opened = {even_opening(game, Random(seed)) for seed in range(40)}
    chances = [chance_after(game, move.cells[0]) for move in opened if move]

    assert len(opened) > 5
    assert all(chance and abs(chance - 0.5) <= (least + NEARLY) / 1000 for chance in chances)


@pytest.mark.parametrize("spec", ["star(size=6)", "hex(size=11)", "y(size=17)"])
def test_what_favours_the_first_player_is_swapped(spec: str) -> None:
    game = parse_game(spec)
    row = TABLE["chances"][spec]
    strong, weak = max(row, key=row.__getitem__), min(row, key=row.__getitem__)

    assert SWAP == choose(game, game.replay([strong]), BEGINNER, 1).move
    assert SWAP != choose(game, game.replay([weak]), BEGINNER, 1).move


def test_a_game_that_the_table_lacks_is_opened_by_a_search() -> None:
    game = parse_game("starstar(size=4,scoring=simplified)")

    assert even_opening(game, Random(1)) is None
    assert chance_after(game, 0) is None
    assert choose(game, game.start(), BEGINNER, 1).move not in {None, PASS}


def test_a_row_is_computed_from_the_view_of_x(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openings, "SIMULATIONS", 200)
    monkeypatch.setattr(openings, "MORE_SIMULATIONS", 400)
    row = compute(parse_game("hex(size=3)"))

    assert row["B2"] > 900
    assert row["A1"] < 100
    assert Side.X is parse_game("hex(size=3)").start().to_move
