"""Tournaments from their terms to the last result, on both databases, through the door."""

import random
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.databases import made_once
from tests.local_server import LocalServer

from .passing_days import live

PLAYERS = ("alice", "bob", "carol", "dora")


def say(local: LocalServer, verb: str, userid: str, rest: str = "") -> dict[str, Any]:
    return local.json(f"tournament {verb} {userid} secret-{userid} {rest}")


@pytest.fixture
@made_once
def club(local: LocalServer) -> LocalServer:
    local.sign_up("olga", *PLAYERS)
    return local


def entered(club: LocalServer, terms: str = "", players: tuple[str, ...] = PLAYERS) -> None:
    """Set up tournament 1 by olga and let the players enter."""
    say(club, "create", "olga", f'star "Spring Cup" -size=3 {terms}')
    for userid in players:
        say(club, "join 1", userid)


def shown(club: LocalServer) -> dict[str, Any]:
    return club.json("tournament show 1")


def standings(club: LocalServer, pool: int = 0) -> list[tuple[str, float]]:
    lines = shown(club)["pools"][pool]["standings"]
    return [(line["userid"], line["points"]) for line in lines]


def running(club: LocalServer) -> list[dict[str, Any]]:
    return [
        board for pool in shown(club)["pools"] for board in pool["boards"] if board["score"] is None
    ]


def win(club: LocalServer, board: int, winner: str) -> None:
    """Play a board so that the player of this userid wins it."""
    club.play(board, "C1 C2")
    players = club.show(board)["players"]
    loser = next(userid for userid in players.values() if userid != winner)
    club.do(f"star resign {board} {loser} secret-{loser}")


def test_a_round_robin_from_its_terms_to_its_winner(club: LocalServer) -> None:
    entered(club, "-nagtime=5 -forfeittime=15 -totaltime=60")
    started = say(club, "start 1", "olga")

    assert (started["status"], started["limits"], started["kind"]) == (
        "running",
        "5/15/60",
        "round-robin",
    )
    assert [b["board"] for b in started["pools"][0]["boards"]] == [101, 102, 103, 104, 105, 106]
    assert club.show(101)["time"]["forfeit"] == 15

    for board in running(club):
        win(club, board["board"], min(board["X"], board["O"]))

    assert standings(club) == [("alice", 3.0), ("bob", 2.0), ("carol", 1.0), ("dora", 0.0)]
    assert shown(club)["status"] == "finished"
    assert club.json("star standings alice")["standings"][0]["games"] == 3


def test_the_next_swiss_round_begins_when_the_last_result_is_in(club: LocalServer) -> None:
    entered(club, "-kind=swiss -rounds=2")
    first = say(club, "start 1", "olga")["pools"][0]["boards"]

    assert (len(first), {b["round"] for b in first}) == (2, {1})

    win(club, first[0]["board"], first[0]["X"])

    assert len(shown(club)["pools"][0]["boards"]) == 2

    win(club, first[1]["board"], first[1]["O"])
    second = running(club)

    assert [board["round"] for board in second] == [2, 2]
    assert {second[0]["X"], second[0]["O"]} == {first[0]["X"], first[1]["O"]}

    for board in second:
        win(club, board["board"], board["X"])

    assert shown(club)["status"] == "finished"


def test_an_odd_number_has_a_bye(club: LocalServer) -> None:
    entered(club, "-kind=swiss", PLAYERS[:3])
    boards = say(club, "start 1", "olga")["pools"][0]["boards"]

    assert [(b["O"], b["board"], b["score"]) for b in boards if b["board"] is None] == [
        (None, None, 1.0)
    ]


@pytest.mark.parametrize(
    ("terms", "count", "told"),
    [
        ("-kind=swiss", 3, "1 board"),
        ("-kind=swiss", 4, "2 boards"),
        ("", 3, "3 boards"),
        ("-both", 3, "6 boards"),
    ],
)
def test_who_starts_it_is_told_how_many_boards_begin_without_the_byes(
    club: LocalServer, terms: str, count: int, told: str
) -> None:
    entered(club, terms, PLAYERS[:count])

    begun = club.text("tournament start 1 olga secret-olga")
    assert f"Spring Cup has started with {told}." in begun
    assert int(told.partition(" ")[0]) == len(club.tables()["match"])


