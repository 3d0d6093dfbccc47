"""Players and their addresses."""

import re
from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

import sqlalchemy as sa

from pbmserv.club.player import USERID, Player, PlayerStatus, Robot, format_robot, parse_robot
from pbmserv.engine.moments import HOUR
from pbmserv.errors import Refused
from pbmserv.store.connection import Repository, savepoint
from pbmserv.store.faults import damaged
from pbmserv.store.matches.matches import LOCKING
from pbmserv.store.tables import address, moment, notice, player

MAINTENANCE = "maintenance"
"""The name of the moment since when nobody but operators changes anything."""

SELECT = (
    sa.select(player, address.c.address)
    .select_from(player.outerjoin(address))
    .order_by(player.c.userid_key, address.c.position)
)
SIGNER = SELECT.add_columns(
    sa.select(moment.c.at).where(moment.c.name == MAINTENANCE).scalar_subquery().label("paused_at"),
    sa.exists()
    .where(notice.c.player_id == player.c.id, notice.c.read_at.is_(None))
    .label("has_news"),
)
SIGNS = SIGNER.where(player.c.userid_key == sa.bindparam("key"))
SIGNS_AT_BOARD = SIGNS.add_columns(LOCKING.scalar_subquery().label("locked_id"))
"""The same, and locks the match of that game and number."""
WORD = re.compile("[A-Za-z0-9._-]{1,24}", re.ASCII)
"""The characters of a userid."""

SEEN_ANEW = HOUR
"""Seconds after which it is worth a write that somebody was seen again."""


class Signer(NamedTuple):
    """The player who signs a command, with what the door needs to know of them.

    ``paused_at`` is since when there is maintenance; without ``has_news`` they have read all.
    """

    player: Player
    paused_at: int | None
    has_news: bool


