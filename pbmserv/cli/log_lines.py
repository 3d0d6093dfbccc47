"""Where log lines go: to a file, or to the system's log."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

from pbmserv.settings import find
from pbmserv.store.files.location import private_mode

Write = Callable[[str], object]

SYSTEM_LOG = "syslog:"


def appender(setting: str) -> Write | None:
    """Return a function that adds a line to the log of a setting, None without a log."""
    name = find(setting)
    if not name:
        return None
    return to_system_log if name == SYSTEM_LOG else partial(append, Path(name))


def to_system_log(text: str) -> None:
    """Add a line to the system's log, among those of mail; it has the time already."""
    import syslog  # Windows has none

    syslog.openlog("pbmserv", syslog.LOG_PID, syslog.LOG_MAIL)
    syslog.syslog(text.strip())


def append(path: Path, text: str) -> None:
    """Add a line to a file, created for its owner or for the group that shares its folder."""
    try:
        mode = private_mode(path.parent)
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL, mode)
        os.fchmod(descriptor, mode)
    except FileExistsError:
        # A pipe that nobody reads is an error at once, and not waited for.
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_NONBLOCK)
    with open(descriptor, "a", encoding="utf-8") as file:  # noqa: PTH123 - a descriptor is no path
        file.write(text)
