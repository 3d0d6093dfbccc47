"""Links hold against every play of the opponent inside their cells."""

from array import array
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

import pytest

from pbmserv.computer import kernel, links
from pbmserv.computer.game_arrays import require_arrays
from pbmserv.computer.search import Search
from pbmserv.computer.task import Effort, task_of
from pbmserv.engine.board import Cell
from pbmserv.engine.game import Game
from pbmserv.engine.position import EMPTY, Side
from pbmserv.engine.spec import parse_game
from tests.engine.sample_games import position_with
from tests.generators.proof_search import ProofSearch

from .exhaustive import Exhaustive, with_stone
from .test_search import COMPILED, figures, running_position

TINY = [
    *("hex(size=3)", "hex(size=4)", "y(size=4)", "polyy(sides=3,size=3)", "polyy(size=2)"),
    "y(size=4,shape=bent)",
]
MOST_CELLS = 8
"""Of more cells than these not every play is tried."""


def compiled() -> Any:
    from pbmserv.computer import _links  # type: ignore[attr-defined]

    return _links


def stones_at_random(game: Game, chance: Random, most_empty: int = 1000) -> bytes:
    """Return some stones, about as many of each side."""
    size = len(game.board)
    cells = chance.sample(range(size), chance.randint(max(size - most_empty, 0), size - 1))
    stones = bytearray(size)
    for number, cell in enumerate(cells):
        stones[cell] = 1 + number % 2
    return bytes(stones)


def links_of(found: Any) -> Iterator[tuple[int, int, int, list[Cell]]]:
    """Yield kind, ends and cells of everything that was found."""
    for link in range(links.SCRATCH, found.used):
        if not found.is_dead[link]:
            kind = links.FULL if found.is_full[link] else links.HALF
            yield kind, found.one[link], found.two[link], found.cells_of(link)


class Joining:
    """Whether two ends can be joined, by trying every play on some cells."""

    def __init__(self, game: Game, side: Side, found: Any) -> None:
        self.board = game.board
        self.marks = require_arrays(game).tables.marks[side.stone - 1]
        self.found = found
        self.wins = [
            2 * points > (require_arrays(game).tables.total or 0)
            for points in require_arrays(game).tables.points
        ]

    def holds(self, kind: int, one: int, two: int, cells: list[Cell]) -> bool:
        ends = [cell for end in (one, two) if (cell := self.found.cell_of[end]) >= 0]
        chains = [cell for cell, end in enumerate(self.found.end_of) if self.is_chain(end)]
        assert not {*ends, *chains} & {*cells}

        @cache
        def can_join(owned: frozenset[Cell], free: frozenset[Cell], *, is_moving: bool) -> bool:
            if not free:
                return self.are_joined(one, two, {*owned, *ends, *chains})
            if is_moving:
                return any(
                    can_join(owned | {cell}, free - {cell}, is_moving=False) for cell in free
                )
            return all(can_join(owned, free - {cell}, is_moving=True) for cell in free)

        return can_join(frozenset(), frozenset(cells), is_moving=kind == links.HALF)

    def is_chain(self, end: int) -> bool:
        return bool(end > self.found.sides and self.found.cell_of[end] < 0)

    def are_joined(self, one: int, two: int, ours: set[Cell]) -> bool:
        """Tell whether some chain of ``ours`` holds both ends, or wins if they are that."""
        left = {*ours}
        while left:
            reached, new = 0, [left.pop()]
            ends = set()
            while new:
                cell = new.pop()
                reached |= self.marks[cell]
                ends.add(self.found.end_of[cell])
                beside = left & {*self.board.neighbours[cell]}
                left -= beside
                new += beside
            ends |= {1 + side for side in range(self.found.sides) if reached >> side & 1}
            if self.wins[reached] if one == two == links.WIN else {one, two} <= ends:
                return True
        return False


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("spec", TINY)
def test_every_link_holds_against_every_play_on_its_cells(spec: str, *, full: bool) -> None:
    game, chance, seen = parse_game(spec), Random(spec), set()
    found = links.Links(require_arrays(game))
    for _ in range(2000 if full else 12):
        stones = stones_at_random(game, chance)
        side = chance.choice([*Side])
        found.look([*stones], side.stone, links.FULL)
        joining = Joining(game, side, found)
        for kind, one, two, cells in links_of(found):
            if len(cells) <= MOST_CELLS:
                seen.add(kind)

                assert joining.holds(kind, one, two, cells), (stones, side, kind, one, two, cells)
    assert {links.HALF, links.FULL} == seen


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("spec", TINY)
def test_what_links_say_of_the_game_is_what_exhaustive_play_finds(spec: str, *, full: bool) -> None:
    game, chance, seen = parse_game(spec), Random(spec), set()
    size = len(game.board)
    truth, found = Exhaustive(game), links.Links(require_arrays(game))
    for _ in range(20_000 if full else 60):
        stones = stones_at_random(game, chance, MOST_CELLS)
        for side in Side:
            outcome = found.look([*stones], side.stone, links.FULL)
            seen.add(outcome)
            if outcome == links.FULL:
                assert truth.can_force(side, stones, side.other)
            elif outcome == links.HALF:
                key, meeting = found.best_key(), found.cells_of(found.must_play())
                won = stones[:key] + bytes((side.stone,)) + stones[key + 1 :]

                assert truth.can_force(side, won, side.other)
                for cell in range(size):
                    if stones[cell] == EMPTY and cell not in meeting:
                        lost = stones[:cell] + bytes((side.other.stone,)) + stones[cell + 1 :]

                        assert truth.can_force(side, lost, side)
    assert {links.OPEN, links.HALF, links.FULL} == seen


