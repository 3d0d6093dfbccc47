"""The search kernel: playouts, their margin and the tree, on flat arrays.

One source, two speeds. Python runs this file as it stands; where a C compiler is, the installation
compiles it as ``pbmserv.computer._kernel``, with the C types of ``_kernel.pxd``. Both play the same
game from the same seed, so nothing here may depend on a clock, on the width of a C type or on the
order of floating-point operations.

Inside, X is 1, O is 2 and an empty cell 0, as in a position; behind the last cell stand what may be
in the place of a neighbour beyond an edge: X's edge, O's edge, and what is nobody's or both's.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, MutableSequence, Sequence
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
from pbmserv.computer.links import FULL, HALF
from pbmserv.engine.score_tables import TieRule

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

WIDENING = 256
"""After so many visits a node has all its children, or as soon as it is looked at for links."""

SAVING = 0.4
"""How much more a first move is worth at first that saves a bridge."""

FIRST_ROOM = 20_000
"""A tree begins with room for so many nodes, and takes twice as much whenever it needs more."""


def small_numbers(values: Iterable[int]) -> MutableSequence[int]:
    """Return ``values`` below 256 as a list, or as an array of bytes, which fills less cache."""
    return array("B", values) if IS_COMPILED else list(values)


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


def counting_cells(x: Sequence[int], o: Sequence[int], *, is_one: bool) -> list[int]:
    """Return the cells of which every chain that counts has one, given the marks for X and O.

    Where one chain wins, each is found from any of the sides that it has to join.
    """
    if is_one:
        first = min(filter(None, x))
        return [cell for cell, mark in enumerate(x) if mark & -mark == first]
    return [cell for cell, marks in enumerate(zip(x, o, strict=True)) if any(marks)]


class PatternArrays(NamedTuple):
    """What is known of patterns as flat arrays, the same for every position of a game.

    The cells near c, each with how it lies to c, stand in ``near`` from ``near_from[c]`` on. In
    ``facing`` stand, from ``12 * c`` on, the six cells of its ring, each with the bits by which c
    lies in the ring of that one; a cell behind the last where there is none. ``replies`` are those
    of X, then those of O. The rest is :class:`patterns.Weights`.
    """

    near_from: MutableSequence[int]
    near: MutableSequence[int]
    facing: MutableSequence[int]
    ring_at: MutableSequence[int]
    zones: MutableSequence[int]
    ring_factors: MutableSequence[float]
    bridge_factors: MutableSequence[float]
    zone_factors: MutableSequence[float]
    near_factors: MutableSequence[float]
    replies: MutableSequence[int]


def other_side(key: int) -> int:
    """Return a key as the other side sees it."""
    return (key & 0x555) << 1 | key >> 1 & 0x555


@lru_cache(maxsize=4)
def pattern_arrays(arena: Arena, weights: patterns.Weights) -> PatternArrays:
    """Lay out the patterns of a game."""
    around = patterns.surroundings_of(arena.tables)
    rows = around.near
    replies = weights.replies
    return PatternArrays(
        near_from=whole_numbers(accumulate((2 * len(row) for row in rows), initial=0)),
        near=whole_numbers(chain.from_iterable(chain.from_iterable(rows))),
        facing=whole_numbers(
            chain.from_iterable(
                (other, 2 * around.ring[other].index(cell))
                if other >= 0 and cell in around.ring[other]
                else (arena.size, 0)
                for cell, ring in enumerate(around.ring)
                for other in ring
            )
        ),
        ring_at=whole_numbers(patterns.KEYS * mark for mark in around.marks),
        zones=whole_numbers(chain.from_iterable(around.zones)),
        ring_factors=fractions(weights.ring),
        bridge_factors=fractions(weights.bridge_ring),
        zone_factors=fractions(weights.zones),
        near_factors=fractions(weights.near),
        replies=small_numbers(
            chain(replies, (replies[other_side(key)] for key in range(len(replies))))
        ),
    )


class Tree:
    """The search tree over one position.

    The children of a node stand in a row of its ``width``, one for every cell that is empty there,
    or at first only for those that patterns do not think little of: node ``first`` of the parent
    and those after it. Node 0 is the root. ``visits`` and ``wins`` are those of a child's own
    playouts, ``rave_visits`` and ``rave_wins`` of all playouts below its parent in which its mover
    came to own its cell; wins are counted for that mover, between 0 and 1 each.
    ``prior`` is what patterns say for the move, before any visit: as much more its ``worth`` is,
    and ever less with every visit. Where links are looked for, ``against`` has for each node the
    cells on which stands what refutes those of its moves that are proven to lose.
    """

    def __init__(self, arena: Arena, task: Task) -> None:
        self._lay_out(arena)
        self._set_task(task)
        self._lay_out_patterns(arena, task)
        self.look_visits = task.look_visits
        self.widening = min(WIDENING, self.look_visits) if self.look_visits > 0 else WIDENING
        if self.look_visits >= 0:
            self.links = links.Links(arena)
        self._begin(task.capacity)
        if self.count:
            self._expand(0, 0)
            if not self.is_plain:
                if self.last >= 0 and not self.has_patterns:
                    self._save_bridge()
                self._look_ahead()

    def _lay_out(self, arena: Arena) -> None:
        """Take over what is the same for every position of a game."""
        tables = arena.tables
        size = arena.size
        self.cells = size
        neighbours = tables.board.neighbours
        self.reach = max(map(len, neighbours))
        self.beside = whole_numbers(
            chain.from_iterable([*row, *[size] * (self.reach - len(row))] for row in neighbours)
        )
        x, o = tables.marks
        around = patterns.surroundings_of(tables)
        rings = zip(around.ring, around.bridge_ring, strict=True)
        self.around = whole_numbers(
            each if each >= 0 else size - 1 - each for each in chain.from_iterable(chain(*rings))
        )
        self.mending = small_numbers(patterns.mending(edges_join=tables.are_bits and x == o))
        self.is_best_chain = tables.ending is TieRule.BEST_CHAIN
        self.has_tie_points = bool(tables.tie_points)
        # What the sides earn adds up: what X has not, O has.
        self.is_shared_out = (
            tables.total is not None and not self.is_best_chain and not self.has_tie_points
        )
        self.whole = tables.total or 0
        counting = counting_cells(x, o, is_one=self.is_shared_out and self.whole == 1)
        self.counting = whole_numbers(counting)
        self.counting_count = len(counting)
        self.marks = whole_numbers([*x, *o])
        self.shares = whole_numbers(chain.from_iterable(tables.shares))
        self.share_count = len(tables.shares)
        self.points = whole_numbers(tables.points)
        self.tie_points = whole_numbers(tables.tie_points or [0])
        self.are_bits = tables.are_bits
        self.start = tables.start
        self.left = whole_zeros(size + 1)
        self.pile = whole_zeros(size + self.reach)
        self.chain = whole_zeros(size)
        self.owner = whole_zeros(size)
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
        self.near_from, self.near, self.facing = known.near_from, known.near, known.facing
        self.ring_at, self.zones = known.ring_at, known.zones
        self.ring_factors, self.bridge_factors = known.ring_factors, known.bridge_factors
        self.zone_factors, self.near_factors = known.zone_factors, known.near_factors
        self.replies = known.replies
        self.factor = fraction_zeros(self.cells)
        self.known = whole_zeros(self.cells)
        self.least_share = task.least_share
        self.weight = whole_zeros(patterns.SLOTS)
        # What stands in the ring of each cell, as X sees it: kept up where playouts reply.
        self.keys = whole_zeros(self.cells + 1)
        self.first_keys = whole_numbers(self._key(12 * cell, False) for cell in range(self.cells))
        self.prior_weight = task.prior_weight

    def _set_task(self, task: Task) -> None:
        """Take over the position, whose turn it is when, and what a result is worth."""
        self.stones = whole_numbers([*task.stones, 1, 2, 3])
        self.order = whole_numbers(task.empty)
        self.count = len(task.empty)
        place = [0] * self.cells
        for number, cell in enumerate(task.empty):
            place[cell] = number
        self.place = whole_numbers(place)
        self.movers = whole_numbers(task.movers)
        self.is_answered = len(set(task.movers)) > 1
        self.answers = whole_numbers(task.answers)
        self.path = whole_zeros(self.count + 1)
        self.owned = whole_zeros(self.count + 1)
        self.tie = task.tie
        self.rewards = fractions(task.rewards)
        self.reward_zero = len(task.rewards) // 2
        self.rave_share = fractions(task.rave_share)
        self.spread = fractions(task.spread)
        self.inverse_root = fractions(task.inverse_root)
        self.most_told = len(task.rave_share) - 2
        self.last = task.last
        self.is_plain = task.is_plain
        self.patience = task.patience
        self.state = task.state

    def _begin(self, capacity: int) -> None:
        """Make room for the first nodes of at most ``capacity``.

        A tree that is full grows no more, but is searched.
        """
        self.capacity = capacity
        self.words = self.links.width if self.look_visits >= 0 else 0
        self.carrier = links.word_zeros(self.words)
        self.room = min(capacity, max(FIRST_ROOM, 1 + self.count))
        self.used = 1
        self.cell = whole_zeros(self.room)
        self.first = whole_zeros(self.room)
        self.width = whole_zeros(self.room)
        self.visits = whole_zeros(self.room)
        self.rave_visits = whole_zeros(self.room)
        self.wins = fraction_zeros(self.room)
        self.rave_wins = fraction_zeros(self.room)
        self.worth = fraction_zeros(self.room)
        self.prior = fraction_zeros(self.room)
        self.against = links.word_zeros(self.words * self.room)
        self.root_margins = fraction_zeros(self.count)
        self.root_wins = whole_zeros(self.count)
        self.winner = 0
        self.done = 0

    def _make_room(self) -> None:
        """Double the room for nodes, as far as the tree may grow."""
        self.room = min(self.capacity, 2 * self.room)
        self.cell = copied(self.cell, whole_zeros(self.room))
        self.first = copied(self.first, whole_zeros(self.room))
        self.width = copied(self.width, whole_zeros(self.room))
        self.visits = copied(self.visits, whole_zeros(self.room))
        self.rave_visits = copied(self.rave_visits, whole_zeros(self.room))
        self.wins = copied(self.wins, fraction_zeros(self.room))
        self.rave_wins = copied(self.rave_wins, fraction_zeros(self.room))
        self.worth = copied(self.worth, fraction_zeros(self.room))
        self.prior = copied(self.prior, fraction_zeros(self.room))
        self.against = copied(self.against, links.word_zeros(self.words * self.room))

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
            if self.width[node] < self.count - depth and self._is_worth_widening(node):
                self._widen(node, depth)
            if self.visits[node] == self.look_visits and self._is_decided(node, depth):
                break
            node = self._best_bound(node) if self.is_plain else self._best_worth(node)
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
                self._carry(0)
                self._prove(depth, winner)
                return False
        if not left or visits < min(self.patience, 1 + (left >> 3)):
            return False
        if self.used + left > self.room:
            return False
        self._expand(node, depth)
        return True

    def _expand(self, node: int, depth: int) -> None:
        """Append a child for every empty cell, in the order of the last playout.

        Below the root moves of which patterns expect little have to wait.
        """
        if self.has_patterns:
            self._expand_by_priors(node, depth, self.least_share if depth else 0.0)
            return
        self.first[node] = self.used
        for number in range(depth, self.count):
            self._append(self.order[number], 0.0)
        self.width[node] = self.used - self.first[node]

    def _append(self, cell: int, prior: float) -> None:
        """Append a child of which nothing is known but what patterns expect."""
        child = self.used
        self.cell[child] = cell
        self.rave_visits[child] = FIRST_VISITS
        self.rave_wins[child] = 0.5 * FIRST_VISITS
        self.prior[child] = prior
        self.worth[child] = 0.5 + prior
        self.used = child + 1

    def _is_worth_widening(self, node: int) -> bool:
        """Tell whether moves of which little is expected are to be tried, too."""
        return self.visits[node] >= self.widening or self.worth[self._best_worth(node)] <= -1.0

    def _widen(self, node: int, depth: int) -> None:
        """Give a node all its children, if there is room for them, and keep what is known."""
        if self.used + self.count - depth > self.room:
            return
        first = self.first[node]
        for old in range(first, first + self.width[node]):
            self.known[self.cell[old]] = old
        self._expand_by_priors(node, depth, 0.0)
        for child in range(self.first[node], self.used):
            old = self.known[self.cell[child]]
            if old:
                self.known[self.cell[child]] = 0
                self.first[child] = self.first[old]
                self.width[child] = self.width[old]
                self.visits[child] = self.visits[old]
                self.wins[child] = self.wins[old]
                self.rave_visits[child] = self.rave_visits[old]
                self.rave_wins[child] = self.rave_wins[old]
                self.worth[child] = self.worth[old]
                for at in range(self.words):
                    self.against[child * self.words + at] = self.against[old * self.words + at]

    def _expand_by_priors(self, node: int, depth: int, least: float) -> None:
        """Append a child for every empty cell that has ``least`` of the mean share at least.

        What patterns expect of the moves, of all that there are, are shares of a whole.
        """
        is_o = self.movers[depth] == 2
        for number in range(depth, self.count):
            cell = self.order[number]
            self.factor[cell] = (
                self.ring_factors[self.ring_at[cell] + self._key(12 * cell, is_o)]
                * self.bridge_factors[self._key(12 * cell + 6, is_o)]
                * self.zone_factors[self.zones[2 * cell + is_o]]
            )
        last = self.order[depth - self.answers[depth]] if self.answers[depth] else self.last
        if last >= 0:
            self._weigh_near(last, is_o)
        total = 0.0
        for number in range(depth, self.count):
            total += self.factor[self.order[number]]
        least *= total / (self.count - depth)
        scale = self.prior_weight / total
        self.first[node] = self.used
        for number in range(depth, self.count):
            cell = self.order[number]
            if self.factor[cell] >= least:
                self._append(cell, scale * self.factor[cell])
        self.width[node] = self.used - self.first[node]

    def _weigh_near(self, last: int, is_o: bool) -> None:  # noqa: FBT001 - C has no keywords
        """Weigh the cells around the opponent's stone at ``last`` by how they lie to it."""
        for at in range(self.near_from[last], self.near_from[last + 1], 2):
            cell = self.near[at]
            slot = self.near[at + 1]
            key = self._key(12 * cell, is_o)
            if slot < 6:
                key = (key >> 2 * slot | key << 12 - 2 * slot) & 0xFFF
            else:
                key += 4096 * (slot - 5)
            self.factor[cell] *= self.near_factors[key]

    def _best_worth(self, node: int) -> int:
        """Return the child whose own and shared results are best together."""
        best = self.first[node]
        top = self.worth[best]
        for child in range(best + 1, best + self.width[node]):
            if self.worth[child] > top:
                top = self.worth[child]
                best = child
        return best

    def _best_bound(self, node: int) -> int:
        """Return the child with the best upper confidence bound, or the first without a visit."""
        best = self.first[node]
        top = -PROVEN
        spread = self.spread[min(self.visits[node], self.most_told)]
        for child in range(best, best + self.width[node]):
            visits = self.visits[child]
            if not visits:
                return child
            bound = self.worth[child] + spread * self.inverse_root[min(visits, self.most_told)]
            if bound > top:
                top = bound
                best = child
        return best

    def _play_out(self, depth: int) -> None:
        """Fill the board at random, but save a bridge that the last stone cut into."""
        if self.has_replies:
            for cell in range(self.cells):
                self.keys[cell] = self.first_keys[cell]
            for number in range(depth):
                self._show(self.order[number], self.movers[number])
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
                self._show(cell, mover)

    def _show(self, cell: int, mover: int) -> None:
        """Show a new stone in the rings of the cells around it."""
        for at in range(12 * cell, 12 * cell + 12, 2):
            self.keys[self.facing[at]] |= mover << self.facing[at + 1]

    def _key(self, at: int, is_o: bool) -> int:  # noqa: FBT001 - C has no keywords
        """Return what stands on the six cells from ``at`` on, as the side that moves sees them."""
        key = (
            self.stones[self.around[at]]
            | self.stones[self.around[at + 1]] << 2
            | self.stones[self.around[at + 2]] << 4
            | self.stones[self.around[at + 3]] << 6
            | self.stones[self.around[at + 4]] << 8
            | self.stones[self.around[at + 5]] << 10
        )
        return other_side(key) if is_o else key

    def _mended(self, last: int, mover: int) -> int:
        """Return where in the order stands the cell that saves a bridge of ``mover``, or -1."""
        slot = self.mending[self._key(12 * last, mover == 2)]
        return self.place[self.around[12 * last + slot]] if slot < 6 else -1

    def _drawn(self, number: int, last: int) -> int:
        """Draw a number in the order, rather a likely reply to the stone at ``last``, if any."""
        left = self.count - number
        # Multiply with carry: 1999998678 * 2**31 - 1 is a safe prime.
        self.state = 1999998678 * (self.state & 0x7FFFFFFF) + (self.state >> 31)
        if last < 0:
            return number + ((self.state & 0x7FFFFFFF) * left >> 31)
        extra = self._weigh_replies(last, self.movers[number])
        drawn = (self.state & 0x7FFFFFFF) * (16 * left + extra) >> 31
        if drawn < 16 * left:
            return number + (drawn >> 4)
        return self.place[self._reply(last, drawn - 16 * left)]

    def _weigh_replies(self, last: int, mover: int) -> int:
        """Add up what the cells around the stone at ``last`` have extra as replies; return all."""
        total = 0
        seen = 4096 * (mover - 1)
        for slot in range(6):
            cell = self.facing[12 * last + 2 * slot]
            turn = self.facing[12 * last + 2 * slot + 1]
            key = self.keys[cell]
            reply = self.replies[seen + ((key >> turn | key << 12 - turn) & 0xFFF)]
            total += reply * (self.stones[cell] == 0)
            self.weight[slot] = total
        return total

    def _reply(self, last: int, drawn: int) -> int:
        """Return the cell around ``last`` on which the draw among their weights has fallen."""
        number = 0
        for slot in range(5):
            number += self.weight[slot] <= drawn
        return self.facing[12 * last + 2 * number]

    def _margin(self) -> int:
        """Return twice X's margin on the full board, moved by the tie rule: above 0 if X wins."""
        chains = self._gather_chains()
        if self.is_best_chain:
            return self._best_chain_margin(chains)
        margin = self.start
        extra = 0
        for number in range(chains):
            sign = 3 - 2 * self.owner[number]
            margin += sign * self.points[self.total[number]]
            if self.has_tie_points:
                extra += sign * self.tie_points[self.total[number]]
        if self.is_shared_out:
            return 2 * (2 * margin - self.start - self.whole) + self.tie
        if not self.has_tie_points:
            return 2 * margin + self.tie
        extra = (extra > 0) - (extra < 0)
        return 2 * (margin + extra) + extra

    def _gather_chains(self) -> int:
        """Gather the chains that count, with whose each is and what it holds; tell how many."""
        for cell in range(self.cells):
            self.left[cell] = self.stones[cell]
        chains = 0
        for number in range(self.counting_count):
            cell = self.counting[number]
            mine = self.left[cell]
            if mine == 1 or (mine and not self.is_shared_out):
                self.owner[chains] = mine
                self.total[chains] = self._gather(cell, mine, chains)
                chains += 1
        for at in range(0, 3 * self.share_count, 3):
            cell = self.shares[at]
            mine = self.stones[cell]
            if mine == self.stones[self.shares[at + 1]] and (mine == 1 or not self.is_shared_out):
                self.total[self.chain[cell]] -= self.shares[at + 2]
        return chains

    def _gather(self, cell: int, mine: int, number: int) -> int:
        """Take the chain of a stone out of what is left, as one with this number; tell its mark.

        Whatever is put on the pile without need is the next to be put there: without a branch for
        every neighbour a processor has nothing to guess.
        """
        mark = 0
        marks = self.cells * (mine - 1)
        self.left[cell] = 0
        self.pile[0] = cell
        count = 1
        while count:
            count -= 1
            cell = self.pile[count]
            self.chain[cell] = number
            if self.are_bits:
                mark |= self.marks[marks + cell]
            else:
                mark += self.marks[marks + cell]
            for at in range(self.reach * cell, self.reach * (cell + 1)):
                other = self.beside[at]
                is_new = self.left[other] == mine
                self.pile[count] = other
                count += is_new
                self.left[other] *= not is_new
        return mark

    def _best_chain_margin(self, chains: int) -> int:
        """Return twice the lead of the best chain, or 1 either way where a later one decides."""
        x = 0
        o = 0
        for number in range(chains):
            points = self.points[self.total[number]]
            if self.owner[number] == 1:
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
        self.balance[0] = 0
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

    def _look_ahead(self) -> None:
        """Judge the first moves by what a single stone decides, before any simulation.

        A move is known to win if it does where all else is given to the other side, and to lose if
        it leaves a cell where the other side wins so.
        """
        mover = self.movers[0]
        self._fill(0, 3 - mover)
        for child in range(1, 1 + self.count):
            if self._wins_on(self.cell[child], mover):
                self._judge(child, PROVEN)
        self._fill(0, mover)
        threats = 0
        for child in range(1, 1 + self.count if self.is_answered else 1):
            if self._wins_on(self.cell[child], 3 - mover):
                threats += 1
                self.path[threats] = child
        self._fill(0, 0)
        at = 1
        for child in range(1, 1 + self.count if threats else 1):
            if at <= threats and self.path[at] == child:
                at += 1
            elif self.worth[child] < CERTAIN:
                self._judge(child, -PROVEN)

    def _save_bridge(self) -> None:
        """Think more of a first move that saves a bridge which was cut into."""
        child = 1 + self._mended(self.last, self.movers[0])
        if child:
            self.prior[child] = SAVING
            self.worth[child] += SAVING

    def _wins_on(self, cell: int, side: int) -> bool:
        """Tell whether ``side`` wins the full board if it has this cell, too."""
        stone = self.stones[cell]
        self.stones[cell] = side
        margin = self._margin()
        self.stones[cell] = stone
        return margin > 0 if side == 1 else margin < 0

    def _is_decided(self, node: int, depth: int) -> bool:
        """Prove who wins at ``node`` if links show it, else that moves lose which meet no threat.

        Where it is the root that is won, its child that wins is known, too.
        """
        mover = self.movers[depth]
        first = self.first[node]
        if self.links.look(self.stones, mover, HALF):
            if not depth:
                key = self.links.best_key()
                for child in range(first, first + self.width[node]):
                    if self.cell[child] == key:
                        self._judge(child, PROVEN)
            self._carry(self.links.won_by())
            self._prove(depth, mover)
            return True
        found = self.links.look(self.stones, 3 - mover, FULL)
        if found == HALF:
            meeting = self.links.must_play()
            for child in range(first, first + self.width[node]):
                if not self.links.holds(meeting, self.cell[child]):
                    self._judge(child, -PROVEN)
            self._carry(self.links.threats())
            self._refute(node)
            if not self._is_lost(node, depth):
                return False
            self._carry_all_against(node)
        elif found == FULL:
            self._carry(self.links.won_by())
        else:
            return False
        self._prove(depth, 3 - mover)
        return True

    def _judge(self, child: int, wins: float) -> None:
        """Note that the outcome of ``child`` is known."""
        self.wins[child] = wins
        self.rave_wins[child] = wins
        self.worth[child] = wins

    def _fill(self, depth: int, stone: int) -> None:
        for number in range(depth, self.count):
            self.stones[self.order[number]] = stone

    def _prove(self, depth: int, winner: int) -> None:
        """Note at every node above that ``winner`` wins there, as far as that follows.

        The win stands on the cells of ``carrier``: whatever is played elsewhere loses as well.
        """
        while depth:
            depth -= 1
            node = self.path[depth]
            child = self.path[depth + 1]
            if self.movers[depth] == winner:
                self._judge(child, PROVEN)
                if self.words:
                    cell = self.cell[child]
                    self.carrier[self.links.word[cell]] |= self.links.bit[cell]
            else:
                self._judge(child, -PROVEN)
                if self.words:
                    self._refute(node)
                if not self._is_lost(node, depth):
                    return
                self._carry_all_against(node)
        self.winner = winner

    def _carry(self, number: int) -> None:
        """Take the set with this number among the links' for the carrier of a win."""
        for at in range(self.words):
            self.carrier[at] = self.links.sets[number * self.words + at]

    def _carry_all_against(self, node: int) -> None:
        """Take for the carrier all on which the refutations of the moves at ``node`` stand."""
        for at in range(self.words):
            self.carrier[at] = self.against[node * self.words + at]

    def _refute(self, node: int) -> None:
        """Note that all moves at ``node`` lose that are not on the carrier."""
        for at in range(self.words):
            self.against[node * self.words + at] |= self.carrier[at]
        for child in range(self.first[node], self.first[node] + self.width[node]):
            cell = self.cell[child]
            if not self.carrier[self.links.word[cell]] & self.links.bit[cell]:
                self._judge(child, -PROVEN)

    def _is_lost(self, node: int, depth: int) -> bool:
        """Tell whether every move that there is at ``node`` is proven to lose."""
        is_whole = self.width[node] == self.count - depth
        return is_whole and self.worth[self._best_worth(node)] <= -1.0

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
                self._share(self.path[level], mover, gain)

    def _share(self, node: int, mover: int, gain: float) -> None:
        """Tell the result to all children whose cell ``mover`` came to own.

        They are listed first, without a branch: a processor could only guess whose each is.
        """
        count = 0
        for child in range(self.first[node], self.first[node] + self.width[node]):
            self.owned[count] = child
            count += self.stones[self.cell[child]] == mover
        for number in range(count):
            child = self.owned[number]
            self.rave_visits[child] += 1
            self.rave_wins[child] += gain
            worth = self.rave_wins[child] / self.rave_visits[child]
            visits = self.visits[child]
            if visits:
                own = self.wins[child] / visits
                visits = min(visits, self.most_told)
                worth = own + self.rave_share[visits] * (worth - own)
            self.worth[child] = worth + self.prior[child] * self.inverse_root[visits + 1]
