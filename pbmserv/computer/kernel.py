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
from contextlib import nullcontext
from functools import lru_cache
from importlib import import_module
from itertools import accumulate, chain
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

try:
    import cython
except ImportError:  # interpreted, where Cython is not installed: a plain block
    cython = SimpleNamespace(nogil=nullcontext())

from pbmserv.computer import patterns
from pbmserv.computer.arena import EDGE
from pbmserv.computer.links import FULL, HALF
from pbmserv.engine.score_tables import Ending

if TYPE_CHECKING:
    from pbmserv.computer.arena import Arena
    from pbmserv.computer.task import Task

IS_COMPILED = not __file__.endswith(".py")

if TYPE_CHECKING or not IS_COMPILED:
    from pbmserv.computer import links
else:
    links = import_module("pbmserv.computer._links")

whole_numbers, whole_zeros = links.whole_numbers, links.whole_zeros

FIRST_VISITS = 2
"""A new child has shared so many playouts, of which it won half."""

PROVEN = 1e12
"""What a child has won in all, or lost, once its outcome is known ..."""

CERTAIN = 1e6
"""... and more than any worth is before."""

FIRST_ROOM = 20_000
"""A tree begins with room for so many nodes, and takes twice as much whenever it needs more."""


def fractions(values: Iterable[float]) -> MutableSequence[float]:
    """Return ``values`` as a list, or as an array of C doubles."""
    return array("d", values) if IS_COMPILED else list(values)


def fraction_zeros(count: int) -> MutableSequence[float]:
    """Return so many zeros, for fractions."""
    return array("d", [0.0]) * count if IS_COMPILED else [0.0] * count


def copied(values: MutableSequence[Any], room: MutableSequence[Any]) -> MutableSequence[Any]:
    """Return ``room``, which has zeros for more of them, with ``values`` at its beginning."""
    target: Any = memoryview(room) if IS_COMPILED else room  # type: ignore[arg-type]
    target[: len(values)] = values
    return room


class PatternArrays(NamedTuple):
    """What is known of patterns as flat arrays, the same for every position of a game.

    A stone on cell c is seen in the keys that ``uses`` names, each with the place of its two bits,
    from ``uses_from[2 * c]`` on those of rings, from ``uses_from[2 * c + 1]`` on those of bridge
    rings, up to ``uses_from[2 * c + 2]``. ``outside`` are the keys of an empty board. The cells
    near c, each with how it lies to c, stand in ``near`` from ``near_from[c]`` on, first the
    ``ring_count[c]`` that touch it. The rest is :class:`patterns.Weights`.
    """

    uses_from: MutableSequence[int]
    uses: MutableSequence[int]
    outside: MutableSequence[int]
    near_from: MutableSequence[int]
    near: MutableSequence[int]
    ring_count: MutableSequence[int]
    ring_at: MutableSequence[int]
    zones: MutableSequence[int]
    ring_factors: MutableSequence[float]
    bridge_factors: MutableSequence[float]
    zone_factors: MutableSequence[float]
    near_factors: MutableSequence[float]
    replies: MutableSequence[int]


@lru_cache(maxsize=4)
def pattern_arrays(arena: Arena, weights: patterns.Weights) -> PatternArrays:
    """Lay out the patterns of a game."""
    around = patterns.surroundings_of(arena.tables)
    uses: list[list[tuple[int, int]]] = [[] for _ in range(2 * arena.size)]
    outside = [0] * arena.size
    for is_bridge, rings in enumerate((around.ring, around.bridge_ring)):
        for cell, ring in enumerate(rings):
            for slot, other in enumerate(ring):
                shift = 2 * (slot + is_bridge * patterns.SLOTS)
                if other < 0:
                    outside[cell] |= -other << shift
                else:
                    uses[2 * other + is_bridge].append((cell, shift))
    rows = around.near
    return PatternArrays(
        uses_from=whole_numbers(accumulate((2 * len(used) for used in uses), initial=0)),
        uses=whole_numbers(chain.from_iterable(chain.from_iterable(uses))),
        outside=whole_numbers(outside),
        near_from=whole_numbers(accumulate((2 * len(row) for row in rows), initial=0)),
        near=whole_numbers(chain.from_iterable(chain.from_iterable(rows))),
        ring_count=whole_numbers(
            sum(1 for _, lies in row if lies < patterns.SLOTS) for row in rows
        ),
        ring_at=whole_numbers(patterns.KEYS * mark for mark in around.marks),
        zones=whole_numbers(chain.from_iterable(around.zones)),
        ring_factors=fractions(weights.ring),
        bridge_factors=fractions(weights.bridge_ring),
        zone_factors=fractions(weights.zones),
        near_factors=fractions(weights.near),
        replies=whole_numbers(weights.replies),
    )


