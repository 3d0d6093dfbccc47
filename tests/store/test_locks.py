"""Lock files: whose they are, and what doctor says of them."""

import os
from pathlib import Path

import pytest

from pbmserv.store.database_facts import inspect
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
