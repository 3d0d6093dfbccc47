"""One moment of a game: sides, turns and positions, all immutable."""

from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from pbmserv.engine.board import Cell

EMPTY = 0


class Side(Enum):
    """X, who moves first, or O."""

    X = "X"
    O = "O"  # noqa: E741 - the side's name in every picture and record

    @property
    def other(self) -> "Side":
        """The opponent's side."""
        return Side.O if self is Side.X else Side.X

    @property
    def stone(self) -> int:
        """The byte that stands for this side's stone in :attr:`Position.stones`."""
        return 1 if self is Side.X else 2


class Move(NamedTuple):
    """One turn: its canonical text and the cells on which it places stones, if any.

    >>> Move("F6", (33,)).is_pass
    False
    """

    text: str
    cells: tuple[Cell, ...] = ()

    @property
    def is_pass(self) -> bool:
        """Whether the whole turn is given up."""
        return self.text == "pass"

    @property
    def is_swap(self) -> bool:
        """Whether the players exchange seats."""
        return self.text == "swap"


PASS = Move("pass")
SWAP = Move("swap")


@dataclass(frozen=True, slots=True)
class Position:
    """The board at one moment, with whatever of the past still matters to the rules.

    ``stones`` holds one byte a cell: 0 empty, 1 X, 2 O. ``ply`` counts the turns made, swap and
    passes included; ``passes`` those whole passes that were made in succession just now.
    ``last`` are the cells of the last turn; ``trace`` is whatever a game follows from move to
    move (see :meth:`pbmserv.engine.game.Game.follow`) and follows from the rest.
    """

    stones: bytes
    to_move: Side = Side.X
    ply: int = 0
    passes: int = 0
    last: tuple[Cell, ...] = ()
    trace: object = field(default=None, compare=False, repr=False)

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

    def digest(self) -> str:
        """Return 12 hexadecimal digits that tell this position from any other, for storage."""
        from hashlib import blake2b

        state = b"%s%s%d,%d" % (self.stones, self.to_move.value.encode(), self.ply, self.passes)
        return blake2b(state, digest_size=6).hexdigest()
