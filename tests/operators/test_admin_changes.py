"""What operators change, seen in the tables afterwards."""

import time
from shlex import quote

import pytest
import sqlalchemy as sa

from pbmserv.cli.shell_commands import SHELL, shell_families
from pbmserv.club.match import Match
from pbmserv.club.notices import NoticeKind
from pbmserv.club.play import Change
from pbmserv.commands.command_table import root
from pbmserv.operators import admin_changes
from pbmserv.services.match_changes import SavedChange, save_change
from pbmserv.services.session import WriteSession
from pbmserv.store.mail.inbox import STRANGER, Arrival
from pbmserv.store.operator_lists import Filter
from pbmserv.store.people.ratings import Ratings
from tests.databases import made_once
from tests.in_process_shell import Result, Shell
from tests.local_server import DAY, LocalServer
from tests.mail.loopback_mail_server import plain_letter


@pytest.fixture
@made_once
def club(shell: Shell) -> Shell:
    """Star 101 runs, 102 was won, 103 resigned, 104 declined; alice beat bob twice."""
    local = LocalServer(shell.url)
    for _ in range(4):
        local.start()
    local.play(101, "C1 swap C2 B3")
    local.play(102, "C1 C2 pass pass")
    local.play(103, "C1 C2")
    local.move(103, "bob", "resign")
    local.move(104, "bob", "resign")
    local.desk.close()
    return shell


def assert_sound(shell: Shell) -> None:
    checked = shell.run("admin check --json").document

    assert checked["problems"] == []


def refused(shell: Shell, line: str) -> str:
    done: Result = shell.run(f"{line} --json")

    assert done.code in {1, 2}
    return str(done.document["error"]["code"])


def details(shell: Shell) -> list[tuple[str, str]]:
    rows = shell.json("admin audit")["audit"]
    return [(r["verb"], r["detail"]) for r in rows if r["verb"].startswith("admin")]


def test_undo_takes_back_the_last_move(club: Shell) -> None:
    shown = club.json("admin undo star 101")

    assert (shown["moves"], shown["to_move"]) == (["C1", "swap", "C2"], "X")
    assert "The operator has undone the move C2." in club.run("admin undo star 101").out
    assert club.json("admin undo star 101")["players"] == {"X": "alice", "O": "bob"}
    assert club.json("admin undo star 101")["moves"] == []
    assert refused(club, "admin undo star 101") == "nothing-to-undo"
    assert_sound(club)
    assert details(club) == [("admin undo", "")] * 4


def test_undo_takes_back_an_end_and_its_ratings(club: Shell) -> None:
    before = club.json("star standings")["standings"]
    resigned = club.json("admin undo star 103")
    after = club.json("star standings")["standings"]
    by_rules = club.json("admin undo star 102")

    assert (resigned["status"], resigned["moves"]) == ("running", ["C1", "C2"])
    assert (by_rules["status"], by_rules["moves"]) == ("running", ["C1", "C2", "pass"])
    assert [row["games"] for row in before] == [2, 2]
    assert [row["games"] for row in after] == [1, 1]
    assert club.json("star standings")["standings"] == []
    assert_sound(club)
    assert club.json("star move 103 alice secret-alice A3")["ply"] == 3
    assert club.json("star move 102 bob secret-bob pass")["status"] == "won"
    assert_sound(club)


