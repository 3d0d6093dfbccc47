"""The database as the rest of the program sees it: transactions that load and save values."""

from __future__ import annotations

from collections import deque
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Self

import sqlalchemy as sa

from pbmserv.errors import Paused, Refused
from pbmserv.store.connection import (
    LOCK_TIMEOUT,
    Mode,
    Repository,
    begin,
    dispose_unless_cached,
    make_engine,
    savepoint,
)
from pbmserv.store.faults import DATABASE_ERRORS, fault_of, known, translated
from pbmserv.store.files import schema
from pbmserv.store.files.location import Location, parse_location
from pbmserv.store.files.locks import WriteLock
from pbmserv.store.matches.clocks import Absences, Clocks
from pbmserv.store.matches.matches import Matches
from pbmserv.store.people.players import MAINTENANCE, Players, Signer
from pbmserv.store.tables import moment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pbmserv.store.audit import AuditTrail
    from pbmserv.store.mail.budgets import Budgets
    from pbmserv.store.mail.inbox import AskedChallenges, IgnoredMail, Inbox
    from pbmserv.store.mail.outbox import Outbox
    from pbmserv.store.mail.proof_queue import Latecomers, ProofQueue
    from pbmserv.store.matches.archived import Archived
    from pbmserv.store.matches.figures import Figures
    from pbmserv.store.matches.plans_and_reviews import Plans, Reviews
    from pbmserv.store.matches.published import Published
    from pbmserv.store.matches.robot_queue import Robots
    from pbmserv.store.matches.tournaments import Tournaments
    from pbmserv.store.operator_lists import Lists
    from pbmserv.store.people.addresses import Addresses
    from pbmserv.store.people.guesses import Resets, Throttle, WaitingMails
    from pbmserv.store.people.ratings import Ratings
    from pbmserv.store.people.seeks import AvailabilityAndSeeks
    from pbmserv.store.people.signin_keys import SigninKeys
    from pbmserv.store.people.talk import Notices, Talk
    from pbmserv.store.people.whole_accounts import Accounts


MAX_NOTED = 100_000
"""Letters whose numbers are kept at most until somebody notes them in a log."""

# A text: each change asks it, and a SELECT is worked out anew by each program.
MAINTAINED_SINCE = sa.text("SELECT at FROM moment WHERE name = :name").bindparams(name=MAINTENANCE)


class Maintenance(Repository):
    """While there is maintenance, nobody but operators changes anything."""

    def since(self) -> int | None:
        """Return when maintenance began, or None."""
        return self._number(MAINTAINED_SINCE)

    def require_none(self) -> None:
        """Raise :class:`Paused` during maintenance."""
        if self.since() is not None:
            raise Paused

    def begin(self, now: int) -> None:
        """Let nobody but operators change anything from now on."""
        self._add_rows(moment, [{"name": MAINTENANCE, "at": now}])

    def end(self) -> None:
        """Let everybody change things again."""
        self._change(moment.delete().where(moment.c.name == MAINTENANCE))


class LazyRepository:
    """A part of the records, of the class that is annotated, imported when it is first used."""

    def __init__(self, module: str) -> None:
        self.module = f"pbmserv.store.{module}"

    def __set_name__(self, owner: type, name: str) -> None:
        """Note under which name it stands."""
        self.name = name

    @cached_property
    def made_by(self) -> type[Any]:
        """The class of the part."""
        found: type[Any] = getattr(import_module(self.module), Records.__annotations__[self.name])
        return found

    def __get__(self, records: Records | None, owner: type) -> object:
        """Make the part, which takes this one's place; the class itself has this one."""
        if records is None:
            return self
        made = records.__dict__[self.name] = self.made_by(records.connection)
        return made


lazy: Any = LazyRepository
"""Makes what stands for a part, and for the type checker is one."""


