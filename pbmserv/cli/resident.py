"""``serve``: processes that stay, with all loaded, and do the commands of one user's shells.

One process keeps the socket and some workers; each worker does one command at a time for a client
(``thin_client``), with the client's streams, folder and environment in place of its own. What a
command needs a process of its own for is declined. A worker that is lost is replaced, and its
client finds out by the command's key whether it was done.
"""

from __future__ import annotations

import fcntl
import gc
import io
import marshal
import os
import select
import signal
import socket
import stat
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

from pbmserv.cli import guest, thin_client
from pbmserv.cli.guest import Declined
from pbmserv.cli.main import EXIT_INTERRUPTED, leave
from pbmserv.cli.printing import print_notice
from pbmserv.cli.shell import Shell
from pbmserv.cli.start import mail_code
from pbmserv.commands.command_table import root
from pbmserv.commands.declaration import Flag, Option, command
from pbmserv.commands.types import parse_whole_number
from pbmserv.desk.passwords import Passwords
from pbmserv.errors import EXIT_DONE, EXIT_REFUSED, Fault, Refused

if TYPE_CHECKING:
    from pbmserv.commands.grammar import Family

SPARE = 4
"""So many workers that wait are kept at most."""

BACKLOG = 128
INHERITED = 3
"""Where a socket is that systemd opened, or this program before it began anew."""

PEER_GROUPS = 59
"""What Linux calls SO_PEERGROUPS; Python has no name for it."""

MOST_GROUPS = 256
"""As many as Python lets the system tell; who is in more does their commands themselves."""

FULL_ROUND = 200
"""So many commands a worker does between two searches for garbage."""

LIBRARIES = ("pbmserv.store.store", "pbmserv.cli.mail_receive", "passlib.hash", "argon2")

UNIT = """# ~/.config/systemd/user/pbmserv.socket
[Socket]
ListenStream={path}
SocketMode=0600

[Install]
WantedBy=sockets.target

# ~/.config/systemd/user/pbmserv.service
[Service]
ExecStart={program} serve
ExecReload=kill -HUP $MAINPID

# Then: systemctl --user enable --now pbmserv.socket
"""

Idle = Option("MINUTES", "stop after so many minutes without a command", parse_whole_number)
Unit = Flag("print what makes systemd start it with the first command, and stop")


@command()
def serve(
    shell: Shell, *, idle: Annotated[int | None, Idle] = None, unit: Annotated[bool, Unit] = False
) -> int:
    """Stay, and do the commands of this user's shells at once, until stopped.

    The commands of this installation find it by themselves and print what they always do; without
    it they do their work as before. Each command has its own settings and database. What asks at
    the terminal, reads standard input or lives long is done by the command itself, as ever.

    SIGHUP makes it begin anew, SIGTERM stop; neither loses a command. PBMSERV_RESIDENT=auto lets
    the first command start it for ten minutes without one; PBMSERV_RESIDENT=off goes past it.
    """
    del shell
    path = thin_client.socket_path()
    if unit:
        sys.stdout.write(UNIT.format(path=path, program=Path(sys.argv[0]).absolute()))
        return EXIT_DONE
    with open(_lock_file(path), "a", opener=_private, encoding="ascii") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            listener = _listen(path)
        except BlockingIOError:
            raise Refused("It is running already.", code="served-already") from None
        keeper = Keeper(listener, lock.fileno(), idle)
        print_notice(f"Serving at {path}.")
        keeper.run()
        with suppress(FileNotFoundError):
            Path(path).unlink()
    keeper.end()
    return EXIT_DONE


def _lock_file(path: str) -> Path:
    """Return the lock file beside the socket; raises :class:`Fault` in a folder of others."""
    folder = Path(path).parent
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if found.st_uid != os.getuid() or stat.S_IMODE(found.st_mode) & 0o022:
        raise Fault(
            f"The folder {folder} is not yours alone.",
            code="foreign-folder",
            hint="Set XDG_RUNTIME_DIR to a folder that nobody else can write to.",
        )
    return Path(f"{path}.lock")


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _listen(path: str) -> socket.socket:
    """Return the socket that was handed on, else a new one."""
    if os.environ.pop("LISTEN_PID", "") == str(os.getpid()) and os.environ.pop("LISTEN_FDS", ""):
        listener = socket.socket(fileno=INHERITED)
        listener.set_inheritable(False)
    else:
        with suppress(FileNotFoundError):
            Path(path).unlink()
        listener = socket.socket(socket.AF_UNIX)
        mask = os.umask(0o177)
        try:
            listener.bind(path)
        finally:
            os.umask(mask)
        listener.listen(BACKLOG)
    listener.setblocking(False)
    return listener


