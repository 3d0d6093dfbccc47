"""A received move that is cut off at each call to the system was made whole or not at all."""

import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from pbmserv.store.mail.outbox import LetterState
from tests import databases
from tests.daemon.mail_receive_process import Installation
from tests.faults.test_crashes import SYNCS, WRITES
from tests.faults.two_players import PROGRAM, opened, problems

from .killed_mail_runner import Club

pytestmark = pytest.mark.slow

CALLS = (*SYNCS, *WRITES, "rename")
SAMPLE = ("fdatasync", "unlink")
"""What commits: the rest of a sync's calls fall between two of these."""


def held(club: Club) -> list[int]:
    """Return how many moves there are by the board, the inbox, and the letters about them."""
    with opened(club.here.database) as store, store.reading() as records:
        match = records.matches.find("star", 101)
        arrivals = records.lists.arrivals().rows
        letters = records.outbox.counts()[LetterState.WAITING]
    assert match is not None
    assert {"done"} >= {arrival.outcome for arrival in arrivals}
    assert club.cells[: len(match.turns)] == tuple(turn.text for turn in match.turns)
    return [len(match.turns), len(arrivals), letters // 2 - 1]


def stopped_mail(here: Installation, data: bytes, call: str, number: int) -> bool:
    """Bring a mail, killed at the n-th of these calls to the system; tell whether it was."""
    kill = ["-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={number}"]
    done = subprocess.run(
        ["strace", "-f", "-o", "/dev/null", *kill, str(PROGRAM), "mail", "receive"],
        env=here.environ,
        input=data,
        capture_output=True,
        check=False,
    )
    assert (b"", b"") == (done.stdout, done.stderr)
    assert done.returncode in {0, -signal.SIGKILL}
    return done.returncode != 0


def cut_off_at_each(club: Club, call: str) -> list[bool]:
    """Bring mails cut off at the first of these calls, the second, ...; tell which were done."""
    played: list[bool] = []
    while stopped_mail(club.here, club.move(0, len(played)), call, len(played) + 1):
        ply = len(played)
        found = held(club)
        again = club.here.run("mail", "receive", data=club.move(0, ply))

        assert found in ([ply] * 3, [ply + 1] * 3)
        assert (0, [ply + 1] * 3) == (again.returncode, held(club))
        played.append(found[0] > ply)

    assert [len(played) + 1] * 3 == held(club)
    assert [] == problems(club.here.database)
    return played


def test_a_mail_cut_off_at_a_call_to_the_system_was_done_or_not(
    sqlite_template: Path, tmp_path: Path, *, full: bool
) -> None:
    if not shutil.which("strace"):
        pytest.skip("strace is not installed")
    played: list[bool] = []
    for call in CALLS if full else SAMPLE:
        databases.copy_template(sqlite_template, tmp_path / call)
        played += cut_off_at_each(Club(Installation(tmp_path / call), 1, size=14), call)
    print(f"{len(played)} calls, after {sum(played)} of them the mail was done")

    assert {False, True} == set(played)
