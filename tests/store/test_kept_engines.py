"""What a process that lives on keeps of a database between two commands."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from pbmserv.store import connection
from pbmserv.store.files.location import Location
from pbmserv.store.store import Store
from tests.databases import copy_template


@pytest.fixture(autouse=True)
def _kept(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(connection, "_cached", None)
    connection.cache_engines()
    yield
    for kept in (connection._cached or {}).values():
        kept.engine.dispose()


def pool_of(url: str) -> sa.QueuePool:
    store = Store.open(url)
    store.close()
    assert isinstance(store.engine.pool, sa.QueuePool)
    return store.engine.pool


def players(url: str) -> list[str]:
    store = Store.open(url)
    with store.reading() as records:
        found = records.connection.exec_driver_sql("SELECT userid FROM player").scalars().all()
    store.close()
    return list(found)


def sign_up(url: str, userid: str) -> None:
    with sqlite3.connect(url) as file:
        file.execute(
            "INSERT INTO player (userid, userid_key, status, created_at) VALUES (?, ?, ?, 0)",
            (userid, userid, "active"),
        )
    file.close()


def test_the_connection_to_a_file_stays_but_in_wal_mode(
    sqlite_template: Path, tmp_path: Path, journal: str
) -> None:
    url = copy_template(sqlite_template, tmp_path / "club")
    first = pool_of(url)

    if journal == "DELETE":
        assert (pool_of(url), first.checkedin()) == (first, 1)
    else:
        assert (pool_of(url).checkedin(), first.checkedin()) == (0, 0)


def test_a_file_that_was_replaced_is_opened_anew(sqlite_template: Path, tmp_path: Path) -> None:
    url, other = (copy_template(sqlite_template, tmp_path / name) for name in ("club", "other"))
    sign_up(url, "alice")
    assert players(url) == ["alice"]
    sign_up(other, "bob")
    Path(other).replace(url)

    assert players(url) == ["bob"]


def test_nothing_is_left_beside_a_file_in_wal_mode(sqlite_template: Path, tmp_path: Path) -> None:
    url = copy_template(sqlite_template, tmp_path / "club")
    with sqlite3.connect(url) as file:
        file.execute("PRAGMA journal_mode = WAL")
    file.close()
    pool_of(url)

    assert [path.name for path in Path(url).parent.iterdir()] == [Path(url).name]


def test_few_files_are_kept_open(sqlite_template: Path, tmp_path: Path, journal: str) -> None:
    pools = [
        pool_of(copy_template(sqlite_template, tmp_path / str(number)))
        for number in range(connection.MAX_CACHED + 2)
    ]

    each = int(journal == "DELETE")
    assert [0, 0] + [each] * connection.MAX_CACHED == [pool.checkedin() for pool in pools]


def test_another_server_in_the_environment_is_another_database(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    here = Location(None, "postgresql+psycopg:///club")
    monkeypatch.setenv("PGHOST", "one.example")
    first = connection.make_engine(here)
    assert connection.make_engine(here) is first
    monkeypatch.setenv("PGHOST", "two.example")

    assert connection.make_engine(here) is not first
