"""Locks: of rows where a server has them, else files beside the database, and whose they are."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa
import sqlalchemy.dialects.postgresql

from pbmserv.store.files.database_facts import inspect
from pbmserv.store.matches.clocks import Absences, Clocks
from pbmserv.store.matches.matches import Matches
from pbmserv.store.matches.tournaments import Tournaments
from pbmserv.store.people.ratings import Ratings
from pbmserv.store.people.seeks import AvailabilityAndSeeks
from pbmserv.store.people.whole_accounts import Accounts
from pbmserv.store.store import Store
from tests.databases import ONE_DATABASE

SOMEBODY = 4321
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")


def locks_of(file: Path) -> list[os.stat_result]:
    return [file.with_name(f"{file.name}{end}").stat() for end in (".lock", ".lock-next")]


def write(url: str) -> None:
    store = Store.open(url)
    with store.writing():
        pass
    store.close()


def problems(url: str) -> list[str]:
    return [fact.problem for fact in inspect(url) if fact.problem]


@needs_root
@ONE_DATABASE
def test_a_lock_that_root_makes_belongs_to_the_owner_of_the_database(database_url: str) -> None:
    file = Path(database_url)
    os.chown(file, SOMEBODY, SOMEBODY)
    file.chmod(0o660)
    write(database_url)

    assert [(s.st_uid, s.st_gid, s.st_mode & 0o777) for s in locks_of(file)] == [
        (SOMEBODY, SOMEBODY, 0o660)
    ] * 2


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o660, 0o664, 0o666])
@ONE_DATABASE
def test_who_may_write_to_the_database_may_lock_it_and_nobody_else(
    database_url: str, mode: int
) -> None:
    Path(database_url).chmod(mode)
    write(database_url)

    assert [mode] * 2 == [lock.st_mode & 0o777 for lock in locks_of(Path(database_url))]


@needs_root
@ONE_DATABASE
def test_doctor_sees_a_lock_of_another_owner(database_url: str) -> None:
    file = Path(database_url)
    write(database_url)
    os.chown(file.with_name(f"{file.name}.lock"), SOMEBODY, SOMEBODY)

    assert problems(database_url) == [f"give it to the owner of {file.name}"]


@ONE_DATABASE
def test_doctor_sees_a_database_that_cannot_be_written(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    can = os.access
    monkeypatch.setattr(
        os, "access", lambda path, mode: can(path, mode) and path != Path(database_url)
    )

    assert problems(database_url) == [f"you cannot write to {database_url}"]


class Locked(Exception):
    """A database was asked to lock rows."""


class Asked:
    """A connection to PostgreSQL that goes no further than the first lock."""

    dialect: Any = sa.dialects.postgresql.dialect()  # type: ignore[no-untyped-call]

    def __init__(self) -> None:
        self.dialect.dbapi = SimpleNamespace(Error=OSError)

    def execute(self, statement: sa.ClauseElement, *_: object) -> None:
        self.exec_driver_sql(str(statement.compile(dialect=self.dialect)))

    def exec_driver_sql(self, text: str, *_: object) -> None:
        assert not text.startswith("SELECT") or "FOR " in text, text
        if not text.startswith("INSERT"):
            raise Locked(text)


@pytest.mark.parametrize(
    ("lock", "words"),
    [
        (lambda to: Matches(to).find("star", 101, lock=True), "match.* FOR UPDATE$"),
        (lambda to: Matches(to).get(1, lock=True), "match.* FOR UPDATE$"),
        (lambda to: Clocks(to).on_move(1), "match.* FOR UPDATE$"),
        (lambda to: Absences(to).of([1], lock=True), "player.* FOR NO KEY UPDATE$"),
        (lambda to: AvailabilityAndSeeks(to).lock([1]), "player.* FOR NO KEY UPDATE$"),
        (lambda to: Ratings(to).lock([1], "star"), "rating.* FOR UPDATE$"),
        (lambda to: Ratings(to).hold(), "^LOCK TABLE rating, rating_change"),
        (lambda to: Tournaments(to).find(1, lock=True), "tournament.* FOR UPDATE$"),
        (lambda to: Accounts(to).merge(1, 2, 0), "^LOCK TABLE player, match, move IN SHARE ROW"),
    ],
)
def test_what_is_to_be_locked_is_locked_before_anything_of_it_is_read(
    lock: Callable[[Any], object], words: str
) -> None:
    with pytest.raises(Locked) as asked:
        lock(Asked())

    assert re.search(words, " ".join(str(asked.value).split()))
