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


def copy_file(source: Path, target: Path, *, overwrite: bool = False) -> None:
    """Copy the database in ``source`` to the file ``target``, as of one moment."""
    with new_file(target, overwrite=overwrite) as unfinished:
        with closing(connect_sqlite(source)) as old:
            copy_content(old, unfinished, str(source))
        # A copy is one file without companions, also where nothing can be written.
        with closing(connect_sqlite(unfinished)) as new:
            new.execute("PRAGMA journal_mode = DELETE")


def copy_content(source: sqlite3.Connection, target: Path, label: str) -> None:
    """Replace everything in the file ``target`` by what ``source`` holds, in one transaction."""
    started = time.monotonic()

    def check(status: int, _remaining: int, _total: int) -> None:
        if status != sqlite3.SQLITE_OK and time.monotonic() - started > WAIT:
            raise known("database-locked", label)

    with closing(connect_sqlite(target)) as new:
        source.backup(new, pages=-1, progress=check, sleep=0.05)


def free_name(path: Path, word: str) -> Path:
    """Return the first name beside ``path`` for a copy kept ``word``, that is not taken yet."""
    for number in range(1, 10_000):
        name = path.with_name(f"{path.name}.{word}-{number}")
        if not os.path.lexists(name):
            return name
    raise Fault(f"There are too many copies beside {path}.", code="too-many-copies")
