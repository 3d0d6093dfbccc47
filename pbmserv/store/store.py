"""The database as the rest of the program sees it: transactions that load and save values."""

from __future__ import annotations

from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cached_property
from typing import TYPE_CHECKING, Self

import sqlalchemy as sa

from pbmserv.store import schema
from pbmserv.store.connection import MODE, WAIT, Mode, make_engine, savepoint
from pbmserv.store.faults import translated
from pbmserv.store.location import Location, parse_location
from pbmserv.store.locks import WriteLock
from pbmserv.store.matches import Matches
from pbmserv.store.players import Players

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pbmserv.store.addresses import Addresses
    from pbmserv.store.audit import AuditTrail
    from pbmserv.store.clocks import Absences, Clocks
    from pbmserv.store.inbox import Inbox
    from pbmserv.store.outbox import Outbox
    from pbmserv.store.quotas import Quotas, Resets, Throttle
    from pbmserv.store.ratings import Ratings
    from pbmserv.store.result_counts import Figures
    from pbmserv.store.seeks import People
    from pbmserv.store.stored_notices import Notices
    from pbmserv.store.stored_plans import Plans
    from pbmserv.store.talk import Talk
    from pbmserv.store.tournaments import Tournaments


def _silent(_: str) -> None:
    pass


class Records:
    """One open transaction: everything that can be read and, in a writing one, changed.

    What only some commands need is imported when it is asked for.
    """

    def __init__(self, connection: sa.Connection) -> None:
        self.connection = connection
        self.players = Players(connection)
        self.matches = Matches(connection)

    @cached_property
    def audit(self) -> AuditTrail:
        """Who asked for what, and how it ended."""
        from pbmserv.store.audit import AuditTrail

        return AuditTrail(self.connection)

    @cached_property
    def addresses(self) -> Addresses:
        """The addresses on file, and which of them are proven."""
        from pbmserv.store.addresses import Addresses

        return Addresses(self.connection)

    @cached_property
    def inbox(self) -> Inbox:
        """The mails received, so that none is acted upon twice."""
        from pbmserv.store.inbox import Inbox

        return Inbox(self.connection)

    @cached_property
    def outbox(self) -> Outbox:
        """The letters posted."""
        from pbmserv.store.outbox import Outbox

        return Outbox(self.connection)

    @cached_property
    def notices(self) -> Notices:
        """What players are told in the shell until they have read it."""
        from pbmserv.store.stored_notices import Notices

        return Notices(self.connection)

    @cached_property
    def throttle(self) -> Throttle:
        """Wrong passwords, counted."""
        from pbmserv.store.quotas import Throttle

        return Throttle(self.connection)

    @cached_property
    def quotas(self) -> Quotas:
        """What was used up of each quota."""
        from pbmserv.store.quotas import Quotas

        return Quotas(self.connection)

    @cached_property
    def resets(self) -> Resets:
        """Tokens for those who forgot their password."""
        from pbmserv.store.quotas import Resets

        return Resets(self.connection)

    @cached_property
    def talk(self) -> Talk:
        """Who wants which mail, who watches a board, what was said there."""
        from pbmserv.store.talk import Talk

        return Talk(self.connection)

    @cached_property
    def clocks(self) -> Clocks:
        """The clocks of the matches, and when they are due."""
        from pbmserv.store.clocks import Clocks

        return Clocks(self.connection)

    @cached_property
    def absences(self) -> Absences:
        """The vacations of the players."""
        from pbmserv.store.clocks import Absences

        return Absences(self.connection)

    @cached_property
    def plans(self) -> Plans:
        """The queued moves, each for the eyes of its owner."""
        from pbmserv.store.stored_plans import Plans

        return Plans(self.connection)

    @cached_property
    def ratings(self) -> Ratings:
        """How strong the players are, and every change of it."""
        from pbmserv.store.ratings import Ratings

        return Ratings(self.connection)

    @cached_property
    def figures(self) -> Figures:
        """What can be counted of the club and its players."""
        from pbmserv.store.result_counts import Figures

        return Figures(self.connection)

    @cached_property
    def tournaments(self) -> Tournaments:
        """The tournaments and their boards."""
        from pbmserv.store.tournaments import Tournaments

        return Tournaments(self.connection)

    @cached_property
    def people(self) -> People:
        """Who takes challenges, who seeks opponents, who wants little mail."""
        from pbmserv.store.seeks import People

        return People(self.connection)

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Begin a part that is undone alone when an exception leaves its block."""
        try:
            with savepoint(self.connection):
                yield
        except BaseException:
            self.matches.forget()
            raise


class Store:
    """One database. Made by :meth:`open`; built by hand only around an engine of one's own."""

    def __init__(
        self, engine: sa.Engine, location: Location, *, lock: WriteLock | None = None
    ) -> None:
        self.engine = engine
        self.location = location
        self.turn: Callable[[], AbstractContextManager[None]] = lock.held if lock else nullcontext
        """The right to write, for one block: on SQLite nobody else has it meanwhile."""

    @classmethod
    def open(
        cls, url: str, *, notice: Callable[[str], None] = _silent, may_create: bool = True
    ) -> Self:
        """Return the store at ``url``, its schema created or upgraded where that is due.

        ``url`` is a file name, ``sqlite:///FILE`` or ``postgresql+psycopg://...``. What a person
        should know goes to ``notice``, one line each. Raises :class:`Fault`, and
        :class:`Missing` where there is none and it may not be created.
        """
        location = parse_location(url)
        lock = None
        if location.path is not None:
            lock = WriteLock(location.path, wait=WAIT, notice=notice)
        store = cls(make_engine(location), location, lock=lock)
        try:
            with translated(location.label):
                schema.ensure(store.engine, location, store.turn, notice, may_create=may_create)
        except BaseException:
            store.close()
            raise
        return store

    @contextmanager
    def reading(self) -> Iterator[Records]:
        """Open a transaction that sees one moment of the database and changes nothing."""
        with self._connected(Mode.READ) as connection:
            yield Records(connection)

    @contextmanager
    def writing(self) -> Iterator[Records]:
        """Open a transaction that is committed at the end of the block, or undone by an exception.

        On SQLite nobody else writes meanwhile; on PostgreSQL whoever finds a match with
        ``lock=True`` has that match to themselves.
        """
        with self.turn(), self._connected(Mode.WRITE) as connection:
            yield Records(connection)

    def close(self) -> None:
        """Close every connection."""
        self.engine.dispose()

    @contextmanager
    def _connected(self, mode: Mode) -> Iterator[sa.Connection]:
        with (
            translated(self.location.label),
            self.engine.connect().execution_options(**{MODE: mode}) as connection,
            connection.begin(),
        ):
            yield connection
