"""One run in a shell: desk, database, passwords and standard input."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any

import click

from pbmserv import __version__, settings
from pbmserv.cli import worker_context
from pbmserv.cli.options import ShellOptions, load_games, take_options
from pbmserv.cli.printing import print_notice
from pbmserv.cli.shell_commands import command_tree, own_options
from pbmserv.cli.worker_context import DeclinedByWorker, require_own_process
from pbmserv.club.written_text import decoded
from pbmserv.commands.answer import Access, Answer, with_operator
from pbmserv.commands.command_table import reserved_words
from pbmserv.commands.declaration import ShellRun
from pbmserv.commands.grammar import naming_words
from pbmserv.commands.parse import answer_call, parse, usage_page
from pbmserv.engine.moments import format_moment
from pbmserv.errors import Fault, Misunderstood, PbmservError, Refused
from pbmserv.services.session import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pbmserv.cli.log_lines import Write
    from pbmserv.commands.grammar import AskPassword, Call
    from pbmserv.desk.door import Desk
    from pbmserv.desk.request import Request
    from pbmserv.desk.robot_programs import Program
    from pbmserv.store.store import Records, Store

PASSWORD_VARIABLE = "PBMSERV_PASSWORD"


@dataclass(eq=False, repr=False)
class Shell(ShellRun):
    """One run of the program in a shell, with its options."""

    options: ShellOptions
    may_create: bool = False
    """Whether the command creates a missing database."""
    notice: Callable[[str], None] = print_notice
    wait: float | None = None
    """Seconds to wait for others who write to the database, None for as long as usual."""
    is_rehearsal: bool = False
    """Whether a command of the shell is a dry run."""

    @cached_property
    def desk(self) -> Desk:
        """The door, which opens the database when it first needs it."""
        return self.new_desk(tree=command_tree())

    def new_desk(self, **more: Any) -> Desk:
        """Return another door; by itself it has the commands that come by mail too, no others."""
        from pbmserv.desk.door import Desk

        if worker_context.passwords is not None:
            more["passwords"] = worker_context.passwords
        return Desk(
            self.open_store,
            writes_letters=cache(lambda: bool(settings.find("mail_address"))),
            own_address=lambda: settings.find("mail_address") or "",
            operator=partial(settings.find, "operator_address"),
            vacation_days=partial(settings.value, "vacation_days"),
            max_robot_boards=partial(settings.value, "max_robot_boards"),
            programs=_robot_programs,
            **more,
        )

    def open_store(self) -> Store:
        """Open the database; few commands create one, since a name may be mistyped."""
        url = self.options.url
        from pbmserv.store.store import Store

        more = {} if self.wait is None else {"wait": self.wait}
        store = Store.open(url, notice=self.notice, may_create=self.may_create, **more)
        if store.was_upgraded:
            with store.reading() as records:
                notice_leftovers(records)
        return store

    def has_database(self) -> bool:
        """Tell whether there is a database, of whatever version; makes none."""
        from pbmserv.store.store import Store

        try:
            return Store.version_at(self.options.url) is not None
        except Fault:
            return True  # whoever opens it is told what is wrong with it

    def close(self) -> None:
        """Close the database if it was opened."""
        if "desk" in self.__dict__:
            self.desk.close()

    def request(self, words: Sequence[str], *, reads_input: bool = True) -> Request:
        """Return the request of one line; ``reads_input`` lets it read standard input."""
        from pbmserv.cli.key_file import KeyFile
        from pbmserv.desk.request import Request

        return Request(
            tuple(words),
            Source.SHELL,
            body=require_input if reads_input else str,
            ask_password=self._asker(words, reads_input=reads_input),
            keys=KeyFile(lambda: self.options.url),
        )

    def understand(self, words: Sequence[str], *, reads_input: bool = True) -> Call:
        """Return the parsed line without touching a database; raises :class:`Misunderstood`."""
        return parse(command_tree(), words, self._asker(words, reads_input=reads_input))

    def _asker(self, words: Sequence[str], *, reads_input: bool) -> AskPassword:
        # What import reads is the record: no line of it is a password.
        is_record = "import" in words
        return Asker(may_read=reads_input and not is_record, has_text=reads_input)

    def perform(self, call: Call, key: str | None = None) -> Answer:
        """Execute a call; one that needs no database does not go through the desk."""
        if call.access is Access.NOTHING:
            answer = answer_call(call, None, call.values)
            return with_operator(answer, partial(settings.find, "operator_address"))
        return perform(self.desk, replace(self.request(self.options.words), key=key), call)

    def confirm(self, call: Call, *, may_ask: bool = True) -> None:
        """Require a terminal's confirmation or --yes for what cannot be undone."""
        question = call.verb.entry.confirm
        if not question or self.options.yes or call.is_rehearsal:
            return
        require_own_process()
        if not (may_ask and sys.stdin.isatty()):
            raise Refused(
                f"This cannot be undone, so it must be confirmed: {question}",
                code="not-confirmed",
                hint="Nothing was changed. To answer yes, add --yes.",
            )
        if not _ask_yes_or_no(question):
            raise Refused("Nothing was changed.", code="not-confirmed")

    @contextmanager
    def logged(self, call: Call) -> Iterator[None]:
        """Write the outcome of the call in the block to the shell's log, without its words."""
        outcome = "interrupted"
        try:
            yield
            outcome = "done"
        except DeclinedByWorker:
            outcome = ""  # whoever does it notes it
            raise
        except PbmservError as error:
            outcome = error.code
            raise
        except Exception:
            outcome = "defect"
            raise
        finally:
            if outcome:
                self._log(call, outcome)

    @cached_property
    def _write_log(self) -> Write | None:
        """The function that adds a line to the shell's log, None without a log."""
        if not settings.find("shell_log"):
            return None
        from pbmserv.cli.log_lines import appender

        return appender("shell_log")

    def _log(self, call: Call, outcome: str) -> None:
        # What was done stays so, whether or not it can be noted.
        with suppress(OSError, PbmservError):
            write = self._write_log
            if write is None:
                return
            from pbmserv.cli.log_lines import is_for_programs, note

            at = format_moment(self.desk.world.now())
            signer = None if call.access is Access.SHELL else self.desk.signer
            user, who = user_name(), signer.userid if signer is not None else ""
            facts = {"door": "shell", "user": user, "userid": who, "code": outcome}
            facts |= self.desk.take_trail(call)
            words = f"shell {user} {who or '-'}"
            note(write, at, words, facts, is_json=is_for_programs())

    def help_page(self, words: Sequence[str]) -> Answer:
        """Return the help page of the command or group before ``-h``."""
        from pbmserv.commands.help import answer_of

        if not self.options.help:
            return self.perform(self.understand(("help",)))
        tree = command_tree()
        named = [word for word in words if not word.startswith("-")]
        return answer_of(*usage_page(tree, naming_words(tree, named)))


