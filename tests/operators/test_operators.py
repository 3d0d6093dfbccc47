"""What an operator does for a club: accounts suspended, everybody told, maintenance."""

import errno
import os
import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from pbmserv.cli.shell_commands import SHELL, shell_families
from pbmserv.commands.command_table import root
from pbmserv.commands.messages import MAX_LENGTH
from pbmserv.desk.tick import tick
from pbmserv.engine.moments import HOUR, utc
from pbmserv.errors import Fault
from pbmserv.operators import doctor
from pbmserv.operators.admin_views import moment
from pbmserv.store.files.database_facts import Fact
from pbmserv.store.files.kept_backups import NAME
from pbmserv.store.files.schema import HEAD
from pbmserv.store.mail.inbox import STRANGER, Arrival
from pbmserv.store.store import Store
from tests.databases import ONE_DATABASE
from tests.in_process_shell import Shell
from tests.local_server import DAY, NOW, LocalServer
from tests.test_json import SESSION


def refusal(shell: Shell, line: str) -> tuple[str, int]:
    done = shell.run(f"{line} --json")
    return done.document["error"]["code"], done.code


@pytest.mark.parametrize(
    "line",
    [
        "star move 101 alice secret-alice C3",
        "star showas alice secret-alice 101",
        "change password alice secret-alice another-secret",
        "star challenge -size=3 bob alice",
    ],
)
def test_a_suspended_player_can_sign_nothing_and_be_challenged_by_nobody(
    playing: Shell, line: str
) -> None:
    suspended = playing.json("admin suspend ALICE")
    refused = refusal(playing, line)
    resumed = playing.json("admin resume alice")

    assert suspended == {"userid": "alice", "suspended": True}
    assert refused == ("suspended", 1)
    assert resumed == {"userid": "alice", "suspended": False}
    assert playing.run(line).code == 0


@pytest.mark.costly(stay=2)
@pytest.mark.parametrize(
    "line",
    [line for line, _ in SESSION if " alice correct-horse" in f" {line} " and "signup" not in line],
)
def test_of_all_that_a_player_signs_nothing_is_done_while_they_are_suspended_or_closed(
    playing: Shell, line: str
) -> None:
    words = line.replace("correct-horse", "secret-alice").replace(" 102 ", " 101 ")
    playing.run("admin suspend alice")
    suspended = refusal(playing, words)
    playing.run("admin close alice --yes")

    assert suspended == ("suspended", 1)
    assert refusal(playing, words) == ("wrong-login", 1)


@pytest.mark.parametrize(
    ("line", "code"),
    [("admin suspend alice", "suspended"), ("admin close alice --yes", "no-such-player")],
)
def test_nobody_begins_a_board_with_a_suspended_or_closed_player(
    playing: Shell, line: str, code: str
) -> None:
    playing.run("star seek alice secret-alice 2 -size=3")
    playing.run("star resign 101 bob secret-bob")
    playing.run(line)
    tries = {
        "star challenge bob alice": code,
        "star challenge alice bob": code,
        "star challenge bob anyone": "no-seeker",
        "star rematch 101 bob secret-bob": code,
        "star challenge bob alice -from=101": code,
    }

    told = {words: playing.run(f"{words} --json").document for words in tries}

    assert {words: each.get("error", {}).get("code") for words, each in told.items()} == tries


def test_me_stands_for_no_suspended_player(playing: Shell) -> None:
    playing.run("login alice", "secret-alice\n")
    playing.run("admin suspend alice")

    assert refusal(playing, "star move 101 me C3") == ("suspended", 1)
    assert refusal(playing, "star games me next") == ("suspended", 1)


