"""``serve``: all that a club or a user has done by programs that stay, in one program.

It keeps the sockets and a process for each work: workers that do the commands of one user's shells
(``resident_worker``), and what the settings ask for besides (``club_services``). One that ends is
begun again; the client of a worker that is lost finds out by the command's key whether it was done.
"""

from __future__ import annotations

import fcntl
import gc
import math
import os
import select
import shlex
import signal
import socket
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from mmap import mmap
from pathlib import Path
from typing import Annotated, NamedTuple, NoReturn

from pbmserv import side_processes
from pbmserv.cli.log_lines import to_stderr
from pbmserv.cli.shell import Shell
from pbmserv.commands.declaration import Flag, Option, command
from pbmserv.commands.types import parse_whole_number
from pbmserv.daemon import thin_client
from pbmserv.daemon.club_services import Listening, run_service, services_for
from pbmserv.daemon.mail_log import Log
from pbmserv.daemon.resident_worker import WORKERS, do_commands, load_all
from pbmserv.daemon.service_manager import INSTALL, UNIT, Watchdog, notify
from pbmserv.daemon.web_service import web_places
from pbmserv.engine.moments import MINUTE
from pbmserv.errors import EXIT_DONE, Fault, Refused
from pbmserv.settings import find

INHERITED = 3
"""The first descriptor of sockets from systemd, or from this program before a restart."""

OURS = "commands"
"""The name of the socket that this program has made; systemd names its own."""

REST = 10.0
"""Seconds after which a service that ended is begun again; of a worker's end a client has heard."""

BREATH = 0.05
"""Seconds after which a worker is replaced: one that dies as it begins must not be a storm."""

Idle = Option("MINUTES", "stop after this many minutes without a command", parse_whole_number)
Unit = Flag("print systemd units that start it with the first command")
Club = Flag("run the club of the settings, even if they set up no mail")


@command()
def serve(
    shell: Shell,
    *,
    idle: Annotated[int | None, Idle] = None,
    club: Annotated[bool, Club] = False,
    listening: Listening,
    unit: Annotated[bool, Unit] = False,
) -> int:
    """Run commands faster and do what the settings ask for, until stopped.

    Commands of the same user and the same installation use it automatically and print what they
    always do; without it they run as before. Each command has its own settings and database. A
    command that asks something, reads standard input or runs for long does not use it.

    If the setting maildir, mail_transport, web or backup_folder is set, it also runs the club. It
    reads the Maildir, sends mail, answers browsers, checks the clocks, moves for robots and makes
    backups. -club makes it do so without them, -lmtp and -smtp accept mail by these; with -idle it
    only runs commands.

    SIGHUP restarts it, SIGTERM stops it within ten seconds; neither loses a command or a mail. With
    PBMSERV_RESIDENT=auto the first command starts it, and it stops after ten idle minutes;
    PBMSERV_RESIDENT=off bypasses it.
    """
    path = thin_client.socket_path()
    places = [*listening.places(), *(web_places() if idle is None else ())]
    has_ways = idle is None and any(map(find, ("maildir", "mail_transport", "backup_folder")))
    has_services = bool(club or places or has_ways)
    if unit:
        given = {"database": shell.options.database, "idle": idle, "club": club}
        words = _options({**given, **vars(listening)})
        sys.stdout.write(_unit(path, words, has_services=has_services))
        return EXIT_DONE
    with _single_instance(path) as lock:
        handed = _handed_on()
        places = [
            replace(place, sockets=tuple(handed.pop(place.door, ()))).opened() for place in places
        ]
        services = services_for(shell, places) if has_services else []
        load_all()
        name, listener = _listen(path, handed)
        doors = [(name, listener)]
        doors += [(place.door, each) for place in places for each in place.sockets]
        watchdog = Watchdog(service.pulse for service in services)
        supervisor = Supervisor(doors, lock, watchdog)
        moments = memoryview(mmap(-1, 8 * WORKERS)).cast("d")
        for place in range(WORKERS):
            work = partial(do_commands, listener, supervisor.lifeline, moments, place)
            supervisor.begin(ManagedProcess(work, (listener,), BREATH))
        for service in services:
            work = partial(run_service, shell, service.do, supervisor.lifeline)
            supervisor.begin(ManagedProcess(work, service.sockets, REST))
        Log(shell, to_stderr).say(f"Serving at {path}.")
        notify("READY=1")
        supervisor.run(idle_time_left(moments, None if idle is None else idle * MINUTE))
        if name == OURS:
            with suppress(FileNotFoundError):
                Path(path).unlink()
    notify("STOPPING=1")
    supervisor.end()
    return EXIT_DONE


