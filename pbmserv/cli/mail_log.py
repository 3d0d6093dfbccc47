"""What the programs that take mails in write down: a line for each mail, and never its words."""

import json
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from pbmserv.cli.shell import Shell
from pbmserv.club.written_text import visible
from pbmserv.errors import PbmservError
from pbmserv.mail.gateway import Handled
from pbmserv.mail.spool import cause_of
from pbmserv.settings import find

Write = Callable[[str], object]

SYSTEM_LOG = "syslog:"
TIME = "%Y-%m-%dT%H:%M:%SZ"


class Log:
    """Writes one line for each mail, for people or, with ``--json``, for programs."""

    def __init__(self, shell: Shell, write: Write) -> None:
        self._is_json = shell.options.json
        self._world = shell.desk.world
        self._write = write

    def handled(self, handled: Handled) -> None:
        """Note what came of a mail."""
        if self._is_json:
            self._line(json.dumps({"at": self._now(), **handled.document()}))
            return
        parts = [self._now(), handled.door, handled.sender or "-", handled.outcome]
        parts += [f"({handled.reason})"] if handled.reason else []
        self._line(" ".join(parts))

    def failed(self, error: Exception) -> None:
        """Note that something failed, without a word of any mail."""
        self.say(cause_of(error))

    def say(self, text: str) -> None:
        """Note something about the program itself."""
        now = datetime.fromtimestamp(self._world.now(), UTC)
        self._line(_notice(now, text, is_json=self._is_json))

    def _now(self) -> str:
        return datetime.fromtimestamp(self._world.now(), UTC).strftime(TIME)

    def _line(self, text: str) -> None:
        # What was committed stays so, whether or not its line can be written.
        with suppress(OSError):
            self._write(f"{visible(text)}\n")


def appender() -> Write:
    """Return what adds a line to the log of the settings: a file, or the system's log."""
    name = find("mail_log")
    if not name:
        return lambda _: None
    return to_system_log if name == SYSTEM_LOG else partial(_append, Path(name))


def note_failure(error: BaseException, *, is_json: bool) -> None:
    """Note why a mail was not taken in: in the log of the settings, or else in the system's."""
    text = f"{_notice(datetime.now(UTC), cause_of(error), is_json=is_json)}\n"
    try:
        name = find("mail_log")
        if name and name != SYSTEM_LOG:
            _append(Path(name), text)
            return
    except (PbmservError, OSError):
        pass  # that, too, may be what went wrong
    to_system_log(text)


def to_system_log(text: str) -> None:
    """Add a line to the system's log, among those of mail; it has the time already."""
    import syslog

    syslog.openlog("pbmserv", syslog.LOG_PID, syslog.LOG_MAIL)
    syslog.syslog(text.strip())


def _append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def _notice(moment: datetime, text: str, *, is_json: bool) -> str:
    at = moment.strftime(TIME)
    return json.dumps({"at": at, "notice": text}) if is_json else f"{at} {visible(text)}"
