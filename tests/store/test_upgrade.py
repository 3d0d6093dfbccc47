"""Clubs come over: from the last version before 1.0, from one long before it, to the next one."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pbmserv.errors import Fault
from pbmserv.store.connection import Mode, make_engine, open_transaction
from pbmserv.store.faults import SENTENCES
from pbmserv.store.files import schema
from pbmserv.store.files.location import parse_location
from pbmserv.store.store import Store
from tests.installed_program import own_environment
from tests.local_server import LocalServer

from .test_schema import definitions, set_version, sorted_parts

ROOT = Path(__file__).parents[2]
LAST = "9b12767c"
"""The last commit before 1.0, which every older database must pass."""

EARLY = "c5ca8f4d"
"""A commit long before it, whose version is 0016."""


def change(url: str, *statements: str) -> None:
    engine = make_engine(parse_location(url))
    with open_transaction(engine, Mode.WRITE) as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)
        connection.commit()
    engine.dispose()


def stamp(url: str, version: str) -> None:
    """Have the database say that it is of this version."""
    engine = make_engine(parse_location(url))
    set_version(engine, version)
    engine.dispose()


def version_at(url: str) -> str | None:
    return Store.version_at(url)


class Club(NamedTuple):
    """A database and what is in it."""

    url: str
    tables: dict[str, list[tuple[Any, ...]]]


def tables_at(url: str) -> dict[str, list[tuple[Any, ...]]]:
    local = LocalServer(url)
    found = local.tables()
    local.desk.close()
    return found


@pytest.fixture
def club(empty_url: str) -> Club:
    """A club with a board whose database says that it is of the last version before 1.0."""
    local = LocalServer(empty_url)
    local.play(local.start(), "C1 C2")
    local.desk.close()
    tables = tables_at(local.url)
    stamp(local.url, schema.BEFORE)
    return Club(local.url, tables)


@pytest.mark.costly
def test_the_last_version_before_1_0_comes_over_once(club: Club) -> None:
    said: list[str] = []
    for _ in range(2):
        Store.open(club.url, notice=said.append).close()

    assert len(said) == 1
    assert f"from version {schema.BEFORE} to {schema.HEAD}." in said[0]
    assert tables_at(club.url) == club.tables
    kept = f"{club.url}.version-{schema.BEFORE}-1"
    assert Path(kept).exists() is ("postgresql" not in club.url)
    if Path(kept).exists():
        assert kept in said[0]
        assert version_at(kept) == schema.BEFORE


@pytest.mark.costly
@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE match DROP COLUMN shift",
        "DROP TABLE secret",
        "DROP INDEX ix_match_counted",
        "ALTER TABLE player ADD COLUMN own INTEGER",
    ],
)
def test_other_tables_than_those_of_that_version_are_refused(club: Club, statement: str) -> None:
    change(club.url, statement)
    for _ in range(2):
        with pytest.raises(Fault) as caught:
            Store.open(club.url)

        assert caught.value.code == "database-unlike"
    assert version_at(club.url) == schema.BEFORE
    path = parse_location(club.url).path
    assert path is None or [] == [*path.parent.glob("*.version-*")]


def test_what_others_keep_in_the_database_is_no_hindrance(club: Club) -> None:
    change(club.url, "CREATE TABLE recipe (name TEXT)", "CREATE INDEX own ON chat (at)")
    Store.open(club.url).close()

    assert version_at(club.url) == schema.HEAD


@pytest.mark.parametrize("version", ["0001", "0016", "0025", "0027", "0099"])
def test_an_older_version_is_told_the_way(database_url: str, version: str) -> None:
    stamp(database_url, version)
    with pytest.raises(Fault) as caught:
        Store.open(database_url)

    assert caught.value.code == "database-older"
    assert LAST in caught.value.hint
    assert version_at(database_url) == version
    stamp(database_url, schema.HEAD)


def test_the_page_names_the_same_commit() -> None:
    page = (ROOT / "help" / "upgrading.txt").read_text(encoding="utf-8")

    assert LAST in SENTENCES["database-older"][1]
    assert f"git checkout {LAST}" in page


KILLED = """
import os, signal, sys
from pbmserv.store.files import schema
from pbmserv.store.store import Store
schema.table_differences = lambda _: os.kill(os.getpid(), signal.SIGKILL)
Store.open(sys.argv[1])
"""


@pytest.mark.slow
def test_an_upgrade_that_is_killed_changes_nothing_and_is_done_again(club: Club) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, club.url], check=False)
    left = version_at(club.url)
    Store.open(club.url).close()

    assert (done.returncode, left) == (-signal.SIGKILL, schema.BEFORE)
    assert (version_at(club.url), tables_at(club.url)) == (schema.HEAD, club.tables)


Program = Callable[..., tuple[int, str]]


def program_of(folder: Path, url: str) -> Program:
    """Return what runs the program in a folder with the words of a command."""
    environ = own_environment(
        PYTHONPATH=str(folder),
        HOME=str(folder),
        PBMSERV_DATABASE_URL=url,
        **{name: text for name, text in os.environ.items() if name.startswith("PG")},
    )

    def run(line: str) -> tuple[int, str]:
        words = [sys.executable, "-m", "pbmserv", *line.split()]
        done = subprocess.run(
            words, cwd=folder, env=environ, capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout + done.stderr

    return run


@pytest.fixture
def checkout(tmp_path: Path) -> Callable[[str], Path]:
    """A function that puts the program of a commit into a folder, where its history is here."""

    def put(commit: str) -> Path:
        folder = tmp_path / commit
        folder.mkdir()
        words = ["git", "-c", "safe.directory=*", "archive", commit, "pbmserv", "migrations"]
        archive = subprocess.run(words, cwd=ROOT, capture_output=True, check=False)
        if archive.returncode:
            pytest.skip(f"the commit {commit} is not here")
        subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
        return folder

    return put


def begin(run: Program) -> None:
    for line in (
        "signup alice lemon-tree-1",
        "signup bob plum-tree-22",
        "star challenge -size=3 alice bob",
        "star move 101 alice lemon-tree-1 C1",
    ):
        assert (0, line) == (run(line)[0], line)


def definitions_at(url: str) -> dict[str, object]:
    engine = make_engine(parse_location(url))
    found = definitions(engine)
    engine.dispose()
    return {name: sorted_parts(text) for name, text in found.items()}


@pytest.mark.slow
def test_a_club_of_long_ago_comes_over_by_the_last_commit_before(
    empty_url: str, checkout: Callable[[str], Path], request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    early = program_of(checkout(EARLY), empty_url)
    last = program_of(checkout(LAST), empty_url)
    now = program_of(ROOT, empty_url)
    begin(early)
    refused = now("db upgrade")
    steps = [last("db upgrade"), now("db upgrade"), now("db check"), now("admin check")]
    moved = now("star move 101 bob plum-tree-22 C2")

    assert refused[0] == 70
    assert f"commit {LAST}" in " ".join(refused[1].split())
    assert [0] * 4 == [code for code, _ in steps]
    assert "from version 0016 to 0026." in steps[0][1]
    assert f"from version 0026 to {schema.HEAD}." in steps[1][1]
    assert moved[0] == 0
    # Neither program of before touches what has come over.
    for run in (early, last):
        code, said = run("star move 101 alice lemon-tree-1 B2")
        assert (code, "made by a newer version" in said) == (70, True)
    if "postgresql" in empty_url:
        with request.getfixturevalue("postgresql").schema() as url:
            Store.open(url).close()
            assert definitions_at(url) == definitions_at(empty_url)
    else:
        Store.open(f"{tmp_path}/fresh.sqlite").close()
        assert definitions_at(f"{tmp_path}/fresh.sqlite") == definitions_at(empty_url)


NEXT = """
import os, signal
import sqlalchemy as sa
from alembic import op

