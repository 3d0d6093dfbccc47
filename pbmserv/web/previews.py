"""Small pictures of boards that were drawn: each takes long, so one is drawn at a time."""

from collections.abc import Callable
from threading import Lock

MAX_BYTES = 64_000_000


class Previews:
    """The pictures drawn last, by what each shows."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: dict[str, bytes] = {}
        self._size = 0

    def find(self, shows: str, draw: Callable[[], bytes]) -> bytes:
        """Return the picture that shows this, drawn now if it is not kept."""
        found = self._kept.get(shows)
        if found is not None:
            return found
        with self._lock:
            if shows in self._kept:
                return self._kept[shows]
            picture = self._kept[shows] = draw()
            self._size += len(picture)
            while self._size > MAX_BYTES:
                self._size -= len(self._kept.pop(next(iter(self._kept))))
            return picture
