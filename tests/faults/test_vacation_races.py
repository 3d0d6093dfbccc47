"""A vacation and a move at the same moment: both are done, and neither has to be tried again."""

from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from pbmserv.commands.answer import Answer
from pbmserv.desk import door
from tests import databases
from tests.local_server import DAY, LocalServer

from .colliding_transactions import once_after, wait_until_stuck

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("opponent", ["bob", "alice"])
def test_a_vacation_waits_for_a_move_and_sees_its_clock(
    postgresql: databases.PostgresqlServer | str,
    postgresql_template: str,
    monkeypatch: pytest.MonkeyPatch,
    opponent: str,
) -> None:
    server = databases.require(postgresql)
    server.wipe(postgresql_template)
    monkeypatch.setattr(door, "TRIES", 1)
    moving = LocalServer(postgresql_template)
    moving.start(o=opponent)
    moving.clock.seconds += DAY
    leaving = LocalServer(postgresql_template, clock=moving.clock)
    futures: list[Future[Answer]] = []
    with ThreadPoolExecutor(1) as pool:

        def meet(holder: int) -> None:
            futures.append(pool.submit(leaving.do, "vacation alice secret-alice 3"))
            wait_until_stuck(server, futures[0], holder)

        once_after(moving, "FOR UPDATE", meet)
        moving.move(101, "alice", "C1")
        (vacation,) = futures

        assert vacation.result().document["days_left"] == 27
    with moving.desk.store.reading() as records:
        stored = records.clocks.find(1)
    moving.clock.seconds += DAY

    assert stored is not None
    assert (stored.clock.began_at, stored.clock.used[1]) == (moving.clock.seconds - DAY, DAY)
    assert moving.show(101)["ply"] == 1
    moving.desk.close()
    leaving.desk.close()
