"""The life of a club: whatever its players do, what must hold does hold.

A sample has ten players and sixty days, on both databases; ``--full`` has two hundred players and
a month.
"""

from random import Random

import pytest

from pbmserv.club.match_check import findings
from pbmserv.operators.admin_ratings import wrong_ratings
from tests.local_server import LocalServer

from .living_club import Club

pytestmark = pytest.mark.slow

LETTER_KINDS = ("board", "reminder")


def letters_by_kind(local: LocalServer) -> dict[str, int]:
    rows = local.tables()["outbox"]
    return {kind: sum(row[1] == kind for row in rows) for kind in LETTER_KINDS}


def audited(local: LocalServer, verb: str) -> int:
    return sum(entry == (verb, "done") for entry in local.audit())


def wrong_plan_letters(club: Club) -> list[str]:
    """Return the letters about a plan that went to somebody who has made none on that board."""
    from pbmserv.store.tables import match, outbox

    with club.local.desk.store.reading() as records:
        numbers = {row.id: row.number for row in records.connection.execute(match.select())}
        rows = records.connection.execute(outbox.select()).all()
    told = [
        (numbers[row.match_id], row.address.partition("@")[0])
        for row in rows
        if "Your plan has been cancelled" in row.lead
    ]
    return [
        f"{number} {userid}" for number, userid in told if (number, userid) not in club.planners
    ]


@pytest.fixture
def club(local: LocalServer, *, full: bool) -> Club:
    players = [f"player{number}" for number in range(200 if full else 10)]
    lived = Club(local, Random(f"{len(players)} {local.url.startswith('post')}"), players)
    lived.open()
    lived.live(*((30, 200) if full else (40, 8)))
    print(dict(lived.counts))
    return lived


def test_what_must_hold_holds_after_a_life(club: Club) -> None:
    local = club.local
    with local.desk.store.reading() as records:
        found = {number: records.matches.find("star", number) for number in club.boards}

    # Every accepted move is there once, in its order.
    assert {n: b.moves for n, b in club.boards.items()} == {
        n: [turn.text for turn in m.turns] if m else None for n, m in found.items()
    }
    assert [finding for m in found.values() if m for finding in findings(m)] == []
    assert wrong_ratings(local.desk.store) == []
    assert wrong_plan_letters(club) == []
    # What happened and what was written about it are the same: each player has one address.
    happened = club.news + audited(local, "forfeit")
    assert letters_by_kind(local)["board"] == 2 * happened + audited(local, "plan dropped")
    # A mail counts once however often it came, and one that never came does not count.
    assert len(local.tables()["inbox"]) == len(club.mailed)
    # The life was worth looking at.
    assert audited(local, "forfeit") > 0
    assert audited(local, "planned") > 0
    assert audited(local, "vacation") > 0
    assert letters_by_kind(local)["reminder"] > 0
    assert club.post.lost > 0
    for seen in ("move by mail", "queue by mail", "vote by mail", "came again", "restart"):
        assert club.counts[seen] > 0
