"""The advisory lock that makes writers of one SQLite file wait in a fair order.

SQLite alone lets waiting writers sleep longer and longer, so that one of eight may wait for
seconds. Two lock files beside the database mend that: whoever wants to write waits for the first
("next in line") and keeps it until it has the second ("writing"). So a program that writes again
and again cannot overtake the one who is next. The system queues those who wait in the order of
their coming, and frees the locks of a program that dies.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Lock, Thread

from pbmserv.store.faults import fault_of, known
from pbmserv.store.files.location import PRIVATE, private_mode

try:
    import fcntl
except ImportError:  # no such locks on this platform: SQLite's own waiting alone
    HAS_FLOCK = False
else:
    HAS_FLOCK = True

# Of A, which writes, B and C, B holds "next in line" and waits for "writing", C waits for "next
# in line". When A is done B has "writing" and lets "next in line" go, which C gets; A, if it
# comes again, is behind C. flock has no timeout: a thread waits for it, so that the wait can be
# given up.

PATIENCE = 1.0
"""Seconds of waiting after which a person at a terminal is told why."""

LOCKS = (".lock-next", ".lock")
"""Suffixes of the lock files beside a database."""

RIGHTS = 0o666
"""The permissions that a lock file takes over from the database."""


class WriteLock:
    """The right to write to one SQLite file, held by one transaction at a time."""

    def __init__(self, path: Path, *, wait: float, notice: Callable[[str], object]) -> None:
        # Texts, since each transaction opens them: a Path is made into one each time.
        self._next, self._writing = (f"{path}{end}" for end in LOCKS)
        self._database = str(path)
        self._handed_over: set[str] = set()
        """The lock files that were looked at: what this program makes stays as it is."""
        self._wait = wait
        self._notice = notice

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the lock; raises :class:`Fault` ``database-locked`` after the longest wait."""
        if not HAS_FLOCK:
            yield
            return
        first = self._take(self._next)
        try:
            second = self._take(self._writing)
        finally:
            os.close(first)
        try:
            yield
        finally:
            os.close(second)

    def _take(self, path: str) -> int:
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE)
        except OSError as error:
            raise fault_of(error, self._database) from error
        if path not in self._handed_over:
            self._hand_over(descriptor)
            self._handed_over.add(path)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._queue_for(descriptor)
        except OSError as error:
            os.close(descriptor)
            raise fault_of(error, self._database) from error
        return descriptor

    def _hand_over(self, descriptor: int) -> None:
        """Give a lock file owner and rights of the database, if that is ours to give.

        Else the first command run as root would make it for root alone, and lock all others out.
        Before there is a database, its folder says what rights it will have.
        """
        with suppress(OSError):
            lock = os.fstat(descriptor)
            try:
                database = Path(self._database).stat()
            except FileNotFoundError:
                os.fchmod(descriptor, private_mode(Path(self._database).parent))
                return
            if (lock.st_uid, lock.st_gid) != (database.st_uid, database.st_gid):
                os.fchown(descriptor, database.st_uid, database.st_gid)
            if lock.st_mode & RIGHTS != database.st_mode & RIGHTS:
                os.fchmod(descriptor, database.st_mode & RIGHTS)

    def _queue_for(self, descriptor: int) -> None:
        queued = _Queued(descriptor)
        try:
            if queued.taken.wait(PATIENCE):
                return
            if sys.stderr.isatty():
                self._notice("Waiting for another program that is writing to the database.")
            if queued.taken.wait(self._wait - PATIENCE):
                return
        except BaseException:
            queued.give_up()
            raise
        if queued.give_up():
            raise known("database-locked", self._database)


class _Queued:
    """A place in the system's queue for a lock, kept by a thread so that it can be given up."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self.taken = Event()
        self._is_given_up = False
        self._deciding = Lock()
        Thread(target=self._wait, daemon=True).start()

    def give_up(self) -> bool:
        """Leave the queue and close the file, unless the lock is ours: then return False."""
        with self._deciding:
            self._is_given_up = not self.taken.is_set()
            return self._is_given_up

    def _wait(self) -> None:
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        with self._deciding:
            if self._is_given_up:
                os.close(self._descriptor)
            else:
                self.taken.set()