def user_name() -> str:
    """Return the user's name on this system, or the number of a user without one."""
    from getpass import getuser

    try:
        return getuser()
    except (KeyError, OSError):
        return str(os.getuid())


def describe_version() -> str:
    """Return the version, and in brackets the commit that it was made from where that is known."""
    from pathlib import Path

    package = Path(__file__).parents[1]
    written, commit = package / "commit.txt", ""
    if written.exists():  # by tests/generators/build_hook.py, into what is installed
        commit = written.read_text(encoding="ascii").strip()
    elif (package.parent / ".git").exists():
        import subprocess

        # The program of this checkout runs already, whoever owns it.
        words = ["git", "-c", "safe.directory=*", "describe"]
        words += ["--always", "--dirty", "--abbrev=12", "--exclude=*"]
        with suppress(OSError):  # no git
            found = subprocess.run(words, cwd=package, capture_output=True, check=False)  # noqa: S603
            commit = found.stdout.decode().strip()
    return f"{__version__} (commit {commit})" if commit else __version__


def notice_leftovers(records: Records) -> None:
    """Print the operator's tasks after an upgrade: games to rate, userids to change."""
    if records.ratings.unrecorded(0, 1):
        print_notice("Some finished games are not rated yet: run pbmserv admin rate.")
    if found := records.players.called(reserved_words()):
        print_notice(
            f"These userids are now reserved words: {', '.join(found)}.\nGive each of these "
            "players another userid: pbmserv admin rename USERID NEW"
        )


def _robot_programs() -> dict[str, Program]:
    """Return the robots' programs in the settings, by userid in lower case."""
    from pbmserv.desk.robot_programs import Program

    bounds = settings.value("robot_seconds"), settings.value("robot_megabytes")
    named = settings.value("robot_programs")
    return {userid: Program(tuple(words), *bounds) for userid, words in named.items()}


