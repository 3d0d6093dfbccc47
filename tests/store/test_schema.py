import re
import sqlite3
import stat
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from pbmserv.errors import Fault
from pbmserv.store.connection import Mode, journal_mode, make_engine, open_transaction
from pbmserv.store.files import schema
from pbmserv.store.files.location import parse_location
from pbmserv.store.store import Store
from pbmserv.store.tables import APPLICATION_ID, view_statements, whole_metadata


def test_first_use_creates_the_database_and_says_so_once(empty_url: str) -> None:
    said: list[str] = []
    Store.open(empty_url, notice=said.append).close()
    Store.open(empty_url, notice=said.append).close()

    assert len(said) == 1
    assert said[0].startswith("Created the database ")


def test_a_new_file_is_private_and_marked_as_ours(tmp_path: Path, journal: str) -> None:
    file = tmp_path / "a" / "b" / "games.sqlite"
    Store.open(str(file)).close()

    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    connection = sqlite3.connect(file)
    assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
    mode = connection.execute("PRAGMA journal_mode").fetchone()
    connection.close()
    assert mode == (journal.lower(),)


def test_an_empty_file_that_becomes_the_database_is_private(tmp_path: Path) -> None:
    file = tmp_path / "games.sqlite"
    file.touch(mode=0o644)
    Store.open(str(file)).close()

    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("version", "mode"), [((3, 40, 1), "DELETE"), ((3, 51, 2), "DELETE"), ((3, 51, 3), "WAL")]
)
def test_the_journal_mode_follows_the_version_of_sqlite(
    monkeypatch: pytest.MonkeyPatch, version: tuple[int, int, int], mode: str
) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", version)

    assert journal_mode() == mode


def test_every_connection_has_its_pragmas(tmp_path: Path) -> None:
    store = Store.open(str(tmp_path / "games.sqlite"))
    with store.reading() as records:
        pragmas = {
            name: records.connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("foreign_keys", "synchronous", "busy_timeout")
        }
    store.close()

    assert pragmas == {"foreign_keys": 1, "synchronous": 3, "busy_timeout": 30_000}


def test_the_newest_migration_is_the_one_that_the_program_expects() -> None:
    files = sorted((schema.migrations_folder() / "versions").glob("[0-9]*.py"))

    assert files[-1].name[:4] == schema.HEAD
    numbers = [file.name[:4] for file in files]
    before = [re.search(r'^down_revision.*= "?(\w+)', f.read_text(), re.MULTILINE) for f in files]
    assert [found[1] for found in before if found] == ["None", *numbers[:-1]]


def definitions(engine: sa.Engine) -> dict[str, str]:
    """Return the text of every table, constraint and index, without blanks."""
    if engine.dialect.name == "sqlite":
        query = "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"
    else:
        query = (
            "SELECT 'index ' || indexname, indexdef FROM pg_indexes "
            "WHERE schemaname = current_schema() UNION "
            "SELECT 'constraint ' || conname, pg_get_constraintdef(oid) FROM pg_constraint "
            "WHERE connamespace = current_schema()::regnamespace UNION "
            "SELECT table_name || '.' || column_name, data_type || is_nullable || "
            "coalesce(column_default, '') FROM information_schema.columns "
            "WHERE table_schema = current_schema() UNION "
            "SELECT 'view ' || viewname, definition FROM pg_views "
            "WHERE schemaname = current_schema()"
        )
    with engine.connect() as connection:
        rows = connection.exec_driver_sql(query).all()
        name = ""
        if engine.dialect.name == "postgresql":
            name = f"{connection.exec_driver_sql('SELECT current_schema()').scalar()}."
    return {
        row[0]: re.sub(r"\s", "", row[1]).replace(name, "")
        for row in rows
        if not row[0].startswith(
            ("alembic_version", "sqlite_", "index alembic", "constraint alembic")
        )
    }


def sorted_parts(definition: str) -> Any:
    """Return the definition as if its parts had an order of their own."""
    # What stands behind the last bracket belongs to no part, and a rebuilt table is quoted.
    parts, bracket, ending = definition.replace('"', "").rpartition(")")
    return sorted(parts.split(",")), bracket, ending


def definitions_of_model(url: str) -> dict[str, str]:
    engine = sa.create_engine(url)
    whole_metadata().create_all(engine)
    with engine.begin() as connection:
        for statement in view_statements(engine.dialect.name):
            connection.exec_driver_sql(statement)
    found = definitions(engine)
    engine.dispose()
    return found


@pytest.mark.costly
def test_the_migrations_build_the_tables_of_the_model(
    empty_url: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    Store.open(empty_url).close()
    migrated = make_engine(parse_location(empty_url))
    found = definitions(migrated)
    migrated.dispose()
    if "postgresql" in empty_url:
        with request.getfixturevalue("postgresql").schema() as url:
            expected = definitions_of_model(url)
    else:
        expected = definitions_of_model(f"sqlite:///{tmp_path}/model.sqlite")

    assert found.keys() == expected.keys()
    for name, definition in expected.items():
        assert sorted_parts(found[name]) == sorted_parts(definition), name


@pytest.mark.costly
def test_alembic_finds_no_difference(empty_url: str) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    Store.open(empty_url).close()
    engine = make_engine(parse_location(empty_url))
    with engine.connect() as connection:
        differences = compare_metadata(MigrationContext.configure(connection), whole_metadata())
    engine.dispose()

    assert differences == []


def test_a_newer_schema_is_refused(database_url: str) -> None:
    engine = make_engine(parse_location(database_url))
    set_version(engine, "9999")
    try:
        with pytest.raises(Fault) as caught:
            Store.open(database_url)
    finally:
        set_version(engine, schema.HEAD)
        engine.dispose()

    assert caught.value.code == "database-newer"


def set_version(engine: sa.Engine, version: str) -> None:
    with open_transaction(engine, Mode.WRITE) as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = :v"), {"v": version})
        connection.commit()
