"""A request with a key is done once, however much it does; and whoever looks locks nothing."""

import pytest

from pbmserv.desk.request import Request
from pbmserv.errors import CarriedOut
from pbmserv.store.matches.matches import Matches
from pbmserv.store.tables import audit
from tests.databases import ONE_DATABASE, made_once
from tests.local_server import LocalServer

pytestmark = ONE_DATABASE


@pytest.fixture
@made_once
def club(local: LocalServer) -> LocalServer:
    """Two running boards of alice and bob, one that has ended, a plan and a tournament."""
    for _ in range(3):
        local.start("-size=3")
    local.play(101, "C1 C2")
    local.play(102, "C1 C2")
    local.do("star resign 102 alice secret-alice")
    local.do('tournament create alice secret-alice star "Cup" -size=3')
    local.do("tournament join 1 bob secret-bob")
    return local


def lines(club: LocalServer) -> list[tuple[str, str | None]]:
    with club.desk.store.reading() as records:
        rows = records.connection.execute(audit.select().order_by(audit.c.id)).all()
    return [(row.verb, row.key) for row in rows]


def test_what_does_several_things_is_done_once_under_its_key(club: LocalServer) -> None:
    club.do("star queue 101 bob secret-bob C3:B2")
    before = len(lines(club))
    request = Request(("star", "move", "101", "alice", "secret-alice", "C3"), key="0f")
    club.desk.handle(request)
    done = lines(club)[before:]

    assert len(done) > 1
    assert ["0f"] == [key for _, key in done if key]
    assert ["C1", "C2", "C3", "B2"] == club.show(101)["moves"]
    with pytest.raises(CarriedOut):
        club.desk.handle(Request(("star", "resign", "101", "alice", "secret-alice"), key="0f"))
    assert "running" == club.show(101)["status"]
    assert before + len(done) == len(lines(club))


@pytest.mark.parametrize(
    "line",
    [
        "star show 101",
        "star show 102",
        "star showas alice secret-alice 101",
        "star score 101",
        "star preview 101 C3",
        "star export 102",
        "star games",
        "star history",
        "star standings",
        "all show alice next",
        "tournament show 1",
        "list",
        "players",
        "players alice",
    ],
)
def test_whoever_looks_locks_no_board(
    club: LocalServer, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(Matches, "_load_locked", never)
    before = club.tables(but=())
    club.do(line)

    assert before == club.tables(but=())


def test_what_changes_a_board_has_locked_it(
    club: LocalServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked = []
    load = Matches._load_locked

    def noted(*words: object) -> object:
        locked.append(words)
        return load(*words)  # type: ignore[arg-type]

    monkeypatch.setattr(Matches, "_load_locked", noted)
    for line in (
        "star chat 101 alice secret-alice -text=hello",
        "star queue 101 bob secret-bob C3:B2",
        "star move 101 alice secret-alice B3",
        "star resign 101 alice secret-alice",
    ):
        before = len(locked)
        club.do(line)
        assert len(locked) > before, line
