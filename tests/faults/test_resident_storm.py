"""Beside a resident server, too, nothing is lost or done twice, whoever is killed."""

import tempfile

import pytest

from tests.installed_program import environment

from .resident_storm import Service, resident_storm
from .two_players import audited, moves_of, opened, problems, set_up

pytestmark = pytest.mark.slow


def test_nothing_is_lost_or_done_twice_when_server_and_clients_are_killed(
    database_url: str, *, full: bool
) -> None:
    moves, kills = (2_500, 200) if full else (8, 6)
    set_up(database_url, boards=52 if full else 4)
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        service = Service({**environment(database_url), "XDG_RUNTIME_DIR": folder})
        try:
            crowd = resident_storm(database_url, service, moves=moves, kills=kills)
        finally:
            service.stop()
    for count in ("resent", "found_played", "in_doubt"):
        print(f"{count}: {sum(getattr(player, count) for player in crowd)}")

    for player in crowd:
        for board, played in player.played.items():
            assert played == moves_of(database_url, board)
    with opened(database_url) as store:
        assert audited(store, "move") == moves * len(crowd)
    assert problems(database_url) == []
