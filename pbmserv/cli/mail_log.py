"""What the programs that take mails in write down: a line for each mail, and never its words."""

import json
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from pbmserv.cli.shell import Shell
from pbmserv.club.written_text import visible
from pbmserv.mail.gateway import Handled
from pbmserv.mail.spool import cause_of
from pbmserv.settings import find

Write = Callable[[str], object]


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
        at = self._now()
        self._line(json.dumps({"at": at, "notice": text}) if self._is_json else f"{at} {text}")

    def _now(self) -> str:
        return datetime.fromtimestamp(self._world.now(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def _line(self, text: str) -> None:
        # What was committed stays so, whether or not its line can be written.
        with suppress(OSError):
            self._write(f"{visible(text)}\n")


def appender() -> Write:
    """Return what adds a line to the log file of the settings, if there is one."""
    name = find("mail_log")
    if not name:
        return lambda _: None

    def append(text: str) -> None:
        with Path(name).open("a", encoding="utf-8") as file:
            file.write(text)

    return append
