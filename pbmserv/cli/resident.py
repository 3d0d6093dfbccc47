"""``serve``: processes that stay, with all loaded, and do the commands of one user's shells.

This one keeps the socket and as many workers (``resident_worker``) as are needed. A worker that is
lost is replaced, and its client finds out by the command's key whether it was done.
"""

from __future__ import annotations

import fcntl
import gc
import os
import select
import signal
import socket
import stat
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Annotated, NoReturn

from pbmserv.cli import thin_client
from pbmserv.cli.printing import print_notice
from pbmserv.cli.resident_worker import Worker, load_all
from pbmserv.cli.roster import Roster
from pbmserv.cli.shell import Shell
from pbmserv.commands.declaration import Flag, Option, command
from pbmserv.commands.types import parse_whole_number
from pbmserv.errors import EXIT_DONE, Fault, Refused

BACKLOG = 128
INHERITED = 3
"""Where a socket is that systemd opened, or this program before it began anew."""

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
        load_all()
        keeper = Keeper(listener, lock.fileno())
        print_notice(f"Serving at {path}.")
        keeper.run(None if idle is None else idle * 60.0)
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
    """Keeps a worker ready for whoever comes next; does no command itself.

    It sleeps while workers come and go among themselves: only the one that takes the last free
    place wakes it, and whatever the system says. ``life`` is never written to: workers leave when
    the keeper has closed it, or is no more.
    """

    def __init__(self, listener: socket.socket, lock: int) -> None:
        # What was made so far stays to the end: no worker need look at it, and copy it.
        gc.collect()
        gc.freeze()
        self._listener = listener
        self._lock = lock
        self._roster = Roster()
        self._places: dict[int, int] = {}
        """Where each worker stands in the roster, by its process."""
        self._lifeline, self._life = os.pipe()
        self._wake, self._waking = os.pipe()
        for end in (self._wake, self._waking):
            os.set_blocking(end, False)
        self._asked: set[int] = set()
        signal.set_wakeup_fd(self._waking, warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda number, _: self._asked.add(number))
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._hire()

    def run(self, seconds: float | None) -> None:
        """Go on until asked to stop, or until nobody came for so many seconds."""
        waiting = select.poll()
        waiting.register(self._wake, select.POLLIN)
        began = time.monotonic()
        left = seconds
        while not self._asked and (left is None or left > 0):
            if waiting.poll(None if left is None else left * 1000):
                os.read(self._wake, 4096)
            self._bury()
            if not self._roster.free():
                self._hire()
            if seconds is not None:
                since = time.monotonic() - max(began, self._roster.last_end())
                left = seconds - since if self._roster.is_quiet() else seconds
        if self._asked == {signal.SIGHUP}:
            self._begin_anew()

    def end(self) -> None:
        """Let every worker finish what it does."""
        self._listener.close()
        os.close(self._life)
        with suppress(ChildProcessError):
            while True:
                os.waitpid(-1, 0)

    def _hire(self) -> None:
        place = self._roster.take_place()
        if place is None:
            return
        pid = os.fork()
        if pid:
            self._places[pid] = place
            return
        code = 1
        try:
            for end in (self._lock, self._life, self._wake):
                os.close(end)
            signal.set_wakeup_fd(-1)
            Worker(self._listener, self._lifeline, self._roster, place, self._call).run()
            code = 0
        finally:
            os._exit(code)

    def _call(self) -> None:
        """Wake the keeper, in whatever process this is."""
        with suppress(OSError):  # so full that it wakes already, or it is gone
            os.write(self._waking, b"\0")

    def _bury(self) -> None:
        with suppress(ChildProcessError):
            while (found := os.waitpid(-1, os.WNOHANG))[0]:
                place = self._places.pop(found[0], None)
                if place is None:
                    continue  # it is of the time before we began anew
                self._roster.clear(place)
                if found[1]:
                    time.sleep(0.05)  # one that dies as it begins must not be a storm

    def _begin_anew(self) -> NoReturn:
        """Replace this program by itself with the socket open: who comes meanwhile waits there."""
        os.dup2(self._listener.fileno(), INHERITED, inheritable=True)
        handed = {"LISTEN_FDS": "1", "LISTEN_PID": str(os.getpid())}
        words = [sys.executable, "-c", thin_client.START, *sys.argv[1:]]
        os.execve(sys.executable, words, {**os.environ, **handed})  # noqa: S606 - it is we
