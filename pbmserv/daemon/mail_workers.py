"""Processes that take mails in side by side, where the database lets several write at once.

A thread of the listener hands each mail to one that has nothing to do, and hears whether all of it
is committed. A worker that dies is replaced when the next is needed; its mail stays with the mail
server. Without its listener a worker ends itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pbmserv.cli.log_lines import to_stderr
from pbmserv.cli.options import ShellOptions, load_games
from pbmserv.cli.shell import Shell
from pbmserv.daemon.mail_in import open_gateway
from pbmserv.daemon.mail_log import Log
from pbmserv.errors import Fault
from pbmserv.mail.inbound import Envelope
from pbmserv.mail.spool import cause_of
from pbmserv.side_processes import SideProcess, processors

MAX_WORKERS = processors() + 1
"""As many as there are processors for us, and one for those that wait."""


class Workers:
    """Takes mails in by processes, from as many threads."""

    def __init__(self, options: ShellOptions) -> None:
        self._options = options
        self._idle: list[SideProcess] = []

    def receive(self, content: bytes, envelope: Envelope) -> None:
        """Take one mail in; raises :class:`Fault` where it is to be tried again."""
        try:
            worker = self._idle.pop()
        except IndexError:
            worker = SideProcess(f"{__name__}:serve_mails", self._options, may_speak=True)
        try:
            wrong = worker.ask((content, envelope))
        except Fault:
            worker.close()
            raise
        self._idle.append(worker)
        if wrong:
            raise Fault(wrong, code="mail-kept")

    def close(self) -> None:
        """Let all workers go."""
        for worker in self._idle:
            worker.close()


def serve_mails(options: ShellOptions) -> Callable[[tuple[bytes, Envelope]], Iterator[str]]:
    """Return what takes a mail in, and yields what went wrong, or nothing."""
    load_games()
    shell = Shell(options)
    gateway = open_gateway(shell, Log(shell, to_stderr))

    def take(mail: tuple[bytes, Envelope]) -> Iterator[str]:
        wrong = ""
        try:
            gateway.receive(*mail, "listener")
        except Exception as error:  # noqa: BLE001 - a defect, too, must not lose the mail
            wrong = cause_of(error)
        yield wrong

    return take
