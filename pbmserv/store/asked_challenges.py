"""Challenges that came by mail without a proof, until whoever they name has confirmed them."""

from typing import NamedTuple

import sqlalchemy as sa

from pbmserv.store.connection import Part
from pbmserv.store.tables import asked_challenge

PATIENCE = 7 * 24 * 3600
"""Seconds after which nobody waits for the answer any longer."""

COUNTER = "asked challenges"
NEXT_NUMBER = sa.text(
    "INSERT INTO counter (name, value) VALUES (:name, 1) "
    "ON CONFLICT (name) DO UPDATE SET value = counter.value + 1 RETURNING value"
)


class AskedChallenge(NamedTuple):
    """Challenges of one mail, a command a line, with the comment that goes with them.

    No two ever have the same ``number``: an answer that comes late confirms nothing else.
    """

    number: int
    lines: tuple[str, ...]
    comment: str


class AskedChallenges(Part):
    """What waits for a confirmation, one for each player, within one transaction."""

    def ask(self, player_id: int, lines: tuple[str, ...], comment: str, now: int) -> int | None:
        """Keep challenges until they are confirmed and return their number; None if some wait."""
        self._connection.execute(asked_challenge.delete().where(_is_old(now)))
        own = asked_challenge.c.player_id == player_id
        if self._connection.execute(sa.select(asked_challenge).where(own)).first() is not None:
            return None
        number = int(self._connection.execute(NEXT_NUMBER, {"name": COUNTER}).scalar_one())
        self._connection.execute(
            asked_challenge.insert(),
            {
                "player_id": player_id,
                "number": number,
                "lines": "\n".join(lines),
                "comment": comment,
                "asked_at": now,
            },
        )
        return number

    def take(self, player_id: int, number: int, now: int) -> AskedChallenge | None:
        """Remove and return what waits under this number, None if nothing does."""
        c = asked_challenge.c
        taken = self._connection.execute(
            asked_challenge.delete()
            .where(c.player_id == player_id, c.number == number, ~_is_old(now))
            .returning(c.lines, c.comment)
        ).first()
        if taken is None:
            return None
        return AskedChallenge(number, tuple(taken.lines.split("\n")), taken.comment)


def _is_old(now: int) -> sa.ColumnElement[bool]:
    return asked_challenge.c.asked_at <= now - PATIENCE
