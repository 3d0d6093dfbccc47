"""The engines: how a database is connected to and how its transactions begin.

SQLAlchemy's own transactions on SQLite begin too late: at the first change, after what was read
may have changed. So :func:`begin` says what kind of transaction opens.
"""

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import Enum
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import sqlalchemy as sa

from pbmserv.errors import Fault
from pbmserv.store.files.location import Location

T = TypeVar("T")

LOCK_TIMEOUT = 30
"""Seconds to wait for a database that others have locked."""

MAX_VALUES = 500
"""Values in one statement; SQLite's oldest limit is 999."""

WAL_IS_SAFE = (3, 51, 3)
"""In earlier SQLite versions WAL mode can damage a file that many short-lived writers share."""


class Mode(Enum):
    """The purpose of a transaction."""

    READ = "read"
    WRITE = "write"
    MIGRATE = "migrate"


MODE_KEY = "for"
"""The key in a connection's ``info`` under which the mode of its last transaction is kept."""

SQLITE_BEGIN = {Mode.READ: "BEGIN", Mode.WRITE: "BEGIN IMMEDIATE", Mode.MIGRATE: "BEGIN IMMEDIATE"}

# Interpreted: each statement reads few rows, and where the server's estimates are poor, as in a new
# database, it would compile even a look at one board. Settings of a session are none behind a
# pooler, which gives each transaction to another one.
INTERPRETED = "SET LOCAL jit = off"
POSTGRESQL_BEGIN = {
    # One snapshot for the several statements that read a match together.
    Mode.READ: f"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; {INTERPRETED}",
    Mode.WRITE: f"BEGIN; SET LOCAL lock_timeout = '{LOCK_TIMEOUT}s'; {INTERPRETED}",
    Mode.MIGRATE: f"BEGIN; SET LOCAL lock_timeout = '{LOCK_TIMEOUT}s'; {INTERPRETED}",
}


class CachedEngine(NamedTuple):
    """A cached engine and the database it is for: device and inode, or the PG* variables."""

    engine: sa.Engine
    identity: object


MAX_CACHED = 8
_cached: dict[Location, CachedEngine] | None = None


def cache_engines() -> None:
    """Keep engines in this process: connections, and what they have worked out of statements."""
    global _cached  # noqa: PLW0603 - it is the process that lives on
    _cached = {}


def load_driver() -> None:
    """Import what a server's driver is made of, for the processes that this one forks."""
    with suppress(ImportError):  # it is an extra
        import_module("psycopg")
        import_module("sqlalchemy.dialects.postgresql.psycopg")


def make_engine(location: Location) -> sa.Engine:
    """Return an engine for the database there; nothing is opened yet."""
    if _cached is None:
        return _make_engine(location)
    found, identity = _cached.get(location), _identity(location)
    if found is not None and found.identity == identity:
        return found.engine
    if found is not None:
        found.engine.dispose()
    elif len(_cached) == MAX_CACHED:
        _cached.pop(next(iter(_cached))).engine.dispose()
    _cached[location] = CachedEngine(_make_engine(location), identity)
    return _cached[location].engine


def _identity(location: Location) -> object:
    if location.path is None:
        return [each for each in os.environ.items() if each[0].startswith("PG")]
    try:
        file = location.path.stat()
    except OSError:
        return None
    return file.st_dev, file.st_ino


def dispose_unless_cached(engine: sa.Engine, location: Location) -> None:
    """Close every connection, but in a process that keeps engines.

    A file in WAL mode is closed all the same: a connection to it leaves what is new beside it,
    where nobody looks who copies a database that seems to be at rest.
    """
    if _cached is None or _has_wal(location):
        engine.dispose()


def _has_wal(location: Location) -> bool:
    path = location.path
    return path is not None and path.with_name(f"{path.name}-wal").exists()


def _make_engine(location: Location) -> sa.Engine:
    if location.path is None:
        return _postgresql(location.url)
    return _create("sqlite+pysqlite://", creator=partial(connect_sqlite, location.path))


@contextmanager
def open_transaction(engine: sa.Engine, mode: Mode = Mode.READ) -> Iterator[sa.Connection]:
    """Open a connection with a transaction for ``mode``, which is undone unless it is committed."""
    with engine.connect() as connection:
        begin(connection, mode)
        yield connection


def begin(connection: sa.Connection, mode: Mode) -> None:
    """Begin a transaction on a connection that has none."""
    if connection.dialect.name == "sqlite":
        # To the driver this begins nothing yet: inside a transaction a pragma has no effect.
        connection.begin()
        if connection.info.get(MODE_KEY) is not mode:
            # Said only where it changes: with it SQLite forgets every statement it has prepared.
            connection.exec_driver_sql(f"PRAGMA query_only = {int(mode is Mode.READ)}")
            connection.info[MODE_KEY] = mode
        if mode is Mode.MIGRATE:
            connection.exec_driver_sql("PRAGMA foreign_keys = OFF")
        connection.exec_driver_sql(SQLITE_BEGIN[mode])
    else:
        first_query(connection, partial(_begin_postgresql, connection, mode))


