import pytest

from .killed_servers import CELLS, storm
from .two_players import audited, moves_of, opened, problems, set_up

pytestmark = pytest.mark.slow


def test_nothing_acknowledged_is_lost_and_nothing_done_twice(
    database_url: str, *, full: bool
) -> None:
    clients, moves, kills = (8, 250, 200) if full else (2, 12, 4)
    set_up(database_url, boards=clients)
    crowd = storm(database_url, clients=clients, moves=moves, kills=kills)
    resent = sum(client.resent for client in crowd)
    found = sum(client.found_played for client in crowd)
    print(f"{kills} kills: {resent} moves sent again, {found} of them had been played")

    for client in crowd:
        assert client.acknowledged == list(CELLS[:moves])
        assert moves_of(database_url, client.board) == client.acknowledged
    with opened(database_url) as store:
        assert audited(store, "move") == clients * moves
    assert resent == kills
    assert problems(database_url) == []
