"""The largest matching against trying everything."""

from collections.abc import Sequence
from itertools import combinations
from random import Random

import pytest

from pbmserv.club.matching import NOBODY, largest_matching


def graph(size: int, edges: Sequence[tuple[int, int]]) -> list[list[int]]:
    neighbours: list[list[int]] = [[] for _ in range(size)]
    for one, other in edges:
        neighbours[one].append(other)
        neighbours[other].append(one)
    return neighbours


def most_pairs(size: int, edges: Sequence[tuple[int, int]]) -> int:
    """Return the size of the largest matching by trying both fates of the first free node."""
    reach = graph(size, edges)

    def best(free: frozenset[int]) -> int:
        if len(free) < 2:
            return 0
        first = min(free)
        rest = free - {first}
        tries = [1 + best(rest - {other}) for other in reach[first] if other in rest]
        return max([best(rest), *tries])

    return best(frozenset(range(size)))


def check(neighbours: list[list[int]], mates: list[int]) -> int:
    """Return the number of pairs after checking that they are pairs of the graph."""
    for node, mate in enumerate(mates):
        if mate != NOBODY:
            assert mates[mate] == node
            assert mate in neighbours[node]
    return sum(mate != NOBODY for mate in mates) // 2


@pytest.mark.parametrize("size", range(6))
def test_every_small_graph(size: int) -> None:
    possible = list(combinations(range(size), 2))
    for chosen in range(2 ** len(possible)):
        edges = [edge for number, edge in enumerate(possible) if chosen >> number & 1]
        neighbours = graph(size, edges)

        assert most_pairs(size, edges) == check(neighbours, largest_matching(neighbours))


@pytest.mark.costly
def test_random_graphs_full_of_odd_rings() -> None:
    for seed in range(300):
        check_random_graph(Random(seed))


def check_random_graph(chance: Random) -> None:
    size = chance.randint(6, 13)
    share = chance.choice([0.15, 0.25, 0.4])
    possible = combinations(chance.sample(range(size), size), 2)
    edges = [edge for edge in possible if chance.random() < share]
    neighbours = graph(size, edges)
    expected = most_pairs(size, edges)

    grown = largest_matching(neighbours)

    assert expected == check(neighbours, grown)
    kept = [mate if min(node, mate) % 2 else NOBODY for node, mate in enumerate(grown)]
    assert expected == check(neighbours, largest_matching(neighbours, kept))
