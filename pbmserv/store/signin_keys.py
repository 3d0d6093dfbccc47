"""Keys that sign a player in: the text is kept by whoever holds it, here is only a digest."""

import hmac
import re
import secrets
from typing import NamedTuple

import sqlalchemy as sa

from pbmserv.club.player import Player
from pbmserv.store.players import Players
from pbmserv.store.tables import signin_key

DAY = 86_400
LIFE = 90 * DAY
"""Seconds without use after which a key ends."""

SECRET_BYTES = 32
KEY = re.compile(r"([0-9]{1,9})-([0-9a-f]{64})", re.ASCII)


class SignedIn(NamedTuple):
    """Whom a key signs in, and when it was last known to be used, to the day."""

    key_id: int
    player: Player
    used_at: int


class SigninKeys:
    """The sign-in keys, within one transaction."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def add(self, player: Player, now: int) -> str:
        """Make a key for the player as they are now and return its text, which is kept nowhere."""
        secret = secrets.token_bytes(SECRET_BYTES)
        values = {
            "player_id": player.id,
            "digest": _digest(secret, player),
            "created_at": now,
            "used_at": now,
        }
        inserted = signin_key.insert().values(**values).returning(signin_key.c.id)
        return f"{self._connection.execute(inserted).scalar_one()}-{secret.hex()}"

    def find(self, text: str, now: int) -> SignedIn | None:
        """Return whom the key signs in; None if it never did, or does so no more."""
        match = KEY.fullmatch(text)
        if match is None:
            return None
        chosen = signin_key.select().where(signin_key.c.id == int(match[1]))
        row = self._connection.execute(chosen).first()
        if row is None or row.used_at <= now - LIFE:
            return None
        player = Players(self._connection).get(row.player_id)
        digest = _digest(bytes.fromhex(match[2]), player)
        if player.login_hash is None or not hmac.compare_digest(digest, row.digest):
            return None
        return SignedIn(row.id, player, row.used_at)

    def used(self, key_id: int, now: int) -> None:
        """Note that the key was used."""
        own = signin_key.update().where(signin_key.c.id == key_id)
        self._connection.execute(own.values(used_at=now))

    def remove(self, key_id: int) -> None:
        """End one key."""
        self._connection.execute(signin_key.delete().where(signin_key.c.id == key_id))

    def remove_all(self, player_id: int) -> int:
        """End every key of a player; return how many there were."""
        own = signin_key.delete().where(signin_key.c.player_id == player_id)
        return self._connection.execute(own).rowcount

    def forget(self, now: int) -> int:
        """Delete the keys that have ended for want of use; return how many those were."""
        unused = signin_key.delete().where(signin_key.c.used_at <= now - LIFE)
        return self._connection.execute(unused).rowcount


def _digest(secret: bytes, player: Player) -> str:
    """Return what is stored of a key: worthless without it, for another player and password."""
    bound_to = f"{player.id} {player.password_hash}".encode()
    return hmac.digest(secret, bound_to, "sha256").hex()
