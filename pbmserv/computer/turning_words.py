"""What a move gave away that a better one keeps, told by the links of both sides."""

from itertools import combinations, product
from typing import NamedTuple

from pbmserv.computer.arena import Arena, arena_of
from pbmserv.computer.links import ALL, FULL, fastest_links
from pbmserv.engine.board import Cell, groups
from pbmserv.engine.game import Game
from pbmserv.engine.position import Move, Position, Side

EDGE_WEIGHT = 3
"""A link to an edge is told before one to a chain of fewer stones."""


class End(NamedTuple):
    """What a link leads to: a chain of so many stones, one of them at ``cell``, or side -cell."""

    cell: Cell
    weight: int


def given_away(game: Game, position: Position, played: Move, better: Move) -> str:
    """Return in a sentence what ``played`` lost, or let the other side join, and ``better`` not.

    Nothing where no links tell, and where a turn has two stones, for there a link holds nothing.
    """
    arena = arena_of(game)
    if arena is None or arena.stones_a_turn > 1 or not (played.cells and better.cells):
        return ""
    after = game.play(position, played), game.play(position, better)
    return _lost(game, arena, position, after) or _let_join(game, arena, position, after)


def _lost(game: Game, arena: Arena, position: Position, after: tuple[Position, Position]) -> str:
    """Return the link of who moved that the first position lacks and the second has."""
    side = position.to_move
    had, has = (_Held(arena, one, side) for one in after[::-1])
    is_of_one_chain = arena.tables.total == 1  # several could still win without this link
    if is_of_one_chain and had.is_winning and not has.is_winning:
        return "It gave up the winning link."
    pairs = _pairs(game, arena, position, side)
    lost = (pair for pair in pairs if had.links(*pair) and not has.links(*pair))
    pair = max(lost, key=_weight, default=None)
    return f"It lost the link between {_names(game, pair, ' and ')}." if pair else ""


def _let_join(
    game: Game, arena: Arena, position: Position, after: tuple[Position, Position]
) -> str:
    """Return what the other side can join in the first position, and not in the second."""
    other = position.to_move.other
    can, could = (_Held(arena, one, other) for one in after)
    pairs = _pairs(game, arena, position, other)
    let = (pair for pair in pairs if can.can_join(*pair) and not could.can_join(*pair))
    pair = max(let, key=_weight, default=None)
    return f"It let {other} join {_names(game, pair, ' to ')}." if pair else ""


class _Held:
    """What one side holds together, or can join, in one position."""

    def __init__(self, arena: Arena, position: Position, side: Side) -> None:
        self.found = fastest_links()(arena)
        best = self.found.look(self.found.read(position.stones), side.stone, ALL)
        self.is_winning = best == FULL

    def links(self, one: End, two: End) -> bool:
        """Tell whether these ends hold together whatever the other side plays."""
        pair = self._pair(one, two)
        return pair is None or self.found.fulls[pair] != 0

    def can_join(self, one: End, two: End) -> bool:
        """Tell whether they do once this side has moved."""
        pair = self._pair(one, two)
        return pair is None or self.found.fulls[pair] != 0 or self.found.halves[pair] != 0

    def _pair(self, one: End, two: End) -> int | None:
        """Return where the links between two ends are kept, None where they are one chain."""
        low, high = sorted((self._number(one), self._number(two)))
        return None if low == high else low * self.found.ends + high

    def _number(self, end: End) -> int:
        return -end.cell if end.cell < 0 else self.found.end_of[end.cell]


def _pairs(game: Game, arena: Arena, position: Position, side: Side) -> list[tuple[End, End]]:
    """Return all pairs of chains of ``side``, and of one with a side of the board."""
    tables = arena.tables
    chains = [End(min(c), len(c)) for c in groups(game.board, position.alone(side))]
    count = len(tables.points).bit_length() - 1 if tables.are_bits else 0
    edges = [End(-1 - number, EDGE_WEIGHT) for number in range(count)]
    return [*product(edges, chains), *combinations(chains, 2)]


def _weight(pair: tuple[End, End]) -> tuple[int, int]:
    """Return how much a link is worth telling: what it holds together on either side."""
    low, high = sorted(end.weight for end in pair)
    return low, high


def _names(game: Game, pair: tuple[End, End], between: str) -> str:
    """Return the ends in words, a chain by a stone of it."""
    edge, chain = pair
    if edge.cell < 0:
        return f"{game.board.names[chain.cell]}{between}the edge"
    return f"{game.board.names[edge.cell]} and {game.board.names[chain.cell]}"
