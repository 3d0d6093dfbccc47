"""Databases for tests: a fresh one of each kind, made fast.

The PostgreSQL server is the one of ``PBMSERV_TEST_POSTGRESQL``, else the local one; a run uses
schemas of its own in it and takes them away at the end.
"""

import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Sequence
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

Counted = tuple[str, int, bool]
"""A sequence, its last number, and whether that was given away."""

Content = tuple[dict[str, bytes], list[Counted]]
"""The rows of each table that has any, and the sequences."""

_servers: dict[str, "PostgresqlServer"] = {}
"""The servers that this process has reached, by their URL."""


def server_url() -> str:
    return os.environ.get("PBMSERV_TEST_POSTGRESQL", DEFAULT_SERVER)


def schema_of(url: str) -> str:
    return url.rpartition("%3D")[2]


def _tables(url: str) -> list[str]:
    """Return our tables there, those before others that point to them."""
    from pbmserv.store.tables import metadata

    return [f'{schema_of(url)}."{table.name}"' for table in metadata.sorted_tables]


def _counters() -> list[str]:
    """Return the sequences that number our rows."""
    from pbmserv.store.tables import metadata

    return [f"{table.name}_id_seq" for table in metadata.sorted_tables if "id" in table.columns]


class PostgresqlServer:
    """A server that can be reached, with one connection for making and wiping schemas."""

    def __init__(self, connection: "psycopg.Connection[Any]") -> None:
        self.connection = connection

    @contextmanager
    def schema(self) -> Iterator[str]:
        """Yield the URL of a database that has no table yet."""
        from . import kept_connections

        name = f"{kept_connections.SCHEMA}{os.getpid()}_{secrets.token_hex(4)}"
        self._run(f"CREATE SCHEMA {name}")
        try:
            yield self.url_of(name)
        finally:
            kept_connections.end(name)
            self._run(f"DROP SCHEMA {name} CASCADE")

    def url_of(self, schema: str) -> str:
        """Return the URL of a schema; nothing of it need outlive a crash of the server."""
        joint = "&" if "?" in server_url() else "?"
        options = f"-csynchronous_commit%3Doff%20-csearch_path%3D{schema}"
        return f"{server_url()}{joint}options={options}"

    def wipe(self, url: str) -> None:
        """Delete every row of our tables there, and begin their numbers anew."""
        tables = [f"DELETE FROM {name}" for name in reversed(_tables(url))]  # noqa: S608 - ours
        self._run(";".join(tables))
        self._count_from(url, [(name, 1, False) for name in _counters()])

    def content(self, url: str) -> "Content":
        """Return every row of our tables there, and how far their numbers are."""
        rows = {}
        for name in _tables(url):
            with self.connection.cursor().copy(f"COPY {name} TO STDOUT".encode()) as copied:
                rows[name] = b"".join(copied)
        schema = schema_of(url)
        counters = " UNION ALL ".join(
            f"SELECT '{name}', last_value, is_called FROM {schema}.{name}"  # noqa: S608 - ours
            for name in _counters()
        )
        counted = self.connection.execute(counters.encode()).fetchall()
        return {name: lines for name, lines in rows.items() if lines}, counted

    def fill(self, url: str, content: "Content") -> None:
        """Put into a wiped database there what was its content once."""
        rows, counted = content
        for name, lines in rows.items():
            with self.connection.cursor().copy(f"COPY {name} FROM STDIN".encode()) as copied:
                copied.write(lines)
        self._count_from(url, counted)

    def _count_from(self, url: str, counted: "Sequence[Counted]") -> None:
        schema = schema_of(url)
        self._run(";".join(f"SELECT setval('{schema}.{n}', {at}, {on})" for n, at, on in counted))

    def _run(self, statements: str) -> None:
        self.connection.execute(statements.encode())


@contextmanager
def reach_postgresql() -> Iterator[PostgresqlServer | str]:
    """Yield the server, or in words why there is none."""
    try:
        import psycopg

        from . import kept_connections
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
        _servers[server_url()] = PostgresqlServer(connection)
        kept_connections.share()
        yield _servers[server_url()]


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
    """Have a fixture fill a database of each kind but once in a run: others get a copy of it.

    What it returns, if not the server, is the same for all of them.
    """
    kept: dict[bool, tuple[Any, tuple[Any, ...], T | None]] = {}

    @wraps(fill)
    def filled(*given: S, **named: S) -> T:
        (server,) = (*given, *named.values())
        is_file = "://" not in server.url
        if is_file in kept:
            content, memory, made = kept[is_file]
            _put(server.url, content)
            server.remember(*memory)
            return cast("T", server) if made is None else made
        result = fill(server)
        server.close()
        made = None if result is cast("object", server) else result
        kept[is_file] = _content(server.url), server.memory(), made
        return result

    return filled


def _content(url: str) -> Any:
    return _servers[server_url()].content(url) if "://" in url else Path(url).read_bytes()


def _put(url: str, content: Any) -> None:
    if "://" in url:
        _servers[server_url()].fill(url, content)
    else:
        Path(url).write_bytes(content)


def require(server: PostgresqlServer | str) -> PostgresqlServer:
    """Return the server, or skip the test with the reason why there is none."""
    if isinstance(server, str):
        pytest.skip(server)
    return server
