"""Facts about a database for operators, found without creating anything."""

import os
import sqlite3
import stat
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from pbmserv.errors import Fault
from pbmserv.store.connection import connect_sqlite, make_engine, open_transaction
from pbmserv.store.faults import missing, translated
from pbmserv.store.files.file_copies import all_damage, damage
from pbmserv.store.files.location import Location, mode_problem, parse_location
from pbmserv.store.files.locks import LOCKS
from pbmserv.store.files.new_file import COMPANIONS
from pbmserv.store.files.schema import HEAD, find_version, require_known, table_differences
from pbmserv.store.store import Store
from pbmserv.store.tables import metadata


@dataclass(frozen=True)
class Fact:
    """One thing found: its name, its value, and what is wrong with it, if anything."""

    name: str
    value: str
    problem: str = ""


def inspect(url: str) -> list[Fact]:
    """Return the facts about a database; raises :class:`Fault` if it cannot be read."""
    location = parse_location(url)
    with translated(location.label):
        return list(_facts(location))


def _facts(location: Location) -> Iterator[Fact]:
    yield Fact("database", location.label)
    if location.path is not None:
        yield Fact("SQLite", sqlite3.sqlite_version)
        yield from _folder_facts(location.path)
        if not location.path.exists():
            yield _schema_fact(None, location)
            return
        yield from _file_facts(location.path)
    engine = make_engine(location)
    try:
        version = find_version(engine, location)
        yield _schema_fact(version, location)
        if location.path is None:
            with open_transaction(engine) as connection:
                found = connection.execute(sa.text("SHOW server_version")).scalar_one()
            yield Fact("PostgreSQL", str(found))
    finally:
        engine.dispose()


def _folder_facts(path: Path) -> Iterator[Fact]:
    # Folders that are missing are made by the first command, in the nearest that is there.
    folder = next(folder for folder in path.parents if folder.exists())
    if folder == path.parent:
        yield Fact("folder mode", _mode(folder))
    if not folder.is_dir():
        yield Fact("folder writable", "no", f"{folder} is not a folder")
    elif not os.access(folder, os.W_OK | os.X_OK):
        yield Fact("folder writable", "no", f"cannot write in {folder}")
    else:
        yield Fact("folder writable", "yes")


def _file_facts(path: Path) -> Iterator[Fact]:
    yield Fact("file mode", _mode(path), mode_problem(path))
    for name in ("lock", "lock-next"):
        lock = path.with_name(f"{path.name}.{name}")
        if lock.exists():
            yield Fact(f"{name} mode", _mode(lock), mode_problem(lock))
    with closing(connect_sqlite(path, "ro")) as connection:
        for name in ("journal_mode", "synchronous", "foreign_keys", "page_count", "page_size"):
            value = connection.execute(f"PRAGMA {name}").fetchone()[0]
            yield Fact(name, str(value))
    if not os.access(path, os.W_OK):
        yield Fact("file writable", "no", f"you cannot write to {path}")
    for suffix in (*LOCKS, *COMPANIONS):
        beside = path.with_name(f"{path.name}{suffix}")
        if beside.exists() and beside.stat().st_uid != path.stat().st_uid:
            yield Fact(beside.name, "of another owner", f"give it to the owner of {path.name}")
        elif beside.exists() and not os.access(beside, os.W_OK):
            yield Fact(beside.name, "not writable", f"you cannot write to {beside}")
    found = all_damage(path)
    said = f"The file is damaged: {found[0]}" if found else ""
    yield Fact("integrity", f"{len(found)} findings" if found else "ok", said)


def _schema_fact(version: str | None, location: Location) -> Fact:
    if version is None:
        return Fact("schema", "none", missing(location.label).message)
    problem = "" if version == HEAD else f"this program needs {HEAD}: run pbmserv db upgrade"
    try:
        require_known(version, location)
    except Fault as fault:
        problem = f"{fault.message} {fault.hint}"
    return Fact("schema", version, problem)


def _mode(path: Path) -> str:
    return f"{stat.S_IMODE(path.stat().st_mode):04o}"


def schema_differences(store: Store) -> list[str]:
    """Return how the tables differ from this version's, a line each; takes Alembic to compare."""
    with translated(store.location.label), open_transaction(store.engine) as connection:
        return table_differences(connection)


def file_damage(store: Store) -> list[str]:
    """Return what SQLite finds wrong in the file of the database, a line each."""
    path = store.location.path
    return [f"the file is damaged: {line}" for line in damage(path)] if path is not None else []


def broken_references(store: Store) -> Iterator[str]:
    """Yield in which tables rows name others that are not there, a sentence each."""
    # PostgreSQL lets nobody delete what is named; a SQLite file can be changed by anything.
    if store.location.path is None:
        return
    for table in metadata.sorted_tables:
        with store.reading() as records:
            rows = records.connection.exec_driver_sql(f"PRAGMA foreign_key_check({table.name})")
            missing = Counter(row.parent for row in rows)
        for parent, count in sorted(missing.items()):
            rows_name = "1 row names" if count == 1 else f"{count} rows name"
            yield f"table {table.name}: {rows_name} a {parent} that does not exist"
