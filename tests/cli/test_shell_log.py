"""The log of the shell's door: who did what, with what outcome, and no word that was typed."""

import re
import syslog
from getpass import getuser
from pathlib import Path

import pytest

from tests.databases import ONE_DATABASE
from tests.in_process_shell import Shell

LINES = [
    "star move 101 alice secret-alice B3 -comment=hush",
    "star move 101 alice secret-alice B3",
    "star move 101 alice secret-wrong D3",
    "star show 101",
    "whoami",
    "admin audit",
    "star nonsense",
]
NOTED = [
    'alice code=done command="star move" board=star/101',
    'alice code=not-your-turn command="star move" board=star/101',
    '- code=wrong-login command="star move" board=star/101',
    '- code=done command="star show"',
    "- code=not-signed-in command=whoami",
    '- code=done command="admin audit"',
]


@ONE_DATABASE
def test_each_command_of_shell_and_batch_is_noted_in_a_file_of_ones_own(
    playing: Shell, tmp_path: Path
) -> None:
    file = tmp_path / "shell.log"
    playing.monkeypatch.setenv("PBMSERV_SHELL_LOG", str(file))
    for line in LINES:
        playing.run(line)
    playing.run("batch -", "star resign 101 bob secret-bob\n")
    noted = file.read_text().splitlines()

    assert [re.sub(r"^\S+Z shell \S+ ", "", line) for line in noted] == [
        *NOTED,
        'bob code=done command="star resign" board=star/101',
        "- code=done command=batch",
    ]
    assert all(line.split()[2] == getuser() for line in noted)
    assert file.stat().st_mode & 0o777 == 0o600


@ONE_DATABASE
def test_the_systems_log_takes_them_too(playing: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(syslog, "syslog", lambda level, line: said.append(f"<{level}>{line}"))
    playing.monkeypatch.setenv("PBMSERV_SHELL_LOG", "syslog:")
    playing.run("star show 101")

    found = 'code=done command="star show"'
    assert said == [f"<6>shell {getuser()} - {found}"]


@ONE_DATABASE
def test_a_log_that_cannot_be_written_hinders_nobody_and_doctor_tells(
    playing: Shell, tmp_path: Path
) -> None:
    playing.monkeypatch.setenv("PBMSERV_SHELL_LOG", f"{tmp_path}/nowhere/shell.log")

    assert playing.run("star show 101").code == 0
    assert "You cannot write to this file, so nothing is logged." in playing.run("doctor").out
