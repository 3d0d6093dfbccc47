"""Stones on boards: every way, or at random."""

from collections.abc import Iterable, Iterator
from itertools import product
from random import Random

Stones = dict[str, set[str]]


def stones_of(cells: Iterable[str], owners: Iterable[str]) -> Stones:
    """Return the cells of X and of O; any other owner is nobody."""
    stones: Stones = {"X": set(), "O": set()}
    for cell, owner in zip(cells, owners, strict=True):
        if owner in stones:
            stones[owner].add(cell)
    return stones


def all_fillings(cells: Iterable[str], owners: str) -> Iterator[Stones]:
    """Yield every way to give each cell to one of the owners, of whom `.` is nobody."""
    cells = sorted(cells)
    for choice in product(owners, repeat=len(cells)):
        yield stones_of(cells, choice)


def random_fillings(cells: Iterable[str], count: int, seed: str) -> Iterator[Stones]:
    """Yield full and partial boards in turn, from even to lopsided and from bare to crowded."""
    random = Random(seed)
    cells = sorted(cells)
    for number in range(count):
        crowd = 1.0 if number % 2 == 0 else random.random()
        share_of_x = random.uniform(0.25, 0.75)
        weights = [crowd * share_of_x, crowd * (1 - share_of_x), 1 - crowd]
        yield stones_of(cells, random.choices("XO.", weights, k=len(cells)))
