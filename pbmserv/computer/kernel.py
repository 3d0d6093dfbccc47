"""The search kernel: Monte-Carlo tree search on flat arrays.

Each simulation descends to the most valuable children, fills the rest of the board at random, and
backs the result up. A child's value mixes its own results with RAVE, those of all playouts below
its parent in which its mover came to own its cell (Gelly and Silver, "Combining online and offline
knowledge in UCT", 2007). Patterns add to it, and what they do not expect is tried late (Chaslot et
al., "Progressive strategies for Monte-Carlo tree search", 2008). Wins that nothing can change are
proven, and rise (Winands et al., "Monte-Carlo tree search solver", 2008).

    >>> from pbmserv.computer.search import Search
    >>> from pbmserv.computer.task import Effort
    >>> from pbmserv.engine.spec import parse_game
    >>> hex = parse_game("hex(size=3)")
    >>> search = Search(hex, hex.start(), Effort(simulations=200, seed=1), tree_type=Tree)
    >>> search.analysis().best.move.text, search.tree.winner
    ('B2', 1)

One source, two speeds. Python runs this file as it stands; with a C compiler, the installation
compiles it as ``pbmserv.computer._kernel``, with the C types of ``_kernel.pxd``. Both find the same
from the same seed, so nothing may depend on a clock, on the width of a C type or on the order of
floating-point operations. After the last cell of ``stones`` come the three values that a neighbour
beyond an edge may have: X's edge, O's edge, and nobody's or both's.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
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
    from pbmserv.computer.game_arrays import GameArrays
    from pbmserv.computer.task import Task

IS_COMPILED = not __file__.endswith(".py")

if TYPE_CHECKING or not IS_COMPILED:
    from pbmserv.computer import links
else:
    links = import_module("pbmserv.computer._links")

row, zeros = links.row, links.zeros

FIRST_VISITS = 2
"""RAVE visits of a new child, half of them won, so that its value begins at one half."""

PROVEN = 1e12
"""The value, or its negative, of a child whose outcome is known."""

CERTAIN = 1e6
"""More than the value of any child whose outcome is not known."""

WIDENING = 256
"""Visits after which a node has all its children; earlier if it is looked at for links earlier."""

BRIDGE_PRIOR = 0.4
"""The prior of a first move that saves a bridge, in place of patterns."""

INITIAL_ROOM = 20_000
"""Nodes for which a tree has room at first; the room doubles as often as is needed."""


def copy_into(values: MutableSequence[Any], room: MutableSequence[Any]) -> MutableSequence[Any]:
    """Return ``room``, which is longer than ``values``, with these at its beginning."""
    target: Any = memoryview(room) if IS_COMPILED else room  # type: ignore[arg-type]
    target[: len(values)] = values
    return room


def counting_cells(x: Sequence[int], o: Sequence[int], *, is_one: bool) -> list[int]:
    """Return cells of which every chain that earns points has at least one, by both marks."""
    # If one chain wins the game (is_one), those of one of the edges that it must join are enough.
    if is_one:
        first = min(filter(None, x))
        return [cell for cell, mark in enumerate(x) if mark & -mark == first]
    return [cell for cell, marks in enumerate(zip(x, o, strict=True)) if any(marks)]


class PatternArrays(NamedTuple):
    """The patterns as flat arrays, the same for every position of a game.

    From ``near_from[c]`` on, ``near`` has the cells near c, each followed by how it lies to c. From
    ``12 * c`` on, ``facing`` has the six cells of the ring of c, each followed by the place of c in
    the key of that cell, in bits; in place of what is beyond an edge, the number after the last.
    ``replies`` are those of X, then those of O. The rest is :class:`patterns.Weights`.
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
    """Return a key as the other side sees it: X and O exchanged."""
    return (key & 0x555) << 1 | key >> 1 & 0x555


