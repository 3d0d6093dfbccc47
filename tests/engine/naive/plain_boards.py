"""The boards in plain names: which cells there are and which touch which."""

from functools import cache
from itertools import pairwise

Neighbours = dict[str, set[str]]
Place = tuple[int, int]
"""A column (A is 0) and a row (from 1); a place need not be on the board."""

SIX_STEPS = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)]


def lattice_name(place: Place) -> str:
    column, row = place
    return "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[column] + str(row)


def places_around(place: Place) -> set[Place]:
    column, row = place
    return {(column + right, row + down) for right, down in SIX_STEPS}


def lattice(places: set[Place]) -> Neighbours:
    return {
        lattice_name(place): {lattice_name(near) for near in places_around(place) & places}
        for place in places
    }


def star_places(size: int) -> set[Place]:
    places = set()
    for row in range(1, 2 * size - 1):
        if row <= size:
            first, last = size - row, 2 * size - 3
        else:
            first, last = 0, 3 * size - 3 - row
        places |= {(column, row) for column in range(first, last + 1)}
    return places


@cache
def star_board(size: int) -> Neighbours:
    return lattice(star_places(size))


@cache
def star_externals(size: int, corners: int) -> dict[str, set[Place]]:
    """The external cells that each cell of a Star board touches."""
    places = star_places(size)
    outside = {near for place in places for near in places_around(place)} - places
    if corners == 2:
        outside = {external for external in outside if len(places_around(external) & places) > 1}
    return {lattice_name(place): places_around(place) & outside for place in places}


def hexagon_places(size: int) -> set[Place]:
    places = set()
    for row in range(1, 2 * size):
        if row <= size:
            first, last = size - row, 2 * size - 2
        else:
            first, last = 0, 3 * size - 2 - row
        places |= {(column, row) for column in range(first, last + 1)}
    return places


@cache
def starweb_board(size: int, notch: int) -> Neighbours:
    """A hexagon with a rhombus cut off at each corner, along the two edges that meet there."""
    end = size - 1
    corners_with_edges = [
        ((end, 1), (1, 0), (-1, 1)),  # upper left
        ((2 * end, 1), (-1, 0), (0, 1)),  # upper right
        ((2 * end, size), (0, -1), (-1, 1)),  # right
        ((end, 2 * size - 1), (-1, 0), (1, -1)),  # lower right
        ((0, 2 * size - 1), (1, 0), (0, -1)),  # lower left
        ((0, size), (1, -1), (0, 1)),  # left
    ]
    places = hexagon_places(size)
    for corner, one_edge, other_edge in corners_with_edges:
        for i in range(notch):
            for j in range(notch):
                column = corner[0] + i * one_edge[0] + j * other_edge[0]
                row = corner[1] + i * one_edge[1] + j * other_edge[1]
                places.remove((column, row))
    return lattice(places)


@cache
def y_board(size: int) -> Neighbours:
    return lattice(
        {(column, row) for row in range(1, size + 1) for column in range(size - row, size)}
    )


@cache
def hex_board(size: int) -> Neighbours:
    return lattice({(column, row) for row in range(1, size + 1) for column in range(size)})


def polar_name(sector: str, ring: int, spot: int) -> str:
    return f"{sector}{ring % 10}{spot}"


def polar_board(sectors: str, rings: int) -> Neighbours:
    """The rings alone, without what is in the middle of them.

    `sectors` are the letters clockwise.
    """
    board: Neighbours = {
        polar_name(sector, ring, spot): set()
        for sector in sectors
        for ring in range(1, rings + 1)
        for spot in range(ring)
    }

    def link(one: str, other: str) -> None:
        board[one].add(other)
        board[other].add(one)

    for sector, left, right in zip(
        sectors, sectors[-1] + sectors[:-1], sectors[1:] + sectors[0], strict=True
    ):
        for ring in range(1, rings + 1):
            for spot in range(ring):
                here = polar_name(sector, ring, spot)
                if spot == ring - 1:
                    link(here, polar_name(right, ring, 0))
                else:
                    link(here, polar_name(sector, ring, spot + 1))
                if ring < rings:
                    link(here, polar_name(sector, ring + 1, spot))
                    link(here, polar_name(sector, ring + 1, spot + 1))
                    if spot == 0:
                        link(here, polar_name(left, ring + 1, ring))
    return board