class Players(Repository):
    """The accounts."""

    def find(self, userid: str) -> Player | None:
        """Return the player with this userid, in whatever case it is written."""
        # Not every text can be asked of every database: NUL and lone surrogates cannot.
        if not USERID.fullmatch(userid):
            return None
        return self._one(player.c.userid_key == userid.lower())

    def signer(self, userid: str, board: tuple[str, int] | None = None) -> Signer | None:
        """Return the signer with this userid; locks the match at ``board``, a game and a number."""
        if not USERID.fullmatch(userid):
            return None
        key = userid.lower()
        if board is None:
            return signer_of(self._connection.execute(SIGNS, {"key": key}).all())
        values = {"key": key, "game": board[0], "number": board[1]}
        return signer_of(self._connection.execute(SIGNS_AT_BOARD, values).all())

    def get(self, player_id: int) -> Player:
        """Return the player with this number, which must exist."""
        found = self._one(player.c.id == player_id)
        if found is None:
            raise LookupError(f"no player {player_id}")
        return found

    def at(self, address: str, player_id: int) -> Player | None:
        """Return the player with this number if the address is one of theirs."""
        found = self._one(player.c.id == player_id)
        keys = () if found is None else [each.lower() for each in found.addresses]
        return found if address.lower() in keys else None

    def called(self, words: Collection[str]) -> list[str]:
        """Return the userids among these words that are somebody's, but for closed accounts."""
        chosen = (
            sa.select(player.c.userid)
            .where(player.c.userid_key.in_(sorted(words)))
            .where(player.c.status != PlayerStatus.CLOSED.value)
            .order_by(player.c.userid_key)
        )
        return self._column(chosen)

    def members(self, word: str, limit: int) -> list[Player]:
        """Return the open accounts in whose userid a word stands, in the order of userids."""
        # Not every text can be asked of every database; no userid holds any other character.
        if word and not WORD.fullmatch(word):
            return []
        chosen = sa.select(player.c.id).where(
            player.c.status == PlayerStatus.ACTIVE.value,
            player.c.userid_key.contains(word.lower(), autoescape=True),
        )
        return self._chosen(chosen.order_by(player.c.userid_key).limit(limit))

    def open_userids(self) -> list[str]:
        """Return the userids of all open accounts."""
        chosen = sa.select(player.c.userid).where(player.c.status == PlayerStatus.ACTIVE.value)
        return self._column(chosen)

    def add(
        self,
        userid: str,
        password_hash: str | None,
        addresses: Sequence[str],
        *,
        status: PlayerStatus,
        now: int,
    ) -> Player:
        """Store a new account and return it; one known from imported games becomes it.

        Raises :class:`Refused` ``userid-taken``, also when another program was faster.
        """
        values = {
            "userid": userid,
            "password_hash": password_hash,
            "status": status.value,
            "created_at": now,
        }
        player_id = None
        if status is PlayerStatus.ACTIVE:
            player_id = self._taken_over(userid.lower(), values)
        if player_id is None:
            player_id = self._insert({**values, "userid_key": userid.lower()})
        added = Player(player_id, userid, status, password_hash, now, _distinct(addresses))
        self._write_addresses(added)
        return added

    def save(self, changed: Player, *, closed_at: int | None = None) -> Player:
        """Store the player's status, password and addresses as they are now."""
        changed = changed._replace(addresses=_distinct(changed.addresses))
        values: dict[str, Any] = {
            "status": changed.status.value,
            "password_hash": changed.password_hash,
        }
        if closed_at is not None or changed.status is not PlayerStatus.CLOSED:
            values["closed_at"] = closed_at
        self._set(changed.id, **values)
        if self.get(changed.id).addresses != changed.addresses:
            self._change_addresses(changed)
        return changed

    def note_seen(self, active: Player, now: int) -> None:
        """Note that the player has done something, to the hour."""
        if active.seen_at is None or active.seen_at < now - SEEN_ANEW:
            self._set(active.id, seen_at=now)

    def suspend(self, player_id: int, since: int | None) -> None:
        """Suspend an account since this moment, or with None no longer."""
        self._set(player_id, suspended_at=since)

    def make_robot(self, player_id: int, robot: Robot) -> None:
        """Let the computer play under a userid, or play otherwise from now on."""
        self._set(player_id, robot=format_robot(robot))

    def robots(self) -> list[Player]:
        """Return the robots whose accounts are open, in the order of their userids."""
        is_open = player.c.status == PlayerStatus.ACTIVE.value
        return self._chosen(sa.select(player.c.id).where(player.c.robot.is_not(None), is_open))

    def rename(self, renamed: Player, userid: str) -> None:
        """Give a player another userid; raises :class:`Refused` ``userid-taken``."""
        try:
            with self._connection.begin_nested():
                self._set(renamed.id, userid=userid, userid_key=userid.lower())
        except sa.exc.IntegrityError as error:
            raise _taken() from error

    def _chosen(self, numbers: sa.Select[Any]) -> list[Player]:
        """Return the players with these numbers in the order of their userids."""
        # Asked for in two steps, a part of them is no reason to walk through all of them.
        chosen = SELECT.where(player.c.id.in_(self._column(numbers)))
        return players_of(self._connection.execute(chosen).all())

    def _one(self, is_such: sa.ColumnElement[bool]) -> Player | None:
        rows = self._connection.execute(SELECT.where(is_such)).all()
        return _player_of(rows) if rows else None

    def _set(self, player_id: int, **values: object) -> None:
        self._change(player.update().where(player.c.id == player_id).values(**values))

    def _taken_over(self, key: str, values: dict[str, Any]) -> int | None:
        """Turn the player of imported games called ``key``, if there is one, into an account."""
        is_recorded = player.c.status == PlayerStatus.RECORDED.value
        recorded = player.update().where(player.c.userid_key == key, is_recorded)
        return self._number(recorded.values(**values).returning(player.c.id))

    def _insert(self, values: dict[str, Any]) -> int:
        try:
            with savepoint(self._connection):
                inserted = player.insert().values(**values).returning(player.c.id)
                return int(self._connection.execute(inserted).scalar_one())
        except sa.exc.IntegrityError as error:
            raise _taken() from error

    def _change_addresses(self, owner: Player) -> None:
        """Keep what is known of the addresses that stay; new ones are not proven yet."""
        own = address.c.player_id == owner.id
        keys = [text.lower() for text in owner.addresses]
        self._change(address.delete().where(own, address.c.address_key.not_in(keys)))
        known = set(self._column(sa.select(address.c.address_key).where(own)))
        for position, text in enumerate(owner.addresses):
            if text.lower() in known:
                moved = address.update().where(own, address.c.address_key == text.lower())
                self._change(moved.values(position=position, address=text))
        self._write_addresses(owner, known)

    def _write_addresses(self, owner: Player, known: AbstractSet[str] = frozenset()) -> None:
        rows = [
            {
                "player_id": owner.id,
                "position": position,
                "address": text,
                "address_key": text.lower(),
                "is_trusted": 0,
                "hard_bounces": 0,
            }
            for position, text in enumerate(owner.addresses)
            if text.lower() not in known
        ]
        self._add_rows(address, rows)


def _taken() -> Refused:
    return Refused("That userid is taken.", code="userid-taken", hint="Choose another one.")


def _distinct(addresses: Sequence[str]) -> tuple[str, ...]:
    """Return the addresses in their order, each once whatever its case."""
    kept: dict[str, str] = {}
    for text in addresses:
        kept.setdefault(text.lower(), text)
    return tuple(kept.values())


def signer_of(rows: Sequence[sa.Row[Any]]) -> Signer | None:
    """Return the signer of these rows of :data:`SIGNER`, None if there are none."""
    return Signer(_player_of(rows), rows[0].paused_at, bool(rows[0].has_news)) if rows else None


def players_of(rows: Sequence[sa.Row[Any]]) -> list[Player]:
    """Return the players of these rows, of which each has one for every address."""
    own: dict[int, list[sa.Row[Any]]] = {}
    for row in rows:
        own.setdefault(row.id, []).append(row)
    return [_player_of(each) for each in own.values()]


def _player_of(rows: Sequence[sa.Row[Any]]) -> Player:
    row = rows[0]
    try:
        robot = None if row.robot is None else parse_robot(row.robot)
    except ValueError as error:
        raise damaged("A stored robot cannot be read.", "damaged-player") from error
    return Player(
        row.id,
        row.userid,
        PlayerStatus(row.status),
        row.password_hash,
        row.created_at,
        tuple([each.address for each in rows if each.address is not None]),
        row.seen_at,
        row.suspended_at,
        robot,
    )
