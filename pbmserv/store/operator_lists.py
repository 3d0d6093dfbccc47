"""The lists of operators: whatever is stored, filtered and counted, some rows at a time."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import sqlalchemy as sa

from pbmserv.club.match import MatchSummary
from pbmserv.club.player import Player
from pbmserv.store.audit import SELECT as AUDIT
from pbmserv.store.audit import AuditEntry
from pbmserv.store.connection import Part
from pbmserv.store.inbox import Arrival
from pbmserv.store.match_rows import WITH_SEATS, summary_of
from pbmserv.store.outbox import OutboxEntry
from pbmserv.store.players import SELECT as PLAYERS
from pbmserv.store.players import players_of
from pbmserv.store.tables import audit, inbox, match, outbox, player

T = TypeVar("T")


@dataclass(frozen=True)
class Wanted:
    """Which rows are wanted; what is None does not matter.

    ``status`` is that of the list: of a board, an account, a letter, or the outcome of a request
    or mail. ``since`` is the earliest moment that counts.
    """

    game: str | None = None
    player_id: int | None = None
    status: str | None = None
    since: int | None = None
    limit: int | None = None
    offset: int = 0


@dataclass(frozen=True)
class Page(Generic[T]):
    """Some of the rows that are wanted, and how many there are in all."""

    rows: list[T]
    total: int


class Lists(Part):
    """The lists of operators, within one transaction."""

    def matches(self, wanted: Wanted) -> Page[MatchSummary]:
        """Return boards: running ones by number, then ended ones, newest first.

        Removed ones are among them only if their status is wanted.
        """
        chosen = WITH_SEATS.where(
            match.c.status == wanted.status if wanted.status else match.c.status != "removed"
        )
        chosen = _chosen(
            chosen,
            wanted,
            game=match.c.game.__eq__,
            player_id=_plays,
            since=match.c.changed_at.__ge__,
        )
        ended = match.c.to_move.is_(None)
        order = (
            ended,
            sa.case((~ended, match.c.game)),
            sa.case((~ended, match.c.number)),
            match.c.changed_at.desc(),
            match.c.id.desc(),
        )
        rows, total = self._page(chosen, order, wanted)
        return Page([summary_of(row) for row in rows], total)

    def players(self, wanted: Wanted) -> Page[Player]:
        """Return accounts by userid; ``since`` is when they were last seen, ``game`` one they play.

        A suspended account has the status "suspended".
        """
        status = sa.case((player.c.suspended_at.is_not(None), "suspended"), else_=player.c.status)
        chosen = _chosen(
            sa.select(player.c.id),
            wanted,
            player_id=player.c.id.__eq__,
            status=status.__eq__,
            since=player.c.seen_at.__ge__,
            game=lambda name: sa.exists().where(match.c.game == name, _plays(player.c.id)),
        )
        rows, total = self._page(chosen, (player.c.userid_key,), wanted)
        found = self._connection.execute(PLAYERS.where(player.c.id.in_([row.id for row in rows])))
        return Page(players_of(found.all()), total)

    def audit(self, wanted: Wanted) -> Page[AuditEntry]:
        """Return what was done and refused, the newest first."""
        chosen = _chosen(
            AUDIT.order_by(None),
            wanted,
            game=match.c.game.__eq__,
            player_id=audit.c.player_id.__eq__,
            status=audit.c.outcome.__eq__,
            since=audit.c.at.__ge__,
        )
        rows, total = self._page(chosen, (audit.c.id.desc(),), wanted)
        return Page([AuditEntry(*row) for row in rows], total)

    def arrivals(self, wanted: Wanted) -> Page[Arrival]:
        """Return mails that were received, the newest first."""
        chosen = _chosen(
            sa.select(*(inbox.c[name] for name in Arrival.__dataclass_fields__)),
            wanted,
            player_id=inbox.c.player_id.__eq__,
            status=inbox.c.outcome.__eq__,
            since=inbox.c.received_at.__ge__,
        )
        rows, total = self._page(chosen, (inbox.c.id.desc(),), wanted)
        return Page([Arrival(*row) for row in rows], total)

    def letters(self, wanted: Wanted) -> Page[OutboxEntry]:
        """Return letters, the newest first."""
        of_game = sa.select(match.c.id)
        chosen = _chosen(
            sa.select(*(outbox.c[name] for name in OutboxEntry.__dataclass_fields__)),
            wanted,
            game=lambda name: outbox.c.match_id.in_(of_game.where(match.c.game == name)),
            player_id=outbox.c.player_id.__eq__,
            status=outbox.c.state.__eq__,
            since=outbox.c.created_at.__ge__,
        )
        rows, total = self._page(chosen, (outbox.c.id.desc(),), wanted)
        return Page([OutboxEntry(*row) for row in rows], total)

    def _page(
        self, chosen: sa.Select[Any], order: tuple[Any, ...], wanted: Wanted
    ) -> tuple[list[Any], int]:
        """Return the rows of the page, and how many rows there are in all."""
        counted = chosen.with_only_columns(sa.func.count(), maintain_column_froms=True)
        total = int(self._connection.execute(counted).scalar_one())
        rows = chosen.order_by(*order).limit(wanted.limit).offset(wanted.offset)
        return list(self._connection.execute(rows).all()), total


def _chosen(
    statement: sa.Select[Any], wanted: Wanted, **conditions: Callable[[Any], sa.ColumnElement[bool]]
) -> sa.Select[Any]:
    """Choose the rows that fulfil the condition of each wish, by its name, that there is."""
    wishes = ((condition, getattr(wanted, name)) for name, condition in conditions.items())
    return statement.where(*(condition(value) for condition, value in wishes if value is not None))


def _plays(player_id: Any) -> sa.ColumnElement[bool]:
    return sa.or_(match.c.first_id == player_id, match.c.second_id == player_id)