def test_whoever_is_suspended_seeks_no_more_opponents(playing: Shell) -> None:
    playing.run("star seek alice secret-alice 2 -size=3")
    playing.run("admin suspend alice")

    assert playing.json("list")["seeks"] == []


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("admin suspend nobody", "no-such-player"),
        ("admin resume alice", "not-suspended"),
        ("admin suspend bob", "suspended"),
    ],
)
def test_a_suspension_that_changes_nothing_is_refused(playing: Shell, line: str, code: str) -> None:
    playing.run("admin suspend bob")

    assert refusal(playing, line) == (code, 1)


def test_an_account_is_shown_with_all_that_an_operator_asks_about(playing: Shell) -> None:
    playing.run("add alice secret-alice a@x.example")
    playing.run("star limit alice secret-alice 3")
    playing.run("hex reject alice secret-alice")
    playing.run("star resign 101 bob secret-bob")
    playing.run("admin suspend alice")
    shown = playing.json("admin player alice")
    text = playing.run("admin player alice").out

    assert shown["addresses"] == [{"address": "a@x.example", "proven": True, "stopped": None}]
    assert [(row["game"], row["games"]) for row in shown["ratings"]] == [("star", 1)]
    assert shown["limits"] == [
        {"game": "hex", "takes_challenges": False, "most_boards": None},
        {"game": "star", "takes_challenges": True, "most_boards": 3},
    ]
    assert shown["last_seen"] is not None
    assert shown["suspended"] is not None
    assert "addresses: a@x.example (verified)\n" in text
    assert "limits: hex does not accept challenges; star 3 boards\n" in text
    assert "must wait: nobody\n" in text


def test_an_account_is_shown_with_what_keeps_its_player_away(playing: Shell) -> None:
    playing.run("add alice secret-alice a@x.example b@x.example")
    now = int(time.time())
    store = Store.open(playing.url)
    with store.writing() as records:
        read = records.connection.exec_driver_sql
        read("UPDATE address SET is_trusted = 0 WHERE address = 'b@x.example'")
        read("UPDATE address SET stopped_at = 1800000000 WHERE address = 'a@x.example'")
        for _ in range(6):
            records.throttle.failed("alice", "c@x.example", now)
        [(sender, end)] = records.throttle.waits("alice", now).items()
    store.close()
    shown = playing.json("admin player alice")
    text = playing.run("admin player alice").out
    until = f"{sender} until {moment(end)} UTC"

    assert [(row["proven"], row["stopped"]) for row in shown["addresses"]] == [
        (True, "2027-01-15 08:00:00"),
        (False, None),
    ]
    assert shown["waits"] == [until]
    stopped = "a@x.example (verified, mail stopped 2027-01-15 08:00:00)"
    assert f"addresses: {stopped}; b@x.example (not verified)\n" in text
    assert f"must wait: {until}\n" in text


def test_maintenance_lets_people_look_and_operators_work_but_nobody_play(playing: Shell) -> None:
    playing.run("admin maintenance on")
    refused = [
        refusal(playing, line)
        for line in (
            "star move 101 alice secret-alice C3",
            "signup carol secret-carol",
            "tick",
            "star move 101 alice wrong-secret C3",
        )
    ]

    assert refused == [("maintenance", 1)] * 4
    assert playing.run("star show 101").code == 0
    assert playing.run("admin rate").code == 0
    assert playing.run("admin undo star 101").code == 0
    assert playing.json("admin maintenance off") == {"maintenance": None}
    assert playing.run("star move 101 bob secret-bob C2").code == 0


@pytest.mark.parametrize("options", [" -", ' -text="The server moves."'])
def test_an_announcement_waits_for_every_player_until_it_is_read(
    playing: Shell, options: str
) -> None:
    said = playing.run(f"admin announce{options}", "The server moves.\n")
    store = Store.open(playing.url)
    with store.reading() as records:
        found = [records.notices.unread(number) for number in (1, 2)]
        letters = records.lists.letters().rows
    store.close()

    assert said.out == "Announced to 2 players.\n"
    assert [[(notice.kind.value, notice.text) for notice in each] for each in found] == [
        [("announcement", "The server moves.")]
    ] * 2
    assert letters == []


