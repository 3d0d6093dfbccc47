"""Talk: who wants which mail, who is blocked by whom, who watches a board, what was said there."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import sqlalchemy as sa

from pbmserv.club.notices import NoticeKind
from pbmserv.club.player import PlayerStatus
from pbmserv.store.connection import Part
from pbmserv.store.tables import (
    block,
    chat,
    match,
    message,
    notice,
    player,
    preference,
    subscription,
)

PREFER = sa.text(
    "INSERT INTO preference (player_id, has_digest, takes_broadcasts) "
    "VALUES (:player_id, :has_digest, :takes_broadcasts) ON CONFLICT (player_id) DO UPDATE "
    "SET has_digest = :has_digest, takes_broadcasts = :takes_broadcasts"
)
BLOCK = sa.text(
    "INSERT INTO block (player_id, blocked_id) VALUES (:player_id, :blocked_id) "
    "ON CONFLICT (player_id, blocked_id) DO NOTHING"
)
SUBSCRIBE = sa.text(
    "INSERT INTO subscription (match_id, player_id) VALUES (:match_id, :player_id) "
    "ON CONFLICT (match_id, player_id) DO NOTHING"
)


@dataclass(frozen=True)
class Preferences:
    """What mail a player wants; as given here for those who never said so."""

    has_digest: bool = False
    takes_broadcasts: bool = True


class Said(NamedTuple):
    """What somebody said at a board, and when; ``number`` tells it from any other remark."""

    at: int
    userid: str
    text: str
    number: int


class Message(NamedTuple):
    """What one player wrote to another, and when."""

    at: int
    writer: str
    reader: str
    text: str


writer, reader = player.alias("writer"), player.alias("reader")

MESSAGES = (
    sa.select(
        message.c.id,
        message.c.at,
        writer.c.userid.label("writer"),
        reader.c.userid.label("reader"),
        message.c.text,
    )
    .join(writer, message.c.writer_id == writer.c.id)
    .join(reader, message.c.reader_id == reader.c.id)
)


class Talk(Part):
    """Preferences, blocks, subscriptions and chat, within one transaction."""

    def preferences(self, player_id: int) -> Preferences:
        """Return what mail this player wants."""
        chosen = sa.select(preference.c.has_digest, preference.c.takes_broadcasts).where(
            preference.c.player_id == player_id
        )
        row = self._connection.execute(chosen).first()
        return Preferences() if row is None else Preferences(*map(bool, row))

    def prefer(self, player_id: int, wanted: Preferences) -> None:
        """Store what mail this player wants."""
        values = {
            "player_id": player_id,
            "has_digest": int(wanted.has_digest),
            "takes_broadcasts": int(wanted.takes_broadcasts),
        }
        self._connection.execute(PREFER, values)

    def digest_readers(self) -> list[int]:
        """Return the players who want one mail a day."""
        chosen = sa.select(preference.c.player_id).where(preference.c.has_digest == 1)
        return list(self._connection.execute(chosen.order_by(preference.c.player_id)).scalars())

    def broadcast_readers(self, sender_id: int) -> list[int]:
        """Return the players who accept broadcasts and have not blocked this sender."""
        deaf = sa.select(preference.c.player_id).where(preference.c.takes_broadcasts == 0)
        blocking = sa.select(block.c.player_id).where(block.c.blocked_id == sender_id)
        chosen = sa.select(player.c.id).where(
            player.c.status == PlayerStatus.ACTIVE.value,
            player.c.id.not_in(deaf),
            player.c.id.not_in(blocking),
        )
        return list(self._connection.execute(chosen.order_by(player.c.id)).scalars())

    def block(self, player_id: int, blocked_id: int) -> None:
        """Let nothing of ``blocked_id`` reach the player."""
        self._connection.execute(BLOCK, {"player_id": player_id, "blocked_id": blocked_id})

    def unblock(self, player_id: int, blocked_id: int) -> bool:
        """Undo a block; tell whether there was one."""
        gone = self._connection.execute(block.delete().where(*_blocked(player_id, blocked_id)))
        return gone.rowcount == 1

    def blocked(self, player_id: int) -> list[str]:
        """Return the userids of those whom the player has blocked."""
        chosen = (
            sa.select(player.c.userid)
            .join(block, block.c.blocked_id == player.c.id)
            .where(block.c.player_id == player_id)
        )
        return list(self._connection.execute(chosen.order_by(player.c.userid_key)).scalars())

    def is_blocked(self, player_id: int, by_whom: int) -> bool:
        """Tell whether the player has blocked ``by_whom``."""
        chosen = sa.select(block.c.player_id).where(*_blocked(player_id, by_whom))
        return self._connection.execute(chosen).first() is not None

    def subscribe(self, match_id: int, player_id: int) -> None:
        """Have the player told what happens on this board."""
        self._connection.execute(SUBSCRIBE, {"match_id": match_id, "player_id": player_id})

    def unsubscribe(self, match_id: int, player_id: int) -> bool:
        """End a subscription; tell whether there was one."""
        gone = self._connection.execute(
            subscription.delete().where(
                subscription.c.match_id == match_id, subscription.c.player_id == player_id
            )
        )
        return gone.rowcount == 1

    def subscribers(self, match_id: int) -> list[int]:
        """Return the players who watch this board."""
        chosen = sa.select(subscription.c.player_id).where(subscription.c.match_id == match_id)
        return list(self._connection.execute(chosen.order_by(subscription.c.player_id)).scalars())

    def subscribed(self, player_id: int, game: str) -> list[int]:
        """Return the numbers of the boards of this game that a player watches."""
        chosen = (
            sa.select(match.c.number)
            .join(subscription, subscription.c.match_id == match.c.id)
            .where(subscription.c.player_id == player_id, match.c.game == game)
        )
        # Asked for in order, SQLite would walk through all boards of the game.
        return sorted(self._connection.scalars(chosen))

    def say(self, match_id: int, player_id: int, text: str, now: int) -> None:
        """Keep what a player said at a board."""
        self._connection.execute(
            chat.insert().values(match_id=match_id, player_id=player_id, at=now, text=text)
        )

    def said(self, match_id: int, limit: int | None = None) -> list[Said]:
        """Return what was said at a board, the oldest first; of more than ``limit`` the last."""
        rows = self._connection.execute(
            sa.select(chat.c.at, player.c.userid, chat.c.text, chat.c.id)
            .join(player, chat.c.player_id == player.c.id)
            .where(chat.c.match_id == match_id)
            .order_by(chat.c.id.desc())
            .limit(limit)
        )
        return [Said(*row) for row in rows][::-1]

    def unsay(self, number: int) -> Said | None:
        """Remove a remark and the notices of it for good; return what it was, if there is one."""
        row = self._connection.execute(
            sa.select(chat.c.at, player.c.userid, chat.c.text, chat.c.id, chat.c.match_id)
            .join(player, chat.c.player_id == player.c.id)
            .where(chat.c.id == number)
        ).first()
        if row is None:
            return None
        self._connection.execute(chat.delete().where(chat.c.id == number))
        self._connection.execute(
            notice.delete().where(
                notice.c.match_id == row.match_id,
                notice.c.kind == NoticeKind.REMARK.value,
                notice.c.at == row.at,
                notice.c.text.startswith(f"{row.userid} at ", autoescape=True),
            )
        )
        return Said(row.at, row.userid, row.text, row.id)

    def send(self, writer_id: int, reader_ids: Iterable[int], text: str, now: int) -> None:
        """Keep what one player writes to others."""
        values = {"writer_id": writer_id, "text": text, "at": now}
        rows = [{**values, "reader_id": reader_id} for reader_id in sorted(set(reader_ids))]
        if rows:
            self._connection.execute(message.insert(), rows)

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
