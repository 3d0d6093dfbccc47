"""Boards: cells, who touches whom, where to draw them, and the chains that stones form."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple

from pbmserv.engine.cell_names import spellings

Cell = int
"""A cell is its index in :attr:`Board.names`; people see the name."""


class Place(NamedTuple):
    """A point of the plane: y grows downwards, neighbours on a lattice lie one unit apart."""

    x: float
    y: float


class Point(NamedTuple):
    """A character of a text picture; columns and lines count from anywhere, also below 0."""

    column: int
    line: int


class Label(NamedTuple):
    """A piece of text beside the board: its last character is at ``place`` or ``point``."""

    text: str
    place: Place
    point: Point


Turn = Callable[[Place], Place]
"""A rotation about the origin or a reflection in a line through it."""


@dataclass(frozen=True, eq=False, repr=False)
class Board:
    """A graph of named cells with a drawing place for each; pure geometry, without any rules.

    ``names``, ``neighbours``, ``places`` and ``points`` are parallel, in reading order of the
    notation: ``places`` form a regular figure in the plane, ``points`` a picture of characters
    with a blank on both sides of every cell. ``corners`` are the cells that pictures set apart, and
    ``digits`` what they show on other empty cells, to help with reading names. ``note`` says in a
    legend what cannot be drawn. ``sectors`` is the number of sectors of a polar board, 0 on a
    lattice; ``bridge`` are the cells that touch across its middle. ``hull`` are the cells that the
    outline of a ringed board goes around, none on others, and from the cell ``core`` on its middle
    is a lattice, with the innermost ring for its rim. ``turns`` are the rotations and reflections
    about the board's middle, without the identity, that map the board onto itself.
    """

    title: str
    names: tuple[str, ...]
    neighbours: tuple[tuple[Cell, ...], ...]
    places: tuple[Place, ...]
    points: tuple[Point, ...]
    labels: tuple[Label, ...] = ()
    corners: tuple[Cell, ...] = ()
    digits: dict[Cell, str] = field(default_factory=dict)
    note: str = ""
    sectors: int = 0
    bridge: tuple[Cell, ...] = ()
    hull: tuple[Cell, ...] = ()
    core: Cell = 0
    turns: tuple[Turn, ...] = ()
    synonyms: dict[str, str] = field(default_factory=dict)

    @cached_property
    def index(self) -> dict[str, Cell]:
        """The cell of every canonical name and of every other spelling read on input."""
        index = {name: cell for cell, name in enumerate(self.names)}
        return index | {other: index[name] for other, name in self.synonyms.items()}

    @cached_property
    def links(self) -> tuple[tuple[Cell, Cell], ...]:
        """The pairs of neighbours, each once."""
        return tuple(
            (cell, other)
            for cell, others in enumerate(self.neighbours)
            for other in others
            if cell < other
        )

    @cached_property
    def symmetries(self) -> tuple[tuple[Cell, ...], ...]:
        """The permutation of the cells that each of ``turns`` makes; they keep neighbours."""
        return symmetries_of_places(self.places, self.turns)

    def __len__(self) -> int:
        return len(self.names)

    def find(self, text: str) -> Cell | None:
        """Return the cell that ``text`` names, in any spelling, or None."""
        if not text.isascii():
            return None
        found = (self.index.get(name) for name in spellings(text))
        return next((cell for cell in found if cell is not None), None)

    def sorted_names(self, cells: Iterable[Cell]) -> list[str]:
        """Return the names of ``cells`` in the board's own order."""
        return [self.names[cell] for cell in sorted(cells)]


@lru_cache(maxsize=8)
def groups(board: Board, members: bytes) -> tuple[tuple[Cell, ...], ...]:
    """Return the connected groups of the cells for which ``members`` has a 1.

    Groups and their cells come in the board's order. The time is linear in cells and links. The
    last results are cached, because a turn changes the groups of only one side.
    """
    waiting = bytearray(members)
    neighbours = board.neighbours
    found = []
    start = waiting.find(1)
    while start >= 0:
        waiting[start] = 0
        group = [start]
        for cell in group:  # grows while it is walked
            for other in neighbours[cell]:
                if waiting[other]:
                    waiting[other] = 0
                    group.append(other)
        found.append(tuple(sorted(group)))
        start = waiting.find(1, start)
    return tuple(found)


class Chains(NamedTuple):
    """The chains of both sides as a union-find, so that no turn has to flood the board.

    ``leads`` takes each cell a step towards the leader of its chain, which leads to itself;
    ``touches`` has at the leader, as bits, what the chain touches. A turn copies it and changes
    nothing: positions stay values.
    """

    leads: tuple[Cell, ...]
    touches: tuple[int, ...]

    @classmethod
    def of_cells(cls, touches: Sequence[int]) -> "Chains":
        """Return chains of one cell each, which touch these bits."""
        return cls(tuple(range(len(touches))), tuple(touches))

    def join(self, board: Board, stones: bytes, placed: Sequence[Cell]) -> "Chains":
        """Return the chains after stones were placed on ``placed``."""
        leads, touches = list(self.leads), list(self.touches)
        for cell in placed:
            for other in board.neighbours[cell]:
                if stones[other] != stones[cell]:
                    continue
                ours, theirs = _find_lead(leads, cell), _find_lead(leads, other)
                if ours != theirs:
                    leads[ours] = theirs
                    touches[theirs] |= touches[ours]
        return Chains(tuple(leads), tuple(touches))

    def touched_by(self, cell: Cell) -> int:
        """Return the bits that the chain of ``cell`` touches."""
        while self.leads[cell] != cell:
            cell = self.leads[cell]
        return self.touches[cell]


def _find_lead(leads: list[Cell], cell: Cell) -> Cell:
    """Return the leader of the chain of ``cell``, halving the path there."""
    while leads[cell] != cell:
        leads[cell] = leads[leads[cell]]
        cell = leads[cell]
    return cell


def symmetries_of_places(
    places: Sequence[Place], turns: Iterable[Turn]
) -> tuple[tuple[Cell, ...], ...]:
    """Return the permutation of cells that each of ``turns`` makes.

    The turns map the set of places onto itself about their common centre (the mean place).
    """
    middle_x = sum(place.x for place in places) / len(places)
    middle_y = sum(place.y for place in places) / len(places)

    def key(x: float, y: float) -> tuple[int, int]:
        return round(x * 1000), round(y * 1000)

    found = {key(p.x - middle_x, p.y - middle_y): cell for cell, p in enumerate(places)}
    result = []
    for turn in turns:
        images = (turn(Place(p.x - middle_x, p.y - middle_y)) for p in places)
        result.append(tuple(found[key(image.x, image.y)] for image in images))
    return tuple(result)


def rotation(angle: float) -> Turn:
    """Return the rotation about the origin by ``angle`` radians."""
    cosine, sine = math.cos(angle), math.sin(angle)
    return lambda p: Place(p.x * cosine - p.y * sine, p.x * sine + p.y * cosine)


def reflection(angle: float) -> Turn:
    """Return the reflection in the line through the origin at ``angle`` radians."""
    cosine, sine = math.cos(2 * angle), math.sin(2 * angle)
    return lambda p: Place(p.x * cosine + p.y * sine, p.x * sine - p.y * cosine)


def polygon_turns(sides: int) -> tuple[Turn, ...]:
    """Return the turns of a regular polygon of which one corner lies straight up or down."""
    return (
        *(rotation(number * math.tau / sides) for number in range(1, sides)),
        *(reflection(math.pi / 2 + number * math.pi / sides) for number in range(sides)),
    )
