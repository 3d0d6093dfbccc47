"""A worker of ``serve``: it does one command after the other for clients (``thin_client``).

Each is done with the client's streams, folder and environment in place of the worker's own
(``borrowed``). What a command needs a process of its own for is declined.
"""

from __future__ import annotations

import fcntl
import gc
import marshal
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from itertools import count

from pbmserv.cli import guest, thin_client
from pbmserv.cli.borrowed import Lender, Order
from pbmserv.cli.guest import Declined
from pbmserv.cli.main import leave
from pbmserv.cli.roster import Roster
from pbmserv.cli.start import mail_code
from pbmserv.commands.command_table import root
from pbmserv.desk.passwords import Passwords
from pbmserv.engine.games import find_game, game_names
from pbmserv.errors import EXIT_INTERRUPTED, EXIT_REFUSED

PEER_GROUPS = 59
"""What Linux calls SO_PEERGROUPS; Python has no name for it."""

MOST_GROUPS = 256
"""As many as Python lets the system tell; who is in more does their commands themselves."""

SPARE = 4
"""So many workers stay, however calm it is."""

LINGER = 5.0
"""Seconds without a command after which any other worker leaves."""

FULL_ROUND = 200
"""So many commands a worker does between two searches for garbage."""

LOADED_LATE = (
    "pbmserv.store.store",
    "pbmserv.cli.mail_receive",
    "pbmserv.services.clock_settlement",
    "passlib.hash",
    "passlib.handlers.argon2",
    "tomllib",
)
"""What no command names in the tables, but many import when they need it."""


def load_all() -> None:
    """Import what commands import when they need it, so that workers share it."""
    from pbmserv.store.connection import keep_engines
    from pbmserv.store.store import PARTS

    keep_engines()
    for name in LOADED_LATE:
        import_module(name)
    tree = root()
    tables = [tree.table, *(family().table for family in tree.families.values())]
    targets = {entry.target.partition(":")[0] for table in tables for entry in table.values()}
    for name in {*PARTS.values(), *targets}:
        import_module(name)
    for name in game_names():
        find_game(name)


class Worker:
    """Does one command after the other, each as if in the process that asks for it.

    ``call_keeper`` is called when it begins one and no worker is left for the next.
    """

    def __init__(
        self,
        listener: socket.socket,
        lifeline: int,
        roster: Roster,
        place: int,
        call_keeper: Callable[[], object],
    ) -> None:
        from pbmserv.store.connection import keep_engines

        keep_engines()  # anew: a connection must not be shared
        guest.is_guest = True
        guest.passwords = Passwords()
        self._listener = listener
        self._lifeline = lifeline
        self._roster = roster
        self._place = place
        self._call_keeper = call_keeper
        self._client: socket.socket | None = None
        self._is_broken_off = False
        self._lender = Lender()

    def run(self) -> None:
        """Go on until the keeper is gone, or there are more workers than are needed."""
        gc.disable()
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)  # the keeper's business, and the client's
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGIO, self._hear)
        waiting = select.epoll()
        # One of them is woken for each client, and the same one for a client at a time: what it
        # remembers is remembered for all.
        waiting.register(self._listener, select.EPOLLIN | select.EPOLLEXCLUSIVE)
        waiting.register(self._lifeline, select.EPOLLHUP)
        longest = None if self._place < SPARE else LINGER
        for done in count(1):
            called = [end for end, _ in waiting.poll(longest)]
            if not called or self._lifeline in called:
                return
            try:
                client, _ = self._listener.accept()
            except (BlockingIOError, ConnectionError):
                continue
            if self._roster.begin(self._place):
                self._call_keeper()
            answer = self._attend(client)
            self._roster.end(self._place, time.monotonic())  # who hears it finds somebody free
            with client, suppress(OSError):
                client.sendall(answer)
            if done % FULL_ROUND == 0:
                gc.collect()
            if self._is_broken_off:
                return  # whatever it has left half done, such as a lock, ends with the process

    def _attend(self, client: socket.socket) -> bytes:
        """Do the command of one client; return what to tell it, nothing where it was not done."""
        streams: list[int] = []
        try:
            if _rights_of(client) != _own_rights():
                return b""
            client.settimeout(thin_client.PATIENCE)
            data, streams, _, _ = socket.recv_fds(client, 1 << 16, 3)
            order = Order(*marshal.loads(_whole(client, data)))  # noqa: S302 - from our own user
            if len(streams) != 3 or not self._lender.is_like(order.environ):
                return b""
            client.sendall(thin_client.TAKEN)
            return self._answer(client, order, streams)
        except OSError:
            return b""
        finally:
            for descriptor in streams:
                os.close(descriptor)

    def _answer(self, client: socket.socket, order: Order, streams: list[int]) -> bytes:
        """Do the command in place of the client; return what to tell it."""
        guest.key = order.key
        try:
            with self._lender.lent(order, streams):
                code = self._code(client, order)
        except Declined:
            return thin_client.DECLINED
        return thin_client.DONE + bytes([code & 0xFF])

    def _code(self, client: socket.socket, order: Order) -> int:
        """Run the command and return its exit code."""
        try:
            self._obey(client)
            if not order.prints:
                return mail_code(order.words)
            leave(order.prefix)
        except SystemExit as end:
            return end.code if isinstance(end.code, int) else EXIT_REFUSED * bool(end.code)
        except KeyboardInterrupt:
            return EXIT_INTERRUPTED
        finally:
            self._client = None

    def _obey(self, client: socket.socket) -> None:
        """Have the system tell at once when the client says something, or is gone."""
        self._client = client
        client.setblocking(False)
        fcntl.fcntl(client, fcntl.F_SETOWN, os.getpid())
        flags = fcntl.fcntl(client, fcntl.F_GETFL)
        fcntl.fcntl(client, fcntl.F_SETFL, flags | os.O_ASYNC)
        self._hear()

    def _hear(self, *_: object) -> None:
        """Let what the client says end the command as it would end the client's own."""
        if self._client is None:
            return
        try:
            said = self._client.recv(1)
        except BlockingIOError:
            return
        except OSError:
            said = b""
        self._is_broken_off = True
        if said == bytes([signal.SIGINT]):
            raise KeyboardInterrupt
        sys.exit(128 + (said[0] if said else signal.SIGHUP))


def _rights_of(client: socket.socket) -> tuple[int, int, set[int]]:
    """Return user, group and all groups of the process at the other end."""
    groups = client.getsockopt(socket.SOL_SOCKET, PEER_GROUPS, 4 * MOST_GROUPS)
    user, group = thin_client.peer_of(client)
    return user, group, {group, *memoryview(groups).cast("I")}


def _own_rights() -> tuple[int, int, set[int]]:
    return os.geteuid(), os.getegid(), {os.getegid(), *os.getgroups()}


def _whole(client: socket.socket, data: bytes) -> bytes:
    """Return all that a client says, whose beginning was heard; OSError where it is gone."""
    size = 4 + int.from_bytes(data[:4], "big")
    while len(data) < size:
        more = client.recv(size - len(data))
        if not more:
            raise ConnectionError
        data += more
    return data[4:]