def test_pools_by_rating(club: LocalServer) -> None:
    club.start(x="dora", o="carol")
    club.play(101, "C1 C2")
    club.do("star resign 101 carol secret-carol")
    entered(club, "-pool=2")
    pools = say(club, "start 1", "olga")["pools"]

    assert [line["userid"] for line in pools[0]["standings"]] == ["alice", "dora"]
    assert [line["userid"] for line in pools[1]["standings"]] == ["bob", "carol"]


def test_a_declined_board_is_a_loss_for_who_declined(club: LocalServer) -> None:
    entered(club, "", PLAYERS[:2])
    (board,) = say(club, "start 1", "olga")["pools"][0]["boards"]
    club.do(f"star resign {board['board']} {board['X']} secret-{board['X']}")

    assert standings(club) == [(board["O"], 1.0), (board["X"], 0.0)]
    assert shown(club)["status"] == "finished"


@pytest.mark.costly
@pytest.mark.parametrize(("moves", "loser"), [("", "X"), ("C1", "O"), ("C1 C2 C3", "O")])
def test_a_board_is_lost_by_whose_time_is_over_with_and_without_moves(
    club: LocalServer, moves: str, loser: str
) -> None:
    club.desk.vacation_days = lambda: 0
    entered(club, "", PLAYERS[:2])
    (board,) = say(club, "start 1", "olga")["pools"][0]["boards"]
    club.play(board["board"], moves)
    live(club, 22)
    winner = board["O" if loser == "X" else "X"]

    assert standings(club) == [(winner, 1.0), (board[loser], 0.0)]


def test_a_draw_is_half_a_point_and_an_equal_place(club: LocalServer) -> None:
    entered(club, "", PLAYERS[:2])
    say(club, "start 1", "olga")
    club.play(101, "pass pass")

    assert standings(club) == [("alice", 0.5), ("bob", 0.5)]
    assert [line["place"] for line in shown(club)["pools"][0]["standings"]] == [1, 1]


def test_a_swap_does_not_change_who_scored(club: LocalServer) -> None:
    entered(club, "", PLAYERS[:2])
    (board,) = say(club, "start 1", "olga")["pools"][0]["boards"]
    club.play(101, "C1 swap C2")
    club.do(f"star resign 101 {board['X']} secret-{board['X']}")

    assert standings(club) == [(board["O"], 1.0), (board["X"], 0.0)]


def test_who_leaves_for_good_loses_his_boards_and_gets_no_more(club: LocalServer) -> None:
    entered(club, "-kind=swiss -rounds=2")
    first = say(club, "start 1", "olga")["pools"][0]["boards"]
    gone = first[0]["X"]
    club.do(f"signoff {gone} secret-{gone}")
    win(club, first[1]["board"], first[1]["X"])
    entrants = {e["userid"]: e["withdrawn"] for e in shown(club)["entrants"]}
    later = [board for board in shown(club)["pools"][0]["boards"] if board["round"] == 2]

    assert [userid for userid, is_gone in entrants.items() if is_gone] == [gone]
    assert len(later) == 2
    assert gone not in {name for board in later for name in (board["X"], board["O"])}


def test_one_board_and_one_round_are_no_boards_and_rounds(club: LocalServer) -> None:
    entered(club, "-kind=swiss -rounds=1", players=("alice", "bob"))
    started = club.text("tournament start 1 olga secret-olga")

    assert "has started with 1 board." in started
    assert "swiss, 1 round, time" in started


def test_the_refusal_names_who_does_not_take_part(club: LocalServer) -> None:
    entered(club, players=("alice",))

    assert club.refusal("tournament leave 1 bob secret-bob").message == "You have not joined."
    refusal = club.refusal("tournament leave 1 olga secret-olga alice dora")
    assert (refusal.code, refusal.message) == ("not-entered", "dora has not joined.")


