"""Links that share no cell win what they promise, and they promise nearly all they can."""

from itertools import islice, product
from random import Random

import pytest

from pbmserv.computer import kernel, link_prover
from pbmserv.computer.game_arrays import require_arrays
from pbmserv.computer.link_prover import may_cost
from pbmserv.computer.links import fastest
from pbmserv.computer.proof import Link, WinClaim, prove
from pbmserv.engine.board import Cell, groups
from pbmserv.engine.game import Game
from pbmserv.engine.position import EMPTY, Position, Side
from pbmserv.engine.score_tables import Tables
from pbmserv.engine.spec import parse_game

from .exhaustive import Exhaustive
from .test_proof import MORE, USUAL, late_position, open_positions
from .test_search import COMPILED

SMALLEST = ["polyy(size=2)", "y(size=3)", "star(size=3,corners=2)"]
DOUBLE = "starstar(size=4,double)"


def tables(game: Game) -> Tables:
    return require_arrays(game).tables


def claim_of(game: Game, position: Position, side: Side) -> WinClaim:
    found = fastest(link_prover.LinkProver)(require_arrays(game))
    return WinClaim(found, side, game.tie_winner(position) is side)


def filled_by_links(
    game: Game, stones: bytes, side: Side, links: tuple[Link, ...], chance: Random
) -> bytes:
    """Return a full board of which ``side`` got only what each link promises.

    That is one cell of two; of more as few as join what all of them join.
    """
    full = bytearray(stone or side.other.stone for stone in stones)
    for link in links:
        if len(link) == 2:
            full[chance.choice(link)] = side.stone
            continue
        ends = joined_by(game, stones, side, {*link})
        kept = {*link}
        for cell in chance.sample(link, len(link)):
            if joined_by(game, stones, side, kept - {cell}) == ends:
                kept.remove(cell)
        for cell in kept:
            full[cell] = side.stone
    return bytes(full)


def joined_by(game: Game, stones: bytes, side: Side, cells: set[Cell]) -> list[set[object]]:
    """Return which chains and sides of the board are one where ``side`` has these cells, too."""
    marks, board = tables(game).marks[side.stone - 1], game.board
    number = {
        cell: ("chain", chain[0])
        for chain in groups(board, Position(stones).stone_mask(side))
        for cell in chain
    }
    full = bytearray(stones)
    for cell in cells:
        full[cell] = side.stone
    found = []
    for chain in groups(board, Position(bytes(full)).stone_mask(side)):
        ends: set[object] = {number[cell] for cell in chain if cell in number}
        if tables(game).are_bits:
            ends |= {bit for cell in chain for bit in range(10) if marks[cell] >> bit & 1}
        found.append(ends)
    return [ends for ends in found if ends]


