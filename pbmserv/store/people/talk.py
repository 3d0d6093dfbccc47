"""Talk: preferences for mail, blocks, subscriptions, chat, messages and notices."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import sqlalchemy as sa

from pbmserv.club.notices import Notice, NoticeKind
from pbmserv.club.player import PlayerStatus
from pbmserv.engine.moments import parse_timed
from pbmserv.store.connection import Repository, chunks
from pbmserv.store.tables import (
    block,
    chat,
    match,
    message,
    move,
    notice,
    player,
    preference,
    subscription,
    upsert,
)

PREFER = upsert(preference, "has_digest", "takes_broadcasts", "keeps_vacation")
BLOCK = upsert(block)
SUBSCRIBE = upsert(subscription)


@dataclass(frozen=True)
class Preferences:
    """A player's preferences; with ``keeps_vacation`` no clock takes days of vacation."""

    has_digest: bool = False
    takes_broadcasts: bool = True
    keeps_vacation: bool = False


class ChatLine(NamedTuple):
    """A comment in the chat of a board; ``number`` identifies it."""

    at: int
    userid: str
    text: str
    number: int


class Message(NamedTuple):
    """A message from one player to another."""

    at: int
    writer: str
    reader: str
    text: str


IS_OPEN = player.c.status == PlayerStatus.ACTIVE.value
SAID = sa.select(chat.c.at, player.c.userid, chat.c.text, chat.c.id).join(
    player, chat.c.player_id == player.c.id
)
writer, reader = player.alias("writer"), player.alias("reader")

MESSAGES = (
    sa.select(message, writer.c.userid.label("writer"), reader.c.userid.label("reader"))
    .join(writer, message.c.writer_id == writer.c.id)
    .join(reader, message.c.reader_id == reader.c.id)
)


class Talk(Repository):
    """Preferences, blocks, subscriptions, chat and messages."""

    def preferences(self, player_id: int) -> Preferences:
        """Return the mail preferences of this player."""
        own = preference.select().where(preference.c.player_id == player_id)
        row = self._connection.execute(own).first()
        if row is None:
            return Preferences()
        return Preferences(*map(bool, row[1:]))

    def prefer(self, player_id: int, wanted: Preferences) -> None:
        """Store the mail preferences of this player."""
        values = {
            "player_id": player_id,
            "has_digest": int(wanted.has_digest),
            "takes_broadcasts": int(wanted.takes_broadcasts),
            "keeps_vacation": int(wanted.keeps_vacation),
        }
        self._connection.execute(PREFER, values)

    def digest_readers(self) -> list[int]:
        """Return the players who want one mail a day."""
        chosen = sa.select(preference.c.player_id).where(preference.c.has_digest == 1)
        return self._column(chosen.order_by(preference.c.player_id))

    def broadcast_readers(self, sender_id: int) -> list[int]:
        """Return the players who accept broadcasts and have not blocked this sender."""
        deaf = sa.select(preference.c.player_id).where(preference.c.takes_broadcasts == 0)
        blocking = sa.select(block.c.player_id).where(block.c.blocked_id == sender_id)
        willing = player.c.id.not_in(deaf), player.c.id.not_in(blocking)
        return self._column(sa.select(player.c.id).where(IS_OPEN, *willing).order_by(player.c.id))

    def block(self, player_id: int, blocked_id: int) -> None:
        """Let nothing of ``blocked_id`` reach the player."""
        self._connection.execute(BLOCK, {"player_id": player_id, "blocked_id": blocked_id})

    def unblock(self, player_id: int, blocked_id: int) -> bool:
        """Undo a block; tell whether there was one."""
        return self._change(block.delete().where(*_blocked(player_id, blocked_id))) == 1

    def blocked(self, player_id: int) -> list[str]:
        """Return the userids that the player has blocked."""
        chosen = (
            sa.select(player.c.userid)
            .join(block, block.c.blocked_id == player.c.id)
            .where(block.c.player_id == player_id)
        )
        return self._column(chosen.order_by(player.c.userid_key))

    def is_blocked(self, player_id: int, by_whom: int) -> bool:
        """Tell whether the player has blocked ``by_whom``."""
        return self._has(sa.select(block.c.player_id).where(*_blocked(player_id, by_whom)))

    def subscribe(self, match_id: int, player_id: int) -> None:
        """Have the player told what happens on this board."""
        self._connection.execute(SUBSCRIBE, {"match_id": match_id, "player_id": player_id})

    def unsubscribe(self, match_id: int, player_id: int) -> bool:
        """End a subscription; tell whether there was one."""
        own = subscription.c.match_id == match_id, subscription.c.player_id == player_id
        return self._change(subscription.delete().where(*own)) == 1

    def subscribers(self, match_id: int) -> list[int]:
        """Return the players who watch this board."""
        chosen = sa.select(subscription.c.player_id).where(subscription.c.match_id == match_id)
        return self._column(chosen.order_by(subscription.c.player_id))

    def subscribed(self, player_id: int, game: str) -> list[int]:
        """Return the numbers of the boards of this game that a player watches."""
        chosen = (
            sa.select(match.c.number)
            .join(subscription, subscription.c.match_id == match.c.id)
            .where(subscription.c.player_id == player_id, match.c.game == game)
        )
        # Asked for in order, SQLite would walk through all boards of the game.
        return sorted(self._column(chosen))

    def say(self, match_id: int, player_id: int, text: str, now: int) -> None:
        """Keep what a player said at a board."""
        values = {"match_id": match_id, "player_id": player_id, "at": now, "text": text}
        self._add_rows(chat, [values])

    def said(self, match_id: int, limit: int | None = None) -> list[ChatLine]:
        """Return the chat of a board, the oldest first; of more than ``limit`` the last."""
        last = SAID.where(chat.c.match_id == match_id).order_by(chat.c.id.desc()).limit(limit)
        return [ChatLine(*row) for row in self._connection.execute(last)][::-1]

    def delete_line(self, number: int) -> ChatLine | None:
        """Remove a remark and the notices of it for good; return what it was, if there is one."""
        own = SAID.add_columns(chat.c.match_id).where(chat.c.id == number)
        row = self._connection.execute(own).first()
        if row is None:
            return None
        self._change(chat.delete().where(chat.c.id == number))
        is_remark = notice.c.match_id == row.match_id, notice.c.kind == NoticeKind.REMARK.value
        is_this = notice.c.text.startswith(f"{row.userid} at ", autoescape=True)
        self._change(notice.delete().where(*is_remark, notice.c.at == row.at, is_this))
        return ChatLine(row.at, row.userid, row.text, row.id)

    def send(self, writer_id: int, reader_ids: Iterable[int], text: str, now: int) -> None:
        """Keep what one player writes to others."""
        values = {"writer_id": writer_id, "text": text, "at": now}
        rows = [{**values, "reader_id": reader_id} for reader_id in sorted(set(reader_ids))]
        self._add_rows(message, rows)

    def messages(self, player_id: int, limit: int) -> list[Message]:
        """Return the last messages to and from a player, the oldest first."""
        found = [
            row
            for side in (message.c.reader_id, message.c.writer_id)
            for row in self._connection.execute(
                MESSAGES.where(side == player_id).order_by(message.c.id.desc()).limit(limit)
            )
        ]
        rows = sorted({row.id: row for row in found}.values(), key=lambda row: row.id)
        return [Message(row.at, row.writer, row.reader, row.text) for row in rows[-limit:]]


