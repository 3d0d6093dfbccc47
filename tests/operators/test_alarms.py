"""The rules for alarms on the page ``monitoring``: each is raised by its fault, and by no other."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa

from pbmserv.club.letter import Letter, LetterKind
from pbmserv.mail.outbox_sender import OutboxSender
from pbmserv.mail.transports import open_transport
from pbmserv.store.mail.budgets import Purpose, Requester, max_letters
from pbmserv.store.store import Records, Store
from tests.databases import ONE_DATABASE
from tests.in_process_shell import Shell
from tests.mail.alarm_rules import alarms, read_figures, rules, rules_text
from tests.mail.loopback_mail_server import free_port, mail_server
from tests.mail.server_by_mail import US, Pocket

HOUR = 3600
LETTER = Letter(LetterKind.OPERATOR, "carol@example.net", "Hello", "Hello.")

Fault = Callable[[Shell, Path], object]


def change(shell: Shell, act: Callable[[Records], object]) -> None:
    store = Store.open(shell.url)
    with store.writing(for_operators=True) as records:
        act(records)
    store.close()


def execute(shell: Shell, statement: str) -> None:
    change(shell, lambda records: records.connection.execute(sa.text(statement)))


def spoil_database(shell: Shell, folder: Path) -> None:
    del folder
    Path(shell.url).write_text("This is no database.")


def kill_server(shell: Shell, folder: Path) -> None:
    del folder
    change(shell, lambda r: r.clocks.note_daemon("here 1", int(time.time()) - HOUR))


def forget_to_tick(shell: Shell, folder: Path) -> None:
    del folder
    execute(shell, "UPDATE moment SET at = at - 10800 WHERE name = 'settled'")


def send_nothing(shell: Shell, folder: Path) -> None:
    del folder
    change(shell, lambda r: r.outbox.post([LETTER], int(time.time()) - HOUR))


def refuse_a_letter(shell: Shell, folder: Path) -> None:
    del folder
    change(shell, lambda r: r.outbox.post([LETTER], int(time.time())))
    store, keys = Store.open(shell.url), Pocket("nowhere")  # type: ignore[arg-type]
    with mail_server() as server:
        server.refuse[LETTER.address] = "550 No such user"
        way = open_transport(f"smtp://127.0.0.1:{server.port}")
        assert OutboxSender(store, US, keys, way, lambda: int(time.time())).send_due().failed == 1
    store.close()


def leave_mail(shell: Shell, folder: Path, part: str = "new") -> None:
    (folder / "in" / part).mkdir(parents=True)
    mail = folder / "in" / part / "1"
    mail.touch()
    os.utime(mail, times=(time.time() - HOUR,) * 2)
    shell.monkeypatch.setenv("PBMSERV_MAILDIR", str(folder / "in"))


def put_mail_aside(shell: Shell, folder: Path) -> None:
    leave_mail(shell, folder, "shunt")


def let_a_robot_wait(shell: Shell, folder: Path) -> None:
    del folder
    shell.run("admin robot add ada -level=14")
    shell.run("hex challenge ada alice")
    execute(shell, "UPDATE match SET changed_at = changed_at - 10800")


def answer_no_browser(shell: Shell, folder: Path) -> None:
    del folder
    shell.monkeypatch.setenv("PBMSERV_WEB", f"127.0.0.1:{free_port()}")


def refused(outcome: str, times: int) -> Fault:
    def note(records: Records) -> None:
        for _ in range(times):
            records.audit.add(at=int(time.time()), source="mail", verb="move", outcome=outcome)

    return lambda shell, _: change(shell, note)


def use_up_a_budget(shell: Shell, folder: Path) -> None:
    del folder
    times = max_letters(Purpose.HELP) + 51

    def ask(records: Records) -> None:
        for _ in range(times):
            records.budgets.allow(Purpose.HELP, Requester(player_id=1), int(time.time()))

    change(shell, ask)


FAULTS: dict[str, Fault] = {
    "PbmservDatabaseAway": spoil_database,
    "PbmservServeSilent": kill_server,
    "PbmservClocksLate": forget_to_tick,
    "PbmservLettersLate": send_nothing,
    "PbmservLetterRefused": refuse_a_letter,
    "PbmservMailWaits": leave_mail,
    "PbmservMailPutAside": put_mail_aside,
    "PbmservRobotsLate": let_a_robot_wait,
    "PbmservWebAway": answer_no_browser,
    "PbmservDefect": refused("defect", 1),
    "PbmservGuessing": refused("wrong-login", 101),
    "PbmservBudgetUsedUp": use_up_a_budget,
}
OF_A_PROBE = {
    *("PbmservDatabaseAway", "PbmservServeSilent", "PbmservMailWaits", "PbmservWebAway"),
}
"""What the quick look finds of them; it waits longer for clocks and letters."""


def test_each_rule_has_its_fault() -> None:
    assert rules().keys() == FAULTS.keys()


@ONE_DATABASE
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_raises_its_alarm_and_no_other(playing: Shell, tmp_path: Path, name: str) -> None:
    assert playing.run("tick").code == 0
    before = playing.run("doctor -metrics")
    assert alarms(before.out) == []
    assert playing.run("doctor -quick").code == 0
    FAULTS[name](playing, tmp_path)
    after = playing.run("doctor -metrics")

    assert alarms(after.out, before.out) == [name]
    assert after.code == (name == "PbmservDatabaseAway")
    assert playing.run("doctor -quick").code == (name in OF_A_PROBE)


@ONE_DATABASE
def test_while_there_is_maintenance_nothing_is_late(playing: Shell) -> None:
    playing.run("tick")
    send_nothing(playing, Path())
    forget_to_tick(playing, Path())
    assert alarms(playing.run("doctor -metrics").out) == ["PbmservClocksLate", "PbmservLettersLate"]
    playing.run("admin maintenance on")

    assert alarms(playing.run("doctor -metrics").out) == []
    assert playing.run("doctor -quick").code == 0


@ONE_DATABASE
def test_clocks_that_were_never_checked_are_late_at_once_while_boards_run(
    playing: Shell,
) -> None:
    name = "pbmserv_last_tick_age_seconds", frozenset[tuple[str, str]]()
    found = playing.run("doctor -quick --json")
    problems = {fact["name"] for fact in found.document["facts"] if fact["problem"]}

    assert read_figures(playing.run("doctor -metrics").out)[name] == float("inf")
    assert (found.code, problems) == (1, {"last_tick_age_seconds"})
    playing.run("star resign 101 alice secret-alice")
    assert name not in read_figures(playing.run("doctor -metrics").out)
    assert playing.run("doctor -quick").code == 0


@ONE_DATABASE
def test_each_program_that_looks_after_the_club_is_counted_until_it_ends(playing: Shell) -> None:
    name, now = ("pbmserv_daemons", frozenset[tuple[str, str]]()), int(time.time())

    def counted() -> float:
        return read_figures(playing.run("doctor -metrics").out)[name]

    assert counted() == 0
    for each in ("one 1", "two 1"):
        change(playing, lambda r, each=each: r.clocks.note_daemon(each, now))  # type: ignore[misc]
    assert counted() == 2
    change(playing, lambda r: r.clocks.note_daemon("one 1", now, is_over=True))
    assert counted() == 1


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed")
@ONE_DATABASE
def test_prometheus_takes_the_rules_and_the_figures(playing: Shell, tmp_path: Path) -> None:
    (tmp_path / "rules.yml").write_text(rules_text())
    words = ["promtool", "check", "rules", str(tmp_path / "rules.yml")]
    checked = subprocess.run(words, capture_output=True, text=True, check=False)
    figures = playing.run("doctor -metrics").out
    seen = subprocess.run(
        ["promtool", "check", "metrics"], input=figures, capture_output=True, text=True, check=False
    )

    assert f"{len(FAULTS)} rules found" in checked.stdout
    assert checked.returncode == 0
    assert "error" not in seen.stderr
