"""Who wins a small board, by a search over proofs that never tries a move that cannot matter.

A proof that a side reaches its aim stands on some of the empty cells, its carrier: it holds even if
all the others are given to the opponent, since one more stone never harms a side (see
:class:`~pbmserv.engine.score_tables.Tables`). So whoever is to move, and has tried a move that
fails, need only try the cells of the carrier by which it fails; and where no cell is in all of
these carriers every move fails. Passing is not tried either: it is never better than a stone.

A set of cells is a whole number with one bit a cell.
"""

from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

from pbmserv.computer.game_arrays import can_link, require_arrays
from pbmserv.computer.links import FULL, HALF, WIN, Links, fastest
from pbmserv.engine.board import Cell
from pbmserv.engine.game import Game
from pbmserv.engine.position import EMPTY, Side
from pbmserv.engine.score_tables import TieRule
from pbmserv.engine.settle import fill_empty

SAMPLES = 100
"""So many random fillings of a board tell which cells matter most."""


class Found(NamedTuple):
    """Who reaches the aim, the cells that the proof needs, and the mover's move if it needs one."""

    winner: Side
    carrier: int
    move: Cell | None


class ProofSearch:
    """The proofs of one game that X comes to a margin of ``aim`` at least, or that O prevents it.

    In Maxi-Star, where the margin says nothing of later chains, the aim is to win. ``nodes`` counts
    the positions looked into.
    """

    def __init__(self, game: Game, aim: int = 1) -> None:
        arrays = require_arrays(game)
        self.game = game
        self.aim = aim
        self.tables = arrays.tables
        self.links = [fastest(Links)(arrays) for _ in Side] if can_link(arrays) else []
        # One chain wins in Hex and Y: there links see all that fillings do.
        self.fills = not self.links or arrays.tables.total != 1
        self.images: list[Sequence[Cell]] = [(*range(arrays.size),), *game.symmetries]
        self.known: dict[tuple[bytes, Side], Found] = {}
        self.chance = Random(1)
        self.nodes = 0

    def solve(self, stones: bytes, mover: Side) -> Found:
        """Return who reaches the aim from a position, and how."""
        turned, image = min((_turned(stones, image), image) for image in self.images)
        key = turned, mover
        if key not in self.known:
            self.nodes += 1
            self.known[key] = self._at_once(turned, mover) or self._by_trying(turned, mover)
        found = self.known[key]
        carrier = sum(1 << cell for cell, to in enumerate(image) if found.carrier >> to & 1)
        return Found(found.winner, carrier, None if found.move is None else image.index(found.move))

    def _at_once(self, stones: bytes, mover: Side) -> Found | None:
        """Return what needs no search: by filling the board, before and after a move, or links."""
        other = mover.other
        for side in Side if self.fills else ():
            if self._has_reached(side, stones):
                return Found(side, 0, None)
        if self.links:
            ours, theirs = self.links
            stones_read = ours.read(stones)
            if kind := ours.look(stones_read, mover.stone, HALF):
                move = ours.best_key() if kind == HALF else None
                return Found(mover, _set(ours.cells_of(ours.winning_set())), move)
            if theirs.look(stones_read, other.stone, FULL) == FULL:
                return Found(other, _set(theirs.cells_of(theirs.winning_set())), None)
        for cell in _cells(_empty(stones)) if self.fills else ():
            if self._has_reached(mover, _with(stones, cell, mover)):
                return Found(mover, 1 << cell, cell)
        return None

    def _by_trying(self, stones: bytes, mover: Side) -> Found:
        """Return what trying moves shows, of those alone that meet every known threat."""
        other = mover.other
        must, union = _empty(stones), 0
        for threat in self._threats(stones, other):
            must &= threat
            union |= threat
        for cell in self._sorted(stones, must, mover):
            if must >> cell & 1:
                found = self.solve(_with(stones, cell, mover), other)
                if found.winner is mover:
                    return Found(mover, found.carrier | 1 << cell, cell)
                must &= found.carrier
                union |= found.carrier
        return Found(other, union, None)

    def _threats(self, stones: bytes, side: Side) -> Iterator[int]:
        """Yield carriers of wins of ``side`` if it were to move."""
        for cell in _cells(_empty(stones)) if self.fills else ():
            if self._has_reached(side, _with(stones, cell, side)):
                yield 1 << cell
        if self.links:  # which have just looked at this position for it
            links = self.links[1]
            half = links.halves[WIN]
            while half:
                yield _set(links.cells_of(half))
                half = links.following[half]

    def _sorted(self, stones: bytes, must: int, mover: Side) -> list[Cell]:
        """Return the moves of a set in the order in which to try them.

        First those that leave the opponent the fewest answers, then those that matter most on
        random full boards.
        """
        moves = [*_cells(must)]
        if len(moves) < 2:
            return moves
        weight = dict.fromkeys(moves, 0)
        empty = _empty(stones)
        for _ in range(SAMPLES):
            ours = self.chance.getrandbits(len(stones)) & empty
            full = bytes(s or (1 if ours >> cell & 1 else 2) for cell, s in enumerate(stones))
            reached = self.has_reached(full)
            for cell in moves:
                weight[cell] += 1 if reached == (ours >> cell & 1) else -1
        answers = {cell: self._answers(_with(stones, cell, mover), mover) for cell in moves}
        return sorted(moves, key=lambda cell: (answers[cell], -weight[cell]))

    def _answers(self, stones: bytes, mover: Side) -> int:
        """Return how many answers there are to the threats by links of who has just moved."""
        if not self.links:
            return 0
        links = self.links[0]
        kind = links.look(links.read(stones), mover.stone, FULL)
        if kind == HALF:
            return len(links.cells_of(links.must_play()))
        return 0 if kind == FULL else len(stones)

    def _has_reached(self, side: Side, stones: bytes) -> bool:
        """Tell whether a side is at its aim if every empty cell is the opponent's."""
        return self.has_reached(fill_empty(stones, side.other)) == (side is Side.X)

    def has_reached(self, full: bytes) -> bool:
        """Tell whether X is at the aim on a full board."""
        balance = self.tables.balance(full)
        if self.tables.ending is TieRule.BEST_CHAIN:
            return balance.winner is Side.X
        return balance.margin >= self.aim


def _empty(stones: bytes) -> int:
    return _set(cell for cell, stone in enumerate(stones) if stone == EMPTY)


def _set(cells: "Iterator[Cell] | list[Cell]") -> int:
    return sum(1 << cell for cell in cells)


def _cells(cells: int) -> Iterator[Cell]:
    return (cell for cell in range(cells.bit_length()) if cells >> cell & 1)


def _turned(stones: bytes, image: Sequence[Cell]) -> bytes:
    """Return the stones where ``image`` takes them."""
    turned = bytearray(len(stones))
    for cell, to in enumerate(image):
        turned[to] = stones[cell]
    return bytes(turned)


def _with(stones: bytes, cell: Cell, side: Side) -> bytes:
    return stones[:cell] + bytes((side.stone,)) + stones[cell + 1 :]
