"""The pipe: exit code 0 or 75 and not a word, whatever is wrong; then the mail is done once."""

import os
import pty
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random
from shutil import which

import pytest

from pbmserv.engine.games.star import Star
from pbmserv.store.mail.outbox import LetterState
from pbmserv.store.store import Store
from tests import databases
from tests.daemon.mail_receive_process import ALICE, PASSWORD, Installation, a_mail
from tests.faults.two_players import PROGRAM
from tests.installed_program import impatient

pytestmark = pytest.mark.slow

WITHOUT_RIGHTS = (
    'exec setpriv --bounding-set -dac_override,-dac_read_search -- "$@"'
    if os.geteuid() == 0
    else ""
)
"""Root may write anywhere, unless it gives up the right to."""

Break = Callable[[Installation], dict[str, str]]


@pytest.fixture
def here(sqlite_template: Path, tmp_path: Path) -> Installation:
    databases.copy_template(sqlite_template, tmp_path / "server")
    return Installation(tmp_path / "server")


def remove(here: Installation) -> dict[str, str]:
    Path(here.database).unlink()
    return {}


def empty(here: Installation) -> dict[str, str]:
    Path(here.database).write_bytes(b"")
    return {}


def damage(here: Installation) -> dict[str, str]:
    Path(here.database).write_bytes(b"no database at all" * 500)
    return {}


def make_newer(here: Installation) -> dict[str, str]:
    connection = sqlite3.connect(here.database)
    connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.commit()
    connection.close()
    return {}


def maintain(here: Installation) -> dict[str, str]:
    connection = sqlite3.connect(here.database)
    connection.execute("INSERT INTO moment (name, at) VALUES ('maintenance', 1)")
    connection.commit()
    connection.close()
    return {}


def break_settings(here: Installation) -> dict[str, str]:
    (here.folder / "pbmserv.toml").write_text("this is = not [ toml")
    return {"PBMSERV_OPERATOR_ADDRESS": "x@example.org"}


def break_keys(here: Installation) -> dict[str, str]:
    (here.folder / "mail.keys").write_text("{}")
    return {}


def shadow(here: Installation) -> dict[str, str]:
    folder = here.folder / "shadow"
    folder.mkdir()
    (folder / "sqlalchemy.py").write_text("print('hello'); raise RuntimeError('no library')")
    return {"PYTHONPATH": str(folder)}


BREAKS: dict[str, Break] = {
    "no database": remove,
    "an empty database": empty,
    "a damaged database": damage,
    "a newer database": make_newer,
    "maintenance": maintain,
    "broken settings": break_settings,
    "broken keys": break_keys,
    "a library that fails": shadow,
    "no address": lambda _: {"PBMSERV_MAIL_ADDRESS": ""},
    "an address without room": lambda _: {"PBMSERV_MAIL_ADDRESS": f"{'x' * 30}@example.org"},
    "an unreachable server": lambda _: {
        "PBMSERV_DATABASE_URL": "postgresql+psycopg://nobody@127.0.0.1:1/none"
    },
}


@pytest.mark.parametrize("name", BREAKS)
def test_whatever_is_broken_the_mail_is_kept_and_nothing_printed(
    here: Installation, name: str
) -> None:
    environ = BREAKS[name](here)
    done = here.run("mail", "receive", data=a_mail("help"), **environ)

    assert (75, b"", b"") == (done.returncode, done.stdout, done.stderr)


def test_a_mail_that_is_kept_leaves_a_line_in_the_log(here: Installation) -> None:
    typo = here.folder / "typo.sqlite"
    here.run("mail", "receive", data=a_mail("signup carol"), PBMSERV_DATABASE_URL=str(typo))
    line = (here.folder / "mail.log").read_text()

    assert line.endswith(
        f" No database at {typo}; create it with pbmserv db upgrade. code=database-missing\n"
    )
    assert not typo.exists()


STARTED = [
    ("mail", "receive", "--nonsense"),
    ("--style=none", "mail", "receive"),
    ("mail", "--help", "receive", f"--sender={ALICE}"),
]


@pytest.mark.parametrize("words", STARTED, ids=" ".join)
def test_nothing_is_printed_of_words_that_are_not_understood(
    here: Installation, words: tuple[str, ...]
) -> None:
    done = here.run(*words, data=a_mail("help"))

    assert (75, b"", b"") == (done.returncode, done.stdout, done.stderr)


def test_at_a_terminal_help_is_printed(here: Installation) -> None:
    ours, theirs = pty.openpty()
    command = [str(PROGRAM), "mail", "receive", "--help"]
    done = subprocess.run(
        command, stdin=theirs, env=here.environ, capture_output=True, check=False, timeout=120
    )
    os.close(ours)
    os.close(theirs)

    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"pbmserv mail receive ")


def test_a_full_disk_keeps_the_mail(here: Installation) -> None:
    limit = "export PYTHONDONTWRITEBYTECODE=1; ulimit -f 2"  # else Python keeps half a module
    done = here.run("mail", "receive", data=a_mail("help"), prefix=limit)
    again = here.run("mail", "receive", data=a_mail("help"))

    assert (75, b"", b"") == (done.returncode, done.stdout, done.stderr)
    assert again.returncode == 0
    assert here.outcomes() == ["done"]


