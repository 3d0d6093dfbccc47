"""What every test may ask for."""

import atexit
import gc
import os
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from pbmserv.desk.passwords import Passwords
from pbmserv.store import connection

from . import compiled_statements, databases, held_rows, open_files
from .databases import copy_template, made_once
from .in_process_shell import Shell
from .installed_program import own_environment, real_board
from .local_server import LocalServer, cheap_hash
from .planted_secrets import canaries_in

# A busy machine is no failure: no test is held to a time.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

MEMORY = "/dev/shm"  # noqa: S108 - pytest makes folders of its own in it
"""A disk that is memory, where there is such a one: a sync there takes no time."""

ROOM = 1 << 30
"""Bytes that must be free there: what a run leaves at its fullest is a tenth of that."""

if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", MEMORY)

compiled_statements.share()
open_files.watch()

OF_THE_RUN = ("PBMSERV_TEST_", "PYTEST_", "PYTHONDONTWRITEBYTECODE")
"""How the names of variables begin that say how the tests are run."""


ZONE = "CHAST-12:45CHADT,M9.5.0/2:45,M4.1.0/3:45"
"""Where the tests are run, wherever they are run: local time taken for UTC is seen."""


def keep_to_ourselves() -> None:
    """Let nothing of whoever runs the tests reach a program in them, and leave their folder alone.

    Workers have it from the process that starts them.
    """
    home = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    of_the_run = {name: os.environ[name] for name in os.environ if name.startswith(OF_THE_RUN)}
    short = own_environment(HOME=home, LANG="C.UTF-8", TZ=ZONE)
    os.environ.clear()
    os.environ.update(short | of_the_run)
    time.tzset()


if "PYTEST_XDIST_WORKER" not in os.environ:
    keep_to_ourselves()

# A shell that starts a run in the background makes it and its children deaf to interruptions.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--full",
        action="store_true",
        help="take the minutes for the whole of a check that is otherwise a sample: "
        "all 531,441 positions of the smallest Star board, ten times as many random ones",
    )

    parser.addoption(
        "--costly",
        action="store_true",
        help="let -m 'not slow' have the costly tests, too, as where faults are tried",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Make costly tests slow, but for the first ones of each that are to stay."""
    seen = Counter[str]()
    for item in [] if config.getoption("--costly") else items:
        costly = item.get_closest_marker("costly")
        if costly is not None and item.get_closest_marker("slow") is None:
            name = item.nodeid.partition("[")[0]
            seen[name] += 1
            if seen[name] > costly.kwargs.get("stay", 0):
                item.add_marker("slow")


def pytest_configure(config: pytest.Config) -> None:
    """Where nothing may be compiled beside the sources, compile into the cache of pytest instead.

    Else every program that a test starts would compile the whole of ours anew.
    """
    if sys.dont_write_bytecode and hasattr(config, "cache") and os.access(config.rootpath, os.W_OK):
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = str(config.cache.mkdir("bytecode"))
        sys.dont_write_bytecode = False


def pytest_collection_finish() -> None:
    """Spare the garbage collector what was made so far: it stays till the end of the run."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def no_password_is_left(request: pytest.FixtureRequest) -> Iterator[None]:
    """After every test, search the files that it left for the passwords of its players."""
    folder = request.getfixturevalue("tmp_path") if "tmp_path" in request.fixturenames else None
    yield
    assert folder is None or canaries_in(folder) == []


@pytest.fixture(scope="session", autouse=True)
def no_file_stays_open() -> Iterator[None]:
    """At the end each SQLite file is closed, those of whole modules, too."""
    yield
    assert [] == open_files.opened()


@pytest.fixture(autouse=True)
def no_file_is_left_open() -> Iterator[None]:
    """After every test each SQLite file that it opened is closed: nothing waits for the collector.

    Newer versions of Python warn when the collector closes one, whatever runs by then.
    """
    before = open_files.opened()
    yield
    assert [] == [file for file in open_files.opened() if file not in before]


@pytest.fixture(autouse=True)
def no_engine_is_kept() -> Iterator[None]:
    """No test leaves to those after it what a process that lives on keeps of its databases."""
    yield
    assert connection._cached is None


@pytest.fixture(scope="session")
def full(request: pytest.FixtureRequest) -> bool:
    """Whether to check everything instead of a sample."""
    return bool(request.config.getoption("--full"))


@pytest.fixture(scope="session")
def postgresql() -> Iterator[databases.PostgresqlServer | str]:
    """The PostgreSQL server, or in words why there is none: ask databases.require."""
    with databases.reach_postgresql() as server:
        yield server


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite database without a row, to be copied."""
    file = tmp_path_factory.mktemp("template") / "template.sqlite"
    databases.create(str(file))
    return file


@pytest.fixture(scope="session")
def postgresql_template(postgresql: databases.PostgresqlServer | str) -> Iterator[str]:
    """The URL of a PostgreSQL database for the whole run, to be wiped before each use."""
    if isinstance(postgresql, str):
        yield ""
        return
    with postgresql.schema() as url:
        databases.create(url)
        yield url


@pytest.fixture(params=databases.KINDS)
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database of each kind with all tables and no row, the test's own."""
    if request.param == "sqlite":
        template = request.getfixturevalue("sqlite_template")
        return databases.copy_template(template, tmp_path / "database")
    server = databases.require(request.getfixturevalue("postgresql"))
    url: str = request.getfixturevalue("postgresql_template")
    server.wipe(url)
    return url


@pytest.fixture(scope="module", params=databases.KINDS)
def shared_url(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """A database of each kind for all tests of a module that only look at it once it is filled."""
    if request.param == "sqlite":
        template = request.getfixturevalue("sqlite_template")
        yield databases.copy_template(template, tmp_path_factory.mktemp("shared"))
        return
    server = databases.require(request.getfixturevalue("postgresql"))
    with server.schema() as url:
        databases.create(url)
        yield url


@pytest.fixture(params=databases.KINDS)
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A place for a database of each kind where there is none yet."""
    if request.param == "sqlite":
        yield str(tmp_path / "new" / "pbmserv.sqlite")
        return
    server = databases.require(request.getfixturevalue("postgresql"))
    with server.schema() as url:
        yield url


@pytest.fixture
def local(database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalServer]:
    """A server without a player, on a database of each kind; it changes nothing unlocked."""
    held_rows.watch(monkeypatch)
    opened = LocalServer(database_url)
    yield opened
    opened.desk.close()


@pytest.fixture
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passwords without the 20 ms that a real hash costs."""
    monkeypatch.setattr(Passwords, "hash", lambda _, password: cheap_hash(password))
    monkeypatch.setattr(
        Passwords, "verify", lambda _, password, stored: stored == cheap_hash(password)
    )


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