@pytest.mark.costly(stay=2)
@pytest.mark.parametrize("spec", [*USUAL, *MORE, "star(size=6,maxi)", "hex(size=8)", "polyy"])
def test_whoever_has_what_links_promise_wins_whichever_of_their_cells_are_lost(spec: str) -> None:
    game, chance, claims = parse_game(spec), Random(spec), 0
    for position in islice(open_positions(game, least=2, most=len(game.board) // 3), 80):
        stones = position.stones
        for side in Side:
            links = claim_of(game, position, side).winning_links(stones)
            if links is None:
                continue
            claims += 1
            cells = [cell for link in links for cell in link]

            assert len(cells) == len(set(cells))
            assert not any(stones[cell] for cell in cells)
            for _ in range(8):
                full = filled_by_links(game, stones, side, links, chance)
                assert (tables(game).balance(full).winner or game.tie_winner(position)) is side
    assert claims > 1


@pytest.mark.parametrize("spec", [*SMALLEST, *USUAL, *MORE, DOUBLE])
def test_what_links_win_is_won_by_exhaustive_play(spec: str, *, full: bool) -> None:
    game, chance, won = parse_game(spec), Random(spec), 0
    truth = Exhaustive(game)
    for number in range(2000 if full else 25):
        if number % 50 == 0:
            truth = Exhaustive(game)  # forget what will not be asked again
        position = late_position(game, min(chance.randint(2, 7), len(game.board) - 1), chance)
        stones = position.stones
        for side in Side:
            claim = claim_of(game, position, side)
            for is_near in (True, False):
                if claim.winning_links(stones, is_near=is_near) is not None:
                    won += 1

                    assert truth.can_force(side, stones, side.other), (stones, side)
    assert won > 0


@pytest.mark.parametrize("spec", ["star(size=4)", "starweb(size=4)", "y(size=4)", "hex(size=5)"])
def test_no_link_of_a_proof_is_needless(spec: str) -> None:
    game, seen = parse_game(spec), 0
    for position in islice(open_positions(game, least=2, most=len(game.board) // 3), 40):
        for side in Side:
            claim = claim_of(game, position, side)
            links = claim.winning_links(position.stones)
            for lost in links or ():
                seen += 1
                stones = bytearray(position.stones)
                for cell in lost:
                    stones[cell] = side.other.stone
                rest = claim.winning_links(bytes(stones))
                assert rest is None or not {*rest} < {*(links or ())}
    assert seen > 0


@pytest.mark.parametrize("spec", [*USUAL, *MORE, DOUBLE])
def test_what_is_settled_needs_no_links_and_nothing_else_is(spec: str) -> None:
    game, chance = parse_game(spec), Random(spec)
    for _ in range(40):
        cells = [chance.choice((EMPTY, 1, 2)) for _ in game.board.names]
        stones = bytes(cells)
        for side in Side:
            claim = WinClaim(
                fastest(link_prover.LinkProver)(require_arrays(game)), side, wins_ties=False
            )
            worst = bytes(stone or side.other.stone for stone in stones)
            wins = tables(game).balance(worst).winner is side

            assert (claim.winning_links(stones) == ()) is wins


@pytest.mark.parametrize(
    "spec", ["starstar(size=4)", "star(size=4)", "hex(size=4)", "starweb", "y"]
)
def test_a_link_needs_any_cell_unless_a_stone_on_it_may_cost_points(spec: str) -> None:
    game = parse_game(spec)
    marks = [mark for of_side in tables(game).marks for mark in of_side]
    is_rim = [game.name == "starstar" and mark > 0 for mark in marks]

    assert may_cost(tables(game)) == is_rim


@pytest.mark.costly(stay=1)
@pytest.mark.skipif(COMPILED is kernel.Tree, reason="no kernel was compiled at installation")
@pytest.mark.parametrize("spec", ["star(size=5)", "starstar(size=4)", "starweb(size=5)", "polyy"])
def test_both_speeds_choose_the_same_links(spec: str) -> None:
    game, seen = parse_game(spec), set()
    arrays = require_arrays(game)
    plain, fast = link_prover.LinkProver(arrays), fastest(link_prover.LinkProver)(arrays)
    for position in islice(open_positions(game, least=2, most=len(game.board) // 3), 20):
        for side, is_near in product(Side, (True, False)):
            found = [
                (
                    one.is_won(one.read(position.stones), side.stone, False, is_near),
                    one.used_links(),
                )
                for one in (plain, fast)
            ]
            seen.add(repr(found[0]))

            assert found[0] == found[1]
    assert len(seen) > 5


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(
    ("spec", "by_links", "a_move_ahead"),
    [
        ("star(size=5)", 12, 40),
        ("star(size=4,maxi)", 9, 35),
        ("star(size=5,maxi,corners=2)", 2, 43),
        ("starstar(size=4,scoring=alternative)", 3, 31),
        ("starweb(size=5)", 2, 38),
        ("polyy(size=4)", 12, 45),
        ("y(size=7)", 18, 54),
        ("hex(size=7)", 15, 53),
    ],
)
def test_so_much_is_proven(spec: str, by_links: int, a_move_ahead: int) -> None:
    game = parse_game(spec)
    positions = [*islice(open_positions(game, least=2, most=10), 60)]
    proven = [sum(prove(game, one, depth) is not None for one in positions) for depth in (0, 1)]

    assert by_links <= proven[0]
    assert a_move_ahead <= proven[1]
