"""What is said of a turning point is true on the board: links are kept, lost and made so."""

import re
from functools import cache
from itertools import islice
from random import Random

import pytest

from pbmserv.computer.game_arrays import require_arrays
from pbmserv.computer.turning_words import LinkEnd, _weight, explain_mistake
from pbmserv.engine.board import Cell, groups
from pbmserv.engine.game import Game
from pbmserv.engine.position import EMPTY, Position, Side
from pbmserv.engine.spec import parse_game

from .exhaustive import Exhaustive, with_stone
from .test_proof import open_positions

LOST = re.compile(r"It lost the link between (\S+) and (the edge|\S+)\.")
LET = re.compile(r"It let ([XO]) join (\S+) (?:to|and) (the edge|\S+)\.")


class Joining:
    """Whether a side can join two of its stones, or one to a new edge, on all that is empty."""

    def __init__(self, game: Game, side: Side, one: Cell, two: Cell | None) -> None:
        self.board, self.side, self.one, self.two = game.board, side, one, two
        self.marks = require_arrays(game).tables.marks[side.stone - 1]
        self.can_join = cache(self._can_join)

    def edges(self, stones: bytes) -> set[int]:
        """Return the edges that the first stone is joined to, or {0} where it is to the other."""
        chains = groups(self.board, Position(stones).stone_mask(self.side))
        chain = next(chain for chain in chains if self.one in chain)
        if self.two is not None:
            return {0} if self.two in chain else set()
        return {bit for cell in chain for bit in range(10) if self.marks[cell] >> bit & 1}

    def _can_join(self, stones: bytes, edge: int, *, is_moving: bool) -> bool:
        if edge in self.edges(stones) or EMPTY not in stones:
            return edge in self.edges(stones)
        mover = self.side if is_moving else self.side.other
        found = (
            self.can_join(with_stone(stones, cell, mover), edge, is_moving=not is_moving)
            for cell, stone in enumerate(stones)
            if stone == EMPTY
        )
        return any(found) if is_moving else all(found)

    def some(self, stones: bytes, *, is_moving: bool) -> set[int]:
        edges = {0} if self.two is not None else range(10)
        return {edge for edge in edges if self.can_join(stones, edge, is_moving=is_moving)}


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(
    "spec", ["star(size=4)", "hex(size=4)", "y(size=4)", "starweb(size=4)", "polyy(size=3)"]
)
def test_what_a_move_lost_or_let_be_joined_is_so_by_every_play(spec: str, *, full: bool) -> None:
    game, chance, told = parse_game(spec), Random(spec), set()
    index, truth = game.board.index, Exhaustive(game)
    for position in islice(open_positions(game, least=3, most=7), 800 if full else 60):
        cells = [cell for cell, stone in enumerate(position.stones) if stone == EMPTY]
        played, better = (game.placing((cell,)) for cell in chance.sample(cells, 2))
        said = explain_mistake(game, position, played, better)
        after, instead = (game.play(position, move).stones for move in (played, better))
        side = position.to_move
        told.add(said[:6])
        if match := LOST.fullmatch(said):
            two = index.get(match[2])
            joining = Joining(game, side, index[match[1]], two)

            kept = joining.some(instead, is_moving=False)
            assert kept - joining.some(after, is_moving=False)
        elif match := LET.fullmatch(said):
            two = index.get(match[3])
            joining = Joining(game, side.other, index[match[2]], two)

            assert match[1] == side.other
            made = joining.some(after, is_moving=True)
            assert made - joining.some(instead, is_moving=True)
        elif said:
            assert said == "It gave up the winning link."
            assert truth.can_force(side, instead, side.other)
            assert not truth.can_force(side, after, side.other)
    assert {"It los", "It let", ""} <= told


@pytest.mark.parametrize(
    ("spec", "moves", "played", "better", "said"),
    [
        ("star(size=6)", "D5 G7 E6 E5", "A6", "D6", "It lost the link between D5 and E6."),
        ("star(size=6)", "E5 D5 A6 E6", "A7", "D6", "It let O join D5 and E6."),
        ("hex(size=5)", "C3 A1 C4 B5", "A2", "C5", "It gave up the winning link."),
        ("hex(size=5)", "C3 A1 C4 B5", "C5", "A2", ""),
        ("star(size=6)", "D5 G7 E6 E5", "pass", "D6", ""),
        ("starstar(size=6,double)", "*10 S10+T10", "*30+*31", "S20+T20", ""),
    ],
)
def test_what_a_move_gave_away(spec: str, moves: str, played: str, better: str, said: str) -> None:
    game = parse_game(spec)
    position = game.replay(moves.split())

    assert said == explain_mistake(game, position, *map(game.parse_move, (played, better)))


def test_a_link_weighs_the_same_from_either_end() -> None:
    one, two = LinkEnd(4, 5), LinkEnd(9, 2)

    assert _weight((one, two)) == _weight((two, one)) == (2, 5)