@pytest.mark.parametrize(
    ("spec", "stone", "cells"),
    [
        ("hex(size=7)", "C6", "B7 C7"),
        ("hex(size=7)", "D5", "E5 C6 D6 E6 B7 C7 D7 E7"),
        ("y(size=7)", "D5", "D4 C5"),
    ],
)
def test_a_stone_alone_is_linked_to_an_edge_by_the_fewest_cells(
    spec: str, stone: str, cells: str
) -> None:
    game = parse_game(spec)
    at = game.board.index[stone]
    found = links.Links(require_arrays(game))
    found.look([int(cell == at) for cell in range(len(game.board))], Side.X.stone, links.FULL)

    assert {*cells.split()} == {game.board.names[cell] for cell in found.to_edge(at)}


@pytest.mark.parametrize(("spec", "simulations"), [("hex(size=5)", 400), ("y(size=4)", 600)])
def test_a_won_game_is_known_as_won_until_it_ends(spec: str, simulations: int) -> None:
    game = parse_game(spec)
    for seed in range(3):
        position, chance = game.start(), Random(seed)
        while not game.is_over(position):
            if position.to_move is Side.X:
                effort = Effort(simulations, seed)
                found = Search(game, position, effort, tree_type=COMPILED).analysis()

                assert Side.X is found.winner
                move = found.best.move
            else:
                move = chance.choice([move for move in game.legal_moves(position) if move.cells])
            position = game.play(position, move)
        outcome = game.outcome(position)

        assert outcome is not None
        assert Side.X is outcome.winner


@pytest.mark.costly(stay=1)
@pytest.mark.skipif(COMPILED is kernel.Tree, reason="no kernel was compiled at installation")
@pytest.mark.parametrize("spec", ["hex(size=5)", "hex(size=9)", "y(size=6)", "polyy(size=3)"])
def test_both_speeds_find_the_same_links(spec: str) -> None:
    game, chance = parse_game(spec), Random(spec)
    plain, fast = (kind.Links(require_arrays(game)) for kind in (links, compiled()))
    for _ in range(5):
        stones = stones_at_random(game, chance)
        for side in Side:
            plain.look([*stones], side.stone, links.FULL)
            fast.look(array("i", [*stones]), side.stone, links.FULL)

            assert [*links_of(plain)] == [*links_of(fast)]


