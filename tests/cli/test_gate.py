"""The gate: over ssh a player does what a mail of theirs may do, or looks, and nothing else."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from pbmserv.commands.help import read_page
from pbmserv.store.store import Store
from tests import databases

from .in_process_shell import Result, Shell
from .installed_program import PROGRAM, moves, real_board


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A home folder without settings; the gate forgets most variables, and here they come back."""
    monkeypatch.setenv("HOME", str(tmp_path))
    before = dict(os.environ)
    yield
    os.environ.update(before)


@pytest.fixture
def gate(playing: Shell, environment: None) -> Shell:
    del environment
    return playing


def ask(shell: Shell, line: str, stdin: str = "", userid: str = "alice") -> Result:
    """Return what becomes of a line that a player types behind ``ssh HOST``."""
    before = dict(os.environ)
    os.environ["SSH_ORIGINAL_COMMAND"] = line
    try:
        return shell.run(f"--database={shell.url} gate {userid}", stdin)
    finally:
        os.environ.clear()
        os.environ.update(before)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("star move 101 me D1", "alice plays D1."),
        ("pbmserv star move 101 me D1", "alice plays D1."),
        ("STAR MOVE 101 ME D1", "alice plays D1."),
        ("star challenge me bob", "alice plays X"),
        ("star challenge bob alice", "bob plays X"),
        ("star games me next", "101"),
        ("star show 101", "Star Board 101"),
        ("star showas me 101", "Star Board 101"),
        ("all show bob", "101"),
        ("star resign 101 me", "alice resigns"),
        ("star limit me 3", "alice accepts challenges"),
        ("change password alice secret-alice other-words", "is changed"),
        ("star preview new F6", "F6"),
        ("help star", "STAR"),
        ("list", "101"),
        ("whoami", "alice"),
    ],
)
def test_a_player_plays_and_looks(gate: Shell, line: str, told: str) -> None:
    done = ask(gate, line)

    assert (done.code, done.err) == (0, "")
    assert told in done.out


