"""The database as the rest of the program sees it: transactions that load and save values."""

from __future__ import annotations

from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Self
from weakref import WeakKeyDictionary

import sqlalchemy as sa

from pbmserv.errors import Refused
from pbmserv.store import schema
from pbmserv.store.clocks import Clocks
from pbmserv.store.connection import WAIT, Mode, begin, let_go, make_engine, savepoint
from pbmserv.store.faults import DATABASE_ERRORS, fault_of, known, translated
from pbmserv.store.location import Location, parse_location
from pbmserv.store.locks import WriteLock
from pbmserv.store.matches import Matches
from pbmserv.store.players import Players

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pbmserv.store.addresses import Addresses
    from pbmserv.store.asked_challenges import AskedChallenges
    from pbmserv.store.audit import AuditTrail
    from pbmserv.store.clocks import Absences
    from pbmserv.store.first_requests import FirstRequests
    from pbmserv.store.ignored_mail import IgnoredMail
    from pbmserv.store.inbox import Inbox
    from pbmserv.store.maintenance import Maintenance
    from pbmserv.store.match_rows import Known
    from pbmserv.store.operator_lists import Lists
    from pbmserv.store.outbox import Outbox
    from pbmserv.store.players import Signer
    from pbmserv.store.proof_queue import ProofQueue
    from pbmserv.store.published import Published
    from pbmserv.store.quotas import Quotas, Resets, Throttle
    from pbmserv.store.ratings import Ratings
    from pbmserv.store.result_counts import Figures
    from pbmserv.store.reviews import Reviews
    from pbmserv.store.robot_queue import Robots
    from pbmserv.store.seeks import People
    from pbmserv.store.signin_keys import SigninKeys
    from pbmserv.store.stored_notices import Notices
    from pbmserv.store.stored_plans import Plans
    from pbmserv.store.talk import Talk
    from pbmserv.store.tournaments import Tournaments


PARTS = {
    "maintenance": "pbmserv.store.maintenance",
    "audit": "pbmserv.store.audit",
    "addresses": "pbmserv.store.addresses",
    "inbox": "pbmserv.store.inbox",
    "outbox": "pbmserv.store.outbox",
    "notices": "pbmserv.store.stored_notices",
    "throttle": "pbmserv.store.quotas",
    "quotas": "pbmserv.store.quotas",
    "resets": "pbmserv.store.quotas",
    "signin_keys": "pbmserv.store.signin_keys",
    "proof_queue": "pbmserv.store.proof_queue",
    "first_requests": "pbmserv.store.first_requests",
    "asked_challenges": "pbmserv.store.asked_challenges",
    "ignored_mail": "pbmserv.store.ignored_mail",
    "talk": "pbmserv.store.talk",
    "absences": "pbmserv.store.clocks",
    "plans": "pbmserv.store.stored_plans",
    "ratings": "pbmserv.store.ratings",
    "figures": "pbmserv.store.result_counts",
    "tournaments": "pbmserv.store.tournaments",
    "people": "pbmserv.store.seeks",
    "reviews": "pbmserv.store.reviews",
    "lists": "pbmserv.store.operator_lists",
    "published": "pbmserv.store.published",
    "robots": "pbmserv.store.robot_queue",
}
"""The module of each part of the records that only some commands need."""


@cache
def _part(name: str) -> Callable[[sa.Connection], object]:
    """Return the class of a part of the records."""
    found: Callable[[sa.Connection], object]
    found = getattr(import_module(PARTS[name]), Records.__annotations__[name])
    return found


_known: WeakKeyDictionary[sa.Engine, dict[int, Known]] = WeakKeyDictionary()
"""What is known of the matches behind each engine, for as long as it lives."""


def _silent(_: str) -> None:
    pass


