"""One moment of a game: sides, turns and positions, all immutable."""

from dataclasses import dataclass, field, replace
from enum import Enum, StrEnum, auto
from functools import cached_property
from typing import NamedTuple

from pbmserv.engine.board import Cell

EMPTY = 0


class Side(StrEnum):
    """X, who moves first, or O; each is its own letter wherever it is written."""

    X = "X"
    O = "O"

    @cached_property
    def other(self) -> "Side":
        """The opponent's side."""
        return Side.O if self is Side.X else Side.X

    @cached_property
    def stone(self) -> int:
        """The byte of this side's stones in :attr:`Position.stones`."""
        return 1 if self is Side.X else 2


STONE_MASKS = {side: bytes(int(byte == side.stone) for byte in range(256)) for side in Side}


class MoveKind(Enum):
    """The kind of a turn."""

    STONES = auto()
    PASS = auto()
    SWAP = auto()
    RESIGN = auto()
    """Part of a plan; no game plays it."""


class Move(NamedTuple):
    """One turn: its canonical text, and what it does.

    ``cells`` are those on which it places stones, in the order named; ``passed`` is the number of
    stones given up besides, as in half a turn of Double *Star.

    >>> Move("A50+-", (120,), passed=1).stone_count
    2
    """

    text: str
    cells: tuple[Cell, ...] = ()
    kind: MoveKind = MoveKind.STONES
    passed: int = 0

    @property
    def stone_count(self) -> int:
        """The number of stones, those given up included."""
        return len(self.cells) + self.passed

    @property
    def is_pass(self) -> bool:
        """Whether the whole turn is given up."""
        return self.kind is MoveKind.PASS

    @property
    def is_swap(self) -> bool:
        """Whether the players exchange seats."""
        return self.kind is MoveKind.SWAP


PASS = Move("pass", kind=MoveKind.PASS)
SWAP = Move("swap", kind=MoveKind.SWAP)
MOVE_PHRASES = {PASS.text: "passes", SWAP.text: "swaps"}


def move_phrase(text: str) -> str:
    """Return the move in words, as in "plays C3".

    >>> move_phrase("F6"), move_phrase("pass"), move_phrase("swap"), move_phrase("A50+-")
    ('plays F6', 'passes', 'swaps', 'plays A50 and passes')
    """
    cells, joint, rest = text.partition("+-")
    return MOVE_PHRASES.get(text) or f"plays {cells}{' and passes' if joint and not rest else rest}"


@dataclass(frozen=True, slots=True)
class Position:
    """The board at one moment, with all of the past that matters to the rules.

    ``stones`` has one byte a cell: 0 empty, 1 X, 2 O. ``ply`` counts the turns made, swap and
    passes included; ``passes`` the whole passes at the end, in succession. ``last`` are the cells
    of the last turn; ``trace`` is what a game follows from move to move (see
    :meth:`pbmserv.engine.game.Game.follow`); it is no part of digest and equality.
    """

    stones: bytes
    # RULES: X begins, and the sides take turns.
    to_move: Side = Side.X
    ply: int = 0
    passes: int = 0
    last: tuple[Cell, ...] = ()
    trace: object = field(default=None, compare=False, repr=False)

    def stone_mask(self, side: Side) -> bytes:
        """Return a 1 for each cell with a stone of ``side``, a 0 for any other."""
        return self.stones.translate(STONE_MASKS[side])

    def cells_of(self, side: Side) -> list[Cell]:
        """Return the cells with a stone of ``side``, in the board's order."""
        stone = side.stone
        return [cell for cell, found in enumerate(self.stones) if found == stone]

    @property
    def empty_count(self) -> int:
        """How many cells are empty."""
        return self.stones.count(EMPTY)

    @property
    def is_full(self) -> bool:
        """Whether no cell is empty."""
        return EMPTY not in self.stones

    def after(self, move: Move) -> "Position":
        """Return the position after ``move``, unchecked, with the trace of this one."""
        if move.cells:
            stones, stone = bytearray(self.stones), self.to_move.stone
            # RULES: stones are never moved or removed.
            for cell in move.cells:
                stones[cell] = stone
            turn = self.ply + 1
            return Position(bytes(stones), self.to_move.other, turn, 0, move.cells, self.trace)
        if move.is_swap:
            # RULES: the other is now O and moves next.
            # RULES: The swap counts as move 2.
            return replace(self, ply=self.ply + 1)
        # RULES: A player who passes gives up only that turn and may play again on the next.
        return replace(
            self, to_move=self.to_move.other, ply=self.ply + 1, passes=self.passes + 1, last=()
        )

    def with_trace(self, trace: object) -> "Position":
        """Return the same position with this trace."""
        if trace is self.trace:
            return self
        return Position(self.stones, self.to_move, self.ply, self.passes, self.last, trace)

    def digest(self) -> str:
        """Return 12 hexadecimal digits that identify the position, for storage."""
        from hashlib import blake2b

        state = b"%s%s%d,%d" % (self.stones, self.to_move.encode(), self.ply, self.passes)
        return blake2b(state, digest_size=6).hexdigest()