@cache
def starstar_board(rings: int) -> Neighbours:
    board = polar_board("*STAR", rings)
    middle = {"*10", "S10", "T10", "A10", "R10"}
    for cell in middle:
        board[cell] |= middle - {cell}
    return board


@cache
def polyy_board(sides: int, size: int) -> Neighbours:
    sectors = "ABCDEFGHI"[:sides]
    board = polar_board(sectors, size - 1)
    board["00"] = {f"{sector}10" for sector in sectors}
    for cell in board["00"]:
        board[cell].add("00")
    return board


def ringed_board(sides: int, rings: list[int], core: list[list[Place]]) -> Neighbours:
    """Flat strips, one for each side, whose ends are joined, around a piece of lattice.

    `rings` are the steps along each side, from the outside; the last of them are those of the
    core's rim. `core` has the places of its rings, each clockwise from the top.
    """
    letter_of = {steps: "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[number] for number, steps in enumerate(rings)}
    board: Neighbours = {}

    def link(one: str, other: str) -> None:
        board.setdefault(one, set()).add(other)
        board.setdefault(other, set()).add(one)

    def strip_name(side: int, steps: int, spot: int) -> str:
        return f"{letter_of[steps]}{(side * steps + spot) % (sides * steps) + 1}"

    for side in range(sides):
        for steps in rings:
            row = [strip_name(side, steps, spot) for spot in range(steps + 1)]
            for one, other in pairwise(row):
                link(one, other)
            if steps + 1 in letter_of:
                above = [strip_name(side, steps + 1, spot) for spot in range(steps + 2)]
                for spot, here in enumerate(row):
                    link(here, above[spot])
                    link(here, above[spot + 1])
    first = len(rings) - 1
    names = {
        place: f"{'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[first + depth]}{number}"
        for depth, ring in enumerate(core)
        for number, place in enumerate(ring, start=1)
    }
    for place, name in names.items():
        board.setdefault(name, set())
        for near in places_around(place) & names.keys():
            link(name, names[near])
    return board


def walk(start: Place, legs: list[tuple[Place, int]]) -> list[Place]:
    """The places from a start along legs of a direction and a length; back there, or one place."""
    places = [start]
    for (right, down), length in legs:
        for _ in range(length):
            column, row = places[-1]
            places.append((column + right, row + down))
    return places[:-1] or places


@cache
def bent_board(size: int) -> Neighbours:
    steps = size - 1
    inner = (steps + 1) // 2
    core = [
        walk(
            (inner - depth, 2 * depth),
            [((0, 1), edge), ((-1, 0), edge), ((1, -1), edge)],
        )
        for depth, edge in enumerate(range(inner, -1, -3))
    ]
    return ringed_board(3, list(range(steps, inner - 1, -1)), core)


@cache
def open_board() -> Neighbours:
    """A hexagon of six and three steps in turn, the long sides above, lower right, lower left."""
    core = []
    for depth in range(4):
        long, short = 6 - depth, 3 - depth
        turns = [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)]
        legs = list(zip(turns, [long, short] * 3, strict=True))
        ring = walk((3, depth), legs)
        first = (long + 1) // 2  # the middle of the side above, or the first place behind it
        core.append(ring[first:] + ring[:first])
    core.append([(4, 4)])
    return ringed_board(9, [6, 5, 4, 3], core)


def groups(board: Neighbours, cells: set[str]) -> list[set[str]]:
    """Return the maximal connected sets within these cells."""
    found = []
    left = set(cells)
    while left:
        group: set[str] = set()
        fresh = {min(left)}
        while fresh:
            group |= fresh
            fresh = {near for cell in fresh for near in board[cell] & cells} - group
        found.append(group)
        left -= group
    return found