def test_an_announcement_goes_to_proven_addresses_where_there_is_mail(
    playing: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    playing.run("add alice secret-alice a@x.example")
    playing.run("add bob secret-bob b@x.example")
    store = Store.open(playing.url)
    with store.writing() as records:
        stop = "UPDATE address SET stopped_at = 1800000000 WHERE address = 'b@x.example'"
        records.connection.exec_driver_sql(stop)
    store.close()
    monkeypatch.setenv("PBMSERV_MAIL_ADDRESS", "pbmserv@example.org")
    playing.run("admin announce -", "The server moves.\n")
    letters = playing.json("admin outbox")["letters"]

    assert [(row["to"], row["subject"]) for row in letters] == [("a@x.example", "Announcement")]


def test_nothing_is_not_announced_and_neither_is_too_much(playing: Shell) -> None:
    assert refusal(playing, "admin announce") == ("no-text", 1)
    most = "x" * MAX_LENGTH
    assert refusal(playing, f"admin announce -text={most}x") == ("text-too-long", 1)
    assert playing.run(f"admin announce -text={most}").code == 0


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(
    ("options", "boards", "total"),
    [
        ("", [101, 103, 102], 3),
        ("-limit=1 -offset=1", [103], 3),
        ("-player=carol", [102], 1),
        ("-status=WON", [103], 1),
        ("-game=hex", [], 0),
        ("-game=star -status=running", [101], 1),
        ("-status=removed", [104], 1),
        ("-since=2027-01-15", [101, 103, 102], 3),
        ("-since=2999-01-01", [], 0),
    ],
)
def test_boards_are_filtered_and_counted(
    local: LocalServer, shell: Shell, options: str, boards: list[int], total: int
) -> None:
    local.start()
    local.start(o="carol")
    local.start()
    local.start()
    local.play(102, "pass pass")
    local.clock.seconds += 1
    local.play(103, "C1 C2")
    local.move(103, "alice", "resign")
    local.move(104, "bob", "resign")
    found = shell.json(f"admin games {options}")

    assert [match["board"] for match in found["matches"]] == boards
    assert found["total"] == total


def test_late_boards_are_those_whose_player_was_reminded(local: LocalServer, shell: Shell) -> None:
    local.start()
    local.start("-size=3 -nagtime=2 -forfeittime=9")
    local.start()
    local.clock.seconds += 7 * DAY
    local.sign_up("carol")
    local.play(103, "C1")
    tick(local.desk)
    listed = {}
    for options in ("", " -limit=1", " -offset=1", " -player=carol", " -game=hex"):
        found = shell.json(f"admin games --late{options}")
        listed[options] = ([match["board"] for match in found["matches"]], found["total"])

    assert listed == {
        "": ([102, 101], 2),
        " -limit=1": ([102], 2),
        " -offset=1": ([101], 2),
        " -player=carol": ([], 0),
        " -game=hex": ([], 0),
    }


@pytest.mark.parametrize(
    ("line", "rows"),
    [
        ("admin players", ["1,alice,active", "2,bob,suspended"]),
        ("admin players -status=suspended", ["2,bob,suspended"]),
        ("admin players -player=alice -game=star", ["1,alice,active"]),
        ("admin players -game=hex", []),
    ],
)
def test_accounts_are_filtered_and_written_as_csv(
    playing: Shell, line: str, rows: list[str]
) -> None:
    playing.run("admin suspend bob")
    head, *found = playing.run(f"{line} --csv").out.splitlines()

    assert head == "id,userid,status,member since,last active,addresses"
    assert [",".join(row.split(",")[:3]) for row in found] == rows


def test_the_audit_is_filtered_by_outcome_game_and_day(playing: Shell) -> None:
    playing.run("star move 101 alice wrong-secret C3")
    refused = playing.json("admin audit -status=wrong-login -game=star")
    later = playing.json("admin audit -since=2999-01-01")
    text = playing.run("admin audit -limit=1").out

    assert [row["verb"] for row in refused["audit"]] == ["move"]
    assert later == {"audit": [], "total": 0}
    assert text.endswith("\n1 of 6 rows.\n")


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("admin games -status=sent", "bad-option-value"),
        ("admin players -status=won", "bad-option-value"),
        ("admin games -since=yesterday", "bad-date"),
        ("admin games -game=chess", "no-such-game"),
    ],
)
def test_a_filter_that_cannot_be_is_refused(shell: Shell, line: str, code: str) -> None:
    assert refusal(shell, line)[0] == code