@pytest.mark.parametrize(
    ("line", "code", "told"),
    [
        ("", 2, "Missing command."),
        ("pbmserv", 2, "Missing command."),
        ("admin players", 1, "server's own machine"),
        ("pbmserv admin close bob", 1, "server's own machine"),
        ("ADMIN players", 1, "server's own machine"),
        ("** admin players", 1, "server's own machine"),
        ("batch commands.txt", 1, "server's own machine"),
        ("backup copy.sqlite", 1, "server's own machine"),
        ("restore copy.sqlite", 1, "server's own machine"),
        ("db upgrade", 1, "server's own machine"),
        ("mail send", 1, "server's own machine"),
        ("doctor", 1, "server's own machine"),
        ("tick", 1, "server's own machine"),
        ("gate bob", 1, "server's own machine"),
        ("login bob secret-bob", 1, "server's own machine"),
        ("--database=other.sqlite list", 2, ""),
        ("list --database=other.sqlite", 2, ""),
        ("list --json", 2, ""),
        ("star import", 1, "cannot be done at a gate"),
        ("star show 101 -svg=board.svg", 1, "in the shell only"),
        ("star preview new F6 -html=board.html", 1, "in the shell only"),
        ("star preview 101 D1 -png=board.png", 1, "in the shell only"),
        ("star move 101 bob secret-bob C1", 1, "This gate is for alice alone."),
        ("star showas bob secret-bob 101", 1, "This gate is for alice alone."),
        ("signup carol secret-carol", 1, "This gate is for alice alone."),
        ("reset bob", 1, "This gate is for alice alone."),
        ("star challenge bob bob", 1, "alice must be one of the two players"),
        ("star challenge bob anyone", 1, "alice must be one of the two players"),
        ("change password me other-words", 2, "the password itself"),
        ("change password alice secret-wrong other-words", 1, "password is wrong"),
        ("signoff me", 2, "the password itself"),
        ("star show 101; admin players", 2, ""),
        ("star show $(admin players)", 1, "No such player"),
        ("star show 'unclosed", 2, "quotation mark"),
        ("/bin/sh -c id", 2, ""),
        ("scp -f /etc/passwd", 2, ""),
    ],
)
def test_a_player_does_nothing_else(
    gate: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, code: int, told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    before = sorted(path.name for path in tmp_path.iterdir())
    done = ask(gate, line)

    assert (done.code, done.out) == (code, "")
    assert told in done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert gate.json("star show 101")["moves"] == ["C1", "C2"]


def test_a_text_comes_from_standard_input(gate: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbmserv.cli.shell.Shell.has_mail", True)
    done = ask(gate, "message me bob", "Well played.\n")

    assert done == (0, "Sent to bob.\n", "")


def test_a_password_comes_from_standard_input(gate: Shell) -> None:
    done = ask(gate, "change password alice - -", "secret-alice\nsecret-other\n")

    assert done == (0, "The password of alice is changed.\n", "")


def test_what_the_client_sends_in_its_environment_counts_for_nothing(
    gate: Shell, tmp_path: Path
) -> None:
    (tmp_path / "evil.toml").write_text("vacation_days = 366\n")
    names = {
        "PBMSERV_CONFIG": str(tmp_path / "evil.toml"),
        "PBMSERV_VACATION_DAYS": "366",
        "PBMSERV_PASSWORD": "secret-alice",
        "PBMSERV_TRACEBACK": "1",
        "XDG_CONFIG_HOME": str(tmp_path),
    }
    before = dict(os.environ)
    os.environ.update(names)
    try:
        away = ask(gate, "vacation me 3")
        changed = ask(gate, "change password alice - other-words")
    finally:
        os.environ.clear()
        os.environ.update(before)

    assert "Days left this year: 27." in away.out
    assert changed.code == 2


def test_nothing_of_it_is_left_for_whatever_runs_behind(gate: Shell) -> None:
    before = dict(os.environ)
    os.environ.update(SSH_ORIGINAL_COMMAND="list", PBMSERV_STYLE="x", PYTHONPATH="/tmp", PGHOST="x")  # noqa: S108
    gate.run(f"--database={gate.url} gate alice")
    left = set(os.environ)
    os.environ.clear()
    os.environ.update(before)

    assert left <= {"HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "TERM", "TZ", "USER"}


@pytest.mark.parametrize("line", ["whoami", "list", "help", "star move 101 me D1"])
def test_the_gate_of_a_closed_account_is_shut(gate: Shell, line: str) -> None:
    gate.run("admin close alice --yes")
    closed = ask(gate, line)
    unknown = ask(gate, line, userid="nobody")

    assert (closed.code, closed.out) == (1, "")
    assert closed.err == "pbmserv: alice has no open account.\n"
    assert unknown.err == "pbmserv: nobody has no open account.\n"


@pytest.mark.slow
def test_the_recipe_of_the_help_page_works_as_a_forced_command(
    tmp_path: Path, sqlite_template: Path
) -> None:
    url = databases.copy_template(sqlite_template, tmp_path / "database")
    real_board(url)
    (recipe,) = [line for line in read_page("sharing").splitlines() if "command=" in line]
    forced = recipe.partition('command="')[2].partition('"')[0]
    forced = forced.replace("/srv/club/games.sqlite", url).replace("pbmserv ", f"{PROGRAM} ", 1)
    typed = "star move 101 me N3; star resign 101 me"
    environ = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "PBMSERV_DATABASE_URL": "/none"}

    def connect(line: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["/bin/sh", "-c", forced],
            env={**environ, "SSH_ORIGINAL_COMMAND": line},
            capture_output=True,
            text=True,
            check=False,
        )

    assert connect("star move 101 me N3").stdout.startswith("alice plays N3.")
    assert connect(typed).returncode == 2
    assert moves(url) == ["N1", "M2", "N3"]


def test_what_was_done_at_a_gate_is_audited_as_such(gate: Shell) -> None:
    ask(gate, "star move 101 me D1")
    with closing(Store.open(gate.url)) as store, store.reading() as records:
        (entry,) = records.audit.entries(limit=1)

    assert (entry.source, entry.userid, entry.verb, entry.outcome) == (
        "gate",
        "alice",
        "move",
        "done",
    )


def test_an_address_given_at_a_gate_is_not_trusted(
    gate: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pbmserv.cli.shell.Shell.has_mail", True)
    ask(gate, "add alice secret-alice victim@example.org")
    with closing(Store.open(gate.url)) as store, store.reading() as records:
        (row,) = records.addresses.holders("victim@example.org")

    assert not row.is_proven