class Keeper:
    """Keeps as many workers as are needed; does no command itself."""

    def __init__(self, listener: socket.socket, lock: int, idle: int | None) -> None:
        _load(root(*_tables()))
        # What was made so far stays to the end: no worker need look at it, and copy it.
        gc.collect()
        gc.freeze()
        self._listener = listener
        self._lock = lock
        self._seconds = None if idle is None else idle * 60.0
        self._workers: dict[int, bool] = {}
        """Whether each worker is busy."""
        self._reports, self._reporting = os.pipe()
        self._lifeline, self._life = os.pipe()
        self._wake, self._waking = os.pipe()
        for end in (self._wake, self._waking):
            os.set_blocking(end, False)
        self._asked: set[int] = set()
        signal.set_wakeup_fd(self._waking, warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda number, _: self._asked.add(number))
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._even_out()

    def run(self) -> None:
        """Go on until asked to stop, or until nobody came for long."""
        last = time.monotonic()
        waiting = select.poll()
        waiting.register(self._reports, select.POLLIN)
        waiting.register(self._wake, select.POLLIN)
        while not self._asked:
            self._even_out()
            wait = None if self._seconds is None else last + self._seconds - time.monotonic()
            if wait is not None and wait <= 0 and not any(self._workers.values()):
                return
            for end, _ in waiting.poll(None if wait is None else max(wait, 0.1) * 1000):
                data = os.read(end, 4096)
                if end == self._reports:
                    last = time.monotonic()
                    for at in range(0, len(data), 5):
                        pid = int.from_bytes(data[at : at + 4], "big")
                        if pid in self._workers:
                            self._workers[pid] = data[at + 4 : at + 5] == b"b"
            self._bury()
        if self._asked == {signal.SIGHUP}:
            self._begin_anew()

    def end(self) -> None:
        """Let every worker finish what it does."""
        self._listener.close()
        os.close(self._life)
        for pid in self._workers:
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)

    def _even_out(self) -> None:
        idle = [pid for pid, is_busy in self._workers.items() if not is_busy]
        if not idle:
            self._hire()
        for pid in idle[SPARE:]:
            os.kill(pid, signal.SIGTERM)
            del self._workers[pid]

    def _hire(self) -> None:
        pid = os.fork()
        if pid:
            self._workers[pid] = False
            return
        code = 1
        try:
            for end in (self._lock, self._life, self._reports, self._wake, self._waking):
                os.close(end)
            signal.set_wakeup_fd(-1)
            Worker(self._listener, self._lifeline, self._report).run()
            code = 0
        finally:
            os._exit(code)

    def _report(self, state: bytes) -> None:
        with suppress(OSError):
            os.write(self._reporting, os.getpid().to_bytes(4, "big") + state)

    def _bury(self) -> None:
        with suppress(ChildProcessError):
            while (found := os.waitpid(-1, os.WNOHANG))[0]:
                is_lost = self._workers.pop(found[0], None) is not None
                if is_lost and found[1]:
                    time.sleep(0.05)  # one that dies as it begins must not be a storm

    def _begin_anew(self) -> NoReturn:
        """Replace this program by itself with the socket open: who comes meanwhile waits there."""
        os.dup2(self._listener.fileno(), INHERITED, inheritable=True)
        handed = {"LISTEN_FDS": "1", "LISTEN_PID": str(os.getpid())}
        words = [sys.executable, "-c", thin_client.START, *sys.argv[1:]]
        os.execve(sys.executable, words, {**os.environ, **handed})  # noqa: S606 - it is we


def _tables() -> Any:
    from pbmserv.cli.shell_commands import SHELL, shell_families

    return SHELL, shell_families()


def _load(tree: Family) -> None:
    """Import what commands import when they need it, so that workers share it."""
    for name in LIBRARIES:
        import_module(name)
    from pbmserv.store.store import PARTS

    for name in PARTS.values():
        import_module(name)
    for entry in tree.table.values():
        import_module(entry.target.partition(":")[0])


