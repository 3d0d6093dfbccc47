"""The search kernel: playouts, their margin and the tree, on flat arrays.

One source, two speeds. Python runs this file as it stands; where a C compiler is, the installation
compiles it as ``pbmserv.computer._kernel``, with the C types of ``_kernel.pxd``. Both play the same
game from the same seed, so nothing here may depend on a clock, on the width of a C type or on the
order of floating-point operations.

Inside, X is 1, O is 2 and an empty cell 0, as in a position; behind the last cell stand the edges
that a bridge may lean on, as bits: one for both sides, one for X, one for O.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, MutableSequence
from itertools import accumulate, chain
from typing import TYPE_CHECKING

try:
    import cython
except ImportError:  # interpreted, where Cython is not installed
    from pbmserv.computer import no_cython as cython

from pbmserv.computer.arena import EDGE
from pbmserv.engine.score_tables import Ending

if TYPE_CHECKING:
    from pbmserv.computer.arena import Arena
    from pbmserv.computer.task import Task

IS_COMPILED = not __file__.endswith(".py")

FIRST_VISITS = 2
"""A new child has shared so many playouts, of which it won half."""

PROVEN = 1e12
"""What a child has won in all, or lost, once its outcome is known."""


def whole_numbers(values: Iterable[int]) -> MutableSequence[int]:
    """Return ``values`` as what this speed reads fastest: a list, or an array of C ints."""
    return array("i", values) if IS_COMPILED else list(values)


def fractions(values: Iterable[float]) -> MutableSequence[float]:
    """Return ``values`` as a list, or as an array of C doubles."""
    return array("d", values) if IS_COMPILED else list(values)


def whole_zeros(count: int) -> MutableSequence[int]:
    """Return so many zeros, for whole numbers."""
    return array("i", [0]) * count if IS_COMPILED else [0] * count


def fraction_zeros(count: int) -> MutableSequence[float]:
    """Return so many zeros, for fractions."""
    return array("d", [0.0]) * count if IS_COMPILED else [0.0] * count


class Tree:
    """The search tree over one position.

    The children of a node stand in a row, one for every cell that is empty there: node ``first``
    of the parent and those after it. Node 0 is the root. ``visits`` and ``wins`` are those of a
    child's own playouts, ``rave_visits`` and ``rave_wins`` of all playouts below its parent in
    which its mover came to own its cell; wins are counted for that mover, between 0 and 1 each.
    """

    def __init__(self, arena: Arena, task: Task) -> None:
        self._lay_out(arena)
        self._set_task(task)
        self._grow(task.capacity)
        if self.count:
            self._expand(0, 0)

    def _lay_out(self, arena: Arena) -> None:
        """Take over what is the same for every position of a game."""
        tables = arena.tables
        size = arena.size
        edges = {3: size, 1: size + 1, 2: size + 2}
        earlier = [
            [
                other
                for other in arena.beside[arena.starts[cell] : arena.starts[cell + 1]]
                if other < cell
            ]
            for cell in range(size)
        ]
        self.cells = size
        self.earlier_from = whole_numbers(accumulate(map(len, earlier), initial=0))
        self.earlier = whole_numbers(chain.from_iterable(earlier))
        self.bridge_from = whole_numbers(3 * start for start in arena.bridge_starts)
        self.bridges = whole_numbers(
            cell
            for reply, end, other, users in zip(
                arena.reply, arena.end, arena.other_end, arena.users, strict=True
            )
            for cell in (end, edges[users] if other == EDGE else other, reply)
        )
        x, o = tables.marks
        counting = [cell for cell in range(size) if x[cell] or o[cell]]
        self.counting = whole_numbers(counting)
        self.counting_count = len(counting)
        self.marks = whole_numbers([*x, *o])
        self.shares = whole_numbers(chain.from_iterable(tables.shares))
        self.share_count = len(tables.shares)
        self.points = whole_numbers(tables.points)
        self.tie_points = whole_numbers(tables.tie_points or [0])
        self.has_tie_points = bool(tables.tie_points)
        self.are_bits = tables.are_bits
        self.is_best_chain = tables.ending is Ending.BEST_CHAIN
        self.start = tables.start
        self.lead = whole_zeros(size)
        self.total = whole_zeros(size)
        self.most = max(tables.points)
        self.balance = whole_zeros(self.most + 1)

    def _set_task(self, task: Task) -> None:
        """Take over the position, whose turn it is when, and what a result is worth."""
        self.stones = whole_numbers([*task.stones, 3, 1, 2])
        self.order = whole_numbers(task.empty)
        self.count = len(task.empty)
        place = [0] * self.cells
        for number, cell in enumerate(task.empty):
            place[cell] = number
        self.place = whole_numbers(place)
        self.movers = whole_numbers(task.movers)
        self.answers = whole_numbers(task.answers)
        self.path = whole_zeros(self.count + 1)
        self.tie = task.tie
        self.rewards = fractions(task.rewards)
        self.reward_zero = len(task.rewards) // 2
        self.rave_share = fractions(task.rave_share)
        self.spread = fractions(task.spread)
        self.inverse_root = fractions(task.inverse_root)
        self.is_plain = task.is_plain
        self.state = task.state

    def _grow(self, capacity: int) -> None:
        """Make room for ``capacity`` nodes; a tree that is full grows no more, but is searched."""
        self.capacity = capacity
        self.used = 1
        self.cell = whole_zeros(capacity)
        self.first = whole_zeros(capacity)
        self.visits = whole_zeros(capacity)
        self.rave_visits = whole_zeros(capacity)
        self.wins = fraction_zeros(capacity)
        self.rave_wins = fraction_zeros(capacity)
        self.worth = fraction_zeros(capacity)
        self.root_margins = fraction_zeros(self.count)
        self.root_wins = whole_zeros(self.count)
        self.winner = 0
        self.done = 0

    def run(self, simulations: int) -> int:
        """Add simulations until there are so many in all, or the winner is known; count them."""
        with cython.nogil:
            while self.done < simulations and not self.winner and self.count:
                self._simulate()
                self.done += 1
        return self.done

    def _simulate(self) -> None:
        """Walk down the tree, play to the end at random, and tell all nodes on the way."""
        node = 0
        depth = 0
        while self.first[node] or self._expands(node, depth):
            node = self._best_bound(node, depth) if self.is_plain else self._best_worth(node, depth)
            self._take(self.place[self.cell[node]], depth)
            depth += 1
            self.path[depth] = node
        self._play_out(depth)
        margin = self._margin()
        self._note_root(margin)
        self._update(depth, self.rewards[self.reward_zero + margin])
        for number in range(self.count):
            self.stones[self.order[number]] = 0

    def _take(self, number: int, depth: int) -> None:
        """Place the next stone on the cell that stands at ``number`` in the order."""
        cell = self.order[number]
        other = self.order[depth]
        self.order[number] = other
        self.place[other] = number
        self.order[depth] = cell
        self.place[cell] = depth
        self.stones[cell] = self.movers[depth]

    def _expands(self, node: int, depth: int) -> bool:
        """Give ``node`` its children at its second visit; tell whether it has any now."""
        if depth == self.count or not self.visits[node]:
            return False
        if self.used + self.count - depth > self.capacity:
            return False
        if not self.is_plain:
            winner = self._settled(depth)
            if winner:
                self._prove(depth, winner)
                return False
        self._expand(node, depth)
        return True

    def _expand(self, node: int, depth: int) -> None:
        """Append a child for every empty cell, in the order of the last playout."""
        child = self.used
        self.first[node] = child
        for number in range(depth, self.count):
            self.cell[child] = self.order[number]
            self.rave_visits[child] = FIRST_VISITS
            self.rave_wins[child] = 0.5 * FIRST_VISITS
            self.worth[child] = 0.5
            child += 1
        self.used = child

    def _best_worth(self, node: int, depth: int) -> int:
        """Return the child whose own and shared results are best together."""
        best = self.first[node]
        top = self.worth[best]
        for child in range(best + 1, best + self.count - depth):
            if self.worth[child] > top:
                top = self.worth[child]
                best = child
        return best

    def _best_bound(self, node: int, depth: int) -> int:
        """Return the child with the best upper confidence bound, or the first without a visit."""
        best = self.first[node]
        top = -PROVEN
        spread = self.spread[self.visits[node]]
        for child in range(best, best + self.count - depth):
            visits = self.visits[child]
            if not visits:
                return child
            bound = self.worth[child] + spread * self.inverse_root[visits]
            if bound > top:
                top = bound
                best = child
        return best

    def _play_out(self, depth: int) -> None:
        """Fill the board at random, but save a bridge that the last stone cut into."""
        state = self.state
        for number in range(depth, self.count):
            mover = self.movers[number]
            chosen = -1
            if self.answers[number]:
                cell = self.order[number - self.answers[number]]
                for at in range(self.bridge_from[cell], self.bridge_from[cell + 1], 3):
                    if (
                        self.stones[self.bridges[at]] & mover
                        and self.stones[self.bridges[at + 1]] & mover
                        and not self.stones[self.bridges[at + 2]]
                    ):
                        chosen = self.place[self.bridges[at + 2]]
                        break
            if chosen < 0:
                # Multiply with carry: 1999998678 * 2**31 - 1 is a safe prime.
                state = 1999998678 * (state & 0x7FFFFFFF) + (state >> 31)
                chosen = number + ((state & 0x7FFFFFFF) * (self.count - number) >> 31)
            cell = self.order[chosen]
            other = self.order[number]
            self.order[chosen] = other
            self.place[other] = chosen
            self.order[number] = cell
            self.place[cell] = number
            self.stones[cell] = mover
        self.state = state

    def _margin(self) -> int:
        """Return twice X's margin on the full board, moved by the tie rule: above 0 if X wins."""
        self._join()
        if self.is_best_chain:
            return self._best_chain_margin()
        margin = self.start
        extra = 0
        for number in range(self.counting_count):
            cell = self.counting[number]
            root = self.lead[cell]
            mark = self.total[root]
            if mark:
                self.total[root] = 0
                sign = 3 - 2 * self.stones[cell]
                margin += sign * self.points[mark]
                if self.has_tie_points:
                    extra += sign * self.tie_points[mark]
        if not self.has_tie_points:
            return 2 * margin + self.tie
        extra = (extra > 0) - (extra < 0)
        return 2 * (margin + extra) + extra

    def _join(self) -> None:
        """Lead every cell towards the lowest of its chain, and add up what each chain holds."""
        for cell in range(self.cells):
            mine = self.stones[cell]
            root = cell
            self.lead[cell] = cell
            for at in range(self.earlier_from[cell], self.earlier_from[cell + 1]):
                other = self.earlier[at]
                if self.stones[other] == mine:
                    other = self._leader(other)
                    if other < root:
                        self.lead[root] = other
                        root = other
                    elif other > root:
                        self.lead[other] = root
        for number in range(self.counting_count):
            cell = self.counting[number]
            root = self._leader(cell)
            self.lead[cell] = root
            mark = self.marks[cell if self.stones[cell] == 1 else self.cells + cell]
            if self.are_bits:
                self.total[root] |= mark
            else:
                self.total[root] += mark
        for at in range(0, 3 * self.share_count, 3):
            cell = self.shares[at]
            if self.stones[cell] == self.stones[self.shares[at + 1]]:
                self.total[self.lead[cell]] -= self.shares[at + 2]

    def _leader(self, cell: int) -> int:
        """Return the lowest known cell of the chain, halving the way there."""
        while self.lead[cell] != cell:
            self.lead[cell] = self.lead[self.lead[cell]]
            cell = self.lead[cell]
        return cell

    def _best_chain_margin(self) -> int:
        """Return twice the lead of the best chain, or 1 either way where a later one decides."""
        x = 0
        o = 0
        for number in range(self.counting_count):
            cell = self.counting[number]
            root = self.lead[cell]
            points = self.points[self.total[root]]
            self.total[root] = 0
            if self.stones[cell] == 1:
                self.balance[points] += 1
                x = max(x, points)
            else:
                self.balance[points] -= 1
                o = max(o, points)
        leading = 0
        for points in range(self.most, 0, -1):
            if not leading:
                leading = (self.balance[points] > 0) - (self.balance[points] < 0)
            self.balance[points] = 0
        return 2 * (x - o) if x != o else leading

    def _settled(self, depth: int) -> int:
        """Return the side that wins even where every empty cell is given to the other, or 0."""
        self._fill(depth, 2)
        low = self._margin()
        high = low
        if low <= 0:
            self._fill(depth, 1)
            high = self._margin()
        self._fill(depth, 0)
        if low > 0:
            return 1
        return 2 if high < 0 else 0

    def _fill(self, depth: int, stone: int) -> None:
        for number in range(depth, self.count):
            self.stones[self.order[number]] = stone

    def _prove(self, depth: int, winner: int) -> None:
        """Note at every node above that ``winner`` wins there, as far as that follows."""
        while depth:
            depth -= 1
            child = self.path[depth + 1]
            if self.movers[depth] == winner:
                self.wins[child] = PROVEN
                self.rave_wins[child] = PROVEN
                self.worth[child] = PROVEN
            else:
                self.wins[child] = -PROVEN
                self.rave_wins[child] = -PROVEN
                self.worth[child] = -PROVEN
                if self.worth[self._best_worth(self.path[depth], depth)] > -1.0:
                    return
        self.winner = winner

    def _note_root(self, margin: int) -> None:
        """Add the margin to what is told of the first move of this simulation."""
        number = self.path[1] - 1
        self.root_margins[number] += margin
        if margin > 0:
            self.root_wins[number] += 1

    def _update(self, depth: int, reward: float) -> None:
        """Tell the result to the nodes of the path, and to all whose cell their mover owns."""
        self.visits[0] += 1
        for level in range(depth):
            mover = self.movers[level]
            gain = reward if mover == 1 else 1.0 - reward
            child = self.path[level + 1]
            self.visits[child] += 1
            self.wins[child] += gain
            if self.is_plain:
                self.worth[child] = self.wins[child] / self.visits[child]
            else:
                self._share(self.first[self.path[level]], self.count - level, mover, gain)

    def _share(self, first: int, count: int, mover: int, gain: float) -> None:
        """Tell the result to all these children whose cell ``mover`` came to own."""
        for child in range(first, first + count):
            if self.stones[self.cell[child]] == mover:
                self.rave_visits[child] += 1
                self.rave_wins[child] += gain
                worth = self.rave_wins[child] / self.rave_visits[child]
                visits = self.visits[child]
                if visits:
                    own = self.wins[child] / visits
                    worth = own + self.rave_share[visits] * (worth - own)
                self.worth[child] = worth
