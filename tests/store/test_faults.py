import errno
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from pbmserv.errors import Fault
from pbmserv.store.connection import Mode, make_engine, open_transaction
from pbmserv.store.faults import fault_of, is_transient
from pbmserv.store.files import locks, schema
from pbmserv.store.files.location import parse_location
from pbmserv.store.files.locks import WriteLock
from pbmserv.store.store import Store
from tests import databases

from .sample_rows import add_player, new_match


def fault_code(action: Callable[[], object]) -> str:
    with pytest.raises(Fault) as caught:
        action()
    assert caught.value.message.endswith(".")
    return caught.value.code


def file_of(folder: Path, content: bytes) -> str:
    file = folder / "games.sqlite"
    file.write_bytes(content)
    return str(file)


def made(folder: Path) -> Path:
    """Return a database file with two players and a match."""
    file = folder / "games.sqlite"
    store = Store.open(str(file))
    new_match(store)
    store.close()
    return file


@pytest.mark.parametrize(
    "url", ["", "sqlite://", "sqlite:///", "sqlite:///:memory:", "mysql://host/db", "a\0b"]
)
def test_a_name_that_is_no_database_is_refused(url: str) -> None:
    assert fault_code(lambda: Store.open(url)) == "bad-database-url"


@pytest.mark.parametrize(
    ("url", "label"),
    [
        ("postgresql+psycopg://me:secret@host:5/db?options=x", "postgresql://me@host:5/db"),
        ("postgresql://me:s@cr@t@host/db", "postgresql://me@host/db"),
        ("postgresql:///db", "postgresql:///db"),
    ],
)
def test_the_label_of_a_database_has_no_password(url: str, label: str) -> None:
    assert parse_location(url).label == label


def test_a_file_of_noise_is_a_broken_database(tmp_path: Path) -> None:
    url = file_of(tmp_path, b"this is not a database at all\n" * 100)

    assert fault_code(lambda: Store.open(url)) == "database-broken"
    assert Path(url).read_bytes().startswith(b"this is not")


def test_a_truncated_file_is_a_broken_database(tmp_path: Path) -> None:
    file = made(tmp_path)
    file.write_bytes(file.read_bytes()[:9000])

    assert fault_code(lambda: read_everything(file)) == "database-broken"


def read_everything(file: Path) -> None:
    store = Store.open(str(file))
    try:
        with store.reading() as records:
            records.lists.players()
            records.matches.find("star", 101)
    finally:
        store.close()


def test_a_file_of_another_program_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "games.sqlite"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE player (id)")
    connection.close()
    before = file.read_bytes()

    assert fault_code(lambda: Store.open(str(file))) == "database-foreign"
    assert file.read_bytes() == before


def test_tables_of_another_program_on_a_server_are_left_alone(empty_url: str) -> None:
    engine = make_engine(parse_location(empty_url))
    if engine.dialect.name == "sqlite":
        Path(empty_url).parent.mkdir()
        Path(empty_url).touch()
    with open_transaction(engine, Mode.WRITE) as connection:
        connection.exec_driver_sql("CREATE TABLE player (id INTEGER)")
        connection.commit()
    engine.dispose()

    assert fault_code(lambda: Store.open(empty_url)) == "database-foreign"


def test_an_empty_file_becomes_a_database(tmp_path: Path) -> None:
    said: list[str] = []
    Store.open(file_of(tmp_path, b""), notice=said.append).close()

    assert said == [f"Created the database {tmp_path / 'games.sqlite'}."]


def test_a_folder_is_no_database(tmp_path: Path) -> None:
    assert fault_code(lambda: Store.open(str(tmp_path))) == "database-unreachable"


def test_a_path_below_a_file_cannot_be_opened(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()

    assert fault_code(lambda: Store.open(str(file / "games.sqlite"))) == "database-unreachable"


def test_a_server_that_does_not_answer_cannot_be_reached() -> None:
    pytest.importorskip("psycopg")
    url = "postgresql+psycopg://nobody:hidden@127.0.0.1:1/none"
    with pytest.raises(Fault) as caught:
        Store.open(url)

    assert caught.value.code == "database-unreachable"
    assert "hidden" not in caught.value.message


def test_a_missing_driver_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(Fault) as caught:
        Store.open("postgresql://localhost/none")

    assert caught.value.code == "database-driver-missing"
    assert "pbmserv[postgresql]" in caught.value.advice


@pytest.mark.costly
def test_a_database_held_by_another_program_is_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pbmserv.store.connection.LOCK_TIMEOUT", 0.2)
    file = made(tmp_path)
    holder = sqlite3.connect(file, isolation_level=None)
    holder.execute("PRAGMA locking_mode = EXCLUSIVE")
    holder.execute("BEGIN EXCLUSIVE")

    assert fault_code(lambda: read_everything(file)) == "database-locked"
    holder.close()


def test_the_lock_is_given_up_after_the_longest_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "PATIENCE", 0.05)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    said: list[str] = []
    patient = WriteLock(tmp_path / "games.sqlite", wait=30, notice=said.append)
    hasty = WriteLock(tmp_path / "games.sqlite", wait=0.1, notice=said.append)
    with patient.held():
        code = fault_code(lambda: hold_briefly(hasty))
    with patient.held():
        pass

    assert code == "database-locked"
    assert said == ["Waiting for another program that is writing to the database."]


