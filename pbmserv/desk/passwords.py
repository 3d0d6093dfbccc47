"""Passwords: hashing and checking, with the same answer and work for every kind of failure.

The library is libpass, the maintained fork of passlib under the same import name: passlib 1.7.4
itself warns on every supported Python before it is even used. Hashes are argon2id with 19 MiB,
t = 2 and p = 1.
"""

import os
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from hashlib import blake2b
from typing import Any, TypeVar

from pbmserv.club.player import PASSWORD
from pbmserv.errors import Busy

T = TypeVar("T")

MAX_QUEUE = 8
"""Passwords that may wait for the one that is looked at."""

NOBODY = (
    "$argon2id$v=19$m=19456,t=2,p=1$"
    "yZmz1nov5fw/pzTmPKeUMg$2DfF1naXdu08YnqGOmfc9+bwW65PmwMpn5pmbPDcwQ8"
)
"""The hash of a password thrown away, so that an unknown userid costs what a known one does."""


class Passwords:
    """Hashes and checks passwords; remembers successes within this process, never failures.

    The memo holds no password. It holds, under the hash of each by a key of this process alone, the
    stored hashes that it was right for: a changed password is checked again.
    """

    def __init__(self) -> None:
        self._key = os.urandom(32)
        self._right_for: dict[bytes, set[str]] = {}

    def hash(self, password: str) -> str:
        """Return the hash to store."""
        return str(_scheme().hash(password))

    def verify(self, password: str, stored: str | None) -> bool:
        """Tell whether ``stored`` is the hash of ``password``; None is nobody's."""
        if not PASSWORD.fullmatch(password):
            # The library takes no word of any form or length; what it costs stays the same.
            password, stored = "-", None
        tag = self._tag(password)
        if stored in self._right_for.get(tag, ()):
            return True
        is_right = self.check(password, stored or NOBODY) and stored is not None
        if is_right and stored is not None:
            self._right_for.setdefault(tag, set()).add(stored)
        return is_right

    def check(self, password: str, stored: str) -> bool:
        """Tell whether ``stored`` is the hash of ``password``, slowly, whatever is remembered."""
        return bool(_scheme().verify(password, stored))

    def remembered(self, password: str) -> AbstractSet[str]:
        """Return the stored hashes that this process has found the password right for."""
        return self._right_for.get(self._tag(password), frozenset())

    def _tag(self, password: str) -> bytes:
        return blake2b(password.encode(errors="surrogatepass"), key=self._key).digest()


class QueuedPasswords(Passwords):
    """Passwords for several threads: one more looks at them all, and raises :class:`Busy`.

    So only one of them takes a processor and 19 MiB at a time, and always the same memory.
    """

    def __init__(self) -> None:
        from concurrent.futures import ThreadPoolExecutor
        from threading import BoundedSemaphore

        super().__init__()
        self._thread = ThreadPoolExecutor(1, "passwords")
        self._places = BoundedSemaphore(1 + MAX_QUEUE)

    def hash(self, password: str) -> str:
        """Return the hash to store."""
        return self._in_turn(lambda: super(QueuedPasswords, self).hash(password))

    def check(self, password: str, stored: str) -> bool:
        """Tell whether ``stored`` is the hash of ``password``, slowly, whatever is remembered."""
        return self._in_turn(lambda: super(QueuedPasswords, self).check(password, stored))

    def _in_turn(self, look: Callable[[], T]) -> T:
        if not self._places.acquire(blocking=False):
            raise Busy
        try:
            return self._thread.submit(look).result()
        finally:
            self._places.release()


def _scheme() -> Any:
    # Not from passlib.hash: of several threads that ask there for the first time, some fail.
    from passlib.handlers.argon2 import argon2

    return argon2.using(type="ID", memory_cost=19 * 1024, time_cost=2, parallelism=1)
