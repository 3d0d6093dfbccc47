"""Work that is shared out among processes of our own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from contextlib import ExitStack
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any, Self

from pbmserv.errors import Fault

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def shared_out(
    worker: str, setting: object, tasks: Sequence[object], processes: int
) -> Generator[tuple[int, Any], None, None]:
    """Yield the number and the result of each task, in the order in which they are done.

    ``worker`` names a function, as ``module:function``, that is given the setting in each process
    and returns what does a task. Tasks are begun in their order. Raises :class:`Fault` if a
    process ends; when nobody asks for more, all of them do.
    """
    with ExitStack() as stack:
        idle = [stack.enter_context(_Process(worker, setting)) for _ in range(processes)]
        busy: dict[Connection, tuple[_Process, int]] = {}
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


class _Process:
    """One process, for as long as the block lasts."""

    def __init__(self, worker: str, setting: object) -> None:
        module, _, function = worker.partition(":")
        code = f"import {__name__} as side, {module} as work; side.serve(work.{function})"
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - ourselves
                [sys.executable, "-P", "-c", code],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # an interruption is for us, who end it
            )
        self.ends = Connection(ours.detach())
        self.ends.send(setting)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._process.kill()
        self._process.wait()
        self.ends.close()

    def result(self) -> Any:
        """Return what came of the task that it was given."""
        try:
            return self.ends.recv()
        except (EOFError, OSError) as error:
            raise Fault(
                "A process that did a part of the work has ended.",
                code="process-lost",
                hint="Nothing was changed. Try again.",
            ) from error


def serve(worker: Callable[[Any], Callable[[Any], Any]]) -> None:
    """Do the tasks that come by standard input, until nobody is there any more."""
    ends = Connection(os.dup(0))
    try:
        do = worker(ends.recv())
        while True:
            ends.send(do(ends.recv()))
    except (EOFError, OSError):
        return
