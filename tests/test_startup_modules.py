"""What each command loads: the slow libraries only where they are needed."""

import json
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from pbmserv.cli.main import run

from . import databases
from .installed_program import own_environment

pytestmark = pytest.mark.slow

HEAVY = frozenset(
    {"alembic", "argon2", "fpdf", "passlib", "platformdirs", "psycopg", "resvg_py", "rich"}
    | {"sqlalchemy", "pbmserv.computer.proof", "pbmserv.computer.search", "textual"}
    | {"flask", "werkzeug", "waitress", "jinja2", "pbmserv.web"}
)
STORE = frozenset({"sqlalchemy"})
STORE_AND_PASSWORD = STORE | {"argon2", "passlib"}

PROBE = f"""
import json, shlex, sys
from pbmserv.cli.main import run
for line in sys.argv[1:]:
    code = run(shlex.split(line))
    sys.stdout.flush()
    loaded = sorted({set(HEAVY)!r} & set(sys.modules))
    print(json.dumps([line, code, loaded]), file=sys.stderr)
"""

Loaded = tuple[str, int, frozenset[str]]
"""A command, its exit code, and what heavy is loaded after it."""

COMMANDS: list[Loaded] = [
    ("", 0, frozenset()),
    ("--help", 0, frozenset()),
    ("--version", 0, frozenset()),
    ("help star", 0, frozenset()),
    ("help move", 0, frozenset()),
    ("star help", 0, frozenset()),
    ("admin --help", 0, frozenset()),
    ("star preview new F6", 0, frozenset()),
    ("star preview new F6 --json", 0, frozenset()),
    ("star preview new ZZ99", 1, frozenset()),
    ("star score new --x=F6", 0, frozenset()),
    ("help hint", 0, frozenset()),
    ("star settled new F6", 0, frozenset()),
    ("star hint new -level=99", 2, frozenset()),
    ("nonsense", 2, frozenset()),
    ("star nonsense", 2, frozenset()),
    ("star move 101", 2, frozenset()),
    ("star move abc alice correct-horse F6", 2, frozenset()),
    ("star challenge alice bob -size=99", 2, frozenset()),
    ("star challenge alice bob -nag=0", 2, frozenset()),
    ("star challenge anyone anyone", 2, frozenset()),
    ("star challenge alice anyone -from=101", 2, frozenset()),
    ("star challenge alice bob -from=101 -size=3", 2, frozenset()),
    ("starweb challenge alice bob -size=4 -notch=5", 2, frozenset()),
    ("star seek alice correct-horse 1 -nag=0", 2, frozenset()),
    ("star preview 101 -size=3", 2, frozenset()),
    ("star score 101 -size=3", 2, frozenset()),
    ("star score 101 -x=F6", 2, frozenset()),
    ("star show 101 alice", 2, frozenset()),
    ("star show next", 2, frozenset()),
    ("star show all", 2, frozenset()),
    ("star showas alice correct-horse 101 next", 2, frozenset()),
    ("star games next", 2, frozenset()),
    ("star games alice bob all next", 2, frozenset()),
    ("star games -limit=0", 2, frozenset()),
    ("star standings alice -history=bob", 2, frozenset()),
    ("stats alice bob", 2, frozenset()),
    ("reset alice 0123456789", 2, frozenset()),
    ("star show 101", 0, STORE),
    ("star score 101", 0, STORE),
    ("star preview 101 D1", 0, STORE),
    ("star settled 101", 0, STORE),
    ("star hint 101", 1, STORE),
    ("star analyse 101", 1, STORE),
    ("star games alice next", 0, STORE),
    ("star history", 0, STORE),
    ("star export 101", 0, STORE),
    ("list", 0, STORE),
    ("stats", 0, STORE),
    ("tournament list", 0, STORE),
    ("admin audit", 0, STORE),
    ("star challenge alice bob", 0, STORE),
    ("star challenge alice bob -from=101", 0, STORE),
    ("star showas alice correct-horse 101", 0, STORE_AND_PASSWORD),
    ("star move 101 bob battery-staple C1", 0, STORE_AND_PASSWORD),
    ("star move 101 bob wrong-password C1", 1, STORE_AND_PASSWORD),
    ("signup carol correct-horse", 0, STORE_AND_PASSWORD),
    ("doctor -quick", 1, frozenset()),
    ("doctor -metrics", 0, frozenset()),
    ("login alice correct-horse", 0, STORE_AND_PASSWORD),
    ("change password me correct-horse", 2, frozenset()),
]

OWN_PROBE = """
import sys
sys.argv[1:] = sys.argv[1].split()
from pbmserv.cli.start import pbmserv
try:
    pbmserv()
finally:
    sys.stderr.write(" ".join(sys.modules))
"""

ROOMS_OF_A_PAGE = {
    *("cli", "club", "commands", "daemon", "engine", "errors", "services", "settings"),
}
OF_NO_DATABASE = {
    "help": (33, ROOMS_OF_A_PAGE),
    "help clocks": (33, ROOMS_OF_A_PAGE),
    "-h": (34, ROOMS_OF_A_PAGE),
    "star preview new F6": (56, ROOMS_OF_A_PAGE | {"render"}),
}
"""How many modules of ours a command may load, and of which rooms."""

