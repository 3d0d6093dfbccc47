"""The server of the room in the browser: waitress, stricter than it is by itself.

It takes any number of slow visitors while it answers others: its threads see only requests that
are whole. A request that two servers could read in two ways is refused, for the one before us may
have read it in the other.
"""

import logging
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from ipaddress import IPv4Network, IPv6Network
from pkgutil import walk_packages
from typing import Any, NoReturn
from urllib.parse import urlsplit

from waitress import create_server
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.server import BaseWSGIServer

import pbmserv
from pbmserv.desk.loading import load_commands
from pbmserv.side_processes import end_in_time
from pbmserv.web.limits import read_address

Environ = dict[str, Any]
Application = Callable[[Environ, Any], Iterable[bytes]]

ROOMS = "engine computer club store render services commands desk site web".split()  # noqa: SIM905
"""The rooms of which requests may use anything."""

OF_A_TERMINAL = "pbmserv.render.terminal"

PATIENCE = 30
"""Seconds in which a visitor must have sent a whole request, and after which silence ends."""

LIMITS = {
    "threads": 4,
    "connection_limit": 200,
    "channel_timeout": PATIENCE,
    "cleanup_interval": 5,
    "max_request_body_size": 16 * 1024,
    "max_request_header_size": 16 * 1024,
}
"""What the library is told of how much it may take."""

FRAMING = (b"content-length", b"transfer-encoding")
"""The headers that say where a request ends."""

ENCODINGS = ("TRANSFER_ENCODING", "CONTENT_ENCODING")

FORWARDED = "FORWARDED X_FORWARDED_FOR X_FORWARDED_HOST X_FORWARDED_PROTO X_FORWARDED_PORT".split()  # noqa: SIM905
"""What a web server before us says of its visitor, and what anybody could."""

UNREADABLE = "This request cannot be read."


def load_all() -> None:
    """Import what requests import when they need it: several threads may need it at once."""
    load_commands()
    for room in ROOMS:
        package = import_module(f"{pbmserv.__name__}.{room}")
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            if module.name != OF_A_TERMINAL:
                import_module(module.name)


class StrictParser(HTTPRequestParser):  # type: ignore[misc]
    """Reads a request; refuses whatever the standard lets a server refuse for being ambiguous."""

    def received(self, data: bytes) -> int:
        """Take what has come in; an error quotes nothing of it."""
        taken: int = super().received(data)
        if self.error is not None:
            self.error.body = UNREADABLE
        return taken

    def parse_header(self, header_plus: bytes) -> None:
        """Read the head of a request; raises ``ParsingError``."""
        _, *lines = header_plus.split(b"\r\n")
        names = [line.partition(b":")[0].lower() for line in lines]
        is_folded = any(line.startswith((b" ", b"\t")) for line in lines)
        is_framed_twice = sum(map(names.count, FRAMING)) > 1
        if b"\0" in header_plus or is_folded or is_framed_twice or names.count(b"host") > 1:
            raise ParsingError(UNREADABLE)
        super().parse_header(header_plus)
        is_known = self.version == "1.0" or (self.version == "1.1" and "HOST" in self.headers)
        # One is left over if the library has not read it; no browser packs what it sends.
        if not is_known or not self.headers.keys().isdisjoint(ENCODINGS):
            raise ParsingError(UNREADABLE)


class PatientChannel(HTTPChannel):  # type: ignore[misc]
    """A connection, which ends if a request comes drop by drop."""

    parser_class = StrictParser
    begun_at = 0.0

    def received(self, data: bytes) -> bool:
        """Take what has come in, unless the request began too long ago."""
        now = time.monotonic()
        if self.request is None:
            self.begun_at = now
        if now - self.begun_at > PATIENCE:
            self.will_close = True
            return False
        return bool(super().received(data))


@dataclass(frozen=True)
class BehindProxies:
    """An application that learns from our own web servers, and nobody else, who asks.

    Host and scheme are known from the settings: what a header says of them is dropped.
    """

    application: Application
    proxies: Sequence[IPv4Network | IPv6Network]

    def __call__(self, environ: Environ, start_response: Any) -> Iterable[bytes]:
        """Answer a request."""
        named = environ.get("HTTP_X_FORWARDED_FOR", "")
        for name in FORWARDED:
            environ.pop(f"HTTP_{name}", None)
        environ["REMOTE_ADDR"] = environ["REMOTE_HOST"] = self._visitor(
            environ.get("REMOTE_ADDR", ""), named.split(",")
        )
        return self.application(environ, start_response)

    def _visitor(self, peer: str, named: Sequence[str]) -> str:
        """Return the last address that no proxy of ours has: each puts that of its visitor last."""
        for text in reversed(named):
            if not self._is_ours(peer) or read_address(text.strip()) is None:
                break
            peer = text.strip()
        return peer

    def _is_ours(self, peer: str) -> bool:
        address = read_address(peer.strip())
        # None is a Unix socket: nobody else reaches it.
        return address is None or any(address in network for network in self.proxies)


@dataclass(frozen=True)
class Beat:
    """A task of nothing: done as long as the loop goes on and a thread is free now and then."""

    service: Callable[[], object]

    def cancel(self) -> None:
        """Nothing is left to end."""

    defer = cancel


def serve(
    application: Application,
    sockets: Sequence[socket.socket],
    url: str = "",
    beat: Callable[[], object] = bool,
) -> None:
    """Answer whoever comes to these sockets until SIGTERM or Ctrl-C; what is begun is finished.

    ``url`` is the address by which browsers know it, "" for that of the sockets. ``beat`` is
    called every few seconds while it works.
    """
    scheme, _, path, _, _ = urlsplit(url or "http:")
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    doors: dict[int, Any] = {}
    server = create_server(
        application,
        map=doors,
        sockets=list(sockets),
        ident=None,
        url_scheme=scheme,
        url_prefix=path.rstrip("/"),
        clear_untrusted_proxy_headers=False,
        log_socket_errors=False,
        asyncore_use_poll=True,
        **LIMITS,
    )
    for door in doors.values():
        if isinstance(door, BaseWSGIServer):
            door.channel_class = PatientChannel
            door.maintenance = partial(_maintain, door, Beat(beat))
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _end)
    server.run()


def _maintain(door: BaseWSGIServer, beat: Beat, now: float) -> None:
    BaseWSGIServer.maintenance(door, now)
    door.task_dispatcher.add_task(beat)


def _end(*_: object) -> NoReturn:
    end_in_time()
    sys.exit()
