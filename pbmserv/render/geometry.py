"""The geometry of a drawn board: its tiles, frame, sides and labels, in pixels."""

import math
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from itertools import product
from typing import NamedTuple

from pbmserv.engine.board import Cell
from pbmserv.engine.game import Game
from pbmserv.engine.lattices import lattice_points
from pbmserv.engine.position import Side

UNIT = 20.0
"""Pixels from a cell to the next."""

HEXAGON = UNIT / math.sqrt(3)
"""Pixels from the middle of a tile on a lattice to its corners."""

SEAM = 0.95
"""What of its size a tile keeps: between tiles the frame is seen."""

Dot = tuple[float, float]
Polygon = list[Dot]


class Shade(NamedTuple):
    """Tiles of one look, by the class that gives it."""

    name: str
    tiles: list[Polygon]


class DrawnEdge(NamedTuple):
    """A side of the board as a line along the border of its tiles, and whose it is."""

    side: Side | None
    line: Polygon


class Words(NamedTuple):
    """A label around the board, its middle, and which way it goes, the larger it is."""

    text: str
    x: float
    y: float
    way: Dot


class Box(NamedTuple):
    """What a drawing needs: its left upper corner and its size."""

    left: float
    top: float
    width: float
    height: float


@lru_cache(maxsize=64)
def geometry_of(game: Game) -> "BoardGeometry":
    """Return the geometry of a game's board, worked out once."""
    return BoardGeometry(game)


