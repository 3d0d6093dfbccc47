"""What operators mend at boards whose clocks run: a local with their commands."""

import pytest

from pbmserv.cli.shell_commands import SHELL, shell_families
from pbmserv.club.clock import ClockEventKind
from pbmserv.commands.command_table import root
from pbmserv.desk.tick import tick
from pbmserv.operators.admin_check import wrong_of
from tests.commands.passing_days import live, pass_days
from tests.local_server import DAY, LocalServer

WARNED, RAN_OUT = ClockEventKind.WARNED, ClockEventKind.RAN_OUT


@pytest.fixture
def club(local: LocalServer) -> LocalServer:
    """A server whose operator is at hand, and nobody with a day of vacation."""
    local.desk.tree = root(SHELL, shell_families())
    local.desk.vacation_days = lambda: 0
    tick(local.desk)
    return local


def problems(club: LocalServer) -> list[str]:
    """Return what the operator's check finds wrong."""
    return wrong_of(club.desk.store, club.url)[1]


def test_whoever_forfeited_on_total_time_is_warned_anew_when_the_game_is_opened_again(
    club: LocalServer,
) -> None:
    club.start("-size=3 -nagtime=2 -forfeittime=10 -totaltime=10")
    club.play(101, "C1 C2")
    live(club, 6)
    club.play(101, "C3 D3")
    live(club, 6)

    assert club.show(101)["reason"] == "forfeit"
    assert club.json("admin undo star 101")["status"] == "running"
    pass_days(club, 0.25)
    club.play(101, "B3 B4")
    report = live(club, 2.75)
    assert (report.events[WARNED], report.events[RAN_OUT]) == (1, 0)
    report = live(club, 0.5)
    assert (report.events[RAN_OUT], club.show(101)["reason"]) == (1, "forfeit")


def overdue(club: LocalServer) -> None:
    """Let alice run out of time at a board against bob, while nobody settles clocks."""
    club.start()
    club.play(101, "C1 C2")
    live(club, 20.75)
    pass_days(club, 0.5)

    assert club.show(101)["status"] == "running"


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("line", ["signoff bob secret-bob", "admin close bob"])
def test_whoever_leaves_has_won_where_the_time_of_his_opponent_is_over(
    club: LocalServer, line: str
) -> None:
    overdue(club)

    assert "Resigned" not in club.text(line)
    shown = club.show(101)
    assert (shown["reason"], shown["players"][shown["winner"]]) == ("forfeit", "bob")
    assert ("forfeit", "done") in club.audit()


@pytest.mark.costly
def test_whoever_leaves_still_resigns_where_time_is_left(club: LocalServer) -> None:
    overdue(club)
    club.start("-size=3")

    assert "Resigned: Star Board 102." in club.text("signoff bob secret-bob")


@pytest.mark.costly
def test_an_operators_undo_takes_back_the_end_that_was_due(club: LocalServer) -> None:
    overdue(club)
    shown = club.json("admin undo star 101")

    assert (shown["status"], shown["moves"]) == ("running", ["C1", "C2"])
    assert ("forfeit", "done") in club.audit()
    assert live(club, 2.5).events[RAN_OUT] == 0


def test_the_clocks_of_a_merged_account_run_on_when_it_was_on_vacation(club: LocalServer) -> None:
    club.start("-size=3 -nagtime=1 -forfeittime=4")
    club.sign_up("alicia")
    club.play(101, "C1 C2")
    live(club, 2)
    club.desk.vacation_days = lambda: 30
    club.do("vacation alice secret-alice 20")
    club.desk.vacation_days = lambda: 0
    live(club, 5)
    used = club.show(101)["time"]["used"]
    club.do("admin merge alice alicia")

    assert club.show(101)["time"]["used"] == used
    assert live(club, 0.25).events[WARNED] == 1
    assert live(club, 2.75).events[RAN_OUT] == 0
    assert live(club, 0.25).events[RAN_OUT] == 1


