"""Proofs against exhaustive play on small boards, and how much they prove."""

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from itertools import islice
from random import Random

import pytest

from pbmserv.computer.proof import Proof, WinClaim, prove
from pbmserv.engine.game import Game
from pbmserv.engine.position import EMPTY, Position, Side
from pbmserv.engine.settle import settled
from pbmserv.engine.spec import format_game, parse_game
from tests.engine.sample_games import position_with

from .exhaustive import Exhaustive, empty_cells, with_stone

USUAL = [
    "star(size=4)",
    "starstar(size=4)",
    "starweb(size=4)",
    "polyy(sides=3,size=3)",
    "y(size=4)",
    "hex(size=4)",
]
MORE = [
    "star(size=3)",
    "star(size=3,maxi)",
    "star(size=4,corners=2)",
    "star(size=5,maxi,corners=2)",
    "starstar(size=4,komi=1)",
    "starstar(size=6,handicap=3)",
    "starweb(size=5)",
    "polyy(sides=5,size=3)",
    "polyy(sides=5,size=4)",
    "y(size=5)",
    "y(size=5,shape=bent)",
    "hex(size=3)",
    "hex(size=5)",
]


def late_position(game: Game, empty: int, chance: Random) -> Position:
    """Return a position with so many empty cells and about as many stones of both sides."""
    cells = chance.sample(range(len(game.board)), len(game.board))
    stones = bytearray(len(cells))
    for number, cell in enumerate(cells[empty:]):
        stones[cell] = 1 + number % 2
    position = position_with(game, bytes(stones))
    return Position(
        position.stones,
        chance.choice([Side.X, Side.O]),
        ply=2,
        passes=chance.choice([0, 0, 0, 1]),
        trace=position.trace,
    )


def open_positions(game: Game, *, least: int, most: int) -> Iterator[Position]:
    """Yield positions without end that are not settled by filling the board."""
    chance = Random(format_game(game))
    while True:
        position = late_position(game, chance.randint(least, most), chance)
        found = settled(game, position)
        if found is not None and found.winner is None:
            yield position


def check(position: Position, proof: Proof, truth: Exhaustive) -> None:
    """Hold a proof against exhaustive play, also with all outside of its carrier given away."""
    winner, mover, passes = proof.winner, position.to_move, position.passes

    assert truth.can_force(winner, position.stones, mover, passes), (position, proof)

    others = set(empty_cells(position.stones)) - set(proof.carrier)
    given = reduce(
        lambda stones, cell: with_stone(stones, cell, winner.other), others, position.stones
    )

    assert EMPTY not in given or truth.can_force(winner, given, mover), (position, proof)
    assert EMPTY in given or truth.standing(given) is winner, (position, proof)

    if proof.move is not None and mover is winner:
        moved = with_stone(position.stones, proof.move, winner)

        assert truth.can_force(winner, moved, mover.other), (position, proof)


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("spec", [*USUAL, *(pytest.param(s, marks=pytest.mark.slow) for s in MORE)])
def test_what_is_proven_is_true(spec: str, full: bool) -> None:  # noqa: FBT001
    game = parse_game(spec)
    wanted = 1400 if full else 40
    for position in open_positions(game, least=2, most=7):
        proof = prove(game, position, 3)
        if proof is None:
            continue
        check(position, proof, Exhaustive(game))
        wanted -= proof.depth > 0
        if wanted == 0:
            break


