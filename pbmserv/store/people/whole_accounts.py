"""Whole accounts: all that is stored of one, two made one, and what is left of an erased one."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import sqlalchemy as sa

from pbmserv.club.clock import Clock, format_clock, time_used
from pbmserv.club.player import ERASED
from pbmserv.club.vacation import Vacations
from pbmserv.errors import Refused
from pbmserv.store.connection import Repository, chunks
from pbmserv.store.mail.budgets import BudgetScope, Requester
from pbmserv.store.matches.clocks import Absences, Clocks
from pbmserv.store.tables import (
    address,
    audit,
    block,
    budget,
    clock,
    entrant,
    inbox,
    match,
    message,
    metadata,
    move,
    player,
    throttle,
    whole_metadata,
)

UNTOLD = frozenset({"password_hash", "token_hash", "digest"})
"""Columns of secrets, even if only as a hash."""


class OwnRows(NamedTuple):
    """The rows of one table that are about a player: players by userid, boards by name."""

    table: str
    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


SETTINGS = "absence availability rating rating_change reset signin_key"
"""Tables in which a player's own rows are their settings, or are calculated anew."""

PERSONAL = (
    "asked_challenge block chat inbox notice outbox preference private_player proof_request "
    "recorded_name reset signin_key subscription"
)
OWN = (
    *(metadata.tables[name].c.player_id for name in PERSONAL.split()),
    block.c.blocked_id,
    message.c.writer_id,
    message.c.reader_id,
)
"""Columns whose rows with the player's number are about them, and no game needs."""


class Accounts(Repository):
    """Whole accounts: exported, merged, erased."""

    def rows_of(self, player_id: int, userid: str) -> Iterator[OwnRows]:
        """Yield the rows of every table that name the player; who blocks them is not told."""
        for table in metadata.sorted_tables:
            mine = _mine(table, player_id, userid)
            if not mine:
                continue
            columns = [column for column in table.columns if column.name not in UNTOLD]
            chosen = sa.select(*columns).where(sa.or_(*mine)).order_by(*table.primary_key)
            if rows := [tuple(row) for row in self._connection.execute(chosen)]:
                yield OwnRows(table.name, *_named(self._connection, columns, rows))

    def merge(self, old: int, new: int, now: int) -> int:
        """Give everything of the player ``old`` to ``new``; return how many matches they played.

        Their vacations are over with the account: their clocks run on from now, and they are warned
        anew.

        Raises :class:`Refused` if both took part in one tournament.
        """
        if self._connection.dialect.name == "postgresql":
            self._connection.exec_driver_sql(
                "LOCK TABLE player, match, move IN SHARE ROW EXCLUSIVE MODE"
            )
        _require_no_common_tournament(self._connection, old, new)
        sides = match.c.first_id, match.c.second_id
        played = [sa.select(match.c.id).where(side == old) for side in sides]
        matches = self._column(sa.union(*played))
        _change_clocks(self._connection, matches, (old, new), now)
        for table in map(metadata.tables.__getitem__, SETTINGS.split()):
            self._change(table.delete().where(table.c.player_id == old))
        last = sa.select(sa.func.max(address.c.position)).where(address.c.player_id == new)
        offset = (self._number(last) or 0) + 1
        moved = address.update().where(address.c.player_id == old)
        self._change(moved.values(position=address.c.position + offset))
        for table in metadata.sorted_tables:
            for column in _naming(table):
                _replace(self._connection, column, old, new)
        self._change(block.delete().where(block.c.player_id == block.c.blocked_id))
        against_oneself = match.c.first_id == match.c.second_id
        self._change(match.update().where(against_oneself).values(is_rated=0))
        return len(matches)

    def erase(self, player_id: int, userid: str) -> str:
        """Delete all about a player but their games, in the audit too; return their new userid."""
        for column in OWN:
            self._connection.execute(column.table.delete().where(column == player_id))
        key = userid.lower()
        self._change(throttle.delete().where(throttle.c.userid_key == key))
        words = " " + sa.func.lower(audit.c.detail) + " "
        named = sa.or_(audit.c.player_id == player_id, words.contains(f" {key} ", autoescape=True))
        self._change(audit.update().where(named).values(detail=""))
        name = f"{ERASED}{player_id}"
        while self._has(sa.select(player.c.id).where(player.c.userid_key == name)):
            name += "x"
        values = {"userid": name, "userid_key": name, "seen_at": None}
        self._change(player.update().where(player.c.id == player_id).values(**values))
        return name


