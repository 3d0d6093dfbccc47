import os
from pathlib import Path

import pytest

from tests.databases import copy_template, made_once
from tests.local_server import LocalServer

from .in_process_shell import Shell
from .installed_program import real_board


@pytest.fixture(scope="session")
def board_template(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite database with a board and real passwords, to be copied."""
    url = copy_template(sqlite_template, tmp_path_factory.mktemp("board"))
    real_board(url)
    return Path(url)


@pytest.fixture
def shell(
    database_url: str,
    cheap: None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> Shell:
    """A shell whose commands run in this process, on a database of each kind."""
    del cheap
    monkeypatch.setenv("PBMSERV_DATABASE_URL", database_url)
    monkeypatch.setenv("PBMSERV_CONFIG", os.devnull)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("PBMSERV_PASSWORD", raising=False)
    monkeypatch.delenv("PBMSERV_TRACEBACK", raising=False)
    return Shell(database_url, monkeypatch, capsys)


@pytest.fixture
@made_once
def playing(shell: Shell) -> Shell:
    """Two players and a board of the smallest size, two moves made."""
    local = LocalServer(shell.url)
    local.start()
    local.play(101, "C1 C2")
    local.desk.close()
    return shell
