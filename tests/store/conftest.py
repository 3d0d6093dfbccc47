import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from pbmserv.store.connection import journal_mode
from pbmserv.store.files import schema
from pbmserv.store.store import Store
from tests import databases

MODES = ("DELETE", "WAL")
OTHER = next(mode for mode in MODES if mode != journal_mode())


@pytest.fixture(autouse=True, params=[journal_mode(), pytest.param(OTHER, marks=pytest.mark.slow)])
def journal(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the journal mode of SQLite files, which here is not only what the version gives."""
    mode: str = request.param
    monkeypatch.setattr(schema, "journal_mode", lambda: mode)
    return mode


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A server has no journal of SQLite's: what is run on one is run once."""
    items[:] = [item for item in items if not _is_run_twice(item)]


def _is_run_twice(item: pytest.Item) -> bool:
    chosen = item.callspec.params if hasattr(item, "callspec") else {}
    return chosen.get("journal") == OTHER and "postgresql" in chosen.values()


@pytest.fixture
def sqlite_template(
    sqlite_template: Path, journal: str, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A SQLite database without a row in this journal mode, to be copied."""
    if journal != OTHER:
        return sqlite_template
    file = databases.copy_template(sqlite_template, tmp_path_factory.mktemp("template"))
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(f"PRAGMA journal_mode = {journal}")
    return Path(file)


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    """A store of each kind without a row."""
    opened = Store.open(database_url)
    yield opened
    opened.close()
