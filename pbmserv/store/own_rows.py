"""All that is stored of one player, for their own eyes."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import sqlalchemy as sa

from pbmserv.store.columns import metadata
from pbmserv.store.tables import block, inbox, match, move, player, quota, throttle

UNTOLD = frozenset({"password_hash", "token_hash", "digest"})
"""Columns of secrets, even if only as a hash."""

CHUNK = 500


class OwnRows(NamedTuple):
    """The rows of one table that are about a player: players by userid, boards by name."""

    table: str
    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


def own_rows(connection: sa.Connection, player_id: int, userid: str) -> Iterator[OwnRows]:
    """Yield the rows of every table that name the player; who blocks them is not told."""
    for table in metadata.sorted_tables:
        mine = [
            column == player_id for column in _naming(table) if column is not block.c.blocked_id
        ]
        if table is player:
            mine = [player.c.id == player_id]
        elif table is move:
            # By the boards: there are many times as many moves.
            seats = (match.c.first_id == player_id, match.c.second_id == player_id)
            boards = sa.select(match.c.id).where(sa.or_(*seats))
            mine = [sa.and_(move.c.match_id.in_(boards), *mine)]
        elif table is throttle:
            mine = [throttle.c.userid_key == userid.lower()]
        elif table is quota:
            mine = [quota.c.holder == f"player {player_id}"]
        if not mine:
            continue
        columns = [column for column in table.columns if column.name not in UNTOLD]
        chosen = sa.select(*columns).where(sa.or_(*mine)).order_by(*table.primary_key)
        if rows := [tuple(row) for row in connection.execute(chosen)]:
            yield OwnRows(table.name, *_named(connection, columns, rows))


def _naming(table: sa.Table) -> list[sa.Column[Any]]:
    """Return the columns that hold the number of a player."""
    found = [column for column in table.columns if column.references(player.c.id)]
    return [*found, inbox.c.player_id] if table is inbox else found


def _named(
    connection: sa.Connection, columns: list[sa.Column[Any]], rows: list[tuple[Any, ...]]
) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    """Return names of columns, and rows, with names for the numbers of players and boards."""
    wanted = ((player, player.c.userid), (match, match.c.game + " " + _text(match.c.number)))
    for table, name in wanted:
        places = [n for n, column in enumerate(columns) if column.references(table.c.id)]
        numbers = {row[place] for row in rows for place in places}
        names = dict(_names(connection, table.c.id, name, numbers))
        rows = [
            tuple(names.get(v, v) if n in places else v for n, v in enumerate(row)) for row in rows
        ]
    return tuple(column.name.removesuffix("_id") for column in columns), rows


def _text(column: sa.Column[int]) -> sa.ColumnElement[str]:
    return sa.cast(column, sa.Text)


def _names(
    connection: sa.Connection,
    key: sa.Column[int],
    name: sa.ColumnElement[str],
    numbers: Iterable[int | None],
) -> Iterator[tuple[int, str]]:
    waiting = sorted(number for number in numbers if number is not None)
    for first in range(0, len(waiting), CHUNK):
        part = waiting[first : first + CHUNK]
        for row in connection.execute(sa.select(key, name).where(key.in_(part))):
            yield row[0], row[1]
