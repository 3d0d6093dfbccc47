"""Pairs keep what they promise however the rest is filled, and they promise nearly all they can."""

from itertools import islice
from random import Random

import pytest

from pbmserv.computer.pairs import Claim
from pbmserv.computer.proof import prove
from pbmserv.engine.game import Game
from pbmserv.engine.position import EMPTY, Side
from pbmserv.engine.score_tables import Tables
from pbmserv.engine.settle import tables_of
from pbmserv.engine.spec import parse_game

from .test_proof import MORE, USUAL, open_positions


def tables(game: Game) -> Tables:
    found = tables_of(game)
    assert found is not None
    return found


def filled_by_pairs(
    stones: bytes, side: Side, pairs: tuple[tuple[int, int], ...], chance: Random
) -> bytes:
    """Return a full board of which ``side`` got one cell of each pair, and the other all else."""
    full = bytearray(stone or side.other.stone for stone in stones)
    for pair in pairs:
        full[chance.choice(pair)] = side.stone
    return bytes(full)


@pytest.mark.parametrize("spec", [*USUAL, *MORE, "star(size=6,maxi)", "hex(size=8)"])
def test_whoever_has_the_pairs_wins_whichever_cells_of_them_are_lost(spec: str) -> None:
    game, chance, claims = parse_game(spec), Random(spec), 0
    for position in islice(open_positions(game, least=2, most=len(game.board) // 3), 80):
        stones = position.stones
        for side in Side:
            claim = Claim(tables(game), side, game.tie_winner(position))
            pairs = claim.winning_pairs(stones)
            if pairs is None:
                continue
            claims += 1
            cells = [cell for pair in pairs for cell in pair]

            assert len(cells) == len(set(cells))
            assert not any(stones[cell] for cell in cells)
            for _ in range(8):
                full = filled_by_pairs(stones, side, pairs, chance)
                assert (tables(game).balance(full).winner or game.tie_winner(position)) is side
    assert claims > 1


@pytest.mark.parametrize("spec", ["star(size=4)", "starweb(size=4)", "y(size=4)", "hex(size=5)"])
def test_no_pair_of_a_proof_is_needless(spec: str) -> None:
    game, seen = parse_game(spec), 0
    for position in islice(open_positions(game, least=2, most=len(game.board) // 3), 40):
        for side in Side:
            claim = Claim(tables(game), side, game.tie_winner(position))
            pairs = claim.winning_pairs(position.stones)
            for lost in pairs or ():
                seen += 1
                stones = bytearray(position.stones)
                for cell in lost:
                    stones[cell] = side.other.stone
                rest = claim.winning_pairs(bytes(stones))
                assert rest is None or not {*rest} < {*(pairs or ())}
    assert seen > 0


@pytest.mark.parametrize("spec", [*USUAL, *MORE])
def test_what_is_settled_needs_no_pairs_and_nothing_else_is(spec: str) -> None:
    game, chance = parse_game(spec), Random(spec)
    for _ in range(40):
        cells = [chance.choice((EMPTY, 1, 2)) for _ in game.board.names]
        stones = bytes(cells)
        for side in Side:
            claim = Claim(tables(game), side, None)
            worst = bytes(stone or side.other.stone for stone in stones)
            wins = tables(game).balance(worst).winner is side

            assert claim.is_settled(stones) is wins
            assert (claim.winning_pairs(stones) == ()) is wins


@pytest.mark.parametrize(
    "spec", ["starstar(size=4)", "star(size=4)", "hex(size=4)", "starweb", "y"]
)
def test_a_cell_is_paired_unless_a_stone_on_it_may_cost_points(spec: str) -> None:
    game = parse_game(spec)
    for side in Side:
        claim = Claim(tables(game), side, None)
        for cell, is_pairable in enumerate(claim.is_pairable):
            is_rim = game.name == "starstar" and claim.marks[cell] > 0

            assert is_pairable is not is_rim


@pytest.mark.parametrize(
    ("spec", "by_pairs", "a_move_ahead"),
    [
        ("star(size=5)", 12, 40),
        ("star(size=4,maxi)", 5, 37),
        ("star(size=5,maxi,corners=2)", 2, 43),
        ("starstar(size=4,scoring=alternative)", 3, 31),
        ("starweb(size=5)", 2, 38),
        ("polyy(size=4)", 12, 45),
        ("y(size=7)", 18, 54),
        ("hex(size=7)", 15, 53),
    ],
)
def test_so_much_is_proven(spec: str, by_pairs: int, a_move_ahead: int) -> None:
    game = parse_game(spec)
    positions = [*islice(open_positions(game, least=2, most=10), 60)]
    proven = [sum(prove(game, one, depth) is not None for one in positions) for depth in (0, 1)]

    assert by_pairs <= proven[0]
    assert a_move_ahead <= proven[1]
