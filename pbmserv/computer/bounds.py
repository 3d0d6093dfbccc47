"""Bounds: whether links alone win the game for a side, all else being given to the other.

Chains of the side are joined by full links (see ``links.py``) of which no two share a cell; two
empty cells that add to the same chain are one, too. Every other empty cell is the opponent's. Who
wins even so wins whatever is played, since one more stone never harms a side (see
:class:`~pbmserv.engine.score_tables.Tables`).

Like the kernel this runs as it stands, or compiled with the C types of ``_bounds.pxd``.
"""

from __future__ import annotations

from functools import lru_cache, reduce
from importlib import import_module
from itertools import chain
from operator import add, or_
from typing import TYPE_CHECKING, cast

from pbmserv.computer.links import ALL, SCRATCH
from pbmserv.engine.position import Side
from pbmserv.engine.score_tables import Tables, TieRule

if TYPE_CHECKING:
    from collections.abc import MutableSequence

    from pbmserv.computer.arena import Arena

IS_COMPILED = not __file__.endswith(".py")

if TYPE_CHECKING or not IS_COMPILED:
    from pbmserv.computer import links
else:
    links = import_module("pbmserv.computer._links")

whole_numbers, whole_zeros = links.whole_numbers, links.whole_zeros

LONGEST = 24
"""So many cells has a link that is used at most, ..."""
MOST_CANDIDATES = 500
"""... and of so many one is chosen after the other."""
CELL = 1000
"""What each cell of a link costs when the cheapest is chosen; each other link that it breaks, 1."""
TAKEN = 3
"""Stands for a stone on an empty cell that no further link may need."""


def fastest_bounds() -> type[Bounds]:
    """Return the compiled bounds, or those in plain Python where none were compiled."""
    try:
        module = import_module("pbmserv.computer._bounds")
    except ImportError:
        return Bounds
    return cast("type[Bounds]", module.Bounds)


