"""Locations of databases, read from text, and the permissions of our files."""

import stat
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pbmserv.errors import Fault, Refused

SQLITE = "sqlite:///"
POSTGRESQL = ("postgresql+psycopg://", "postgresql://", "postgres://")


@dataclass(frozen=True)
class Location:
    """A database: ``path`` for a SQLite file, else ``url`` for PostgreSQL."""

    path: Path | None
    url: str = ""

    @cached_property
    def label(self) -> str:
        """The location in words for people; never shows a password."""
        if self.path is not None:
            return str(self.path)
        credentials, at, rest = self.url.partition("://")[2].rpartition("@")
        return f"postgresql://{credentials.partition(':')[0]}{at}{rest.partition('?')[0]}"


def parse_location(text: str) -> Location:
    """Return the location that ``text`` names; raises :class:`Fault` if it names none."""
    if text.startswith(POSTGRESQL):
        return Location(None, f"{POSTGRESQL[0]}{text.partition('://')[2]}")
    name = text.removeprefix(SQLITE)
    if not name or "://" in name or name == ":memory:" or "\0" in name:
        raise Fault(
            "Not a valid database: neither a file nor a PostgreSQL URL.",
            code="bad-database-url",
            hint="Write a file name, sqlite:///FILE, or postgresql+psycopg://USER@HOST/NAME.",
        )
    return Location(full_path(Path(name)))


def full_path(file: Path) -> Path:
    """Return the file with its whole path, ``~`` expanded; raises :class:`Refused`."""
    try:
        return file.expanduser().absolute()
    except RuntimeError:
        raise Refused(
            "This home folder does not exist.",
            code="no-such-folder",
            hint="Write the folder in full, or set HOME for ~ alone.",
            about=str(file),
        ) from None


PRIVATE = 0o600
"""The permissions of what holds hashes and keys."""

SHARED = 0o660
"""The same in a folder that a group shares."""

SHARED_FOLDER = 0o2770
"""The permissions of such a folder: what is made in it belongs to its group."""


def is_shared(folder: Path) -> bool:
    """Tell whether the folder was given to a group on purpose, and to nobody else."""
    return stat.S_IMODE(folder.stat().st_mode) == SHARED_FOLDER


def private_mode(folder: Path) -> int:
    """Return the permissions of a file in this folder that is not for everybody."""
    return SHARED if is_shared(folder) else PRIVATE


def mode_problem(path: Path) -> str:
    """Return what is wrong with the permissions of such a file; nothing if they are right."""
    found, folder = path.stat(), path.parent
    mode = stat.S_IMODE(found.st_mode)
    if not is_shared(folder):
        return "other users can read it" if mode & 0o077 else ""
    if found.st_gid != folder.stat().st_gid:
        return "it does not belong to the group of its folder"
    if mode != SHARED:
        return f"its group shares the folder: it should be {SHARED:04o}"
    return ""