CHANGES = (
    ("admin announce Hello", "admin announce", "3 players"),
    ("admin maintenance on", "admin maintenance", "on"),
    ("admin maintenance off", "admin maintenance", "off"),
    ("admin suspend BOB", "admin suspend", "bob"),
    ("admin resume BOB", "admin resume", "bob"),
    ("admin reset-password BOB secret-other", "admin reset-password", "bob"),
    ("admin rename BOB Robert", "admin rename", "bob Robert"),
    ("mail outbox retry 2 1", "outbox retry", "letter 2|letter 1"),
    ("mail outbox drop 1", "outbox drop", "letter 1"),
    ("admin remark remove 1 --yes", "admin remark remove", "1 of alice"),
    ("admin robot add ada -games=star", "admin robot add", "ada"),
    ("admin robot change ADA -games=hex", "admin robot change", "ada"),
    ("admin robot remove ADA --yes", "admin robot remove", "ada"),
    ("admin undo star 101", "admin undo", ""),
    ("admin remove star 101 --yes", "admin remove", ""),
    ("admin rate", "admin rate", "0 games"),
    ("admin merge carol robert --yes", "admin merge", "carol Robert"),
    ("admin close ALICE --yes", "admin close", "alice"),
    ("admin reopen ALICE", "admin reopen", "alice"),
    ("admin keys --rotate", "rotate keys", ""),
    ("admin forget", "admin forget", "inbox 0, outbox 0, audit 0"),
)
"""What an operator changes, one after the other, and the lines of the audit that are left of it."""


