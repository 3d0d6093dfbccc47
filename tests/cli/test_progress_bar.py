"""On a terminal a long command shows how far it is; elsewhere there is nothing of it."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from pbmserv.cli import progress_bar
from pbmserv.cli.shell_commands import SHELL, shell_families
from pbmserv.commands.command_table import root
from pbmserv.operators import admin_check, admin_ratings
from pbmserv.operators.admin_check import wrong_of
from pbmserv.store.people import ratings
from pbmserv.store.progress import WATCH
from tests.databases import ONE_DATABASE
from tests.in_process_shell import Shell
from tests.local_server import LocalServer

LONG = [
    "admin check",
    "admin rate",
    "archive {}/games",
    "backup {}/x.sqlite",
    "restore {}/x.sqlite --yes",
]


TAKEN_AWAY = "\x1b[1A\x1b[2K"
"""What erases the line of a bar."""


def sit_at_a_terminal(
    monkeypatch: pytest.MonkeyPatch, patience: float = 0, pause: float = 0
) -> None:
    """Standard error as a terminal, on which by default nothing is too short to be shown."""
    monkeypatch.setattr(progress_bar, "PATIENCE", patience)
    monkeypatch.setattr(progress_bar, "PAUSE", pause)
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


def test_a_bar_comes_after_a_moment_and_goes_with_what_it_tells_of(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = SimpleNamespace(now=100.0)
    sit_at_a_terminal(monkeypatch, patience=0.5, pause=0.1)
    monkeypatch.setattr(progress_bar, "time", SimpleNamespace(monotonic=lambda: clock.now))

    def shown(done: int, *, after: float) -> str:
        clock.now += after
        watch = WATCH.get()
        assert watch is not None
        watch(done, 4)
        return capsys.readouterr().err

    with progress_bar.progress_bar("Pages"):
        assert "" == shown(1, after=0.4) == shown(4, after=0.0), "it was done in a moment"
        assert "Pages" in shown(1, after=0.2)
        whole = shown(4, after=0.0)
        assert "100%" in whole
        assert whole.endswith(TAKEN_AWAY)
        assert "" == shown(1, after=0.0), "another part begins"
        assert "Pages" in shown(1, after=1.0)
    half = capsys.readouterr().err

    assert " 25%" in half
    assert half.endswith(TAKEN_AWAY)
    assert WATCH.get() is None


@pytest.mark.parametrize("term", ["dumb", None])
def test_a_terminal_that_cannot_take_a_bar_away_has_none(
    monkeypatch: pytest.MonkeyPatch, term: str | None
) -> None:
    sit_at_a_terminal(monkeypatch)
    monkeypatch.setenv("TERM", term or "")
    if term is None:
        monkeypatch.delenv("TERM")

    with progress_bar.progress_bar("Pages"):
        assert WATCH.get() is None


def test_elsewhere_there_is_nothing_of_it(playing: Shell, tmp_path: Path) -> None:
    for line in lines(playing, tmp_path):
        assert "%" not in playing.run(line).err


def told_while(work: Callable[[], object]) -> list[tuple[int, int]]:
    """Return what whoever watches is told of a work: how much is done of how much."""
    seen: list[tuple[int, int]] = []
    token = WATCH.set(lambda done, whole: seen.append((done, whole)))
    try:
        work()
    finally:
        WATCH.reset(token)
    return seen


@ONE_DATABASE
def test_whoever_watches_sees_a_long_work_come_to_its_end(
    local: LocalServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    local.desk.tree = root(SHELL, shell_families())
    for _ in range(3):
        local.play(local.start("-size=3 -rated"), "C1 C2 pass pass")
    monkeypatch.setattr(ratings, "CHUNK", 2)
    monkeypatch.setattr(admin_ratings, "CHUNK", 2)
    monkeypatch.setattr(admin_check, "CHUNK", 2)
    rated = told_while(lambda: local.do("admin rate"))
    checked = told_while(lambda: wrong_of(local.desk.store, local.url))

    assert rated == [(2, 3), (3, 3)]
    assert checked == [(0, 3), (2, 3), *[(3, 3)] * 5]


@pytest.mark.slow
def test_an_upgrade_shows_how_far_it_is(
    empty_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sit_at_a_terminal(monkeypatch)
    done = Shell(empty_url, monkeypatch, capsys).run(f"db upgrade '--database={empty_url}'")

    assert done.code == 0
    assert "100%" in done.err
