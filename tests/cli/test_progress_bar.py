"""On a terminal a long command shows how far it is; elsewhere there is nothing of it."""

import sys
from pathlib import Path

import pytest

from pbmserv.cli import progress_bar
from tests.store.test_upgrade import old_club

from .in_process_shell import Shell

LONG = [
    "admin check",
    "admin rate",
    "admin export {}/x.txt",
    "admin import {}/x.txt --database={}/new.sqlite",
    "backup {}/x.sqlite",
    "restore {}/x.sqlite --yes",
]


def sit_at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard error as a terminal, on which nothing is too short to be shown."""
    monkeypatch.setattr(progress_bar, "PATIENCE", 0)
    monkeypatch.setattr(progress_bar, "PAUSE", 0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.setenv("COLUMNS", "100")


def lines(shell: Shell, folder: Path) -> list[str]:
    shell.run("star resign 101 alice secret-alice")
    return [line.replace("{}", str(folder)) for line in LONG]


@pytest.mark.slow
def test_a_terminal_shows_how_far_it_is_and_the_time_left(playing: Shell, tmp_path: Path) -> None:
    sit_at_a_terminal(playing.monkeypatch)
    for line in lines(playing, tmp_path):
        done = playing.run(line)

        assert done.code == 0
        assert f"pbmserv {' '.join(line.split()[: 1 + line.startswith('admin')])} " in done.err
        assert "100%" in done.err
        assert "0:00:00" in done.err


def test_elsewhere_there_is_nothing_of_it(playing: Shell, tmp_path: Path) -> None:
    for line in lines(playing, tmp_path):
        assert "%" not in playing.run(line).err


@pytest.mark.slow
def test_an_upgrade_shows_how_far_it_is(
    empty_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    old_club(empty_url)
    sit_at_a_terminal(monkeypatch)
    done = Shell(empty_url, monkeypatch, capsys).run(f"db upgrade '--database={empty_url}'")

    assert done.code == 0
    assert "100%" in done.err
