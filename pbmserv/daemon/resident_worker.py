"""A worker of ``serve``: it does one command after the other for clients (``thin_client``).

Each is done with the client's streams, folder and environment in place of the worker's own
(``client_context``). What a command needs a process of its own for is declined.
"""

from __future__ import annotations

import fcntl
import gc
import math
import os
import select
import signal
import socket
import sys
import time
from contextlib import suppress
from importlib import import_module
from itertools import count

from pbmserv.cli import worker_context
from pbmserv.cli.main import leave
from pbmserv.cli.options import load_games
from pbmserv.cli.start import mail_code
from pbmserv.cli.worker_context import DeclinedByWorker
from pbmserv.daemon import thin_client
from pbmserv.daemon.client_context import (
    BUILD,
    ClientContext,
    ClientRequest,
    OtherBuild,
    read_request,
)
from pbmserv.desk.loading import load_commands
from pbmserv.desk.passwords import Passwords
from pbmserv.errors import EXIT_INTERRUPTED, EXIT_REFUSED
from pbmserv.side_processes import processors
from pbmserv.store import connection

PEER_GROUPS = 59
"""Linux's SO_PEERGROUPS, for which Python has no name."""

MAX_GROUPS = 256
"""As many as Python lets the system tell; who is in more does their commands themselves."""

WORKERS = min(max(8, 4 * processors()), 32)
"""Worker processes; more would only take the processors from each other.

Who comes when none is free waits in the socket, and after some seconds does it alone.
"""

HEARING = 0.25
"""Seconds in which a client must have said all, and again in which its streams must have come."""

FULL_ROUND = 200
"""Commands of a worker between two collections of garbage."""

LOADED_LATE = ("pbmserv.daemon.mail_in", "pbmserv.daemon.tick")
"""Modules that commands of a shell import late besides."""


def load_all() -> None:
    """Import what commands import when they need it, so that workers share it."""
    load_commands()
    connection.load_driver()
    for name in LOADED_LATE:
        import_module(name)


def do_commands(
    listener: socket.socket, lifeline: int, moments: memoryview[float], place: int
) -> None:
    """Be a worker until the supervisor is gone."""
    Worker(listener, lifeline, moments, place).run()


class Worker:
    """Does one command after the other, each as if in the process that asks for it.

    At its place among the ``moments``, shared with its supervisor, is when a command ended last:
    infinity while one is done.
    """

    def __init__(
        self, listener: socket.socket, lifeline: int, moments: memoryview[float], place: int
    ) -> None:
        connection.cache_engines()  # anew: a connection must not be shared
        worker_context.passwords = Passwords()
        self._listener = listener
        self._lifeline = lifeline
        self._moments = moments
        self._place = place
        self._client: socket.socket | None = None
        self._is_broken_off = False
        self._context = ClientContext()

    def run(self) -> None:
        """Go on until the supervisor is gone."""
        gc.disable()
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)  # the supervisor's business, and the client's
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGIO, self._on_client_signal)
        waiting = select.epoll()
        # One of them is woken for each client, and the same one for a client at a time: what it
        # remembers is remembered for all.
        waiting.register(self._listener, select.EPOLLIN | select.EPOLLEXCLUSIVE)
        waiting.register(self._lifeline, select.EPOLLHUP)
        self._moments[self._place] = 0.0
        for done in count(1):
            if self._lifeline in (end for end, _ in waiting.poll()):
                return
            try:
                client, _ = self._listener.accept()
            except (BlockingIOError, ConnectionError):
                continue
            self._moments[self._place] = math.inf
            answer = self._attend(client)
            self._moments[self._place] = time.monotonic()
            with client, suppress(OSError):
                client.sendall(answer)
            if done % FULL_ROUND == 0:
                gc.collect()
            if self._is_broken_off:
                return  # whatever it has left half done, such as a lock, ends with the process

    def _attend(self, client: socket.socket) -> bytes:
        streams: list[int] = []
        try:
            if _rights_of(client) != _own_rights():
                return b""
            request = read_request(_whole(client))
            if not self._context.is_like(request):
                return b""
            client.sendall(thin_client.ACCEPTED)
            client.settimeout(HEARING)
            _, streams, _, _ = socket.recv_fds(client, 1, 3)
            return self._answer(client, request, streams) if len(streams) == 3 else b""
        except OtherBuild:
            if thin_client.build_id() != BUILD:  # it is we who are of yesterday
                os.kill(os.getppid(), signal.SIGHUP)
            return b""
        except OSError:
            return b""
        finally:
            for descriptor in streams:
                os.close(descriptor)

    def _answer(self, client: socket.socket, request: ClientRequest, streams: list[int]) -> bytes:
        try:
            with self._context.adopted(request, streams):
                code = self._code(client, request)
        except DeclinedByWorker:
            return thin_client.DECLINED
        return thin_client.DONE + bytes([code & 0xFF])

    def _code(self, client: socket.socket, request: ClientRequest) -> int:
        try:
            self._watch_client(client)
            load_games()  # declined, where they are not those of this server
            if not request.prints:
                return mail_code(request.words)
            leave(request.prefix, request.key)
        except SystemExit as end:
            return end.code if isinstance(end.code, int) else EXIT_REFUSED
        except KeyboardInterrupt:
            return EXIT_INTERRUPTED
        finally:
            self._client = None

    def _watch_client(self, client: socket.socket) -> None:
        """Have the system tell at once when the client says something, or is gone."""
        self._client = client
        client.setblocking(False)
        fcntl.fcntl(client, fcntl.F_SETOWN, os.getpid())
        flags = fcntl.fcntl(client, fcntl.F_GETFL)
        fcntl.fcntl(client, fcntl.F_SETFL, flags | os.O_ASYNC)
        self._on_client_signal()

    def _on_client_signal(self, *_: object) -> None:
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
    groups = client.getsockopt(socket.SOL_SOCKET, PEER_GROUPS, 4 * MAX_GROUPS)
    user, group = thin_client.peer_of(client)
    return user, group, {group, *memoryview(groups).cast("I")}


def _own_rights() -> tuple[int, int, set[int]]:
    return os.geteuid(), os.getegid(), {os.getegid(), *os.getgroups()}


def _whole(client: socket.socket) -> bytearray:
    """Return all that a client says, once it has; OSError where it is slow, too much, or gone."""
    end, data = time.monotonic() + HEARING, bytearray()
    while len(data) < 4 or len(data) < 4 + int.from_bytes(data[:4], "big"):
        client.settimeout(max(left := end - time.monotonic(), 0.001))
        more = client.recv(1 << 14)
        data += more
        if left <= 0 or not more or len(data) > 4 + thin_client.MAX_BYTES:
            raise ConnectionError
    return data[4:]
