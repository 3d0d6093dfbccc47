"""Copies of a whole SQLite file: consistent while others write, complete or not there at all."""

import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from pbmserv.errors import Fault
from pbmserv.store.connection import LOCK_TIMEOUT, connect_sqlite
from pbmserv.store.faults import StoreFault, known, translated
from pbmserv.store.files.new_file import new_file
from pbmserv.store.progress import WATCH

PAGES = 1000
"""Pages copied between two looks at how far it is."""

GOES_ON = frozenset({sqlite3.SQLITE_OK, sqlite3.SQLITE_DONE})
MAX_FINDINGS = 10
"""Findings of damage that are reported: one alone says enough."""


def copy_file(source: Path, target: Path, *, overwrite: bool = False) -> None:
    """Copy the database in ``source`` to the file ``target``, as of one moment."""
    with new_file(target, overwrite=overwrite) as unfinished:
        copy_into(source, unfinished)


def copy_into(source: Path, target: Path) -> None:
    """Copy the database in ``source`` into an empty file, as of one moment."""
    with closing(connect_sqlite(source)) as old:
        copy_content(old, target, str(source))
    # A copy is one file without companions, also where nothing can be written.
    with closing(connect_sqlite(target)) as new:
        new.execute("PRAGMA journal_mode = DELETE")


def copy_content(source: sqlite3.Connection, target: Path, label: str) -> None:
    """Replace everything in the file ``target`` by what ``source`` holds, as of one moment."""
    started, watch = time.monotonic(), WATCH.get()

    def check(status: int, remaining: int, total: int) -> None:
        if status not in GOES_ON and time.monotonic() - started > LOCK_TIMEOUT:
            raise known("database-locked", label)
        if watch is not None:
            watch(total - remaining, total)

    # A copy in parts would begin anew with each change, but for this transaction around it.
    source.execute("BEGIN")
    with translated(label):
        source.execute("PRAGMA schema_version")  # takes the lock, and is read of a damaged file too
    with closing(connect_sqlite(target)) as new:
        source.backup(new, pages=-1 if watch is None else PAGES, progress=check, sleep=0.05)
    source.execute("ROLLBACK")


def damage(file: Path) -> list[str]:
    """Return the damage that SQLite finds in a database file, a line each."""
    try:
        if os.access(file, os.W_OK):
            return _damage(file)
        with TemporaryDirectory(prefix="pbmserv-") as folder:
            copy = Path(folder) / file.name
            copy.touch()
            copy_into(file, copy)
            return _damage(copy)
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        return [str(error)]
    except StoreFault as error:
        if error.code != "database-broken":
            raise
        return [error.message]


def _damage(file: Path) -> list[str]:
    # A database that cannot be written has no CHECK constraints for SQLite, so none can fail.
    with closing(connect_sqlite(file)) as connection:
        connection.execute("PRAGMA query_only = ON")
        found = [
            str(row[0]) for row in connection.execute(f"PRAGMA integrity_check({MAX_FINDINGS})")
        ]
        # It looks at no view, and at no name of a table or column.
        for name in [row[1] for row in connection.execute("PRAGMA table_list")]:
            connection.execute(f'SELECT * FROM "{name}" LIMIT 0')  # noqa: S608 - a name of SQLite's
    return [line for line in found if line != "ok"]


def all_damage(file: Path) -> list[str]:
    """Return the same, or a line on dangling references."""
    return damage(file) or ["rows name others that are not there"] * _has_dangling_references(file)


def _has_dangling_references(file: Path) -> bool:
    with closing(connect_sqlite(file, "ro")) as connection:
        return connection.execute("PRAGMA foreign_key_check").fetchone() is not None


def free_name(path: Path, word: str) -> Path:
    """Return the first name beside ``path`` for a copy kept ``word``, that is not taken yet."""
    for number in range(1, 10_000):
        name = path.with_name(f"{path.name}.{word}-{number}")
        if not os.path.lexists(name):
            return name
    raise Fault(f"There are too many copies of {path} in its folder.", code="too-many-copies")
