"""The log of incoming mail: a line for each mail, never its words."""

import json
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from pbmserv.cli.log_lines import SYSTEM_LOG, Write, append, to_system_log
from pbmserv.cli.shell import Shell
from pbmserv.club.written_text import escape_controls
from pbmserv.engine.moments import ISO, format_moment, utc
from pbmserv.errors import PbmservError
from pbmserv.mail.gateway import Handled
from pbmserv.mail.spool import cause_of
from pbmserv.settings import find


class Log:
    """Writes one line for each mail, for people or, with ``--json``, for programs."""

    def __init__(self, shell: Shell, write: Write) -> None:
        self._is_json = shell.options.json
        self._world = shell.desk.world
        self._write = write

    def handled(self, handled: Handled) -> None:
        """Log the outcome of a mail."""
        now = format_moment(self._world.now())
        if self._is_json:
            self._line(json.dumps({"at": now, **vars(handled)}))
            return
        parts = [now, handled.door, handled.sender or "-", handled.outcome]
        parts += [f"({handled.reason})"] if handled.reason else []
        self._line(" ".join(parts))

    def failed(self, error: Exception) -> None:
        """Note that something failed, without a word of any mail."""
        self.say(cause_of(error))

    def say(self, text: str) -> None:
        """Note something about the program itself."""
        now = utc(self._world.now())
        self._line(_notice(now, text, is_json=self._is_json))

    def _line(self, text: str) -> None:
        # What was committed stays so, whether or not its line can be written.
        with suppress(OSError):
            self._write(f"{escape_controls(text)}\n")


def note_failure(error: BaseException, *, is_json: bool) -> None:
    """Note why a mail was not taken in: in the log of the settings, or else in the system's."""
    text = f"{_notice(datetime.now(UTC), cause_of(error), is_json=is_json)}\n"
    try:
        name = find("mail_log")
        if name and name != SYSTEM_LOG:
            append(Path(name), text)
            return
    except (PbmservError, OSError):
        pass  # that, too, may be what went wrong
    to_system_log(text)


def _notice(moment: datetime, text: str, *, is_json: bool) -> str:
    at = moment.strftime(ISO)
    return json.dumps({"at": at, "notice": text}) if is_json else f"{at} {escape_controls(text)}"
