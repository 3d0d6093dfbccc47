"""Pairs: two empty cells of which one side always gets one, so that it holds what they join."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import combinations
from operator import add, or_

from pbmserv.engine.board import Cell
from pbmserv.engine.position import EMPTY, Side
from pbmserv.engine.score_tables import Ending, Tables

Pair = tuple[Cell, Cell]


@dataclass(frozen=True, eq=False)
class Claim:
    """That ``side`` wins whatever the opponent, who is to move, plays.

    The claim rests on pairs: whenever the opponent takes one cell of a pair, the side takes the
    other; every empty cell beside the pairs is given to the opponent. That is a proof since one
    more stone never harms a side (see :class:`Tables`).
    """

    tables: Tables
    side: Side
    tie_winner: Side | None

    def winning_pairs(self, stones: bytes) -> tuple[Pair, ...] | None:
        """Return pairs that prove the claim, none of them needless, or None if none are found."""
        holding = Holding(self, stones)
        if holding.wins_with(()):
            return ()
        pairs = holding.find_pairs()
        if not holding.wins_with(pairs):
            return None
        for pair in pairs[::-1]:
            fewer = [other for other in pairs if other != pair]
            if holding.wins_with(fewer):
                pairs = fewer
        return tuple(pairs)

    def is_settled(self, stones: bytes) -> bool:
        """Tell whether the side has won whatever either side plays, passes included."""
        return Holding(self, stones).wins_with(())

    def is_won_by(self, ours: list[int], theirs: Callable[[], list[int]]) -> bool:
        """Tell whether the claimant wins if the chains have at least, and at most, these marks.

        The opponent's are asked for only where they do not follow from the claimant's.
        """
        tables = self.tables
        if tables.total is not None and tables.ending is not Ending.BEST_CHAIN:
            points = sum(tables.points[mark] for mark in ours)
            start = tables.start if self.side is Side.X else -tables.start
            return 2 * points - tables.total + start > 0
        x, o = (ours, theirs()) if self.side is Side.X else (theirs(), ours)
        return (tables.balance_of(x, o).winner or self.tie_winner) is self.side

    @cached_property
    def marks(self) -> Sequence[int]:
        """The claimant's mark of each cell."""
        return self.tables.marks[self.side.stone - 1]

    @cached_property
    def shared(self) -> dict[tuple[Cell, Cell], int]:
        """How much the marks of two neighbours count less together, in either order."""
        less = {(share.one, share.other): share.less for share in self.tables.shares}
        return less | {(other, one): count for (one, other), count in less.items()}

    @cached_property
    def is_pairable(self) -> tuple[bool, ...]:
        """Whether one more stone on a cell never costs its chain points: no rim cell of *Star."""
        every = reduce(or_, self.marks)
        return tuple(_never_costs(self.tables, mark, every) for mark in self.marks)