class Tree:
    """The search tree over one position.

    The children of a node stand in a row, one for every cell that is empty there: node ``first``
    of the parent and those after it. Node 0 is the root. ``visits`` and ``wins`` are those of a
    child's own playouts, ``rave_visits`` and ``rave_wins`` of all playouts below its parent in
    which its mover came to own its cell; wins are counted for that mover, between 0 and 1 each.
    ``prior`` is what patterns say for the move, before any visit: as much more its ``worth`` is,
    and ever less with every visit.
    """

    def __init__(self, arena: Arena, task: Task) -> None:
        self._lay_out(arena)
        self._set_task(task)
        self._lay_out_patterns(arena, task)
        self.look_visits = task.look_visits
        if self.look_visits >= 0:
            self.links = links.Links(arena)
        self._begin(task.capacity)
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

    def _lay_out_patterns(self, arena: Arena, task: Task) -> None:
        """Take over what was learned of moves, if the task has any of it."""
        self.has_patterns = task.weights is not None
        self.has_replies = task.has_replies
        if task.weights is None:
            return
        known = pattern_arrays(arena, task.weights)
        self.uses_from, self.uses = known.uses_from, known.uses
        self.near_from, self.near, self.ring_count = known.near_from, known.near, known.ring_count
        self.ring_at, self.zones = known.ring_at, known.zones
        self.ring_factors, self.bridge_factors = known.ring_factors, known.bridge_factors
        self.zone_factors, self.near_factors = known.zone_factors, known.near_factors
        self.replies = known.replies
        keys = list(known.outside)
        for cell, stone in enumerate(task.stones):
            if stone:
                for at in range(known.uses_from[2 * cell], known.uses_from[2 * cell + 2], 2):
                    keys[known.uses[at]] += stone << known.uses[at + 1]
        self.first_keys = whole_numbers(keys)
        self.keys = whole_numbers(keys)
        self.factor = fraction_zeros(self.cells)
        self.weight = whole_zeros(2 * patterns.SLOTS)
        self.last = task.last
        self.prior_weight = task.prior_weight

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
        self.patience = task.patience
        self.state = task.state

    def _begin(self, capacity: int) -> None:
        """Make room for the first nodes of at most ``capacity``.

        A tree that is full grows no more, but is searched.
        """
        self.capacity = capacity
        self.room = min(capacity, max(FIRST_ROOM, 1 + self.count))
        self.used = 1
        self.cell = whole_zeros(self.room)
        self.first = whole_zeros(self.room)
        self.visits = whole_zeros(self.room)
        self.rave_visits = whole_zeros(self.room)
        self.wins = fraction_zeros(self.room)
        self.rave_wins = fraction_zeros(self.room)
        self.worth = fraction_zeros(self.room)
        self.prior = fraction_zeros(self.room)
        self.root_margins = fraction_zeros(self.count)
        self.root_wins = whole_zeros(self.count)
        self.winner = 0
        self.done = 0

    def _make_room(self) -> None:
        """Double the room for nodes, as far as the tree may grow."""
        self.room = min(self.capacity, 2 * self.room)
        self.cell = copied(self.cell, whole_zeros(self.room))
        self.first = copied(self.first, whole_zeros(self.room))
        self.visits = copied(self.visits, whole_zeros(self.room))
        self.rave_visits = copied(self.rave_visits, whole_zeros(self.room))
        self.wins = copied(self.wins, fraction_zeros(self.room))
        self.rave_wins = copied(self.rave_wins, fraction_zeros(self.room))
        self.worth = copied(self.worth, fraction_zeros(self.room))
        self.prior = copied(self.prior, fraction_zeros(self.room))

    def run(self, simulations: int) -> int:
        """Add simulations until there are so many in all, or the winner is known; count them."""
        while self._goes_on(simulations):
            if self._is_crowded():
                self._make_room()
            with cython.nogil:
                while self._goes_on(simulations) and not self._is_crowded():
                    self._simulate()
                    self.done += 1
        return self.done

    def _goes_on(self, simulations: int) -> bool:
        """Tell whether there is anything left to do."""
        return self.done < simulations and not self.winner and self.count > 0

    def _is_crowded(self) -> bool:
        """Tell whether the next simulation may need more room than there is, but may be."""
        return self.used + self.count > self.room and self.room < self.capacity

    def _simulate(self) -> None:
        """Walk down the tree, play to the end at random, and tell all nodes on the way."""
        node = 0
        depth = 0
        while self.first[node] or self._expands(node, depth):
            if self.visits[node] == self.look_visits and self._is_decided(node, depth):
                break
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
        if self.has_patterns:
            for number in range(self.cells):
                self.keys[number] = self.first_keys[number]

    def _take(self, number: int, depth: int) -> None:
        """Place the next stone on the cell that stands at ``number`` in the order."""
        cell = self.order[number]
        other = self.order[depth]
        self.order[number] = other
        self.place[other] = number
        self.order[depth] = cell
        self.place[cell] = depth
        self.stones[cell] = self.movers[depth]
        if self.has_patterns:
            for at in range(self.uses_from[2 * cell], self.uses_from[2 * cell + 2], 2):
                self.keys[self.uses[at]] += self.movers[depth] << self.uses[at + 1]

    def _expands(self, node: int, depth: int) -> bool:
        """Give ``node`` its children after so many visits; tell whether it has any now.

        After the first visit it is looked at: if it is settled, its winner is proven. So is a full
        board, which has no children.
        """
        left = self.count - depth
        visits = self.visits[node]
        if left and not visits:
            return False
        if not self.is_plain and (visits == 1 or not left):
            winner = self._settled(depth)
            if winner:
                self._prove(depth, winner)
                return False
        if not left or visits < min(self.patience, 1 + (left >> 3)):
            return False
        if self.used + left > self.capacity:
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
        if self.has_patterns:
            self._set_priors(node, depth)

    def _set_priors(self, node: int, depth: int) -> None:
        """Say what patterns expect of the children: each has its share of a whole."""
        is_o = self.movers[depth] == 2
        for number in range(depth, self.count):
            cell = self.order[number]
            key = self.keys[cell]
            if is_o:
                key = (key & 0x555555) << 1 | key >> 1 & 0x555555
            self.factor[cell] = (
                self.ring_factors[self.ring_at[cell] + (key & 0xFFF)]
                * self.bridge_factors[key >> 12]
                * self.zone_factors[self.zones[2 * cell + is_o]]
            )
        last = self.order[depth - self.answers[depth]] if self.answers[depth] else self.last
        if last >= 0:
            self._weigh_near(last, is_o)
        total = 0.0
        for number in range(depth, self.count):
            total += self.factor[self.order[number]]
        child = self.first[node]
        scale = self.prior_weight / total
        for number in range(depth, self.count):
            self.prior[child] = scale * self.factor[self.order[number]]
            self.worth[child] += self.prior[child]
            child += 1

    def _weigh_near(self, last: int, is_o: bool) -> None:  # noqa: FBT001 - C has no keywords
        """Weigh the cells around the opponent's stone at ``last`` by how they lie to it."""
        for at in range(self.near_from[last], self.near_from[last + 1], 2):
            cell = self.near[at]
            slot = self.near[at + 1]
            key = self.keys[cell] & 0xFFF
            if is_o:
                key = (key & 0x555) << 1 | key >> 1 & 0x555
            if slot < 6:
                key = (key >> 2 * slot | key << 12 - 2 * slot) & 0xFFF
            else:
                key += 4096 * (slot - 5)
            self.factor[cell] *= self.near_factors[key]

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
        for number in range(depth, self.count):
            mover = self.movers[number]
            chosen = -1
            last = -1
            if self.answers[number]:
                last = self.order[number - self.answers[number]]
                chosen = self._mended(last, mover)
            if chosen < 0:
                chosen = self._drawn(number, last if self.has_replies else -1)
            cell = self.order[chosen]
            other = self.order[number]
            self.order[chosen] = other
            self.place[other] = chosen
            self.order[number] = cell
            self.place[cell] = number
            self.stones[cell] = mover
            if self.has_replies:
                for at in range(self.uses_from[2 * cell], self.uses_from[2 * cell + 1], 2):
                    self.keys[self.uses[at]] += mover << self.uses[at + 1]

    def _mended(self, last: int, mover: int) -> int:
        """Return where in the order stands the cell that saves a bridge of ``mover``, or -1."""
        for at in range(self.bridge_from[last], self.bridge_from[last + 1], 3):
            if (
                self.stones[self.bridges[at]] & mover
                and self.stones[self.bridges[at + 1]] & mover
                and not self.stones[self.bridges[at + 2]]
            ):
                return self.place[self.bridges[at + 2]]
        return -1

    def _drawn(self, number: int, last: int) -> int:
        """Draw a number in the order, rather a likely reply to the stone at ``last``, if any."""
        left = self.count - number
        extra = self._weigh_replies(last, self.movers[number]) if last >= 0 else 0
        # Multiply with carry: 1999998678 * 2**31 - 1 is a safe prime.
        self.state = 1999998678 * (self.state & 0x7FFFFFFF) + (self.state >> 31)
        if not extra:
            return number + ((self.state & 0x7FFFFFFF) * left >> 31)
        drawn = (self.state & 0x7FFFFFFF) * (16 * left + extra) >> 31
        if drawn < 16 * left:
            return number + (drawn >> 4)
        return self.place[self._reply(last, drawn - 16 * left)]

    def _weigh_replies(self, last: int, mover: int) -> int:
        """Add up what the cells around the stone at ``last`` have extra as replies; return all."""
        total = 0
        start = self.near_from[last]
        for at in range(start, start + 2 * self.ring_count[last], 2):
            cell = self.near[at]
            if not self.stones[cell]:
                slot = self.near[at + 1]
                key = self.keys[cell] & 0xFFF
                if mover == 2:
                    key = (key & 0x555) << 1 | key >> 1 & 0x555
                total += self.replies[(key >> 2 * slot | key << 12 - 2 * slot) & 0xFFF]
            self.weight[(at - start) >> 1] = total
        return total

    def _reply(self, last: int, drawn: int) -> int:
        """Return the cell around ``last`` on which the draw among their weights has fallen."""
        number = 0
        while self.weight[number] <= drawn:
            number += 1
        return self.near[self.near_from[last] + 2 * number]

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

    def _is_decided(self, node: int, depth: int) -> bool:
        """Prove who wins at ``node`` if links show it, else that moves lose which meet no threat.

        Where it is the root that is won, its child that wins is known, too.
        """
        mover = self.movers[depth]
        first = self.first[node]
        if self.links.look(self.stones, mover, HALF):
            if not depth:
                key = self.links.best_key()
                for child in range(first, first + self.count):
                    if self.cell[child] == key:
                        self._judge(child, PROVEN)
            self._prove(depth, mover)
            return True
        found = self.links.look(self.stones, 3 - mover, FULL)
        if found == HALF:
            meeting = self.links.must_play()
            for child in range(first, first + self.count - depth):
                if not self.links.holds(meeting, self.cell[child]):
                    self._judge(child, -PROVEN)
            if self.worth[self._best_worth(node, depth)] <= -1.0:
                found = FULL
        if found == FULL:
            self._prove(depth, 3 - mover)
        return found == FULL

    def _judge(self, child: int, wins: float) -> None:
        """Note that the outcome of ``child`` is known."""
        self.wins[child] = wins
        self.rave_wins[child] = wins
        self.worth[child] = wins

    def _fill(self, depth: int, stone: int) -> None:
        for number in range(depth, self.count):
            self.stones[self.order[number]] = stone

    def _prove(self, depth: int, winner: int) -> None:
        """Note at every node above that ``winner`` wins there, as far as that follows."""
        while depth:
            depth -= 1
            child = self.path[depth + 1]
            if self.movers[depth] == winner:
                self._judge(child, PROVEN)
            else:
                self._judge(child, -PROVEN)
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
                self.worth[child] = worth + self.prior[child] * self.inverse_root[visits + 1]
