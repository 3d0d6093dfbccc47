"""Where a server of ours listens, for mails or for browsers: a port of a host, or a Unix socket."""

from __future__ import annotations

import socket
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from ipaddress import ip_address
from pathlib import Path
from stat import S_ISSOCK
from typing import TYPE_CHECKING

from pbmserv.errors import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

PATIENCE = 5.0
"""Seconds in which whoever listens at a socket takes a call."""


@dataclass(frozen=True)
class ListenAddress:
    """A port of a host or a Unix socket to listen at; ``door`` says for what, as ``lmtp``.

    ``sockets`` are those that listen there already. ``mode`` are the permissions of a Unix socket:
    by themselves only a mail server's group may speak for anybody.
    """

    door: str
    host: str = ""
    port: int = 0
    path: Path | None = None
    sockets: tuple[socket.socket, ...] = ()
    mode: int = 0o660

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return str(self.path) if self.path else f"{host}:{self.port}"

    @property
    def is_private(self) -> bool:
        """Whether only this machine can reach it."""
        with suppress(ValueError):
            return self.path is not None or ip_address(self.host).is_loopback
        return self.host == "localhost"

    def opened(self) -> ListenAddress:
        """Return it with sockets that listen; raises :class:`Fault`."""
        if self.sockets:
            return self
        try:
            return replace(self, sockets=tuple(self._open()))
        except OSError as error:
            why = str(error.strerror or error).partition(" (while")[0]
            raise Fault(f"Nothing can listen at {self}: {why}.", code="cannot-listen") from error

    def _open(self) -> Iterator[socket.socket]:
        if self.path is not None:
            _make_way(self.path)
            with ExitStack() as unless_open:
                listening = unless_open.enter_context(socket.socket(socket.AF_UNIX))
                listening.bind(str(self.path))
                self.path.chmod(self.mode)
                listening.listen()
                unless_open.pop_all()
            yield listening
            return
        found = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        for family, address in dict.fromkeys((each[0], each[4]) for each in found):
            listening = socket.create_server(address, family=family)
            # Each conversation inherits it: an answer does not wait for the receipt of the last.
            listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            yield listening


def parse_listen_address(
    text: str, door: str, *, is_public: bool = False, mode: int = 0o660
) -> ListenAddress:
    """Return the place that ``HOST:PORT`` or ``/path`` names.

    Raises :class:`Fault` for a host that others can reach, unless ``is_public`` allows it: who
    talks to a mail server of ours can say that a mail comes from anybody.
    """
    if text.startswith("/"):
        return ListenAddress(door, path=Path(text), mode=mode)
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") or "127.0.0.1"
    if not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise Fault(
            "The address to listen at cannot be read.",
            code="bad-listen",
            hint="It is HOST:PORT, as in 127.0.0.1:8024, or the /path of a Unix socket.",
        )
    found = ListenAddress(door, host=host, port=int(port))
    if not is_public and not found.is_private:
        raise Fault(
            "Others could reach that address.",
            code="not-loopback",
            hint="Listen at 127.0.0.1 or at a Unix socket, or add -public.",
        )
    return found


def unreached(place: ListenAddress) -> str:
    """Return why no connection can be made to a place, "" if one can."""
    try:
        if place.path is None:
            socket.create_connection((place.host, place.port), PATIENCE).close()
        else:
            with socket.socket(socket.AF_UNIX) as line:
                line.settimeout(PATIENCE)
                line.connect(str(place.path))
    except OSError as error:
        return f"Nothing answers there ({error.strerror or error}): run pbmserv serve."
    return ""


def _make_way(path: Path) -> None:
    """Delete the socket of a listener that is no more; raises :class:`Fault` for all else there."""
    try:
        is_socket = S_ISSOCK(path.lstat().st_mode)
    except FileNotFoundError:
        return
    if not is_socket:
        raise Fault(
            f"{path} exists and is not a socket.",
            code="not-a-socket",
            hint="Name a path that does not exist: the socket is made there.",
        )
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(PATIENCE)
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink(missing_ok=True)
            return
        except TimeoutError:
            pass  # somebody has more calls than they answer
    raise Fault(
        f"Another program listens at {path}.",
        code="already-listening",
        hint="Stop it first, or listen elsewhere.",
    )
