"""Hex as the rule book's section 6 says it."""

from dataclasses import dataclass

from .plain_boards import groups, hex_board, lattice_name

Chain = tuple[frozenset[str], frozenset[str]]
"""The cells of a chain and those of its own two sides that it touches."""


@dataclass(frozen=True)
class HexResult:
    points: dict[str, int]
    winner: str | None
    chains: dict[str, set[Chain]]


def hex_sides(size: int) -> dict[str, dict[str, set[str]]]:
    return {
        "X": {
            "top": {lattice_name((column, 1)) for column in range(size)},
            "bottom": {lattice_name((column, size)) for column in range(size)},
        },
        "O": {
            "left": {lattice_name((0, row)) for row in range(1, size + 1)},
            "right": {lattice_name((size - 1, row)) for row in range(1, size + 1)},
        },
    }


def score_hex(size: int, stones: dict[str, set[str]]) -> HexResult:
    chains: dict[str, set[Chain]] = {"X": set(), "O": set()}
    winner = None
    for side, own_sides in hex_sides(size).items():
        for group in groups(hex_board(size), stones[side]):
            touched = {name for name, cells in own_sides.items() if cells & group}
            chains[side].add((frozenset(group), frozenset(touched)))
            if len(touched) == 2:
                winner = side
    return HexResult({side: int(side == winner) for side in "XO"}, winner, chains)
