"""The lists of operators: whatever is stored, filtered and counted, some rows at a time."""

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

import sqlalchemy as sa

from pbmserv.club.match import MatchSummary
from pbmserv.club.player import Player
from pbmserv.store.audit import SELECT as AUDIT
from pbmserv.store.audit import AuditEntry
from pbmserv.store.connection import Repository
from pbmserv.store.mail.inbox import ARRIVALS, Arrival
from pbmserv.store.mail.outbox import ENTRIES, OutboxEntry
from pbmserv.store.matches.match_rows import WITH_SEATS, summary_of
from pbmserv.store.people.players import SELECT as PLAYERS
from pbmserv.store.people.players import players_of
from pbmserv.store.tables import IS_RUNNING, audit, inbox, match, outbox, player

T = TypeVar("T")

SIDES = (match.c.first_id, match.c.second_id)
Group = tuple[AbstractSet[str], sa.ColumnElement[bool], sa.Column[int], tuple[Any, ...]]
GROUPS: tuple[Group, ...] = (
    ({"running"}, IS_RUNNING, match.c.changed_at, (match.c.game, match.c.number)),
    (
        {"won", "drawn"},
        match.c.finished_at.is_not(None),
        match.c.finished_at,
        (match.c.finished_at.desc(), match.c.id.desc()),
    ),
    (
        {"removed"},
        match.c.status == "removed",
        match.c.changed_at,
        (match.c.changed_at.desc(), match.c.id.desc()),
    ),
)
"""Which matches are listed together: their statuses, when they last changed, and their order."""


@dataclass(frozen=True)
class Filter:
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


ALL = Filter()


@dataclass(frozen=True)
class Page(Generic[T]):
    """Some of the rows that are wanted, and how many there are in all."""

    rows: list[T]
    total: int


class Lists(Repository):
    """Whatever is stored, as operators list it."""

    def matches(self, wanted: Filter = ALL) -> Page[MatchSummary]:
        """Return running boards by number, then ended (and removed) ones, newest first."""
        found: list[MatchSummary] = []
        total = 0
        for statuses, is_such, at, order in GROUPS:
            asked = statuses if wanted.status is None else statuses & {wanted.status}
            if not asked or (wanted.status is None and "removed" in asked):
                continue
            chosen = _chosen(
                WITH_SEATS.where(is_such),
                wanted,
                game=match.c.game.__eq__,
                player_id=partial(_of_player, is_such),
                status=match.c.status.__eq__,
                since=at.__ge__,
            )
            skipped = max(0, wanted.offset - total)
            left = None if wanted.limit is None else wanted.limit - len(found)
            rows = chosen.order_by(*order).limit(left).offset(skipped)
            found += [summary_of(row) for row in self._connection.execute(rows)]
            total += self._count(match, chosen)
        return Page(found, total)

    def players(self, wanted: Filter = ALL) -> Page[Player]:
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
            game=lambda name: player.c.id.in_(
                sa.union(*(sa.select(side).where(match.c.game == name) for side in SIDES))
            ),
        )
        rows, total = self._page(player, chosen, wanted, player.c.userid_key)
        found = self._connection.execute(PLAYERS.where(player.c.id.in_([row.id for row in rows])))
        return Page(players_of(found.all()), total)

    def audit(self, wanted: Filter = ALL) -> Page[AuditEntry]:
        """Return commands done and refused, the newest first."""
        chosen = _chosen(
            AUDIT.order_by(None),
            wanted,
            game=lambda name: audit.c.match_id.in_(_boards_of(name)),
            player_id=audit.c.player_id.__eq__,
            status=audit.c.outcome.__eq__,
            since=audit.c.at.__ge__,
        )
        rows, total = self._page(audit, chosen, wanted)
        return Page([AuditEntry(*row) for row in rows], total)

    def arrivals(self, wanted: Filter = ALL) -> Page[Arrival]:
        """Return mails that were received, the newest first."""
        chosen = _chosen(
            ARRIVALS,
            wanted,
            player_id=inbox.c.player_id.__eq__,
            status=inbox.c.outcome.__eq__,
            since=inbox.c.received_at.__ge__,
        )
        rows, total = self._page(inbox, chosen, wanted)
        return Page([Arrival(*row) for row in rows], total)

    def letters(self, wanted: Filter = ALL) -> Page[OutboxEntry]:
        """Return letters, the newest first."""
        chosen = _chosen(
            ENTRIES,
            wanted,
            game=lambda name: outbox.c.match_id.in_(_boards_of(name)),
            player_id=outbox.c.player_id.__eq__,
            status=outbox.c.state.__eq__,
            since=outbox.c.created_at.__ge__,
        )
        rows, total = self._page(outbox, chosen, wanted)
        return Page([OutboxEntry(*row) for row in rows], total)

    def _count(self, table: sa.Table, chosen: sa.Select[Any]) -> int:
        """Return how many rows of a table are chosen: what it is joined with adds none."""
        counting = sa.select(sa.func.count()).select_from(table)
        if chosen.whereclause is not None:
            counting = counting.where(chosen.whereclause)
        return int(self._connection.execute(counting).scalar_one())

    def _page(
        self, table: sa.Table, chosen: sa.Select[Any], wanted: Filter, order: Any = None
    ) -> tuple[Sequence[Any], int]:
        """Return the rows of the page, by default the newest first, and how many there are."""
        ordered = chosen.order_by(table.c.id.desc() if order is None else order)
        rows = self._connection.execute(ordered.limit(wanted.limit).offset(wanted.offset)).all()
        return rows, self._count(table, chosen)


def _chosen(
    statement: sa.Select[Any], wanted: Filter, **conditions: Callable[[Any], sa.ColumnElement[bool]]
) -> sa.Select[Any]:
    """Choose the rows that fulfil the condition of each wish, by its name, that there is."""
    wishes = ((condition, getattr(wanted, name)) for name, condition in conditions.items())
    return statement.where(*(condition(value) for condition, value in wishes if value is not None))


def _of_player(is_such: sa.ColumnElement[bool], player_id: int) -> sa.ColumnElement[bool]:
    # By the index of each side, not by walking through all in order.
    boards = [sa.select(match.c.id).where(side == player_id, is_such) for side in SIDES]
    return match.c.id.in_(sa.union(*boards))


def _boards_of(game: str) -> sa.Select[Any]:
    return sa.select(match.c.id).where(match.c.game == game)
