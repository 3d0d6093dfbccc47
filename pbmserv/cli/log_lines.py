"""Log lines: what they say, for people or programs, and where they go: a file or the system's log.

The same names stand in all of them, so that a mail can be followed from its Message-ID to the
letters that it caused, and each letter to the number that the mail server gave it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

from pbmserv.club.written_text import escape_controls
from pbmserv.errors import PbmservError
from pbmserv.settings import find
from pbmserv.store.files.location import private_mode

Write = Callable[[str], object]

SYSTEM_LOG = "syslog:"

ERROR, WARNING, INFO = 3, 4, 6
"""The levels of lines, as the system's log counts."""

LEVELS = {ERROR: "error", WARNING: "warning", INFO: "info"}

SHOWN = (*("code", "reason", "command", "board", "message_id", "letter", "letters", "queue_id"),)
"""The facts that people read behind the words of a line, in this order."""


def note(
    write: Write,
    at: str,
    words: str,
    facts: Mapping[str, object],
    level: int = INFO,
    *,
    is_json: bool = False,
) -> None:
    """Write a line: the words with the facts for people, or a JSON document of the facts.

    The system's log gets its level in front, as ``<6>``, and no time: it has its own. Raises
    OSError where it cannot be written.
    """
    is_of_system = write is to_system_log or (write is to_stderr and is_journal())
    time = {} if is_of_system else {"at": at}
    known = {name: fact for name, fact in facts.items() if fact not in ("", None, [])}
    if is_json:
        import json

        text = json.dumps({**time, "level": LEVELS[level], **known})
    else:
        shown = (f"{name}={_shown(known[name])}" for name in SHOWN if name in known)
        text = escape_controls(" ".join([*time.values(), words, *shown])).replace("\n", " ")
    write(f"<{level}>{text}\n" if is_of_system else f"{text}\n")


def _shown(fact: object) -> str:
    """Return a fact as one word, in quotes if it has blanks."""
    text = ",".join(map(str, fact)) if isinstance(fact, list) else str(fact)
    return f'"{text}"' if " " in text else text


def is_for_programs() -> bool:
    """Tell whether lines are JSON."""
    return find("log_format") == "json"


def code_of(error: BaseException) -> str:
    """Return the code of an error, "defect" for one that nobody foresaw."""
    return error.code if isinstance(error, PbmservError) else "defect"


def appender(setting: str) -> Write | None:
    """Return a function that adds a line to the log of a setting, None without a log."""
    name = find(setting)
    if not name:
        return None
    return to_system_log if name == SYSTEM_LOG else partial(append, Path(name))


def is_journal() -> bool:
    """Tell whether standard error goes to the journal of systemd."""
    with suppress(OSError):
        found = os.fstat(2)
        return os.environ.get("JOURNAL_STREAM") == f"{found.st_dev}:{found.st_ino}"
    return False


def to_stderr(text: str) -> None:
    """Add a line to those of a program that stays."""
    sys.stderr.write(text)


def to_system_log(text: str) -> None:
    """Add a line to the system's log, among those of mail; its level stands in front."""
    import syslog  # Windows has none

    syslog.openlog("pbmserv", syslog.LOG_PID, syslog.LOG_MAIL)
    syslog.syslog(int(text[1]), text[3:].strip())


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
