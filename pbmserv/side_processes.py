"""Processes of our own that do one task after the other: searches, checks, mails."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack, suppress
from importlib import import_module
from multiprocessing.connection import Connection, wait
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Any, Self

from pbmserv.errors import EXIT_INTERRUPTED, Fault

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

GRACE = 7.0
"""Seconds in which everybody may finish who is to stop; systemd and people wait no minute."""


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class SideProcess:
    """A process that ends when it has done its task and nobody is there any more.

    ``worker`` names a function, as ``module:function``, that is given the setting there, and
    returns what does a task and yields its results. What would interrupt or end us does not end
    it in the middle of a task. Only if it ``may_speak`` what it prints as an error is seen.
    """

    def __init__(self, worker: str, setting: object = None, *, may_speak: bool = False) -> None:
        ours, theirs = socket.socketpair()
        code = f"from {__name__} import serve; serve({worker!r})"
        with theirs:
            self.process = subprocess.Popen(  # noqa: S603 - ourselves
                [sys.executable, "-P", "-c", code],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=None if may_speak else subprocess.DEVNULL,
                start_new_session=True,
            )
        self.ends = Connection(ours.detach())
        self.ends.send(setting)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.kill()

    def kill(self) -> None:
        """End the process and what it has started, whatever they do."""
        kill_descendants(self.process.pid)
        self.process.kill()
        self.close()

    def close(self) -> None:
        """Let the process finish what it does, and wait for that."""
        self.ends.close()
        self.process.wait()

    def ask(self, task: object) -> Any:
        """Return the one result of a task; raises :class:`Fault` where the process has died."""
        try:
            self.ends.send(task)
        except OSError as error:
            raise _lost() from error
        return self.result()

    def result(self) -> Any:
        """Return the next result of the task that it was given; raises :class:`Fault`."""
        try:
            return self.ends.recv()
        except (EOFError, OSError) as error:
            raise _lost() from error


def _lost() -> Fault:
    return Fault(
        "A worker process stopped unexpectedly.",
        code="process-lost",
        hint="Nothing was changed. Try again.",
    )


def shared_out(
    worker: str, setting: object, tasks: Sequence[object], processes: int
) -> Generator[tuple[int, Any], None, None]:
    """Yield the number and the result of each task, in the order in which they are done.

    Tasks are begun in their order. Raises :class:`Fault` if a process ends; when nobody asks for
    more, all of them do.
    """
    with ExitStack() as stack:
        idle = [stack.enter_context(SideProcess(worker, setting)) for _ in range(processes)]
        busy: dict[Connection, tuple[SideProcess, int]] = {}
        waiting = iter(enumerate(tasks))
        while True:
            while idle and (task := next(waiting, None)):
                process = idle.pop()
                process.ends.send(task[1])
                busy[process.ends] = process, task[0]
            if not busy:
                return
            for ready in wait(list(busy)):
                process, number = busy.pop(ready)  # type: ignore[call-overload]
                idle.append(process)
                yield number, process.result()


def end_in_time() -> None:
    """Have this process end after ``GRACE`` seconds, with all it started, if it has not by then."""

    def end() -> None:
        kill_descendants(os.getpid())
        os._exit(EXIT_INTERRUPTED)

    timer = Timer(GRACE, end)
    timer.daemon = True
    timer.start()


def kill_descendants(process: int) -> None:
    """Kill all that a process has started, and what that has, whatever state they are in."""
    for told in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):  # it has just ended
            for child in map(int, told.read_text().split()):
                kill_descendants(child)
                os.kill(child, signal.SIGKILL)


def serve(worker: str) -> None:
    """Do the tasks that come by standard input, whatever would interrupt or end them."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    do_tasks(worker, Connection(os.dup(0)))


def do_tasks(worker: str, ends: Connection) -> None:
    """Do the tasks that come, until nobody is there any more."""
    module, _, function = worker.partition(":")
    try:
        do = getattr(import_module(module), function)(ends.recv())
        while True:
            for result in do(ends.recv()):
                ends.send(result)
    except (EOFError, OSError):
        return
