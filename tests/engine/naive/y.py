"""Y as the rule book's section 5 says it."""

from dataclasses import dataclass
from functools import cache

from .plain_boards import bent_board, groups, lattice_name, y_board

Chain = tuple[frozenset[str], frozenset[str]]
"""The cells of a chain and the sides that it touches."""


@dataclass(frozen=True)
class YResult:
    points: dict[str, int]
    winner: str | None
    chains: dict[str, set[Chain]]


@cache
def y_sides(size: int, shape: str) -> dict[str, set[str]]:
    if shape == "bent":
        rim = [f"A{number}" for number in range(1, 3 * size - 2)] + ["A1"]
        return {
            side: {*rim[number * (size - 1) :][:size]}
            for number, side in enumerate(("right", "bottom", "left"))
        }
    return {
        "left": {lattice_name((size - row, row)) for row in range(1, size + 1)},
        "right": {lattice_name((size - 1, row)) for row in range(1, size + 1)},
        "bottom": {lattice_name((column, size)) for column in range(size)},
    }


def y_chains(size: int, shape: str, cells: set[str]) -> set[Chain]:
    chains = set()
    for group in groups(bent_board(size) if shape == "bent" else y_board(size), cells):
        touched = {side for side, border in y_sides(size, shape).items() if group & border}
        chains.add((frozenset(group), frozenset(touched)))
    return chains


def score_y(size: int, shape: str, stones: dict[str, set[str]]) -> YResult:
    chains = {side: y_chains(size, shape, stones[side]) for side in "XO"}
    winner = None
    for side in "XO":
        if any(len(touched) == 3 for _, touched in chains[side]):
            winner = side
    points = {side: 1 if side == winner else 0 for side in "XO"}
    return YResult(points, winner, chains)