class Records:
    """One open transaction: everything that can be read and, in a writing one, changed.

    What only some commands need is imported when it is asked for.
    """

    audit: AuditTrail
    """Who asked for what, and how it ended."""
    addresses: Addresses
    """The addresses on file, and which of them are proven."""
    inbox: Inbox
    """The mails received, so that none is acted upon twice."""
    outbox: Outbox
    """The letters posted."""
    notices: Notices
    """News for players in the shell, until they have read it."""
    throttle: Throttle
    """Wrong passwords, counted."""
    quotas: Quotas
    """What was used up of each quota."""
    resets: Resets
    """Tokens for those who forgot their password."""
    signin_keys: SigninKeys
    """The keys that stand for userid and password."""
    proof_queue: ProofQueue
    """Letters that are to prove an address and wait for their turn."""
    first_requests: FirstRequests
    """Newcomers there was no room for, so that who asks again is known."""
    asked_challenges: AskedChallenges
    """Challenges by mail that wait for a confirmation."""
    ignored_mail: IgnoredMail
    """How many mails of strangers were ignored."""
    talk: Talk
    """Who wants which mail, who watches a board, what was said there."""
    absences: Absences
    """The vacations of the players."""
    plans: Plans
    """The queued moves, each for the eyes of its owner."""
    ratings: Ratings
    """How strong the players are, and every change of it."""
    figures: Figures
    """What can be counted of the club and its players."""
    tournaments: Tournaments
    """The tournaments and their boards."""
    people: People
    """Who takes challenges, who seeks opponents, who wants little mail."""
    reviews: Reviews
    """What the computer thought of finished games."""

    lists: Lists
    """Whatever is stored, as operators list it."""
    published: Published
    """What the club's pages show."""
    robots: Robots
    """The boards that wait for the computer."""

    maintenance: Maintenance
    """Since when nobody but operators changes anything."""

    def __init__(self, connection: sa.Connection, known: dict[int, Known] | None = None) -> None:
        self.connection = connection
        self.matches = Matches(connection, {} if known is None else known)
        self.players = Players(connection)
        self.clocks = Clocks(connection)

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

    if not TYPE_CHECKING:  # the types of all parts are declared above

        def __getattr__(self, name: str) -> object:
            """Make a part of the records when it is first asked for."""
            if name not in PARTS:
                raise AttributeError(name)
            self.__dict__[name] = made = _part(name)(self.connection)
            return made

    @contextmanager
    def first_part(self) -> Iterator[None]:
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
        self.matches.forget_beside()


class Store:
    """One database. Made by :meth:`open`; built by hand only around an engine of one's own."""

    def __init__(
        self, engine: sa.Engine, location: Location, *, lock: WriteLock | None = None
    ) -> None:
        self.engine = engine
        self.location = location
        self.turn: Callable[[], AbstractContextManager[None]] = lock.held if lock else nullcontext
        """The right to write, for one block: on SQLite nobody else has it meanwhile."""
        self._known = _known.setdefault(engine, {})
        self._idle: list[sa.Connection] = []
        """A connection for the next transaction: to borrow one from the pool and to return it costs
        as much as a statement."""
        self.was_upgraded = False
        """Whether it was of an earlier version when it was opened."""

    @classmethod
    def open(
        cls, url: str, *, notice: Callable[[str], None] = _silent, may_create: bool = True
    ) -> Self:
        """Return the store at ``url``, its schema created or upgraded where that is due.

        ``url`` is a file name, ``sqlite:///FILE`` or ``postgresql+psycopg://...``. What a person
        should know goes to ``notice``, one line each. Raises :class:`Fault`, and
        :class:`Missing` where there is none and it may not be created.
        """
        store = cls._at(url, notice)
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
        cls, url: str, look: Callable[[Records], object], *, notice: Callable[[str], None] = _silent
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
        with closing(cls._at(url, _silent)) as store, translated(store.location.label):
            return schema.find_version(store.engine, store.location)

    @classmethod
    def _at(cls, url: str, notice: Callable[[str], None]) -> Self:
        location = parse_location(url)
        lock = None
        if location.path is not None:
            lock = WriteLock(location.path, wait=WAIT, notice=notice)
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
        let_go(self.engine, self.location)

    @contextmanager
    def _transaction(
        self, mode: Mode, turn: AbstractContextManager[None], *, may_be_paused: bool = False
    ) -> Iterator[Records]:
        try:
            with turn:
                connection = self._connection()
                try:
                    begin(connection, mode)
                    records = Records(connection, self._known)
                    if may_be_paused:
                        records.maintenance.require_none()
                    yield records
                    self._commit(connection, mode)
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