def test_maintenance_costs_nobody_time_at_any_board(club: LocalServer) -> None:
    boards = [club.start() for _ in range(3)]
    for board in boards:
        club.play(board, "C1 C2")
    live(club, 1.5)
    used = [club.show(board)["time"]["used"] for board in boards]
    club.do("admin maintenance on")
    club.clock.seconds += 5 * DAY
    club.do("admin maintenance off")

    assert used == [{"X": 1.5 * DAY, "O": 0}] * 3
    assert used == [club.show(board)["time"]["used"] for board in boards]


def test_a_merged_account_has_the_addresses_of_both(club: LocalServer) -> None:
    club.sign_up("alice", "alicia")
    for address in "abc":
        club.do(f"add alice secret-alice {address}@example.org")
    for address in "de":
        club.do(f"add alicia secret-alicia {address}@example.org")
    club.do("admin merge alicia alice")
    kept = club.json("admin player alice")["addresses"]

    assert [f"{name}@example.org" for name in "abcde"] == [row["address"] for row in kept]


def ended(club: LocalServer, how: str) -> dict[str, object]:
    """End board 101 so, and return it."""
    club.start()
    club.play(101, "C1 C2 C3 B2 B3 D2" if how == "agreement" else "C1 C2")
    club.start()
    club.play(102, "C1 C2")
    if how == "forfeit":
        live(club, 22)
    elif how == "agreement":
        club.move(101, "alice", "propose")
        club.move(101, "bob", "accept")
    elif how == "resignation":
        club.move(101, "bob", "resign")
    else:
        club.play(101, "pass pass")
    pass_days(club, 1)
    if club.show(102)["status"] == "running":
        club.move(102, "bob", "resign")
    pass_days(club, 1)
    return club.show(101)


@pytest.mark.costly
@pytest.mark.parametrize("how", ["forfeit", "agreement", "resignation", "two-passes"])
def test_a_removed_board_comes_back_as_it_had_ended(club: LocalServer, how: str) -> None:
    before = ended(club, how)
    record = club.text("star export 101")
    standings = club.json("star standings")
    club.do("admin remove star 101")

    assert club.show(101)["reason"] == "removed"
    assert club.json("star standings") != standings
    assert problems(club) == []
    pass_days(club, 3)
    assert club.json("admin undo star 101")["reason"] == before["reason"] == how
    assert club.show(101) == before
    assert club.text("star export 101") == record
    assert club.json("star standings") == standings
    assert problems(club) == []
    assert club.json("admin undo star 101")["status"] == "running"


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("text", ["X resignation", "soon X resignation", "1 running", "1 X joy"])
def test_a_removed_board_whose_former_end_cannot_be_read_is_damaged(
    club: LocalServer, text: str
) -> None:
    ended(club, "resignation")
    club.do("admin remove star 101")
    reason = f"removed {text}"
    club.damage(f"UPDATE match SET reason = '{reason}' WHERE number = 101")  # noqa: S608

    assert problems(club) == ["star 101: The row of star board 101 is damaged."]


def test_a_removed_board_cannot_have_ended_otherwise_than_its_moves_say(club: LocalServer) -> None:
    ended(club, "two-passes")
    club.do("admin remove star 101")
    club.damage("UPDATE match SET reason = 'removed 1 X resignation' WHERE number = 101")

    assert "its moves end it as" in problems(club)[0]


def test_an_imported_game_stays_as_it_ended(club: LocalServer) -> None:
    ended(club, "resignation")
    record = club.text("star export 101").replace("alice", "yves").replace("bob", "zoe")
    imported = club.json("star import", record)
    number = imported["board"]

    assert club.code(f"admin undo star {number}") == "imported-game"
    club.do(f"admin remove star {number}")
    pass_days(club, 1)
    assert club.json(f"admin undo star {number}")["reason"] == "resignation"
    assert club.show(number)["winner"] == imported["winner"]
    assert problems(club) == []
