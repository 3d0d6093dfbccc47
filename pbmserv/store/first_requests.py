"""Newcomers there was no room for, remembered so that whoever asks again can be told from a flood.

A flood of forged senders asks once under each name, somebody who wants to play asks again. Each
address has one of a fixed number of places, so that no flood fills the database; there the later
one takes the place of the earlier, who then has to ask once more.
"""

import hashlib

import sqlalchemy as sa

from pbmserv.store.connection import Part
from pbmserv.store.tables import quota

KIND = "first-request"
PLACES = 1 << 17
A_WHILE = 15
"""Minutes after which whoever asks is somebody who asks again."""

MINUTES = 1 << 16
MARKS = 1 << 15
"""A place holds the minute, of some weeks, and a mark of the address, together 31 bits."""

NOTE = sa.text(
    "INSERT INTO quota (kind, holder, begins_at, used) VALUES (:kind, :holder, 0, :used) "
    "ON CONFLICT (kind, holder, begins_at) DO UPDATE SET used = :used "
    "WHERE quota.used / :minutes <> :mark"
)


class FirstRequests(Part):
    """The addresses that asked in vain, within one transaction."""

    def note(self, address: str, now: int) -> None:
        """Remember that the address asked, if it did not before."""
        holder, mark = _place(address)
        used = mark * MINUTES + now // 60 % MINUTES
        values = {"kind": KIND, "holder": holder, "used": used, "minutes": MINUTES, "mark": mark}
        self._connection.execute(NOTE, values)

    def was_a_while_ago(self, address: str, now: int) -> bool:
        """Tell whether the address asked before, long enough ago."""
        holder, mark = _place(address)
        own = quota.c.kind == KIND, quota.c.holder == holder, quota.c.begins_at == 0
        found = self._connection.execute(sa.select(quota.c.used).where(*own)).scalar()
        if found is None or int(found) // MINUTES != mark:
            return False
        return (now // 60 - int(found)) % MINUTES >= A_WHILE


def _place(address: str) -> tuple[str, int]:
    """Return the place of an address and the mark that tells it from most others there."""
    digest = hashlib.sha256(address.lower().encode(errors="surrogatepass")).digest()
    number = int.from_bytes(digest[:4], "big")
    return f"place {number % PLACES}", int.from_bytes(digest[4:6], "big") % MARKS
