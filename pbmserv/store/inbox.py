"""The inbox: which mails were taken care of, so that none is acted upon twice."""

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from pbmserv.store.connection import Part
from pbmserv.store.tables import inbox

STRANGER = 0
"""The player of whoever is not known; all strangers share it."""

TAKE = sa.text(
    "INSERT INTO inbox (player_id, key, sender, received_at, door, outcome) "
    "SELECT CAST(:player_id AS INTEGER), :key, :sender, CAST(:received_at AS BIGINT), :door, "
    ":outcome WHERE NOT EXISTS (SELECT 1 FROM inbox WHERE player_id = 0 AND key = :unsigned_key) "
    "ON CONFLICT (player_id, key) DO NOTHING RETURNING id"
)


@dataclass(frozen=True)
class Arrival:
    """One mail as the inbox keeps it: never a word of it, only its key and who sent it.

    ``key`` is its Message-ID or, without one, a digest; ``door`` the way it came in; ``outcome``
    "done" or the code of a refusal.
    """

    player_id: int
    key: str
    sender: str
    received_at: int
    door: str
    outcome: str = "done"


FIND = sa.select(*(inbox.c[name] for name in Arrival.__dataclass_fields__)).where(
    inbox.c.player_id == sa.bindparam("player_id"), inbox.c.key == sa.bindparam("key")
)


class Inbox(Part):
    """The mails received, within one transaction."""

    def take(self, arrival: Arrival, unsigned_key: str = "") -> int | None:
        """Enter a mail and return its number, or None if this player's mail was here before.

        So it was if it came when nobody had signed it, which ``unsigned_key`` tells.
        To be called first in a transaction, outside its savepoint: another program that takes
        the same mail waits here until this transaction has ended.
        """
        values = {**vars(arrival), "unsigned_key": unsigned_key}
        found = self._connection.execute(TAKE, values).scalar()
        return None if found is None else int(found)

    def settle(self, number: int, outcome: str) -> None:
        """Note that a mail which was taken has ended otherwise."""
        self._connection.execute(inbox.update().where(inbox.c.id == number).values(outcome=outcome))

    def has(self, player_id: int, key: str) -> bool:
        """Tell whether this player's mail with this key was taken care of."""
        return self.find(player_id, key) is not None

    def find(self, player_id: int, key: str) -> Arrival | None:
        """Return this player's mail with this key, if it was taken care of."""
        row = self._connection.execute(FIND, {"player_id": player_id, "key": key}).first()
        return None if row is None else Arrival(*row)

    def arrivals(self, *, limit: int | None = None, offset: int = 0) -> Sequence[Arrival]:
        """Return the mails, the newest first."""
        columns = [inbox.c[name] for name in Arrival.__dataclass_fields__]
        rows = sa.select(*columns).order_by(inbox.c.id.desc()).limit(limit).offset(offset)
        return [Arrival(*row) for row in self._connection.execute(rows)]

    def forget(self, before: int) -> int:
        """Delete what was received before this moment; return how many mails that were."""
        deleted = self._connection.execute(inbox.delete().where(inbox.c.received_at < before))
        return deleted.rowcount