def hold_briefly(lock: WriteLock) -> None:
    with lock.held():
        raise AssertionError("the lock was held by two")


def test_whoever_waits_gets_the_lock_when_it_is_free(tmp_path: Path) -> None:
    lock = WriteLock(tmp_path / "games.sqlite", wait=30, notice=print)
    order: list[str] = []

    def wait_for_it() -> None:
        with lock.held():
            order.append("second")

    with lock.held():
        waiting = threading.Thread(target=wait_for_it)
        waiting.start()
        order.append("first")
    waiting.join()

    assert order == ["first", "second"]


def test_whoever_waited_for_the_lock_has_it_alone(tmp_path: Path) -> None:
    patient = WriteLock(tmp_path / "games.sqlite", wait=30, notice=print)
    hasty = WriteLock(tmp_path / "games.sqlite", wait=0.1, notice=print)
    codes: list[str] = []
    waits = threading.Event()

    def wait_for_it() -> None:
        with patient.held():
            codes.append(fault_code(lambda: hold_briefly(hasty)))

    class Taken(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            waits.set()
            return super().wait(timeout)

    with pytest.MonkeyPatch.context() as patch, patient.held():
        patch.setattr(locks, "Event", Taken)
        waiting = threading.Thread(target=wait_for_it)
        waiting.start()
        waits.wait()
    waiting.join()

    assert codes == ["database-locked"]


def test_without_file_locks_sqlite_itself_keeps_writers_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "HAS_FLOCK", False)
    file = made(tmp_path)

    assert not file.with_name("games.sqlite.lock").exists()


@pytest.mark.slow
def test_a_full_disk_is_said_and_changes_nothing(tmp_path: Path) -> None:
    """Show it in a process that may write no file longer than it is."""
    file = made(tmp_path)
    size = file.stat().st_size
    code = f"""
import resource
from pbmserv.club.player import PlayerStatus
from pbmserv.errors import Fault
from pbmserv.store.store import Store
store = Store.open({str(file)!r})
resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))
try:
    with store.writing() as records:
        for number in range(2000):
            records.players.add(f"p{{number}}", "x" * 999, (), status=PlayerStatus.ACTIVE, now=1)
except Fault as fault:
    print(fault.code)
with store.reading() as records:
    print(len(records.lists.players().rows))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["database-full", "2"]


def as_nobody(code: str, file: Path, scratch: Path) -> list[str]:
    """Run these lines on the database ``url`` as a user without rights, where we may do so."""
    program = f"""
import os, sys
from pbmserv.errors import Fault
from pbmserv.store.store import Store
url, scratch = sys.argv[1:]
# Everything is imported while it can still be read, an error's words among it.
with Store.open(scratch).writing():
    pass
try:
    Store.open(os.path.dirname(scratch))
except Fault:
    pass
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
try:
    {code}
except Fault as fault:
    print(fault.code)
"""
    words = [sys.executable, "-c", program, str(file), str(scratch / "scratch.sqlite")]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()


@pytest.fixture
def public_folder() -> Iterator[Path]:
    """A folder that everybody can enter and nobody but its owner change.

    It is none of pytest's, which takes the rights to those from everybody else now and then.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


@pytest.mark.slow
def test_a_read_only_file_can_be_read_but_not_changed(
    public_folder: Path, tmp_path_factory: pytest.TempPathFactory, journal: str
) -> None:
    """In WAL mode SQLite itself cannot read where it may write nothing beside the file."""
    file = made(public_folder)
    file.chmod(0o444)
    public_folder.chmod(0o555)
    try:
        read = as_nobody(
            "with Store.open(url).reading() as records: print(len(records.lists.players().rows))",
            file,
            tmp_path_factory.mktemp("scratch"),
        )
        write = as_nobody(
            "with Store.open(url).writing(): print('writing')",
            file,
            tmp_path_factory.mktemp("scratch"),
        )
    finally:
        public_folder.chmod(0o755)

    assert read == (["2"] if journal == "DELETE" else ["database-read-only"])
    assert write == ["database-read-only"]