def _mine(table: sa.Table, player_id: int, userid: str) -> list[sa.ColumnElement[bool]]:
    """Return the conditions for rows that name the player, an empty list for other tables."""
    if table is player:
        return [player.c.id == player_id]
    if table is throttle:
        return [throttle.c.userid_key == userid.lower()]
    if table is budget:
        both = [Requester(player_id=player_id, is_vouched=each) for each in (False, True)]
        return [budget.c.holder.in_(each.key(BudgetScope.PLAYER) for each in both)]
    mine = [column == player_id for column in _naming(table) if column is not block.c.blocked_id]
    if table is move:
        # By the boards: there are many times as many moves.
        seats = (match.c.first_id == player_id, match.c.second_id == player_id)
        boards = sa.select(match.c.id).where(sa.or_(*seats))
        return [sa.and_(move.c.match_id.in_(boards), *mine)]
    return mine


def _naming(table: sa.Table) -> list[sa.Column[Any]]:
    """Return the columns that hold the number of a player."""
    found = [column for column in table.columns if column.references(player.c.id)]
    return [*found, inbox.c.player_id] if table is inbox else found


def _named(
    connection: sa.Connection, columns: list[sa.Column[Any]], rows: list[tuple[Any, ...]]
) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    """Return names of columns, and rows, with names for the numbers of players and boards."""
    board = match.c.game + " " + sa.cast(match.c.number, sa.Text)
    wanted: tuple[tuple[sa.Table, sa.ColumnElement[str]], ...]
    wanted = ((player, player.c.userid), (match, board))
    for table, name in wanted:
        places = [n for n, column in enumerate(columns) if column.references(table.c.id)]
        numbers = {row[place] for row in rows for place in places} - {None}
        names = {
            number: text
            for some in chunks(numbers)
            for number, text in connection.execute(
                sa.select(table.c.id, name).where(table.c.id.in_(some))
            )
        }
        rows = [
            tuple(names.get(v, v) if n in places else v for n, v in enumerate(row)) for row in rows
        ]
    return tuple(column.name.removesuffix("_id") for column in columns), rows


def _replace(connection: sa.Connection, column: sa.Column[Any], old: int, new: int) -> None:
    """Put the one for the other, leaving out rows that the other has already."""
    table = whole_metadata().tables[column.table.name]
    for unique in table.constraints:
        if not isinstance(unique, sa.PrimaryKeyConstraint | sa.UniqueConstraint):
            continue
        if column.name in unique.columns:
            twin = table.alias()
            same = [twin.c[c.name] == c for c in unique.columns if c is not column]
            has_twin = sa.exists().where(twin.c[column.name] == new, *same)
            connection.execute(table.delete().where(column == old, has_twin))
    connection.execute(table.update().where(column == old).values({column: new}))


def _change_clocks(
    connection: sa.Connection, matches: list[int], names: tuple[int, int], now: int
) -> None:
    """Put the one for the other in every clock; what runs is due at once, to be settled anew."""
    old, new = names
    away = Absences(connection).of([old])[old]
    clocks = Clocks(connection)
    for match_id in matches:
        stored = clocks.find(match_id)
        if stored is None:
            continue
        changed = stored.clock
        if away.absences:
            changed = _without_vacations(changed, old, away, now)
        own = clock.update().where(clock.c.match_id == match_id)
        due_at = sa.case((clock.c.due_at.is_not(None), now))
        text = format_clock(changed.with_players_renamed({old: new}))
        connection.execute(own.values(clock=text, due_at=due_at))


def _without_vacations(before: Clock, player_id: int, away: Vacations, now: int) -> Clock:
    """Return the clock with the same time used, but as if this player had never been away."""
    warnings = {p: warned for p, warned in before.total_warnings.items() if p != player_id}
    if before.player_id != player_id:
        return replace(before, total_warnings=warnings)
    spent = time_used(before, away, now)[player_id] - before.used.get(player_id, 0)
    began_at = max(before.began_at, now - spent)
    return replace(before, began_at=began_at, turn_warning=None, total_warnings=warnings)


def _require_no_common_tournament(connection: sa.Connection, old: int, new: int) -> None:
    twin = entrant.alias()
    common = sa.select(entrant.c.tournament_id).where(
        entrant.c.player_id == old,
        twin.c.player_id == new,
        twin.c.tournament_id == entrant.c.tournament_id,
    )
    if connection.execute(common).first() is not None:
        raise Refused("Both took part in the same tournament.", code="same-tournament")