class Worker:
    """Does one command after the other, each as if in the process that asks for it."""

    def __init__(
        self, listener: socket.socket, lifeline: int, report: Callable[[bytes], None]
    ) -> None:
        from pbmserv.store.connection import keep_engines

        keep_engines()
        guest.is_guest = True
        guest.passwords = Passwords()
        self._listener = listener
        self._lifeline = lifeline
        self._report = report
        self._is_stopping = False
        self._client: socket.socket | None = None
        self._python = _python(os.environ)
        self._home = os.open("/", os.O_RDONLY)
        self._nowhere = os.open(os.devnull, os.O_RDWR)

    def run(self) -> None:
        """Go on until asked to stop, or until the keeper is gone."""
        gc.disable()
        signal.signal(signal.SIGTERM, self._stop)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGIO, self._hear)
        waiting = select.poll()
        waiting.register(self._listener, select.POLLIN)
        waiting.register(self._lifeline, select.POLLHUP)
        done = 0
        while not self._is_stopping:
            if any(end == self._lifeline for end, _ in waiting.poll(10_000)):
                return
            try:
                client, _ = self._listener.accept()
            except (BlockingIOError, ConnectionError):
                continue
            self._report(b"b")
            with client, suppress(OSError):
                self._attend(client)
            done += 1
            if done % FULL_ROUND == 0:
                gc.collect()
            self._report(b"i")

    def _stop(self, *_: object) -> None:
        self._is_stopping = True

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
        if said == bytes([signal.SIGINT]):
            raise KeyboardInterrupt
        sys.exit(128 + (said[0] if said else signal.SIGHUP))

    def _attend(self, client: socket.socket) -> None:
        """Do the command of one client."""
        own = (os.geteuid(), os.getegid())
        if thin_client.peer_of(client) != own or _groups_of(client) != {*os.getgroups()}:
            return
        client.settimeout(thin_client.PATIENCE)
        data, streams, _, _ = socket.recv_fds(client, 1 << 16, 3)
        try:
            size = 4 + int.from_bytes(data[:4], "big")
            while len(data) < size:
                more = client.recv(size - len(data))
                if not more:
                    return
                data += more
            order = marshal.loads(data[4:])  # noqa: S302 - from a process of our own user
            if len(streams) != 3 or _python(order[2]) != self._python:
                return
            client.sendall(thin_client.TAKEN)
            answer = self._lend(client, order, streams)
        finally:
            for descriptor in streams:
                os.close(descriptor)
        if answer:
            client.sendall(answer)

    def _lend(self, client: socket.socket, order: Any, streams: list[int]) -> bytes:
        """Do the command in place of the client; return what to tell it, nothing for a defect."""
        prefix, words, environ, folder, mask, told, key, prints = order
        for number, descriptor in enumerate(streams):
            os.dup2(descriptor, number)
        own = dict(os.environ)
        own_mask = os.umask(mask)
        try:
            _set_environment(environ)
            os.chdir(folder)
            _open_streams(told)
            sys.argv = ["pbmserv", *words]
            guest.key = key
            self._obey(client)
            code = self._run(prefix, words) if prints else mail_code(words)
        except Declined:
            return thin_client.DECLINED
        finally:
            self._client = None
            _close_streams()
            for number in range(3):
                os.dup2(self._nowhere, number)
            os.fchdir(self._home)
            os.umask(own_mask)
            _set_environment(own)
        return thin_client.DONE + bytes([code & 0xFF])

    def _obey(self, client: socket.socket) -> None:
        """Have the system tell at once when the client says something, or is gone."""
        self._client = client
        client.setblocking(False)
        fcntl.fcntl(client, fcntl.F_SETOWN, os.getpid())
        flags = fcntl.fcntl(client, fcntl.F_GETFL)
        fcntl.fcntl(client, fcntl.F_SETFL, flags | os.O_ASYNC)
        self._hear()

    @staticmethod
    def _run(prefix: list[str], words: list[str]) -> int:
        del words
        try:
            leave(prefix)
        except SystemExit as end:
            return end.code if isinstance(end.code, int) else EXIT_REFUSED * bool(end.code)
        except KeyboardInterrupt:
            return EXIT_INTERRUPTED


def _groups_of(client: socket.socket) -> set[int]:
    """Return the groups that the process at the other end is in beside its own."""
    found = memoryview(client.getsockopt(socket.SOL_SOCKET, PEER_GROUPS, 4 * MOST_GROUPS))
    return {*found.cast("I")}


def _python(environ: dict[str, str] | os._Environ[str]) -> dict[str, str]:
    """Return what makes one Python unlike another."""
    return {name: text for name, text in environ.items() if name.startswith("PYTHON")}


def _set_environment(environ: dict[str, str]) -> None:
    zone = os.environ.get("TZ")
    for name in os.environ.keys() - environ.keys():
        del os.environ[name]
    for name, text in environ.items():
        if os.environ.get(name) != text:
            os.environ[name] = text
    if os.environ.get("TZ") != zone:
        time.tzset()


def _open_streams(told: list[tuple[str, str, bool, bool]]) -> None:
    """Make the streams as Python makes them when it begins."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        encoding, errors, by_line, at_once = told[number]
        is_raw = at_once and number > 0
        raw = open(number, "wb" if number else "rb", 0 if is_raw else -1, closefd=False)  # noqa: SIM115
        stream = io.TextIOWrapper(
            raw,
            encoding,
            errors,
            "\n" if number else None,
            line_buffering=by_line,
            write_through=at_once,
        )
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _close_streams() -> None:
    for name in ("stdin", "stdout", "stderr"):
        with suppress(OSError, ValueError):
            getattr(sys, name).close()
