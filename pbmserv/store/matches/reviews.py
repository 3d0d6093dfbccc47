"""Reviews: what the computer thought of finished games, one for each."""

import json
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from pbmserv.store.connection import Repository
from pbmserv.store.tables import put, review

KEEP = put(review, "revision", "document")


class Reviews(Repository):
    """The reviews kept, within one transaction."""

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
