"""The engines: how a database is connected to and how its transactions begin.

SQLAlchemy's own transactions on SQLite begin too late (at the first change, after what was read
may have changed), so the begin event below says what kind of transaction opens.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from pbmserv.errors import Fault
from pbmserv.store.location import Location

WAIT = 30
"""Seconds after which a database that others hold is given up."""

MODE = "pbmserv_mode"
WAL_IS_SAFE = (3, 51, 3)
"""In earlier SQLite versions WAL mode can damage a file that many short-lived writers share."""


class Mode(Enum):
    """What a transaction is for."""

    READ = "read"
    WRITE = "write"
    MIGRATE = "migrate"


SQLITE_BEGIN = {Mode.READ: "BEGIN", Mode.WRITE: "BEGIN IMMEDIATE", Mode.MIGRATE: "BEGIN IMMEDIATE"}

POSTGRESQL_BEGIN = {
    # One snapshot for the several statements that read a match together.
    Mode.READ: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    Mode.WRITE: f"BEGIN; SET LOCAL lock_timeout = '{WAIT}s'",
    Mode.MIGRATE: f"BEGIN; SET LOCAL lock_timeout = '{WAIT}s'",
}


_kept: dict[Location, sa.Engine] | None = None


def keep_engines() -> None:
    """Keep the engines of this process, and what they have worked out of each statement."""
    global _kept  # noqa: PLW0603 - it is the process that lives on
    _kept = {}


def make_engine(location: Location) -> sa.Engine:
    """Return an engine for the database there; nothing is opened yet."""
    if _kept is None:
        return _make_engine(location)
    if location not in _kept:
        _kept[location] = _make_engine(location)
    return _kept[location]


def let_go(engine: sa.Engine) -> None:
    """Close every connection; those to a server stay open in a process that keeps engines."""
    if _kept is None or engine.dialect.name == "sqlite":
        engine.dispose()


def _make_engine(location: Location) -> sa.Engine:
    if location.path is None:
        engine = _postgresql(location.url)
    else:
        engine = _create("sqlite+pysqlite://", creator=partial(connect_sqlite, location.path))
    sa.event.listen(engine, "begin", _begin)
    return engine


@dataclass(eq=False)
class Part:
    """Something that can be read and changed in one open transaction."""

    _connection: sa.Connection


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
        timeout=WAIT,
        isolation_level=None,
        check_same_thread=False,
    )
    connection.execute("PRAGMA foreign_keys = ON")
    # EXTRA also syncs the folder when the journal is deleted; in WAL mode it is the same as FULL.
    connection.execute("PRAGMA synchronous = EXTRA")
    return connection


def connect_nameless() -> sqlite3.Connection:
    """Open an empty SQLite database on the disk that no other connection can ever open."""
    return sqlite3.connect("", isolation_level=None, check_same_thread=False)


def engine_around(connection: sqlite3.Connection) -> sa.Engine:
    """Return an engine that has this one connection and begins no transaction."""
    return _create("sqlite+pysqlite://", creator=lambda: connection)


def journal_mode() -> str:
    """Return the journal mode that a new file gets from this version of SQLite."""
    return "WAL" if sqlite3.sqlite_version_info >= WAL_IS_SAFE else "DELETE"


def _postgresql(url: str) -> sa.Engine:
    try:
        engine = _create(
            url,
            use_native_hstore=False,
            pool_pre_ping=_kept is not None,
            isolation_level="AUTOCOMMIT",  # transactions are begun by hand, with all they need
        )
    except ImportError as error:
        raise Fault(
            "This installation lacks the driver for PostgreSQL.",
            code="database-driver-missing",
            hint="Install it with: pip install 'pbmserv[postgresql]'.",
        ) from error
    except (sa.exc.ArgumentError, ValueError) as error:
        raise Fault(
            "The database's URL cannot be read.",
            code="bad-database-url",
            hint="It looks like postgresql+psycopg://USER@HOST/NAME.",
        ) from error
    sa.event.listen(engine, "connect", _compile_nothing)
    return engine


def _compile_nothing(connection: Any, record: object) -> None:
    """Have the server interpret our statements: each reads few rows and would be compiled anew.

    Where its estimates are poor, as in a new database, it compiles even a look at one board.
    """
    del record
    connection.execute("SET jit = off")


def _create(url: str, **options: Any) -> sa.Engine:
    # Parameters may be password hashes: no error may show them. QueuePool is named because a
    # URL without a file name would make SQLAlchemy think of a database in memory.
    return sa.create_engine(url, hide_parameters=True, poolclass=sa.QueuePool, **options)


def _begin(connection: sa.Connection) -> None:
    mode = connection.get_execution_options().get(MODE, Mode.READ)
    if connection.dialect.name == "sqlite":
        # A pragma has no effect inside a transaction, and a driver's cursor opens none.
        cursor = connection.connection.cursor()
        cursor.execute(f"PRAGMA query_only = {int(mode is Mode.READ)}")
        if mode is Mode.MIGRATE:
            cursor.execute("PRAGMA foreign_keys = OFF")
        cursor.execute(SQLITE_BEGIN[mode])
        cursor.close()
    else:
        connection.exec_driver_sql(POSTGRESQL_BEGIN[mode])
