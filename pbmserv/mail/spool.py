"""The Maildir of incoming mails: each worked through in turn, moved on only after its commit.

A mail that fails three times for a reason of its own goes to ``shunt/`` and waits for the
operator. While the store fails, all wait where they are and nothing is counted.
"""

import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pbmserv.errors import Fault, NotFound, PbmservError, Postponed
from pbmserv.mail.inbound import MAX_SIZE

TRIES = 3
TRIED = re.compile(r"(.*),tries=([0-9])")
SEEN = ":2,S"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._,=+-]{0,200}")


@dataclass(frozen=True)
class Shunted:
    """A mail put aside: its file's name, how big it is, since when, and what went wrong."""

    name: str
    size: int
    since: int
    cause: str


@dataclass(frozen=True)
class Spool:
    """A Maildir, with a ``shunt/`` beside its ``new/`` and ``cur/``."""

    folder: Path
    postponed: dict[Path, float] = field(default_factory=dict, repr=False)
    """The mails that came too early, and from when on each is looked at again."""

    def prepare(self) -> None:
        """Create the missing folders; raises :class:`Fault`."""
        try:
            for name in ("tmp", "new", "cur", "shunt"):
                (self.folder / name).mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise Fault(
                f"The Maildir {self.folder} cannot be used: {error.strerror}.", code="bad-maildir"
            ) from error

    def waiting(self) -> list[Path]:
        """Return the mails that came in, the oldest first."""
        found: list[tuple[int, str, Path]] = []
        for path in (self.folder / "new").iterdir():
            with suppress(FileNotFoundError):  # somebody else has just taken it
                if path.is_file():
                    found.append((path.stat().st_mtime_ns, path.name, path))
        return [path for _, _, path in sorted(found)]

    def work(
        self,
        receive: Callable[[bytes], object],
        is_store_well: Callable[[], bool],
        report: Callable[[Exception], None],
    ) -> Iterator[bool]:
        """Hand waiting mails to ``receive``; yield for each whether it was processed.

        Ends if ``is_store_well`` denies that others would fare better. Others may work here, too.
        """
        for path in self.waiting():
            if self.postponed.get(path, 0) > time.monotonic():
                continue
            self.postponed.pop(path, None)
            try:
                receive(read_start(path))
            except FileNotFoundError:
                continue
            except Postponed as wait:
                self.postponed[path] = time.monotonic() + wait.seconds
            except Exception as error:  # noqa: BLE001 - whatever it was, the mail is kept
                report(error)
                if not is_store_well():
                    yield False
                    return
                if self._failed(path, error):
                    yield False
            else:
                _move(path, self.folder / "cur" / f"{_tried(path)[0]}{SEEN}")
                yield True

    def shunted(self) -> Iterator[Shunted]:
        """Yield the mails put aside, the oldest first."""
        folder = self.folder / "shunt"
        files = folder.iterdir() if folder.is_dir() else iter(())
        mails = (path for path in files if path.suffix != ".json")
        for path in sorted(mails, key=lambda path: (path.stat().st_mtime, path.name)):
            note: dict[str, Any] = {}
            if _note(path).is_file():
                note = json.loads(_note(path).read_text(encoding="utf-8"))
            status = path.stat()
            since = int(note.get("since", status.st_mtime))
            yield Shunted(path.name, status.st_size, since, str(note.get("cause", "")))

    def find(self, name: str) -> Path:
        """Return the file of a mail put aside; raises :class:`NotFound`."""
        path = self.folder / "shunt" / name
        if not NAME.fullmatch(name) or name.endswith(".json") or not path.is_file():
            raise NotFound(
                "No such mail was put aside.",
                code="no-such-mail",
                hint="See them with: pbmserv mail shunt list",
            )
        return path

    def retry(self, name: str) -> None:
        """Put a mail back among those that came in; raises :class:`NotFound`."""
        path = self.find(name)
        path.rename(self.folder / "new" / name)
        _note(path).unlink(missing_ok=True)

    def drop(self, name: str) -> None:
        """Delete a mail that was put aside; raises :class:`NotFound`."""
        path = self.find(name)
        path.unlink()
        _note(path).unlink(missing_ok=True)

    def _failed(self, path: Path, error: Exception) -> bool:
        """Count the try, or put the mail aside; tell whether it was still there for that."""
        name, before = _tried(path)
        tries = before + 1
        if tries < TRIES:
            return _move(path, path.with_name(f"{name},tries={tries}"))
        target = self.folder / "shunt" / name
        if not _move(path, target):
            return False
        note = {"since": int(time.time()), "cause": cause_of(error)}
        _note(target).write_text(json.dumps(note), encoding="utf-8")
        return True


def read_start(path: Path) -> bytes:
    """Return the mail, or of one that is too large enough to see that."""
    with path.open("rb") as file:
        return file.read(MAX_SIZE + 1)


def cause_of(error: BaseException) -> str:
    """Return what went wrong without a word of the mail, which the error's text may hold."""
    if isinstance(error, PbmservError):
        return error.message
    if isinstance(error, OSError) and error.strerror:
        return f"The system says: {error.strerror}."
    return f"internal error: {type(error).__name__}"


def _tried(path: Path) -> tuple[str, int]:
    """Return the name of a mail's file as it came in, and how often it was tried."""
    found = TRIED.fullmatch(path.name)
    name, tries = found.groups() if found else (path.name, 0)
    return name.partition(":")[0], int(tries)


def _move(path: Path, target: Path) -> bool:
    """Move a mail's file; tell whether it was there, and not somebody else's work done."""
    try:
        path.rename(target)
    except FileNotFoundError:
        if path.exists():
            raise  # it is the folder to move it to that is missing
        return False
    return True


def _note(path: Path) -> Path:
    return path.with_name(f"{path.name}.json")
