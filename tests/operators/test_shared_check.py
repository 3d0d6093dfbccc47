"""admin check by several processes: what one finds, in the same order, however it ends."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import sqlalchemy as sa

from pbmserv.errors import Fault
from pbmserv.operators import admin_check
from pbmserv.side_processes import shared_out
from pbmserv.store.connection import Mode, open_transaction
from pbmserv.store.store import Store
from tests import databases
from tests.bench.club_database import build
from tests.in_process_shell import Shell
from tests.installed_program import is_alive

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("cheap")]

MATCHES = 900
DAMAGE = (
    "UPDATE match SET points_x = 99 WHERE id IN (40, 41, 800)",
    "UPDATE move SET digest = 'zzz' WHERE match_id = 500 AND ply = 3",
    "UPDATE clock SET due_at = NULL WHERE match_id = 897",
    "UPDATE rating SET value = 2500 WHERE player_id = (SELECT min(player_id) FROM rating)",
    "UPDATE match SET turns = turns + 1 WHERE id = 41",
    "UPDATE counter SET value = 5 WHERE name = 'board:hex'",
    "UPDATE tournament SET limits = '' WHERE id = 101",
)
WORDS = (
    *("points_x", "its digest differs", "never due", "terms of tournament", "below the highest"),
    *("turns", "differs from the recalculated one"),
)


def change(url: str, *statements: str) -> None:
    store = Store.open(url)
    with open_transaction(store.engine, Mode.WRITE) as connection:
        for statement in statements:
            connection.execute(sa.text(statement))
        connection.commit()
    store.close()


def share_out(monkeypatch: pytest.MonkeyPatch, processes: int) -> None:
    monkeypatch.setattr(admin_check, "BOARDS_A_PROCESS", 100)
    monkeypatch.setattr(admin_check, "processors", lambda: processes)


def test_several_processes_find_what_one_finds(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(shell.url, MATCHES)
    share_out(monkeypatch, 2)
    sound = shell.run("admin check --json")
    change(shell.url, *DAMAGE)
    shared = shell.run("admin check --json")
    share_out(monkeypatch, 1)
    alone = shell.run("admin check --json")

    assert (sound.code, sound.document) == (0, {"boards": MATCHES + 1, "problems": []})
    assert (shared.code, shared.document) == (alone.code, alone.document)
    problems = " ".join(shared.document["problems"])
    assert [word for word in WORDS if word not in problems] == []


def test_only_what_changed_is_checked_since_a_day(shell: Shell) -> None:
    build(shell.url, MATCHES)
    change(
        shell.url,
        "UPDATE match SET points_x = 99 WHERE id = 40",
        "UPDATE clock SET due_at = NULL WHERE match_id = 897",
        "UPDATE rating SET value = 2500 WHERE player_id = (SELECT min(player_id) FROM rating)",
    )
    day = time.strftime("%Y-%m-%d", time.gmtime(time.time() - 4 * 86_400))
    found = shell.run(f"admin check -since={day} --json")
    refused = shell.run("admin check -since=yesterday --json")

    assert found.code == 1
    assert 1 < found.document["boards"] < MATCHES // 10
    assert [problem.partition(": ")[2] for problem in found.document["problems"]] == [
        "its clock is never due"
    ]
    assert refused.document["error"]["code"] == "bad-date"


def test_a_process_that_is_killed_ends_the_work_with_a_word() -> None:
    results = shared_out(f"{__name__}:dying", None, [0, 1, 2], 2)
    with pytest.raises(Fault) as caught:
        list(results)

    assert caught.value.code == "process-lost"


def dying(setting: object) -> object:
    del setting
    return lambda task: os.kill(os.getpid(), signal.SIGKILL) if task == 1 else [task]


INTERRUPTED = """
from pbmserv.operators import admin_check
admin_check.BOARDS_A_PROCESS = 10
admin_check.processors = lambda: 2
from pbmserv.cli.start import pbmserv
pbmserv()
"""


@databases.ONE_DATABASE
def test_an_interruption_leaves_no_process_and_no_traceback(shell: Shell) -> None:
    build(shell.url, 6000)
    command = [sys.executable, "-c", INTERRUPTED, "admin", "check", f"--database={shell.url}"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        children: list[str] = []
        while len(children) < 2 and process.poll() is None:
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)

    assert (process.returncode, "interrupted" in said, "Traceback" in said) == (130, True, False), (
        said
    )
    # One that has just been begun ends by itself.
    deadline = time.monotonic() + 60
    while any(is_alive(int(child)) for child in children):
        assert time.monotonic() < deadline
        time.sleep(0.1)
