"""Processes of our own: what they hear and say, how many there may be, and how one is lost."""

import os
import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from types import SimpleNamespace
from typing import Any

import pytest

from pbmserv import side_processes
from pbmserv.errors import Fault
from pbmserv.side_processes import SideProcess, do_tasks, processors, serve


def counter(setting: str) -> Callable[[int], Iterator[tuple[str, int]]]:
    """Return what counts up to a task, as it was set."""
    return lambda task: ((setting, number) for number in range(task))


COUNTER = f"{__name__}:counter"


class Begun:
    """A process that was begun: a thread does its tasks, and what was asked for is noted."""

    pid = 0

    def __init__(self, words: list[str], *, stdin: int, **options: Any) -> None:
        self.words, self.options = words, options
        self.ended: list[str] = []
        ends = Connection(os.dup(stdin))
        self._thread = threading.Thread(target=do_tasks, args=(COUNTER, ends))
        self._thread.start()

    def wait(self) -> None:
        self.ended.append("waited for")
        self._thread.join(60)

    def kill(self) -> None:
        self.ended.append("killed")


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        side_processes,
        "subprocess",
        SimpleNamespace(Popen=Begun, DEVNULL=subprocess.DEVNULL),
    )


@pytest.mark.usefixtures("begun")
@pytest.mark.parametrize(("may_speak", "errors"), [(True, None), (False, subprocess.DEVNULL)])
def test_it_has_streams_and_signals_of_its_own_and_speaks_only_where_it_may(
    errors: int | None, *, may_speak: bool
) -> None:
    side = SideProcess(COUNTER, "set", may_speak=may_speak)
    process: Any = side.process
    side.close()

    assert process.options == {
        "stdout": subprocess.DEVNULL,
        "stderr": errors,
        "start_new_session": True,
    }
    assert f"serve({COUNTER!r})" in process.words[-1]
    assert process.ended == ["waited for"]


@pytest.mark.usefixtures("begun")
def test_each_result_of_a_task_comes_in_its_order() -> None:
    side = SideProcess(COUNTER, "set")
    process: Any = side.process
    with side:
        found = [side.ask(2), side.result(), side.ask(1)]

    assert found == [("set", 0), ("set", 1), ("set", 0)]
    assert process.ended == ["killed", "waited for"]


@pytest.mark.parametrize("has_read", [True, False])
@pytest.mark.usefixtures("begun")
def test_a_process_that_has_ended_is_lost_with_its_task(*, has_read: bool) -> None:
    side = SideProcess(COUNTER, "set")
    side.ends.close()
    side.process.wait()
    ours, theirs = socket.socketpair()
    side.ends = Connection(ours.detach())
    if has_read:
        theirs.shutdown(socket.SHUT_WR)
    else:
        theirs.close()
    with theirs, pytest.raises(Fault) as caught:
        side.ask(1)
    side.close()

    assert caught.value.code == "process-lost"
    assert caught.value.advice == "Nothing was changed. Try again."


def test_what_would_end_us_does_not_end_it(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.getsignal(number) for number in numbers}
    found: list[tuple[str, list[object]]] = []

    def note(worker: str, ends: Connection) -> None:
        ends.close()
        found.append((worker, [signal.getsignal(number) for number in numbers]))

    monkeypatch.setattr(side_processes, "do_tasks", note)
    monkeypatch.setattr("os.dup", lambda _: os.open(os.devnull, os.O_RDWR))
    try:
        serve("a:b")
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

    assert found == [("a:b", [signal.SIG_IGN] * 3)]


def test_so_many_processors_are_used_as_the_system_leaves_us(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 7)
    monkeypatch.setattr("os.sched_getaffinity", lambda pid: {1} if pid else {3, 5}, raising=False)
    assert processors() == 2
    monkeypatch.delattr("os.sched_getaffinity")
    assert processors() == 7
    monkeypatch.setattr("os.cpu_count", lambda: None)
    assert processors() == 1
