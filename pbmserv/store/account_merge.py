"""Two accounts made one: every row that names the one player names the other."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from pbmserv.club.clock import Clock, format_clock, time_used
from pbmserv.club.vacation import Vacations
from pbmserv.errors import Refused
from pbmserv.store.clocks import Absences, Clocks
from pbmserv.store.columns import metadata
from pbmserv.store.tables import (
    absence,
    address,
    availability,
    block,
    clock,
    entrant,
    inbox,
    match,
    player,
    preference,
    rating,
    rating_change,
    reset,
    signin_key,
)

FORGOTTEN = (absence, availability, preference, rating, rating_change, reset, signin_key)
"""Tables in which a player's own rows are their settings, or are calculated anew."""


def merge_players(connection: sa.Connection, old: int, new: int, now: int) -> int:
    """Give everything of the player ``old`` to ``new``; return how many matches they played.

    Their vacations are over with the account: their clocks run on from now, and they are warned
    anew.

    Raises :class:`Refused` if both took part in one tournament.
    """
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("LOCK TABLE player, match, move IN SHARE ROW EXCLUSIVE MODE")
    _require_no_common_tournament(connection, old, new)
    matches = _matches_of(connection, old)
    _change_clocks(connection, matches, (old, new), now)
    for table in FORGOTTEN:
        connection.execute(table.delete().where(table.c.player_id == old))
    last = sa.select(sa.func.max(address.c.position)).where(address.c.player_id == new)
    offset = (connection.execute(last).scalar() or 0) + 1
    moved = address.update().where(address.c.player_id == old)
    connection.execute(moved.values(position=address.c.position + offset))
    for column in _columns():
        _change(connection, column, old, new)
    connection.execute(block.delete().where(block.c.player_id == block.c.blocked_id))
    against_oneself = match.c.first_id == match.c.second_id
    connection.execute(match.update().where(against_oneself).values(is_rated=0))
    return len(matches)


def _columns() -> Iterator[sa.Column[Any]]:
    """Yield every column that names a player."""
    for table in metadata.sorted_tables:
        for column in table.columns:
            if any(key.column is player.c.id for key in column.foreign_keys):
                yield column
    yield inbox.c.player_id


def _change(connection: sa.Connection, column: sa.Column[Any], old: int, new: int) -> None:
    """Put the one for the other, leaving out rows that the other has already."""
    table = column.table
    for unique in table.constraints:
        if not isinstance(unique, sa.PrimaryKeyConstraint | sa.UniqueConstraint):
            continue
        if column.name in unique.columns:
            twin = table.alias()
            same = [twin.c[c.name] == c for c in unique.columns if c is not column]
            has_twin = sa.exists().where(twin.c[column.name] == new, *same)
            connection.execute(table.delete().where(column == old, has_twin))
    connection.execute(table.update().where(column == old).values({column: new}))


def _matches_of(connection: sa.Connection, player_id: int) -> list[int]:
    sides = [
        sa.select(match.c.id).where(side == player_id)
        for side in (match.c.first_id, match.c.second_id)
    ]
    return list(connection.execute(sa.union(*sides)).scalars())


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
        text = format_clock(changed.renamed({old: new}))
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
