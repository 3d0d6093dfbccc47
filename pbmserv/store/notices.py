"""Notices: what players are told in the shell until they have read it."""

from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

import sqlalchemy as sa

from pbmserv.club.player import PlayerStatus
from pbmserv.store.tables import match, notice, player


class NoticeKind(Enum):
    """What a notice is about; the values are stored and printed."""

    REMINDER = "reminder"
    """A deadline, or a warning that a game will be forfeited."""
    ANNOUNCEMENT = "announcement"
    """What the operator says to everybody."""
    REMARK = "remark"
    """What somebody said at a board."""
    MESSAGE = "message"


class Notice(NamedTuple):
    """One thing that a player has not read yet; ``game`` and ``number`` are a match's, if any."""

    id: int
    kind: NoticeKind
    at: int
    text: str
    game: str | None
    number: int | None


UNREAD = (
    sa.select(notice, match.c.game, match.c.number)
    .select_from(notice.outerjoin(match, notice.c.match_id == match.c.id))
    .where(notice.c.player_id == sa.bindparam("player"), notice.c.read_at.is_(None))
    .order_by(notice.c.id)
)


class Notices:
    """The notices, within one transaction."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def add(
        self,
        player_ids: Iterable[int],
        kind: NoticeKind,
        text: str,
        now: int,
        *,
        match_id: int | None = None,
    ) -> None:
        """Have each of these players told; ``text`` is cleaned of what a terminal would obey."""
        values = {"kind": kind.value, "match_id": match_id, "text": text, "at": now}
        rows = [{**values, "player_id": player_id} for player_id in sorted(set(player_ids))]
        if rows:
            self._connection.execute(notice.insert(), rows)

    def announce(self, text: str, now: int) -> int:
        """Have every open account told; return how many those are."""
        chosen = sa.select(player.c.id).where(player.c.status == PlayerStatus.ACTIVE.value)
        readers = list(self._connection.execute(chosen).scalars())
        self.add(readers, NoticeKind.ANNOUNCEMENT, text, now)
        return len(readers)

    def unread(self, player_id: int) -> list[Notice]:
        """Return what the player has not read yet, the oldest first."""
        rows = self._connection.execute(UNREAD, {"player": player_id})
        return [
            Notice(row.id, NoticeKind(row.kind), row.at, row.text, row.game, row.number)
            for row in rows
        ]

    def read(self, found: Iterable[Notice], now: int) -> None:
        """Note that these were read."""
        ids = [each.id for each in found]
        self._connection.execute(
            notice.update().where(notice.c.id.in_(ids), notice.c.read_at.is_(None)),
            {"read_at": now},
        )

    def forget(self, before: int) -> int:
        """Delete what was read before this moment; return how many notices that were."""
        return self._connection.execute(notice.delete().where(notice.c.read_at < before)).rowcount
