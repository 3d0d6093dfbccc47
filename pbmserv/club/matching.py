"""A largest matching of any graph, which pairs as many nodes as possible.

After Jack Edmonds, "Paths, trees, and flowers" (1965): from an unmatched node a tree of
alternating paths grows. If two branches close an odd ring (a blossom), the ring is contracted to
one node. If the tree reaches another unmatched node, the path between the two is turned over, which
matches one pair more.

    >>> largest_matching([[1], [0, 2], [1, 3], [2]], [NOBODY, 2, 1, NOBODY])
    [1, 0, 3, 2]
"""

from collections import deque
from collections.abc import Sequence

NOBODY = -1

Mates = list[int]
"""The node with which each node is paired, by number, or :data:`NOBODY`."""


def largest_matching(neighbours: Sequence[Sequence[int]], mates: Mates | None = None) -> Mates:
    """Return a matching with the most pairs; it grows from ``mates``, which must be a matching.

    A node that was matched stays matched.
    """
    grown = [NOBODY] * len(neighbours) if mates is None else list(mates)
    for node in range(len(neighbours)):
        if grown[node] == NOBODY:
            _Tree(neighbours, grown, node).grow()
    return grown


class _Tree:
    """The alternating tree from one unmatched node; :meth:`grow` improves ``mates`` if it can."""

    def __init__(self, neighbours: Sequence[Sequence[int]], mates: Mates, root: int) -> None:
        self.neighbours = neighbours
        self.mates = mates
        self.root = root
        self.parent = [NOBODY] * len(neighbours)
        self.base = list(range(len(neighbours)))
        self.outer = [False] * len(neighbours)
        self.outer[root] = True
        self.waiting = deque([root])

    def grow(self) -> None:
        """Look for an unmatched node and turn the path to it over."""
        while self.waiting:
            node = self.waiting.popleft()
            for other in self.neighbours[node]:
                if self.base[node] == self.base[other] or self.mates[node] == other:
                    continue
                if other == self.root or self._is_outer_mate(other):
                    self._contract(node, other)
                elif self.parent[other] == NOBODY:
                    self.parent[other] = node
                    mate = self.mates[other]
                    if mate == NOBODY:
                        self._turn_over(other)
                        return
                    self.outer[mate] = True
                    self.waiting.append(mate)

    def _is_outer_mate(self, node: int) -> bool:
        """Tell whether the node's mate hangs below a branch, so that the node is outer too."""
        mate = self.mates[node]
        return mate != NOBODY and self.parent[mate] != NOBODY

    def _turn_over(self, end: int) -> None:
        """Exchange matched and unmatched edges on the path from the root to ``end``."""
        node = end
        while node != NOBODY:
            before = self.parent[node]
            following = self.mates[before]
            self.mates[node], self.mates[before] = before, node
            node = following

    def _contract(self, one: int, other: int) -> None:
        """Treat the ring that the edge between two outer nodes closes as one outer node."""
        stem = self._common_base(one, other)
        ring: set[int] = set()
        self._mark(one, other, stem, ring)
        self._mark(other, one, stem, ring)
        for node, base in enumerate(self.base):
            if base in ring:
                self.base[node] = stem
                if not self.outer[node]:
                    self.outer[node] = True
                    self.waiting.append(node)

    def _common_base(self, one: int, other: int) -> int:
        """Return the base at which the ways from two outer nodes to the root meet."""
        passed = set()
        node = one
        while node != NOBODY:
            passed.add(self.base[node])
            node = self._up(self.base[node])
        node = other
        while self.base[node] not in passed:
            node = self._up(self.base[node])
        return self.base[node]

    def _up(self, outer: int) -> int:
        """Return the outer node two steps nearer to the root, nobody above the root."""
        return NOBODY if outer == self.root else self.parent[self.mates[outer]]

    def _mark(self, node: int, child: int, stem: int, ring: set[int]) -> None:
        """Collect the bases from ``node`` to the stem, hanging each inner node on its child."""
        while self.base[node] != stem:
            mate = self.mates[node]
            ring.update((self.base[node], self.base[mate]))
            self.parent[node] = child
            child, node = mate, self.parent[mate]
