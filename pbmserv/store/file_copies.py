"""Copies of a whole SQLite file: consistent while others write, complete or not there at all."""

import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from pbmserv.errors import Fault
from pbmserv.store.connection import WAIT, connect_sqlite
from pbmserv.store.faults import known
from pbmserv.store.new_file import new_file

MOST = 10
"""Findings of damage that are told: one alone says enough."""


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
    """Replace everything in the file ``target`` by what ``source`` holds, in one transaction."""
    with closing(connect_sqlite(target)) as new:
        copy_between(source, new, label)


def copy_between(source: sqlite3.Connection, target: sqlite3.Connection, label: str) -> None:
    """Replace everything in the database ``target`` by what ``source`` holds."""
    started = time.monotonic()

    def check(status: int, _remaining: int, _total: int) -> None:
        if status != sqlite3.SQLITE_OK and time.monotonic() - started > WAIT:
            raise known("database-locked", label)

    source.backup(target, pages=-1, progress=check, sleep=0.05)


def damage(file: Path) -> list[str]:
    """Return what SQLite finds wrong in a database file, a line each; none if it is whole."""
    try:
        with closing(connect_sqlite(file, "ro")) as connection:
            found = [str(row[0]) for row in connection.execute(f"PRAGMA integrity_check({MOST})")]
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        return [str(error)]
    return [line for line in found if line != "ok"]


def has_dangling_references(file: Path) -> bool:
    """Tell whether rows in a database file name others that are not there."""
    with closing(connect_sqlite(file, "ro")) as connection:
        return connection.execute("PRAGMA foreign_key_check").fetchone() is not None


def free_name(path: Path, word: str) -> Path:
    """Return the first name beside ``path`` for a copy kept ``word``, that is not taken yet."""
    for number in range(1, 10_000):
        name = path.with_name(f"{path.name}.{word}-{number}")
        if not os.path.lexists(name):
            return name
    raise Fault(f"There are too many copies beside {path}.", code="too-many-copies")