def run_command(words: Sequence[str]) -> int:
    """Execute a command of the shell, and return its exit code."""
    load_games()
    shell = Shell(take_options(words, own_options))
    call = shell.understand(shell.options.words, reads_input=False)
    return call.run_in(shell)


class InputRequired(BaseException):
    """Aborts a transaction that needs standard input; nothing was changed."""


def require_input() -> str:
    """Abort the transaction, so that :func:`perform` reads standard input outside of it."""
    require_own_process()
    raise InputRequired


def perform(desk: Desk, request: Request, call: Call) -> Answer:
    """Execute a call, with stdin as its body if needed; raises :class:`Refused` for no text."""
    try:
        return desk.perform(request, call)
    except InputRequired:
        body = decoded(sys.stdin.read())
        return desk.perform(replace(request, body=lambda: body), call)


class Asker:
    """Gives a password for each ``-``, one after the other, and for missing ones.

    The first ``-`` reads the environment, but not at a gate; others read a hidden prompt or, if
    ``may_read``, a line of standard input. Missing words are asked for at a terminal only, unless
    lines are read from elsewhere. A new password is typed twice.
    """

    def __init__(self, *, may_read: bool, at_gate: bool = False, has_text: bool = False) -> None:
        self._may_read = may_read
        self._has_text = has_text
        self._asked = 0
        named = [] if at_gate else [PASSWORD_VARIABLE]
        ways = " or ".join([*named, *(["standard input"] if may_read else [])])
        self.dash = f"A dash (-) reads it from {ways}."
        since = "At this gate" if at_gate else "After pbmserv login,"
        self.me = f"{since} me replaces USERID PASSWORD."
        self._at_gate = at_gate

    @property
    def is_at_terminal(self) -> bool:
        """Whether somebody can be asked for a missing word."""
        return self._may_read and sys.stdin.isatty()

    def userid(self) -> str:
        """Ask for the missing userid."""
        require_own_process()
        return _prompt("Userid", is_hidden=False)

    def text(self) -> str:
        """Return what is piped into a command of the shell."""
        if not self._has_text:
            return ""
        require_own_process()
        if sys.stdin.isatty():
            return ""
        from pbmserv.commands.record_words import MAX_BYTES, decode_record

        return decode_record(sys.stdin.read(MAX_BYTES).encode(errors="surrogateescape"))

    def __call__(self, *, is_new: bool, is_left_out: bool = False) -> str:
        """Return a password; raises :class:`Misunderstood` without one."""
        if not is_left_out:
            self._asked += 1
            if self._asked == 1 and PASSWORD_VARIABLE in os.environ:
                return os.environ[PASSWORD_VARIABLE]
        require_own_process()
        if sys.stdin.isatty():
            return _prompt("New password" if is_new else "Password", is_new=is_new)
        line = sys.stdin.readline() if self._may_read else ""
        if not line:
            raise self._no_password()
        return line.rstrip("\r\n")

    def _no_password(self) -> Misunderstood:
        """Return the error for a missing password, with the ways to give one."""
        way = "give it as a line of standard input" if self._may_read else "type it on a terminal"
        if self._asked == 1:
            message = "The password is missing."
            way = way if self._at_gate else f"set {PASSWORD_VARIABLE}, or {way}"
            hint = f"{way[0].upper()}{way[1:]}."
        else:
            message = "The new password is missing."
            first = "" if self._at_gate else f": {PASSWORD_VARIABLE} replaces the first dash only"
            hint = f"{way[0].upper()}{way[1:]}{first}."
        return Misunderstood(message, code="no-password", hint=hint)


def _ask_yes_or_no(question: str) -> bool:
    """Ask a question; raises KeyboardInterrupt if it is aborted."""
    try:
        return click.confirm(question, err=True)
    except click.Abort:
        raise KeyboardInterrupt from None


def _prompt(text: str, *, is_new: bool = False, is_hidden: bool = True) -> str:
    """Return the typed text; raises KeyboardInterrupt if it is aborted."""
    try:
        again = "Repeat the password" if is_new else False
        return str(click.prompt(text, hide_input=is_hidden, err=True, confirmation_prompt=again))
    except click.Abort:
        raise KeyboardInterrupt from None