def idle_time_left(moments: memoryview[float], seconds: float | None) -> Callable[[], float]:
    """Return a function that returns the remaining idle time."""
    began = time.monotonic()

    def left() -> float:
        silent = time.monotonic() - max(began, *moments)
        return math.inf if seconds is None else seconds - max(silent, 0.0)

    return left


@contextmanager
def _single_instance(path: str) -> Iterator[int]:
    """Have the lock of the socket in the block; raises :class:`Refused` where another has it."""
    with open(
        _lock_file(path),
        "a",
        opener=lambda name, flags: os.open(name, flags, 0o600),
        encoding="ascii",
    ) as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            hint = "To replace it, stop it with SIGTERM first."
            raise Refused("It is already running.", code="served-already", hint=hint) from None
        yield lock.fileno()


def _lock_file(path: str) -> Path:
    """Return the lock file beside the socket; raises :class:`Fault` in a folder of others."""
    folder = Path(path).parent
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if found.st_uid != os.getuid() or stat.S_IMODE(found.st_mode) & 0o022:
        raise Fault(
            f"The folder {folder} is not yours, or others can write to it.",
            code="foreign-folder",
            hint="Set XDG_RUNTIME_DIR to a folder that nobody else can write to.",
        )
    return Path(f"{path}.lock")


def _options(given: Mapping[str, object]) -> list[str]:
    """Return options with these values as they are written; those left out are None or False."""
    values = {
        name: value for name, value in given.items() if value is not None and value is not False
    }
    return [f"-{name}" if value is True else f"-{name}={value}" for name, value in values.items()]


def _unit(path: str, options: Iterable[str], *, has_services: bool) -> str:
    """Return systemd units that start this command; with services it does not wait."""
    return UNIT.format(
        path=path,
        command=shlex.join([str(Path(sys.argv[0]).absolute()), "serve", *options]),
        install=INSTALL if has_services else "",
        names="pbmserv.socket pbmserv.service" if has_services else "pbmserv.socket",
    )


def _handed_on() -> dict[str, list[socket.socket]]:
    """Return the sockets that are open already, by the names that they were given."""
    handed: dict[str, list[socket.socket]] = {}
    if os.environ.pop("LISTEN_PID", "") == str(os.getpid()):
        names = os.environ.pop("LISTEN_FDNAMES", "").split(":")
        for at in range(int(os.environ.pop("LISTEN_FDS", "0"))):
            found = socket.socket(fileno=INHERITED + at)
            found.set_inheritable(False)
            handed.setdefault(names[at] if at < len(names) else "", []).append(found)
    return handed


def _listen(path: str, handed: dict[str, list[socket.socket]]) -> tuple[str, socket.socket]:
    """Return the socket for commands that was handed on with its name, else a new one of ours."""
    name, (listener,) = handed.popitem() if handed else (OURS, (None,))
    if listener is None:
        with suppress(FileNotFoundError):
            Path(path).unlink()
        listener = socket.socket(socket.AF_UNIX)
        mask = os.umask(0o177)
        try:
            listener.bind(path)
        finally:
            os.umask(mask)
        listener.listen(128)
    listener.setblocking(False)
    return name, listener


class ManagedProcess(NamedTuple):
    """A process with its sockets, restarted ``rest`` seconds after its end."""

    do: Callable[[], object]
    sockets: tuple[socket.socket, ...]
    rest: float


