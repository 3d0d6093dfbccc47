"""The client of ``pbmserv serve``: a command is handed to the server, if one is there.

Nothing is imported that costs time: ``socket`` alone is half as slow as all of bare Python.
"""

import marshal
import os
import sys

from pbmserv import __version__

RESIDENT = "PBMSERV_RESIDENT"
"""The environment variable that can be ``auto`` or ``off``."""

OWN = frozenset(
    {"admin", "batch", "db", "demo", "gate", "gtp", "login", "logout", "play", "serve", "site"}
)
"""First words of commands that the server would only decline."""

PATIENCE = 5.0
"""Seconds after which a server that does not take the command is left alone."""

TAKEN, DECLINED, DONE = b"T", b"D", b"X"
"""What the server says: that it begins, that it will not, and before the exit code."""

START = "from pbmserv.cli.start import pbmserv; pbmserv()"


def socket_path() -> str:
    """Return where the server of this user and this installation listens."""
    here = os.stat(__file__)  # noqa: PTH116 - pathlib is slow to import
    folder = os.environ.get("XDG_RUNTIME_DIR") or f"/tmp/pbmserv-{os.getuid()}"  # noqa: S108
    made = f"{here.st_dev:x}-{here.st_ino:x}-{here.st_mtime_ns:x}-{sys.hexversion:x}"
    return f"{folder}/pbmserv-{__version__}-{made}.sock"


def peer_of(link: object) -> tuple[int, int]:
    """Return user and group of the process at the other end of a connection."""
    import _socket

    found: bytes = link.getsockopt(  # type: ignore[attr-defined]
        _socket.SOL_SOCKET, _socket.SO_PEERCRED, 12
    )
    _, uid, gid = (int.from_bytes(found[at : at + 4], sys.byteorder) for at in (0, 4, 8))
    return uid, gid


def ask(prefix: list[str], *, streams: bool = True) -> tuple[int | None, str | None]:
    """Have the server do the command; return the exit code, None where it was not done.

    Without ``streams`` nothing is printed. The key is that of a command of which a server died:
    it may have been done, or not.
    """
    mode = os.environ.get(RESIDENT)
    if mode == "off" or sys.platform != "linux" or OWN.intersection(sys.argv[1:2]):
        return None, None
    import _socket

    link = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    link.settimeout(PATIENCE)
    try:
        link.connect(socket_path())
        if peer_of(link)[0] != os.getuid():
            link.close()
            return None, None
    except OSError:
        link.close()
        if mode == "auto":
            _start_server()
        return None, None
    key = os.urandom(16).hex()
    try:
        order = _order(prefix, key, streams=streams)
        if order is None or not _send(link, order, streams=streams):
            return None, None
        return _wait(link, key)
    except OSError:
        return None, key
    finally:
        link.close()


def _order(prefix: list[str], key: str, *, streams: bool) -> bytes | None:
    """Return all that the server must know, None where it could not do the same as we."""
    three = (sys.stdin, sys.stdout, sys.stderr)
    if None in three or sys.getfilesystemencoding() != "utf-8":
        return None
    try:
        folder = os.getcwd()  # noqa: PTH109
    except OSError:
        return None
    mask = os.umask(0)
    os.umask(mask)
    told = [
        (s.encoding, s.errors, s.line_buffering, s.write_through)  # type: ignore[union-attr]
        for s in three
    ]
    words = sys.argv[1:]
    return marshal.dumps((prefix, words, dict(os.environ), folder, mask, told, key, streams))


def _send(link: object, order: bytes, *, streams: bool) -> bool:
    """Send it with our streams; tell whether the server takes it."""
    import _socket

    fds = [0, 1, 2]
    if not streams:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        fds = [0, nowhere, nowhere]
    rights = b"".join(fd.to_bytes(4, sys.byteorder) for fd in fds)
    data = len(order).to_bytes(4, "big") + order
    send = link.sendmsg  # type: ignore[attr-defined]
    sent = send([data], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, rights)])
    if data[sent:]:  # even nothing cannot be sent to a worker that is done already
        link.sendall(data[sent:])  # type: ignore[attr-defined]
    return bool(link.recv(1) == TAKEN)  # type: ignore[attr-defined]


def _wait(link: object, key: str) -> tuple[int | None, str | None]:
    """Return what comes of the command; what would end us ends it at the server."""
    import _signal  # type: ignore[import-not-found]

    def pass_on(number: int, _: object) -> None:
        try:
            link.send(bytes([number]))  # type: ignore[attr-defined]
        except OSError:
            return  # it has just ended: its last word is to be read

    for number in (_signal.SIGINT, _signal.SIGTERM, _signal.SIGHUP):
        if _signal.getsignal(number) in {_signal.SIG_DFL, _signal.default_int_handler}:
            _signal.signal(number, pass_on)
    link.settimeout(None)  # type: ignore[attr-defined]
    answer: bytes = link.recv(2)  # type: ignore[attr-defined]
    for number in (_signal.SIGINT, _signal.SIGTERM, _signal.SIGHUP):
        if _signal.getsignal(number) is pass_on:
            usual = _signal.default_int_handler if number == _signal.SIGINT else _signal.SIG_DFL
            _signal.signal(number, usual)
    if answer[:1] == DONE:
        return answer[1], None
    return None, None if answer == DECLINED else key


def _start_server() -> None:
    """Start a server that ends itself; this command does not wait for it."""
    kept = {name: text for name, text in os.environ.items() if name != "PBMSERV_PASSWORD"}
    nothing = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in range(3)]
    words = [sys.executable, "-c", START, "serve", "-idle=10"]
    try:
        os.posix_spawn(
            sys.executable, words, {**kept, RESIDENT: "off"}, file_actions=nothing, setsid=True
        )
    except OSError:
        return