revision = "{after}"
down_revision = "{before}"


def upgrade() -> None:
    op.add_column("player", sa.Column("extra", sa.Text()))
    if os.path.exists("die"):
        os.unlink("die")
        os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def next_release(tmp_path: Path) -> Path:
    """A copy of the program that has one migration more, and a column more in its tables."""
    folder = tmp_path / "next"
    for name in ("pbmserv", "migrations"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    after = f"{int(schema.HEAD) + 1:04}"
    migration = folder / "migrations" / "versions" / f"{after}_extra.py"
    migration.write_text(NEXT.format(before=schema.HEAD, after=after))
    for name, old, new in (
        ("pbmserv/store/files/schema.py", f'HEAD = "{schema.HEAD}"', f'HEAD = "{after}"'),
        ("pbmserv/store/tables.py", 'robot text?",', 'robot text?, extra text?",'),
    ):
        text = (folder / name).read_text()
        assert text.count(old) == 1
        (folder / name).write_text(text.replace(old, new))
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("version", [schema.HEAD, schema.BEFORE])
def test_the_next_release_upgrades_a_club_and_survives_a_kill(
    empty_url: str, next_release: Path, version: str
) -> None:
    now, later = program_of(ROOT, empty_url), program_of(next_release, empty_url)
    begin(now)
    stamp(empty_url, version)
    rehearsed = later("db upgrade --dry-run")
    (next_release / "die").touch()
    killed = later("db upgrade")
    left = version_at(empty_url)
    went_on = now("star move 101 bob plum-tree-22 C2")
    stamp(empty_url, version)
    done, current = later("db upgrade"), later("db current --json")
    checks = [later("db check")[0], later("admin check")[0]]

    assert rehearsed[0] == 0
    assert (killed[0], left) == (-signal.SIGKILL, version)
    assert went_on[0] == 0
    assert (done[0], f"from version {version} to " in done[1]) == (0, True)
    assert f'"schema":"{int(schema.HEAD) + 1:04}"' in current[1]
    assert checks == [0, 0]
    assert later("star move 101 alice lemon-tree-1 B2")[0] == 0
    assert now("list")[0] == 70
    path = parse_location(empty_url).path
    if path is not None:
        # The copy of before the upgrade is the way back.
        last = max(path.parent.glob(f"{path.name}.version-{version}-*"))
        with closing(sqlite3.connect(last)) as kept:
            assert kept.execute("SELECT ply FROM match").fetchall() == [(2,)]