@pytest.mark.costly
@ONE_DATABASE
def test_whatever_an_operator_changes_is_in_the_audit_once(
    playing: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PBMSERV_MAIL_KEYS", str(tmp_path / "keys"))
    playing.run("signup carol secret-carol")
    playing.run("star chat 101 alice secret-alice Hello")
    for address in ("a@x.example", "b@x.example"):
        playing.run(f"add alice secret-alice {address}")
    monkeypatch.setenv("PBMSERV_MAIL_ADDRESS", "pbmserv@example.org")
    playing.run("message bob secret-bob alice -text=Hello")
    for line, verb, detail in CHANGES:
        before = playing.json("admin audit")["total"]
        assert playing.run(line).code == 0, line
        found = playing.json("admin audit")
        new = found["audit"][: found["total"] - before][::-1]

        assert [(each["verb"], each["detail"]) for each in new] == [
            (verb, each) for each in detail.split("|")
        ]
        assert {(each["source"], each["outcome"]) for each in new} == {("shell", "done")}


def test_letters_and_mails_are_filtered(playing: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    playing.run("add alice secret-alice a@x.example")
    monkeypatch.setenv("PBMSERV_MAIL_ADDRESS", "pbmserv@example.org")
    playing.run("star move 101 alice secret-alice C3")
    found = [
        playing.json(f"admin outbox {options}")["total"]
        for options in ("-game=star -status=waiting", "-game=hex", "-player=bob", "-player=alice")
    ]

    assert found == [1, 0, 0, 1]
    assert playing.json("admin inbox -player=alice -status=done") == {"mails": [], "total": 0}


@pytest.mark.parametrize(("days", "problem"), [(0, ""), (2, "Nobody is reminded or loses on time")])
def test_doctor_tells_where_tick_has_not_run(
    local: LocalServer, shell: Shell, days: int, problem: str
) -> None:
    local.clock.seconds = int(time.time()) - days * DAY
    local.start()
    tick(local.desk)
    facts = shell.run("doctor --json").document["facts"]
    (found,) = [fact["problem"] for fact in facts if fact["name"] == "last tick"]

    assert found.startswith(problem)
    assert bool(found) == bool(problem)


def test_each_mail_that_came_is_told_with_who_sent_it_and_what_came_of_it(playing: Shell) -> None:
    store = Store.open(playing.url)
    with store.writing() as records:
        for player, key, outcome in ((STRANGER, "<1@x>", "unknown-sender"), (2, "<2@x>", "done")):
            arrival = Arrival(player, key, f"{key[1]}@x.example", NOW, "pipe", outcome)
            records.inbox.take(arrival)
    store.close()
    found = playing.json("admin inbox")
    first, last = found["mails"]

    assert found["total"] == 2
    assert first == {
        "received": "2027-01-15 08:00:00",
        "door": "pipe",
        "from": "2@x.example",
        "player": 2,
        "outcome": "done",
    }
    assert (last["from"], last["player"], last["outcome"]) == (
        "1@x.example",
        None,
        "unknown-sender",
    )
    assert [one["from"] for one in playing.json("admin inbox -status=done")["mails"]] == [
        "2@x.example"
    ]


@pytest.mark.costly
@ONE_DATABASE
def test_what_is_done_with_a_database_is_told(playing: Shell, tmp_path: Path) -> None:
    copy = f"{tmp_path}/copy.sqlite"
    told = {
        f"backup {copy}": f"The database has been copied to {copy}.\n",
        "db current": f"database: {playing.url}\nschema: {HEAD}\n",
        "db check": "The tables match this version.\n",
        "db upgrade": f"{playing.url} is up to date.\n",
        "admin check": "1 board checked, no problems.\n",
    }
    documents = {
        f"backup --force {copy}": {"backup": copy, "damage": []},
        "db current": {"database": playing.url, "schema": HEAD},
        "db check": {"differences": []},
        "db upgrade": {"database": playing.url},
        "admin check": {"boards": 1, "problems": []},
    }

    assert {line: playing.run(line) for line in told} == {
        line: (0, out, "") for line, out in told.items()
    }
    assert {line: playing.json(line) for line in documents} == documents
    restored = playing.json(f"restore {copy} --yes")
    kept = Path(restored["kept"])
    assert restored == {"restored": copy, "kept": str(kept)}
    assert kept.is_file()
    assert kept.parent == Path(playing.url).parent
    again = playing.run(f"restore {copy} --yes").out
    assert again.startswith(f"The database is restored from {copy}. The old database is kept as ")


@pytest.mark.costly
@ONE_DATABASE
def test_a_damaged_database_is_kept_beside_the_one_that_is_restored(
    playing: Shell, tmp_path: Path
) -> None:
    spoilt = b"no database" * 4000
    playing.run(f"backup {tmp_path}/copy.sqlite")
    before = playing.run("star show 101").out
    Path(playing.url).write_bytes(spoilt)
    rehearsed = playing.run(f"restore {tmp_path}/copy.sqlite --dry-run")
    (tmp_path / "no-backup").write_bytes(b"none")
    assert refusal(playing, f"restore {tmp_path}/no-backup --yes") == ("no-backup", 1)
    assert Path(playing.url).read_bytes() == spoilt
    done = playing.run(f"restore {tmp_path}/copy.sqlite --yes")
    found = re.search(r"The current database is damaged; it is kept as (\S+)\.\n", done.err)

    assert (done.code, playing.run("star show 101").out) == (0, before)
    assert found
    assert Path(found[1]).read_bytes() == spoilt
    told = f"The database is restored from {tmp_path}/copy.sqlite. The old database is kept as "
    assert done.out == f"{told}{found[1]}.\n"
    assert done.out in rehearsed.out
    assert not [*Path(playing.url).parent.glob("*before-restore*")]


@pytest.mark.costly
@pytest.mark.parametrize("is_made_before", [True, False])
def test_of_an_empty_database_nothing_is_kept(
    playing: Shell, tmp_path: Path, *, is_made_before: bool
) -> None:
    playing.run(f"backup {tmp_path}/copy.sqlite")
    new = tmp_path / "new" / "club.sqlite"
    new.parent.mkdir()
    if is_made_before:
        assert playing.run(f"db upgrade --database={new}").code == 0
    done = playing.run(f"restore {tmp_path}/copy.sqlite --yes --json --database={new}")

    assert (done.code, done.document) == (
        0,
        {"restored": f"{tmp_path}/copy.sqlite", "kept": None},
    )
    assert [path.name for path in new.parent.iterdir() if ".lock" not in path.name] == [new.name]
    assert playing.run(f"star show 101 --database={new}").out == playing.run("star show 101").out


@ONE_DATABASE
@pytest.mark.parametrize(
    ("age", "told", "is_wrong"),
    [
        (None, "none", True),
        (-5, "none", True),  # it was made before the clock was set back
        (0, "0 minutes old", False),
        (59, "59 minutes old", False),
        (62, "62 minutes old", True),
    ],
)
def test_doctor_tells_how_old_the_newest_backup_is(
    playing: Shell, tmp_path: Path, age: int | None, told: str, *, is_wrong: bool
) -> None:
    playing.monkeypatch.setenv("PBMSERV_BACKUP_FOLDER", str(tmp_path / "kept"))
    playing.monkeypatch.setenv("PBMSERV_BACKUP_MINUTES", "30")
    (tmp_path / "kept").mkdir()
    if age is not None:
        at = utc(int(time.time()) - 60 * age)
        (tmp_path / "kept" / f"{at:{NAME}}").touch()
    found = facts_of(playing)["newest backup"]

    assert (found[0], bool(found[1])) == (told, is_wrong)


@ONE_DATABASE
def test_a_database_of_a_later_version_makes_room_for_no_backup(
    playing: Shell, tmp_path: Path
) -> None:
    playing.run(f"backup {tmp_path}/copy.sqlite")
    with closing(sqlite3.connect(playing.url)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    before = Path(playing.url).read_bytes()

    assert refusal(playing, f"restore {tmp_path}/copy.sqlite --yes") == ("database-newer", 70)
    assert Path(playing.url).read_bytes() == before


def facts_of(shell: Shell) -> dict[str, tuple[str, str]]:
    """Return what doctor says of each thing, and what is wrong with it."""
    rows = shell.run("doctor --json").document["facts"]
    return {row["name"]: (row["value"], row["problem"]) for row in rows}


@ONE_DATABASE
def test_doctor_says_where_settings_come_from_and_of_a_secret_only_that_it_is_set(
    shell: Shell, tmp_path: Path
) -> None:
    shell.monkeypatch.setenv("PBMSERV_CLUB_NAME", "Star Club")
    shell.monkeypatch.setenv("PBMSERV_ROBOT_BOARDS", "7")
    found = facts_of(shell)

    assert [*found][:4] == ["pbmserv", "Python", "computer", "settings file"]
    assert found["settings file"] == (os.devnull, "")
    assert found["club_name"] == ("Star Club (PBMSERV_CLUB_NAME)", "")
    assert found["database_url"] == ("set (PBMSERV_DATABASE_URL)", "")
    variables = "PBMSERV_ROBOT_BOARDS to PBMSERV_MAX_ROBOT_BOARDS"
    assert found["max_robot_boards"] == (f"7 (PBMSERV_ROBOT_BOARDS; rename {variables})", "")
    config = tmp_path / "club.toml"
    config.write_text('mail_out = "maildir:/out"')
    shell.monkeypatch.setenv("PBMSERV_CONFIG", str(config))
    told = f"set ({config}; rename mail_out to mail_transport)"
    assert facts_of(shell)["mail_transport"] == (told, "")
    assert found["vacation_days"] == ("30 (default)", "")
    for name in ("mail_transport", "robot_programs", "operator_address"):
        assert found[name] == ("not set (default)", "")
    shell.monkeypatch.setenv("PBMSERV_CONFIG", str(tmp_path / "none" / "pbmserv.toml"))
    assert "There is no settings file" in facts_of(shell)["settings"][1]


@ONE_DATABASE
@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("operator_address", "nobody", "Not a valid mail address"),
        ("operator_address", "op@example.org", ""),
        ("vacation_days", "many", "vacation_days"),
        ("robot_seconds", "0.5", "robot_seconds"),
        ("site_url", "club", "site_url"),
        ("unsubscribe_url", "club", "unsubscribe_url"),
        ("mail_log", "syslog", ""),
        ("mail_log", "{}/new.log", ""),
        ("mail_log", "{}", "You cannot write to this file, so nothing is logged."),
        ("shell_log", "{}/none/new.log", "You cannot write to this file, so nothing is logged."),
    ],
)
def test_doctor_finds_what_is_wrong_with_a_setting(
    shell: Shell, tmp_path: Path, name: str, value: str, problem: str
) -> None:
    shell.monkeypatch.setenv(f"PBMSERV_{name.upper()}", value.format(tmp_path))
    done = shell.run("doctor --json")
    found = {row["name"]: row["problem"] for row in done.document["facts"] if row["problem"]}

    names = [row["name"] for row in done.document["facts"]]

    assert found.keys() == ({name} if problem else set())
    assert ("last tick" in names) is not bool(problem)
    assert problem in found.get(name, "")
    assert (done.code, done.document["problems"]) == (len(found), len(found))


@ONE_DATABASE
@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (PermissionError(errno.EACCES, "Permission denied", "/x"), "Permission denied: /x"),
        (OSError("odd"), "odd"),
        (Fault("It is away.", code="away"), "It is away."),
    ],
)
def test_doctor_tells_what_it_has_found_and_what_stopped_it(
    shell: Shell, error: Exception, problem: str
) -> None:
    def find(*_: object) -> Iterator[Fact]:
        yield Fact("mail transport", "smtp")
        raise error

    shell.monkeypatch.setattr(doctor, "mail_facts", find)
    found = facts_of(shell)

    assert found["mail transport"] == ("smtp", "")
    assert found["mail"] == ("could not be checked", problem)
    assert found["last tick"] == ("never", "")


