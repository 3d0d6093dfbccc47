"""Files that the program writes for people: complete under their name, or not there at all."""

import errno
import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pbmserv.errors import PbmservError, Refused
from pbmserv.store.faults import fault_of
from pbmserv.store.files.location import PRIVATE, full_path, private_mode
from pbmserv.store.files.locks import HAS_FLOCK

if HAS_FLOCK:
    import fcntl

ORDINARY = 0o666
"""The permissions of everything else, of which the user's umask takes away."""

COMPANIONS = ("-journal", "-wal", "-shm")
"""Suffixes of the files beside a SQLite file in use."""

UNFINISHED = ".unfinished"
"""Suffix of files being written, or left by a killed program."""

NOT_A_PLACE = {
    *(errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EISDIR),
    *(errno.ENAMETOOLONG, errno.ELOOP),
}


def write_file(file: Path, content: bytes, *, suffix: str, overwrite: bool) -> None:
    """Write ``content`` into a file that anybody may read, ``~`` in its name expanded.

    Only a file with this ``suffix`` is overwritten, so that no slip costs a database. Raises
    :class:`Refused` as :func:`new_file` does.
    """
    target = full_path(file)
    if os.path.lexists(target) and target.suffix.lower() != suffix:
        raise Refused(
            f"That file exists and its name does not end in {suffix}; it was left alone.",
            code="file-exists",
            hint="Name another one.",
        )
    with new_file(target, overwrite=overwrite, mode=ORDINARY) as unfinished:
        unfinished.write_bytes(content)


@contextmanager
def new_file(target: Path, *, overwrite: bool = False, mode: int = PRIVATE) -> Iterator[Path]:
    """Yield the name of an empty file that becomes ``target`` when the block ends well.

    A private file is one of the group's in a folder that a group shares. Until the block ends
    nothing is under that name but what was there before, and if the block fails nothing
    is left behind. Raises :class:`Refused` if ``target`` exists and is not to be overwritten, or
    can be neither made nor replaced.
    """
    _require_free(target, overwrite=overwrite)
    try:
        _sweep(target.parent)
        unfinished, lock = _begin(target.parent, mode)
        try:
            if mode == PRIVATE:
                # Where a group shares the folder, whatever the umask of one of them takes away.
                unfinished.chmod(private_mode(target.parent))
            yield unfinished
            sync(unfinished)
            if overwrite:
                unfinished.replace(target)
            else:
                _rename_to_free_name(unfinished, target)
        finally:
            for leftover in (unfinished, unfinished.with_name(f"{unfinished.name}-journal")):
                leftover.unlink(missing_ok=True)
            os.close(lock)
        sync(target.parent)
    except FileExistsError as error:
        raise _existing(target) from error
    except FileNotFoundError as error:
        raise Refused(f"There is no folder {target.parent}.", code="no-such-folder") from error
    except (OSError, sqlite3.Error, UnicodeDecodeError) as error:
        raise _failed(target, error) from error


@contextmanager
def own_folder(name: Path, maker: str) -> Iterator[Path]:
    """Yield the folder that this command fills, made if need be and locked for one run.

    A file in it says whose it is; a second run waits for the first. Raises :class:`Refused` if it
    holds files of others, or cannot be written.
    """
    root, lock = full_path(name), f".pbmserv-{maker}.lock"
    try:
        root.mkdir(parents=True, exist_ok=True)
        found = {entry.name for entry in root.iterdir()} - {UNFINISHED}
        if found and lock not in found:
            raise Refused(
                f"The folder {root} contains other files.",
                code="folder-in-use",
                hint=f"Name a new or empty folder, or one that pbmserv {maker} has made.",
            )
        with (root / lock).open("a", encoding="ascii") as held:
            if HAS_FLOCK:
                fcntl.flock(held, fcntl.LOCK_EX)
            yield root
    except OSError as error:
        raise Refused(
            f"The folder {root} cannot be written: {error.strerror}.",
            code="cannot-write",
            hint="What it holds is not damaged; correct this and run the command again.",
        ) from error


def _begin(folder: Path, mode: int) -> tuple[Path, int]:
    while True:
        file = folder / f".{secrets.token_hex(8)}{UNFINISHED}"
        lock = os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        if _is_ours(lock) and os.fstat(lock).st_nlink:
            return file, lock
        os.close(lock)  # swept before it was locked


def _sweep(folder: Path) -> None:
    """Delete what programs that were killed left unfinished in the folder: nobody locks it."""
    for file in folder.glob(f".*{UNFINISHED}"):
        with suppress(OSError):
            lock = os.open(file, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                if _is_ours(lock):
                    file.unlink()
                    file.with_name(f"{file.name}-journal").unlink(missing_ok=True)
            finally:
                os.close(lock)


def _is_ours(lock: int) -> bool:
    if not HAS_FLOCK:  # what is left stays
        return True
    with suppress(OSError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


def _require_free(target: Path, *, overwrite: bool) -> None:
    if not os.path.lexists(target):
        return
    if target.is_symlink() or not target.is_file():
        raise Refused(
            f"{target} is not an ordinary file and was left alone.",
            code="file-exists",
            hint="Name a new file.",
        )
    if not overwrite:
        raise _existing(target)
    if any(target.with_name(f"{target.name}{end}").exists() for end in COMPANIONS):
        # SQLite would play the journal of the old file into the new one.
        raise Refused(
            f"The file {target} is a database in use and was left alone.",
            code="file-exists",
            hint="Name a new file.",
        )


def _rename_to_free_name(file: Path, target: Path) -> None:
    try:
        # Unlike a renaming, it fails if somebody else has made the file meanwhile.
        target.hardlink_to(file)
    except PermissionError:
        # There are file systems without hard links; there the moment between has to be borne.
        if os.path.lexists(target):
            raise FileExistsError from None
        file.rename(target)


def _existing(target: Path) -> Refused:
    return Refused(
        f"The file {target} exists already.",
        code="file-exists",
        hint="Name a new file, or overwrite this one with --force.",
    )


def _failed(target: Path, error: Exception) -> PbmservError:
    """Return what is said of a file that could not be made; a bad name is the sender's mistake."""
    if isinstance(error, OSError) and error.errno in NOT_A_PLACE:
        return Refused(
            f"The file {target} cannot be written: {error.strerror}.",
            code="cannot-write",
            hint="Name a file in a folder where you can write.",
        )
    return fault_of(error, str(target))


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