def test_the_organiser_has_rights_over_his_tournament_only(club: LocalServer) -> None:
    entered(club)
    say(club, "create", "alice", "star Other")
    say(club, "join 2", "bob")
    say(club, "join 2", "carol")

    assert club.code("tournament start 1 alice secret-alice") == "not-organiser"
    assert club.code("tournament start 2 olga secret-olga") == "not-organiser"
    assert club.code("tournament leave 1 alice secret-alice bob") == "not-organiser"
    assert club.code("tournament leave 2 olga secret-olga bob") == "not-organiser"
    assert [e["userid"] for e in say(club, "leave 1", "olga", "bob carol")["entrants"]] == [
        "alice",
        "dora",
    ]


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("join 9 alice secret-alice", "no-such-tournament"),
        ("show 9", "no-such-tournament"),
        ("standings x", "no-such-tournament"),
        ("join 1 alice secret-alice", "already-entered"),
        ("join 1 olga secret-alice", "wrong-login"),
        ("leave 1 olga secret-olga", "not-entered"),
        ("leave 1 olga secret-olga nobody", "no-such-player"),
        ("create olga secret-olga chess Cup", "no-such-game"),
        ("create olga secret-olga star ''", "bad-tournament"),
        ("create olga secret-olga star Cup -kind=knockout", "bad-tournament"),
        ("create olga secret-olga star Cup -rounds=3", "bad-tournament"),
        ("create olga secret-olga star Cup -pool=1", "bad-tournament"),
        ("create olga secret-olga star Cup -limits=1/2", "bad-time-limit"),
        ("create olga secret-olga star Cup -nagtime=1 -forfeittime=2", "bad-time-limit"),
        ("create olga secret-olga star Cup -size=99", "bad-option-value"),
        ("create olga secret-olga star Cup -scoring=4", "no-such-option"),
        ("create olga secret-olga star Cup -double", "no-such-option"),
        ("create olga secret-olga star Cup -sise=4", "no-such-option"),
        ("create olga secret-olga star Cup -options=size=4 -maxi", "mixed-words"),
        ("create olga secret-olga star Cup -limits=7/21 -totaltime=60", "mixed-words"),
        ("create olga secret-olga star Cup -options=size=99", "bad-option-value"),
        ("create olga secret-olga star Cup -options=colour=red", "bad-spec"),
    ],
)
def test_what_cannot_be(club: LocalServer, line: str, code: str) -> None:
    entered(club)

    assert club.code(f"tournament {line}") == code


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("-options=size=4,maxi", "-size=4 -maxi"),
        ('-options="size=4" -limits=5/15', "-siz 4 -nagtime=5 -forfeit=15"),
        ("-limits=7/21/90", "-totaltime=90"),
        ("", "-nagtime=7"),
    ],
)
def test_game_and_time_are_told_as_in_a_challenge_or_in_the_old_form(
    club: LocalServer, old: str, new: str
) -> None:
    made = [say(club, "create", "olga", f"star Cup {terms}") for terms in (old, new)]

    assert len({str((m["options"], m["limits"])) for m in made}) == 1


def test_a_game_with_options_of_its_own(club: LocalServer) -> None:
    made = say(club, "create", "olga", "-double '*star' Cup -size=4 -both")

    assert (made["game"], made["options"]["double"], made["options"]["size"]) == (
        "starstar",
        True,
        4,
    )


def test_a_start_wants_two_and_happens_once(club: LocalServer) -> None:
    entered(club, "", ("alice",))

    assert club.code("tournament start 1 olga secret-olga") == "too-few-entrants"

    say(club, "join 1", "bob")
    say(club, "start 1", "olga")

    assert club.code("tournament start 1 olga secret-olga") == "tournament-started"
    assert club.code("tournament join 1 carol secret-carol") == "tournament-started"


def test_the_cross_table_in_text(club: LocalServer) -> None:
    entered(club, "", PLAYERS[:3])
    before = club.text("tournament show 1")
    say(club, "start 1", "olga")
    for board in running(club)[:2]:
        win(club, board["board"], min(board["X"], board["O"]))
    text = club.text("tournament show 1")
    lines = [line.split() for line in text.splitlines()]

    assert "Players: alice (1500), bob (1500), carol (1500)" in before
    assert "Tournament 1: Spring Cup (running)" in text
    assert "Star (size 3), round-robin, time 7/21, organised by olga" in text
    assert ["place", "player", "1", "2", "3", "points", "Berger", "score", "head-to-head"] in lines
    assert ["1", "alice", "*"] == next(line for line in lines if line[1:2] == ["alice"])[:3]
    assert "running" in text
    assert "alice" in club.text("tournament standings 1")
    assert "Spring Cup" in club.text("tournament list")


