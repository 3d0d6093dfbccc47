"""Plans and reviews: moves that players have queued, and the computer's look at ended games."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import sqlalchemy as sa

from pbmserv.store.connection import Repository
from pbmserv.store.tables import plan, review, upsert

PLANS = sa.select(plan.c.player_id, plan.c.text, plan.c.due, plan.c.dropped)
SET = upsert(plan, "text", "due", "dropped")


class StoredPlan(NamedTuple):
    """The words of a plan, the number of moves at which it is due, and why it was given up."""

    player_id: int
    text: str
    due: int
    dropped: str | None = None


class Plans(Repository):
    """The queued moves, each for the eyes of its owner."""

    def of(self, match_id: int) -> list[StoredPlan]:
        """Return the plans for this match, those that were given up included."""
        rows = self._connection.execute(PLANS.where(plan.c.match_id == match_id))
        return [StoredPlan(*row) for row in rows]

    def save(self, match_id: int, stored: StoredPlan) -> None:
        """Store a plan in place of its owner's for this match."""
        self._connection.execute(SET, {"match_id": match_id, **stored._asdict()})

    def remove(self, match_id: int, player_ids: Iterable[int]) -> None:
        """Forget what these players have planned for this match."""
        if wanted := list(player_ids):
            chosen = plan.c.match_id == match_id, plan.c.player_id.in_(wanted)
            self._change(plan.delete().where(*chosen))

    def clear(self, match_id: int) -> None:
        """Forget everything that was planned for this match."""
        self._change(plan.delete().where(plan.c.match_id == match_id))


KEEP = upsert(review, "revision", "document")


class Reviews(Repository):
    """The computer's reviews of finished games."""

    def find(self, match_id: int, revision: int) -> dict[str, Any] | None:
        """Return the review of a match as it is, None if there is none of this revision."""
        chosen = sa.select(review.c.document).where(
            review.c.match_id == match_id, review.c.revision == revision
        )
        text = self._connection.execute(chosen).scalar()
        found: dict[str, Any] | None = None if text is None else json.loads(text)
        return found

    def keep(self, match_id: int, revision: int, document: Mapping[str, Any]) -> None:
        """Keep the review in place of an earlier one."""
        text = json.dumps(document, separators=(",", ":"))
        values = {"match_id": match_id, "revision": revision, "document": text}
        self._connection.execute(KEEP, values)
