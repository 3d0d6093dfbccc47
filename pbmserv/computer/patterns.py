"""What was learned of moves: how well a stone fits its surroundings, for each game.

A cell's surroundings are two keys of twelve bits: six neighbours in turn (its ring), and the six
cells a bridge away between them. Each has two bits: 0 empty, 1 X's, 2 O's, 3 outside the board; an
edge that is a side's own looks like a stone of that side. ``tests/generators/patterns.py`` has
learned the weights from the computer's games against itself.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import atan2, exp
from pathlib import Path
from typing import Any, NamedTuple

from pbmserv.engine.board import Cell
from pbmserv.engine.game import Game
from pbmserv.engine.score_tables import Tables

TABLE = Path(__file__).with_name("patterns.json")

SLOTS = 6
KEYS = 1 << 2 * SLOTS
"""So many rings there are, and so many bridge rings."""
X_EDGE, O_EDGE, OUTSIDE = (-code for code in (1, 2, 3))
"""Stand in a slot for what is no cell; negative, they are what a key says of it."""
FURTHEST = 4
"""From here on it does not matter how far an edge is."""
ZONES = (FURTHEST + 1) ** 2
MARKS = 3
"""The rim marks that a pattern tells apart: none, and two kinds of rim."""
ADJACENT, BRIDGE, LINE = 0, SLOTS, SLOTS + 1
"""How a cell lies to the last stone: a neighbour (plus its slot), a bridge or a line away."""
SCALE = 1000
"""Weights are stored as so many parts of the natural logarithm."""
PARTS = ("ring", "bridge_ring", "zone", "adjacent", "bridge", "line", "reply")


class Surroundings(NamedTuple):
    """What lies around every cell; in a ring stand cells, or one of the three codes."""

    ring: tuple[tuple[Cell, ...], ...]
    bridge_ring: tuple[tuple[Cell, ...], ...]
    marks: tuple[int, ...]
    zones: tuple[tuple[int, int], ...]
    """By side: how far its own edges are, and the other's."""
    near: tuple[tuple[tuple[Cell, int], ...], ...]
    """Around a stone: the cells that may reply to it, and how they lie to it."""


@lru_cache(maxsize=8)
def surroundings_of(tables: Tables) -> Surroundings:
    """Return what lies around every cell of a board."""
    neighbours = [set(others) for others in tables.board.neighbours]
    cells = range(len(neighbours))
    ring = tuple(_ring(tables, cell) for cell in cells)
    bridge_ring = tuple(_bridge_ring(tables, cell, ring[cell]) for cell in cells)
    near = tuple(
        (
            *(
                (other, ring[other].index(cell))
                for other in ring[cell]
                if other >= 0 and cell in ring[other]
            ),
            *((other, BRIDGE) for other in bridge_ring[cell] if other >= 0),
            *((other, LINE) for other in _in_line(neighbours, cell)),
        )
        for cell in cells
    )
    x, o = tables.marks
    far_x, far_o = (_distances(neighbours, marks) for marks in (x, o))
    zones = tuple(
        (one * (FURTHEST + 1) + other, other * (FURTHEST + 1) + one)
        for one, other in zip(far_x, far_o, strict=True)
    )
    return Surroundings(ring, bridge_ring, _mark_kinds(tables), zones, near)


def _ring(tables: Tables, cell: Cell) -> tuple[Cell, ...]:
    """Return the neighbours by their angle, with what lies beyond an edge in its place."""
    board = tables.board
    middle = board.places[cell]

    def angle(other: Cell) -> float:
        place = board.places[other]
        return atan2(place.y - middle.y, place.x - middle.x)

    around = sorted(board.neighbours[cell], key=angle)[:SLOTS]
    gap = next(
        (
            at
            for at, (one, other) in enumerate(pairwise((*around, around[0])), start=1)
            if other not in board.neighbours[one]
        ),
        0,
    )
    around = around[gap:] + around[:gap]
    missing = SLOTS - len(around)
    first, last = _edge(tables, cell, around[-1]), _edge(tables, cell, around[0])
    half = missing // 2
    middle_one = (OUTSIDE,) if missing % 2 and first != last else (first,) * (missing % 2)
    return (*around, *(first,) * half, *middle_one, *(last,) * half)


def _edge(tables: Tables, one: Cell, other: Cell) -> int:
    """Return what lies beyond the rim along these two neighbours."""
    x, o = tables.marks
    if x == o:
        return OUTSIDE
    if x[one] & x[other]:
        return X_EDGE
    return O_EDGE if o[one] & o[other] else OUTSIDE


def _bridge_ring(tables: Tables, cell: Cell, ring: Sequence[Cell]) -> tuple[Cell, ...]:
    """Return for every two slots that follow one another the cell a bridge away behind them."""
    neighbours = tables.board.neighbours
    found = []
    for one, other in pairwise((*ring, ring[0])):
        if one < 0 or other < 0:
            found.append(max(one, other) if max(one, other) < 0 else min(one, other))
            continue
        both = {*neighbours[one]} & {*neighbours[other]} - {cell, *neighbours[cell]}
        found.append(min(both, default=_edge(tables, one, other)))
    return tuple(found)


def _in_line(neighbours: Sequence[set[Cell]], cell: Cell) -> list[Cell]:
    """Return the cells that share a single neighbour with ``cell`` and do not touch it."""
    further = {far for other in neighbours[cell] for far in neighbours[other]}
    further -= neighbours[cell] | {cell}
    return sorted(far for far in further if len(neighbours[far] & neighbours[cell]) == 1)


