"""The boards in plain names: which cells there are and which touch which."""

from functools import cache

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
