"""Finished games for the archive, and the key of its pseudonyms."""

from secrets import token_hex
from typing import NamedTuple

import sqlalchemy as sa

from pbmserv.club.match import Match
from pbmserv.store.connection import Repository
from pbmserv.store.matches.match_rows import WHOLE, match_of
from pbmserv.store.tables import match, secret, upsert

KEY_NAME = "archive"
KEY_BYTES = 32

IS_OURS = match.c.finished_at.is_not(None), match.c.is_imported == 0
"""A finished game that was played here: an imported one is not the club's to give away."""

PLACE = match.c.finished_at, match.c.id
EXTENT = sa.select(sa.func.count(), sa.func.max(match.c.finished_at)).where(*IS_OURS)
NEXT = (
    WHOLE.where(
        match.c.game == sa.bindparam("game"),
        *IS_OURS,
        match.c.finished_at <= sa.bindparam("until"),
        sa.tuple_(*PLACE) > sa.tuple_(sa.bindparam("at"), sa.bindparam("id")),
    )
    .order_by(*PLACE)
    .limit(sa.bindparam("limit"))
)


class FinishedMatch(NamedTuple):
    """A match, when it ended, and its time limits as they are stored, None without a clock."""

    match: Match
    finished_at: int
    limits: str | None


class Archived(Repository):
    """The finished games that anybody may have, and under which key."""

    def extent(self) -> tuple[int, int]:
        """Return how many games there are, and when the last of them ended, 0 for none."""
        count, last = self._connection.execute(EXTENT).one()
        return count, last or 0

    def after(
        self, game: str, place: tuple[int, int], *, until: int, limit: int
    ) -> list[FinishedMatch]:
        """Return the next games behind this place, in the order in which they ended."""
        values = {"game": game, "until": until, "at": place[0], "id": place[1], "limit": limit}
        rows = self._connection.execute(NEXT, values)
        return [FinishedMatch(match_of(row, {}), row.finished_at, row.limits) for row in rows]

    def key(self) -> bytes:
        """Return the key of the pseudonyms, made when it is first asked for."""
        self._connection.execute(upsert(secret), {"name": KEY_NAME, "value": token_hex(KEY_BYTES)})
        chosen = sa.select(secret.c.value).where(secret.c.name == KEY_NAME)
        return bytes.fromhex(self._connection.execute(chosen).scalar_one())
