"""Which workers of the resident server are free, in memory that they and their keeper share."""

from __future__ import annotations

import os
import struct
from mmap import mmap

MOST = max(8, 4 * (os.cpu_count() or 1))
"""So many workers there are at most, for more only take the processors from each other.

Who comes then waits in the socket, and after some seconds does it alone.
"""

NOBODY, FREE, BUSY = b"\0", b"f", b"b"
TIME = struct.Struct("d")


class Roster:
    """A byte for each place of a worker, and when a command ended last."""

    def __init__(self) -> None:
        self._places = mmap(-1, MOST)
        self._end = mmap(-1, TIME.size)

    def take_place(self) -> int | None:
        """Return a place for one more free worker, None where there is no room."""
        place = self._places.find(NOBODY, 0)
        if place < 0:
            return None
        self._write(place, FREE)
        return place

    def begin(self, place: int) -> bool:
        """Note that a command begins there; tell whether no free worker is left."""
        self._write(place, BUSY)
        return not self.free()

    def end(self, place: int, now: float) -> None:
        """Note that it is done there, at this moment."""
        TIME.pack_into(self._end, 0, now)
        self._write(place, FREE)

    def clear(self, place: int) -> None:
        """Note that nobody is there any more."""
        self._write(place, NOBODY)

    def free(self) -> int:
        """Return how many workers are free."""
        return self._places[:].count(FREE)

    def is_quiet(self) -> bool:
        """Tell whether nobody does anything."""
        return BUSY not in self._places[:]

    def last_end(self) -> float:
        """Return when a command ended last, 0.0 if none did."""
        (moment,) = TIME.unpack_from(self._end)
        return float(moment)

    def _write(self, place: int, state: bytes) -> None:
        self._places[place : place + 1] = state
