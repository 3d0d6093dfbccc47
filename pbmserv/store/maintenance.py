"""Maintenance: while there is some, nobody but operators changes anything."""

import sqlalchemy as sa

from pbmserv.errors import Paused
from pbmserv.store.connection import Part

NAME = {"name": "maintenance"}
SINCE = sa.text("SELECT at FROM moment WHERE name = :name")
BEGIN = sa.text("INSERT INTO moment (name, at) VALUES (:name, :at)")
END = sa.text("DELETE FROM moment WHERE name = :name")


class Maintenance(Part):
    """The maintenance, within one transaction."""

    def since(self) -> int | None:
        """Return since when there is maintenance, None where there is none."""
        found = self._connection.execute(SINCE, NAME).scalar()
        return None if found is None else int(found)

    def require_none(self) -> None:
        """Raise :class:`Paused` during maintenance."""
        if self.since() is not None:
            raise Paused

    def begin(self, now: int) -> None:
        """Let nobody but operators change anything from now on."""
        self._connection.execute(BEGIN, {**NAME, "at": now})

    def end(self) -> None:
        """Let everybody change things again."""
        self._connection.execute(END, NAME)
