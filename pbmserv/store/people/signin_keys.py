"""Sign-in keys: the client keeps the text, the database only a digest."""

import hmac
import re
import secrets
from typing import NamedTuple

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
    SIGNER.add_columns(signin_key.c.id.label("key_id"), signin_key.c.digest, signin_key.c.used_at)
    .join(signin_key, signin_key.c.player_id == player.c.id)
    .where(signin_key.c.id == sa.bindparam("key_id"))
)


class SigninKey(NamedTuple):
    """The signer of a key, and when it was last used, to the day."""

    key_id: int
    signer: Signer
    used_at: int

    @property
    def player(self) -> Player:
        """The player whose key it is."""
        return self.signer.player


class SigninKeys(Repository):
    """The keys that stand for userid and password."""

    def add(self, player: Player, now: int) -> str:
        """Make a key for the player as they are now and return its text, which is kept nowhere."""
        secret = secrets.token_bytes(32)
        added = signin_key.insert().values(created_at=now, used_at=now, player_id=player.id)
        numbered = added.values(digest=_digest(secret, player)).returning(signin_key.c.id)
        return f"{self._number(numbered)}-{secret.hex()}"

    def find(self, text: str, now: int) -> SigninKey | None:
        """Return the key with its player, or None if it is unknown, expired or revoked."""
        match = KEY.fullmatch(text)
        if match is None:
            return None
        rows = self._connection.execute(WITH_SIGNER, {"key_id": int(match[1])}).all()
        signer = signer_of(rows)
        if signer is None or rows[0].used_at <= now - LIFE:
            return None
        digest = _digest(bytes.fromhex(match[2]), signer.player)
        if signer.player.login_hash is None or not hmac.compare_digest(digest, rows[0].digest):
            return None
        return SigninKey(rows[0].key_id, signer, rows[0].used_at)

    def used(self, key_id: int, now: int) -> None:
        """Note that the key was used."""
        self._change(signin_key.update().where(signin_key.c.id == key_id).values(used_at=now))

    def remove(self, key_id: int) -> None:
        """End one key."""
        self._change(signin_key.delete().where(signin_key.c.id == key_id))

    def remove_all(self, player_id: int) -> int:
        """End every key of a player; return how many there were."""
        return self._change(signin_key.delete().where(signin_key.c.player_id == player_id))

    def forget(self, now: int) -> int:
        """Delete the keys that have ended for want of use; return how many those were."""
        return self._change(signin_key.delete().where(signin_key.c.used_at <= now - LIFE))


def _digest(secret: bytes, player: Player) -> str:
    """Return what is stored of a key: worthless without it, for another player and password."""
    bound_to = f"{player.id} {player.password_hash}".encode()
    return hmac.digest(secret, bound_to, "sha256").hex()
