"""Why a move was a mistake: the link that it lost or allowed and a better one does not."""

from itertools import combinations, product
from typing import NamedTuple

from pbmserv.computer.game_arrays import GameArrays, arrays_of
from pbmserv.computer.links import ALL, FULL, Links, fastest
from pbmserv.engine.board import Cell, groups
from pbmserv.engine.game import Game
from pbmserv.engine.position import Move, Position, Side

EDGE_WEIGHT = 3
"""The weight of an edge as the end of a link; a chain weighs its stones."""


class LinkEnd(NamedTuple):
    """An end of a link: a chain of ``weight`` stones with one at ``cell``, or side -cell."""

    cell: Cell
    weight: int


def explain_mistake(game: Game, position: Position, played: Move, better: Move) -> str:
    """Return a sentence on what ``played`` lost, or let the other side join, and ``better`` not.

    It is empty if no links tell, and if a turn has two stones, which can break any link.
    """
    arrays = arrays_of(game)
    if arrays is None or arrays.stones_a_turn > 1 or not (played.cells and better.cells):
        return ""
    after = game.play(position, played), game.play(position, better)
    return _lost(game, arrays, position, after) or _let_join(game, arrays, position, after)


def _lost(
    game: Game, arrays: GameArrays, position: Position, after: tuple[Position, Position]
) -> str:
    """Return the mover's link that the first position lacks and the second has, in words."""
    side = position.to_move
    had, has = (_Connectivity(arrays, one, side) for one in after[::-1])
    is_of_one_chain = arrays.tables.total == 1  # several could still win without this link
    if is_of_one_chain and had.is_winning and not has.is_winning:
        return "It gave up the winning link."
    pairs = _pairs(game, arrays, position, side)
    lost = (pair for pair in pairs if had.links(*pair) and not has.links(*pair))
    pair = max(lost, key=_weight, default=None)
    return f"It lost the link between {_names(game, pair, ' and ')}." if pair else ""


def _let_join(
    game: Game, arrays: GameArrays, position: Position, after: tuple[Position, Position]
) -> str:
    """Return what the other side can join only in the first position, in words."""
    other = position.to_move.other
    can, could = (_Connectivity(arrays, one, other) for one in after)
    pairs = _pairs(game, arrays, position, other)
    let = (pair for pair in pairs if can.can_join(*pair) and not could.can_join(*pair))
    pair = max(let, key=_weight, default=None)
    return f"It let {other} join {_names(game, pair, ' to ')}." if pair else ""


class _Connectivity:
    """What one side has linked, or can link, in one position."""

    def __init__(self, arrays: GameArrays, position: Position, side: Side) -> None:
        self.found = fastest(Links)(arrays)
        best = self.found.look(self.found.read(position.stones), side.stone, ALL)
        self.is_winning = best == FULL

    def links(self, one: LinkEnd, two: LinkEnd) -> bool:
        """Tell whether these ends are linked."""
        pair = self._pair(one, two)
        return pair is None or self.found.fulls[pair] != 0

    def can_join(self, one: LinkEnd, two: LinkEnd) -> bool:
        """Tell whether these ends are linked once this side has moved."""
        pair = self._pair(one, two)
        return pair is None or self.found.fulls[pair] != 0 or self.found.halves[pair] != 0

    def _pair(self, one: LinkEnd, two: LinkEnd) -> int | None:
        """Return the number of a pair of ends, None if they are one chain."""
        low, high = sorted((self._number(one), self._number(two)))
        return None if low == high else low * self.found.ends + high

    def _number(self, end: LinkEnd) -> int:
        return -end.cell if end.cell < 0 else self.found.end_of[end.cell]


def _pairs(
    game: Game, arrays: GameArrays, position: Position, side: Side
) -> list[tuple[LinkEnd, LinkEnd]]:
    """Return all pairs of chains of ``side``, and of a chain with a side of the board."""
    tables = arrays.tables
    chains = [LinkEnd(min(c), len(c)) for c in groups(game.board, position.stone_mask(side))]
    count = len(tables.points).bit_length() - 1 if tables.are_bits else 0
    edges = [LinkEnd(-1 - number, EDGE_WEIGHT) for number in range(count)]
    return [*product(edges, chains), *combinations(chains, 2)]


def _weight(pair: tuple[LinkEnd, LinkEnd]) -> tuple[int, int]:
    """Return the weights of a link's ends, the lower first."""
    low, high = sorted(end.weight for end in pair)
    return low, high


def _names(game: Game, pair: tuple[LinkEnd, LinkEnd], between: str) -> str:
    """Return the ends in words, a chain by one of its stones."""
    edge, chain = pair
    if edge.cell < 0:
        return f"{game.board.names[chain.cell]}{between}the edge"
    return f"{game.board.names[edge.cell]} and {game.board.names[chain.cell]}"
