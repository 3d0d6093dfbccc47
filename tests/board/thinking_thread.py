"""The process that thinks, as a thread: what it is told and tells is the same, at once."""

import os
import socket
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection
from threading import Event, Thread

import pytest

from pbmserv.board.thinker import WORKER
from pbmserv.side_processes import do_tasks


class ThreadProcess:
    """What stands in for the process: it is begun, asked, killed and waited for like one.

    While ``may_begin`` is not set, those that are begun think for ever.
    """

    pid = 0
    begun: "list[ThreadProcess]"
    may_begin: Event

    def __init__(self, _words: Sequence[str], *, stdin: int, **_streams: object) -> None:
        self.socket = socket.socket(fileno=os.dup(stdin))
        self.is_killed = False
        connection = Connection(self.socket.detach())
        self._kept = socket.socket(fileno=os.dup(connection.fileno()))
        self._thread = Thread(target=self._work, args=(connection,), daemon=True)
        self._thread.start()
        self.begun.append(self)

    def _work(self, connection: Connection) -> None:
        with connection:
            while not self.is_killed and not self.may_begin.wait(0.01):
                pass
            do_tasks(WORKER, connection)

    def kill(self) -> None:
        if not self.is_killed:
            self.is_killed = True
            self._kept.shutdown(socket.SHUT_RDWR)
            self._kept.close()

    def wait(self) -> None:
        self._thread.join()


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[ThreadProcess]]:
    """Have every thinker think in a thread; return those that were begun."""
    monkeypatch.setattr("pbmserv.side_processes.subprocess.Popen", ThreadProcess)
    monkeypatch.setattr(ThreadProcess, "begun", [], raising=False)
    monkeypatch.setattr(ThreadProcess, "may_begin", Event(), raising=False)
    ThreadProcess.may_begin.set()
    monkeypatch.setattr("pbmserv.board.thinker.STUDIES", (4, 8))
    monkeypatch.setattr("pbmserv.board.thinker.SIMULATIONS", 4)
    yield ThreadProcess.begun
    for each in ThreadProcess.begun:
        each.kill()
        each.wait()
