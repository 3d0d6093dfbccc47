"""The link prover: whether links alone win the game for a side, whatever is played.

In games of points no single link decides. So full links (``links.py``) without a common cell are
chosen one by one: the shortest, of those the one whose cells the fewest others need. Their chains
count as joined, every other empty cell as the opponent's. A side that is ahead even so wins: it
answers each stone in a link there, and one more stone never harms it (where it may, as on the rim
of *Star, no link may use the cell). Two empty cells that add to the same chain are a link as well,
for the side gets one of them. The choice is greedy: a win may be missed, but each found is proven.

    >>> from pbmserv.computer.game_arrays import require_arrays
    >>> from pbmserv.engine.spec import parse_game
    >>> y = parse_game("y(size=3)")
    >>> prover = LinkProver(require_arrays(y))
    >>> stones = y.position_of({Side.X: ["B2"], Side.O: []}).stones
    >>> prover.is_won(prover.read(stones), Side.X.stone, False, True)
    True
    >>> [[y.board.names[cell] for cell in cells] for cells in prover.used_links()]
    [['C1', 'C2'], ['A3', 'B3']]

Like the kernel it runs as it stands, or compiled with ``_link_prover.pxd``.
"""

from __future__ import annotations

from functools import lru_cache, reduce
from importlib import import_module
from itertools import chain
from operator import add, or_
from typing import TYPE_CHECKING

from pbmserv.computer.links import ALL, SCRATCH
from pbmserv.engine.position import Side
from pbmserv.engine.score_tables import Tables, TieRule

if TYPE_CHECKING:
    from collections.abc import MutableSequence

    from pbmserv.computer.game_arrays import GameArrays

IS_COMPILED = not __file__.endswith(".py")

if TYPE_CHECKING or not IS_COMPILED:
    from pbmserv.computer import links
else:
    links = import_module("pbmserv.computer._links")

row, zeros = links.row, links.zeros

MAX_LENGTH = 24
"""Cells of a link that may be chosen."""
MAX_CANDIDATES = 500
"""Links of which one is chosen."""
CELL_COST = 1000
"""The cost of a cell; each candidate that needs it costs 2 more, and a link to a side 1."""
TAKEN = 3
"""The stone on an empty cell that no further link may need."""