class Holding:
    """The claimant's chains in one position, and what they become by pairs."""

    def __init__(self, claim: Claim, stones: bytes) -> None:
        """Join the claimant's stones and note which of them each empty cell touches."""
        self.claim = claim
        self.stones = stones
        self.leads = list(range(len(stones)))
        board, stone = claim.tables.board, claim.side.stone
        for one, other in board.links:
            if stones[one] == stone == stones[other]:
                _join(self.leads, one, other)
        self.touching = {
            cell: [other for other in board.neighbours[cell] if stones[other] == stone]
            for cell, found in enumerate(stones)
            if found == EMPTY and claim.is_pairable[cell]
        }

    @cached_property
    def their_links(self) -> list[tuple[Cell, Cell]]:
        """The links that join the opponent's stones once every empty cell is theirs."""
        ours, stones = self.claim.side.stone, self.stones
        return [
            link
            for link in self.claim.tables.board.links
            if stones[link[0]] != ours != stones[link[1]]
        ]

    def find_pairs(self) -> list[Pair]:
        """Return disjoint pairs, first those that join chains, then those that only add."""
        leads = self.leads.copy()
        free = set(self.touching)
        pairs: list[Pair] = []
        bits = self._edge_bits() if self.claim.tables.are_bits else {}
        while pair := self._best_join(leads, free, bits):
            pairs.append(pair)
            free -= {*pair}
            bits = self._after(leads, pair, bits)
        if self.claim.tables.shares:
            pairs += self._additions(leads, free)
        return pairs

    def wins_with(self, pairs: Sequence[Pair]) -> bool:
        """Tell whether these pairs prove the claim."""
        leads = self.leads.copy()
        waiting = list(pairs)
        joined = True
        while joined:  # what one pair joins may give another pair its common chain
            joined = False
            for pair in waiting:
                common = [*self._common(leads, pair)]
                for other in common[1:]:
                    joined |= _join(leads, common[0], other)
        ours = self._our_marks(leads, pairs)
        return self.claim.is_won_by(ours, lambda: self._their_marks(pairs))

    def _edge_bits(self) -> dict[Cell, int]:
        """Return the bits of each chain at the cell that leads it."""
        bits: dict[Cell, int] = defaultdict(int)
        for cell, stone in enumerate(self.stones):
            if stone == self.claim.side.stone:
                bits[_lead(self.leads, cell)] |= self.claim.marks[cell]
        return bits

    def _best_join(self, leads: list[Cell], free: set[Cell], bits: dict[Cell, int]) -> Pair | None:
        """Return the pair that joins two chains, or a chain to an edge, and is missed least."""
        found: dict[tuple[Cell, int], list[Cell]] = defaultdict(list)
        for cell in sorted(free):
            ends = sorted({_lead(leads, other) for other in self.touching[cell]})
            for link in combinations(ends, 2):
                found[link].append(cell)
            if bits:
                mark = self.claim.marks[cell]
                for end in ends:
                    for edge in _bits_of(mark & ~bits[end]):
                        found[end, ~edge].append(cell)
        links = [cells for cells in found.values() if len(cells) > 1]
        if not links:
            return None
        uses = Counter(cell for cells in links for cell in cells)
        pairs = [sorted(cells, key=lambda cell: (uses[cell], cell))[:2] for cells in links]
        one, other = min(pairs, key=lambda pair: (uses[pair[0]] + uses[pair[1]], pair))
        return one, other

    def _after(self, leads: list[Cell], pair: Pair, bits: dict[Cell, int]) -> dict[Cell, int]:
        """Join in ``leads`` what ``pair`` joins and return the bits of the chains after that."""
        first, *others = self._common(leads, pair)
        for other in others:
            _join(leads, first, other)
        if not bits:
            return bits
        after: dict[Cell, int] = defaultdict(int)
        for cell, held in bits.items():
            after[_lead(leads, cell)] |= held
        after[_lead(leads, first)] |= self.claim.marks[pair[0]] & self.claim.marks[pair[1]]
        return after

    def _additions(self, leads: list[Cell], free: set[Cell]) -> list[Pair]:
        """Return pairs of which either cell adds to the same chain."""
        gainful: dict[Cell, list[tuple[int, Cell]]] = defaultdict(list)
        for cell in sorted(free):
            ends = {_lead(leads, other) for other in self.touching[cell]}
            gain = self._gain(cell, set())
            if len(ends) == 1 and gain > 0:
                gainful[ends.pop()].append((-gain, cell))
        return [
            (cells[at][1], cells[at + 1][1])
            for cells in map(sorted, gainful.values())
            for at in range(0, len(cells) - 1, 2)
        ]

    def _common(self, leads: list[Cell], pair: Pair) -> set[Cell]:
        one, other = ({_lead(leads, cell) for cell in self.touching[end]} for end in pair)
        return one & other

    def _gain(self, cell: Cell, paired: set[Cell]) -> int:
        """Return what a stone on ``cell`` adds to its chain at least."""
        shared = self.claim.shared
        beside = self.claim.tables.board.neighbours[cell]
        ours = self.claim.side.stone
        return self.claim.marks[cell] - sum(
            shared.get((cell, other), 0)
            for other in beside
            if self.stones[other] == ours or other in paired
        )

    def _our_marks(self, leads: list[Cell], pairs: Sequence[Pair]) -> list[int]:
        """Return at least what the claimant's chains will be marked."""
        claim, stone = self.claim, self.claim.side.stone
        with_mark = _adding(claim.tables)
        found: dict[Cell, int] = defaultdict(int)
        for cell, here in enumerate(self.stones):
            if here == stone:
                lead = _lead(leads, cell)
                found[lead] = with_mark(found[lead], claim.marks[cell])
        for one, other, less in claim.tables.shares:
            if self.stones[one] == self.stones[other] == stone:
                found[_lead(leads, one)] -= less
        paired = {cell for pair in pairs for cell in pair}
        for pair in pairs:
            common = self._common(leads, pair)
            if not common:
                continue
            lead = min(common)
            one, other = pair
            if claim.tables.are_bits:
                found[lead] |= claim.marks[one] & claim.marks[other]
            elif claim.tables.shares:
                rest = paired - {*pair}
                found[lead] += max(0, min(self._gain(one, rest), self._gain(other, rest)))
        return [*found.values()]

    def _their_marks(self, pairs: Sequence[Pair]) -> list[int]:
        """Return at most what the opponent's chains will be marked.

        They get both cells of every pair, but not the link between them: they get only one.
        """
        tables, ours = self.claim.tables, self.claim.side.stone
        marks = tables.marks[self.claim.side.other.stone - 1]
        cut = {*pairs, *((other, one) for one, other in pairs)}
        leads = list(range(len(self.stones)))
        for link in self.their_links:
            if link not in cut:
                _join(leads, *link)
        with_mark = _adding(tables)
        found: dict[Cell, int] = defaultdict(int)
        for cell, stone in enumerate(self.stones):
            if stone != ours:
                lead = _lead(leads, cell)
                found[lead] = with_mark(found[lead], marks[cell])
        for one, other, less in tables.shares:
            if self.stones[one] != ours != self.stones[other] and (one, other) not in cut:
                found[_lead(leads, one)] -= less
        most = len(tables.points) - 1  # a pair counted twice can be more than the board holds
        return [min(mark, most) for mark in found.values()]


def _never_costs(tables: Tables, mark: int, every: int) -> bool:
    """Tell whether no chain loses points or tie points by one more cell with this mark.

    A chain of bits has some of ``every`` bit that its side can have.
    """
    if mark == 0:
        return True
    for points in (tables.points, tables.tie_points):
        for before in range(len(points)):
            if tables.are_bits and before & ~every:
                continue
            after = _adding(tables)(before, mark)
            if after < len(points) and points[after] < points[before]:
                return False
    return True


def _adding(tables: Tables) -> Callable[[int, int], int]:
    """Return what a chain's mark becomes by that of one more cell."""
    return or_ if tables.are_bits else add


def _bits_of(mark: int) -> Iterable[int]:
    return (bit for bit in range(mark.bit_length()) if mark >> bit & 1)


def _lead(leads: list[Cell], cell: Cell) -> Cell:
    while leads[cell] != cell:
        leads[cell] = cell = leads[leads[cell]]
    return cell


def _join(leads: list[Cell], one: Cell, other: Cell) -> bool:
    """Make two chains one; return whether they were two."""
    one, other = _lead(leads, one), _lead(leads, other)
    leads[max(one, other)] = min(one, other)
    return one != other
