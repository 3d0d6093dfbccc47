"""With --dry-run a command says what it would do, after having tried it, and does nothing."""

from pathlib import Path

import pytest

from pbmserv.store.schema import HEAD
from tests.store.test_upgrade import old_club

from .in_process_shell import Shell
from .test_admin_changes import tables

HEADED = "Nothing was changed. Without --dry-run:\n\n"


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if ".lock" not in path.name}


def test_restore_is_rehearsed(playing: Shell, tmp_path: Path) -> None:
    playing.run(f"backup {tmp_path}/x.sqlite")
    playing.json("signup carol secret-carol")
    before, names = tables(playing.url), files(tmp_path)
    done = playing.run(f"restore {tmp_path}/x.sqlite --dry-run")

    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"{HEADED}The database is restored from {tmp_path}/x.sqlite.")
    assert (tables(playing.url), files(tmp_path)) == (before, names)
    (tmp_path / "y.sqlite").write_text("no backup")
    assert playing.run(f"restore {tmp_path}/y.sqlite --dry-run").code == 1
    assert (
        playing.run(f"restore {tmp_path}/y.sqlite --yes --database={tmp_path}/z.sqlite").code == 1
    )
    assert files(tmp_path) == {*names, "y.sqlite"}


@pytest.mark.slow
def test_import_is_rehearsed_into_what_is_there_or_nothing(shell: Shell, tmp_path: Path) -> None:
    export, new = tmp_path / "x.txt", tmp_path / "new.sqlite"
    shell.run(f"admin export {export}")
    before = tables(shell.url)
    rehearsed = [
        shell.run(f"admin import {export} --dry-run{at}") for at in ("", f" --database={new}")
    ]
    export.write_text(export.read_text().replace('"rows"', '"row"'))

    assert {(done.code, done.out) for done in rehearsed} == {
        (0, f"{HEADED}0 rows read from {export}.\n")
    }
    for end in (" --dry-run", ""):
        assert shell.run(f"admin import {export} --database={new}{end}").code == 1
    assert tables(shell.url) == before
    assert not new.exists()


@pytest.mark.slow
def test_an_upgrade_is_rehearsed(
    empty_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PBMSERV_DATABASE_URL", empty_url)
    shell = Shell(empty_url, monkeypatch, capsys)
    missing = shell.run("db upgrade --dry-run")
    old_club(empty_url)
    tried = shell.run("db upgrade --dry-run")
    version = shell.run("db current --json")
    done = shell.run("db upgrade")
    again = shell.json("db upgrade --dry-run")

    assert missing.out.startswith(f"{HEADED}Created the database ")
    assert tried.out.endswith(f" from version 0001 to {HEAD}.\n")
    assert tried.err == "Some finished games are not rated yet: run pbmserv admin rate.\n"
    assert version.document["schema"] == "0001"
    assert "not rated yet: run pbmserv admin rate.\n" in done.err
    assert (again["version"], again["upgraded_to"]) == (HEAD, HEAD)
