"""Finished games for the archive, and the key of its pseudonyms."""

from secrets import token_hex

import sqlalchemy as sa

from pbmserv.store.connection import Repository
from pbmserv.store.tables import match, secret, upsert

KEY_NAME = "archive"
KEY_BYTES = 32


class Archived(Repository):
    """The finished games that anybody may have, and under which key."""

    def ends(self) -> list[tuple[int, int]]:
        """Return these matches, each with when it ended: each game's in this order."""
        # An imported one is not the club's to give away.
        is_ours = match.c.finished_at.is_not(None), match.c.is_imported == 0
        columns = match.c.id, match.c.finished_at
        in_order = match.c.game, match.c.finished_at, match.c.id
        rows = self._connection.execute(sa.select(*columns).where(*is_ours).order_by(*in_order))
        return [(row[0], row[1]) for row in rows]

    def key(self) -> bytes:
        """Return the key of the pseudonyms, made when it is first asked for."""
        self._connection.execute(upsert(secret), {"name": KEY_NAME, "value": token_hex(KEY_BYTES)})
        chosen = sa.select(secret.c.value).where(secret.c.name == KEY_NAME)
        return bytes.fromhex(self._connection.execute(chosen).scalar_one())