OF_THE_LIBRARY = {"hashlib", "json", "pathlib", "shutil", "sqlite3", "subprocess"}
"""What none of these needs."""


@pytest.mark.parametrize("line", OF_NO_DATABASE)
def test_a_command_of_no_database_loads_few_modules_of_ours(line: str, tmp_path: Path) -> None:
    environ = own_environment(PBMSERV_RESIDENT="off", HOME=str(tmp_path))
    words = [sys.executable, "-c", OWN_PROBE, line]
    done = subprocess.run(words, env=environ, capture_output=True, text=True, check=True)
    loaded = set(done.stderr.split())
    own = {name for name in loaded if name.startswith("pbmserv.")}
    most, rooms = OF_NO_DATABASE[line]

    assert {name.split(".")[1] for name in own} == rooms
    assert len(own) <= most
    assert not loaded & OF_THE_LIBRARY


THINKING = [
    ("star settled new -size=3 -depth=1", {"pbmserv.computer.proof"}),
    ("star hint new -level=1", {"pbmserv.computer.proof", "pbmserv.computer.search"}),
]

PLAYING = ["play", "star play -size=3 -level=2", "play hex -two", "play -side=X --plain"]

SIGNED_IN = ["whoami", "star move 101 me undo", "star games me next", "star showas me", "logout"]


@pytest.fixture(scope="module")
def played(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with one move on one board, to be copied."""
    url = databases.copy_template(sqlite_template, tmp_path_factory.mktemp("played"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PBMSERV_DATABASE_URL", url)
        for line in (
            "signup alice correct-horse",
            "signup bob battery-staple",
            "star challenge -size=3 alice bob",
            "star move 101 alice correct-horse C2",
        ):
            assert run(shlex.split(line)) == 0
    return Path(url)


@pytest.fixture
def url(played: Path, tmp_path: Path) -> str:
    return databases.copy_template(played, tmp_path / "database")


@pytest.fixture
def signed_in(url: str, tmp_path: Path) -> dict[str, str]:
    """The environment of a user who is signed in as alice."""
    told = {"PBMSERV_DATABASE_URL": url, "XDG_CONFIG_HOME": str(tmp_path)}
    with pytest.MonkeyPatch.context() as patch:
        for name, text in told.items():
            patch.setenv(name, text)
        assert run(["login", "alice", "correct-horse"]) == 0
    return own_environment(**told)


def loaded_by_all(lines: Sequence[str], environ: dict[str, str]) -> list[Loaded]:
    """Return of each command its exit code and what heavy was loaded, all in one process."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *lines],
        env=environ,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=True,
    )
    told = [line for line in done.stderr.splitlines() if line.startswith("[")]
    return [(line, code, frozenset(modules)) for line, code, modules in map(json.loads, told)]


def loaded(line: str, environ: dict[str, str]) -> tuple[int, frozenset[str]]:
    """Return the exit code of the command in a process of its own and what heavy it loaded."""
    ((_, code, modules),) = loaded_by_all([line], environ)
    return code, modules


@pytest.mark.parametrize("modules", [frozenset(), STORE, STORE_AND_PASSWORD], ids=sorted)
def test_commands_load_no_more_than_they_need(modules: frozenset[str], url: str) -> None:
    """Those that need the same, one after the other: what one of them loads, all of them have."""
    expected = [command for command in COMMANDS if command[2] == modules]
    environ = own_environment(PBMSERV_DATABASE_URL=url)

    assert expected == loaded_by_all([line for line, _, _ in expected], environ)


@pytest.mark.parametrize("line", PLAYING)
def test_a_game_at_the_keyboard_needs_no_database(line: str, tmp_path: Path) -> None:
    environ = own_environment(XDG_DATA_HOME=str(tmp_path))

    assert (0, frozenset({"platformdirs"})) == loaded(line, environ)
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize(("line", "what"), THINKING)
def test_the_computer_is_loaded_where_it_thinks(line: str, what: set[str]) -> None:
    assert (0, frozenset(what)) == loaded(line, own_environment())


@pytest.mark.parametrize("line", SIGNED_IN)
def test_no_password_is_hashed_for_who_is_signed_in(line: str, signed_in: dict[str, str]) -> None:
    assert (0, STORE) == loaded(line, signed_in)


def test_alembic_is_loaded_once_to_make_the_database(tmp_path: Path) -> None:
    environ = own_environment(PBMSERV_DATABASE_URL=str(tmp_path / "new.sqlite"))

    assert (0, STORE | {"alembic"}) == loaded("db upgrade", environ)
    assert (0, STORE) == loaded("list", environ)


def test_the_place_of_the_default_database_is_asked_for_only_when_it_is_used(
    tmp_path: Path,
) -> None:
    environ = own_environment(HOME=str(tmp_path), XDG_DATA_HOME=str(tmp_path))

    assert (0, frozenset()) == loaded("star preview new F6", environ)
    assert (0, STORE | {"alembic", "platformdirs"}) == loaded("db upgrade", environ)
