"""The client of ``pbmserv serve``: a command is handed to the server, if one is there.

Nothing is imported that costs time: ``socket`` alone is half as slow as all of bare Python.
"""

import _signal  # type: ignore[import-not-found]
import _socket
import marshal
import os
import sys

from pbmserv import __version__

# The conversation, each step with a bound of time on both sides:
#     client   length of the request (4 bytes) and the request, by marshal
#     server   A, with the worker's process id as credentials; nothing if it declines at once
#     client   a byte with the three streams as descriptors (SCM_RIGHTS)
#     client   a byte for each signal that would end it, while the command runs
#     server   X and the exit code, or D: declined, and nothing was done
# A client that hears nothing more runs the command itself, under the same key: the audit refuses it
# if the lost worker had committed it.

RESIDENT = "PBMSERV_RESIDENT"
"""The environment variable that can be ``auto`` or ``off``."""

OWN = frozenset({"admin", "batch", "db", "demo", "gtp", "login", "logout", "play", "serve", "site"})
"""First words of commands that the server would only decline."""

PATIENCE = 2.0
"""Seconds a server may be silent; then the client goes on alone, or looks whether it is stopped."""

MAX_BYTES = 1 << 17
"""Bytes of a request; a client with a longer command runs it itself."""

ACCEPTED, DECLINED, DONE = b"A", b"D", b"X"
"""The server's answers: that it waits for the streams, that it declines the command, and
before the exit code."""

MOUNTS = "/proc/self/ns/mnt"
"""What tells apart who sees other files: a server that systemd shuts in sees fewer."""

START = "from pbmserv.cli.start import pbmserv; pbmserv()"


def socket_path() -> str:
    """Return where the server of this user and this installation listens, in every version."""
    folder = os.environ.get("XDG_RUNTIME_DIR") or f"/tmp/pbmserv-{os.getuid()}"  # noqa: S108
    # The remainder by a prime: the name of a socket is short, a path may be long.
    place = int.from_bytes(os.fsencode(sys.prefix), "big") % (2**61 - 1)
    return f"{folder}/pbmserv-{place:x}.sock"


def build_id() -> str:
    """Return what changes with each upgrade of the program or its Python."""
    here = os.stat(__file__)
    made = f"{here.st_dev:x}-{here.st_ino:x}-{here.st_mtime_ns:x}-{sys.hexversion:x}"
    return f"{__version__}-{made}"


def mount_id() -> int:
    """Return the number of what this process sees as the file system."""
    return os.stat(MOUNTS).st_ino


def peer_of(link: _socket.socket) -> tuple[int, int]:
    """Return user and group of the process at the other end of a connection."""
    found: bytes = link.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)
    _, uid, gid = (int.from_bytes(found[at : at + 4], sys.byteorder) for at in (0, 4, 8))
    return uid, gid


def run_on_server(prefix: list[str], *, streams: bool = True) -> tuple[int | None, str | None]:
    """Have the server do the command; return the exit code, or None if it was not done.

    Without ``streams`` nothing is printed. The key is that of a command of which a server died:
    it may have been done, or not.
    """
    mode = os.environ.get(RESIDENT)
    if mode == "off" or sys.platform != "linux" or must_run_locally(sys.argv[1:]):
        return None, None
    link = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    link.settimeout(PATIENCE)
    try:
        link.connect(socket_path())
        if peer_of(link)[0] != os.getuid():
            link.close()
            return None, None
    except OSError as error:
        link.close()
        if mode == "auto" and isinstance(error, (FileNotFoundError, ConnectionRefusedError)):
            _start_server()
        return None, None
    key, handed = os.urandom(16).hex(), None
    try:
        order = _order(prefix, key, streams=streams)
        worker = None if order is None else _accepted_by(link, order)
        if worker is None:
            return None, None
        _send_streams(link, streams=streams)
        handed = key
        return _wait(link, key, worker)
    except OSError:
        return None, handed
    finally:
        link.close()


def must_run_locally(words: list[str]) -> bool:
    """Tell whether the server has no part in it; at a gate the environment is not to be trusted."""
    return "gate" in words or not OWN.isdisjoint(words[:1])


def _order(prefix: list[str], key: str, *, streams: bool) -> bytes | None:
    """Return all that the server must know, or None if its result could differ from ours."""
    three = (sys.stdin, sys.stdout, sys.stderr)
    if None in three or sys.getfilesystemencoding() != "utf-8":
        return None
    try:
        folder = os.getcwd()
    except OSError:
        return None
    mask = os.umask(0)
    os.umask(mask)
    told = [
        (s.encoding, s.errors, s.line_buffering, s.write_through)  # type: ignore[union-attr]
        for s in three
    ]
    words = sys.argv[1:]
    own = (prefix, words, dict(os.environ), folder, mask, told, key, streams, mount_id())
    order = marshal.dumps((build_id(), *own))
    return order if len(order) <= MAX_BYTES else None


def _accepted_by(link: _socket.socket, order: bytes) -> int | None:
    """Tell the server all but our streams; return the process that is to do it, None if none is."""
    link.setsockopt(_socket.SOL_SOCKET, _socket.SO_PASSCRED, 1)
    link.sendall(len(order).to_bytes(4, "big") + order)
    said, told, _, _ = link.recvmsg(1, _socket.CMSG_SPACE(12))
    if said != ACCEPTED or not told:
        return None
    return int.from_bytes(told[0][2][:4], sys.byteorder) or None  # 0 where we cannot see it


def _send_streams(link: _socket.socket, *, streams: bool) -> None:
    """Give the server our streams: as long as it holds them, readers of our output wait."""
    fds = [0, 1, 2]
    if not streams:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        fds = [0, nowhere, nowhere]
    rights = b"".join(fd.to_bytes(4, sys.byteorder) for fd in fds)
    link.sendmsg([b"\0"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, rights)])


def _wait(link: _socket.socket, key: str, worker: int) -> tuple[int | None, str | None]:
    """Return what comes of the command; what would end us ends it at the server."""
    ends: list[int] = []

    def pass_on(number: int, _: object) -> None:
        ends.append(number)
        try:
            link.send(bytes([number]))
        except OSError:
            return  # it has just ended: its last word is to be read

    for number in (_signal.SIGINT, _signal.SIGTERM, _signal.SIGHUP):
        if _signal.getsignal(number) in {_signal.SIG_DFL, _signal.default_int_handler}:
            _signal.signal(number, pass_on)
    answer = _read_exit_code(link, worker, ends)
    for number in (_signal.SIGINT, _signal.SIGTERM, _signal.SIGHUP):
        if _signal.getsignal(number) is pass_on:
            usual = _signal.default_int_handler if number == _signal.SIGINT else _signal.SIG_DFL
            _signal.signal(number, usual)
    if answer[:1] == DONE:
        return answer[1], None
    if ends and answer != DECLINED:
        return 128 + ends[0], None
    return None, None if answer == DECLINED else key


def _read_exit_code(link: _socket.socket, worker: int, ends: list[int]) -> bytes:
    """Return the worker's last bytes, or none if it has died.

    One that is stopped, or does not end when it is told to, is killed: it would hold our streams.
    """
    rounds = 0
    while True:
        try:
            return bytes(link.recv(2))
        except ConnectionError:
            return b""  # it has not even heard what we passed on
        except TimeoutError:
            rounds += bool(ends)
            if rounds > 1 or _is_stopped(worker):
                os.kill(worker, _signal.SIGKILL)


def _is_stopped(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] in {b"T", b"t"}
    except OSError:
        return False


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
