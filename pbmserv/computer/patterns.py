"""Patterns: how well a stone fits its surroundings, as learned for each game.

A cell has two keys of twelve bits: its ring, which are its six neighbours in turn, and its bridge
ring, the six cells a bridge away between them. Each cell in a ring has two bits: 0 empty, 1 X's,
2 O's, 3 outside the board; an edge that is a side's own counts as a stone of that side. Keys that
turning or mirroring makes equal are one class, so a ring has 430 classes in place of 4,096:

    >>> max(classes().turned) + 1
    430

A move's strength is the product of the factors of its ring, its bridge ring, its distances from the
edges, and how it lies to the opponent's last stone: a generalized Bradley-Terry model (Coulom,
"Computing Elo ratings of move patterns in the game of Go", 2007). ``tests/generators/patterns.py``
has learned the factors from the computer's games against itself; ``patterns.json`` keeps them.
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
"""Rings that there are, and bridge rings."""
X_EDGE, O_EDGE, OUTSIDE = (-code for code in (1, 2, 3))
"""What a slot has in place of a cell beyond an edge: the negative of its two bits in a key."""
MAX_DISTANCE = 4
"""Distances from an edge that are told apart: this stands for all longer ones."""
ZONES = (MAX_DISTANCE + 1) ** 2
MARKS = 3
"""Rim marks that are told apart: none, and two kinds of rim."""
ADJACENT, BRIDGE, LINE = 0, SLOTS, SLOTS + 1
"""How a cell lies to the last stone: a neighbour (plus its slot), a bridge or a line away."""
SCALE = 1000
"""A stored weight is the natural logarithm of a factor, times this."""
PARTS = ("ring", "bridge_ring", "zone", "adjacent", "bridge", "line", "reply")


class Surroundings(NamedTuple):
    """The surroundings of every cell; a ring has cells, or one of the three codes."""

    ring: tuple[tuple[Cell, ...], ...]
    bridge_ring: tuple[tuple[Cell, ...], ...]
    marks: tuple[int, ...]
    zones: tuple[tuple[int, int], ...]
    """By side: the distances from its own edges and the opponent's, as one number."""
    near: tuple[tuple[tuple[Cell, int], ...], ...]
    """The cells near a stone, each with how it lies to the stone."""


@lru_cache(maxsize=8)
def surroundings_of(tables: Tables) -> Surroundings:
    """Return the surroundings of every cell of a board."""
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
        (one * (MAX_DISTANCE + 1) + other, other * (MAX_DISTANCE + 1) + one)
        for one, other in zip(far_x, far_o, strict=True)
    )
    return Surroundings(ring, bridge_ring, _mark_kinds(tables), zones, near)


def _ring(tables: Tables, cell: Cell) -> tuple[Cell, ...]:
    """Return the neighbours by their angle, with codes in place of cells beyond an edge."""
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
    """Return the code of what lies beyond these two neighbours on the rim."""
    x, o = tables.marks
    if x == o:
        return OUTSIDE
    if x[one] & x[other]:
        return X_EDGE
    return O_EDGE if o[one] & o[other] else OUTSIDE


def _bridge_ring(tables: Tables, cell: Cell, ring: Sequence[Cell]) -> tuple[Cell, ...]:
    """Return for every two adjacent slots the cell a bridge away between them."""
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
    """Return the cells that do not touch ``cell`` and share a single neighbour with it."""
    further = {far for other in neighbours[cell] for far in neighbours[other]}
    further -= neighbours[cell] | {cell}
    return sorted(far for far in further if len(neighbours[far] & neighbours[cell]) == 1)


def _mark_kinds(tables: Tables) -> tuple[int, ...]:
    """Return the kind of every cell's mark, 0 for none and for all where sides differ."""
    x, o = tables.marks
    if x != o:
        return (0,) * len(x)
    worth = [mark.bit_count() if tables.are_bits else mark for mark in x]
    ranks = {value: rank for rank, value in enumerate(sorted({0, *worth}))}
    return tuple(min(ranks[value], MARKS - 1) for value in worth)


def _distances(neighbours: Sequence[set[Cell]], marks: Sequence[int]) -> list[int]:
    """Return the steps from every cell to one with a mark, at most :data:`MAX_DISTANCE`."""
    found = [0 if mark else MAX_DISTANCE for mark in marks]
    for steps in range(1, MAX_DISTANCE):
        reached = {
            other for cell, far in enumerate(found) if far < steps for other in neighbours[cell]
        }
        for cell in reached:
            found[cell] = min(found[cell], steps)
    return found


@lru_cache(maxsize=2)
def bridge_slots(*, edges_join: bool) -> tuple[int, ...]:
    """Return for every ring the first slot that saves a bridge into which the middle intruded.

    That is an empty slot between two own stones, or with ``edges_join`` between one and an edge
    that serves both sides; :data:`SLOTS` if there is none.
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
    """For every key the number of its class."""

    turned: tuple[int, ...]
    """Keys are in one class if turning or mirroring makes them equal."""
    mirrored: tuple[int, ...]
    """Keys are in one class if mirroring that leaves slot 0 where it is makes them equal."""


@lru_cache(maxsize=1)
def classes() -> Classes:
    """Return the classes of all keys."""
    slots = range(SLOTS)
    mirror = [(-slot) % SLOTS for slot in slots]
    turns = [[(slot + turn) % SLOTS for slot in slots] for turn in slots]
    turns += [[(turn - slot) % SLOTS for slot in slots] for turn in slots]
    return Classes(_class_numbers(turns), _class_numbers([list(slots), mirror]))


def _class_numbers(images: list[list[int]]) -> tuple[int, ...]:
    """Return for each key the number of its class, which are counted by their least keys."""
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

    ``near`` has the factors for a neighbour of the last stone, turned so that this is in slot 0,
    then for a bridge and a line away. ``replies`` are for playouts: what a neighbour weighs more
    than any cell, which weighs 16. They are empty in games whose playouts are better without.
    """

    ring: tuple[float, ...]
    bridge_ring: tuple[float, ...]
    zones: tuple[float, ...]
    near: tuple[float, ...]
    replies: tuple[int, ...]


def weights_of(game: Game) -> Weights | None:
    """Return the weights of a game, or None if none were learned."""
    return _weights(kind_of(game))


def kind_of(game: Game) -> str:
    """Return the key of a game in the table: its name and the options that change good shape."""
    flags = (flag for flag in ("maxi", "double") if getattr(game, flag, False))
    return " ".join((game.name, *flags))


MAX_REPLY = 16 * 10
"""The most that a reply in a playout weighs more than any cell, which weighs 16."""


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
            min(max(round(16 * parts["reply"][number]) - 16, 0), MAX_REPLY)
            for number in mirrored
            if row["replies"]
        ),
    )


@lru_cache(maxsize=1)
def table() -> dict[str, Any]:
    """Return the table: for each kind of game its weights, and how they were learned."""
    found: dict[str, Any] = json.loads(TABLE.read_text(encoding="utf-8"))
    return found