class BoardGeometry:
    """Where a board is drawn: the ``middles`` of cells and of places on the ``rim``, and more."""

    def __init__(self, game: Game) -> None:
        self.game, self.board = game, game.board
        places = [(place.x * UNIT, place.y * UNIT) for place in self.board.places]
        nearest = min(math.dist(places[one], places[other]) for one, other in self.board.links)
        self.scale = max(1.0, UNIT / nearest)
        self.middles = [(x * self.scale, y * self.scale) for x, y in places]
        self.radius = 0.43 * max(UNIT, nearest)
        externals = game.ownership(game.start()).externals
        self.rim = [(one.place.x * UNIT, one.place.y * UNIT) for one in externals]

    @cached_property
    def tiles(self) -> list[Polygon]:
        """The border of each cell: a hexagon on a lattice, else what lies nearest to the cell."""
        if not self.board.sectors:
            return [hexagon(*middle) for middle in self.middles]
        return [self._voronoi_tile(cell) for cell in range(len(self.board))]

    @cached_property
    def hull(self) -> Polygon:
        """The corners of the outline of a polar or ringed board, clockwise."""
        out = 0.5 * UNIT * self.scale
        return [
            (x + out * x / math.hypot(x, y), y + out * y / math.hypot(x, y))
            for x, y in (self.middles[cell] for cell in self.board.hull or self.board.corners)
        ]

    @cached_property
    def outline(self) -> list[Polygon]:
        """The border of all tiles together, those of the rim as well."""
        if self.board.sectors:
            return [self.hull]
        return join_borders(_outer_of([*self.tiles, *(hexagon(*middle) for middle in self.rim)]))

    @cached_property
    def shades(self) -> list[Shade]:
        """The tiles by their look: plain, the darker half of a sector, and rays or corners."""
        found = [Shade("t", []), Shade("t2", []), Shade("t3", [])]
        for cell, tile in enumerate(self.tiles):
            found[self._shade(cell)].tiles.append(tile)
        return [shade for shade in found if shade.tiles]

    @cached_property
    def edges(self) -> list[DrawnEdge]:
        """The sides of the board, each along the outer borders of its tiles."""
        edges = self.game.edges()
        outward = [self._outward_normal(edge.cells) for edge in edges]
        lines: list[list[tuple[Dot, Dot]]] = [[] for _ in edges]
        on = [
            [number for number, edge in enumerate(edges) if cell in edge.cells]
            for cell in range(len(self.board))
        ]
        for cell, tile in enumerate(self.tiles):
            if not on[cell]:
                continue
            here = self.middles[cell]
            for border in self._outer_borders(cell, tile):
                x, y = _away(here, border)
                number = max(on[cell], key=lambda n: x * outward[n][0] + y * outward[n][1])
                lines[number].append(border)
        sides = (edge.side for edge in edges)
        return [
            DrawnEdge(side, join_borders(line)[0]) for side, line in zip(sides, lines, strict=True)
        ]

    @cached_property
    def bridge(self) -> Polygon:
        """The cells that touch across the middle, in the order in which a star joins them."""
        middles = (self.middles[cell] for cell in self.board.bridge)
        found = sorted(middles, key=lambda dot: math.atan2(dot[1], dot[0]))
        return [found[number * 2 % len(found)] for number in range(len(found))]

    @cached_property
    def labels(self) -> list[Words]:
        """What stands around the board; none runs into another."""
        return list(self._polar_labels() if self.board.sectors else self._lattice_labels())

    @property
    def letters(self) -> Iterator[Words]:
        """The letters of the rings of a ringed board, each on the first cell of its ring."""
        for cell, letter in self.board.digits.items() if self.board.hull else ():
            yield Words(letter, *self.middles[cell], (0, 0))

    def box(self, *, has_labels: bool = True) -> Box:
        """Return what the board needs, with its labels or without."""
        margin = HEXAGON + 5 if self.rim else 7
        around = [(x, y, margin, margin) for tile in (*self.tiles, self.rim) for x, y in tile]
        high = 9 if self.board.sectors else 7  # a label may be on a stone that owns its corner
        around += [(x, y, 8, high) for _, x, y, _ in (self.labels if has_labels else ())]
        left = math.floor(min(x - wide for x, _, wide, _ in around))
        top = math.floor(min(y - high for _, y, _, high in around))
        right = max(x + wide for x, _, wide, _ in around)
        bottom = max(y + high for _, y, _, high in around)
        return Box(left, top, math.ceil(right - left), math.ceil(bottom - top))

    def label_at(self, cell: Cell) -> Words:
        """Return the letter or the name at a corner, which shows whose the corner is."""
        name = self.board.names[cell]
        return next(words for words in self.labels if words.text in {name, name[0]})

    def _voronoi_tile(self, cell: Cell) -> Polygon:
        """Return the Voronoi cell of a cell, clipped by the outline of the board."""
        x, y = self.middles[cell]
        far = 3 * UNIT * self.scale
        tile = [(x - far, y - far), (x + far, y - far), (x + far, y + far), (x - far, y + far)]
        for a, b in self.middles:
            if (a, b) != (x, y) and math.dist((a, b), (x, y)) < far:
                tile = _clip(tile, ((x + a) / 2, (y + b) / 2), (a - x, b - y))
        for (a, b), (c, d) in _borders(self.hull):
            tile = _clip(tile, (a, b), (d - b, a - c))
        if cell in self.board.bridge:  # a small pentagon in the middle is nobody's
            length = math.hypot(x, y)
            way = -x / length, -y / length
            tile = _clip(tile, (-0.42 * UNIT * way[0], -0.42 * UNIT * way[1]), way)
        return tile

    def _shade(self, cell: Cell) -> int:
        if not self.board.sectors:
            return 2 if cell in self.board.corners else 0
        x, y = self.middles[cell]
        sector = 360 / self.board.sectors
        turn = (math.degrees(math.atan2(y, x)) + 90) % sector
        if math.hypot(x, y) > 1 and min(turn, sector - turn) < 0.6:
            return 2
        return int(bool(self.board.bridge) and turn < sector / 2)

    def _outward_normal(self, cells: Iterable[Cell]) -> Dot:
        """Return the outward normal of a side of the board, of length 1."""
        dots = sorted(self.middles[cell] for cell in cells)
        (a, b), (c, d) = dots[0], max(dots, key=lambda dot: math.dist(dot, dots[0]))
        x, y = d - b, a - c
        length = math.hypot(x, y)
        middle = _middle(self.middles)
        looks = (a - middle[0]) * x + (b - middle[1]) * y
        return (x / length, y / length) if looks > 0 else (-x / length, -y / length)

    def _outer_borders(self, cell: Cell, tile: Polygon) -> Iterator[tuple[Dot, Dot]]:
        """Yield the borders of a tile behind which there is no other cell."""
        here = self.middles[cell]
        for start, end in _borders(tile):
            middle = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
            own = math.dist(middle, here)
            neighbours = (self.middles[other] for other in self.board.neighbours[cell])
            beside = (math.dist(middle, other) for other in neighbours)
            if math.dist(start, end) >= 0.5 and all(abs(other - own) >= 0.6 for other in beside):
                yield start, end

    def _polar_labels(self) -> Iterator[Words]:
        for label in self.board.labels:
            x, y = label.place.x * UNIT * self.scale, label.place.y * UNIT * self.scale
            far = math.hypot(x, y)
            longer = 1 + (0.06 + 0.12 * len(label.text)) * UNIT / far
            yield Words(label.text, x * longer, y * longer, (x / far, y / far))

    def _lattice_labels(self) -> Iterator[Words]:
        """Yield letters below the ends of the diagonals, numbers before the rows."""
        away = (1.95 if self.rim else 1.16) * UNIT
        ends: dict[str, Dot] = {}
        begins: dict[int, Dot] = {}
        points = lattice_points(self.board.names)
        for name, (_, row), middle in zip(self.board.names, points, self.middles, strict=True):
            ends[name[0]] = max(ends.get(name[0], middle), middle, key=lambda dot: dot[1])
            begins[row] = min(begins.get(row, middle), middle)
        lower = away * math.sqrt(3) / 2
        rows = [Words(str(row), x - away, y, (-1, 0)) for row, (x, y) in begins.items()]
        for letter, (x, y) in ends.items():
            words = Words(letter, x + away / 2, y + lower, (0.5, 0.87))
            if any(abs(row.x - words.x) < 13 and abs(row.y - words.y) < 9 for row in rows):
                # Below the number of a row, which then stands beside its row as all do.
                words = Words(letter, words.x - 6, words.y + 9, words.way)
            if any(0 < row.x - words.x < 30 and abs(row.y - words.y) < 14 for row in rows):
                words = words._replace(way=(-2.3, 1))  # in a notch, out of the number's way
            yield words
        yield from rows
        yield from self._names_of_edges()

    def _names_of_edges(self) -> Iterator[Words]:
        """Yield a player's letter at that of the player's sides where no label is."""
        told = set()
        for edge in self.game.edges():
            if edge.side is not None and edge.side not in told:
                told.add(edge.side)
                # Numbers stand before the rows and letters below: X's first side is the top.
                sides = [other.cells for other in self.game.edges() if other.side is edge.side]
                cells = sides[0 if edge.side is Side.X else -1]
                x, y = _middle([self.middles[cell] for cell in cells])
                way = self._outward_normal(cells)
                far = 1.2 * UNIT
                yield Words(edge.side.value, x + far * way[0], y + far * way[1], way)


