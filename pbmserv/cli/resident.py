"""``serve``: processes that stay, with all loaded, and do the commands of one user's shells.

This one keeps the sockets and as many workers (``resident_worker``) as are needed. A worker that is
lost is replaced, and its client finds out by the command's key whether it was done. Beside them it
keeps a process for each of the ``chores`` that it was told to do.
"""

from __future__ import annotations

import fcntl
import gc
import math
import os
import re
import select
import shlex
import signal
import socket
import stat
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

from pbmserv.cli import thin_client
from pbmserv.cli.chores import chores_for, do_chore
from pbmserv.cli.mail_receive import Listening
from pbmserv.cli.printing import print_notice
from pbmserv.cli.resident_worker import Worker, load_all
from pbmserv.cli.roster import Roster
from pbmserv.cli.shell import Shell
from pbmserv.commands.declaration import Flag, Option, command
from pbmserv.commands.types import parse_whole_number
from pbmserv.errors import EXIT_DONE, Fault, Refused

if TYPE_CHECKING:
    from pbmserv.mail.listener import ListenAddress

Work = Callable[[], object]

BACKLOG = 128
INHERITED = 3
"""Where sockets begin that systemd opened, or this program before it began anew."""

OURS = "commands"
"""What the socket is called that this program has made; systemd calls its own otherwise."""

UNIT_WORD = re.compile("--?u(n(it?)?)?", re.IGNORECASE)

REST = 10.0
"""Seconds after which a chore that ended is begun again."""

UNIT = """# ~/.config/systemd/user/pbmserv.socket
[Socket]
ListenStream={path}
SocketMode=0600

[Install]
WantedBy=sockets.target

# ~/.config/systemd/user/pbmserv.service
[Service]
ExecStart={command}
ExecReload=kill -HUP $MAINPID
Restart=on-failure
{install}
# Then: systemctl --user enable --now {names}
# An upgrade changes the name of the socket: do this again after it.
"""
INSTALL = """
[Install]
WantedBy=default.target
"""

Idle = Option("MINUTES", "stop after so many minutes without a command", parse_whole_number)
Unit = Flag("print what makes systemd start it with the first command, and stop")
Club = Flag("look after the club: letters, clocks, robots, and the Maildir if one is set")


@command()
def serve(
    shell: Shell,
    *,
    idle: Annotated[int | None, Idle] = None,
    club: Annotated[bool, Club] = False,
    listening: Listening,
    unit: Annotated[bool, Unit] = False,
) -> int:
    """Stay, and do the commands of this user's shells at once, until stopped.

    The commands of this installation find it by themselves and print what they always do; without
    it they do their work as before. Each command has its own settings and database. What asks at
    the terminal, reads standard input or lives long is done by the command itself, as ever.

    With -club, -lmtp or -smtp it also does what mail run and mail serve do, for the club of its
    own settings.

    SIGHUP makes it begin anew, SIGTERM stop; neither loses a command or a mail.
    PBMSERV_RESIDENT=auto lets the first command start it for ten minutes without one;
    PBMSERV_RESIDENT=off goes past it.
    """
    path = thin_client.socket_path()
    places = listening.places()
    if unit:
        sys.stdout.write(_unit(path, has_chores=club or bool(places)))
        return EXIT_DONE
    with open(_lock_file(path), "a", opener=_private, encoding="ascii") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            hint = "Stop it with SIGTERM if this one is to take its place."
            raise Refused("It is running already.", code="served-already", hint=hint) from None
        handed = _handed_on()
        places = [_opened(place, handed) for place in places]
        chores = chores_for(shell, places) if club or places else []
        load_all()
        named = _listen(path, handed)
        keeper = Keeper(named, places, lock.fileno())
        keeper.begin(chores)
        print_notice(f"Serving at {path}.")
        keeper.run(None if idle is None else idle * 60.0)
        if named[0] == OURS:
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