def test_the_cross_table_in_html(club: LocalServer, tmp_path: Path) -> None:
    say(club, "create", "olga", 'star "<Cup> & more" -size=3')
    for userid in PLAYERS[:2]:
        say(club, "join 1", userid)
    say(club, "start 1", "olga")
    club.play(101, "pass pass")
    file = tmp_path / "cup.html"
    club.do(f"tournament show 1 -html={file}")
    page = file.read_text(encoding="utf-8")

    assert "<h1>Tournament 1: &lt;Cup&gt; &amp; more (finished)</h1>" in page
    assert page.count("<td>½</td>") == 2
    assert "<Cup>" not in page
    assert club.code(f"tournament show 1 -html={file}") == "file-exists"
    assert club.code("tournament show 1 -html=/nowhere/cup.html") == "no-such-folder"


def test_an_operator_takes_a_result_back(club: LocalServer) -> None:
    from pbmserv.cli.shell_commands import SHELL, shell_families
    from pbmserv.commands.command_table import root

    entered(club, "", PLAYERS[:2])
    say(club, "start 1", "olga")
    win(club, 101, "alice")
    club.desk.tree = root(SHELL, shell_families())

    assert club.code("admin remove star 101") == "in-tournament"

    club.do("admin undo star 101")

    assert (shown(club)["status"], standings(club)) == (
        "running",
        [("alice", 0.0), ("bob", 0.0)],
    )

    club.do("star resign 101 alice secret-alice")

    assert standings(club) == [("bob", 1.0), ("alice", 0.0)]


def test_the_players_are_told_of_their_boards(club: LocalServer) -> None:
    club.desk.writes_letters = lambda: True
    club.do("add alice secret-alice alice@example.org")
    entered(club, "", PLAYERS[:2])
    say(club, "start 1", "olga")
    with club.desk.store.writing() as records:
        (posted,) = records.outbox.claim(club.clock.now(), limit=9)

    assert posted.letter.subject.startswith("Star Board 101 alice")
    assert "Tournament 1: Spring Cup." in posted.letter.tail


def test_results_that_come_at_the_same_moment_begin_one_round(club: LocalServer) -> None:
    club.sign_up("emil", "fred", "gina", "hans")
    entered(club, "-kind=swiss -rounds=2", (*PLAYERS, "emil", "fred", "gina", "hans"))
    boards = say(club, "start 1", "olga")["pools"][0]["boards"]
    for board in boards:
        club.play(board["board"], "C1 C2")
    servers = [LocalServer(club.url) for _ in boards]

    def resign(local: LocalServer, board: dict[str, Any]) -> None:
        local.do(f"star resign {board['board']} {board['O']} secret-{board['O']}")

    threads = [
        threading.Thread(target=resign, args=pair) for pair in zip(servers, boards, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for local in servers:
        local.desk.close()

    assert [board["round"] for board in running(club)] == [2] * 4
    assert len(shown(club)["pools"][0]["boards"]) == 8


@pytest.mark.costly
def test_every_tournament_comes_to_its_end(club: LocalServer) -> None:
    rng = random.Random(5)
    club.sign_up("emil", "fred", "gina")
    entered(club, "-kind=swiss -both", (*PLAYERS, "emil", "fred", "gina"))
    say(club, "start 1", "olga")
    while boards := running(club):
        board = rng.choice(boards)
        loser = rng.choice([board["X"], board["O"]])
        if rng.random() < 0.7:
            club.play(board["board"], "C1 C2")
        club.do(f"star resign {board['board']} {loser} secret-{loser}")
    table = shown(club)["pools"][0]

    assert (shown(club)["status"], table["rounds"]) == ("finished", 3)
    assert sum(line["points"] for line in table["standings"]) == 3 * 8
    assert [line["won"] + line["lost"] + line["byes"] for line in table["standings"]] == [6] * 7
