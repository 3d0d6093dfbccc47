"""Mails that came: which were taken care of, which ignored, which challenges wait for an answer."""

from dataclasses import dataclass
from typing import NamedTuple

import sqlalchemy as sa

from pbmserv.engine.moments import DAY, WEEK
from pbmserv.store.connection import Repository
from pbmserv.store.tables import asked_challenge, ignored_mail, inbox

KEPT_DAYS = 90
"""Days for which the counts of ignored mails are kept."""

PATIENCE = WEEK
"""Seconds after which a challenge can no longer be confirmed."""

STRANGER = 0
"""The player number that all strangers share."""

TAKE = sa.text(
    "INSERT INTO inbox (player_id, key, sender, received_at, door, outcome) "
    "SELECT CAST(:player_id AS INTEGER), :key, :sender, CAST(:received_at AS BIGINT), :door, "
    ":outcome WHERE NOT EXISTS (SELECT 1 FROM inbox WHERE player_id = 0 AND key = :unsigned_key) "
    "ON CONFLICT (player_id, key) DO NOTHING RETURNING id"
)
COUNT_IGNORED = sa.text(
    "INSERT INTO ignored_mail (day, reason, mails) VALUES (:day, :reason, 1) "
    "ON CONFLICT (day, reason) DO UPDATE SET mails = ignored_mail.mails + 1"
)

NEXT_NUMBER = sa.text(
    "INSERT INTO counter (name, value) VALUES ('asked challenges', 1) "
    "ON CONFLICT (name) DO UPDATE SET value = counter.value + 1 RETURNING value"
)


@dataclass(frozen=True)
class Arrival:
    """One mail as the inbox keeps it: never a word of it, only its key and who sent it.

    ``key`` is its Message-ID or, without one, a digest; ``door`` the way it came in; ``outcome``
    "done" or the code of a refusal.
    """

    player_id: int
    key: str
    sender: str
    received_at: int
    door: str
    outcome: str = "done"


ARRIVALS = sa.select(*(inbox.c[name] for name in Arrival.__dataclass_fields__))


class Inbox(Repository):
    """The mails received, so that none is acted upon twice."""

    def take(self, arrival: Arrival, unsigned_key: str = "") -> int | None:
        """Enter a mail and return its number, or None if this player's mail was here before.

        So it was if it came when nobody had signed it, which ``unsigned_key`` tells.
        To be called first in a transaction, outside its savepoint: another program that takes
        the same mail waits here until this transaction has ended.
        """
        return self._number(TAKE, {**vars(arrival), "unsigned_key": unsigned_key})

    def settle(self, number: int, outcome: str) -> None:
        """Note that a mail which was taken has ended otherwise."""
        self._change(inbox.update().where(inbox.c.id == number).values(outcome=outcome))

    def has(self, player_id: int, key: str) -> bool:
        """Tell whether this player's mail with this key was taken care of."""
        return self.find(player_id, key) is not None

    def find(self, player_id: int, key: str) -> Arrival | None:
        """Return this player's mail with this key, if it was taken care of."""
        own = ARRIVALS.where(inbox.c.player_id == player_id, inbox.c.key == key)
        row = self._connection.execute(own).first()
        return None if row is None else Arrival(*row)

    def forget(self, before: int) -> int:
        """Delete mail received before this moment; return its number."""
        return self._change(inbox.delete().where(inbox.c.received_at < before))


class IgnoredMails(NamedTuple):
    """The number of mails ignored for a reason on the day that begins at ``day``."""

    day: int
    reason: str
    mails: int


class IgnoredMail(Repository):
    """Counts of ignored mail from strangers, by day and reason."""

    def count(self, reason: str, now: int) -> None:
        """Count one mail more; ``reason`` is a word of ours."""
        self._connection.execute(COUNT_IGNORED, {"day": now - now % DAY, "reason": reason})

    def counts(self, since: int = 0) -> list[IgnoredMails]:
        """Return the counts of every day that was not over by then, the newest first."""
        rows = sa.select(ignored_mail).where(ignored_mail.c.day > since - DAY)
        ordered = rows.order_by(ignored_mail.c.day.desc(), ignored_mail.c.reason)
        return [IgnoredMails(*row) for row in self._connection.execute(ordered)]

    def forget(self, now: int) -> None:
        """Delete the counts of days long gone."""
        self._change(ignored_mail.delete().where(ignored_mail.c.day < now - KEPT_DAYS * DAY))


class AskedChallenge(NamedTuple):
    """Challenges of one mail, a command a line, with the comment that goes with them.

    No two ever have the same ``number``: an answer that comes late confirms nothing else.
    """

    number: int
    lines: tuple[str, ...]
    comment: str


class AskedChallenges(Repository):
    """Challenges by mail that wait for a confirmation, one a player."""

    def ask(self, player_id: int, lines: tuple[str, ...], comment: str, now: int) -> int | None:
        """Keep challenges until they are confirmed and return their number; None if some wait."""
        self._change(asked_challenge.delete().where(_is_old(now)))
        if self._has(sa.select(asked_challenge).where(asked_challenge.c.player_id == player_id)):
            return None
        number = int(self._connection.execute(NEXT_NUMBER).scalar_one())
        values = {"player_id": player_id, "number": number, "comment": comment, "asked_at": now}
        self._add_rows(asked_challenge, [{**values, "lines": "\n".join(lines)}])
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
