"""Addresses on file: which are proven, which may be written to, and which bounce."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from pbmserv.club.player import is_mail_for
from pbmserv.store.connection import Repository
from pbmserv.store.tables import address, match, player, preference, quiet, subscription

HARD_BOUNCES = 3
"""After so many of them nothing more is sent to an address."""

SELECT: sa.Select[Any] = sa.select(
    *(address.c.player_id, address.c.address, address.c.verified_at),
    *(address.c.is_trusted, address.c.hard_bounces, address.c.stopped_at),
)
ID: sa.BindParameter[int] = sa.bindparam("id")
TOLD = sa.union(
    sa.select(match.c.first_id).where(match.c.id == ID),
    sa.select(match.c.second_id).where(match.c.id == ID),
    sa.select(subscription.c.player_id).where(subscription.c.match_id == ID),
).subquery("told")
AT_MATCH = (
    SELECT.add_columns(
        player.c.id,
        player.c.userid,
        (preference.c.has_digest == 1).label("has_digest"),
        quiet.c.player_id.is_not(None).label("is_quiet"),
    )
    .select_from(TOLD)
    .join(player, player.c.id == TOLD.c.first_id)
    .outerjoin(preference, preference.c.player_id == player.c.id)
    .outerjoin(quiet, sa.and_(quiet.c.player_id == player.c.id, quiet.c.match_id == ID))
    .outerjoin(address, address.c.player_id == player.c.id)
    .order_by(player.c.id, address.c.position)
)


class Address(NamedTuple):
    """One address of a player.

    It ``is_proven`` by a reply to our token, or trusted: the player reads what is sent there. To
    one that ``is_open`` game mail may go.
    """

    player_id: int
    address: str
    is_proven: bool
    is_open: bool
    hard_bounces: int
    stopped_at: int | None


class Recipient(NamedTuple):
    """A player or subscriber of a match, with an address and what news they want."""

    player_id: int
    userid: str
    has_digest: bool
    is_quiet: bool
    address: Address | None


class Addresses(Repository):
    """The addresses on file, and which of them are proven."""

    def of(self, player_ids: Sequence[int]) -> list[Address]:
        """Return the addresses of these players, each player's in their own order."""
        chosen = SELECT.where(address.c.player_id.in_(player_ids))
        rows = chosen.order_by(address.c.player_id, address.c.position)
        return list(map(_address, self._connection.execute(rows)))

    def at_match(self, match_id: int) -> list[Recipient]:
        """Return the players and subscribers of a match, once for each address or once without."""
        rows = self._connection.execute(AT_MATCH, {"id": match_id})
        return [
            Recipient(
                row.id,
                row.userid,
                bool(row.has_digest),
                bool(row.is_quiet),
                None if row.address is None else _address(row),
            )
            for row in rows
        ]

    def holders(self, *texts: str) -> list[Address]:
        """Return these addresses, in whatever case they are written, once for each who has one."""
        own = SELECT.where(address.c.address_key.in_([text.lower() for text in texts]))
        return list(map(_address, self._connection.execute(own)))

    def for_server(self, own: str) -> list[Address]:
        """Return the addresses of players at which the server itself gets its mail."""
        local, _, domain = own.lower().rpartition("@")
        like = SELECT.where(address.c.address_key.like(f"{local}%@{domain}"))
        return [a for a in map(_address, self._connection.execute(like)) if is_mail_for(a[1], own)]

    def verify(self, player_id: int, text: str, now: int) -> None:
        """Note that a reply proved this address to be the player's; mail to it begins again."""
        verified_at = sa.func.coalesce(address.c.verified_at, now)
        self._change(
            address.update()
            .where(*_is_of(player_id, text))
            .values(verified_at=verified_at, hard_bounces=0, stopped_at=None)
        )

    def close(self, player_id: int, text: str, now: int) -> bool:
        """Stop mail to an address whose reader wants none; tell whether it was unproven yet."""
        is_unproven = address.c.verified_at.is_(None), address.c.is_trusted == 0
        own = address.update().where(*_is_of(player_id, text), *is_unproven)
        return self._change(own.values(stopped_at=now)) > 0

    def trust(self, player_id: int, texts: Sequence[str]) -> None:
        """Note that the player gave these addresses in the shell, which is proof enough."""
        for text in texts:
            self._change(address.update().where(*_is_of(player_id, text)).values(is_trusted=1))

    def bounced(self, text: str, now: int) -> bool:
        """Count a hard bounce; tell whether it is the one that stops mail to this address."""
        such = address.update().where(address.c.address_key == text.lower())
        self._change(such.values(hard_bounces=address.c.hard_bounces + 1))
        is_dead = address.c.hard_bounces >= HARD_BOUNCES, address.c.stopped_at.is_(None)
        return self._change(such.where(*is_dead).values(stopped_at=now)) > 0


def _is_of(player_id: int, text: str) -> tuple[sa.ColumnElement[bool], ...]:
    return address.c.player_id == player_id, address.c.address_key == text.lower()


def _address(row: sa.Row[Any]) -> Address:
    is_proven = bool(row.is_trusted) or row.verified_at is not None
    is_open = is_proven and row.stopped_at is None
    return Address(row.player_id, row.address, is_proven, is_open, row.hard_bounces, row.stopped_at)