def test_ratings_are_held_before_the_board_and_only_where_they_change(
    club: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two who held them in another order would wait for each other."""
    done: list[str] = []
    hold = Ratings.hold

    def holding(ratings: Ratings) -> None:
        done.append("ratings")
        hold(ratings)

    def keeping(session: WriteSession, before: Match, change: Change) -> SavedChange:
        done.append("board")
        return save_change(session, before, change)

    monkeypatch.setattr(Ratings, "hold", holding)
    monkeypatch.setattr(admin_changes, "save_change", keeping)
    club.json("admin undo star 101")
    assert done == ["board"]
    club.json("admin undo star 103")
    assert done[1:] == ["ratings", "board", "ratings"], "who calculates them anew holds them too"


def test_undo_brings_a_declined_board_back(club: Shell) -> None:
    assert club.json("admin undo star 104")["status"] == "running"
    assert_sound(club)


def test_a_reopened_board_has_its_clock_again(club: Shell) -> None:
    club.json("admin undo star 103")
    local = LocalServer(club.url)
    local.clock.seconds += 1
    with local.desk.store.reading() as records:
        _, due = records.matches.clock(3)
    local.desk.close()

    assert due is not None


@pytest.mark.parametrize("board", [101, 102, 103])
def test_remove_leaves_no_trace_in_tables_and_ratings(club: Shell, board: int) -> None:
    removed = club.json(f"admin remove star {board} --yes")
    games = [row["board"] for row in club.json("star games")["matches"]]
    rated = {101: 2, 102: 1, 103: 1}

    assert (removed["status"], removed["reason"]) == ("removed", "removed")
    assert board not in games
    assert [row["games"] for row in club.json("star standings")["standings"]] == [rated[board]] * 2
    assert refused(club, f"admin remove star {board} --yes") == "game-over"
    assert refused(club, f"star move {board} alice secret-alice A3") == "game-over"
    assert_sound(club)


def test_a_removed_board_comes_back_with_its_moves(club: Shell) -> None:
    club.json("admin remove star 101 --yes")

    assert club.json("admin undo star 101")["moves"] == ["C1", "swap", "C2", "B3"]
    assert_sound(club)


@pytest.mark.parametrize(
    "line",
    [
        "signoff alice secret-alice",
        "admin close alice",
        "admin merge alice bob",
        "admin remove star 101",
        "restore games.sqlite",
    ],
)
def test_what_cannot_be_undone_wants_to_be_confirmed(club: Shell, line: str) -> None:
    line = line.replace("games.sqlite", quote(__file__))  # any file that is there
    before = tables(club.url)
    done = club.run(line)

    assert (done.code, done.out) == (1, "")
    assert done.err.endswith("\nNothing was changed. To answer yes, add --yes.\n")
    assert club.run("batch -", f"{line}\n").code == 1
    assert tables(club.url) == before


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(
    "line",
    [
        "signoff alice secret-alice",
        "admin close alice",
        "admin merge carol alice",
        "admin rate",
        "admin forget -audit=30",
        "admin remove star 101",
    ],
)
def test_a_rehearsal_says_what_it_would_do_and_does_nothing(club: Shell, line: str) -> None:
    club.json("signup carol secret-carol")
    before = tables(club.url)
    rehearsed = club.run(f"{line} --dry-run")
    document = club.json(f"{line} --dry-run")

    assert rehearsed.out.startswith("Nothing was changed. Without --dry-run:\n\n")
    assert tables(club.url) == before
    assert document == {"dry_run": True, **club.json(f"{line} --yes")}
    assert tables(club.url) != before


def test_a_closed_account_can_be_opened_again(club: Shell) -> None:
    assert refused(club, "admin reopen alice") == "not-closed"

    club.json("signoff alice secret-alice --yes")
    club.json("admin reopen ALICE")
    assert refused(club, "add alice secret-alice a@example.org") == "wrong-login"
    club.json("admin reset-password alice secret-again")
    assert club.json("add alice secret-again a@example.org")["addresses"] == ["a@example.org"]
    assert_sound(club)


def test_close_resigns_and_keeps_the_userid(club: Shell) -> None:
    closed = club.json("admin close ALICE --yes")

    assert closed == {"userid": "alice", "resigned": ["Star Board 101"]}
    assert club.json("star show 101")["winner"] == "X"
    assert refused(club, "signup alice another-secret") == "userid-taken"
    assert refused(club, "admin close alice --yes") == "no-such-player"
    assert details(club) == [("admin close", "alice")]
    assert_sound(club)


def test_another_password_comes_from_the_word_or_standard_input(club: Shell) -> None:
    club.json("admin reset-password bob another-secret")

    assert refused(club, "star move 101 bob secret-bob A3") == "wrong-login"

    done = club.run("admin reset-password alice -", "third-secret\n")

    assert (done.code, done.err) == (0, "")
    assert club.json("star move 101 alice third-secret A3")["ply"] == 5
    assert refused(club, "admin reset-password alice short") == "bad-password"
    assert refused(club, "admin reset-password nobody long-secret") == "no-such-player"
    assert "secret" not in str(club.json("admin audit"))


def test_a_new_password_ends_what_an_old_letter_could_reset_and_nobody_elses(club: Shell) -> None:
    local = LocalServer(club.url)
    with local.desk.store.writing() as records:
        alice, bob = (records.players.find(userid) for userid in ("alice", "bob"))
        assert alice is not None
        assert bob is not None
        for player in (alice, bob):
            records.resets.add(player.id, f"token-{player.userid}", int(time.time()))
    club.json("admin reset-password ALICE another-secret")
    with local.desk.store.reading() as records:
        good = [
            records.resets.is_good(player.id, f"token-{player.userid}", int(time.time()))
            for player in (alice, bob)
        ]
    local.desk.close()

    assert [False, True] == good


def test_rename_takes_everything_along(club: Shell) -> None:
    assert club.json("admin rename alice Alicia") == {"userid": "Alicia", "was": "alice"}
    assert club.json("star show 101")["players"] == {"X": "bob", "O": "Alicia"}
    assert club.json("star standings")["standings"][0]["userid"] == "Alicia"
    assert club.json("star move 101 alicia secret-alice A3")["ply"] == 5
    assert club.json("star move 101 bob secret-bob B2")["ply"] == 6
    assert refused(club, "admin rename alicia BOB") == "userid-taken"
    assert refused(club, "admin rename alicia star") == "userid-reserved"
    assert refused(club, "admin rename alicia 1") == "bad-userid"
    assert club.json("admin rename alicia ALICIA")["userid"] == "ALICIA"
    assert details(club) == [("admin rename", "Alicia ALICIA"), ("admin rename", "alice Alicia")]
    assert_sound(club)


def test_merge_makes_two_accounts_one(club: Shell) -> None:
    for line in (
        "signup alice2 secret-two a2@example.org",
        "signup carol secret-carol",
        "star challenge -size=3 alice2 carol",
        "star move 105 alice2 secret-two C1",
        "star move 105 carol secret-carol C2",
        "star resign 105 carol secret-carol",
        "star challenge -size=3 carol alice2",
        "star seek alice2 secret-two 1",
        "star limit alice2 secret-two 3",
        "star notify alice2 secret-two 106",
    ):
        club.json(line)
    merged = club.json("admin merge alice2 alice --yes")

    assert merged == {"userid": "alice", "was": "alice2", "boards": 2}
    assert club.json("star show 106")["players"] == {"X": "carol", "O": "alice"}
    assert [row["userid"] for row in club.json("list")["seeks"]] == ["alice"]
    assert refused(club, "star showas alice2 secret-two") == "wrong-login"
    (kept,) = club.json("admin player alice")["addresses"]

    assert kept["address"] == "a2@example.org"
    assert {r["userid"]: r["won"] for r in club.json("star standings")["standings"]} == {
        "alice": 3,
        "bob": 0,
        "carol": 0,
    }
    assert club.json("star move 106 carol secret-carol C1")["ply"] == 1
    assert club.json("star move 106 alice secret-alice C2")["ply"] == 2
    assert_sound(club)


def test_games_between_merged_accounts_count_no_more(club: Shell) -> None:
    assert refused(club, "admin merge bob alice --yes") == "still-playing"

    club.json("star resign 101 bob secret-bob")
    club.json("admin merge bob alice --yes")

    assert club.json("star standings")["standings"] == []
    assert club.json("star show 101")["players"] == {"X": "alice", "O": "alice"}
    assert refused(club, "admin merge alice alice --yes") == "same-player"
    assert refused(club, "admin merge alice bob --yes") == "no-such-player"
    assert_sound(club)


def test_forget_deletes_what_is_old(club: Shell) -> None:
    local = LocalServer(club.url)
    local.clock.seconds = int(time.time())
    local.sign_up("carol")
    local.desk.close()
    count = len(club.json("admin audit")["audit"])
    local = LocalServer(club.url)
    local.clock.seconds = int(time.time()) - 31 * DAY
    local.sign_up("dora")
    local.desk.close()

    assert club.json("admin forget") == {"inbox": 0, "outbox": 0, "audit": 0}
    assert club.json("admin forget -audit=30") == {"inbox": 0, "outbox": 0, "audit": 1}
    assert len(club.json("admin audit")["audit"]) == count + 2
    assert details(club)[0] == ("admin forget", "inbox 0, outbox 0, audit 1")
    assert refused(club, "admin forget -inbox=3") == "bad-option-value"


@pytest.mark.parametrize(
    ("options", "inbox", "outbox", "audit"),
    [("", 90, 30, 730), ("-inbox=40 -outbox=50 -audit=60", 40, 50, 60)],
)
def test_each_table_of_what_is_past_is_cleared_after_its_days(
    local: LocalServer, options: str, inbox: int, outbox: int, audit: int
) -> None:
    local.desk.tree = root(SHELL, shell_families())
    local.sign_up("alice", "bob")
    now = local.clock.seconds
    with local.desk.store.writing() as records:
        alice = records.players.get(1)
        for late in (1, 0):
            seen = now - inbox * DAY - late
            arrival = Arrival(STRANGER, f"<{late}@x>", "a@x.example", seen, "pipe", "done")
            records.inbox.take(arrival)
            records.notices.add([alice.id], NoticeKind.REMARK, "one", seen)
            records.notices.read(alice.id, seen)
            records.outbox.post([plain_letter(1)], seen)
            letter = records.lists.letters(Filter(limit=1)).rows[0].id
            records.outbox.drop(letter, now - outbox * DAY - late)
            past = {"at": now - audit * DAY - late, "id": 2 - late}
            records.connection.execute(sa.text("UPDATE audit SET at = :at WHERE id = :id"), past)
        records.throttle.failed("alice", "a@x.example", now - 2 * DAY)
        records.signin_keys.add(alice, now - 90 * DAY)
        records.ignored_mail.count("loop", now - 92 * DAY)
        records.latecomers.note("a@x.example", now - 14 * DAY)
    said = local.json(f"admin forget {options}")
    left = local.tables(but=())

    assert said == {"inbox": 1, "outbox": 1, "audit": 1}
    assert [len(left[name]) for name in ("inbox", "outbox", "notice", "audit")] == [1, 1, 1, 2]
    assert [left[n] for n in ("throttle", "signin_key", "ignored_mail", "budget")] == [[]] * 4


def tables(url: str) -> object:
    local = LocalServer(url)
    found = local.tables(but=())
    local.desk.close()
    return found