def _unit(path: str, *, has_chores: bool) -> str:
    """Return what makes systemd start this command; with chores it does not wait for the first."""
    words = [word for word in sys.argv[1:] if not UNIT_WORD.fullmatch(word)]
    return UNIT.format(
        path=path,
        command=shlex.join([str(Path(sys.argv[0]).absolute()), *words]),
        install=INSTALL if has_chores else "",
        names="pbmserv.socket pbmserv.service" if has_chores else "pbmserv.socket",
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


def _name(place: ListenAddress) -> str:
    return "lmtp" if place.is_lmtp else "smtp"


def _opened(place: ListenAddress, handed: dict[str, list[socket.socket]]) -> ListenAddress:
    """Return the place with sockets that listen there; raises :class:`Fault`."""
    return replace(place, sockets=tuple(handed.pop(_name(place), ()))).opened()


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
        listener.listen(BACKLOG)
    listener.setblocking(False)
    return name, listener


class Keeper:
    """Keeps a worker ready for whoever comes next; does no command itself.

    It sleeps while workers come and go among themselves: only the one that takes the last free
    place wakes it, and whatever the system says. ``life`` is never written to: workers leave when
    the keeper has closed it, or is no more.
    """

    def __init__(
        self, named: tuple[str, socket.socket], places: list[ListenAddress], lock: int
    ) -> None:
        # What was made so far stays to the end: no worker need look at it, and copy it.
        gc.collect()
        gc.freeze()
        self._name, self._listener = named
        self._mail_places = places
        self._began = time.monotonic()
        self._chores: dict[int, Work] = {}
        """What each process does that is no worker."""
        self._due: list[tuple[float, Work]] = []
        """When each chore is to be begun that nobody does."""
        self._roster = Roster()
        self._places: dict[int, int] = {}
        """Where each worker stands in the roster, by its process."""
        self._lifeline, self._life = os.pipe()
        self._wake, self._waking = os.pipe()
        self._own = (lock, self._life, self._wake)
        for end in (self._wake, self._waking):
            os.set_blocking(end, False)
        self._asked: set[int] = set()
        signal.set_wakeup_fd(self._waking, warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda number, _: self._asked.add(number))
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._hire()

    def begin(self, chores: Iterable[Work]) -> None:
        """Have the chores done beside the commands from now on."""
        self._due += [(0.0, chore) for chore in chores]
        self._resume()

    def run(self, seconds: float | None) -> None:
        """Go on until asked to stop, or until nobody came for so many seconds."""
        waiting = select.poll()
        waiting.register(self._wake, select.POLLIN)
        while not self._asked:
            left = self._left(seconds)
            if left is not None and left <= 0:
                return
            soonest = min((at for at, _ in self._due), default=math.inf) - time.monotonic()
            wait = min(soonest, math.inf if left is None else left)
            if waiting.poll(None if wait == math.inf else max(wait, 0) * 1000):
                os.read(self._wake, 4096)
            self._bury()
            self._resume()
            if not self._roster.free():
                self._hire()
        if self._asked == {signal.SIGHUP}:
            self._begin_anew()

    def _left(self, seconds: float | None) -> float | None:
        """Return how long to stay yet if nobody comes, None for ever."""
        if seconds is None or not self._roster.is_quiet():
            return seconds
        return seconds - (time.monotonic() - max(self._began, self._roster.last_end()))

    def end(self) -> None:
        """Let every worker finish what it does."""
        self._close_mail_places()
        self._listener.close()
        os.close(self._life)
        with suppress(ChildProcessError):
            while True:
                os.waitpid(-1, 0)

    def _hire(self) -> None:
        place = self._roster.take_place()
        if place is None:
            return

        def work() -> None:
            self._close_mail_places()
            Worker(self._listener, self._lifeline, self._roster, place, self._call).run()

        self._places[_process(work, self._own)] = place

    def _resume(self) -> None:
        """Have a process of its own do each chore that is due."""
        now = time.monotonic()
        for at, chore in self._due[:]:
            if at <= now:
                self._due.remove((at, chore))
                self._chores[_process(partial(self._do, chore), self._own)] = chore

    def _do(self, chore: Work) -> None:
        self._listener.close()
        do_chore(chore, self._lifeline)

    def _close_mail_places(self) -> None:
        for place in self._mail_places:
            for listening in place.sockets:
                listening.close()

    def _call(self) -> None:
        """Wake the keeper, in whatever process this is."""
        with suppress(OSError):  # so full that it wakes already, or it is gone
            os.write(self._waking, b"\0")

    def _bury(self) -> None:
        with suppress(ChildProcessError):
            while (found := os.waitpid(-1, os.WNOHANG))[0]:
                if chore := self._chores.pop(found[0], None):
                    self._due.append((time.monotonic() + REST, chore))
                place = self._places.pop(found[0], None)
                if place is None:
                    continue  # a chore, or it is of the time before we began anew
                self._roster.clear(place)
                if found[1]:
                    time.sleep(0.05)  # one that dies as it begins must not be a storm

    def _begin_anew(self) -> NoReturn:
        """Replace this program by itself with its sockets open: who comes meanwhile waits there."""
        sockets = [(self._name, self._listener)]
        sockets += [(_name(place), each) for place in self._mail_places for each in place.sockets]
        # First all of them where no number that is to be taken is in use.
        high = [fcntl.fcntl(each, fcntl.F_DUPFD_CLOEXEC, 100) for _, each in sockets]
        for at, number in enumerate(high):
            os.dup2(number, INHERITED + at, inheritable=True)
        handed = {
            "LISTEN_FDS": str(len(sockets)),
            "LISTEN_FDNAMES": ":".join(name for name, _ in sockets),
            "LISTEN_PID": str(os.getpid()),
        }
        words = [sys.executable, "-c", thin_client.START, *sys.argv[1:]]
        os.execve(sys.executable, words, {**os.environ, **handed})  # noqa: S606 - it is we


def _process(work: Work, own: tuple[int, ...]) -> int:
    """Return a process that does the work and ends, without what is its keeper's own."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        for end in own:
            os.close(end)
        signal.set_wakeup_fd(-1)
        work()
        code = 0
    finally:
        os._exit(code)
