"""All ratings calculated anew while games end, on PostgreSQL, where both go on at once."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
import sqlalchemy as sa

from pbmserv.cli.ratings import rebuild, wrong_ratings
from pbmserv.store.store import Store
from tests import databases
from tests.house import House

BLOCKED = "SELECT count(*) FROM pg_stat_activity WHERE %s = ANY(pg_blocking_pids(pid))"


@pytest.fixture
def server(postgresql: databases.PostgresqlServer | str) -> databases.PostgresqlServer:
    return databases.require(postgresql)


@pytest.fixture
def house(server: databases.PostgresqlServer, postgresql_template: str) -> Iterator[House]:
    """Alice and bob with a rated game that is over, and a second one that runs."""
    server.wipe(postgresql_template)
    opened = House(postgresql_template)
    for board in (101, 102):
        opened.start()
        opened.play(board, "C1 C2")
    opened.do("star resign 101 alice secret-alice")
    yield opened
    opened.desk.close()


def rebuilt(url: str) -> int:
    store = Store.open(url)
    try:
        with store.writing() as records:
            return rebuild(records)
    finally:
        store.close()


def once_after(house: House, beginning: str, act: Callable[[int], None]) -> None:
    """Do something after the house's first statement that begins so, given its connection's id."""
    done: list[bool] = []

    @sa.event.listens_for(house.desk.store.engine, "after_cursor_execute")
    def _(connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if statement.startswith(beginning) and not done:
            done.append(True)
            act(connection.connection.driver_connection.info.backend_pid)


def wait_until_stuck(
    server: databases.PostgresqlServer, future: "Future[int]", holder: int
) -> None:
    """Return when the other one is done, or waits for what the holder has locked."""
    while not future.done():
        row = server.connection.execute(BLOCKED, (holder,)).fetchone()
        if row is not None and row[0]:
            return


@pytest.mark.parametrize("last", ["INSERT INTO rating (", "INSERT INTO rating_change"])
def test_a_game_that_ends_meanwhile_is_rated_before_all_are_rebuilt(
    house: House, server: databases.PostgresqlServer, last: str
) -> None:
    futures: list[Future[int]] = []
    with ThreadPoolExecutor(1) as pool:

        def meet(holder: int) -> None:
            futures.append(pool.submit(rebuilt, house.url))
            wait_until_stuck(server, futures[0], holder)

        once_after(house, last, meet)
        house.do("star resign 102 bob secret-bob")
    (rebuilding,) = futures

    assert rebuilding.result() == 2
    assert house.show(102)["reason"] == "resignation"
    assert wrong_ratings(house.desk.store) == []


def test_a_rating_that_vanishes_before_it_is_locked_is_made_anew(
    house: House, server: databases.PostgresqlServer
) -> None:
    schema = house.url.rpartition("%3D")[2]
    delete = f"DELETE FROM {schema}.rating"  # noqa: S608 - ours

    def vanish(_: int) -> None:
        server.connection.execute(delete.encode())

    once_after(house, "INSERT INTO rating (", vanish)
    house.do("star resign 102 bob secret-bob")

    assert house.show(102)["reason"] == "resignation"