@ONE_DATABASE
def test_doctor_tells_of_a_database_that_is_away_why_it_cannot_be_opened(shell: Shell) -> None:
    shell.monkeypatch.setenv("PBMSERV_DATABASE_URL", "postgresql://me:canary@127.0.0.1:1/games")
    found = facts_of(shell)

    assert found["database"][0] == "could not be checked"
    assert found["database"][1].endswith("cannot be opened. Reason: Connection refused.")
    assert "last tick" not in found


@ONE_DATABASE
def test_doctor_tells_of_maintenance_and_of_settings_that_are_in_no_file(
    playing: Shell, tmp_path: Path
) -> None:
    since = playing.json("admin maintenance on")["maintenance"]
    playing.monkeypatch.delenv("PBMSERV_CONFIG", raising=False)
    playing.monkeypatch.setattr(doctor, "config_file", lambda: tmp_path / "none.toml")
    found = facts_of(playing)

    assert found["maintenance"] == (f"since {since} UTC: the clocks are stopped", "")
    assert "last tick" not in found
    assert found["settings file"] == (f"{tmp_path}/none.toml (none)", "")


@ONE_DATABASE
@pytest.mark.parametrize("hours", [1, 3])
def test_doctor_tells_how_long_robots_have_been_waited_for(
    local: LocalServer, shell: Shell, tmp_path: Path, hours: int
) -> None:
    assert "robots" not in facts_of(shell)

    local.desk.tree = root(SHELL, shell_families())
    since = local.clock.seconds = int(time.time()) - hours * HOUR
    local.do("admin robot add ada -program -games=star")
    local.do("admin robot add Eve -program -games=star")

    assert facts_of(shell)["robots"] == ("2 robots, 0 boards waiting", "")

    local.start("-size=3", x="alice", o="ada")
    local.move(101, "alice", "C1")
    local.clock.seconds = int(time.time())
    local.start("-size=3", x="alice", o="Eve")
    local.move(102, "alice", "C1")
    settings = tmp_path / "pbmserv.toml"
    settings.write_text('robot_programs.eve = ["/usr/games/eve"]\n')
    shell.monkeypatch.setenv("PBMSERV_CONFIG", str(settings))
    found = facts_of(shell)
    waiting, problem = found["robots"]

    assert waiting == f"2 robots, 2 boards waiting, the first since {moment(since)} UTC"
    assert problem == (
        "Nothing is moving for them: run pbmserv serve or tick." if hours > 2 else ""
    )
    assert found["robot ada"] == ("a program", "robot_programs has no command for it.")
    assert "robot Eve" not in found


