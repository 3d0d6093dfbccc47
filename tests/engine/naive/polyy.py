"""Poly-Y as the rule book's section 4 says it."""

from dataclasses import dataclass
from functools import cache

from .plain_boards import groups, polyy_board


@dataclass(frozen=True)
class PolyyResult:
    points: dict[str, int]
    winner: str | None
    corners: dict[str, set[str]]


@cache
def polyy_sides(sides: int, size: int) -> list[set[str]]:
    """Return the sides clockwise; the first runs from the first corner to the second."""
    sectors = "ABCDEFGHI"[:sides]
    ring = size - 1
    return [
        {f"{sector}{ring}{spot}" for spot in range(ring)} | {f"{following}{ring}0"}
        for sector, following in zip(sectors, sectors[1:] + sectors[0], strict=True)
    ]


def polyy_corners(sides: int, size: int, cells: set[str]) -> set[str]:
    """Return the corners whose two sides and a third are touched by one group of these cells."""
    borders = polyy_sides(sides, size)
    owned = set()
    for group in groups(polyy_board(sides, size), cells):
        touched = [number for number in range(sides) if group & borders[number]]
        for number, sector in enumerate("ABCDEFGHI"[:sides]):
            before = (number - 1) % sides
            if number in touched and before in touched and len(touched) >= 3:
                owned.add(f"{sector}{size - 1}0")
    return owned


def score_polyy(sides: int, size: int, stones: dict[str, set[str]]) -> PolyyResult:
    corners = {side: polyy_corners(sides, size, stones[side]) for side in "XO"}
    winner = None
    for side in "XO":
        if len(corners[side]) > sides / 2:
            winner = side
    points = {side: 1 if side == winner else 0 for side in "XO"}
    return PolyyResult(points, winner, corners)
