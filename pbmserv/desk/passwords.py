"""Passwords: hashing and checking, with the same answer and work for every kind of failure.

The library is libpass, the maintained fork of passlib under the same import name: passlib 1.7.4
itself warns on every supported Python before it is even used. Hashes are argon2id with 19 MiB,
t = 2 and p = 1.
"""

import os
from typing import Any

from pbmserv.club.player import PASSWORD

MEMORY_KIB = 19 * 1024
TIME_COST = 2
PARALLELISM = 1

NOBODY = (
    "$argon2id$v=19$m=19456,t=2,p=1$"
    "yZmz1nov5fw/pzTmPKeUMg$2DfF1naXdu08YnqGOmfc9+bwW65PmwMpn5pmbPDcwQ8"
)
"""The hash of a password thrown away, so that an unknown userid costs what a known one does."""

UNFIT = "-"
"""Checked in place of a word that has not the form of a password."""


class Passwords:
    """Hashes and checks passwords; remembers successes within this process, never failures.

    The memo holds no password: an HMAC under a key made anew for each process, bound to the
    stored hash, so that a changed password is checked again.
    """

    def __init__(self) -> None:
        self._key = os.urandom(32)
        self._known: dict[str, bytes] = {}

    def hash(self, password: str) -> str:
        """Return the hash to store."""
        return str(_scheme().hash(password))

    def verify(self, password: str, stored: str | None) -> bool:
        """Tell whether ``stored`` is the hash of ``password``; None is nobody's."""
        if not PASSWORD.fullmatch(password):
            # The library takes no word of any form or length; what it costs stays the same.
            password, stored = UNFIT, None
        import hmac

        tag = hmac.digest(self._key, f"{stored}\0{password}".encode(), "sha256")
        if stored is not None and hmac.compare_digest(self._known.get(stored, b""), tag):
            return True
        is_right = bool(_scheme().verify(password, stored or NOBODY)) and stored is not None
        if is_right and stored is not None:
            self._known[stored] = tag
        return is_right


def _scheme() -> Any:
    from passlib.hash import argon2

    return argon2.using(
        type="ID", memory_cost=MEMORY_KIB, time_cost=TIME_COST, parallelism=PARALLELISM
    )