def hexagon(x: float, y: float) -> Polygon:
    """Return the tile of a lattice around this place."""
    turns = (math.radians(angle) for angle in (-90, -30, 30, 90, 150, 210))
    return [(x + HEXAGON * math.cos(turn), y + HEXAGON * math.sin(turn)) for turn in turns]


def shrink(tile: Polygon, part: float = SEAM) -> Polygon:
    """Return a tile scaled about its middle."""
    x, y = _middle(tile)
    return [(x + (a - x) * part, y + (b - y) * part) for a, b in tile]


def _middle(dots: Polygon) -> Dot:
    x, y = (sum(values) / len(dots) for values in zip(*dots, strict=True))
    return x, y


def join_borders(borders: Iterable[tuple[Dot, Dot]]) -> list[Polygon]:
    """Return the borders joined to lines, the longest first."""
    left, lines = list(borders), []
    while left:
        line = list(left.pop())
        while True:
            ends = line[0], line[-1]
            touching = (
                border for border in left if any(_near(*two) for two in product(ends, border))
            )
            border = next(touching, None)
            if border is None:
                break
            left.remove(border)
            start, end = border
            if _near(line[-1], start) or _near(line[-1], end):
                line.append(end if _near(line[-1], start) else start)
            else:
                line.insert(0, start if _near(line[0], end) else end)
        lines.append(line)
    return sorted(lines, key=len, reverse=True)


def _near(one: Dot, other: Dot) -> bool:
    return math.dist(one, other) < 0.8


def _borders(tile: Polygon) -> Iterator[tuple[Dot, Dot]]:
    return zip(tile, [*tile[1:], tile[0]], strict=True)


def _away(here: Dot, border: tuple[Dot, Dot]) -> Dot:
    (a, b), (c, d) = border
    return (a + c) / 2 - here[0], (b + d) / 2 - here[1]


def _outer_of(tiles: Iterable[Polygon]) -> list[tuple[Dot, Dot]]:
    """Return the borders of one tile alone, which are those of all tiles together."""
    found: dict[tuple[int, int], tuple[Dot, Dot]] = {}
    for tile in tiles:
        for start, end in _borders(tile):
            middle = round((start[0] + end[0]) * 2), round((start[1] + end[1]) * 2)
            if middle in found:
                del found[middle]
            else:
                found[middle] = start, end
    return list(found.values())


def _clip(tile: Polygon, at: Dot, way: Dot) -> Polygon:
    """Clip a tile by the line through ``at`` with the normal ``way`` (Sutherland-Hodgman)."""
    kept = []
    for (ax, ay), (bx, by) in _borders(tile):
        before = (ax - at[0]) * way[0] + (ay - at[1]) * way[1]
        after = (bx - at[0]) * way[0] + (by - at[1]) * way[1]
        if before <= 0:
            kept.append((ax, ay))
        if before * after < 0:
            part = before / (before - after)
            kept.append((ax + part * (bx - ax), ay + part * (by - ay)))
    return kept
