"""The database that figures are taken on is a club in which nothing is wrong."""

import pytest

from tests.bench.club_database import build
from tests.in_process_shell import Shell

MATCHES = 600


@pytest.mark.slow
@pytest.mark.usefixtures("cheap")
def test_a_made_club_has_nothing_wrong(shell: Shell) -> None:
    build(shell.url, MATCHES)
    checked = shell.run("admin check --json")
    stats = shell.json("stats")

    assert (checked.code, checked.document["problems"]) == (0, [])
    assert checked.document["boards"] == MATCHES + 1
    assert {game["game"] for game in stats["games"]} == {
        *("hex", "polyy", "star", "starstar", "starweb", "y")
    }
    assert stats["boards"]["running"] > 1
    assert any(game["swapped"]["X"] + game["swapped"]["O"] for game in stats["games"])
    assert all(game["plain"]["X"] + game["plain"]["O"] for game in stats["games"])
