import os
import shutil
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from threading import Event, Thread

import pytest

from pbmserv.errors import Fault, NotFound, PbmservError, Refused
from pbmserv.store.connection import connect_sqlite
from pbmserv.store.faults import known
from pbmserv.store.files import file_copies, schema
from pbmserv.store.files.backup import backup, restore, set_aside
from pbmserv.store.files.database_facts import inspect
from pbmserv.store.files.file_copies import damage
from pbmserv.store.files.location import parse_location
from pbmserv.store.progress import WATCH
from pbmserv.store.store import Store
from pbmserv.store.tables import metadata
from tests.databases import ONE_DATABASE

from .sample_rows import NOW, add_player, find, new_match, played, save, seat

Content = dict[str, list[tuple[object, ...]]]


def content(store: Store) -> Content:
    """Return every row of every table."""
    with store.reading() as records:
        return {
            table.name: sorted(map(tuple, records.connection.execute(table.select())), key=repr)
            for table in metadata.sorted_tables
        }


def content_of(file: Path) -> Content:
    store = Store.open(str(file))
    found = content(store)
    store.close()
    return found


@pytest.fixture
def filled(store: Store) -> Store:
    """A store with a row in nearly every table."""
    match = new_match(store)
    save(store, match, played(match, "C1", "swap", "D1"))
    with store.writing() as records:
        records.players.add(
            "carol", None, ("c@example.org",), status=add_player(records, "dora").status, now=NOW
        )
        records.audit.add(at=NOW, source="shell", verb="move", outcome="done", match_id=match.id)
    return store


def code_of(action: Callable[[], object], kind: type[PbmservError]) -> str:
    with pytest.raises(kind) as caught:
        action()
    return caught.value.code