class Records:
    """One open transaction: everything that can be read and, in a writing one, changed.

    A part that only some commands need is one line here, and imported when it is first used.
    """

    audit: AuditTrail = lazy("audit")
    accounts: Accounts = lazy("people.whole_accounts")
    addresses: Addresses = lazy("people.addresses")
    inbox: Inbox = lazy("mail.inbox")
    outbox: Outbox = lazy("mail.outbox")
    notices: Notices = lazy("people.talk")
    throttle: Throttle = lazy("people.guesses")
    budgets: Budgets = lazy("mail.budgets")
    waiting_mails: WaitingMails = lazy("people.guesses")
    resets: Resets = lazy("people.guesses")
    signin_keys: SigninKeys = lazy("people.signin_keys")
    proof_queue: ProofQueue = lazy("mail.proof_queue")
    latecomers: Latecomers = lazy("mail.proof_queue")
    asked_challenges: AskedChallenges = lazy("mail.inbox")
    ignored_mail: IgnoredMail = lazy("mail.inbox")
    talk: Talk = lazy("people.talk")
    absences: Absences = lazy("matches.clocks")
    plans: Plans = lazy("matches.plans_and_reviews")
    ratings: Ratings = lazy("people.ratings")
    figures: Figures = lazy("matches.figures")
    tournaments: Tournaments = lazy("matches.tournaments")
    people: AvailabilityAndSeeks = lazy("people.seeks")
    reviews: Reviews = lazy("matches.plans_and_reviews")
    lists: Lists = lazy("operator_lists")
    published: Published = lazy("matches.published")
    archived: Archived = lazy("matches.archived")
    robots: Robots = lazy("matches.robot_queue")

    def __init__(self, connection: sa.Connection) -> None:
        self.connection = connection
        self.matches = Matches(connection)
        self.players = Players(connection)
        self.clocks = Clocks(connection)
        self.maintenance = Maintenance(connection)

    def signer(self, userid: str, board: tuple[str, int] | None) -> Signer | None:
        """Return the player with this userid, who is about to change the match at ``board``.

        On PostgreSQL it is locked in the same statement, on SQLite they have the whole database.
        """
        if board is None or self.connection.dialect.name == "sqlite":
            return self.players.signer(userid)
        signer = self.players.signer(userid, board)
        if signer is not None:
            self.matches.locked.add(board)
        return signer

    @contextmanager
    def undo_on_error(self) -> Iterator[None]:
        """Begin what nothing was written before in this transaction; an exception undoes it all.

        After a refusal, which is still to be noted, another one begins.
        """
        try:
            yield
        except BaseException as error:
            self.connection.rollback()
            self.matches.forget()
            if isinstance(error, Refused):
                begin(self.connection, Mode.WRITE)
            raise

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Begin a part that is undone alone when an exception leaves its block."""
        try:
            with savepoint(self.connection):
                yield
        except BaseException:
            self.matches.forget()
            raise
        self.matches.forget_extras()


PARTS = {name: part for name, part in vars(Records).items() if isinstance(part, LazyRepository)}
"""The parts of the records that only some commands need."""


class Store:
    """One database. Made by :meth:`open`; built by hand only around an engine of one's own."""

    def __init__(
        self, engine: sa.Engine, location: Location, *, lock: WriteLock | None = None
    ) -> None:
        self.engine = engine
        self.location = location
        self.turn: Callable[[], AbstractContextManager[None]] = lock.held if lock else nullcontext
        """The right to write, for one block: on SQLite nobody else has it meanwhile."""
        self._idle: list[sa.Connection] = []
        """A connection for the next transaction: to borrow one from the pool and to return it costs
        as much as a statement."""
        self.posted = deque[int](maxlen=MAX_NOTED)
        """The numbers of the letters that were posted, for whoever logs them and clears this."""
        self.was_upgraded = False
        """Whether it was of an earlier version when it was opened."""

    @classmethod
    def open(
        cls,
        url: str,
        *,
        notice: Callable[[str], object] = str,
        may_create: bool = True,
        wait: float = LOCK_TIMEOUT,
    ) -> Self:
        """Return the store at ``url``, its schema created or upgraded where that is due.

        ``url`` is a file name, ``sqlite:///FILE`` or ``postgresql+psycopg://...``. What a person
        should know goes to ``notice``, one line each. Whoever writes a file waits for others no
        longer than ``wait`` seconds. Raises :class:`Fault`, and :class:`Missing` where there is
        none and it may not be created.
        """
        store = cls._at(url, notice, wait)
        try:
            store.was_upgraded = schema.ensure(
                store.engine, store.location, store.turn, notice, may_create=may_create
            )
        except BaseException as error:
            store.close()
            if isinstance(error, DATABASE_ERRORS):
                raise fault_of(error, store.location.label) from error
            raise
        return store

    @classmethod
    def rehearse_upgrade(
        cls, url: str, look: Callable[[Records], object], *, notice: Callable[[str], object] = str
    ) -> str | None:
        """Upgrade the schema at ``url``, let ``look`` see what came of it, and undo it all.

        Returns the version that is there, None for no database; raises as :meth:`open` does.
        """
        store = cls._at(url, notice)
        with closing(store), translated(store.location.label):
            return schema.rehearse(
                store.engine, store.location, store.turn, lambda made: look(Records(made))
            )

    @classmethod
    def version_at(cls, url: str) -> str | None:
        """Return the version of the database at ``url``, None for none; raises :class:`Fault`."""
        with closing(cls._at(url, str)) as store, translated(store.location.label):
            return schema.find_version(store.engine, store.location)

    @classmethod
    def _at(cls, url: str, notice: Callable[[str], object], wait: float = LOCK_TIMEOUT) -> Self:
        location = parse_location(url)
        lock = None
        if location.path is not None:
            lock = WriteLock(location.path, wait=wait, notice=notice)
        return cls(make_engine(location), location, lock=lock)

    def reading(self) -> AbstractContextManager[Records]:
        """Open a transaction that sees one moment of the database and changes nothing."""
        return self._transaction(Mode.READ, nullcontext())

    def writing(self, *, for_operators: bool = False) -> AbstractContextManager[Records]:
        """Open a transaction that is committed at the end of the block, or undone by an exception.

        On SQLite nobody else writes meanwhile; on PostgreSQL whoever finds a match with
        ``lock=True`` has that match to themselves. Raises :class:`Paused` during maintenance,
        except ``for_operators``.
        """
        return self._transaction(Mode.WRITE, self.turn(), may_be_paused=not for_operators)

    def close(self) -> None:
        """Close every connection."""
        while self._idle:
            self._idle.pop().close()
        dispose_unless_cached(self.engine, self.location)

    @contextmanager
    def _transaction(
        self, mode: Mode, turn: AbstractContextManager[None], *, may_be_paused: bool = False
    ) -> Iterator[Records]:
        try:
            with turn:
                connection = self._connection()
                try:
                    begin(connection, mode)
                    records = Records(connection)
                    if may_be_paused:
                        records.maintenance.require_none()
                    yield records
                    self._commit(connection, mode)
                    if (outbox := vars(records).get("outbox")) is not None:
                        self.posted.extend(outbox.posted)
                        for number in outbox.taken_back & {*self.posted}:
                            self.posted.remove(number)
                except BaseException:
                    connection.close()  # which undoes whatever was not committed
                    raise
                self._keep(connection)
        except DATABASE_ERRORS as error:
            raise fault_of(error, self.location.label) from error

    def _connection(self) -> sa.Connection:
        with suppress(IndexError):
            return self._idle.pop()
        return self.engine.connect()

    def _keep(self, connection: sa.Connection) -> None:
        # One, for whoever does one thing after the other: further ones are the pool's, for all.
        if self._idle:
            connection.close()
        else:
            self._idle.append(connection)

    def _commit(self, connection: sa.Connection, mode: Mode) -> None:
        try:
            connection.commit()
        except sa.exc.DBAPIError as error:
            if error.connection_invalidated and mode is Mode.WRITE:
                # Nobody can tell whether the server did it before it was gone.
                raise known("database-lost", self.location.label) from error
            raise
