"""The audit: who asked for what, when, and how it ended. Never a word of theirs."""

from typing import NamedTuple

import sqlalchemy as sa

from pbmserv.errors import CarriedOut
from pbmserv.store.connection import Repository
from pbmserv.store.tables import audit, match, player


class AuditEntry(NamedTuple):
    """One request as it was recorded; ``game`` and ``number`` are the match's, if it had one."""

    id: int
    at: int
    source: str
    userid: str | None
    game: str | None
    number: int | None
    verb: str
    detail: str
    outcome: str


SELECT = (
    sa.select(
        *(audit.c.id, audit.c.at, audit.c.source, player.c.userid, match.c.game, match.c.number),
        *(audit.c.verb, audit.c.detail, audit.c.outcome),
    )
    .outerjoin_from(audit, player, audit.c.player_id == player.c.id)
    .outerjoin(match, audit.c.match_id == match.c.id)
    .order_by(audit.c.id.desc())
)


class AuditTrail(Repository):
    """The audit: requests and their results."""

    def add(
        self,
        *,
        at: int,
        source: str,
        verb: str,
        outcome: str,
        player_id: int | None = None,
        match_id: int | None = None,
        detail: str = "",
        key: str | None = None,
    ) -> None:
        """Record one request; ``detail`` is of our making, never what somebody wrote.

        Raises :class:`CarriedOut` where one with this ``key`` was recorded before.
        """
        row = {
            "at": at,
            "source": source,
            "verb": verb,
            "outcome": outcome,
            "player_id": player_id,
            "match_id": match_id,
            "detail": detail,
            "key": key,
        }
        try:
            self._add_rows(audit, [row])
        except sa.exc.IntegrityError as error:
            if key is None:
                raise
            raise CarriedOut from error

    def has(self, key: str) -> bool:
        """Tell whether a request with this key was done."""
        return self._has(sa.select(audit.c.id).where(audit.c.key == key))

    def forget(self, before: int) -> int:
        """Delete entries recorded before this moment; return their number."""
        return self._change(audit.delete().where(audit.c.at < before))