@pytest.mark.parametrize(
    "spec", [*USUAL, "star(size=5)", "hex(size=7)", "y(size=7)", "star(size=6)"]
)
def test_a_game_that_is_proven_is_won_by_what_proofs_reply(spec: str, *, full: bool) -> None:
    game, chance, won = parse_game(spec), Random(spec), 0
    most = min(16, len(game.board) // 3)
    for start in islice(open_positions(game, least=3, most=most), 400 if full else 12):
        position, proof = replace(start, passes=0), prove(game, replace(start, passes=0), 1)
        winner = proof.winner if proof else None
        while winner and not game.is_over(position):
            empty = empty_cells(position.stones)
            if position.to_move is winner:
                proof = prove(game, position, 1)

                assert proof is not None
                assert proof.winner is winner
                cell = next(iter(proof.carrier), empty[0]) if proof.move is None else proof.move
            else:
                needed = [cell for cell in proof.carrier if cell in empty] if proof else []
                cell = chance.choice(needed if needed and chance.random() < 0.8 else empty)
            position = game.play(position, game.placing((cell,)))
        if winner:
            won += 1
            outcome = game.outcome(position)

            assert outcome is not None
            assert outcome.winner is winner
    assert won > 0


@pytest.mark.parametrize("mover", list(Side))
def test_pairs_join_a_stone_in_the_middle_of_y_to_all_sides(mover: Side) -> None:
    game = parse_game("y(size=4)")
    stone = game.position_of({Side.X: ["C3"]})
    proof = prove(game, Position(stone.stones, mover, ply=2, trace=stone.trace), 0)

    assert proof is not None
    assert (Side.X, None, 0) == (proof.winner, proof.move, proof.depth)
    names = {tuple(game.board.sorted_names(pair)) for pair in proof.links}
    assert {("C2", "B3"), ("D2", "D3"), ("B4", "C4")} == names
    assert sorted(cell for pair in proof.links for cell in pair) == list(proof.carrier)


@pytest.mark.parametrize("mover", list(Side))
def test_pairs_join_a_stone_in_the_middle_of_hex_to_both_edges(mover: Side) -> None:
    game = parse_game("hex(size=3)")
    for side, pairs in (
        (Side.X, {("B1", "C1"), ("A3", "B3")}),
        (Side.O, {("A2", "A3"), ("C1", "C2")}),
    ):
        stones = game.position_of({side: ["B2"]}).stones
        proof = prove(game, Position(stones, mover, ply=2), 0)

        assert proof is not None
        assert side is proof.winner
        assert pairs == {tuple(game.board.sorted_names(pair)) for pair in proof.links}


def test_a_pass_that_would_end_the_game_undoes_a_proof() -> None:
    game = parse_game("y(size=4)")
    stone = game.position_of({Side.X: ["C3"]})

    assert prove(game, Position(stone.stones, Side.O, 3, 1, trace=stone.trace), 2) is None


def test_two_stones_a_turn_break_pairs_so_only_fillings_prove() -> None:
    game = parse_game("starstar(size=4,double)")
    chance = Random(1)
    winners = set()
    for _ in range(40):
        position = late_position(game, 5, chance)
        found, proof = settled(game, position), prove(game, position, 3)

        assert found is not None
        assert found.winner is (proof.winner if proof else None)
        winners.add(found.winner)
    assert {None, Side.X, Side.O} == winners


def test_nearly_all_late_positions_are_proven(full: bool) -> None:  # noqa: FBT001
    game = parse_game("star(size=6)")
    positions = open_positions(game, least=2, most=8)
    count = 1000 if full else 60
    proven = sum(prove(game, next(positions), 3) is not None for _ in range(count))

    assert proven >= 0.9 * count


def test_a_search_ends_with_its_effort() -> None:
    game = parse_game("star(size=4)")
    position = next(
        position
        for position in open_positions(game, least=6, most=8)
        if (proof := prove(game, position, 2)) and proof.depth == 2
    )

    assert prove(game, position, 2, effort=2 * len(game.board)) is None


@pytest.mark.parametrize("spec", ["star(size=5)", "hex(size=6)", "y(size=6)"])
def test_a_proof_judges_no_more_positions_than_its_effort_allows(
    spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, judged = parse_game(spec), 0
    links = WinClaim.winning_links

    def counted(claim: WinClaim, stones: bytes, *, is_near: bool) -> object:
        nonlocal judged
        judged += 1
        return links(claim, stones, is_near=is_near)

    monkeypatch.setattr(WinClaim, "winning_links", counted)
    for most in (0, 1, 7, 40):
        judged = 0

        assert prove(game, game.start(), 3, most * len(game.board)) is None
        assert judged == most
