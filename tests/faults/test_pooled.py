"""Races and storms through PgBouncer, which gives each transaction to any of three connections."""

from collections.abc import Iterator

import pytest

from pbmserv.store.store import Records, Store
from tests import databases
from tests.own_postgresql import OwnServer, own_server

from .killed_servers import CELLS, storm
from .test_races import run_race
from .two_players import moves_of, opened, problems, set_up

pytestmark = pytest.mark.slow

CONNECTIONS = 3
"""Fewer than the programs that race: none of them has one to itself."""

ENOUGH = 12
"""So often the driver sees a statement at most before it has the server prepare it."""


@pytest.fixture(scope="module")
def pooled() -> Iterator[tuple[OwnServer, str]]:
    with own_server() as server, server.bouncer(CONNECTIONS) as url:
        yield server, url


@pytest.fixture
def pooled_url(pooled: tuple[OwnServer, str]) -> str:
    server, place = pooled
    url = f"{place}/{server.new_database()}"
    databases.create(url)
    return url


def test_eight_processes_share_three_connections_and_get_every_turn_once(pooled_url: str) -> None:
    turns = 24
    set_up(pooled_url)
    race = run_race(pooled_url, turns)

    assert race.faults == []
    assert list(range(1, turns + 1)) == race.accepted
    assert len(moves_of(pooled_url)) == turns
    assert problems(pooled_url) == []


def test_who_dies_within_a_transaction_leaves_nothing_of_it_to_the_next(pooled_url: str) -> None:
    clients, moves, kills = 4, 8, 4
    set_up(pooled_url, boards=clients)
    crowd = storm(pooled_url, clients=clients, moves=moves, kills=kills)

    for client in crowd:
        assert client.acknowledged == list(CELLS[:moves])
        assert moves_of(pooled_url, client.board) == client.acknowledged
    assert problems(pooled_url) == []


def test_what_a_connection_was_told_holds_at_every_other(pooled_url: str) -> None:
    set_up(pooled_url)
    with opened(pooled_url) as store, opened(pooled_url) as other:
        for _ in range(ENOUGH):
            look(store)
        with other.reading() as busy:
            look_within(busy)
            assert "off" == look(store) == look_within(busy)
            with store.writing() as records:
                assert "off" == look_within(records)
                assert "30s" == setting(records, "lock_timeout")


def look(store: Store) -> str:
    """Look at the board in a transaction of its own."""
    with store.reading() as records:
        return look_within(records)


def look_within(records: Records) -> str:
    assert records.matches.find("star", 101) is not None
    return setting(records, "jit")


def setting(records: Records, name: str) -> str:
    return str(records.connection.exec_driver_sql(f"SHOW {name}").scalar())
