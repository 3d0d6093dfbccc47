"""The file with the key of the signed-in player, one for each database."""

import hashlib
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pbmserv.errors import Denied, Missing, Refused
from pbmserv.settings import config_folder, open_at_once
from pbmserv.store.files.location import parse_location

NAME_LENGTH = 32
OF_OTHERS = 0o077


@dataclass
class KeyFile:
    """A file of mode 0600 in the user's configuration folder; ``database`` is asked when needed."""

    database: Callable[[], str]
    life = None

    @property
    def path(self) -> Path:
        """Where the key for the database is kept, whether there is one or not."""
        location = parse_location(self.database())
        name = location.label if location.path is None else os.path.realpath(location.path)
        digest = hashlib.sha256(name.encode(errors="surrogateescape")).hexdigest()
        return config_folder() / "signin" / f"{digest[:NAME_LENGTH]}.key"

    def read(self) -> str | None:
        """Return the key, None where there is none; refused where others can read it."""
        try:
            path = self.path
        except Missing:
            return None  # without a place for it nobody can have signed in
        try:
            with open_at_once(path, "ascii") as file:
                mode = os.fstat(file.fileno()).st_mode
                text = file.read().strip()
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise _unusable(path, "cannot be read") from error
        if os.name == "posix" and stat.S_IMODE(mode) & OF_OTHERS:
            raise _unusable(path, "can be read by other users")
        return text

    def keep(self, key: str) -> None:
        """Put the key into the file, whole or not at all; raises :class:`Refused`."""
        from pbmserv.store.files.new_file import new_file

        path = self.path
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise Refused(
                f"The folder {path.parent} cannot be created: {error.strerror}.",
                code="cannot-write",
            ) from error
        with new_file(path, overwrite=True) as unfinished:
            unfinished.write_text(f"{key}\n", encoding="ascii")

    def drop(self) -> None:
        """Delete the file, if there is one; raises :class:`Refused`."""
        path = self.path
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise Refused(
                f"The file {path} cannot be deleted: {error.strerror}.", code="cannot-write"
            ) from error


def _unusable(path: Path, reason: str) -> Denied:
    return Denied(
        f"The file with your sign-in key {reason}: {path}.",
        code="not-signed-in",
        hint="Delete it, and sign in again with: pbmserv login USERID",
    )
