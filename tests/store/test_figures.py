"""Boards are counted as they begin and end, and the counts are those of the boards."""

import random
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import sqlalchemy as sa

from pbmserv.cli.shell_commands import SHELL, shell_families
from pbmserv.commands.command_table import root
from pbmserv.desk.tick import tick
from pbmserv.store.connection import Mode, begun
from pbmserv.store.matches import figures
from pbmserv.store.matches.figures import Figures
from pbmserv.store.store import Store
from tests.local_server import LocalServer

from .sample_rows import new_match


@pytest.fixture
def club(local: LocalServer) -> LocalServer:
    local.desk.tree = root(SHELL, shell_families())
    local.sign_up("alice", "bob", "carol")
    return local


def wrong(local: LocalServer) -> list[str]:
    with local.desk.store.reading() as records:
        return records.figures.wrong_specs()


def rows(local: LocalServer) -> int:
    return len(local.tables()["result_count"])


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
    assert wrong(club) == []


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

    assert wrong(club) == []
    assert club.json("stats")["games"] == before["games"]


def test_a_tick_puts_rows_together(club: LocalServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(6):
        club.move(club.start(), "alice", "resign")
    before, many = club.json("stats"), rows(club)
    tick(club.desk)
    still = rows(club)
    monkeypatch.setattr(figures, "SLACK", 0)
    tick(club.desk)

    assert many == still > rows(club) == 1
    assert club.json("stats") == before


@contextmanager
def writing(store: Store) -> Iterator[sa.Connection]:
    with begun(store.engine, Mode.WRITE) as connection:
        yield connection
        connection.rollback()


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
@pytest.mark.slow
def test_nobody_waits_for_a_count_and_none_is_lost(database_url: str) -> None:
    store = Store.open(database_url)
    board = new_match(store)
    with writing(store) as first, writing(store) as second:
        for connection in (first, second):
            connection.exec_driver_sql("SET LOCAL lock_timeout = '2s'")
        Figures(first).note(None, board)
        Figures(second).note(None, board)
        Figures(first).put_together()
        first.commit()
        second.commit()
    with store.reading() as records:
        found = records.figures.by_kind()
    store.close()

    assert [count.games for count in found.values()] == [3]
