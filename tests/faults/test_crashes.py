import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests import databases

from .killed_servers import CELLS
from .two_players import PASSWORD, held, problems, program, set_up

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
SYNCS = ("fsync", "fdatasync", "unlink", "write")
WRITES = ("pwrite64", "ftruncate")


def require_old_or_new(ply: int, found: list[int]) -> None:
    """See that the board holds exactly the moves before this one, or this one too."""
    assert found in ([ply - 1] * 3, [ply] * 3)


def test_a_move_cut_off_between_two_statements_was_made_or_not(database_url: str) -> None:
    set_up(database_url)
    words = [sys.executable, "-m", "tests.faults.cut_off_moves", database_url]
    done = subprocess.run(words, stdout=subprocess.PIPE, check=True, text=True, cwd=ROOT)
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    played = [report["held"][0] - report["before"] for report in reports]
    print(f"{len(reports)} points, after {sum(played)} of them the move was made")

    for report in reports:
        require_old_or_new(report["before"] + 1, report["held"])
    for report, is_played in zip(reports, played, strict=True):
        assert report["refused"] == ("wrong-move-number" if is_played else "")
    assert set(played) == {0, 1}
    assert problems(database_url) == []


def stopped_move(url: str, ply: int, call: str, number: int) -> bool:
    """Play a move, killed when it asks the system for the n-th of these calls; tell whether."""
    userid = "alice" if ply % 2 else "bob"
    kill = ["-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={number}"]
    move = program(url, "star", "move", "101", userid, PASSWORD, f"{CELLS[ply - 1]}#{ply}")
    done = subprocess.run(
        ["strace", "-f", "-o", "/dev/null", *kill, *move],
        capture_output=True,
        check=False,
    )
    return done.returncode == -signal.SIGKILL


def test_a_move_cut_off_at_a_write_to_the_disk_was_made_or_not(
    sqlite_template: Path, tmp_path: Path, *, full: bool
) -> None:
    if not shutil.which("strace"):
        pytest.skip("strace is not installed")
    url = databases.copy_template(sqlite_template, tmp_path / "database")
    set_up(url)
    played: list[bool] = []
    ply = 1
    for call in (*SYNCS, *WRITES) if full else SYNCS:
        number = 1
        while stopped_move(url, ply, call, number):
            found = held(url)
            require_old_or_new(ply, found)
            played.append(found[0] == ply)
            ply = found[0] + 1
            number += 1
        ply += 1
    print(f"{len(played)} calls, after {sum(played)} of them the move was made")

    assert set(played) == {False, True}
    assert held(url) == [ply - 1] * 3
    assert problems(url) == []
