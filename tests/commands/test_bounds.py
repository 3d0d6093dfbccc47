"""How much may be asked for and how much is told: what is at a bound is done, one more is not."""

import pytest

from pbmserv.cli.shell_commands import SHELL, shell_families
from pbmserv.commands.command_table import root
from tests.databases import ONE_DATABASE, made_once
from tests.local_server import DAY, LocalServer, refusal_of

pytestmark = ONE_DATABASE


@pytest.fixture
@made_once
def club(local: LocalServer) -> LocalServer:
    local.sign_up("alice", "bob", *(f"player{number}" for number in range(21)))
    local.start("-size=3")
    return local


OTHERS = [f"player{number}" for number in range(21)]


@pytest.mark.parametrize(
    ("line", "bound", "code"),
    [
        (lambda n: f"message alice secret-alice {' '.join(OTHERS[:n])} -text=hi", 20, "too-many"),
        (lambda n: f"message alice secret-alice bob -text={'x' * n}", 10_000, "text-too-long"),
        (lambda n: f"star chat 101 alice secret-alice -text={'x' * n}", 10_000, "text-too-long"),
        (lambda n: f"star seek alice secret-alice {n}", 20, "bad-number"),
        (lambda n: f"star limit alice secret-alice {n}", 9999, "bad-number"),
        (lambda n: f"tournament create alice secret-alice star {'x' * n}", 60, "bad-tournament"),
        (lambda n: "puzzle " + "1".rjust(n, "0"), 4, "no-such-puzzle"),
        (lambda n: "star games -limit=" + "9" * n, 9, "bad-number"),
        (
            lambda n: f"add alice secret-alice {' '.join(f'a{k}@example.org' for k in range(n))}",
            10,
            "too-many-addresses",
        ),
    ],
)
def test_what_is_at_a_bound_is_done_and_one_more_is_not(
    club: LocalServer, line: object, bound: int, code: str
) -> None:
    assert callable(line)
    found = refusal_of(lambda: club.do(line(bound + 1)))

    assert found.code.startswith(code)
    club.do(line(bound))


@pytest.mark.parametrize(("days", "is_listed"), [(30, True), (31, False)])
def test_boards_are_recently_finished_for_thirty_days(
    club: LocalServer,
    days: int,
    is_listed: bool,  # noqa: FBT001
) -> None:
    club.play(101, "C1 C2")
    club.do("star resign 101 alice secret-alice")
    club.clock.seconds += days * DAY

    assert [bool(club.json(line)["matches"]) for line in ("list", "star history")] == [
        is_listed,
        True,
    ]


def test_a_list_has_two_hundred_boards_unless_it_is_told_otherwise(club: LocalServer) -> None:
    with club.desk.store.writing() as records:
        match = records.matches.find("star", 101)
        assert match is not None
        for _ in range(200):
            records.matches.add(match.game, match.first, match.second, club.clock.now())
    lines = ("games", "games next alice", "games -limit=201", "show alice")
    found = [club.json(line) for line in ("list", *(f"star {line}" for line in lines))]

    assert [(len(one["matches"]), one["more"]) for one in found] == [
        *[(200, True)] * 3,
        (201, False),
        (20, True),
    ]


def test_an_operators_list_has_five_hundred_lines(club: LocalServer) -> None:
    club.desk.tree = root(SHELL, shell_families())
    with club.desk.store.writing() as records:
        for _ in range(501):
            records.audit.add(at=1, source="shell", verb="look", outcome="looked")
    found = club.json("admin audit -status=looked")

    assert (len(found["audit"]), found["total"]) == (500, 501)
    assert len(club.json("admin audit -status=looked -limit=501")["audit"]) == 501
    assert len(club.json("admin audit -status=looked -offset=2")["audit"]) == 499
    assert "501" in club.text("admin audit -status=looked -limit=1")


def test_the_last_fifty_messages_and_three_remarks_are_told(club: LocalServer) -> None:
    with club.desk.store.writing() as records:
        found = records.matches.find("star", 101)
        assert found is not None
        for number in range(51):
            ids = [found.second.player_id]
            records.talk.send(found.first.player_id, ids, f"text {number}", club.clock.now())
    for number in range(4):
        club.do(f"star chat 101 alice secret-alice -text=remark{number}")
    told = [one["text"] for one in club.json("messages bob secret-bob")["messages"]]
    shown = club.json("star showas alice secret-alice 101")["remarks"]

    assert sorted(told) == sorted(f"text {number}" for number in range(1, 51))
    assert [remark["text"] for remark in shown] == ["remark1", "remark2", "remark3"]


@pytest.mark.costly
def test_the_newest_hundred_tournaments_are_listed(club: LocalServer) -> None:
    for number in range(101):
        club.do(f'tournament create alice secret-alice star "Cup {number}" -size=3')
    listed = [row["name"] for row in club.json("tournament list")["tournaments"]]

    assert listed == [f"Cup {number}" for number in range(100, 0, -1)]


def test_a_list_of_finished_boards_that_is_cut_short_says_so(club: LocalServer) -> None:
    for _ in range(2):
        board = club.start("-size=3")
        club.play(board, "C1 C2")
        club.move(board, "alice", "resign")

    assert "... and more; -limit=N lists more than 1." in club.text("star history -limit=1")
    assert "and more" not in club.text("star history -limit=2")
    assert [True, False] == [club.json(f"star history -limit={n}")["more"] for n in (1, 2)]