@pytest.mark.parametrize(
    ("small", "large"), [("hex(size=8)", "hex(size=9)"), ("y(size=10)", "y(size=11)")]
)
def test_small_boards_are_looked_at_sooner(small: str, large: str) -> None:
    sooner, later = (
        task_of(game, require_arrays(game), game.start(), Effort(1)).look_visits
        for game in map(parse_game, (small, large))
    )

    assert 0 < sooner < later


@pytest.mark.skipif(COMPILED is kernel.Tree, reason="no kernel was compiled at installation")
@pytest.mark.parametrize("spec", ["hex(size=6)", "y(size=6)"])
def test_both_speeds_find_the_same_where_links_decide_nodes(
    spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, chance = parse_game(spec), Random(spec)
    monkeypatch.setattr("pbmserv.computer.task.EARLY_LOOK_VISITS", 12)
    for seed in range(4):
        position = running_position(game, chance)
        plain, fast = (
            Search(game, position, Effort(100, seed), tree_type=kind)
            for kind in (kernel.Tree, COMPILED)
        )

        assert figures(plain) == figures(fast)


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(
    "spec",
    ["hex(size=5)", "y(size=5)", "polyy(size=2)", "polyy(sides=3,size=3)", "y(size=5,shape=bent)"],
)
def test_what_links_prove_in_the_tree_is_what_exhaustive_play_finds(
    spec: str, monkeypatch: pytest.MonkeyPatch, *, full: bool
) -> None:
    game, chance = parse_game(spec), Random(spec)
    truth, lost, won = Exhaustive(game), 0, 0
    for seed in range(2000 if full else 60):
        stones = stones_at_random(game, chance, MOST_CELLS)
        side = chance.choice([*Side])
        position = replace(position_with(game, stones), to_move=side)
        if game.is_over(position):
            continue
        look_visits = chance.choice((1, 2, 4, 8))
        for name in ("EARLY_LOOK_VISITS", "LATE_LOOK_VISITS"):
            monkeypatch.setattr(f"pbmserv.computer.task.{name}", look_visits)
        effort = Effort(chance.choice((4, 40, 400)), seed)
        search = Search(game, position, effort, tree_type=COMPILED)
        found = search.analysis()
        if found.winner:
            won += 1

            assert truth.can_force(found.winner, stones, side)
        tree = search.tree
        for child in range(tree.first[0], tree.first[0] + tree.width[0]):
            after = game.play(position, game.placing([tree.cell[child]]))
            if abs(tree.value[child]) >= kernel.CERTAIN and not game.is_over(after):
                lost += tree.value[child] < 0
                winner = side if tree.value[child] > 0 else side.other

                assert truth.can_force(winner, after.stones, after.to_move)
    assert won > 10
    assert lost > 2


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(
    ("spec", "empty"),
    [("hex(size=5)", 20), ("y(size=6)", 18), ("polyy(size=3)", 12), ("polyy(size=4,sides=3)", 12)],
)
def test_what_the_tree_proves_is_what_the_solver_finds(
    spec: str, empty: int, monkeypatch: pytest.MonkeyPatch, *, full: bool
) -> None:
    game, chance, proven = parse_game(spec), Random(spec), 0
    solver = ProofSearch(game)
    for seed in range(1000 if full else 40):
        for name in ("EARLY_LOOK_VISITS", "LATE_LOOK_VISITS"):
            monkeypatch.setattr(f"pbmserv.computer.task.{name}", chance.choice((2, 8, 32)))
        stones = stones_at_random(game, chance, empty)
        position = replace(position_with(game, stones), to_move=chance.choice([*Side]))
        if game.is_over(position):
            continue
        search = Search(game, position, Effort(1000, seed), tree_type=COMPILED)
        if found := search.analysis().winner:
            assert found is solver.solve(stones, position.to_move).winner
        tree = search.tree
        for child in range(tree.first[0], tree.first[0] + tree.width[0]):
            if abs(tree.value[child]) >= kernel.CERTAIN:
                proven += 1
                mover = position.to_move
                after = with_stone(stones, tree.cell[child], mover)

                assert (solver.solve(after, mover.other).winner is mover) == (tree.value[child] > 0)
    assert proven > 40
