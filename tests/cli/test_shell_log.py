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
    "alice done (star move 101)",
    "alice not-your-turn (star move 101)",
    "- wrong-login (star move 101)",
    "- done (star show)",
    "- not-signed-in (whoami)",
    "- done (admin audit)",
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
        "bob done (star resign 101)",
        "- done (batch)",
    ]
    assert all(line.split()[2] == getuser() for line in noted)
    assert file.stat().st_mode & 0o777 == 0o600


@ONE_DATABASE
def test_the_systems_log_takes_them_too(playing: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(syslog, "syslog", said.append)
    playing.monkeypatch.setenv("PBMSERV_SHELL_LOG", "syslog:")
    playing.run("star show 101")

    assert [line.partition(" shell ")[2] for line in said] == [f"{getuser()} - done (star show)"]


@ONE_DATABASE
def test_a_log_that_cannot_be_written_hinders_nobody_and_doctor_tells(
    playing: Shell, tmp_path: Path
) -> None:
    playing.monkeypatch.setenv("PBMSERV_SHELL_LOG", f"{tmp_path}/nowhere/shell.log")

    assert playing.run("star show 101").code == 0
    assert "You cannot write to this file, so nothing is logged." in playing.run("doctor").out
