"""Databases that are lost for a while: by a relay before PostgreSQL, by a lock on SQLite."""

import socket
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

import sqlalchemy as sa


class Relay:
    """A port of this machine that leads to another one while it is open."""

    def __init__(self, host: str, port: int) -> None:
        self.goal = host, port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listener.getsockname()[1]
        self.is_open = True
        self.sockets: list[socket.socket] = []
        threading.Thread(target=self._serve, daemon=True).start()

    def cut(self) -> None:
        """End all connections, and every new one at once."""
        self.is_open = False
        while self.sockets:
            self._end(self.sockets.pop())

    def mend(self) -> None:
        """Lead on again."""
        self.is_open = True

    def close(self) -> None:
        self.cut()
        self._end(self.listener)

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self.listener.accept()
                if not self.is_open:
                    near.close()
                    continue
                far = socket.create_connection(self.goal)
                self.sockets += [near, far]
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=self._pass_on, args=(one, other), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
        self._end(source)
        self._end(target)

    @staticmethod
    def _end(found: socket.socket) -> None:
        with suppress(OSError):
            found.shutdown(socket.SHUT_RDWR)
        found.close()


class Losable:
    """A database that can be lost and found again; programs reach it at ``url``."""

    def __init__(self, url: str, stack: ExitStack) -> None:
        self.url = url
        self._lock: sqlite3.Connection | None = None
        self._relay: Relay | None = None
        if "://" in url:
            there = sa.make_url(url)
            self._relay = Relay(there.host or "127.0.0.1", there.port or 5432)
            stack.callback(self._relay.close)
            near = there.set(host="127.0.0.1", port=self._relay.port)
            self.url = near.render_as_string(hide_password=False)

    def lose(self) -> None:
        """Let nobody change anything any more, as a server that stops and a stuck program do."""
        if self._relay is not None:
            self._relay.cut()
        else:
            self._lock = sqlite3.connect(self.url, isolation_level=None)
            self._lock.execute("BEGIN EXCLUSIVE")

    def find(self) -> None:
        """Let everybody work again."""
        if self._relay is not None:
            self._relay.mend()
        elif self._lock is not None:
            self._lock.close()


@contextmanager
def losable(url: str) -> Iterator[Losable]:
    """Give a database that can be lost."""
    with ExitStack() as stack:
        yield Losable(url, stack)
