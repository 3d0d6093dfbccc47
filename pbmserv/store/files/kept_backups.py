"""Backups that are made again and again into a folder of their own, of which a few are kept."""

import math
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from pbmserv.engine.moments import DAY_OF, HOUR_OF, ICALENDAR, MINUTE, MONTH_OF, utc
from pbmserv.errors import Fault, PbmservError
from pbmserv.store.files.backup import backup, restore_on_trial
from pbmserv.store.files.location import full_path
from pbmserv.store.files.new_file import own_folder, sync
from pbmserv.store.store import Store

MAKER = f"{__name__}:maker"
"""Makes backups in a process of its own; a task is ``(folder, minutes)``."""

NAME = f"pbmserv-{ICALENDAR}.sqlite"
"""How a backup is called, by the moment at which it was begun."""

KEPT = ((HOUR_OF, 24), (DAY_OF, 7), (MONTH_OF, 12))
"""The newest backup of an hour, a day and a month is kept, of so many of them."""


def minutes_since_backup(folder: str, now: int) -> float:
    """Return how old the newest backup in the folder is, infinitely where there is none.

    One of the future, made before the clock was set back, does not count.
    """
    return (now - max(_moments(full_path(Path(folder)), now), default=-math.inf)) / MINUTE


def maker(url: str) -> Callable[[tuple[str, int]], Iterator[set[str]]]:
    """Return what makes a backup of the database if one is due, and yields what went wrong."""

    def make(task: tuple[str, int]) -> Iterator[set[str]]:
        try:
            back_up_if_due(url, *task)
            yield set()
        except PbmservError as error:
            yield {f"No backup was made: {error.message}"}

    return make


def back_up_if_due(url: str, folder: str, minutes: int) -> None:
    """Make a backup, restore it on trial, give it its name, and delete those no longer kept.

    Of several programs one does it, and the others find it done. Raises :class:`PbmservError`.
    """
    with own_folder(Path(folder), "backup") as root:
        now = int(time.time())  # as late as this: another program may just have made one
        if minutes_since_backup(folder, now) < minutes:
            return
        for left in root.glob("trial-*"):  # by a program that was killed
            shutil.rmtree(left)
        with (
            closing(Store.open(url, may_create=False)) as store,
            TemporaryDirectory(prefix="trial-", dir=root) as trial,
        ):
            made = Path(trial) / "backup.sqlite"
            backup(store, made)
            if wrong := restore_on_trial(made, trial).wrong:
                raise Fault(f"A restore on trial found: {wrong[0]}", code="backup-failed")
            made.rename(root / f"{utc(now):{NAME}}")
            sync(root)
        moments, kept = sorted(_moments(root, now)), set[int]()
        for period, count in KEPT:
            kept.update([*{f"{utc(at):{period}}": at for at in moments}.values()][-count:])
        for at in kept.symmetric_difference(moments):
            (root / f"{utc(at):{NAME}}").unlink()


def _moments(root: Path, now: int) -> Iterator[int]:
    """Yield when the backups in a folder were begun, but for those of the future."""
    for file in root.glob("pbmserv-*.sqlite"):
        with suppress(ValueError):
            at = int(datetime.strptime(file.name, NAME).replace(tzinfo=UTC).timestamp())
            if at <= now:
                yield at
