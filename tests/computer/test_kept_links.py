"""What links are claimed to keep joined, no play can part; every game, by exhaustive play."""

from collections.abc import Sequence
from functools import cache
from random import Random

import pytest

from pbmserv.computer.game_arrays import require_arrays
from pbmserv.computer.proof import KeptLink, kept_links
from pbmserv.engine.board import groups
from pbmserv.engine.game import Game
from pbmserv.engine.position import EMPTY, STONE_MASKS, Position, Side
from pbmserv.engine.spec import parse_game

from .exhaustive import empty_cells, with_stone
from .test_links import stones_at_random

TINY = [
    *("hex(size=4)", "y(size=5)", "polyy(size=3)", "polyy(sides=7,size=2)"),
    *("star(size=4)", "starstar(size=4)", "starweb(size=4)"),
]
MOST_CELLS = 9
"""Of more cells than these not every play is tried."""


def are_joined(game: Game, stones: bytes, link: KeptLink) -> bool:
    """Tell whether touching stones join all ends of a link."""
    marks = require_arrays(game).tables.marks[link.side.stone - 1]
    chains = groups(game.board, stones.translate(STONE_MASKS[link.side]))
    (chain,) = (chain for chain in chains if link.ends[0] in chain)
    return all(
        end in chain if end >= 0 else any(marks[cell] >> ~end & 1 for cell in chain)
        for end in link.ends
    )


def can_be_cut(game: Game, stones: bytes, links: Sequence[KeptLink]) -> bool:
    """Tell whether the opponent, who moves first and has all cells but the carriers, parts one."""
    side = links[0].side
    cells = {cell for link in links for cell in link.cells}
    for cell in {*empty_cells(stones)} - cells:
        stones = with_stone(stones, cell, side.other)

    @cache
    def is_cut(stones: bytes) -> bool:
        if all(are_joined(game, stones, link) for link in links):
            return False
        left = empty_cells(stones)
        if not left:
            return True
        return any(not can_mend(with_stone(stones, cell, side.other)) for cell in left)

    def can_mend(stones: bytes) -> bool:
        replies = [with_stone(stones, cell, side) for cell in empty_cells(stones)] or [stones]
        return any(not is_cut(after) for after in replies)

    return is_cut(stones)


@pytest.mark.costly(stay=7)
@pytest.mark.parametrize("spec", TINY)
def test_no_play_parts_what_is_claimed_to_stay_joined(spec: str, *, full: bool) -> None:
    game, chance = parse_game(spec), Random(spec)
    count, fragile, overlapping = 0, 0, 0
    for _ in range(1000 if full else 60):
        stones = stones_at_random(game, chance)
        found = kept_links(game, Position(stones))
        for side in Side:
            ours = [link for link in found if link.side is side]
            kept = [link for link in ours if not link.shared]
            together = {cell for link in kept for cell in link.cells}
            assert len(together) == sum(len(link.cells) for link in kept)
            if kept and len(together) <= MOST_CELLS:
                assert not can_be_cut(game, stones, kept), (stones, kept)
            for link in ours:
                assert {EMPTY} == {stones[cell] for cell in link.cells}
                assert not are_joined(game, stones, link)
                assert {*link.shared} == ({*link.cells} & together if link.shared else set())
                if len(link.cells) > MOST_CELLS:
                    continue
                count += 1
                assert not can_be_cut(game, stones, [link]), (stones, link)
                fewer = link._replace(cells=link.cells[1:])
                fragile += can_be_cut(game, stones, [fewer])
                rivals = [each for each in kept if {*each.cells} & {*link.shared}]
                overlapping += bool(rivals) and can_be_cut(game, stones, [link, *rivals])
    assert count > 15
    assert fragile > count / 2
    assert overlapping or not full


@pytest.mark.parametrize("spec", ["star(size=5)", "starweb(size=5)", "hex(size=7)"])
def test_of_two_links_that_share_a_cell_one_is_told_to_share_it(spec: str) -> None:
    game = parse_game(spec)
    cells = game.board.index
    position = game.position_of({Side.X: ["E2", "F3", "D4"], Side.O: []})
    two = {cells["F2"], cells["E3"]}, {cells["D3"], cells["E3"]}
    kept, sharing = (link for link in kept_links(game, position) if {*link.cells} in two)

    assert ((), (cells["E3"],)) == (kept.shared, sharing.shared)
    assert can_be_cut(game, position.stones, [kept, sharing])
    assert not can_be_cut(game, position.stones, [kept])
    assert not can_be_cut(game, position.stones, [sharing])


def test_a_turn_of_two_stones_leaves_no_link() -> None:
    for spec, count in (("starstar(size=4)", 2), ("starstar(size=4,double)", 0)):
        game = parse_game(spec)
        position = game.position_of({Side.X: ["*10", "S20", "*31"], Side.O: []})

        assert count == len(kept_links(game, position)), spec
