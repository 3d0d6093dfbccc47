"""Plans: queued moves as their words, by match and owner."""

from collections.abc import Iterable
from typing import NamedTuple

import sqlalchemy as sa

from pbmserv.store.connection import Part
from pbmserv.store.tables import plan

OF_MATCH = sa.select(plan.c.player_id, plan.c.text, plan.c.due, plan.c.dropped).where(
    plan.c.match_id == sa.bindparam("id")
)
SET = sa.text(
    "INSERT INTO plan (match_id, player_id, text, due, dropped) "
    "VALUES (:match_id, :player_id, :text, :due, :dropped) "
    "ON CONFLICT (match_id, player_id) DO UPDATE "
    "SET text = :text, due = :due, dropped = :dropped"
)


class StoredPlan(NamedTuple):
    """The words of a plan, the number of moves at which it is due, and why it was given up."""

    player_id: int
    text: str
    due: int
    dropped: str | None = None


class Plans(Part):
    """The plans, within one transaction."""

    def of(self, match_id: int) -> list[StoredPlan]:
        """Return the plans for this match, those that were given up included."""
        return [StoredPlan(*row) for row in self._connection.execute(OF_MATCH, {"id": match_id})]

    def save(self, match_id: int, stored: StoredPlan) -> None:
        """Store a plan in place of its owner's for this match."""
        self._connection.execute(SET, {"match_id": match_id, **stored._asdict()})

    def remove(self, match_id: int, player_ids: Iterable[int]) -> None:
        """Forget what these players have planned for this match."""
        wanted = list(player_ids)
        if wanted:
            chosen = plan.c.match_id == match_id, plan.c.player_id.in_(wanted)
            self._connection.execute(plan.delete().where(*chosen))

    def clear(self, match_id: int) -> None:
        """Forget everything that was planned for this match."""
        self._connection.execute(plan.delete().where(plan.c.match_id == match_id))
