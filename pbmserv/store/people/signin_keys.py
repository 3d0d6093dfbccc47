"""Sign-in keys: the client keeps the text, the database only a digest."""

import hmac
import re
import secrets
from typing import Any, NamedTuple

import sqlalchemy as sa

from pbmserv.club.player import Player
from pbmserv.engine.moments import DAY
from pbmserv.store.connection import Repository
from pbmserv.store.people.players import SIGNER, Signer, signer_of
from pbmserv.store.tables import player, signin_key

LIFE = 90 * DAY
"""Seconds without use after which a key ends."""

KEY = re.compile(r"([0-9]{1,9})-([0-9a-f]{64})", re.ASCII)

WITH_SIGNER = (
    SIGNER.add_columns(
        signin_key.c.id.label("key_id"),
        signin_key.c.digest,
        signin_key.c.used_at,
        signin_key.c.ends_at,
    )
    .join(signin_key, signin_key.c.player_id == player.c.id)
    .where(signin_key.c.id == sa.bindparam("key_id"))
)


class SigninKey(NamedTuple):
    """The signer of a key, when it was last used, to the day, and when it ends all the same."""

    key_id: int
    signer: Signer
    used_at: int
    ends_at: int | None

    @property
    def player(self) -> Player:
        """The player whose key it is."""
        return self.signer.player


class SigninKeyDates(NamedTuple):
    """A player's key as it is listed for them: when it was made and last used, and when it ends.

    ``ends_at`` is when it ends unless it is used, or although it is.
    """

    key_id: int
    created_at: int
    used_at: int
    ends_at: int


class SigninKeys(Repository):
    """The keys that stand for userid and password."""

    def add(self, player: Player, now: int, ends_at: int | None = None) -> str:
        """Make a key for the player as they are now and return its text, which is kept nowhere."""
        secret = secrets.token_bytes(32)
        times = {"created_at": now, "used_at": now, "ends_at": ends_at}
        added = signin_key.insert().values(player_id=player.id, **times)
        numbered = added.values(digest=_digest(secret, player)).returning(signin_key.c.id)
        return f"{self._number(numbered)}-{secret.hex()}"

    def find(self, text: str, now: int) -> SigninKey | None:
        """Return the key with its player, or None if it is unknown, expired or revoked."""
        match = KEY.fullmatch(text)
        if match is None:
            return None
        rows = self._connection.execute(WITH_SIGNER, {"key_id": int(match[1])}).all()
        signer = signer_of(rows)
        if signer is None or _end_of(rows[0]) <= now:
            return None
        digest = _digest(bytes.fromhex(match[2]), signer.player)
        if signer.player.login_hash is None or not hmac.compare_digest(digest, rows[0].digest):
            return None
        return SigninKey(rows[0].key_id, signer, rows[0].used_at, rows[0].ends_at)

    def used(self, key_id: int, now: int) -> None:
        """Note that the key was used."""
        self._change(signin_key.update().where(signin_key.c.id == key_id).values(used_at=now))

    def of_player(self, player_id: int, now: int) -> list[SigninKeyDates]:
        """Return the player's keys that have not ended, the newest first."""
        rows = sa.select(signin_key).where(signin_key.c.player_id == player_id)
        newest_first = rows.order_by(signin_key.c.created_at.desc(), signin_key.c.id.desc())
        return [
            SigninKeyDates(row.id, row.created_at, row.used_at, _end_of(row))
            for row in self._connection.execute(newest_first)
            if _end_of(row) > now
        ]

    def remove(self, key_id: int) -> None:
        """End one key."""
        self._change(signin_key.delete().where(signin_key.c.id == key_id))

    def remove_own(self, player_id: int, key_id: int) -> bool:
        """End a key if it is the player's; tell whether it was."""
        own = signin_key.c.player_id == player_id, signin_key.c.id == key_id
        return self._change(signin_key.delete().where(*own)) == 1

    def remove_all(self, player_id: int) -> int:
        """End every key of a player; return how many there were."""
        return self._change(signin_key.delete().where(signin_key.c.player_id == player_id))

    def forget(self, now: int) -> int:
        """Delete the keys that have ended; return how many those were."""
        ended = sa.or_(signin_key.c.used_at <= now - LIFE, signin_key.c.ends_at <= now)
        return self._change(signin_key.delete().where(ended))


def _end_of(row: sa.Row[Any]) -> int:
    """Return when a key ends unless it is used before."""
    unused: int = row.used_at + LIFE
    return unused if row.ends_at is None else min(row.ends_at, unused)


def _digest(secret: bytes, player: Player) -> str:
    """Return what is stored of a key: worthless without it, for another player and password."""
    bound_to = f"{player.id} {player.password_hash}".encode()
    return hmac.digest(secret, bound_to, "sha256").hex()