def _begin_postgresql(connection: sa.Connection, mode: Mode) -> None:
    connection.begin()
    connection.exec_driver_sql(POSTGRESQL_BEGIN[mode])


def first_query(connection: sa.Connection, ask: Callable[[], T]) -> T:
    """Return the result of a connection's first query, on a new connection if it was dropped.

    So none that was kept is asked before each use whether it still lives.
    """
    try:
        return ask()
    except sa.exc.DBAPIError as error:
        if not error.connection_invalidated:
            raise
        connection.rollback()
        return ask()


@dataclass(eq=False)
class Repository:
    """Something that can be read and changed in one open transaction."""

    _connection: sa.Connection

    def _has(self, chosen: sa.Select[Any]) -> bool:
        """Tell whether there is any such row."""
        return self._connection.execute(chosen).first() is not None

    def _number(
        self, statement: sa.Executable, values: Mapping[str, object] | None = None
    ) -> int | None:
        """Return the one number that a statement gives, or None."""
        found = self._connection.execute(statement, values).scalar()
        return None if found is None else int(found)

    def _column(self, chosen: sa.Select[Any] | sa.CompoundSelect[Any]) -> list[Any]:
        """Return the values of the first column."""
        return list(self._connection.execute(chosen).scalars())

    def _add_rows(self, table: sa.Table, rows: list[dict[str, Any]]) -> None:
        """Add rows to a table, if there are any."""
        if rows:
            self._connection.execute(table.insert(), rows)

    def _change(self, statement: sa.Update | sa.Delete) -> int:
        """Change or delete rows; return how many those were."""
        return self._connection.execute(statement).rowcount


def chunks(values: Iterable[int]) -> Iterator[list[int]]:
    """Yield the values in order, each once, no more at a time than one statement asks for."""
    wanted = sorted(set(values))
    for start in range(0, len(wanted), MAX_VALUES):
        yield wanted[start : start + MAX_VALUES]


@contextmanager
def savepoint(connection: sa.Connection) -> Iterator[None]:
    """Open a part of a transaction that is undone alone when an exception leaves the block.

    What made a database fail is raised as it was: a full disk makes SQLite undo the whole
    transaction by itself, and the savepoint, gone with it, must not be missed louder than that.
    """
    nested = connection.begin_nested()
    try:
        yield
    except sa.exc.DBAPIError:
        with suppress(sa.exc.DBAPIError):
            nested.rollback()
        raise
    except BaseException:
        nested.rollback()
        raise
    nested.commit()


def connect_sqlite(path: Path, mode: str = "rw") -> sqlite3.Connection:
    """Open a SQLite file that exists, with every pragma that belongs to a connection.

    ``mode`` is "rw" or "ro". Outside a transaction nothing is pending: ours are begun by hand.
    """
    connection = sqlite3.connect(
        f"{path.as_uri()}?mode={mode}",
        uri=True,
        timeout=LOCK_TIMEOUT,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        # EXTRA also syncs the folder when a journal is deleted; in WAL mode it is the same as FULL.
        connection.execute("PRAGMA synchronous = EXTRA")
    except BaseException:  # it is damaged, or no database; SQLite's own message may be no UTF-8
        connection.close()
        raise
    return connection


def journal_mode() -> str:
    """Return the journal mode that a new file gets from this version of SQLite."""
    return "WAL" if sqlite3.sqlite_version_info >= WAL_IS_SAFE else "DELETE"


def _postgresql(url: str) -> sa.Engine:
    try:
        engine = _create(
            url,
            use_native_hstore=False,
            isolation_level="AUTOCOMMIT",  # transactions are begun by hand, with all they need
        )
    except ImportError as error:
        raise Fault(
            "This installation has no driver for PostgreSQL.",
            code="database-driver-missing",
            hint="Install it with: pip install 'pbmserv[postgresql]'.",
        ) from error
    except (sa.exc.ArgumentError, ValueError) as error:
        raise Fault(
            "The database's URL cannot be read.",
            code="bad-database-url",
            hint="It looks like postgresql+psycopg://USER@HOST/NAME.",
        ) from error
    sa.event.listen(engine, "connect", _prepare_nothing_by_pooler)
    return engine


def _prepare_nothing_by_pooler(connection: Any, _record: object) -> None:
    """Have the driver prepare no statement where a pooler such as PgBouncer is in between.

    It names a process of its own making, and each transaction may be another one's.
    """
    (process,) = connection.execute("SELECT pg_backend_pid()").fetchone()
    if process != connection.info.backend_pid:
        connection.prepare_threshold = None


def _create(url: str, **options: Any) -> sa.Engine:
    # Parameters may be password hashes: no error may show them. QueuePool is named because a
    # URL without a file name would make SQLAlchemy think of a database in memory.
    return sa.create_engine(url, hide_parameters=True, poolclass=sa.QueuePool, **options)
