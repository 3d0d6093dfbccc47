"""What admin check finds in a database that was changed behind everybody's back."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest
import sqlalchemy as sa

from pbmserv.errors import PbmservError
from pbmserv.operators import admin_check, check_parts
from pbmserv.operators.check_parts import PARTS, Found, Part, found_in, worker
from pbmserv.store.matches.matches import Matches
from pbmserv.store.store import Store
from tests import databases
from tests.databases import ONE_DATABASE, made_once
from tests.in_process_shell import Shell
from tests.local_server import LocalServer, refusal_of


@pytest.fixture
@made_once
def club(shell: Shell) -> Shell:
    """Star 101 runs with a plan, bob seeks an opponent, and there is a tournament."""
    local = LocalServer(shell.url)
    local.start()
    local.play(101, "C1 C2")
    for line in (
        "star queue 101 bob secret-bob D3",
        "star seek bob secret-bob 2",
        "tournament create alice secret-alice star Cup -options=size=3",
    ):
        local.do(line)
    local.desk.close()
    return shell


def problems(shell: Shell) -> list[str]:
    found: list[str] = shell.run("admin check --json").document["problems"]
    return found


DAMAGE = {
    "UPDATE clock SET clock = 'zzz'": "star 101: A stored clock cannot be read.",
    "UPDATE clock SET limits = '1/2'": "star 101: Stored time limits cannot be read.",
    "UPDATE clock SET due_at = NULL": "star 101: its clock is never due",
    "DELETE FROM clock": "star 101: it has no clock",
    "UPDATE plan SET text = 'zzz'": "star 101: a plan for it cannot be read",
    "UPDATE seek SET spec = 'zzz'": "A stored seek of bob in star is damaged.",
    "UPDATE seek SET limits = '0/1'": "A stored seek of bob in star is damaged.",
    "UPDATE tournament SET spec = 'zzz'": "The stored terms of tournament 1 are damaged.",
    "UPDATE tournament SET limits = ''": "The stored terms of tournament 1 are damaged.",
}


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("statement", DAMAGE)
def test_what_cannot_be_read_is_named(club: Shell, statement: str) -> None:
    sound = problems(club)
    local = LocalServer(club.url)
    local.damage(statement)
    local.desk.close()

    assert sound == []
    assert problems(club) == [DAMAGE[statement]]


@ONE_DATABASE
def test_a_process_of_its_own_finds_the_same_in_each_part(
    club: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Store] = []

    def open_one(url: str, *, may_create: bool) -> Store:
        opened.append(Store.open(url, may_create=may_create))
        return opened[-1]

    monkeypatch.setattr(check_parts, "Store", SimpleNamespace(open=open_one))
    with closing(Store.open(club.url)) as store:
        with store.reading() as records:
            parts = [Part("boards", tuple(records.matches.ids(None))), *map(Part, PARTS)]
        with store.writing() as records:
            records.connection.exec_driver_sql("UPDATE match SET spec = 'star(size=9)'")
        found = [found_in(store, part) for part in parts]
        work = worker(club.url)

        assert [next(work(part)) for part in parts] == found
        assert (found[0].boards, len(found[0].problems)) == (1, 2)
        assert [each.boards for each in found[1:]] == [0] * len(PARTS)
    assert not Path(f"{club.url}.none").exists()
    with pytest.raises(PbmservError):
        worker(f"{club.url}.none")
    for each in opened:
        each.close()


def test_what_breaks_the_check_is_named_and_never_quoted(
    club: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> list[str]:
        raise ValueError("secret-alice")

    monkeypatch.setattr(check_parts, "findings", fail)
    monkeypatch.setitem(PARTS, "the file", fail)
    monkeypatch.setitem(PARTS, "references", fail)
    monkeypatch.setitem(PARTS, "ratings", lambda _: ["star: a rating differs"])
    done = club.run("admin check")
    unread = "its stored data cannot be read (ValueError)"

    assert (done.code, done.out.splitlines()) == (
        1,
        [
            f"the file: {unread}",
            f"star 101: {unread}",
            f"references: {unread}",
            "star: a rating differs",
            "1 board checked, 4 problems.",
        ],
    )


@pytest.fixture
@made_once
def four(shell: Shell) -> Shell:
    """Star 101 runs, 102 to 104 have ended, and the totals of 103 and a rating are wrong."""
    local = LocalServer(shell.url)
    for number in (101, 102, 103, 104):
        local.start()
        local.play(number, "C1 C2" if number == 101 else "pass pass")
    local.damage("UPDATE match SET points_x = 99 WHERE number IN (101, 103, 104)")
    local.damage("UPDATE rating SET won = 7 WHERE player_id = 1")
    local.desk.close()
    return shell


def wrong(number: int) -> str:
    return f"star {number}: its row differs from its moves: points_x"


RATING = "star: the rating of alice differs from the recalculated one"
OLD = "2000-01-01"


@pytest.mark.parametrize(
    ("options", "boards", "found"),
    [
        ("", 4, [wrong(101), wrong(103), wrong(104), RATING]),
        (f" -since={OLD}", 4, [wrong(101), wrong(103), wrong(104)]),
        (" -since=2999-01-01", 0, []),
    ],
)
def test_a_check_since_a_day_replays_boards_and_does_nothing_else(
    four: Shell, options: str, boards: int, found: list[str]
) -> None:
    done = four.run(f"admin check{options} --json")

    assert (done.code, done.document) == (int(bool(found)), {"boards": boards, "problems": found})


def test_what_several_processes_find_is_told_in_the_order_of_one(
    four: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = four.run("admin check")
    asked: list[tuple[object, ...]] = []

    def shared_out(
        name: str, url: str, parts: list[Part], processes: int
    ) -> Iterator[tuple[int, Found]]:
        asked.append((name, url, [part.kind for part in parts], processes))
        with closing(Store.open(url)) as store:
            for number in reversed(range(len(parts))):
                yield number, found_in(store, parts[number])

    monkeypatch.setattr(admin_check, "shared_out", shared_out)
    monkeypatch.setattr(admin_check, "processors", lambda: 3)
    monkeypatch.setattr(admin_check, "BOARDS_A_PROCESS", 2)
    monkeypatch.setattr(admin_check, "CHUNK", 1)
    assert four.run("admin check") == alone
    [(name, url, kinds, processes)] = asked
    assert (name, url, processes) == ("pbmserv.operators.check_parts:worker", four.url, 2)
    assert kinds == [*reversed(PARTS), *["boards"] * 4], "the longest first"
    monkeypatch.setattr(admin_check, "BOARDS_A_PROCESS", 3)
    assert four.run("admin check") == alone
    assert len(asked) == 1, "there are too few boards for two"


def test_behind_a_board_that_stops_the_check_no_board_is_told_of(
    four: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def names(self: Matches, ids: tuple[int, ...]) -> list[tuple[int, str, int]]:
        if 3 in ids:  # star 103
            raise ValueError("secret-alice")
        return list(named(self, ids))

    named = Matches.names
    unread = "boards: its stored data cannot be read (ValueError)"
    monkeypatch.setattr(admin_check, "CHUNK", 1)
    monkeypatch.setattr(Matches, "names", names)
    assert problems(four) == [wrong(101), unread, RATING]
    assert "\n2 boards checked, 3 problems.\n" in four.run("admin check").out
    monkeypatch.setattr(Matches, "ids", lambda *_: names(None, (3,)))  # type: ignore[arg-type]
    assert problems(four) == [unread, RATING]


def test_a_board_that_has_ended_is_read_by_one_statement(club: Shell) -> None:
    local = LocalServer(club.url)
    for number in (102, 103, 104):
        local.start()
        local.play(number, "pass pass")
    asked: list[str] = []
    store = local.desk.store
    sa.event.listen(store.engine, "before_cursor_execute", lambda *event: asked.append(event[2]))
    counts = []
    for boards in ((2,), (2, 3, 4)):
        asked.clear()
        assert found_in(store, Part("boards", boards)) == Found([], len(boards))
        counts.append(len(asked))
    local.desk.close()

    assert counts[1] - counts[0] == 2


def test_what_stats_counts_of_a_board_is_held_against_its_moves(club: Shell) -> None:
    local = LocalServer(club.url)
    local.damage("UPDATE match SET turns = 7")
    local.desk.close()

    assert problems(club) == ["star 101: its row differs from its moves: turns"]


def test_a_clock_that_runs_for_the_wrong_player_is_found(club: Shell) -> None:
    local = LocalServer(club.url)
    with local.desk.store.writing() as records:
        text = sa.text("UPDATE clock SET clock = replace(clock, :old, :new)")
        records.connection.execute(text, {"old": '"on":1', "new": '"on":2'})
    local.desk.close()

    assert problems(club) == ["star 101: its clock runs for the player who is not to move"]


def test_a_board_whose_player_has_no_account_is_found(club: Shell) -> None:
    if "://" in club.url:
        local = LocalServer(club.url)
        with local.desk.store.writing() as records:
            records.connection.exec_driver_sql("SET LOCAL session_replication_role = replica")
            records.connection.exec_driver_sql("DELETE FROM player WHERE userid = 'bob'")
        local.desk.close()
    else:
        with closing(sqlite3.connect(club.url)) as connection:
            connection.execute("DELETE FROM player WHERE userid = 'bob'")
            connection.commit()
    found = problems(club)

    assert found[0] == "star 101: one of its players has no account"
    if "://" not in club.url:
        assert "table match: 2 rows name a player that does not exist" in found
        assert "table plan: 1 row names a player that does not exist" in found


@pytest.mark.parametrize(
    ("statement", "lines", "code"),
    [
        (
            "UPDATE seek SET spec = 'zzz'",
            ["list", "star challenge alice anyone"],
            "damaged-seek",
        ),
        (
            "UPDATE tournament SET spec = 'zzz'",
            ["tournament list", "tournament show 1"],
            "damaged-tournament",
        ),
        (
            "UPDATE clock SET limits = 'zzz'",
            ["star show 101", "star move 101 alice secret-alice C3"],
            "damaged-clock",
        ),
    ],
)
def test_what_cannot_be_read_is_no_fault_of_the_sender(
    local: LocalServer, statement: str, lines: list[str], code: str
) -> None:
    local.start()
    local.play(101, "C1 C2")
    local.do("star seek bob secret-bob 2 -size=3")
    local.do("tournament create alice secret-alice star Cup -options=size=3")
    local.damage(statement)
    errors = [refusal_of(lambda line=line: local.do(line)) for line in lines]  # type: ignore[misc]

    assert [(error.code, error.exit_code) for error in errors] == [(code, 70)] * 2


FLIPS = 60


@pytest.mark.slow
@databases.ONE_DATABASE
def test_whatever_byte_is_damaged_nobody_copies_it_unknowingly(club: Shell, tmp_path: Path) -> None:
    file = Path(club.url)
    whole, rng = file.read_bytes(), Random(9)
    sound = told_by_sqlite(file, tmp_path)
    used = [place for place in range(100, len(whole)) if whole[place]]
    noticed = harmless = 0
    for number in range(FLIPS):
        spoilt = bytearray(whole)
        place = rng.choice(used) if number % 2 else rng.randrange(100, len(whole))
        spoilt[place] ^= 1 << rng.randrange(8)
        file.write_bytes(spoilt)
        told = told_by_sqlite(file, tmp_path)
        is_damaged = told is None
        noticed += is_damaged
        harmless += told == sound
        copy = tmp_path / f"{number}.sqlite"
        backup, check, doctor = (
            club.run(line) for line in (f"backup {copy}", "admin check", "doctor")
        )

        assert "defect" not in f"{check.err}{backup.err}{doctor.err}"
        if is_damaged:
            assert (backup.code, copy.exists()) == (70, False)
            assert check.code in {1, 70}
            assert doctor.code == 1
        elif told == sound:
            assert backup.code == 0
            assert told_by_sqlite(copy, tmp_path) == sound

    assert min(noticed, harmless) > FLIPS // 20


def told_by_sqlite(file: Path, folder: Path) -> list[str] | None:
    """Return all that a file holds, as SQLite alone tells it; None where it finds damage."""
    copy = folder / "told.sqlite"
    copy.write_bytes(file.read_bytes())
    try:
        with closing(sqlite3.connect(copy)) as connection:
            connection.text_factory = bytes
            found = connection.execute("PRAGMA integrity_check").fetchall()
            astray = connection.execute("PRAGMA foreign_key_check").fetchall()
            if found != [(b"ok",)] or astray:
                return None
            listed = connection.execute("PRAGMA table_list").fetchall()
            tables = [row[1].decode() for row in listed if not row[1].startswith(b"sqlite_")]
            return [
                f"{table} {row}"
                for table in sorted(tables)
                for row in sorted(connection.execute(f'SELECT * FROM "{table}"'), key=repr)  # noqa: S608
            ]
    except (sqlite3.DatabaseError, UnicodeDecodeError):
        return None


@databases.ONE_DATABASE
def test_a_damaged_database_is_copied_only_on_demand(club: Shell, tmp_path: Path) -> None:
    club.run("db check")
    with closing(sqlite3.connect(club.url)) as connection:
        connection.execute("DELETE FROM player WHERE userid = 'bob'")
        connection.commit()
    refused = club.run(f"backup {tmp_path}/copy.sqlite")
    copied = club.run(f"backup {tmp_path}/copy.sqlite --damaged")

    assert refused.code == 70
    assert "--damaged copies it anyway" in refused.err
    assert (copied.code, copied.out.splitlines()[1]) == (
        1,
        "Damaged: rows name others that are not there",
    )