def _blocked(player_id: int, blocked_id: int) -> tuple[sa.ColumnElement[bool], ...]:
    return block.c.player_id == player_id, block.c.blocked_id == blocked_id


IS_UNREAD = (notice.c.player_id == sa.bindparam("player"), notice.c.read_at.is_(None))

TURN_MADE_SINCE = (
    sa.exists()
    .where(move.c.match_id == match.c.id, move.c.ply == match.c.ply)
    .where(move.c.played_at >= notice.c.at)
)
# Once something is done at its board a reminder is out of date, but for whoever is still to move.
IS_IN_TIME = sa.or_(
    match.c.changed_at < notice.c.at,
    sa.and_(match.c.next_id == notice.c.player_id, ~TURN_MADE_SINCE),
)
UNREAD = (
    sa.select(notice, match.c.game, match.c.number)
    .select_from(notice.outerjoin(match, notice.c.match_id == match.c.id))
    .where(*IS_UNREAD, sa.or_(notice.c.kind != NoticeKind.REMINDER.value, IS_IN_TIME))
    .order_by(notice.c.id)
)
READ = notice.update().where(*IS_UNREAD)


class Notices(Repository):
    """News for players in the shell, until they have read it."""

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
        self._add_rows(notice, rows)

    def announce(self, text: str, now: int) -> int:
        """Have every open account told that somebody reads; return how many those are."""
        readers = self._column(sa.select(player.c.id).where(IS_OPEN, player.c.robot.is_(None)))
        self.add(readers, NoticeKind.ANNOUNCEMENT, text, now)
        return len(readers)

    def unread(self, player_id: int) -> list[Notice]:
        """Return the player's unread notices, the oldest first."""
        # What is in words of ours has times in it; what anybody says is only text.
        readers = {NoticeKind.REMINDER: parse_timed}
        rows = self._connection.execute(UNREAD, {"player": player_id})
        kinds = ((row, NoticeKind(row.kind)) for row in rows)
        return [
            Notice(
                row.id,
                kind,
                row.at,
                readers.get(kind, str)(row.text),
                row.game,
                row.number,
                row.told_at,
            )
            for row, kind in kinds
        ]

    def told(self, notices: Iterable[Notice], now: int) -> None:
        """Note that a shell has told of these."""
        for ids in chunks(each.id for each in notices):
            self._change(notice.update().where(notice.c.id.in_(ids)).values(told_at=now))

    def read(
        self,
        player_id: int,
        now: int,
        kind: NoticeKind | None = None,
        match_id: int | None = None,
    ) -> None:
        """Note that the player has read their notices, all or those of a kind and match."""
        of = {notice.c.kind: kind and kind.value, notice.c.match_id: match_id}
        wanted = (column == value for column, value in of.items() if value is not None)
        self._connection.execute(READ.where(*wanted), {"player": player_id, "read_at": now})

    def forget(self, before: int) -> int:
        """Delete notices read before this moment; return their number."""
        return self._change(notice.delete().where(notice.c.read_at < before))
