"""Poly-Y as the rule book's section 4 says it."""

from dataclasses import dataclass
from functools import cache

from .plain_boards import Neighbours, groups, open_board, polyy_board


@dataclass(frozen=True)
class PolyyResult:
    points: dict[str, int]
    winner: str | None
    corners: dict[str, set[str]]


def board_of(sides: int, size: int, shape: str) -> Neighbours:
    return open_board() if shape == "open" else polyy_board(sides, size)


@cache
def polyy_sides(sides: int, size: int, shape: str) -> list[list[str]]:
    """Return the sides clockwise, each from the corner where it begins to the next corner."""
    ring = size - 1
    if shape == "open":
        rim = [f"A{number}" for number in range(1, sides * ring + 1)]
    else:
        rim = [f"{sector}{ring}{spot}" for sector in "ABCDEFGHI"[:sides] for spot in range(ring)]
    return [(rim + rim[:1])[number * ring :][:size] for number in range(sides)]


def polyy_corners(sides: int, size: int, shape: str, cells: set[str]) -> set[str]:
    """Return the corners whose two sides and a third are touched by one group of these cells."""
    borders = polyy_sides(sides, size, shape)
    owned = set()
    for group in groups(board_of(sides, size, shape), cells):
        touched = [number for number in range(sides) if group & {*borders[number]}]
        for number in range(sides):
            before = (number - 1) % sides
            if number in touched and before in touched and len(touched) >= 3:
                owned.add(borders[number][0])
    return owned


def score_polyy(sides: int, size: int, shape: str, stones: dict[str, set[str]]) -> PolyyResult:
    corners = {side: polyy_corners(sides, size, shape, stones[side]) for side in "XO"}
    winner = None
    for side in "XO":
        if len(corners[side]) > sides / 2:
            winner = side
    points = {side: 1 if side == winner else 0 for side in "XO"}
    return PolyyResult(points, winner, corners)