class Bounds:
    """What links win, in one position after another of a game.

    ``link_of[cell]`` is the number, from 1 on, of the link that needs an empty cell, or 0. Link k
    has ``length[k]`` cells; one of two cells joins all that both of them touch, a longer one the
    chains on ``one[k]`` and ``two[k]``, or that on ``two[k]`` and side ``-1 - one[k]``.
    """

    def __init__(self, arena: Arena) -> None:
        """Lay out what is the same for every position of a game."""
        tables = arena.tables
        size = arena.size
        self.cells = size
        self.from_cell = whole_numbers(arena.starts)
        self.beside = whole_numbers(arena.beside)
        self.less = whole_numbers(arena.less)
        self.marks = whole_numbers(chain(*tables.marks))
        self.most_mark = max(chain(*tables.marks))
        self.is_closed = whole_numbers(may_cost(tables))
        self.points = whole_numbers(tables.points)
        self.tie_points = whole_numbers(tables.tie_points or [0] * len(tables.points))
        self.most = len(tables.points) - 1
        self.are_bits = tables.are_bits
        self.is_majority = tables.ending is TieRule.MAJORITY
        self.is_best_chain = tables.ending is TieRule.BEST_CHAIN
        self.needs_theirs = tables.total is None or self.is_best_chain
        self.all_points = tables.total or 0
        self.start = tables.start
        self.are_joinable = arena.stones_a_turn == 1
        self.links = links.Links(arena)
        self.side = 0
        self.wins_ties = False
        self.stones = whole_zeros(size)
        self.lead = whole_zeros(size)
        self.total = whole_zeros(size)
        self.most_points = max(tables.points)
        self.balance = whole_zeros(self.most_points + 1)
        self.sum = 0
        self.extra = 0
        self.count = 0
        self.link_of = whole_zeros(size)
        room = size + 1
        self.is_used = whole_zeros(room)
        self.length = whole_zeros(room)
        self.one = whole_zeros(room)
        self.two = whole_zeros(room)
        self.pair_one = whole_zeros(room)
        self.pair_two = whole_zeros(room)
        self.waiting = whole_zeros(size)
        self.uses = whole_zeros(size)
        self.anchor = whole_zeros(1 + self.links.sides + size)
        self.candidates = 0
        self.candidate_one = whole_zeros(MOST_CANDIDATES)
        self.candidate_two = whole_zeros(MOST_CANDIDATES)
        self.candidate_length = whole_zeros(MOST_CANDIDATES)
        self.candidate_cells = whole_zeros(MOST_CANDIDATES * LONGEST)

    def is_won(
        self,
        stones: MutableSequence[int],
        side: int,
        wins_ties: bool,  # noqa: FBT001 - C has no keywords
        is_near: bool,  # noqa: FBT001
    ) -> bool:
        """Tell whether links win the game for ``side`` with the other side to move.

        ``wins_ties`` says whether an even game is won, too; ``is_near`` asks for links of two
        cells alone, which are found some ten times as fast.
        """
        self._begin(stones, side, wins_ties)
        if self._wins():
            return True
        if not self.are_joinable:
            return False
        if self._wins_by(True):
            return True
        return not is_near and self._wins_by(False)

    def is_settled(self, stones: MutableSequence[int], side: int, wins_ties: bool) -> bool:  # noqa: FBT001
        """Tell whether ``side`` wins without any link."""
        self._begin(stones, side, wins_ties)
        return self._wins()

    def drop_needless(self) -> None:
        """Use no link any more without which the game is won."""
        for link in range(self.count, 0, -1):
            self.is_used[link] = 0
            if not self._wins():
                self.is_used[link] = 1

    def read(self, stones: bytes) -> MutableSequence[int]:
        """Return the stones of a position as these bounds want them."""
        return whole_numbers([*stones])

    def used_links(self) -> list[list[int]]:
        """Return the cells of each link that is used."""
        return [
            [cell for cell in range(self.cells) if self.link_of[cell] == link]
            for link in range(1, self.count + 1)
            if self.is_used[link]
        ]

    def _begin(self, stones: MutableSequence[int], side: int, wins_ties: bool) -> None:  # noqa: FBT001
        """Forget the last position."""
        self.side = side
        self.wins_ties = wins_ties
        self.count = 0
        self.links.forget_joints()
        for cell in range(self.cells):
            self.stones[cell] = stones[cell]
            self.link_of[cell] = 0
            if not stones[cell] and self._is_closed(cell):
                self.stones[cell] = TAKEN

    def _wins_by(self, is_near: bool) -> bool:  # noqa: FBT001
        """Choose links as long as there are any more, and tell whether they win the game."""
        while True:
            before = self.count
            if is_near:
                self.links.look_near(self.stones, self.side)
            else:
                self.links.forget_joints()  # or else a link could need one that is dropped later
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
        """Keep but so many links."""
        self.count = count
        for cell in range(self.cells):
            if self.link_of[cell] > count:
                self.link_of[cell] = 0
                self.stones[cell] = 0

    def _is_closed(self, cell: int) -> bool:
        return self.is_closed[cell if self.side == 1 else self.cells + cell] != 0

    def _collect(self) -> None:
        """Note all links between chains, or a chain and a side, with their cells."""
        self.candidates = 0
        for cell in range(self.cells):
            self.anchor[self.links.end_of[cell]] = cell
        for link in range(SCRATCH, self.links.used):
            one = self.links.one[link]
            two = self.links.two[link]
            if not self._is_usable(link, one, two):
                continue
            if self.candidates == MOST_CANDIDATES:
                return
            length = 0
            for cell in range(self.cells):
                if self.links.holds(link, cell):
                    if length == LONGEST:
                        length = 0
                        break
                    self.candidate_cells[self.candidates * LONGEST + length] = cell
                    length += 1
            if length:
                self.candidate_one[self.candidates] = (
                    self.anchor[one] if one > self.links.sides else -one
                )
                self.candidate_two[self.candidates] = self.anchor[two]
                self.candidate_length[self.candidates] = length
                self.candidates += 1

    def _is_usable(self, link: int, one: int, two: int) -> bool:
        """Tell whether this is a full link from a chain to another, or to a side."""
        if not self.links.is_full[link] or self.links.is_dead[link]:
            return False
        is_end = one <= self.links.sides or self.links.is_joint[one] != 0
        return is_end and self.links.is_joint[two] != 0

    def _count_uses(self) -> None:
        """Count how many links need each cell, of those that still join something."""
        for cell in range(self.cells):
            self.uses[cell] = 0
        for number in range(self.candidates):
            if self.candidate_length[number]:
                if not self._can_choose(number):
                    self.candidate_length[number] = 0
                for at in range(self.candidate_length[number]):
                    self.uses[self.candidate_cells[number * LONGEST + at]] += 1

    def _choose(self) -> bool:
        """Use the cheapest link that joins anything, if there is one."""
        self._count_uses()
        best = -1
        least = 0
        for number in range(self.candidates):
            length = self.candidate_length[number]
            if length:
                cost = CELL * length + (self.candidate_one[number] < 0)
                for at in range(length):
                    cost += 2 * self.uses[self.candidate_cells[number * LONGEST + at]]
                if best < 0 or cost < least or (cost == least and self._is_before(number, best)):
                    best = number
                    least = cost
        if best >= 0:
            self._add_link(best)
        return best >= 0

    def _is_before(self, number: int, best: int) -> bool:
        """Tell whether the first cells of a candidate stand before those of another."""
        one = number * LONGEST
        other = best * LONGEST
        if self.candidate_cells[one] != self.candidate_cells[other]:
            return self.candidate_cells[one] < self.candidate_cells[other]
        return self.candidate_cells[one + 1] < self.candidate_cells[other + 1]

    def _can_choose(self, number: int) -> bool:
        """Tell whether this candidate still joins something, and no cell of it is taken."""
        root = self._leader(self.candidate_two[number])
        one = self.candidate_one[number]
        if one < 0:
            if self.total[root] >> (-1 - one) & 1:
                return False
        elif self._leader(one) == root:
            return False
        for at in range(self.candidate_length[number]):
            if self.link_of[self.candidate_cells[number * LONGEST + at]]:
                return False
        return True

    def _add_link(self, number: int) -> None:
        """Use this candidate."""
        at = number * LONGEST
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
        """Use two cells together of which either adds to the same chain and to no other."""
        if self.are_bits:
            return
        for cell in range(self.cells):
            self.waiting[cell] = -1
        for gain in range(self.most_mark, 0, -1):
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
        """Return the chain that this cell touches, -1 where there is none or another one."""
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
        """Return what a stone here adds to its chain at least, as part of this link."""
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
        """Tell whether the side wins by the links that are used."""
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
                    self._earn(min(self.total[cell], self.most), -1)
        leading = self._leading()
        return leading > 0 or (leading == 0 and self.wins_ties)

    def _earn(self, mark: int, sign: int) -> None:
        """Count what a chain with this mark earns."""
        points = self.points[mark]
        self.sum += sign * points
        self.extra += sign * self.tie_points[mark]
        if self.is_best_chain and points > 0:
            self.balance[points] += sign

    def _leading(self) -> int:
        """Return who is ahead by what was counted: above 0 the side, below 0 the other."""
        if self.is_best_chain:
            leading = 0
            for points in range(self.most_points, 0, -1):
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
        """Make chains of the stones, every empty cell being the opponent's.

        Of two cells that make a link the opponent gets but one: these are not joined.
        """
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
        """Join what this link joins; tell whether it was apart."""
        one = self.one[link]
        if self.length[link] == 2:
            return self._join_around(self.pair_one[link], self.pair_two[link])
        if one >= 0:
            return self._join_here(one, self.two[link])
        self.total[self._leader(self.two[link])] |= 1 << (-1 - one)
        return False

    def _join_around(self, one: int, other: int) -> bool:
        """Join all chains that both cells touch, and to what sides both do."""
        first = -1
        joined = False
        for at in range(self.from_cell[one], self.from_cell[one + 1]):
            cell = self.beside[at]
            if self.stones[cell] == self.side and self._touches(other, self._leader(cell)):
                if first < 0:
                    first = cell
                elif self._join_here(first, cell):
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

    def _join_here(self, one: int, other: int) -> bool:
        """Join two chains, for the links to come too; tell whether they were two."""
        if not self._unite(one, other):
            return False
        self.links.join(one, other)
        return True

    def _unite(self, one: int, other: int) -> bool:
        """Make one chain of two, if they are two."""
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
        """Return the first cell of the chain, halving the way there."""
        while self.lead[cell] != cell:
            self.lead[cell] = self.lead[self.lead[cell]]
            cell = self.lead[cell]
        return cell

    def _add_gains(self) -> None:
        """Add to the chains what links of two cells add to them at least."""
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
    """Tell for each cell, of X and then of O, whether one more stone there may cost points.

    So it is on the rim of *Star alone.
    """
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

    A chain of bits has some of ``every`` bit that its side can have.
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