@pytest.mark.parametrize("days", [0, 2])
def test_operators_are_told_by_any_command_and_once_a_day_by_mail_where_tick_has_not_run(
    local: LocalServer, shell: Shell, tmp_path: Path, days: int
) -> None:
    for name, value in (
        ("ADDRESS", "pbmserv@example.org"),
        ("OUT", f"maildir:{tmp_path}/out"),
        ("OPERATOR", "op@example.org"),
        ("KEYS", f"{tmp_path}/keys"),
    ):
        shell.monkeypatch.setenv(f"PBMSERV_MAIL_{name}", value)
    local.clock.seconds = int(time.time()) - days * DAY
    local.start()
    tick(local.desk)
    told = [shell.run("admin games").err, shell.run("admin check").err]
    sent = [shell.json("mail send")["sent"] for _ in range(2)]

    alarm = "Nobody is reminded or loses on time: run pbmserv tick every hour."
    assert [alarm in text for text in told] == [days > 0] * 2
    assert sent == [int(days > 0), 0]
    assert [alarm in " ".join(file.read_text().split()) for file in tmp_path.glob("out/new/*")] == (
        [True] * (days > 0)
    )
    assert alarm not in shell.run("star games").err


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(("days", "told"), [(1, False), (2.5, True), (14, True)])
def test_tick_and_doctor_tell_where_ticks_come_too_seldom(
    local: LocalServer, shell: Shell, days: float, *, told: bool
) -> None:
    span = f"{int(days)} d {round(days % 1 * 24)} h"
    words = f"Before this tick the clocks were not checked for {span}."
    local.clock.seconds = int(time.time()) - round(days * DAY)
    tick(local.desk)
    said = shell.run("tick")
    problems = [facts_of(shell)["last tick"][1] for _ in range(2)]
    again = shell.run("tick")

    assert (said.code, words in said.err) == (0, told)
    assert [problem.startswith(words) for problem in problems] == [told] * 2
    assert (again.err, facts_of(shell)["last tick"][1]) == ("", "")


@ONE_DATABASE
def test_ticks_are_not_missed_during_maintenance(local: LocalServer, shell: Shell) -> None:
    local.desk.tree = root(SHELL, shell_families())
    local.clock.seconds = int(time.time()) - 10 * DAY
    local.start()
    tick(local.desk)
    local.do("admin maintenance on")
    local.clock.seconds = int(time.time())
    local.do("admin maintenance off")

    assert facts_of(shell)["last tick"][1] == ""
    assert shell.run("admin games").err == shell.run("tick").err == ""
