"""Where a database is: a SQLite file or a PostgreSQL URL, read from what people write."""

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
            "There is no such home folder.",
            code="no-such-folder",
            hint="Write the folder in full, or set HOME for ~ alone.",
            about=str(file),
        ) from None
