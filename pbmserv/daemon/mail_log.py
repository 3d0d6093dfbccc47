"""The log of a program that takes mails in and sends letters: never their words."""

from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from pbmserv.cli.log_lines import (
    ERROR,
    INFO,
    SYSTEM_LOG,
    WARNING,
    Write,
    append,
    appender,
    code_of,
    is_for_programs,
    note,
    to_system_log,
)
from pbmserv.cli.shell import Shell
from pbmserv.engine.moments import ISO, format_moment
from pbmserv.errors import PbmservError
from pbmserv.mail.gateway import Handled
from pbmserv.mail.outbox_sender import SENT
from pbmserv.mail.spool import cause_of
from pbmserv.settings import find


class Log:
    """Writes one line for each mail and letter, for people or, as JSON, for programs."""

    def __init__(self, shell: Shell, write: Write) -> None:
        self._is_json = is_for_programs()
        self._world = shell.desk.world
        self._write = write

    def handled(self, handled: Handled) -> None:
        """Log the outcome of a mail."""
        facts = {**vars(handled), **handled.trail}
        facts["code"] = facts.pop("outcome")
        del facts["trail"]
        self._note(f"{handled.door} {handled.sender or '-'}", facts)

    def left(self, facts: dict[str, object]) -> None:
        """Log that a letter left, or why it did not."""
        level = INFO if facts["code"] in {SENT, "dropped"} else WARNING
        self._note(f"out {facts.get('kind', '-')}", {"door": "out", **facts}, level)

    def done(self, door: str, trail: dict[str, object], who: str = "", code: str = "done") -> None:
        """Log what was done by another way, if anything was."""
        if any(trail.values()):
            facts = {"door": door, "code": code, "userid": who, **trail}
            self._note(f"{door} {who or '-'}", facts)

    def failed(self, error: Exception) -> None:
        """Note that something failed, without a word of any mail."""
        self.say(cause_of(error), code=code_of(error), level=ERROR)

    def say(self, text: str, *, code: str = "", level: int = INFO) -> None:
        """Note something about the program itself."""
        self._note(text, {"notice": text, "code": code}, level)

    def _note(self, words: str, facts: dict[str, object], level: int = INFO) -> None:
        at = format_moment(self._world.now())
        # What was done stays so, whether or not its line can be written.
        with suppress(OSError):
            note(self._write, at, words, facts, level, is_json=self._is_json)


def mail_log(shell: Shell) -> Log:
    """Return the log of the settings, for commands that end."""
    return Log(shell, appender("mail_log") or str)


def note_failure(error: BaseException) -> None:
    """Note why a mail was not taken in: in the log of the settings, or else in the system's."""
    text = cause_of(error)
    entry = datetime.now(UTC).strftime(ISO), text, {"notice": text, "code": code_of(error)}, ERROR
    is_json = False
    try:
        is_json = is_for_programs()
        name = find("mail_log")
        if name and name != SYSTEM_LOG:
            note(partial(append, Path(name)), *entry, is_json=is_json)
            return
    except (PbmservError, OSError):
        pass  # that, too, may be what went wrong
    note(to_system_log, *entry, is_json=is_json)
