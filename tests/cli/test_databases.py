"""Databases that cannot be used: a clear sentence, exit code 70, and not a byte changed."""

import os
import resource
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from shutil import copytree, which
from tempfile import TemporaryDirectory

import pytest

from pbmserv.store.faults import SENTENCES, known
from tests.databases import copy_template
from tests.in_process_shell import Result, Shell
from tests.installed_program import moves, run_program

LINES = (
    "star show 101",
    "star move 101 alice secret-alice O1",
    "signup carol secret-carol",
    "list",
    "admin check",
)


@pytest.fixture
def file(tmp_path: Path, board_template: Path) -> Path:
    return Path(copy_template(board_template, tmp_path / "data"))


@pytest.fixture
def sqlite_shell(
    file: Path,
    cheap: None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Shell:
    del cheap
    monkeypatch.setenv("PBMSERV_DATABASE_URL", str(file))
    return Shell(str(file), monkeypatch, capsys)


def random_bytes(file: Path) -> None:
    file.write_bytes(bytes(range(256)) * 64)


def half(file: Path) -> None:
    with file.open("r+b") as stream:
        stream.truncate(file.stat().st_size // 2 // 4096 * 4096)


def middle_overwritten(file: Path) -> None:
    with file.open("r+b") as stream:
        stream.seek(4096)
        stream.write(b"\xff" * (file.stat().st_size - 4096))


def another_programs(file: Path) -> None:
    file.unlink()
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE recipe (name TEXT)")


def marked_by_another(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA application_id = 42")


def made_by_a_newer(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (random_bytes, "database-broken"),
        (half, "database-broken"),
        (middle_overwritten, "database-broken"),
        (another_programs, "database-foreign"),
        (marked_by_another, "database-foreign"),
        (made_by_a_newer, "database-newer"),
    ],
)
def test_a_file_that_cannot_be_used(
    sqlite_shell: Shell, file: Path, spoil: Callable[[Path], None], code: str
) -> None:
    spoil(file)
    before = file.read_bytes()
    results = [sqlite_shell.run(f"{line} --json") for line in LINES]

    assert {(done.code, done.document["error"]["code"]) for done in results} == {(70, code)}
    assert file.read_bytes() == before


@pytest.mark.slow
def test_the_sentence_names_the_file(sqlite_shell: Shell, file: Path) -> None:
    made_by_a_newer(file)
    done = sqlite_shell.run("list")

    assert done.out == ""
    assert done.err == (
        f"pbmserv: The database {file} was made by a newer version of this program.\n"
        "Install that version, or name another database.\n"
    )


@pytest.mark.slow
def test_a_database_that_another_holds(
    sqlite_shell: Shell, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(file.parent)
    for module in ("connection", "store"):
        monkeypatch.setattr(f"pbmserv.store.{module}.LOCK_TIMEOUT", 0.1)
    lines = (
        "star resign 101 alice secret-alice",
        "list",
        "star chat 101 alice secret-alice -text=hello",
        "tick",
        "admin check",
        "admin announce hello",
        "backup copy.sqlite",
        "db upgrade",
        "site pages",
        "batch -",
    )
    with closing(sqlite3.connect(file, isolation_level=None)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        for line in lines:
            told = sqlite_shell.run(line, "list\n")
            done = sqlite_shell.run(f"{line} --json", "list\n")
            assert (done.code, done.document["error"]["code"]) == (75, "database-locked"), line
            assert told.code == 75, line
            assert "is locked by another program." in told.err, line
            assert "Try again later." in told.err, line

    assert moves(str(file)) == ["N1", "M2"]


def test_what_is_to_be_tried_again_later_exits_75_and_nothing_else_does() -> None:
    found = {code: known(code, "x").exit_code for code in SENTENCES}
    later = {code for code, (_, hint) in SENTENCES.items() if "Try again later." in hint}

    assert later == {"database-locked", "database-conflict"}
    assert found == {code: 75 if code in later else 70 for code in SENTENCES}


@pytest.mark.slow
def test_a_server_that_does_not_answer_is_named_without_its_password(shell: Shell) -> None:
    done = shell.run("--database=postgresql://me:canary-3f9Q@127.0.0.1:1/games list")

    assert (done.code, done.out) == (70, "")
    assert done.err.startswith(
        "pbmserv: The database postgresql://me@127.0.0.1:1/games cannot be opened."
    )
    assert "canary" not in done.err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("postgresql://me:canary-3f9Q@127.0.0.1:1/games", "Connection refused"),
        (
            "postgresql://me:canary-3f9Q@127.0.0.1:1/games?canary=1",
            'invalid connection option "canary"',
        ),
    ],
)
def test_doctor_has_the_reason_for_which_a_database_cannot_be_opened(
    sqlite_shell: Shell, url: str, reason: str
) -> None:
    done = sqlite_shell.run(f"--database={url} doctor")

    assert f"cannot be opened. Reason: {reason}." in done.out
    assert "3f9Q" not in done.out + done.err
    assert done.code == 1


@pytest.mark.slow
@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_doctor_has_the_servers_own_reason(shell: Shell) -> None:
    url = shell.url.partition("?")[0].rpartition("/")[0]
    done = shell.run(f"--database={url}/nosuchdb doctor")

    assert 'Reason: database "nosuchdb" does not exist.' in done.out


@pytest.mark.slow
def test_a_folder_is_made_and_the_first_use_says_so(sqlite_shell: Shell, tmp_path: Path) -> None:
    new = tmp_path / "a" / "b" / "games.sqlite"
    first = sqlite_shell.run(f"--database={new} db upgrade")
    second = sqlite_shell.run(f"--database={new} db upgrade")

    assert first == (0, f"{new} is up to date.\n", f"Created the database {new}.\n")
    assert second == (0, f"{new} is up to date.\n", "")
    assert (new.stat().st_mode & 0o777, new.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def missing(file: Path) -> str:
    return f"No database at {file}; create it with pbmserv db upgrade."


@pytest.mark.parametrize(
    "line",
    [
        "list",
        "star show 101",
        "star move 101 alice secret-alice C1",
        "backup copy.sqlite",
        "tick",
        "batch -",
        "doctor",
        "db current",
        "db check",
        "admin check",
        "admin games",
        "admin forget",
        "mail send",
        "mail run --once",
        "mail serve --lmtp=127.0.0.1:0",
    ],
)
def test_a_mistyped_database_never_becomes_an_empty_club(
    sqlite_shell: Shell, tmp_path: Path, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PBMSERV_MAIL_ADDRESS", "pbmserv@example.org")
    monkeypatch.setenv("PBMSERV_MAIL_TRANSPORT", f"maildir:{tmp_path}/out")
    monkeypatch.setenv("PBMSERV_MAILDIR", f"{tmp_path}/in")
    monkeypatch.setenv("PBMSERV_MAIL_KEYS", f"{tmp_path}/mail.keys")
    typo = tmp_path / "srv" / "typo.sqlite"
    done = sqlite_shell.run(f"--database={typo} {line}", "signup carol secret-carol\n")

    assert done.code == 1
    assert missing(typo) in done.out + done.err
    assert [file.name for file in tmp_path.iterdir() if file.name != "data"] == []


@pytest.mark.slow
def test_a_postgresql_database_without_our_tables_is_no_club(shell: Shell, empty_url: str) -> None:
    for line in ("list", "admin check", "tick"):
        done = shell.run(f"--database={empty_url} {line} --json")

        assert (done.code, done.document["error"]["code"]) == (1, "database-missing")
    assert shell.run(f"--database={empty_url} signup carol secret-carol").code == 0
    assert shell.run(f"--database={empty_url} list").code == 0


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("line", ["signup carol secret-carol", "db upgrade", "restore {} --yes"])
def test_few_commands_make_a_database(
    sqlite_shell: Shell, file: Path, tmp_path: Path, line: str
) -> None:
    sqlite_shell.run(f"backup {tmp_path}/copy.sqlite")
    done = sqlite_shell.run(f"--database={tmp_path}/new.sqlite {line.format(file)}")

    assert (done.code, f"Created the database {tmp_path}/new.sqlite." in done.err) == (0, True)


@pytest.mark.slow
def test_a_settings_file_that_is_named_must_be_there(
    sqlite_shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PBMSERV_CONFIG", f"{tmp_path}/typo.toml")
    done = sqlite_shell.run("list")
    doctor = sqlite_shell.run("doctor")

    assert done == (
        1,
        "",
        (
            f"pbmserv: There is no settings file {tmp_path}/typo.toml.\n"
            "Create it, or correct PBMSERV_CONFIG, which names it.\n"
        ),
    )
    assert doctor.code == 1
    assert f"There is no settings file {tmp_path}/typo.toml." in doctor.out


# Root may write anywhere, unless it gives up the right to.
WITHOUT_RIGHTS = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search")


needs_setpriv = pytest.mark.skipif(
    os.geteuid() == 0 and not which("setpriv"), reason="root, and no setpriv"
)


@pytest.fixture
def closed_folder() -> Iterator[Path]:
    """A folder in which nobody may write."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o555)
        yield folder
        folder.chmod(0o755)


def run_without_rights(url: str, line: str) -> Result:
    """Run a command as somebody who is not root."""
    done = run_program(
        url,
        line.split(),
        capture_output=True,
        prefix=WITHOUT_RIGHTS if os.geteuid() == 0 else (),
    )
    return Result(done.returncode, done.stdout, done.stderr)


@pytest.mark.slow
@needs_setpriv
@pytest.mark.parametrize("name", ["games.sqlite", "a/games.sqlite", "a/b/c/games.sqlite"])
def test_doctor_tells_where_no_database_can_be_made(closed_folder: Path, name: str) -> None:
    done = run_without_rights(str(closed_folder / name), "doctor --json")
    problems = [fact["problem"] for fact in done.document["facts"] if fact["problem"]]

    assert (done.code, problems) == (
        1,
        [f"cannot write in {closed_folder}", missing(closed_folder / name)],
    )


@pytest.mark.slow
def test_doctor_tells_that_a_file_stands_where_a_folder_belongs(
    sqlite_shell: Shell, file: Path
) -> None:
    done = sqlite_shell.run(f"doctor --database={file}/games.sqlite --json")
    problems = [fact["problem"] for fact in done.document["facts"] if fact["problem"]]

    assert (done.code, problems) == (
        1,
        [f"{file} is not a folder", missing(file / "games.sqlite")],
    )


@pytest.mark.slow
@needs_setpriv
def test_a_copy_where_nobody_may_write(file: Path, closed_folder: Path) -> None:
    wanted = closed_folder / "copy"
    done = run_without_rights(str(file), f"backup {wanted}")

    assert (done.code, done.out) == (1, "")
    assert done.err == (
        f"pbmserv: The file {wanted} cannot be written: Permission denied.\n"
        "Name a file in a folder where you can write.\n"
    )


@pytest.mark.slow
@needs_setpriv
def test_a_folder_without_permission_to_write(file: Path) -> None:
    with TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        copytree(file.parent, data)
        for path in (Path(folder), data, *data.iterdir()):
            path.chmod(0o555 if path.is_dir() else 0o444)
        before = {path.name: path.read_bytes() for path in data.iterdir()}
        done = run_program(
            str(data / file.name),
            ["star", "move", "101", "alice", "secret-alice", "O1", "--json"],
            capture_output=True,
            prefix=WITHOUT_RIGHTS if os.geteuid() == 0 else (),
        )
        after = {path.name: path.read_bytes() for path in data.iterdir()}
        for path in (Path(folder), data):
            path.chmod(0o755)

    assert done.returncode == 70
    assert '"code":"database-read-only"' in done.stdout
    assert (done.stderr, after) == ("", before)


def small_files() -> None:
    """Let no file of this process grow: what is written beyond fails as on a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


def run_on_full_disk(url: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the program; Python itself would leave the half of a module that it compiles."""
    prefix = ("env", "PYTHONDONTWRITEBYTECODE=1")
    return run_program(url, words, prefix=prefix, capture_output=True, preexec_fn=small_files)


@pytest.mark.slow
@pytest.mark.parametrize(
    "line", ["star move 101 alice secret-alice O1", "signup carol secret-carol"]
)
def test_a_disk_that_is_full(file: Path, line: str) -> None:
    before = file.read_bytes()
    done = run_on_full_disk(str(file), *line.split(), "--json")

    assert (done.returncode, done.stderr) == (70, "")
    assert '"code":"database-full"' in done.stdout
    assert file.read_bytes() == before
    assert run_program(str(file), line.split(), capture_output=True).returncode == 0


@pytest.mark.slow
def test_no_room_for_a_new_database(tmp_path: Path) -> None:
    new = tmp_path / "new" / "games.sqlite"
    words = ["db", "upgrade"]
    done = run_on_full_disk(str(new), *words)
    again = run_program(str(new), words, capture_output=True)

    assert (done.returncode, done.stdout) == (70, "")
    assert "is full or cannot be written to" in done.stderr
    assert (again.returncode, again.stdout) == (0, f"{new} is up to date.\n")


@pytest.mark.slow
def test_a_damaged_database_is_not_restored_from_itself(sqlite_shell: Shell, file: Path) -> None:
    random_bytes(file)
    before = sorted(file.parent.iterdir())
    done = sqlite_shell.run(f"restore {file} --yes --json")

    assert (done.code, done.document["error"]["code"]) == (1, "same-file")
    assert done.document["error"]["message"] == "That is the database itself."
    assert sorted(file.parent.iterdir()) == before
