"""Star as the rule book's section 1 says it."""

from dataclasses import dataclass

from .plain_boards import groups, star_board, star_externals

Chain = tuple[frozenset[str], int, int]
"""The cells of a chain, the number of its externals, its points."""


@dataclass(frozen=True)
class StarResult:
    points: dict[str, int]
    winner: str
    chains: dict[str, set[Chain]]
    maxi: dict[str, list[int]]


def star_chains(size: int, corners: int, cells: set[str]) -> set[Chain]:
    """Return every chain of these cells that touches an external cell."""
    touched_by = star_externals(size, corners)
    chains = set()
    for group in groups(star_board(size), cells):
        externals = {external for cell in group for external in touched_by[cell]}
        if externals:
            chains.add((frozenset(group), len(externals), len(externals) - 2))
    return chains


def score_star(
    size: int,
    corners: int,
    maxi: bool,  # noqa: FBT001
    stones: dict[str, set[str]],
    komi: int = 0,
) -> StarResult:
    chains = {side: star_chains(size, corners, stones[side]) for side in "XO"}
    lists = {side: sorted((points for _, _, points in chains[side]), reverse=True) for side in "XO"}
    if maxi:
        points = {side: max(lists[side], default=0) for side in "XO"}
        length = max(len(lists["X"]), len(lists["O"]))
        x, o = (lists[side] + [0] * (length - len(lists[side])) for side in "XO")
        winner = "X" if x > o else "O" if o > x else "draw"
    else:
        points = {"X": sum(lists["X"]) - komi, "O": sum(lists["O"]) + komi}
        difference = points["X"] - points["O"]
        winner = "X" if difference > 0 else "O" if difference < 0 else "draw"
    return StarResult(points, winner, chains, lists)
