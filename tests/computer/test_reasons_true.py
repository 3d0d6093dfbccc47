"""Every reason that is given for a move is true on the board, and none that is true is left out."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import product

import pytest

from pbmserv.computer.game_arrays import arrays_of
from pbmserv.computer.reasons import MAX_REASONS, reasons
from pbmserv.engine.board import Cell, groups
from pbmserv.engine.game import Game
from pbmserv.engine.position import Move, Position, Side
from pbmserv.engine.settle import settled
from pbmserv.engine.spec import parse_game
from tests.engine.sample_games import random_game

SPECS = ("star(size=5)", "starstar(size=4)", "starweb(size=4)", "y(size=6)", "hex(size=5)")
EACH_GAME = pytest.mark.parametrize("spec", SPECS)
NUMBERS = {2: "two", 3: "three", 4: "4", 5: "5", 6: "6"}
PAIRED = re.compile(r"(\S+) and (\S+) are a pair: (\S+) cannot be cut off from (the edge|\S+)\.")
CUT = re.compile(
    r"It threatens to cut (\S+) off from (the edge|\S+): (\w) should answer at (\S+)\."
)
LISTED = re.compile(", | or ")
WINS = re.compile(r"It wins: answer each stone on (.+) in the same link; ignore all others\.")
BY_LINKS = re.compile(r"It wins by \d+ links: answer each stone in the same link\.")
LINKED = re.compile(r"(\S+) cannot be cut off from (the edge|\S+): (.+) are enough\.")
KEPT = re.compile(r"It keeps (\w)'s stones on (\S+) and (\S+) apart\.")


@cache
def turns(spec: str) -> list[tuple[Position, Move, list[str]]]:
    """Return moves of random games, each with its position and the reasons given for it."""
    game = parse_game(spec)
    found = []
    for number in range(25):
        before = game.start()
        for move, after in random_game(game, number):
            if move and move.cells:
                found.append((before, move, reasons(game, before, move)))
            before = after
    return found


def chains(game: Game, stones: bytes, side: Side) -> list[set[Cell]]:
    return [set(chain) for chain in groups(game.board, Position(stones).stone_mask(side))]


def holding(game: Game, stones: bytes, side: Side, cell: Cell) -> set[Cell]:
    """Return the chain of ``side`` in which a cell stands."""
    return next(chain for chain in chains(game, stones, side) if cell in chain)


def put(stones: bytes, *placed: tuple[Cell, Side]) -> bytes:
    after = bytearray(stones)
    for cell, side in placed:
        after[cell] = side.stone
    return bytes(after)


def held_bits(game: Game, chain: set[Cell], side: Side) -> int:
    arrays = arrays_of(game)
    assert arrays is not None
    bits = 0
    for cell in chain:
        bits |= arrays.tables.marks[side.stone - 1][cell]
    return bits


def joined_chains(game: Game, before: Position, cell: Cell, side: Side) -> int:
    beside = set(game.board.neighbours[cell])
    return sum(1 for chain in chains(game, before.stones, side) if chain & beside)


def told(found: list[str], pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    return (match for line in found if (match := pattern.fullmatch(line)))


@pytest.mark.costly
@EACH_GAME
def test_what_joins_and_earns_is_told_with_its_figures(spec: str) -> None:
    game, joins = parse_game(spec), 0
    for before, move, said in turns(spec):
        side = before.to_move
        after = game.play(before, move)
        outcome = game.outcome(after)
        if outcome and outcome.winner is side:
            assert ["It wins the game."] == said
            continue
        [cell] = move.cells
        count = joined_chains(game, before, cell, side)
        old, new = game.score(before), game.score(after)
        has_points = game.points_to_agree(new) is not None
        gain = new.points[side] - old.points[side] if has_points else 0
        loss = old.points[side.other] - new.points[side.other] if has_points else 0
        end = settled(game, after)
        found = [line for line in said if not (WINS.fullmatch(line) or BY_LINKS.fullmatch(line))]
        expected = []
        if end and end.winner is side:
            expected.append(f"It decides the game: {end.words}")
        if count > 1:
            worth = f": {gain:+d}" if gain else ""
            expected.append(f"{move.text} joins {NUMBERS[count]} chains{worth}.")
            joins += 1
        elif gain > 0:
            expected.append(f"It earns {gain} at once.")
        if loss > 0:
            expected.append(f"It costs {side.other} {loss}.")

        assert expected == found[: len(expected)]
        assert len(said) <= MAX_REASONS
        assert len(set(said)) == len(said)
        assert not any(" joins " in line or "earns" in line for line in found[len(expected) :])

    assert joins > 10


@EACH_GAME
def test_a_pair_that_is_told_joins_whichever_of_its_cells_is_lost(spec: str) -> None:
    game, pairs = parse_game(spec), 0
    index = game.board.index
    for before, move, found in turns(spec):
        side, after = before.to_move, game.play(before, move).stones
        for match in told(found, PAIRED):
            one, other, stone = (index[match[number]] for number in (1, 2, 3))
            pairs += 1

            assert after[one] == after[other] == 0
            assert (stone,) == move.cells
            for lost, kept in ((one, other), (other, one)):
                stones = put(after, (lost, side.other), (kept, side))
                chain = holding(game, stones, side, stone)
                was = holding(game, after, side, stone)
                if match[4] == "the edge":
                    assert held_bits(game, chain, side) & ~held_bits(game, was, side)
                else:
                    assert index[match[4]] in chain - was

    assert pairs > 10


@EACH_GAME
def test_every_chain_that_can_be_reached_by_either_of_two_cells_is_told(spec: str) -> None:
    game, reached = parse_game(spec), 0
    neighbours = game.board.neighbours
    for before, move, found in turns(spec):
        side, after = before.to_move, game.play(before, move).stones
        if game.is_over(game.play(before, move)):
            continue
        [cell] = move.cells
        free = {other for other in neighbours[cell] if not after[other]}
        expected = [
            chain
            for chain in chains(game, after, side)
            if cell not in chain and any(len(free & set(neighbours[stone])) > 1 for stone in chain)
        ]
        actual = [match[4] for match in told(found, PAIRED) if match[4] != "the edge"]
        reached += len(actual)

        assert len(actual) == len(expected) or len(found) == MAX_REASONS
        for name in actual:
            assert 1 == sum(game.board.index[name] in chain for chain in expected)

    assert reached > 5


@EACH_GAME
def test_a_cut_that_is_told_cuts_unless_it_is_answered(spec: str) -> None:
    game, cuts = parse_game(spec), 0
    index = game.board.index
    for before, move, found in turns(spec):
        side, after = before.to_move, game.play(before, move).stones
        other = side.other
        for match in told(found, CUT):
            cuts += 1
            end, reply = index[match[1]], index[match[4]]
            mended = holding(game, put(after, (reply, other)), other, end)
            was = holding(game, after, other, end)

            assert other == match[3]
            assert not after[reply]
            if match[2] == "the edge":
                assert held_bits(game, mended, other) & ~held_bits(game, was, other)
            else:
                assert index[match[2]] in mended - was

    assert cuts > 5


@EACH_GAME
def test_stones_that_are_kept_apart_would_have_been_joined_there(spec: str) -> None:
    game, kept = parse_game(spec), 0
    index = game.board.index
    for before, move, found in turns(spec):
        side, after = before.to_move, game.play(before, move).stones
        for match in told(found, KEPT):
            one, other = index[match[2]], index[match[3]]
            [cell] = move.cells
            instead = put(before.stones, (cell, side.other))
            kept += 1

            assert side.other == match[1]
            assert one < other
            assert other in holding(game, instead, side.other, one)
            assert other not in holding(game, before.stones, side.other, one)
            for free in (cell for cell, stone in enumerate(after) if not stone):
                stones = put(after, (free, side.other))
                assert other not in holding(game, stones, side.other, one)

    assert kept > 5


@EACH_GAME
def test_links_that_win_do_so_whichever_of_their_cells_are_lost(spec: str) -> None:
    game, won = parse_game(spec), 0
    index, arrays = game.board.index, arrays_of(parse_game(spec))
    assert arrays is not None
    for before, move, found in turns(spec):
        side = before.to_move
        for match in told(found, WINS):
            links = [[index[name] for name in words.split()] for words in LISTED.split(match[1])]
            if any(len(link) > 2 for link in links):
                continue
            won += 1
            after = game.play(before, move)
            for lost in product(*links):
                stones = bytearray(after.stones)
                for link, cell in zip(links, lost, strict=True):
                    stones[link[0]] = stones[link[1]] = side.stone
                    stones[cell] = side.other.stone
                full = bytes(stone or side.other.stone for stone in stones)
                assert (arrays.tables.balance(full).winner or game.tie_winner(after)) is side

    assert won > 0


@EACH_GAME
def test_a_lone_stone_that_is_linked_further_on_can_be_joined_by_these_cells(spec: str) -> None:
    game, linked = parse_game(spec), 0
    index = game.board.index
    for before, move, found in turns(spec):
        side, after = before.to_move, game.play(before, move).stones
        for match in told(found, LINKED):
            stone, cells = index[match[1]], [index[name] for name in match[3].split()]
            linked += 1
            chain = holding(game, put(after, *((cell, side) for cell in cells)), side, stone)

            assert (stone,) == move.cells
            assert len(cells) > 2
            assert not any(after[cell] for cell in cells)
            assert {stone} == holding(game, after, side, stone)
            if match[2] == "the edge":
                assert held_bits(game, chain, side) & ~held_bits(game, {stone}, side)
            else:
                assert index[match[2]] in chain

    assert linked > 0
