"""Copies of a whole SQLite file: consistent while others write, complete or not there at all."""

import errno
import os
import secrets
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from pbmserv.errors import Fault, PbmservError, Refused
from pbmserv.store.connection import WAIT, connect_sqlite
from pbmserv.store.faults import fault_of, known


def copy_file(source: Path, target: Path) -> None:
    """Copy the database in ``source`` to the new file ``target``, as of one moment."""
    with new_file(target) as unfinished:
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


@contextmanager
def new_file(target: Path) -> Iterator[Path]:
    """Yield the name of an empty file that becomes ``target`` when the block ends well.

    Raises :class:`Refused` if ``target`` exists or may not be made; never overwrites it, and leaves
    nothing behind.
    """
    if os.path.lexists(target):
        raise _existing(target)
    unfinished = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        unfinished.touch(mode=0o600, exist_ok=False)
        yield unfinished
        _sync(unfinished)
        os.link(unfinished, target)
        _sync(target.parent)
    except FileExistsError as error:
        raise _existing(target) from error
    except FileNotFoundError as error:
        raise Refused(f"There is no folder {target.parent}.", code="no-such-folder") from error
    except (OSError, sqlite3.Error) as error:
        raise _failed(target, error) from error
    finally:
        for leftover in (unfinished, unfinished.with_name(f"{unfinished.name}-journal")):
            leftover.unlink(missing_ok=True)


def free_name(path: Path, word: str) -> Path:
    """Return the first name beside ``path`` for a copy kept ``word``, that is not taken yet."""
    for number in range(1, 10_000):
        name = path.with_name(f"{path.name}.{word}-{number}")
        if not os.path.lexists(name):
            return name
    raise Fault(f"There are too many copies beside {path}.", code="too-many-copies")


def _existing(target: Path) -> Refused:
    return Refused(
        f"The file {target} exists already.",
        code="file-exists",
        hint="Name a new file: nothing is overwritten.",
    )


def _failed(target: Path, error: OSError | sqlite3.Error) -> PbmservError:
    """Return what is said of a file that could not be made: no right to is not the database's."""
    if isinstance(error, OSError) and error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return Refused(
            f"The file {target} cannot be written: {error.strerror}.",
            code="cannot-write",
            hint="Name a file in a folder where you may write.",
        )
    return fault_of(error, str(target))


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
