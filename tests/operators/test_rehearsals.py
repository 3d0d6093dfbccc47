"""With --dry-run a command says what it would do, after having tried it, and does nothing."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from pbmserv.store.files import schema
from pbmserv.store.files.schema import BEFORE, HEAD
from pbmserv.store.store import Store
from tests.databases import ONE_DATABASE
from tests.in_process_shell import Shell
from tests.operators.test_admin_changes import tables
from tests.store.test_upgrade import stamp

HEADED = "Nothing was changed. Without --dry-run:\n\n"


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if ".lock" not in path.name}


def test_restore_is_rehearsed(playing: Shell, tmp_path: Path) -> None:
    playing.run(f"backup {tmp_path}/x.sqlite")
    playing.json("signup carol secret-carol")
    before, names = tables(playing.url), files(tmp_path)
    done = playing.run(f"restore {tmp_path}/x.sqlite --dry-run")

    assert (done.code, done.err) == (0, "")
    said = f"The database is restored from {tmp_path}/x.sqlite. The old database is kept as "
    assert done.out.startswith(f"{HEADED}{said}")
    document = playing.run(f"restore {tmp_path}/x.sqlite --dry-run --json").document
    assert document["restored"] == f"{tmp_path}/x.sqlite"
    assert "before-restore" in document["kept"]
    assert "\nRestored on trial: 1 board, 2 accounts. The last change was made at " in done.out
    assert done.out.endswith(" UTC, 0 minutes ago.\n")
    assert (document["boards"], document["accounts"], document["wrong"]) == (1, 2, [])
    assert (tables(playing.url), files(tmp_path)) == (before, names)
    (tmp_path / "y.sqlite").write_text("no backup")
    assert playing.run(f"restore {tmp_path}/y.sqlite --dry-run").code == 1
    assert (
        playing.run(f"restore {tmp_path}/y.sqlite --yes --database={tmp_path}/z.sqlite").code == 1
    )
    assert files(tmp_path) == {*names, "y.sqlite"}


@ONE_DATABASE
def test_a_drill_finds_that_a_table_is_missing(playing: Shell, tmp_path: Path) -> None:
    playing.run(f"backup {tmp_path}/x.sqlite")
    with closing(sqlite3.connect(tmp_path / "x.sqlite")) as connection:
        connection.execute("DROP TABLE message")
        connection.commit()
    done = playing.run(f"restore {tmp_path}/x.sqlite --dry-run")

    assert done.code == 1
    assert "message" in done.out


@ONE_DATABASE
@pytest.mark.parametrize(("version", "words"), [(BEFORE, "Upgraded"), (HEAD, "is up to date")])
def test_an_upgrade_of_any_version_is_tried_and_undone(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, version: str, words: str
) -> None:
    made: list[object] = []
    store = Store.open(shell.url)

    def migrate(*_: object, rehearsed: Callable[[object], object]) -> None:
        with store.reading() as records:
            rehearsed(records.connection)
        made.append(version)

    monkeypatch.setattr(schema, "find_version", lambda *_: version)
    monkeypatch.setattr(schema, "migrate", migrate)
    done = shell.run("db upgrade --dry-run --json")

    assert done.document["version"] == version
    assert done.document["upgraded_to"] == HEAD
    assert done.document["database"] == shell.url
    assert made == ([version] if version != HEAD else [])
    assert words in shell.run("db upgrade --dry-run").out
    store.close()


@ONE_DATABASE
def test_an_upgrade_where_there_is_nothing_would_make_a_database(
    shell: Shell, tmp_path: Path
) -> None:
    done = shell.run(f"--database={tmp_path}/none.sqlite db upgrade --dry-run")

    assert done.out == f"{HEADED}Created the database {tmp_path}/none.sqlite.\n"
    assert not (tmp_path / "none.sqlite").exists()


@pytest.mark.slow
def test_an_upgrade_is_rehearsed(
    empty_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PBMSERV_DATABASE_URL", empty_url)
    shell = Shell(empty_url, monkeypatch, capsys)
    missing = shell.run("db upgrade --dry-run")
    Store.open(empty_url).close()
    stamp(empty_url, BEFORE)
    tried = shell.run("db upgrade --dry-run")
    version = shell.run("db current --json")
    done = shell.run("db upgrade")
    again = shell.json("db upgrade --dry-run")

    assert missing.out.startswith(f"{HEADED}Created the database ")
    assert tried.out.endswith(f" from version {BEFORE} to {HEAD}.\n")
    assert version.document["schema"] == BEFORE
    assert f"from version {BEFORE} to {HEAD}." in done.err
    assert (again["version"], again["upgraded_to"]) == (HEAD, HEAD)
