"""Proofs against exhaustive play on small boards, and how much they prove."""

from collections.abc import Iterator
from functools import reduce
from random import Random

import pytest

from pbmserv.computer.proof import Proof, prove
from pbmserv.engine.game import Game
from pbmserv.engine.position import EMPTY, Position, Side
from pbmserv.engine.settle import settled
from pbmserv.engine.spec import parse_game
from tests.engine.playing import position_with

from .exhaustive import Exhaustive, empty_cells, with_stone

SPECS = [
    "star(size=3)",
    "star(size=4)",
    "star(size=3,maxi)",
    "star(size=4,corners=2)",
    "star(size=5,maxi,corners=2)",
    "starstar(size=4)",
    "starstar(size=4,komi=1)",
    "starstar(size=6,handicap=3)",
    "starweb(size=4)",
    "starweb(size=5)",
    "polyy(sides=3,size=3)",
    "polyy(sides=5,size=3)",
    "polyy(sides=5,size=4)",
    "y(size=4)",
    "y(size=5)",
]
EACH = pytest.mark.parametrize("spec", SPECS)


def late_position(game: Game, empty: int, chance: Random) -> Position:
    """Return a position with so many empty cells and about as many stones of both sides."""
    cells = chance.sample(range(len(game.board)), len(game.board))
    stones = bytearray(len(cells))
    for number, cell in enumerate(cells[empty:]):
        stones[cell] = 1 + number % 2
    side = chance.choice([Side.X, Side.O])
    return to_move_at(position_with(game, bytes(stones)), side)


def to_move_at(position: Position, side: Side) -> Position:
    return Position(position.stones, side, ply=2, trace=position.trace)


def open_positions(game: Game, *, least: int, most: int) -> Iterator[Position]:
    """Yield positions without end that are not settled by filling the board."""
    chance = Random(repr(game))
    while True:
        position = late_position(game, chance.randint(least, most), chance)
        found = settled(game, position)
        if found is not None and found.winner is None:
            yield position


def check(position: Position, proof: Proof, truth: Exhaustive) -> None:
    """Hold a proof against exhaustive play, also with all outside of its carrier given away."""
    winner, mover = proof.winner, position.to_move

    assert truth.can_force(winner, position.stones, mover), (position, proof)

    others = set(empty_cells(position.stones)) - set(proof.carrier)
    given = reduce(
        lambda stones, cell: with_stone(stones, cell, winner.other), others, position.stones
    )

    assert EMPTY not in given or truth.can_force(winner, given, mover), (position, proof)
    assert EMPTY in given or truth.standing(given) is winner, (position, proof)

    if proof.move is not None and mover is winner:
        moved = with_stone(position.stones, proof.move, winner)

        assert truth.can_force(winner, moved, mover.other), (position, proof)


@EACH
def test_what_is_proven_is_true(spec: str, full: bool) -> None:  # noqa: FBT001
    game = parse_game(spec)
    wanted = 1400 if full else 70
    for position in open_positions(game, least=2, most=7):
        proof = prove(game, position, 3)
        if proof is None:
            continue
        check(position, proof, Exhaustive(game))
        wanted -= proof.depth > 0
        if wanted == 0:
            break
