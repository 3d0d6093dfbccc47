"""What strangers send and nobody answers: counted by day and reason, and not kept mail by mail."""

from typing import NamedTuple

import sqlalchemy as sa

from pbmserv.store.connection import Part
from pbmserv.store.tables import ignored_mail

DAY = 24 * 3600
KEPT_DAYS = 90

COUNT = sa.text(
    "INSERT INTO ignored_mail (day, reason, mails) VALUES (:day, :reason, 1) "
    "ON CONFLICT (day, reason) DO UPDATE SET mails = ignored_mail.mails + 1"
)


class IgnoredMails(NamedTuple):
    """How many mails were ignored for a reason on the day that begins at ``day``."""

    day: int
    reason: str
    mails: int


class IgnoredMail(Part):
    """The counts, within one transaction."""

    def count(self, reason: str, now: int) -> None:
        """Count one mail more; ``reason`` is a word of ours."""
        self._connection.execute(COUNT, {"day": now - now % DAY, "reason": reason})

    def counts(self, since: int = 0) -> list[IgnoredMails]:
        """Return the counts of every day that was not over by then, the newest first."""
        rows = sa.select(ignored_mail).where(ignored_mail.c.day > since - DAY)
        ordered = rows.order_by(ignored_mail.c.day.desc(), ignored_mail.c.reason)
        return [IgnoredMails(*row) for row in self._connection.execute(ordered)]

    def forget(self, now: int) -> None:
        """Delete the counts of days long gone."""
        old = ignored_mail.c.day < now - KEPT_DAYS * DAY
        self._connection.execute(ignored_mail.delete().where(old))