class LinkProver:
    """The links chosen for a side in a position; :meth:`is_won` chooses them anew.

    ``link_of[cell]`` is the number of the chosen link that needs an empty cell, from 1 on, or 0.
    Link k has ``length[k]`` cells. A link of two cells joins everything that both of them touch; a
    longer one joins the chain on ``two[k]`` to that on ``one[k]``, or to side ``-1 - one[k]``.
    """

    def __init__(self, arrays: GameArrays) -> None:
        """Lay out what is the same for every position of a game."""
        tables = arrays.tables
        size = arrays.size
        self.cells = size
        self.from_cell = row("i", arrays.starts)
        self.beside = row("i", arrays.beside)
        self.less = row("i", arrays.less)
        self.marks = row("i", chain(*tables.marks))
        self.max_mark = max(chain(*tables.marks))
        self.is_closed = row("i", may_cost(tables))
        self.points = row("i", tables.points)
        self.tie_points = row("i", tables.tie_points or [0] * len(tables.points))
        self.max_total = len(tables.points) - 1
        self.are_bits = tables.are_bits
        self.is_majority = tables.ending is TieRule.MAJORITY
        self.is_best_chain = tables.ending is TieRule.BEST_CHAIN
        self.needs_theirs = tables.total is None or self.is_best_chain
        self.all_points = tables.total or 0
        self.start = tables.start
        self.are_joinable = arrays.stones_a_turn == 1
        self.links = links.Links(arrays)
        self.side = 0
        self.wins_ties = False
        self.stones = zeros("i", size)
        self.lead = zeros("i", size)
        self.total = zeros("i", size)
        self.max_points = max(tables.points)
        self.balance = zeros("i", self.max_points + 1)
        self.sum = 0
        self.extra = 0
        self.count = 0
        self.link_of = zeros("i", size)
        room = size + 1
        self.is_used = zeros("i", room)
        self.length = zeros("i", room)
        self.one = zeros("i", room)
        self.two = zeros("i", room)
        self.pair_one = zeros("i", room)
        self.pair_two = zeros("i", room)
        self.waiting = zeros("i", size)
        self.uses = zeros("i", size)
        self.anchor = zeros("i", 1 + self.links.sides + size)
        self.candidates = 0
        self.candidate_one = zeros("i", MAX_CANDIDATES)
        self.candidate_two = zeros("i", MAX_CANDIDATES)
        self.candidate_length = zeros("i", MAX_CANDIDATES)
        self.candidate_cells = zeros("i", MAX_CANDIDATES * MAX_LENGTH)

    def is_won(
        self, stones: MutableSequence[int], side: int, wins_ties: bool, is_near: bool
    ) -> bool:
        """Tell whether links win the game for ``side`` with the other side to move.

        ``wins_ties`` says whether it wins an even game; ``is_near`` asks for links of two cells
        alone.
        """
        self._begin(stones, side, wins_ties)
        if self._wins():
            return True
        if not self.are_joinable:
            return False
        if self._wins_by_links(True):
            return True
        return not is_near and self._wins_by_links(False)

    def drop_needless(self) -> None:
        """Drop each link, the last first, without which the game is still won."""
        for link in range(self.count, 0, -1):
            self.is_used[link] = 0
            if not self._wins():
                self.is_used[link] = 1

    def read(self, stones: bytes) -> MutableSequence[int]:
        """Return the stones of a position for :meth:`is_won`."""
        return row("i", [*stones])

    def used_links(self) -> list[list[int]]:
        """Return the cells of each link that was not dropped."""
        return [
            [cell for cell in range(self.cells) if self.link_of[cell] == link]
            for link in range(1, self.count + 1)
            if self.is_used[link]
        ]

    def _begin(self, stones: MutableSequence[int], side: int, wins_ties: bool) -> None:
        """Take over a position, with the cells closed that may cost points."""
        self.side = side
        self.wins_ties = wins_ties
        self.count = 0
        self.links.reset_joins()
        for cell in range(self.cells):
            self.stones[cell] = stones[cell]
            self.link_of[cell] = 0
            if not stones[cell] and self._is_closed(cell):
                self.stones[cell] = TAKEN

    def _wins_by_links(self, is_near: bool) -> bool:
        """Choose links until none is left, and tell whether they win the game."""
        while True:
            before = self.count
            if is_near:
                self.links.look_near(self.stones, self.side)
            else:
                self.links.reset_joins()  # else a link might rely on one that is dropped later
                self.links.look(self.stones, self.side, ALL)
            self._collect()
            while self._choose() and not is_near:
                pass
            if self.count == before:
                break
        joined = self.count
        self._add_pairs()
        if self._wins():
            return True
        self._release(joined)
        return False

    def _release(self, count: int) -> None:
        """Drop all links after the first ``count``."""
        self.count = count
        for cell in range(self.cells):
            if self.link_of[cell] > count:
                self.link_of[cell] = 0
                self.stones[cell] = 0

    def _is_closed(self, cell: int) -> bool:
        return self.is_closed[cell if self.side == 1 else self.cells + cell] != 0

    def _collect(self) -> None:
        """List the candidates: full links between chains, or from a chain to a side."""
        self.candidates = 0
        for cell in range(self.cells):
            self.anchor[self.links.end_of[cell]] = cell
        for link in range(SCRATCH, self.links.used):
            one = self.links.one[link]
            two = self.links.two[link]
            if not self._is_usable(link, one, two):
                continue
            if self.candidates == MAX_CANDIDATES:
                return
            length = 0
            for cell in range(self.cells):
                if self.links.holds(link, cell):
                    if length == MAX_LENGTH:
                        length = 0
                        break
                    self.candidate_cells[self.candidates * MAX_LENGTH + length] = cell
                    length += 1
            if length:
                self.candidate_one[self.candidates] = (
                    self.anchor[one] if one > self.links.sides else -one
                )
                self.candidate_two[self.candidates] = self.anchor[two]
                self.candidate_length[self.candidates] = length
                self.candidates += 1

    def _is_usable(self, link: int, one: int, two: int) -> bool:
        """Tell whether this link is full, and joins a chain to another one or to a side."""
        if not self.links.is_full[link] or self.links.is_dead[link]:
            return False
        is_end = one <= self.links.sides or self.links.is_joint[one] != 0
        return is_end and self.links.is_joint[two] != 0

    def _count_uses(self) -> None:
        """Count how many candidates need each cell, dropping those that join nothing more."""
        for cell in range(self.cells):
            self.uses[cell] = 0
        for number in range(self.candidates):
            if self.candidate_length[number]:
                if not self._can_choose(number):
                    self.candidate_length[number] = 0
                for at in range(self.candidate_length[number]):
                    self.uses[self.candidate_cells[number * MAX_LENGTH + at]] += 1

    def _choose(self) -> bool:
        """Choose the cheapest candidate; return whether there is one."""
        self._count_uses()
        best = -1
        least = 0
        for number in range(self.candidates):
            length = self.candidate_length[number]
            if length:
                cost = CELL_COST * length + (self.candidate_one[number] < 0)
                for at in range(length):
                    cost += 2 * self.uses[self.candidate_cells[number * MAX_LENGTH + at]]
                if best < 0 or cost < least or (cost == least and self._precedes(number, best)):
                    best = number
                    least = cost
        if best >= 0:
            self._add_link(best)
        return best >= 0

    def _precedes(self, number: int, best: int) -> bool:
        """Tell whether the first cells of a candidate have lower numbers than those of ``best``."""
        one = number * MAX_LENGTH
        other = best * MAX_LENGTH
        if self.candidate_cells[one] != self.candidate_cells[other]:
            return self.candidate_cells[one] < self.candidate_cells[other]
        return self.candidate_cells[one + 1] < self.candidate_cells[other + 1]

    def _can_choose(self, number: int) -> bool:
        """Tell whether this candidate still joins something, and none of its cells is taken."""
        root = self._leader(self.candidate_two[number])
        one = self.candidate_one[number]
        if one < 0:
            if self.total[root] >> (-1 - one) & 1:
                return False
        elif self._leader(one) == root:
            return False
        for at in range(self.candidate_length[number]):
            if self.link_of[self.candidate_cells[number * MAX_LENGTH + at]]:
                return False
        return True

    def _add_link(self, number: int) -> None:
        """Choose this candidate: take its cells, and join its ends."""
        at = number * MAX_LENGTH
        length = self.candidate_length[number]
        self._append(
            self.candidate_one[number],
            self.candidate_two[number],
            length,
            self.candidate_cells[at],
            self.candidate_cells[at + 1],
        )
        for more in range(at, at + length):
            self.link_of[self.candidate_cells[more]] = self.count
            self.stones[self.candidate_cells[more]] = TAKEN
        self._join_ends(self.count)

    def _append(self, one: int, two: int, length: int, first: int, second: int) -> None:
        self.count += 1
        self.is_used[self.count] = 1
        self.one[self.count] = one
        self.two[self.count] = two
        self.length[self.count] = length
        self.pair_one[self.count] = first
        self.pair_two[self.count] = second

    def _add_pairs(self) -> None:
        """Choose pairs of cells of which either adds equally to the same chain and to no other."""
        if self.are_bits:
            return
        for cell in range(self.cells):
            self.waiting[cell] = -1
        for gain in range(self.max_mark, 0, -1):
            for cell in range(self.cells):
                if self.stones[cell] or self.link_of[cell] or self._gain(cell, 0) != gain:
                    continue
                root = self._only_chain(cell)
                if root < 0:
                    continue
                other = self.waiting[root]
                if other < 0:
                    self.waiting[root] = cell
                    continue
                self.waiting[root] = -1
                self._append(root, root, 2, other, cell)
                self.link_of[cell] = self.count
                self.link_of[other] = self.count
                self.stones[cell] = TAKEN
                self.stones[other] = TAKEN

    def _only_chain(self, cell: int) -> int:
        """Return the only chain that this cell touches, -1 if there are none or several."""
        found = -1
        for at in range(self.from_cell[cell], self.from_cell[cell + 1]):
            other = self.beside[at]
            if self.stones[other] == self.side:
                root = self._leader(other)
                if found >= 0 and root != found:
                    return -1
                found = root
        return found

    def _gain(self, cell: int, link: int) -> int:
        """Return the least that a stone on ``cell``, as part of ``link``, adds to its chain."""
        found = self.marks[cell if self.side == 1 else self.cells + cell]
        for at in range(self.from_cell[cell], self.from_cell[cell + 1]):
            if self.less[at]:
                other = self.beside[at]
                its = self.link_of[other]
                if self.stones[other] == self.side or (
                    link and its and its != link and self.is_used[its]
                ):
                    found -= self.less[at]
        return found

    def _wins(self) -> bool:
        """Tell whether the side wins by the chosen links."""
        self._join()
        self.sum = 0
        self.extra = 0
        changes = self.count > 0
        while changes:  # what one pair joins may give another pair its common chain
            changes = False
            for link in range(1, self.count + 1):
                if self.is_used[link] and self._join_ends(link):
                    changes = True
        if not self.are_bits:
            self._add_gains()
        for cell in range(self.cells):
            if self.lead[cell] == cell:
                if self.stones[cell] == self.side:
                    self._earn(self.total[cell], 1)
                elif self.needs_theirs:
                    self._earn(min(self.total[cell], self.max_total), -1)
        leading = self._leading()
        return leading > 0 or (leading == 0 and self.wins_ties)

    def _earn(self, mark: int, sign: int) -> None:
        """Add what a chain with this mark earns, for the side (1) or its opponent (-1)."""
        points = self.points[mark]
        self.sum += sign * points
        self.extra += sign * self.tie_points[mark]
        if self.is_best_chain and points > 0:
            self.balance[points] += sign

    def _leading(self) -> int:
        """Return a number above 0 if the side is ahead by what was added, below 0 if behind."""
        if self.is_best_chain:
            leading = 0
            for points in range(self.max_points, 0, -1):
                if not leading:
                    leading = self.balance[points]
                self.balance[points] = 0
            return leading
        margin = self.sum if self.needs_theirs else 2 * self.sum - self.all_points
        margin += self.start if self.side == 1 else -self.start
        if self.is_majority:
            margin = (margin > 0) - (margin < 0)
        extra = (self.extra > 0) - (self.extra < 0)
        return extra if margin + extra == 0 else margin + extra

    def _join(self) -> None:
        """Make chains of the stones, with every empty cell the opponent's."""
        # Two cells of a link do not join for the opponent, who gets only one of them.
        offset = 0 if self.side == 1 else self.cells
        for cell in range(self.cells):
            is_ours = self.stones[cell] == self.side
            self.lead[cell] = cell
            self.total[cell] = self.marks[cell + (offset if is_ours else self.cells - offset)]
            if not is_ours and not self.needs_theirs:
                continue
            for at in range(self.from_cell[cell], self.from_cell[cell + 1]):
                other = self.beside[at]
                if other >= cell:
                    break
                if (self.stones[other] == self.side) != is_ours or self._are_cut(cell, other):
                    continue
                self._unite(cell, other)
                self.total[self._leader(cell)] -= self.less[at]

    def _are_cut(self, cell: int, other: int) -> bool:
        link = self.link_of[cell]
        return (
            link > 0
            and self.link_of[other] == link
            and self.length[link] == 2
            and self.is_used[link] != 0
        )

    def _join_ends(self, link: int) -> bool:
        """Join the ends of this link; return whether chains were joined."""
        one = self.one[link]
        if self.length[link] == 2:
            return self._join_around(self.pair_one[link], self.pair_two[link])
        if one >= 0:
            return self._join_chains(one, self.two[link])
        self.total[self._leader(self.two[link])] |= 1 << (-1 - one)
        return False

    def _join_around(self, one: int, other: int) -> bool:
        """Join all chains and sides that both cells touch; return whether chains were joined."""
        first = -1
        joined = False
        for at in range(self.from_cell[one], self.from_cell[one + 1]):
            cell = self.beside[at]
            if self.stones[cell] == self.side and self._touches(other, self._leader(cell)):
                if first < 0:
                    first = cell
                elif self._join_chains(first, cell):
                    joined = True
        if first >= 0 and self.are_bits:
            offset = 0 if self.side == 1 else self.cells
            both = self.marks[one + offset] & self.marks[other + offset]
            self.total[self._leader(first)] |= both
        return joined

    def _touches(self, cell: int, root: int) -> bool:
        """Tell whether a cell touches this chain."""
        for at in range(self.from_cell[cell], self.from_cell[cell + 1]):
            other = self.beside[at]
            if self.stones[other] == self.side and self._leader(other) == root:
                return True
        return False

    def _join_chains(self, one: int, other: int) -> bool:
        """Join two chains, here and for further links; return whether they were two."""
        if not self._unite(one, other):
            return False
        self.links.join(one, other)
        return True

    def _unite(self, one: int, other: int) -> bool:
        """Make two chains one; return whether they were two."""
        one = self._leader(one)
        other = self._leader(other)
        if one == other:
            return False
        if other < one:
            one, other = other, one
        self.lead[other] = one
        if self.are_bits:
            self.total[one] |= self.total[other]
        else:
            self.total[one] += self.total[other]
        return True

    def _leader(self, cell: int) -> int:
        """Return the first cell of the chain, halving the path there."""
        while self.lead[cell] != cell:
            self.lead[cell] = self.lead[self.lead[cell]]
            cell = self.lead[cell]
        return cell

    def _add_gains(self) -> None:
        """Add to the chains the least that links of two cells add to them."""
        for link in range(1, self.count + 1):
            if self.is_used[link] and self.length[link] == 2:
                one = self.pair_one[link]
                other = self.pair_two[link]
                gain = min(self._gain(one, link), self._gain(other, link))
                if gain > 0:
                    root = self._common_chain(one, other)
                    if root >= 0:
                        self.total[root] += gain

    def _common_chain(self, one: int, other: int) -> int:
        """Return a chain that both cells touch, or -1."""
        for at in range(self.from_cell[one], self.from_cell[one + 1]):
            cell = self.beside[at]
            if self.stones[cell] == self.side and self._touches(other, self._leader(cell)):
                return self._leader(cell)
        return -1


@lru_cache(maxsize=8)
def may_cost(tables: Tables) -> list[bool]:
    """Tell for each cell, for X and then for O, whether a stone of that side may cost it points."""
    # Of our games that is so on the rim of *Star alone.
    every = [reduce(or_, tables.marks[side.stone - 1]) for side in Side]
    costs = {
        (mark, known): not _never_costs(tables, mark, known)
        for known, marks in zip(every, tables.marks, strict=True)
        for mark in {*marks}
    }
    return [
        costs[mark, known]
        for known, marks in zip(every, tables.marks, strict=True)
        for mark in marks
    ]


def _never_costs(tables: Tables, mark: int, every: int) -> bool:
    """Tell whether no chain loses points or tie points by one more cell with this mark.

    ``every`` are the bits that a chain of the side can have, where marks are bits.
    """
    if mark == 0:
        return True
    with_mark = or_ if tables.are_bits else add
    for points in (tables.points, tables.tie_points):
        for before in range(len(points)):
            if tables.are_bits and before & ~every:
                continue
            after = with_mark(before, mark)
            if after < len(points) and points[after] < points[before]:
                return False
    return True