@lru_cache(maxsize=4)
def pattern_arrays(arrays: GameArrays, weights: patterns.Weights) -> PatternArrays:
    """Lay out the patterns of a game."""
    around = patterns.surroundings_of(arrays.tables)
    rows = around.near
    replies = weights.replies
    return PatternArrays(
        near_from=row("i", accumulate((2 * len(row) for row in rows), initial=0)),
        near=row("i", chain.from_iterable(chain.from_iterable(rows))),
        facing=row(
            "i",
            chain.from_iterable(
                (other, 2 * around.ring[other].index(cell))
                if other >= 0 and cell in around.ring[other]
                else (arrays.size, 0)
                for cell, ring in enumerate(around.ring)
                for other in ring
            ),
        ),
        ring_at=row("i", (patterns.KEYS * mark for mark in around.marks)),
        zones=row("i", chain.from_iterable(around.zones)),
        ring_factors=row("d", weights.ring),
        bridge_factors=row("d", weights.bridge_ring),
        zone_factors=row("d", weights.zones),
        near_factors=row("d", weights.near),
        replies=row("B", chain(replies, (replies[other_side(key)] for key in range(len(replies))))),
    )


class Tree:
    """The search tree over one position.

    Node 0 is the root. The children of a node are ``width`` nodes from ``first`` on, one for every
    empty cell, or at first only for those of which patterns expect something. ``visits`` and
    ``wins`` are those of a child's own playouts, ``rave_visits`` and ``rave_wins`` those of RAVE;
    wins are counted for the child's mover, between 0 and 1 each. ``prior`` is what patterns add to
    its ``value`` before the first visit. If links are looked for, ``refuting`` is the carrier of
    the refutations of a node's losing moves: the cells that they need, as a set of words.
    """

    def __init__(self, arrays: GameArrays, task: Task) -> None:
        self._lay_out(arrays)
        self._set_task(task)
        self._lay_out_patterns(arrays, task)
        self.look_visits = task.look_visits
        self.widening = min(WIDENING, self.look_visits) if self.look_visits > 0 else WIDENING
        if self.look_visits >= 0:
            self.links = links.Links(arrays)
        self._begin(task.capacity)
        if self.count:
            self._expand(0, 0)
            if not self.is_plain:
                if self.last >= 0 and not self.has_patterns:
                    self._favour_bridge()
                self._solve_first_moves()

    def _lay_out(self, arrays: GameArrays) -> None:
        """Take over what is the same for every position of a game."""
        tables = arrays.tables
        size = arrays.size
        self.cells = size
        neighbours = tables.board.neighbours
        self.reach = max(map(len, neighbours))
        self.beside = row(
            "i",
            chain.from_iterable([*row, *[size] * (self.reach - len(row))] for row in neighbours),
        )
        x, o = tables.marks
        around = patterns.surroundings_of(tables)
        rings = zip(around.ring, around.bridge_ring, strict=True)
        self.around = row(
            "i",
            (each if each >= 0 else size - 1 - each for each in chain.from_iterable(chain(*rings))),
        )
        self.bridge_slot = row("B", patterns.bridge_slots(edges_join=tables.are_bits and x == o))
        self.is_best_chain = tables.ending is TieRule.BEST_CHAIN
        self.has_tie_points = bool(tables.tie_points)
        # What the sides earn adds up: what X has not, O has.
        self.is_shared_out = (
            tables.total is not None and not self.is_best_chain and not self.has_tie_points
        )
        self.all_points = tables.total or 0
        counting = counting_cells(x, o, is_one=self.is_shared_out and self.all_points == 1)
        self.counting = row("i", counting)
        self.counting_count = len(counting)
        self.marks = row("i", [*x, *o])
        self.shares = row("i", chain.from_iterable(tables.shares))
        self.share_count = len(tables.shares)
        self.points = row("i", tables.points)
        self.tie_points = row("i", tables.tie_points or [0])
        self.are_bits = tables.are_bits
        self.start = tables.start
        self.left = zeros("i", size + 1)
        self.pile = zeros("i", size + self.reach)
        self.chain = zeros("i", size)
        self.owner = zeros("i", size)
        self.total = zeros("i", size)
        self.max_points = max(tables.points)
        self.balance = zeros("i", self.max_points + 1)

    def _lay_out_patterns(self, arrays: GameArrays, task: Task) -> None:
        """Take over what was learned of moves, if the task has any of it."""
        self.has_patterns = task.weights is not None
        self.has_replies = task.has_replies
        if task.weights is None:
            return
        known = pattern_arrays(arrays, task.weights)
        self.near_from, self.near, self.facing = known.near_from, known.near, known.facing
        self.ring_at, self.zones = known.ring_at, known.zones
        self.ring_factors, self.bridge_factors = known.ring_factors, known.bridge_factors
        self.zone_factors, self.near_factors = known.zone_factors, known.near_factors
        self.replies = known.replies
        self.factor = zeros("d", self.cells)
        self.known = zeros("i", self.cells)
        self.min_share = task.min_share
        self.weight = zeros("i", patterns.SLOTS)
        # What stands in the ring of each cell, as X sees it: kept up where playouts reply.
        self.keys = zeros("i", self.cells + 1)
        self.first_keys = row("i", (self._key(12 * cell, False) for cell in range(self.cells)))
        self.prior_weight = task.prior_weight

    def _set_task(self, task: Task) -> None:
        """Take over the position, the order of turns and the value of each result."""
        self.stones = row("i", [*task.stones, 1, 2, 3])
        self.order = row("i", task.empty)
        self.count = len(task.empty)
        place = [0] * self.cells
        for number, cell in enumerate(task.empty):
            place[cell] = number
        self.place = row("i", place)
        self.movers = row("i", task.movers)
        self.is_answered = len(set(task.movers)) > 1
        self.answers = row("i", task.answers)
        self.path = zeros("i", self.count + 1)
        self.owned = zeros("i", self.count + 1)
        self.tie = task.tie
        self.rewards = row("d", task.rewards)
        self.reward_zero = len(task.rewards) // 2
        self.rave_share = row("d", task.rave_share)
        self.spread = row("d", task.spread)
        self.inverse_root = row("d", task.inverse_root)
        self.max_visits = len(task.rave_share) - 2
        self.last = task.last
        self.is_plain = task.is_plain
        self.expand_visits = task.expand_visits
        self.state = task.state

    def _begin(self, capacity: int) -> None:
        """Make room for the first nodes."""
        # A tree that has capacity nodes is still searched, but grows no more.
        self.capacity = capacity
        self.words = self.links.width if self.look_visits >= 0 else 0
        self.carrier = zeros("q", self.words)
        self.room = min(capacity, max(INITIAL_ROOM, 1 + self.count))
        self.used = 1
        self.cell = zeros("i", self.room)
        self.first = zeros("i", self.room)
        self.width = zeros("i", self.room)
        self.visits = zeros("i", self.room)
        self.rave_visits = zeros("i", self.room)
        self.wins = zeros("d", self.room)
        self.rave_wins = zeros("d", self.room)
        self.value = zeros("d", self.room)
        self.prior = zeros("d", self.room)
        self.refuting = zeros("q", self.words * self.room)
        self.root_margins = zeros("d", self.count)
        self.root_wins = zeros("i", self.count)
        self.winner = 0
        self.done = 0

    def _make_room(self) -> None:
        """Double the room for nodes, as far as the tree may grow."""
        self.room = min(self.capacity, 2 * self.room)
        self.cell = copy_into(self.cell, zeros("i", self.room))
        self.first = copy_into(self.first, zeros("i", self.room))
        self.width = copy_into(self.width, zeros("i", self.room))
        self.visits = copy_into(self.visits, zeros("i", self.room))
        self.rave_visits = copy_into(self.rave_visits, zeros("i", self.room))
        self.wins = copy_into(self.wins, zeros("d", self.room))
        self.rave_wins = copy_into(self.rave_wins, zeros("d", self.room))
        self.value = copy_into(self.value, zeros("d", self.room))
        self.prior = copy_into(self.prior, zeros("d", self.room))
        self.refuting = copy_into(self.refuting, zeros("q", self.words * self.room))

    def run(self, simulations: int) -> int:
        """Simulate up to ``simulations`` in all, or until the winner is known; return how many."""
        while self._has_work(simulations):
            # More room is new Python objects, which need the GIL.
            if self._is_crowded():
                self._make_room()
            with cython.nogil:
                while self._has_work(simulations) and not self._is_crowded():
                    self._simulate()
                    self.done += 1
        return self.done

    def _has_work(self, simulations: int) -> bool:
        """Tell whether simulations are left to do and the winner is not known."""
        return self.done < simulations and not self.winner and self.count > 0

    def _is_crowded(self) -> bool:
        """Tell whether the next simulation may need more room and the tree may still grow."""
        return self.used + self.count > self.room and self.room < self.capacity

    def _simulate(self) -> None:
        """Do one simulation: select, expand, play out, and back the result up."""
        node = 0
        depth = 0
        while self.first[node] or self._grow(node, depth):
            if self.width[node] < self.count - depth and self._should_widen(node):
                self._widen(node, depth)
            if self.visits[node] == self.look_visits and self._decide(node, depth):
                break
            node = self._best_bound(node) if self.is_plain else self._best_value(node)
            self._place_next(self.place[self.cell[node]], depth)
            depth += 1
            self.path[depth] = node
        self._play_out(depth)
        margin = self._margin()
        self._count_root(margin)
        self._update(depth, self.rewards[self.reward_zero + margin])
        for number in range(self.count):
            self.stones[self.order[number]] = 0

    def _place_next(self, number: int, depth: int) -> None:
        """Place the stone number ``depth`` on the cell that is at ``number`` in the order."""
        cell = self.order[number]
        other = self.order[depth]
        self.order[number] = other
        self.place[other] = number
        self.order[depth] = cell
        self.place[cell] = depth
        self.stones[cell] = self.movers[depth]

    def _grow(self, node: int, depth: int) -> bool:
        """Give ``node`` its children if it is due; return whether it has any."""
        # The winner of a settled position is proven instead: that is asked once, at the second
        # visit, and of every full board.
        left = self.count - depth
        visits = self.visits[node]
        if left and not visits:
            return False
        if not self.is_plain and (visits == 1 or not left):
            winner = self._sure_winner(depth)
            if winner:
                self._record_carrier(0)  # of a settled position no cell is needed
                self._prove(depth, winner)
                return False
        if not left or visits < min(self.expand_visits, 1 + (left >> 3)):
            return False
        if self.used + left > self.room:
            return False
        self._expand(node, depth)
        return True

    def _expand(self, node: int, depth: int) -> None:
        """Append the children; below the root only those of which patterns expect something."""
        # Without patterns they come in the order of the last playout, which is a random one.
        if self.has_patterns:
            self._expand_by_priors(node, depth, self.min_share if depth else 0.0)
            return
        self.first[node] = self.used
        for number in range(depth, self.count):
            self._append(self.order[number], 0.0)
        self.width[node] = self.used - self.first[node]

    def _append(self, cell: int, prior: float) -> None:
        """Append an unvisited child with this prior."""
        child = self.used
        self.cell[child] = cell
        self.rave_visits[child] = FIRST_VISITS
        self.rave_wins[child] = 0.5 * FIRST_VISITS
        self.prior[child] = prior
        self.value[child] = 0.5 + prior
        self.used = child + 1

    def _should_widen(self, node: int) -> bool:
        """Tell whether a node needs all its children: often visited, or all others lose."""
        return self.visits[node] >= self.widening or self.value[self._best_value(node)] <= -1.0

    def _widen(self, node: int, depth: int) -> None:
        """Give a node all its children in a new row, if there is room, and copy the old ones."""
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
                self.value[child] = self.value[old]
                for at in range(self.words):
                    self.refuting[child * self.words + at] = self.refuting[old * self.words + at]

    def _expand_by_priors(self, node: int, depth: int, least: float) -> None:
        """Append a child for every empty cell that has at least ``least`` times the mean share."""
        # The product of a cell's factors, over the sum of all such products, is its share: how
        # likely a strong player is to move there.
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

    def _weigh_near(self, last: int, is_o: bool) -> None:
        """Multiply the factors of the cells near the opponent's stone at ``last``."""
        for at in range(self.near_from[last], self.near_from[last + 1], 2):
            cell = self.near[at]
            slot = self.near[at + 1]
            key = self._key(12 * cell, is_o)
            if slot < 6:
                key = (key >> 2 * slot | key << 12 - 2 * slot) & 0xFFF
            else:
                key += 4096 * (slot - 5)
            self.factor[cell] *= self.near_factors[key]

    def _best_value(self, node: int) -> int:
        """Return the child with the highest value."""
        best = self.first[node]
        top = self.value[best]
        for child in range(best + 1, best + self.width[node]):
            if self.value[child] > top:
                top = self.value[child]
                best = child
        return best

    def _best_bound(self, node: int) -> int:
        """Return the first child without a visit, or else that with the best confidence bound."""
        best = self.first[node]
        top = -PROVEN
        spread = self.spread[min(self.visits[node], self.max_visits)]
        for child in range(best, best + self.width[node]):
            visits = self.visits[child]
            if not visits:
                return child
            bound = self.value[child] + spread * self.inverse_root[min(visits, self.max_visits)]
            if bound > top:
                top = bound
                best = child
        return best

    def _play_out(self, depth: int) -> None:
        """Fill the board at random, but save a bridge into which the last stone intruded."""
        # A turn of two stones answers both of the turn before, one each.
        if self.has_replies:
            for cell in range(self.cells):
                self.keys[cell] = self.first_keys[cell]
            for number in range(depth):
                self._update_keys(self.order[number], self.movers[number])
        for number in range(depth, self.count):
            mover = self.movers[number]
            chosen = -1
            last = -1
            if self.answers[number]:
                last = self.order[number - self.answers[number]]
                chosen = self._bridge_reply(last, mover)
            if chosen < 0:
                chosen = self._draw(number, last if self.has_replies else -1)
            cell = self.order[chosen]
            other = self.order[number]
            self.order[chosen] = other
            self.place[other] = chosen
            self.order[number] = cell
            self.place[cell] = number
            self.stones[cell] = mover
            if self.has_replies:
                self._update_keys(cell, mover)

    def _update_keys(self, cell: int, mover: int) -> None:
        """Enter a new stone into the keys of the cells around it."""
        for at in range(12 * cell, 12 * cell + 12, 2):
            self.keys[self.facing[at]] |= mover << self.facing[at + 1]

    def _key(self, at: int, is_o: bool) -> int:
        """Return the key of the six cells from ``at`` on in ``around``, as the mover sees them."""
        key = (
            self.stones[self.around[at]]
            | self.stones[self.around[at + 1]] << 2
            | self.stones[self.around[at + 2]] << 4
            | self.stones[self.around[at + 3]] << 6
            | self.stones[self.around[at + 4]] << 8
            | self.stones[self.around[at + 5]] << 10
        )
        return other_side(key) if is_o else key

    def _bridge_reply(self, last: int, mover: int) -> int:
        """Return the number, in the order, of the cell that saves a bridge of ``mover``, or -1."""
        slot = self.bridge_slot[self._key(12 * last, mover == 2)]
        return self.place[self.around[12 * last + slot]] if slot < 6 else -1

    def _draw(self, number: int, last: int) -> int:
        """Return a random number in the order, more often one of a likely reply to ``last``."""
        left = self.count - number
        # Multiply with carry: 1999998678 * 2**31 - 1 is a safe prime.
        self.state = 1999998678 * (self.state & 0x7FFFFFFF) + (self.state >> 31)
        if last < 0:
            return number + ((self.state & 0x7FFFFFFF) * left >> 31)
        # Every empty cell weighs 16; what replies weigh more comes after all of these.
        extra = self._weigh_replies(last, self.movers[number])
        drawn = (self.state & 0x7FFFFFFF) * (16 * left + extra) >> 31
        if drawn < 16 * left:
            return number + (drawn >> 4)
        return self.place[self._reply(last, drawn - 16 * left)]

    def _weigh_replies(self, last: int, mover: int) -> int:
        """Return the sum of what the cells around ``last`` weigh more as replies, noting each."""
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
        """Return the cell around ``last`` into whose part of the weights ``drawn`` falls."""
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
            return 2 * (2 * margin - self.start - self.all_points) + self.tie
        if not self.has_tie_points:
            return 2 * margin + self.tie
        extra = (extra > 0) - (extra < 0)
        return 2 * (margin + extra) + extra

    def _gather_chains(self) -> int:
        """Find the chains that count, with the owner and mark of each; return how many."""
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
        """Take the chain of a stone out of ``left``, give it this number, and return its mark."""
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
            # Every neighbour is written onto the pile, but only a new one is counted: without a
            # branch the processor has nothing to guess.
            for at in range(self.reach * cell, self.reach * (cell + 1)):
                other = self.beside[at]
                is_new = self.left[other] == mine
                self.pile[count] = other
                count += is_new
                self.left[other] *= not is_new
        return mark

    def _best_chain_margin(self, chains: int) -> int:
        """Return twice the lead of the best chain; 1 or -1 if only a later one decides."""
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
        for points in range(self.max_points, 0, -1):
            if not leading:
                leading = (self.balance[points] > 0) - (self.balance[points] < 0)
            self.balance[points] = 0
        self.balance[0] = 0
        return 2 * (x - o) if x != o else leading

    def _sure_winner(self, depth: int) -> int:
        """Return the side that wins even if the other gets every empty cell, or 0."""
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

    def _solve_first_moves(self) -> None:
        """Prove first moves before any simulation, as far as a single stone decides."""
        # A move wins if it does with all else given to the other side. It loses if the other side
        # has a cell that wins so, and the move is elsewhere.
        mover = self.movers[0]
        self._fill(0, 3 - mover)
        for child in range(1, 1 + self.count):
            if self._wins_on(self.cell[child], mover):
                self._set_outcome(child, PROVEN)
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
            elif self.value[child] < CERTAIN:
                self._set_outcome(child, -PROVEN)

    def _favour_bridge(self) -> None:
        """Give the first move that saves a bridge, if there is one, a prior."""
        child = 1 + self._bridge_reply(self.last, self.movers[0])
        if child:
            self.prior[child] = BRIDGE_PRIOR
            self.value[child] += BRIDGE_PRIOR

    def _wins_on(self, cell: int, side: int) -> bool:
        """Tell whether ``side`` wins the full board if it has this cell, too."""
        stone = self.stones[cell]
        self.stones[cell] = side
        margin = self._margin()
        self.stones[cell] = stone
        return margin > 0 if side == 1 else margin < 0

    def _decide(self, node: int, depth: int) -> bool:
        """Prove by links who wins at ``node``; return whether that is known."""
        mover = self.movers[depth]
        first = self.first[node]
        # The mover wins with half a link, the other side with a full one. If the other side has
        # halves alone, moves outside of the must-play region, which all halves share, lose.
        if self.links.look(self.stones, mover, HALF):
            if not depth:  # of the root the winning move itself is asked
                key = self.links.best_key()
                for child in range(first, first + self.width[node]):
                    if self.cell[child] == key:
                        self._set_outcome(child, PROVEN)
            self._record_carrier(self.links.winning_set())
            self._prove(depth, mover)
            return True
        found = self.links.look(self.stones, 3 - mover, FULL)
        if found == HALF:
            meeting = self.links.must_play()
            for child in range(first, first + self.width[node]):
                if not self.links.holds(meeting, self.cell[child]):
                    self._set_outcome(child, -PROVEN)
            self._record_carrier(self.links.threats())
            self._refute(node)
            if not self._is_lost(node, depth):
                return False
            self._record_refutations(node)
        elif found == FULL:
            self._record_carrier(self.links.winning_set())
        else:
            return False
        self._prove(depth, 3 - mover)
        return True

    def _set_outcome(self, child: int, wins: float) -> None:
        """Give ``child`` the value of a known outcome."""
        self.wins[child] = wins
        self.rave_wins[child] = wins
        self.value[child] = wins

    def _fill(self, depth: int, stone: int) -> None:
        for number in range(depth, self.count):
            self.stones[self.order[number]] = stone

    def _prove(self, depth: int, winner: int) -> None:
        """Prove the nodes above, as far as it follows that ``winner`` wins there."""
        # A node is won by one winning child, and lost if all children lose. The win needs only the
        # cells of carrier, so a move of the loser elsewhere loses as well.
        while depth:
            depth -= 1
            node = self.path[depth]
            child = self.path[depth + 1]
            if self.movers[depth] == winner:
                self._set_outcome(child, PROVEN)
                if self.words:
                    cell = self.cell[child]
                    self.carrier[self.links.word[cell]] |= self.links.bit[cell]
            else:
                self._set_outcome(child, -PROVEN)
                if self.words:
                    self._refute(node)
                if not self._is_lost(node, depth):
                    return
                self._record_refutations(node)
        self.winner = winner

    def _record_carrier(self, number: int) -> None:
        """Make the set with this number, of those of the links, the carrier."""
        for at in range(self.words):
            self.carrier[at] = self.links.sets[number * self.words + at]

    def _record_refutations(self, node: int) -> None:
        """Make all cells that refutations of the moves at ``node`` need the carrier."""
        for at in range(self.words):
            self.carrier[at] = self.refuting[node * self.words + at]

    def _refute(self, node: int) -> None:
        """Prove that all moves at ``node`` outside of the carrier lose."""
        for at in range(self.words):
            self.refuting[node * self.words + at] |= self.carrier[at]
        for child in range(self.first[node], self.first[node] + self.width[node]):
            cell = self.cell[child]
            if not self.carrier[self.links.word[cell]] & self.links.bit[cell]:
                self._set_outcome(child, -PROVEN)

    def _is_lost(self, node: int, depth: int) -> bool:
        """Tell whether every move at ``node``, of all empty cells, is proven to lose."""
        is_whole = self.width[node] == self.count - depth
        return is_whole and self.value[self._best_value(node)] <= -1.0

    def _count_root(self, margin: int) -> None:
        """Add the margin to the statistics of the first move."""
        number = self.path[1] - 1
        self.root_margins[number] += margin
        if margin > 0:
            self.root_wins[number] += 1

    def _update(self, depth: int, reward: float) -> None:
        """Back the result up along the path, and to the RAVE statistics of the children beside."""
        self.visits[0] += 1
        for level in range(depth):
            mover = self.movers[level]
            gain = reward if mover == 1 else 1.0 - reward
            child = self.path[level + 1]
            self.visits[child] += 1
            self.wins[child] += gain
            if self.is_plain:
                self.value[child] = self.wins[child] / self.visits[child]
            else:
                self._update_rave(self.path[level], mover, gain)

    def _update_rave(self, node: int, mover: int, gain: float) -> None:
        """Add the result to all children whose cell ``mover`` came to own, and value them anew."""
        # They are listed first, without a branch: a processor could only guess whose each is.
        count = 0
        for child in range(self.first[node], self.first[node] + self.width[node]):
            self.owned[count] = child
            count += self.stones[self.cell[child]] == mover
        for number in range(count):
            child = self.owned[number]
            self.rave_visits[child] += 1
            self.rave_wins[child] += gain
            value = self.rave_wins[child] / self.rave_visits[child]
            visits = self.visits[child]
            if visits:
                own = self.wins[child] / visits
                visits = min(visits, self.max_visits)
                value = own + self.rave_share[visits] * (value - own)
            self.value[child] = value + self.prior[child] * self.inverse_root[visits + 1]
