"""Processes that take mails in side by side, where the database lets several write at once.

The program that listens hands each mail to one that has nothing to do, by its standard input. By
its standard output it hears whether all of it is committed. A worker that dies is replaced when
the next is needed; its mail stays with the mail server. Without its listener a worker ends itself.
"""

from __future__ import annotations

import asyncio
import marshal
import os
import signal
import sys
from asyncio.subprocess import PIPE
from contextlib import closing
from typing import TYPE_CHECKING

from pbmserv.cli.mail_log import Log
from pbmserv.cli.options import ShellOptions, take_options
from pbmserv.cli.shell import Shell
from pbmserv.errors import Fault
from pbmserv.mail.inbound import Envelope
from pbmserv.mail.spool import cause_of
from pbmserv.mail.turns import Turns, concerns

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import Callable

    from pbmserv.mail.gateway import Gateway

START = "from pbmserv.cli.mail_workers import work; work()"

SIZE = 4
"""Bytes before each mail, and before what is said of it, that tell how many follow."""


class Workers:
    """Takes mails in by processes, as many as there are processors and one for those that wait.

    Mails that concern each other are taken in one after the other, in the order they came.
    ``options`` are those of the listener's shell, ``address`` is our own, and ``done`` is called
    after every mail that was taken in.
    """

    def __init__(self, options: ShellOptions, address: str, done: Callable[[], object]) -> None:
        words = ["--json"] * options.json
        words += [f"--database={options.database}"] if options.database is not None else []
        self._words = [sys.executable, "-c", START, *words]
        self._address = address
        self._done = done
        self._room = asyncio.Semaphore((os.cpu_count() or 1) + 1)
        self._turns = Turns()
        self._idle: list[Process] = []

    async def take(self, content: bytes, envelope: Envelope) -> None:
        """Take one mail in; raises :class:`Fault` where it is to be tried again."""
        async with self._turns.of(concerns(content, envelope, self._address)), self._room:
            worker = self._idle.pop() if self._idle else await self._hire()
            wrong = await _handed(worker, content, envelope)
            self._idle.append(worker)
        if wrong:
            raise Fault(wrong, code="mail-kept")
        self._done()

    async def close(self) -> None:
        """Let all workers go."""
        for worker in self._idle:
            if worker.stdin is not None:
                worker.stdin.close()
            await worker.wait()

    async def _hire(self) -> Process:
        # What ends the listener is not to end a worker in the middle of a mail.
        return await asyncio.create_subprocess_exec(
            *self._words, stdin=PIPE, stdout=PIPE, start_new_session=True
        )


async def _handed(worker: Process, content: bytes, envelope: Envelope) -> str:
    """Return what went wrong with a mail, nothing where it was taken in.

    Raises :class:`Fault` where the worker died of it, or before.
    """
    order = marshal.dumps((content, envelope.recipient, envelope.sender))
    if worker.stdin is None or worker.stdout is None:
        raise TypeError("This worker has no ear.")
    try:
        worker.stdin.write(len(order).to_bytes(SIZE, "big") + order)
        await worker.stdin.drain()
        size = int.from_bytes(await worker.stdout.readexactly(SIZE), "big")
        return (await worker.stdout.readexactly(size)).decode()
    except (asyncio.IncompleteReadError, ConnectionError):
        await worker.wait()
        raise Fault("A process that took mail in has died.", code="worker-lost") from None


def work() -> None:
    """Take in what comes by standard input, until it ends; the program of a worker."""
    from pbmserv.cli.mail_receive import open_gateway

    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing else that is printed is to pass for an answer
    shell = Shell(take_options(sys.argv[1:], lambda _: ()))
    gateway = open_gateway(shell, Log(shell, sys.stderr.write))
    with closing(gateway.desk):
        while size := sys.stdin.buffer.read(SIZE):
            order = sys.stdin.buffer.read(int.from_bytes(size, "big"))
            said = _said_of(gateway, order).encode()
            answers.write(len(said).to_bytes(SIZE, "big") + said)
            answers.flush()


def _said_of(gateway: Gateway, order: bytes) -> str:
    content, recipient, sender = marshal.loads(order)  # noqa: S302 - from our own listener
    try:
        gateway.receive(content, Envelope(recipient, sender), "listener")
    except Exception as error:  # noqa: BLE001 - a defect, too, must not lose the mail
        return cause_of(error)
    return ""
