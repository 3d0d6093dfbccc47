"""All ratings calculated anew while games end, on PostgreSQL, where both go on at once."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from pbmserv.operators.admin_ratings import wrong_ratings
from pbmserv.store.store import Store
from tests import databases
from tests.local_server import LocalServer

from .colliding_transactions import once_after, wait_until_stuck

pytestmark = pytest.mark.slow


@pytest.fixture
def server(postgresql: databases.PostgresqlServer | str) -> databases.PostgresqlServer:
    return databases.require(postgresql)


@pytest.fixture
def local(server: databases.PostgresqlServer, postgresql_template: str) -> Iterator[LocalServer]:
    """Alice and bob with a rated game that is over, and a second one that runs."""
    server.wipe(postgresql_template)
    opened = LocalServer(postgresql_template)
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
            return records.ratings.rebuild()
    finally:
        store.close()


@pytest.mark.parametrize("last", ["INSERT INTO rating (", "INSERT INTO rating_change"])
def test_a_game_that_ends_meanwhile_is_rated_before_all_are_rebuilt(
    local: LocalServer, server: databases.PostgresqlServer, last: str
) -> None:
    futures: list[Future[int]] = []
    with ThreadPoolExecutor(1) as pool:

        def meet(holder: int) -> None:
            futures.append(pool.submit(rebuilt, local.url))
            wait_until_stuck(server, futures[0], holder)

        once_after(local, last, meet)
        local.do("star resign 102 bob secret-bob")
    (rebuilding,) = futures

    assert rebuilding.result() == 2
    assert local.show(102)["reason"] == "resignation"
    assert wrong_ratings(local.desk.store) == []


def test_a_rating_that_vanishes_before_it_is_locked_is_made_anew(
    local: LocalServer, server: databases.PostgresqlServer
) -> None:
    schema = local.url.rpartition("%3D")[2]
    delete = f"DELETE FROM {schema}.rating"  # noqa: S608 - ours

    def vanish(_: int) -> None:
        server.connection.execute(delete.encode())

    once_after(local, "INSERT INTO rating (", vanish)
    local.do("star resign 102 bob secret-bob")

    assert local.show(102)["reason"] == "resignation"
