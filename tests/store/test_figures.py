"""Whatever becomes of boards, what is counted of them is what they are."""

import random

import pytest

from pbmserv.cli.shell_commands import SHELL, shell_families
from pbmserv.club.statistics import Statistics
from pbmserv.commands.command_table import root
from pbmserv.engine.spec import format_game
from tests.club.counted_by_hand import of_match
from tests.local_server import LocalServer


@pytest.fixture
def club(local: LocalServer) -> LocalServer:
    local.desk.tree = root(SHELL, shell_families())
    local.sign_up("alice", "bob", "carol")
    return local


def require_right(club: LocalServer) -> None:
    """See that the database counts what the matches are."""
    with club.desk.store.reading() as records:
        boards = [records.matches.get(number) for number in records.matches.ids()]
        counted, states = records.figures.of_club(), records.figures.boards()
    expected: dict[str, Statistics] = {}
    expected_states = dict.fromkeys(("running", "finished", "removed"), 0)
    for board in filter(None, boards):
        is_over = bool(of_match(board).games)
        expected_states["finished" if is_over else board.status.value] += 1
        if is_over:
            spec = format_game(board.game)
            expected[spec] = expected.get(spec, Statistics()) + of_match(board)
    assert (expected, expected_states) == (counted, states)


def live(club: LocalServer, rng: random.Random) -> None:
    """Begin a board, play a little, and let what can become of it become of it."""
    x, o = rng.choice(["alice", "bob", "carol"]), rng.choice(["alice", "bob", "carol"])
    number = club.start(f"-size={rng.choice([3, 4])}", x, o)
    is_over = club.play(number, rng.choice(["C2 C3", "C2 swap", "pass pass", "C3"]))
    if is_over["status"] == "running" and rng.random() < 0.8:
        club.move(number, rng.choice([x, o]), "resign")
    match rng.randrange(4):
        case 0 if club.show(number)["status"] == "won":
            club.do(f"admin undo star {number}")
        case 1:
            club.do(f"admin remove star {number}")
        case 2:
            club.do("star challenge alice bob -from=101#1")
    require_right(club)


@pytest.mark.costly
def test_whatever_becomes_of_boards_they_are_counted_right(club: LocalServer) -> None:
    rng = random.Random(7)
    club.start()
    club.play(101, "C1 C2")
    for _ in range(20):
        live(club, rng)
    for board in club.json("star games bob active")["matches"]:
        club.move(board["board"], "bob", "resign")
    before = club.json("stats")
    club.do("admin merge bob carol")

    require_right(club)
    assert club.json("stats")["games"] == before["games"]
