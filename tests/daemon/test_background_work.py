"""Letters leave and clocks are settled while mails are taken in, and neither waits."""

import fcntl
import os
import signal
import socket
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from pbmserv.cli.options import ShellOptions
from pbmserv.cli.shell import Shell
from pbmserv.daemon import periodic_tasks
from pbmserv.daemon.mail_log import Log
from pbmserv.daemon.periodic_tasks import PeriodicTasks
from pbmserv.desk.door import Desk
from pbmserv.errors import EXIT_INTERRUPTED, Fault
from pbmserv.store.store import Store
from tests import databases
from tests.daemon.mail_receive_process import Installation, a_mail
from tests.installed_program import children, impatient, waited_for


@pytest.fixture
def here(sqlite_template: Path, tmp_path: Path) -> Installation:
    databases.copy_template(sqlite_template, tmp_path / "server")
    installation = Installation(tmp_path / "server")
    for part in ("in/new", "in/cur", "in/tmp", "in/shunt"):
        (installation.folder / part).mkdir(parents=True)
    return installation


def settled(here: Installation) -> int | None:
    with closing(Store.open(here.database)) as store, store.reading() as records:
        return records.clocks.settled_at()


@pytest.mark.slow
def test_what_keeps_a_backup_is_told_once_and_holds_up_nothing(
    here: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, lines = here.folder / "backups", list[str]()
    monkeypatch.setenv("PBMSERV_BACKUP_FOLDER", str(folder))
    monkeypatch.setenv("PBMSERV_DATABASE_URL", here.database)
    monkeypatch.setattr(periodic_tasks, "BACKUP_PAUSE", 0.0)
    monkeypatch.setattr(periodic_tasks, "TICK_PAUSE", 0.0)
    shell = Shell(ShellOptions())
    work = PeriodicTasks(shell.new_desk(), Log(shell, lines.append))
    folder.mkdir()
    (folder / "mine.txt").touch()
    seen = set[int]()
    while len(seen) < 3:  # tries
        work.run_once()
        seen.update(children(os.getpid()))
    monkeypatch.setattr(periodic_tasks, "BACKUP_PAUSE", 600.0)
    while children(os.getpid()):
        work.run_once()
    monkeypatch.setattr(periodic_tasks, "BACKUP_PAUSE", 0.0)
    told = [line.split(" ", 1)[1] for line in lines]
    (folder / "mine.txt").unlink()
    with (folder / ".pbmserv-backup.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)  # as another daemon has it while it makes one
        with work.in_background():
            waited_for(lambda: children(os.getpid()))
            before = settled(here)
            waited_for(lambda: settled(here) != before)

        assert not children(os.getpid())
    assert told == [f"No backup was made: The folder {folder} contains other files.\n"]
    assert [file.name for file in folder.iterdir()] == [".pbmserv-backup.lock"]


@pytest.mark.slow
@pytest.mark.parametrize("words", [("run",), ("run", "--once"), ("serve", "--lmtp=127.0.0.1:0")])
def test_whoever_takes_mails_in_sends_and_settles(
    here: Installation, words: tuple[str, ...]
) -> None:
    here.run("mail", "receive", data=a_mail("help"))
    process = here.start("mail", *words)
    out = here.folder / "out" / "new"
    while not (out.is_dir() and list(out.iterdir()) and here.was_settled()):
        assert process.poll() in {None, 0}
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate()

    assert process.returncode in {0, -signal.SIGTERM}
    assert b"Traceback" not in errors


@pytest.mark.slow
def test_a_mail_server_that_never_answers_holds_up_no_mail(here: Installation) -> None:
    here.run("mail", "receive", data=a_mail("help"))
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        program = impatient(here.folder, {"pbmserv.daemon.club_services.PAUSE": 0.1})
        hasty = replace(here, program=program)
        process = hasty.start("mail", "run", PBMSERV_MAIL_TRANSPORT=f"smtp://127.0.0.1:{port}")
        waiting, _ = silent.accept()
        (here.folder / "in" / "new" / "2.mail").write_bytes(a_mail("help", 2))
        while not list((here.folder / "in" / "cur").iterdir()):
            assert process.poll() is None
            time.sleep(0.05)
        waiting.setblocking(False)
        with waiting, pytest.raises(BlockingIOError):
            waiting.recv(1)
        process.kill()
        process.communicate()


@pytest.mark.slow
@pytest.mark.parametrize("words", [("mail", "run"), ("mail", "serve", "--lmtp=127.0.0.1:0")])
def test_who_waits_for_a_mail_server_ends_in_time_and_loses_no_letter(
    here: Installation, words: tuple[str, ...]
) -> None:
    here.run("mail", "receive", data=a_mail("help"))
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        program = impatient(here.folder, {"pbmserv.side_processes.GRACE": 0.3})
        hasty = replace(here, program=program)
        process = hasty.start(*words, PBMSERV_MAIL_TRANSPORT=f"smtp://127.0.0.1:{port}")
        waiting, _ = silent.accept()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)  # the server would be waited for twice as long
        waiting.close()
    store = Store.open(here.database)
    with store.reading() as records:
        letters = records.lists.letters().rows
    store.close()

    assert process.returncode == EXIT_INTERRUPTED
    assert [letter.state for letter in letters] == ["waiting"]


def test_what_goes_wrong_is_logged_when_it_is_new(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBMSERV_MAIL_ADDRESS", "pbmserv@example.org")
    monkeypatch.setenv("PBMSERV_MAIL_TRANSPORT", "print:")
    away = Fault("The database is away.", code="database-missing")
    failure: Exception = away

    def open_store() -> Store:
        raise failure

    lines: list[str] = []
    work = PeriodicTasks(Desk(open_store), Log(Shell(ShellOptions()), lines.append))
    for failure in (away, away, OSError(), away, away):  # noqa: B007 - it is raised above
        work.run_once()
    told = [line.split(" ", 1)[1] for line in lines]

    gone = f"{away.message} code=database-missing\n"
    assert told == [gone, "internal error: OSError code=defect\n", gone]