def test_a_backup_is_a_private_database_with_the_same_rows(filled: Store, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    file = folder / "b.sqlite"
    backup(filled, file)

    assert list(folder.iterdir()) == [file]
    assert content_of(file) == content(filled)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_backup_overwrites_nothing(filled: Store, tmp_path: Path) -> None:
    file = tmp_path / "b.sqlite"
    file.write_text("mine")

    assert code_of(lambda: backup(filled, file), Refused) == "file-exists"
    assert file.read_text() == "mine"


def test_a_backup_into_no_folder_is_refused(filled: Store, tmp_path: Path) -> None:
    file = tmp_path / "none" / "b.sqlite"

    assert code_of(lambda: backup(filled, file), Refused) == "no-such-folder"


def test_a_failed_backup_leaves_nothing_behind(
    filled: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "no space left")

    folder = tmp_path / "backups"
    folder.mkdir()
    monkeypatch.setattr(os, "link", fail)

    assert code_of(lambda: backup(filled, folder / "b.sqlite"), Fault) == "database-full"
    assert list(folder.iterdir()) == []


def test_a_backup_made_while_others_write_is_of_one_moment(
    filled: Store, database_url: str, tmp_path: Path
) -> None:
    """Every transaction adds two players, so the number of them is never odd."""
    enough = Event()

    def write() -> None:
        store = Store.open(database_url)
        number = 0
        while not enough.is_set():
            with store.writing() as records:
                for name in (f"p{number}", f"q{number}"):
                    add_player(records, name)
            number += 1
        store.close()

    writer = Thread(target=write)
    writer.start()
    files = [tmp_path / f"{number}.sqlite" for number in range(5)]
    for file in files:
        backup(filled, file)
    enough.set()
    writer.join()
    counts = [len(content_of(file)["player"]) for file in files]

    assert [count % 2 for count in counts] == [0] * 5
    assert counts == sorted(counts)


def test_a_restore_brings_everything_back_and_keeps_what_was_there(
    filled: Store, tmp_path: Path
) -> None:
    file = tmp_path / "b.sqlite"
    backup(filled, file)
    before = content(filled)
    with filled.writing() as records:
        add_player(records, "late")
    later = content(filled)
    kept = restore(filled, file, keep_in=tmp_path)

    assert kept is not None
    assert content(filled) == before
    assert content_of(kept) == later


def test_numbers_go_on_after_a_restore(filled: Store, tmp_path: Path) -> None:
    file = tmp_path / "b.sqlite"
    backup(filled, file)
    restore(filled, file, keep_in=tmp_path)
    with filled.writing() as records:
        added = add_player(records, "late")
        match = records.matches.find("star", 101)
        assert match is not None
        again = records.matches.add(match.game, seat(added), match.first, NOW)

    assert added.id == 5
    assert again.number == 102
    assert find(filled, again) == again


def test_whoever_watches_a_copy_sees_it_come_to_its_end(filled: Store, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    backup(filled, tmp_path / "b.sqlite")
    token = WATCH.set(lambda done, whole: seen.append((done, whole)))
    try:
        restore(filled, tmp_path / "b.sqlite", keep_in=tmp_path)
    finally:
        WATCH.reset(token)

    assert seen[-1][0] == seen[-1][1]
    assert all(0 < done <= whole for done, whole in seen)


def test_an_empty_backup_restores_an_empty_database(store: Store, tmp_path: Path) -> None:
    backup(store, tmp_path / "b.sqlite")
    before = content(store)
    new_match(store)
    restore(store, tmp_path / "b.sqlite", keep_in=tmp_path)
    with store.writing() as records:
        first = add_player(records, "first")
    counts = {name: len(rows) for name, rows in before.items()}

    assert set(counts.values()) == {0}
    assert first.id == 1


def noise(file: Path) -> None:
    file.write_bytes(b"no database at all " * 99)


def foreign(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE player (id)")
        connection.commit()


def empty(file: Path) -> None:
    file.touch()


def truncated(file: Path) -> None:
    Store.open(str(file)).close()
    file.write_bytes(file.read_bytes()[:20_000])


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("spoil", [noise, foreign, empty, truncated])
def test_what_is_no_backup_is_refused(
    filled: Store, tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    file = tmp_path / "b.sqlite"
    spoil(file)
    before = content(filled)

    assert code_of(lambda: restore(filled, file, keep_in=tmp_path), Refused) == "no-backup"
    assert content(filled) == before


def test_a_missing_backup_is_refused(filled: Store, tmp_path: Path) -> None:
    missing = tmp_path / "none.sqlite"

    assert code_of(lambda: restore(filled, missing, keep_in=tmp_path), NotFound) == "no-such-file"


def test_a_backup_of_a_newer_version_is_refused(filled: Store, tmp_path: Path) -> None:
    file = tmp_path / "b.sqlite"
    backup(filled, file)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()

    assert code_of(lambda: restore(filled, file, keep_in=tmp_path), Fault) == "database-newer"


def test_a_failed_restore_leaves_no_copy_behind(
    filled: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise known("database-full", "games")

    file, folder = tmp_path / "b.sqlite", tmp_path / "kept"
    backup(filled, file)
    folder.mkdir()
    before = content(filled)
    for step in ("copy_content", "reset_sequence"):  # the last of SQLite, of PostgreSQL
        monkeypatch.setattr(f"pbmserv.store.files.backup.{step}", fail)

    assert code_of(lambda: restore(filled, file, keep_in=folder), Fault) == "database-full"
    assert list(folder.iterdir()) == []
    assert content(filled) == before


@pytest.mark.parametrize("link", [Path.symlink_to, Path.hardlink_to])
def test_a_database_is_no_backup_of_itself(
    tmp_path: Path, link: Callable[[Path, Path], None]
) -> None:
    file, other = tmp_path / "games.sqlite", tmp_path / "other.sqlite"
    store = Store.open(str(file))
    link(other, file)
    before = sorted(tmp_path.iterdir())
    codes = [code_of(partial(restore, store, name), Refused) for name in (file, other)]
    store.close()

    assert codes == ["same-file", "same-file"]
    assert sorted(tmp_path.iterdir()) == before


def test_a_damaged_file_is_set_aside_with_its_journals(tmp_path: Path) -> None:
    file = tmp_path / "games.sqlite"
    noise(file)
    file.with_name("games.sqlite-journal").write_text("old")
    kept = set_aside(parse_location(str(file)))
    Store.open(str(file)).close()

    assert kept.read_bytes().startswith(b"no database")
    assert kept.with_name(f"{kept.name}-journal").read_text() == "old"


NEXT_MIGRATION = """
import sqlalchemy as sa
from alembic import op

revision = "{after}"
down_revision = "{before}"


def upgrade() -> None:
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    for view in ("boards", "moves", "results"):  # SQLite renames no table under a view
        op.execute(f"DROP VIEW {{view}}")
    with op.batch_alter_table("player", recreate="always" if is_sqlite else "auto") as player:
        player.add_column(sa.Column("extra", sa.Text()))
"""


@pytest.fixture
def newer_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], str]:
    """A function that turns this program into a later one, which has one more migration."""

    def become_newer() -> str:
        folder = tmp_path / "later"
        shutil.copytree(schema.migrations_folder(), folder)
        before = schema.HEAD
        after = f"{int(before) + 1:04}"
        file = folder / "versions" / f"{after}_extra.py"
        file.write_text(NEXT_MIGRATION.format(before=before, after=after))
        monkeypatch.setattr(schema, "HEAD", after)
        monkeypatch.setattr(schema, "migrations_folder", lambda: folder)
        return before

    return become_newer


@pytest.mark.costly
def test_an_older_database_is_upgraded_and_its_file_kept(
    empty_url: str, newer_program: Callable[[], str]
) -> None:
    store = Store.open(empty_url)
    new_match(store)
    before = content(store)
    store.close()
    version = newer_program()
    said: list[str] = []
    upgraded = Store.open(empty_url, notice=said.append)
    after = content(upgraded)
    with upgraded.reading() as records:
        extra = records.connection.exec_driver_sql("SELECT extra FROM player").scalars().all()
    upgraded.close()

    assert after == before
    assert extra == [None] * 2
    assert len(said) == 1
    assert f"from version {version} to {schema.HEAD}." in said[0]
    if upgraded.location.path is not None:
        kept = Path(f"{upgraded.location.path}.version-{version}-1")
        assert str(kept) in said[0]
        with closing(sqlite3.connect(kept)) as connection:
            assert connection.execute("SELECT count(*) FROM player").fetchone() == (2,)


@pytest.mark.costly
def test_an_older_backup_is_upgraded_when_it_is_restored(
    tmp_path: Path, newer_program: Callable[[], str]
) -> None:
    file = tmp_path / "old.sqlite"
    Store.open(str(tmp_path / "games.sqlite")).close()
    store = Store.open(str(tmp_path / "games.sqlite"))
    new_match(store)
    backup(store, file)
    store.close()
    newer_program()
    fresh = Store.open(str(tmp_path / "fresh.sqlite"))
    restore(fresh, file)
    found = content(fresh)
    version = schema.find_version(fresh.engine, fresh.location)
    fresh.close()

    assert len(found["player"]) == 2
    assert version == schema.HEAD


def journal_mode_of(file: Path) -> str:
    with closing(sqlite3.connect(file)) as connection:
        return str(connection.execute("PRAGMA journal_mode").fetchone()[0])


def test_a_restore_keeps_the_journal_mode_and_a_backup_is_one_file(
    tmp_path: Path, journal: str
) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    file = tmp_path / "games.sqlite"
    store = Store.open(str(file))
    match = new_match(store)
    backup(store, folder / "b.sqlite")
    save(store, match, played(match, "C1"))
    kept = restore(store, folder / "b.sqlite")
    assert kept is not None
    found = find(store, match)
    save(store, found, played(found, "D1"))
    store.close()

    assert found == match
    assert list(folder.iterdir()) == [folder / "b.sqlite"]
    assert journal_mode_of(file) == journal.lower()
    assert kept is not None
    assert [journal_mode_of(copy) for copy in (folder / "b.sqlite", kept)] == ["delete"] * 2


@pytest.mark.costly
@ONE_DATABASE
@pytest.mark.parametrize("can_write", [True, False])
@pytest.mark.parametrize(
    "change",
    [
        "UPDATE match SET winner = 'Z'",
        "UPDATE match SET finished_at = 1",
        "UPDATE player SET status = 'asleep'",
    ],
)
def test_what_breaks_a_constraint_is_damage(
    filled: Store,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: str,
    *,
    can_write: bool,
) -> None:
    file, sound = str(filled.location.path), tmp_path / "sound.sqlite"
    backup(filled, sound)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute(change)
        connection.commit()
    other = Store.open(str(tmp_path / "other.sqlite"))
    if not can_write:
        # Root may write whatever is on the disk: SQLite is told to open it as it would for others.
        connect = connect_sqlite
        monkeypatch.setattr(os, "access", lambda name, mode: (str(name), mode) != (file, os.W_OK))
        monkeypatch.setattr(
            file_copies,
            "connect_sqlite",
            lambda path, mode="rw": connect(path, "ro" if str(path) == file else mode),
        )

    assert damage(sound) == []
    assert "CHECK constraint failed" in damage(Path(file))[0]
    assert code_of(lambda: backup(filled, tmp_path / "b.sqlite"), Fault) == "database-broken"
    assert code_of(lambda: restore(other, Path(file)), Refused) == "no-backup"
    assert [fact.name for fact in inspect(file) if "CHECK" in fact.problem] == ["integrity"]
    other.close()
