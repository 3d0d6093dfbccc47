"""The flat arrays of every game, against its board."""

from itertools import combinations, pairwise

import pytest

from pbmserv.computer import patterns
from pbmserv.computer.game_arrays import EDGE, EITHER, GameArrays, arrays_of, max_stones_a_turn
from pbmserv.computer.patterns import SLOTS, surroundings_of
from pbmserv.engine.game import Game
from pbmserv.engine.position import Side
from pbmserv.engine.spec import format_game, parse_game
from tests.engine.sample_games import spread

EACH = pytest.mark.parametrize("game", list(spread()), ids=format_game)


@pytest.fixture
def arrays(game: Game) -> GameArrays:
    found = arrays_of(game)
    if found is None:
        pytest.skip(f"{game.name} gives no tables")
    return found


def arrays_for(spec: str) -> GameArrays:
    arrays = arrays_of(parse_game(spec))
    assert arrays is not None
    return arrays


@EACH
def test_the_flat_neighbours_are_those_of_the_board(game: Game, arrays: GameArrays) -> None:
    expected = {
        (one, other) for one, others in enumerate(game.board.neighbours) for other in others
    }
    actual = {
        (cell, arrays.beside[at])
        for cell in range(arrays.size)
        for at in range(arrays.starts[cell], arrays.starts[cell + 1])
    }

    assert len(game.board) == arrays.size
    assert expected == actual
    assert len(expected) == len(arrays.beside) == len(arrays.less)
    assert 2 * sum(share.less for share in arrays.tables.shares) == sum(arrays.less)


@EACH
def test_either_cell_of_a_bridge_joins_its_ends(game: Game, arrays: GameArrays) -> None:
    neighbours = game.board.neighbours
    marks = arrays.tables.marks
    for (one, other), (end, other_end), users in arrays.bridges:
        assert one != other
        assert {one, other} <= set(neighbours[end])
        if other_end != EDGE:
            assert other_end not in neighbours[end]
            assert {one, other} <= set(neighbours[other_end])
            assert EITHER == users
            continue
        for side in Side:
            gained = marks[side.stone - 1][one] & marks[side.stone - 1][other]
            expected = gained & ~marks[side.stone - 1][end] != 0

            assert expected == bool(users & side.stone)


@EACH
def test_an_attack_on_either_cell_of_a_bridge_is_answered_on_the_other(
    game: Game, arrays: GameArrays
) -> None:
    around = surroundings_of(arrays.tables)
    x, o = arrays.tables.marks
    bridge_slots = patterns.bridge_slots(edges_join=arrays.tables.are_bits and x == o)
    for bridge in arrays.bridges:
        for attacked, reply in (bridge.pair, bridge.pair[::-1]):
            ring = around.ring[attacked]
            is_whole = len(game.board.neighbours[attacked]) <= SLOTS < len(game.board)
            if bridge.users & Side.X.stone and is_whole and around_is_cyclic(game, ring):
                own = {*bridge.ends}
                codes = [-cell if cell < 0 else int(cell in own) for cell in ring]
                slot = bridge_slots[sum(code << 2 * at for at, code in enumerate(codes))]

                leans_on_an_edge = min(ring[slot - 1], ring[(slot + 1) % SLOTS]) < 0
                assert ring[slot] == reply or (ring[slot] >= 0 and leans_on_an_edge)


def around_is_cyclic(game: Game, ring: tuple[int, ...]) -> bool:
    """Tell whether all neighbours that follow one another touch: not beside a pentagon."""
    pairs = pairwise((*ring, ring[0]))
    return all(one < 0 or two < 0 or two in game.board.neighbours[one] for one, two in pairs)


def test_every_two_cells_with_two_common_neighbours_have_a_bridge() -> None:
    board = parse_game("star(size=4)").board
    expected = {
        (one, other)
        for one, other in combinations(range(len(board)), 2)
        if other not in board.neighbours[one]
        and len(set(board.neighbours[one]) & set(board.neighbours[other])) > 1
    }

    assert expected == {bridge.ends for bridge in arrays_for("star(size=4)").bridges}


def test_only_the_side_that_joins_an_edge_of_hex_has_bridges_to_it() -> None:
    board = parse_game("hex(size=5)").board
    edges = [bridge for bridge in arrays_for("hex(size=5)").bridges if bridge.ends[1] == EDGE]
    rows = {board.names[bridge.ends[0]][1:] for bridge in edges if bridge.users == Side.X.stone}
    columns = {board.names[bridge.ends[0]][:1] for bridge in edges if bridge.users == Side.O.stone}

    assert {"2", "4"} == rows
    assert {"B", "D"} == columns
    assert 4 * 4 == len(edges)


@pytest.mark.parametrize(
    ("spec", "stones"), [("star", 1), ("starstar", 1), ("starstar(double)", 2), ("hex", 1)]
)
def test_a_turn_has_as_many_stones_as_the_options_say(spec: str, stones: int) -> None:
    game = parse_game(spec)

    assert stones == max_stones_a_turn(game)
    assert stones == arrays_for(spec).stones_a_turn