def _mark_kinds(tables: Tables) -> tuple[int, ...]:
    """Return for every cell how much its mark says: 0 for none."""
    x, o = tables.marks
    if x != o:
        return (0,) * len(x)
    worth = [mark.bit_count() if tables.are_bits else mark for mark in x]
    ranks = {value: rank for rank, value in enumerate(sorted({0, *worth}))}
    return tuple(min(ranks[value], MARKS - 1) for value in worth)


def _distances(neighbours: Sequence[set[Cell]], marks: Sequence[int]) -> list[int]:
    """Return how many steps every cell is from one with a mark, at most :data:`FURTHEST`."""
    found = [0 if mark else FURTHEST for mark in marks]
    for steps in range(1, FURTHEST):
        reached = {
            other for cell, far in enumerate(found) if far < steps for other in neighbours[cell]
        }
        for cell in reached:
            found[cell] = min(found[cell], steps)
    return found


@lru_cache(maxsize=2)
def mending(*, edges_join: bool) -> tuple[int, ...]:
    """Return for every ring the first slot whose stone saves a bridge that the middle has cut.

    Own stones on both sides of an empty slot are to be joined, or one and an edge that serves both
    sides; :data:`SLOTS` where there is none.
    """
    own = {-X_EDGE, -OUTSIDE} if edges_join else {-X_EDGE}
    found = []
    for key in range(KEYS):
        codes = [key >> 2 * slot & 3 for slot in range(SLOTS)]
        saving = (
            slot
            for slot, code in enumerate(codes)
            if not code and codes[slot - 1] in own and codes[(slot + 1) % SLOTS] in own
        )
        found.append(next(saving, SLOTS))
    return tuple(found)


class Classes(NamedTuple):
    """For every key the number of its class: keys in one class look alike."""

    turned: tuple[int, ...]
    """Alike if turned or mirrored."""
    mirrored: tuple[int, ...]
    """Alike if mirrored, slot 0 staying where it is."""


@lru_cache(maxsize=1)
def classes() -> Classes:
    """Return the classes of all keys."""
    slots = range(SLOTS)
    mirror = [(-slot) % SLOTS for slot in slots]
    turns = [[(slot + turn) % SLOTS for slot in slots] for turn in slots]
    turns += [[(turn - slot) % SLOTS for slot in slots] for turn in slots]
    return Classes(_numbered(turns), _numbered([list(slots), mirror]))


def _numbered(images: list[list[int]]) -> tuple[int, ...]:
    """Return for each key the number of the least one among its images, counted from 0."""
    numbers: dict[int, int] = {}
    found = []
    for key in range(KEYS):
        codes = [key >> 2 * slot & 3 for slot in range(SLOTS)]
        least = min(sum(codes[at] << 2 * slot for slot, at in enumerate(each)) for each in images)
        found.append(numbers.setdefault(least, len(numbers)))
    return tuple(found)


def part_sizes() -> tuple[int, ...]:
    """Return how many weights each of :data:`PARTS` has."""
    turned, mirrored = (max(numbers) + 1 for numbers in classes())
    return MARKS * turned, turned, ZONES, mirrored, turned, turned, mirrored


@dataclass(frozen=True, eq=False)
class Weights:
    """How much likelier each pattern makes a move: factors by key, or by mark and key.

    ``near`` holds the factors for a neighbour of the last stone, turned so that this is in slot 0,
    then for a bridge and a line away. ``replies`` are the same for playouts, in sixteenths of what
    any cell has; empty where playouts do better without.
    """

    ring: tuple[float, ...]
    bridge_ring: tuple[float, ...]
    zones: tuple[float, ...]
    near: tuple[float, ...]
    replies: tuple[int, ...]


def weights_of(game: Game) -> Weights | None:
    """Return what was learned of a game, or None for a game of which nothing was."""
    return _weights(kind_of(game))


def kind_of(game: Game) -> str:
    """Return what the table calls a game: by name, and by the options that change good shape."""
    flags = (flag for flag in ("maxi", "double") if getattr(game, flag, False))
    return " ".join((game.name, *flags))


MOST_REPLY = 16 * 10
"""No reply in a playout is likelier than so many sixteenths of any other cell."""


@lru_cache(maxsize=8)
def _weights(name: str) -> Weights | None:
    row = table().get(name)
    if row is None:
        return None
    parts = {}
    at = 0
    for part, size in zip(PARTS, part_sizes(), strict=True):
        # Rounded, so that the last digit of an exponential is the same on every machine.
        parts[part] = [round(exp(each / SCALE), 6) for each in row["weights"][at : at + size]]
        at += size
    turned, mirrored = classes()
    count = max(turned) + 1
    ring = parts["ring"]
    return Weights(
        ring=tuple(ring[mark * count + number] for mark in range(MARKS) for number in turned),
        bridge_ring=tuple(parts["bridge_ring"][number] for number in turned),
        zones=tuple(parts["zone"]),
        near=(
            *(parts["adjacent"][number] for number in mirrored),
            *(parts["bridge"][number] for number in turned),
            *(parts["line"][number] for number in turned),
        ),
        replies=tuple(
            min(max(round(16 * parts["reply"][number]) - 16, 0), MOST_REPLY)
            for number in mirrored
            if row["replies"]
        ),
    )


@lru_cache(maxsize=1)
def table() -> dict[str, Any]:
    """Return the table: for each game its weights, and how they were learned."""
    found: dict[str, Any] = json.loads(TABLE.read_text(encoding="utf-8"))
    return found
