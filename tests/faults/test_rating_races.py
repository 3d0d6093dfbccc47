"""All ratings calculated anew while games end, on PostgreSQL, where both go on at once."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from pbmserv.cli.ratings import rebuild, wrong_ratings
from pbmserv.store.store import Store
from tests import databases
from tests.house import House

from .meeting import once_after, wait_until_stuck


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