class Supervisor:
    """Keeps a process for each work; does none itself, and sleeps while none ends.

    ``doors`` are the sockets, by the names under which they are handed on. ``lifeline`` ends when
    the supervisor lets everybody go, or is no more.
    """

    def __init__(
        self, doors: list[tuple[str, socket.socket]], lock: int, watchdog: Watchdog
    ) -> None:
        # What was made so far stays to the end: no process need look at it, and copy it.
        gc.collect()
        gc.freeze()
        self._doors = doors
        self._watchdog = watchdog
        self._running: dict[int, ManagedProcess] = {}
        self._due: list[tuple[float, ManagedProcess]] = []
        self.lifeline, self._life = os.pipe()
        self._wake, waking = os.pipe()
        self._waiting = select.poll()
        self._waiting.register(self._wake, select.POLLIN)
        self._own = (lock, self._life, self._wake, waking)
        for end in (self._wake, waking):
            os.set_blocking(end, False)
        self._asked: set[int] = set()
        signal.set_wakeup_fd(waking, warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda number, _: self._asked.add(number))
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def begin(self, work: ManagedProcess) -> None:
        """Have it done from now on."""
        pid = os.fork()
        if pid:
            self._running[pid] = work
            return
        code = 1
        try:
            for end in self._own:
                os.close(end)
            for _, door in self._doors:
                if door not in work.sockets:
                    door.close()
            signal.set_wakeup_fd(-1)
            work.do()
            code = 0
        finally:
            os._exit(code)

    def run(self, left: Callable[[], float]) -> None:
        """Go on until asked to stop, or until no time is ``left``."""
        while not self._asked and (stay := left()) > 0:
            self._replace()
            soonest = min((at for at, _ in self._due), default=math.inf) - time.monotonic()
            self._sleep(min(soonest, stay, self._watchdog.tell()))
        if self._asked == {signal.SIGHUP}:
            self._begin_anew()

    def end(self) -> None:
        """Let everybody finish what they do; who has not in time, stopped or not, is killed."""
        for _, door in self._doors:
            door.close()
        os.close(self._life)
        if not self._are_gone_in(side_processes.GRACE):
            side_processes.kill_descendants(os.getpid())
            self._are_gone_in(1.0)

    def _are_gone_in(self, seconds: float) -> bool:
        """Tell whether everybody has ended before so much time has passed."""
        end = time.monotonic() + seconds
        with suppress(ChildProcessError):
            while (left := end - time.monotonic()) > 0:
                if not os.waitpid(-1, os.WNOHANG)[0]:
                    self._sleep(left)
            return False
        return True

    def _sleep(self, seconds: float) -> None:
        """Wait so long, or until a signal comes or a child ends."""
        if self._waiting.poll(None if seconds == math.inf else max(seconds, 0) * 1000):
            os.read(self._wake, 4096)

    def _replace(self) -> None:
        now = time.monotonic()
        with suppress(ChildProcessError):
            while pid := os.waitpid(-1, os.WNOHANG)[0]:
                if work := self._running.pop(pid, None):  # else of the time before we began anew
                    self._due.append((now + work.rest, work))
        for at, work in self._due[:]:
            if at <= now:
                self._due.remove((at, work))
                self.begin(work)

    def _begin_anew(self) -> NoReturn:
        """Replace this program by itself with its sockets open: who comes meanwhile waits there."""
        notify(f"RELOADING=1\nMONOTONIC_USEC={time.monotonic_ns() // 1000}")
        # First all of them where no number that is to be taken is in use.
        high = [fcntl.fcntl(door, fcntl.F_DUPFD_CLOEXEC, 100) for _, door in self._doors]
        for at, number in enumerate(high):
            os.dup2(number, INHERITED + at, inheritable=True)
        handed = {
            "LISTEN_FDS": str(len(high)),
            "LISTEN_FDNAMES": ":".join(name for name, _ in self._doors),
            "LISTEN_PID": str(os.getpid()),
        }
        words = [sys.executable, "-c", thin_client.START, *sys.argv[1:]]
        os.execve(sys.executable, words, {**os.environ, **handed})  # noqa: S606 - it is we
