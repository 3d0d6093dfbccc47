"""What was learned of moves: the same for what looks the same, kept up with the stones, in use."""

from dataclasses import replace
from itertools import islice, pairwise
from math import log
from random import Random

import pytest

from pbmserv.computer import patterns
from pbmserv.computer.patterns import (
    KEYS,
    SLOTS,
    classes,
    kind_of,
    part_sizes,
    surroundings_of,
    table,
    weights_of,
)
from pbmserv.computer.search import Search
from pbmserv.computer.task import MIN_SHARE, Effort
from pbmserv.engine.board import Cell
from pbmserv.engine.game import Game
from pbmserv.engine.position import Position, Side
from pbmserv.engine.settle import tables_of
from pbmserv.engine.spec import parse_game
from tests.generators.patterns import learn, self_play

LATTICES = ("hex(size=5)", "y(size=6)", "star(size=4)", "starweb(size=4)")
"""Boards on which every cell has six neighbours, or an edge in their place."""


def stones_and_all(game: Game, chance: Random) -> Position:
    """Return some stones of both sides, the last of them the opponent's."""
    cells = chance.sample(range(len(game.board)), 2 * chance.randint(2, len(game.board) // 3))
    names = [game.board.names[cell] for cell in cells]
    position = game.position_of({Side.X: names[::2], Side.O: names[1::2]})
    return replace(position, to_move=Side.X, last=(cells[-1],))


def priors(game: Game, position: Position) -> dict[Cell, float]:
    """Return what is expected of every move before it is tried."""
    tree = Search(game, position, Effort(1)).tree
    children = range(1, 1 + position.empty_count)
    return {tree.cell[child]: tree.prior[child] for child in children}


@pytest.mark.parametrize("spec", LATTICES)
def test_a_ring_is_the_neighbours_in_turn(spec: str) -> None:
    tables = tables_of(parse_game(spec))
    assert tables is not None
    neighbours = tables.board.neighbours
    for cell, ring in enumerate(surroundings_of(tables).ring):
        real = [other for other in ring if other >= 0]
        pairs = [(one, other) for one, other in pairwise(ring) if other >= 0]

        assert SLOTS == len(ring)
        assert sorted(neighbours[cell]) == sorted(real)
        assert all(other in neighbours[one] for one, other in pairs)


@pytest.mark.parametrize("spec", LATTICES)
def test_a_bridge_ring_is_what_two_neighbours_share_behind_them(spec: str) -> None:
    tables = tables_of(parse_game(spec))
    assert tables is not None
    neighbours = tables.board.neighbours
    around = surroundings_of(tables)
    for cell, further in enumerate(around.bridge_ring):
        for other in (other for other in further if other >= 0):
            assert other not in neighbours[cell]
            assert 2 == len({*neighbours[cell]} & {*neighbours[other]})


@pytest.mark.parametrize("spec", LATTICES)
def test_a_turned_board_is_judged_the_same(spec: str) -> None:
    game = parse_game(spec)
    chance = Random(spec)
    for _ in range(5):
        position = stones_and_all(game, chance)
        expected = priors(game, position)
        for images in game.symmetries:
            stones = bytearray(len(images))
            for cell, image in enumerate(images):
                stones[image] = position.stones[cell]
            turned = replace(
                position, stones=bytes(stones), last=tuple(images[cell] for cell in position.last)
            )

            assert priors(game, turned) == {
                images[cell]: pytest.approx(prior) for cell, prior in expected.items()
            }


@pytest.mark.parametrize("spec", ["y(size=6)", "star(size=4)", "starstar(size=4)"])
def test_both_sides_are_judged_the_same(spec: str) -> None:
    game = parse_game(spec)
    chance = Random(spec)
    for _ in range(5):
        position = stones_and_all(game, chance)
        other_way = replace(
            position,
            stones=position.stones.translate(bytes([0, 2, 1]) + bytes(253)),
            to_move=Side.O,
        )

        assert priors(game, position) == pytest.approx(priors(game, other_way))


@pytest.mark.parametrize("side", [Side.X, Side.O])
def test_expected_is_what_ring_bridge_ring_and_zone_say_together(side: Side) -> None:
    game = parse_game("hex(size=9)")
    tables, weights = tables_of(game), weights_of(game)
    assert tables is not None
    assert weights is not None
    around = surroundings_of(tables)
    position = replace(stones_and_all(game, Random(side.name)), to_move=side, last=())
    # A cell is empty, has a stone of the mover, or one of the opponent: 0, 1, 2.
    seen = {0: 0, side.stone: 1, side.other.stone: 2}

    def key(ring: tuple[Cell, ...]) -> int:
        return sum(seen[position.stones[cell]] << 2 * slot for slot, cell in enumerate(ring))

    likely = {}
    found = priors(game, position)
    for cell in found:
        if min(around.ring[cell] + around.bridge_ring[cell]) >= 0:
            ring = weights.ring[patterns.KEYS * around.marks[cell] + key(around.ring[cell])]
            beyond = weights.bridge_ring[key(around.bridge_ring[cell])]
            zone = weights.zones[around.zones[cell][side is Side.O]]
            likely[cell] = ring * beyond * zone
    scale = sum(found[cell] for cell in likely) / sum(likely.values())

    assert len(likely) > 10
    assert {cell: found[cell] for cell in likely} == pytest.approx(
        {cell: scale * likely[cell] for cell in likely}
    )


def game_of(kind: str, size: int) -> Game:
    """Return the game of a row of the table."""
    name, *flags = kind.split()
    game = parse_game(f"{name}({','.join((f'size={size}', *flags))})")
    assert kind_of(game) == kind
    return game


@pytest.mark.parametrize("name", [kind for kind in table() if "double" not in kind])
def test_deep_in_the_tree_a_move_is_judged_as_on_the_board(name: str) -> None:
    game = game_of(name, 6 if name == "y" else 4)
    position = stones_and_all(game, Random(name))
    search = Search(game, position, Effort(400))
    tree = search.tree
    tree.run(400)
    parents = [child for child in range(1, 1 + position.empty_count) if tree.first[child]]
    assert len(parents) > 1
    for parent in parents:
        cell = tree.cell[parent]
        stones = bytearray(position.stones)
        stones[cell] = position.to_move.stone
        after = replace(
            position, stones=bytes(stones), to_move=position.to_move.other, last=(cell,)
        )
        children = range(tree.first[parent], tree.first[parent] + tree.width[parent])
        expected = priors(game, after)
        deep = {tree.cell[child]: tree.prior[child] for child in children}
        waiting = [expected[cell] for cell in expected.keys() - deep.keys()]

        assert deep == pytest.approx({cell: expected[cell] for cell in deep})
        assert max(waiting, default=0) < MIN_SHARE * sum(expected.values()) / len(expected)


@pytest.mark.parametrize("name", [*table()])
def test_something_was_learned_of_every_game_in_the_table(name: str) -> None:
    game = game_of(name, 4)
    row = table()[name]
    found = priors(game, stones_and_all(game, Random(name)))

    assert sum(part_sizes()) == len(row["weights"])
    assert {
        "round",
        "positions",
        "games",
        "simulations",
        "held out",
        "replies",
        "weights",
    } == row.keys()
    assert max(found.values()) > 2 * min(found.values())


def test_a_game_of_which_nothing_was_learned_is_played_without(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = parse_game("hex(size=4)")
    with_patterns = priors(game, game.start())
    monkeypatch.setattr(patterns, "table", dict)
    patterns._weights.cache_clear()
    try:
        assert weights_of(game) is None
        assert {0.0} == {*priors(game, game.start()).values()}
    finally:
        patterns._weights.cache_clear()

    assert {0.0} != {*with_patterns.values()}


@pytest.mark.costly
def test_what_is_learned_makes_the_moves_of_a_search_likelier() -> None:
    samples = [*islice(self_play("hex", 1, 5), 60)]
    weights, likelihood = learn([*samples, *(sample._replace(game=10) for sample in samples)])
    blind = -sum(log(len(sample.cells)) for sample in samples) / len(samples)

    assert sum(part_sizes()) == len(weights)
    assert blind + 0.5 < likelihood < 0


def test_there_are_as_many_patterns_as_rings_of_six_beads_in_four_colours() -> None:
    """Made anew, for they are kept once made."""
    turned, mirrored = classes.__wrapped__()

    def keys(beads: list[int]) -> tuple[int, int, int]:
        turns = (beads[1:] + beads[:1], beads[::-1], beads[:1] + beads[:0:-1])
        one, other, third = (
            sum(bead << 2 * slot for slot, bead in enumerate(each)) for each in turns
        )
        return one, other, third

    assert (430, 2176) == (len({*turned}), len({*mirrored}))
    assert [*range(430)] == sorted({*turned})
    for key in range(KEYS):
        beads = [key >> 2 * slot & 3 for slot in range(6)]
        moved, reversed_, mirror = keys(beads)

        assert turned[key] == turned[moved] == turned[reversed_]
        assert mirrored[key] == mirrored[mirror]
