"""The notices of the players, as they are stored and read."""

from collections.abc import Iterable

import sqlalchemy as sa

from pbmserv.club.notices import Notice, NoticeKind
from pbmserv.club.player import PlayerStatus
from pbmserv.store.connection import Part
from pbmserv.store.tables import match, notice, player

IS_UNREAD = (notice.c.player_id == sa.bindparam("player"), notice.c.read_at.is_(None))

# A reminder is out of date when something was done at its board.
UNREAD = (
    sa.select(notice, match.c.game, match.c.number)
    .select_from(notice.outerjoin(match, notice.c.match_id == match.c.id))
    .where(
        *IS_UNREAD,
        sa.or_(notice.c.kind != NoticeKind.REMINDER.value, match.c.changed_at < notice.c.at),
    )
    .order_by(notice.c.id)
)
READ = notice.update().where(*IS_UNREAD)


class Notices(Part):
    """The notices, within one transaction."""

    def add(
        self,
        player_ids: Iterable[int],
        kind: NoticeKind,
        text: str,
        now: int,
        *,
        match_id: int | None = None,
    ) -> None:
        """Have each of these players told; ``text`` has no control characters but line feeds."""
        values = {"kind": kind.value, "match_id": match_id, "text": text, "at": now}
        rows = [{**values, "player_id": player_id} for player_id in sorted(set(player_ids))]
        if rows:
            self._connection.execute(notice.insert(), rows)

    def announce(self, text: str, now: int) -> int:
        """Have every open account told that somebody reads; return how many those are."""
        is_open = player.c.status == PlayerStatus.ACTIVE.value
        chosen = sa.select(player.c.id).where(is_open, player.c.robot.is_(None))
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

    def read(self, player_id: int, now: int) -> None:
        """Note that the player has read all of theirs, and need not those out of date."""
        self._connection.execute(READ, {"player": player_id, "read_at": now})

    def forget(self, before: int) -> int:
        """Delete what was read before this moment; return how many notices that were."""
        return self._connection.execute(notice.delete().where(notice.c.read_at < before)).rowcount
