"""*Star as the rule book's section 2 says it."""

from dataclasses import dataclass
from functools import cache

from .plain_boards import Neighbours, groups, starstar_board

Count = dict[str, int]
OTHER = {"X": "O", "O": "X"}


@dataclass(frozen=True)
class StarstarResult:
    points: Count
    winner: str
    peries: Count
    quarks: Count
    quark_peri: Count
    stars: Count
    reward: Count
    standard: Count
    simplified: Count
    alternative: Count
    unowned_peries: int


@cache
def outer_cells(size: int) -> set[str]:
    return {f"{sector}{size % 10}{spot}" for sector in "*STAR" for spot in range(size)}


def stars_of(board: Neighbours, size: int, cells: set[str]) -> list[set[str]]:
    return [group for group in groups(board, cells) if len(group & outer_cells(size)) >= 2]


def owned_cells(board: Neighbours, stars: dict[str, list[set[str]]]) -> dict[str, set[str]]:
    """Return what each player's stars contain and the regions that touch no other stars."""
    owned: dict[str, set[str]] = {side: set().union(*stars[side]) for side in "XO"}
    shining = {side: set(owned[side]) for side in "XO"}
    for region in groups(board, set(board) - shining["X"] - shining["O"]):
        border = {near for cell in region for near in board[cell]}
        touching = [side for side in "XO" if border & shining[side]]
        if len(touching) == 1:
            owned[touching[0]] |= region
    return owned


def starstar_winner(score: Count, quarks: Count) -> str:
    for count in (score, quarks):
        if count["X"] != count["O"]:
            return max("XO", key=lambda side: count[side])
    return "draw"


def score_starstar(
    size: int, scoring: str, komi: int, stones: dict[str, set[str]]
) -> StarstarResult:
    board = starstar_board(size)
    stars = {side: stars_of(board, size, stones[side]) for side in "XO"}
    owned = owned_cells(board, stars)
    corners = {f"{sector}{size % 10}0" for sector in "*STAR"}
    peries = {side: len(owned[side] & outer_cells(size)) for side in "XO"}
    quarks = {side: len(owned[side] & corners) for side in "XO"}
    quark_peri = {side: 1 if quarks[side] >= 3 else 0 for side in "XO"}
    number = {side: len(stars[side]) for side in "XO"}
    reward = {side: 2 * (number[OTHER[side]] - number[side]) for side in "XO"}
    bonus = {"X": -komi, "O": komi}
    standard = {side: peries[side] + quark_peri[side] + reward[side] + bonus[side] for side in "XO"}
    simplified = {
        side: peries[side] - 4 * number[side] + quark_peri[side] + bonus[side] for side in "XO"
    }
    alternative = {side: standard[side] - standard[OTHER[side]] for side in "XO"}
    shown = {"standard": standard, "simplified": simplified, "alternative": alternative}
    return StarstarResult(
        points=shown[scoring],
        winner=starstar_winner(shown[scoring], quarks),
        peries=peries,
        quarks=quarks,
        quark_peri=quark_peri,
        stars=number,
        reward=reward,
        standard=standard,
        simplified=simplified,
        alternative=alternative,
        unowned_peries=5 * size - peries["X"] - peries["O"],
    )
