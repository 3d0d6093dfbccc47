"""Starweb as the rule book's section 3 says it."""

from dataclasses import dataclass
from functools import cache

from .plain_boards import groups, starweb_board

Web = tuple[frozenset[str], frozenset[str], int]
"""The cells of a group, the corners among them, its points."""


@dataclass(frozen=True)
class StarwebResult:
    points: dict[str, int]
    winner: str
    groups: dict[str, set[Web]]


@cache
def starweb_corners(size: int, notch: int) -> set[str]:
    board = starweb_board(size, notch)
    return {cell for cell in board if len(board[cell]) in {3, 5}}


def score_starweb(
    size: int, notch: int, stones: dict[str, set[str]], komi: int = 0
) -> StarwebResult:
    """Score every group; who does not own the first stone wins a tie: X only without stones."""
    corners = starweb_corners(size, notch)
    webs: dict[str, set[Web]] = {"X": set(), "O": set()}
    for side in "XO":
        for group in groups(starweb_board(size, notch), stones[side]):
            held = group & corners
            k = len(held)
            if k > 0:
                webs[side].add((frozenset(group), frozenset(held), k * (k + 1) // 2))
    points = {side: sum(worth for _, _, worth in webs[side]) for side in "XO"}
    points["X"] -= komi
    points["O"] += komi
    second = "X" if stones["O"] and not stones["X"] else "O"
    winner = second if points["X"] == points["O"] else max("XO", key=lambda side: points[side])
    return StarwebResult(points, winner, webs)
