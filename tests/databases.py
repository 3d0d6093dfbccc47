"""Databases for tests: a fresh one of each kind, made fast.

The PostgreSQL server is the one of ``PBMSERV_TEST_POSTGRESQL``, else the local one; a run uses
schemas of its own in it and takes them away at the end.
"""

import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

import pytest

if TYPE_CHECKING:
    import psycopg

DEFAULT_SERVER = "postgresql+psycopg://postgres@127.0.0.1:5432/postgres"
KINDS = ("sqlite", pytest.param("postgresql", marks=pytest.mark.slow))
"""The databases that a test is run on; the fast loop is content with the first."""

ONE_DATABASE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
"""For a test of what no database has a part in."""


S = TypeVar("S", bound="Filled")
T = TypeVar("T")


def server_url() -> str:
    return os.environ.get("PBMSERV_TEST_POSTGRESQL", DEFAULT_SERVER)


class PostgresqlServer:
    """A server that can be reached, with one connection for making and wiping schemas."""

    def __init__(self, connection: "psycopg.Connection[Any]") -> None:
        self.connection = connection

    @contextmanager
    def schema(self) -> Iterator[str]:
        """Yield the URL of a database that has no table yet."""
        name = f"pbmserv_test_{os.getpid()}_{secrets.token_hex(4)}"
        self._run(f"CREATE SCHEMA {name}")
        try:
            yield self.url_of(name)
        finally:
            self._run(f"DROP SCHEMA {name} CASCADE")

    def url_of(self, schema: str) -> str:
        joint = "&" if "?" in server_url() else "?"
        return f"{server_url()}{joint}options=-csearch_path%3D{schema}"

    def wipe(self, url: str) -> None:
        """Delete every row of our tables there, and begin their numbers anew."""
        from pbmserv.store.columns import metadata

        schema = url.rpartition("%3D")[2]
        tables = [table.name for table in reversed(metadata.sorted_tables)]
        statements = [f'DELETE FROM {schema}."{name}"' for name in tables]  # noqa: S608 - ours
        statements += [
            f"SELECT setval('{schema}.{table.name}_id_seq', 1, false)"
            for table in metadata.sorted_tables
            if "id" in table.columns
        ]
        self._run(";".join(statements))

    def _run(self, statements: str) -> None:
        self.connection.execute(statements.encode())


@contextmanager
def reach_postgresql() -> Iterator[PostgresqlServer | str]:
    """Yield the server, or in words why there is none."""
    try:
        import psycopg
    except ImportError:
        yield "the driver psycopg is not installed"
        return
    url = server_url().replace("+psycopg", "", 1)
    try:
        connection = psycopg.connect(url, connect_timeout=5, autocommit=True)
    except psycopg.OperationalError:
        yield "no PostgreSQL server answers at PBMSERV_TEST_POSTGRESQL or 127.0.0.1:5432"
        return
    with connection:
        connection.execute("SET lock_timeout = '20s'")
        connection.execute("SET synchronous_commit = off")
        yield PostgresqlServer(connection)


def create(url: str) -> None:
    """Create the tables there, as a first use of the program does."""
    from pbmserv.store.store import Store

    Store.open(url).close()


def copy_template(template: Path, folder: Path) -> str:
    folder.mkdir(mode=0o700, exist_ok=True)
    target = folder / "pbmserv.sqlite"
    shutil.copyfile(template, target)
    target.chmod(0o600)
    return str(target)


class Filled(Protocol):
    """What a fixture puts players and boards into, at a database of its own."""

    url: str

    def close(self) -> None: ...

    def memory(self) -> tuple[Any, ...]:
        """Return what it knows besides its database."""

    def remember(self, *memory: Any) -> None: ...


def made_once(fill: Callable[[S], T]) -> Callable[[S], T]:
    """Have a fixture fill an empty SQLite file but once in a run: others get a copy of that file.

    What it returns, if not the server, is the same for all of them.
    """
    kept: list[tuple[bytes, tuple[Any, ...], T | None]] = []

    @wraps(fill)
    def filled(*given: S, **named: S) -> T:
        (server,) = (*given, *named.values())
        if "://" in server.url:
            return fill(server)
        if kept:
            content, memory, made = kept[0]
            Path(server.url).write_bytes(content)
            server.remember(*memory)
            return cast("T", server) if made is None else made
        result = fill(server)
        server.close()
        made = None if result is cast("object", server) else result
        kept.append((Path(server.url).read_bytes(), server.memory(), made))
        return result

    return filled


def require(server: PostgresqlServer | str) -> PostgresqlServer:
    """Return the server, or skip the test with the reason why there is none."""
    if isinstance(server, str):
        pytest.skip(server)
    return server