@pytest.mark.skipif(os.geteuid() == 0 and not which("setpriv"), reason="root, and no setpriv")
@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_database_that_may_only_be_read_keeps_the_mail(here: Installation, what: str) -> None:
    place = Path(here.database) if what == "file" else here.folder
    usual = place.stat().st_mode
    place.chmod(usual & 0o555)
    done = here.run("mail", "receive", data=a_mail("help"), prefix=WITHOUT_RIGHTS)
    place.chmod(usual)
    again = here.run("mail", "receive", data=a_mail("help"))

    assert (75, b"", b"") == (done.returncode, done.stdout, done.stderr)
    assert again.returncode == 0
    assert here.outcomes() == ["done"]


@pytest.fixture
def hasty(here: Installation) -> Installation:
    """An installation whose program waits for a database that others hold for a moment only."""
    return replace(
        here, program=impatient(here.folder, {"pbmserv.store.connection.LOCK_TIMEOUT": 0.2})
    )


def test_a_locked_database_keeps_the_mail(hasty: Installation) -> None:
    connection = sqlite3.connect(hasty.database, isolation_level=None)
    connection.execute("BEGIN EXCLUSIVE")
    done = hasty.run("mail", "receive", data=a_mail("help"))
    connection.execute("ROLLBACK")
    connection.close()
    again = hasty.run("mail", "receive", data=a_mail("help"))

    assert (75, b"", b"") == (done.returncode, done.stdout, done.stderr)
    assert again.returncode == 0


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_a_signal_keeps_the_mail(here: Installation, name: str) -> None:
    process = here.start("mail", "receive")
    assert process.stdin is not None
    process.stdin.write(b"From: ")
    process.stdin.flush()
    wait_until_reading(process)
    process.send_signal(getattr(signal, name))
    out, err = process.communicate()

    assert (75, b"", b"") == (process.returncode, out, err)


def wait_until_reading(process: "subprocess.Popen[bytes]") -> None:
    """Wait until the program has silenced itself, which it does before it reads the mail."""
    streams = [Path(f"/proc/{process.pid}/fd/{number}") for number in (1, 2)]
    while not all(str(stream.readlink()) == "/dev/null" for stream in streams):
        time.sleep(0.01)


@pytest.mark.parametrize("data", [b"", b"\0" * 100, b"x" * 3_000_000, b"From: a\n" * 5])
def test_what_is_no_mail_is_taken_care_of(here: Installation, data: bytes) -> None:
    done = here.run("mail", "receive", "--sender=", data=data)

    assert (0, b"", b"") == (done.returncode, done.stdout, done.stderr)


def test_the_envelope_is_heeded(here: Installation) -> None:
    here.run("mail", "receive", "--recipient=pbmserv@example.org", "--sender=", data=a_mail("help"))
    here.run("mail", "receive", f"--sender={ALICE}", data=a_mail("help", 2))

    assert here.outcomes() == ["done"]


def bring(here: Installation, data: bytes, wait: float | None) -> bool:
    """Bring a mail, pulling the plug after ``wait`` seconds; tell whether it was taken care of."""
    process = here.start("mail", "receive")
    assert process.stdin is not None
    process.stdin.write(data)
    process.stdin.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(wait)
    process.kill()
    code = process.wait()
    assert process.stdout is not None
    assert process.stderr is not None
    with process.stdout, process.stderr:
        assert (process.stdout.read(), process.stderr.read()) == (b"", b"")
    assert code in {0, 75, -9}
    return code == 0


def test_moves_by_pipe_survive_kill_9(here: Installation) -> None:
    """Every mail is brought again until it is taken care of, as a mail server does."""
    boards, kills, moves = 1, 4, 8
    rng = Random(3)
    cells = Star(14).board.names
    for userid in ("alice", "bob"):
        here.run("signup", userid, PASSWORD, f"{userid}@example.net")
    wanted = []
    for board in range(101, 101 + boards):
        here.run("star", "challenge", "alice", "bob", "-size=14")
        for ply in range(moves):
            userid, text = ("bob", "pass") if ply % 2 else ("alice", cells[ply])
            line = f"star move {board} {userid} {PASSWORD} {text}"
            data = a_mail(line, board * 1000 + ply, f"{userid}@example.net")
            wait = None
            if kills and rng.random() < 2 / 3:
                kills -= 1
                wait = 1.5 * rng.random()
            while not bring(here, data, wait):
                wait = None
            wanted.append((board, ply, text))
    store = Store.open(here.database)
    with store.reading() as records:
        found = [records.matches.find("star", board) for board in range(101, 101 + boards)]
        letters = records.outbox.counts()[LetterState.WAITING]
    store.close()
    stored = [
        (match.number, ply, turn.text)
        for match in found
        if match is not None
        for ply, turn in enumerate(match.turns)
    ]

    assert wanted == stored
    assert letters == 2 * (len(wanted) + boards)
