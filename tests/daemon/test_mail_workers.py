"""Mails that are taken in side by side on PostgreSQL: in order, and whichever process dies."""

import os
import signal
import smtplib
import subprocess
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pbmserv.store.store import Store
from tests import databases
from tests.daemon.mail_receive_process import Installation
from tests.daemon.test_mail_in import connected, free_port
from tests.installed_program import children, is_alive, waited_for
from tests.mail.killed_mail_runner import FIRST, Club

pytestmark = pytest.mark.slow

TAKEN, KEPT = 250, 451


@dataclass
class Listening:
    """A club on PostgreSQL whose listener runs, and connections to it that wait for an answer."""

    here: Installation
    server: databases.PostgresqlServer
    club: Club
    port: int = field(default_factory=free_port)
    pool: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(8))

    def __post_init__(self) -> None:
        self.process = self.here.start("mail", "serve", f"--lmtp=127.0.0.1:{self.port}")
        connected(self.port, self.process).close()

    def bring(self, board: int, ply: int) -> "Future[int]":
        """Bring a move by a connection of its own; the answer comes later."""
        return self.pool.submit(self._brought, self.club.move(board, ply))

    def _brought(self, mail: bytes) -> int:
        heads = (mail.partition(name)[2].partition(b"\n")[0] for name in (b"From: ", b"To: "))
        sender, to = (head.decode() for head in heads)
        try:
            with smtplib.LMTP("127.0.0.1", self.port) as client:
                client.sendmail(sender, [to], mail)
        except smtplib.SMTPResponseException as answer:
            return answer.smtp_code
        return TAKEN

    def waiting(self) -> list[str]:
        """Return what each worker is at that waits for a row that somebody has locked."""
        rows = self.server.connection.execute(
            "SELECT wait_event || ': ' || query FROM pg_stat_activity"
            " WHERE wait_event IN ('transactionid', 'tuple') AND pid <> pg_backend_pid()"
            " AND datname = current_database() AND application_name = %s",
            (self.here.folder.name,),
        )
        return [str(text) for (text,) in rows]

    @contextmanager
    def held(self, board: int) -> Iterator[None]:
        """Have the row of a board, so that whoever moves there must wait."""
        store = Store.open(self.here.database)
        with store.writing() as records:
            assert records.matches.find("star", FIRST + board, lock=True) is not None
            yield
        store.close()

    def plies(self) -> list[int]:
        return [len(moves) for moves in self.club.held()]


@pytest.fixture
def listening(postgresql: databases.PostgresqlServer | str, tmp_path: Path) -> Iterator[Listening]:
    server = databases.require(postgresql)
    with server.schema() as url:
        folder = tmp_path / f"side_by_side_{os.getpid()}"
        here = Installation(folder, url=f"{url}&application_name={folder.name}")
        databases.create(url)
        found = Listening(here, server, Club(here, boards=2))
        yield found
        found.process.kill()
        found.process.communicate()
        found.pool.shutdown()


def test_boards_do_not_wait_for_each_other_and_each_has_its_order(listening: Listening) -> None:
    with listening.held(0):
        first = listening.bring(0, 0)
        waited_for(listening.waiting)
        second = listening.bring(0, 1)
        others = [listening.bring(1, ply).result(60) for ply in range(4)]
        waiting = listening.waiting()
        assert (len(waiting), first.done(), second.done()) == (1, False, False), waiting

    assert [TAKEN] * 4 == others
    assert [TAKEN] * 2 == [first.result(60), second.result(60)]
    assert [2, 4] == listening.plies()
    assert {"done"} == set(listening.here.outcomes())


def test_a_worker_that_is_killed_loses_no_mail_and_is_replaced(listening: Listening) -> None:
    with listening.held(0):
        answer = listening.bring(0, 0)
        waited_for(listening.waiting)
        for worker in children(listening.process.pid):
            os.kill(worker, signal.SIGKILL)
        kept = answer.result(60)
    again = [listening.bring(0, 0).result(60) for _ in range(2)]

    assert (KEPT, [TAKEN, TAKEN]) == (kept, again)
    assert [1, 0] == listening.plies()
    assert ["done"] == listening.here.outcomes()


def test_a_listener_that_is_stopped_finishes_what_it_has_begun(listening: Listening) -> None:
    with listening.held(0):
        answer = listening.bring(0, 0)
        waited_for(listening.waiting)
        workers = children(listening.process.pid)
        for pid in (*workers, listening.process.pid):  # as whoever stops a service does
            os.kill(pid, signal.SIGTERM)
        with pytest.raises(subprocess.TimeoutExpired):
            listening.process.wait(0.5)

    assert 0 == listening.process.wait(60)
    assert TAKEN == answer.result(60)
    assert [1, 0] == listening.plies()
    assert not any(map(is_alive, workers))


def test_workers_leave_when_their_listener_is_killed(listening: Listening) -> None:
    assert TAKEN == listening.bring(0, 0).result(60)
    workers = children(listening.process.pid)
    listening.process.kill()

    assert workers
    waited_for(lambda: not any(map(is_alive, workers)))
