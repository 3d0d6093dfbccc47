"""Y as the rule book's section 5 says it."""

from dataclasses import dataclass
from functools import cache

from .plain_boards import groups, lattice_name, y_board

Chain = tuple[frozenset[str], frozenset[str]]
"""The cells of a chain and the sides that it touches."""


@dataclass(frozen=True)
class YResult:
    points: dict[str, int]
    winner: str | None
    chains: dict[str, set[Chain]]


@cache
def y_sides(size: int) -> dict[str, set[str]]:
    return {
        "left": {lattice_name((size - row, row)) for row in range(1, size + 1)},
        "right": {lattice_name((size - 1, row)) for row in range(1, size + 1)},
        "bottom": {lattice_name((column, size)) for column in range(size)},
    }


def y_chains(size: int, cells: set[str]) -> set[Chain]:
    chains = set()
    for group in groups(y_board(size), cells):
        touched = {side for side, border in y_sides(size).items() if group & border}
        chains.add((frozenset(group), frozenset(touched)))
    return chains


def score_y(size: int, stones: dict[str, set[str]]) -> YResult:
    chains = {side: y_chains(size, stones[side]) for side in "XO"}
    winner = None
    for side in "XO":
        if any(len(touched) == 3 for _, touched in chains[side]):
            winner = side
    points = {side: 1 if side == winner else 0 for side in "XO"}
    return YResult(points, winner, chains)