@pytest.mark.slow
def test_no_database_is_made_in_a_read_only_folder(
    public_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    public_folder.chmod(0o555)
    try:
        said = as_nobody(
            "Store.open(url)", public_folder / "games.sqlite", tmp_path_factory.mktemp("scratch")
        )
    finally:
        public_folder.chmod(0o755)

    assert said == ["database-read-only"]
    assert list(public_folder.iterdir()) == []


@pytest.mark.parametrize(
    ("state", "code"),
    [
        ("40001", "database-conflict"),
        ("40P01", "database-conflict"),
        ("55P03", "database-locked"),
        ("53100", "database-full"),
        ("53300", "database-unreachable"),
        ("25006", "database-read-only"),
        ("28P01", "database-unreachable"),
        ("3D000", "database-unreachable"),
        ("57P01", "database-unreachable"),
        ("XX001", "database-broken"),
        ("42601", "database-error"),
    ],
)
def test_what_postgresql_reports_has_its_code(state: str, code: str) -> None:
    errors = pytest.importorskip("psycopg.errors")
    original = errors.lookup(state)("words of the server")
    fault = fault_of(sa.exc.DBAPIError("SELECT", {}, original), "here")

    assert fault.code == code
    assert is_transient(fault) == (code == "database-conflict")
    assert "words of the server" not in fault.message


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (errno.ENOSPC, "database-full"),
        (errno.EROFS, "database-read-only"),
        (errno.EACCES, "database-read-only"),
        (errno.ENOTDIR, "database-unreachable"),
    ],
)
def test_what_the_system_reports_has_its_code(number: int, code: str) -> None:
    assert fault_of(OSError(number, "words"), "here").code == code


def test_an_unknown_error_of_the_database_shows_no_values(store: Store) -> None:
    with pytest.raises(Fault) as caught, store.writing() as records:  # noqa: PT012
        add_player(records, "alice")
        records.connection.exec_driver_sql("SELECT FROM WHERE player")

    assert caught.value.code == "database-error"
    with store.reading() as records:
        assert records.players.find("alice") is None


@pytest.mark.slow
@pytest.mark.parametrize(("is_writing", "code"), [(True, "lost"), (False, "unreachable")])
def test_a_server_lost_while_it_commits_may_have_done_it(
    postgresql: databases.PostgresqlServer | str, code: str, *, is_writing: bool
) -> None:
    server = databases.require(postgresql)
    with server.schema() as url:
        store = Store.open(url)

        @sa.event.listens_for(store.engine, "commit")
        def _(connection: sa.Connection) -> None:
            process = connection.connection.driver_connection.info.backend_pid  # type: ignore[union-attr]
            server.connection.execute("SELECT pg_terminate_backend(%s, 10000)", (process,))

        def look() -> None:
            with store.writing() if is_writing else store.reading() as records:
                records.players.find("alice")

        assert f"database-{code}" == fault_code(look)
        store.close()


@pytest.mark.slow
@pytest.mark.parametrize("way", ["look", "change", "open"])
def test_a_connection_that_was_kept_and_dropped_is_made_anew(
    postgresql: databases.PostgresqlServer | str, way: str
) -> None:
    server = databases.require(postgresql)
    with server.schema() as url:
        databases.create(url)
        store = Store.open(url)
        with store.reading() as records:
            used = records.connection.exec_driver_sql("SELECT pg_backend_pid()").scalar()
        server.connection.execute("SELECT pg_terminate_backend(%s, 10000)", (used,))
        if way == "open":
            assert schema.find_version(store.engine, store.location) == schema.HEAD
        else:
            with store.writing() if way == "change" else store.reading() as records:
                now = records.connection.exec_driver_sql("SELECT pg_backend_pid()").scalar()
            assert now != used
        store.close()


def test_looking_cannot_change_anything(store: Store) -> None:
    with pytest.raises(Fault) as caught, store.reading() as records:
        add_player(records, "alice")

    assert caught.value.code == "database-read-only"


def test_another_exception_passes_through(store: Store) -> None:
    with pytest.raises(ZeroDivisionError), store.writing() as records:  # noqa: PT012
        add_player(records, "alice")
        raise ZeroDivisionError
    with store.reading() as records:
        assert records.players.find("alice") is None
