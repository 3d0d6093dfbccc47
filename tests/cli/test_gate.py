"""The gate: over ssh a player does what a mail of theirs may do, or looks, and nothing else."""

import fcntl
import json
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote

import pytest

from pbmserv import settings
from pbmserv.commands.help_files import read_page
from pbmserv.store.operator_lists import Filter
from pbmserv.store.store import Store
from tests import databases
from tests.in_process_shell import Result, Shell
from tests.installed_program import LONGEST, PROGRAM, moves, real_board


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


@pytest.mark.parametrize("line", ["star show 101", "star move 101 me F6", "whoami", "help star"])
@pytest.mark.parametrize("broken", ["none", "folder", "damaged", "settings", "no settings", "url"])
def test_a_gate_tells_nobody_where_on_the_machine_the_server_lies(
    shell: Shell,
    environment: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    line: str,
    broken: str,
) -> None:
    del environment
    place = tmp_path / "secret place"
    if broken == "folder":
        place.mkdir()
    elif broken == "damaged":
        place.write_bytes(b"no database" * 1000)
    elif broken == "settings":
        place.write_text("database_url = 5")
    monkeypatch.setenv("SSH_ORIGINAL_COMMAND", line)
    option = f"'--database={place}'"
    if "settings" in broken:
        monkeypatch.setenv("PBMSERV_CONFIG", str(place))
        option = ""
    elif broken == "url":
        option = "--database=postgresql://secret@127.0.0.1:1/secret"
    done = shell.run(f"{option} gate alice")

    assert done.code
    assert "secret" not in done.err + done.out
    assert done.err.startswith("pbmserv: ")
    assert "server" in done.err or "database" in done.err


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("admin suspend alice", "Your account is suspended."),
        ("admin close alice --yes", "alice has no open account."),
    ],
)
def test_at_the_gate_of_a_suspended_or_closed_player_nothing_is_signed(
    gate: Shell, line: str, why: str
) -> None:
    assert gate.run(line).code == 0
    before = gate.json("star show 101")
    lines = ("star move 101 me C3", "star showas me", "star resign 101 me", "whoami", "news me")
    told = [ask(gate, words) for words in lines]

    assert [(done.code, why in done.err) for done in told] == [(1, True)] * len(lines)
    assert gate.json("star show 101") == before


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
        ("change password alice secret-alice other-words", "Changed the password"),
        ("star preview new F6", "F6"),
        ("help star", "STAR"),
        ("list", "101"),
        ("whoami", "alice"),
        ("puzzle", "to move and win"),
        ("puzzle 17 solution", "The solution: D31."),
        ("pbmserv puzzle 17 D31", "D31 wins: solved."),
    ],
)
def test_a_player_plays_and_looks(gate: Shell, line: str, told: str) -> None:
    done = ask(gate, line)

    assert (done.code, done.err) == (0, "")
    assert told in done.out


@pytest.mark.parametrize("userid", ["alice", "ALICE", "Alice"])
@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("star challenge ALICE bob", "alice plays X"),
        ("star challenge BOB alice", "bob plays X"),
        ("star challenge bob Alice", "bob plays X"),
        ("star move 101 alice secret-alice D1", "alice plays D1."),
        ("star showas Alice secret-alice 101", "Star Board 101"),
        ("change password ALICE secret-alice other-words", "Changed the password"),
    ],
)
def test_a_userid_is_the_same_in_any_case(gate: Shell, line: str, told: str, userid: str) -> None:
    done = ask(gate, line, userid=userid)

    assert (done.code, done.err) == (0, "")
    assert told in done.out
    assert ask(gate, line, userid="BOB").code == (0 if "challenge" in line else 1)


@pytest.mark.costly(stay=7)
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
        ("star import", 1, "not available over ssh"),
        ("star show 101 -svg=board.svg", 1, "only in a shell"),
        ("star preview new F6 -html=board.html", 1, "only in a shell"),
        ("star preview 101 D1 -png=board.png", 1, "only in a shell"),
        ("star move 101 bob secret-bob C1", 1, "This gate is for alice only."),
        ("star showas bob secret-bob 101", 1, "This gate is for alice only."),
        ("signup carol secret-carol", 1, "This gate is for alice only."),
        ("reset bob", 1, "This gate is for alice only."),
        ("star challenge bob bob", 1, "alice must be one of the two players"),
        ("star challenge bob anyone", 1, "alice must be one of the two players"),
        ("change password me other-words", 2, "the password itself"),
        ("change password alice secret-wrong other-words", 1, "password is wrong"),
        ("signoff me", 2, "the password itself"),
        ("star show 101; admin players", 2, ""),
        ("star show $(admin players)", 1, "No such player"),
        ("star show 'unclosed", 2, "quotation mark"),
        ("star show \udcff", 1, "The text is not UTF-8."),
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


def sends_mail(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the settings file, which a gate reads alone, name an address of the server."""
    find = settings.find
    named = {"mail_address": "pbmserv@example.org"}
    monkeypatch.setattr(settings, "find", lambda name: named.get(name) or find(name))


def test_a_text_comes_from_standard_input(gate: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    sends_mail(monkeypatch)
    done = ask(gate, "message me bob -", "Well played.\n")

    assert done == (0, "Sent to bob.\n", "")


def test_a_password_comes_from_standard_input(gate: Shell) -> None:
    done = ask(gate, "change password alice - -", "secret-alice\nsecret-other\n")

    assert done == (0, "Changed the password of alice.\n", "")


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
    settings_of(tmp_path, url)
    (recipe,) = [line for line in read_page("sharing").splitlines() if "command=" in line]
    forced = recipe.partition('command="')[2].partition('"')[0]
    forced = forced.replace("/opt/pbmserv/bin/python", quote(sys.executable))
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


def settings_of(home: Path, url: str) -> None:
    folder = home / ".config" / "pbmserv"
    folder.mkdir(parents=True)
    (folder / "pbmserv.toml").write_text(f"database_url = {json.dumps(url)}\n")


CATCH = "echo CAUGHT $0 $PPID"
NAMES = (
    "PAGER MANPAGER GIT_PAGER EDITOR VISUAL BROWSER SHELL LESSOPEN LESSCLOSE LESSEDIT"
    " PROMPT_COMMAND ENV BASH_ENV PBMSERV_ROBOT_PROGRAMS PBMSERV_MAIL_TRANSPORT"
)
PROGRAMS = dict.fromkeys(NAMES.split(), CATCH)
SETTINGS = {
    "FORCE_COLOR": "1",
    "TTY_COMPATIBLE": "1",
    "LESS": "+!id",
    "PYTHONINSPECT": "1",
    "PYTHONSTARTUP": "evil.py",
    "PYTHONBREAKPOINT": "os.system",
    "_PBMSERV_COMPLETE": "bash_complete",
    "COMP_WORDS": "pbmserv admin ",
    "COMP_CWORD": "2",
    "PBMSERV_RESIDENT": "auto",
    "PBMSERV_TRACEBACK": "1",
}
OF_PYTHON = {
    **PROGRAMS,
    **SETTINGS,
    "PYTHONPATH": ".",
    "PYTHONWARNINGS": "all:0:antigravity.x:0:0",
    "BROWSER": f"sh -c '{CATCH}' %s",
}
TYPED = b"import os; os.system('id')\n!id\nv:e evil.py\n|$id\nq\x1b:q\n\x04"


@dataclass(frozen=True)
class Visitor:
    """Somebody at the gate of alice with a low terminal, whose ssh passes on any variable."""

    folder: Path
    program: tuple[str, ...] = (PROGRAM,)

    def asks(self, line: str, **environ: str) -> tuple[str, set[str]]:
        """Return what is shown while a shell is asked for, and the programs that are begun."""
        outer, inner = pty.openpty()
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 10, 80, 0, 0))
        trace = self.folder / "trace"
        traced = ("strace", "-f", "-qq", "-e", "trace=execve", "-o", str(trace))
        own = {"HOME": str(self.folder), "PATH": os.environ["PATH"], "TERM": "xterm"}
        process = subprocess.Popen(
            [*traced, *self.program, "gate", "alice"],
            env={**own, "SSH_ORIGINAL_COMMAND": line, **environ},
            cwd=self.folder,
            stdin=inner,
            stdout=inner,
            stderr=inner,
            start_new_session=True,
        )
        os.close(inner)
        os.write(outer, TYPED)
        shown = b""
        with suppress(OSError):  # when nobody holds the terminal any more
            while part := os.read(outer, 1 << 16):
                shown += part
        os.close(outer)
        process.wait(LONGEST)
        return shown.decode(), set(re.findall(r'execve\("[^"]*/([^"/]+)"', trace.read_text()))


@pytest.fixture
def visitor(tmp_path: Path, board_template: Path) -> Visitor:
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    url = databases.copy_template(board_template, tmp_path / "database")
    settings_of(tmp_path, url)
    for name in ("evil", "sitecustomize", "usercustomize"):
        (tmp_path / f"{name}.py").write_text("import os\nos.system('echo CAUGHT')\n")
    return Visitor(tmp_path)


GATE_ITSELF = {"pbmserv", Path(sys.executable).name}


@pytest.mark.slow
@pytest.mark.parametrize(
    "line", ["help commands", "help", "puzzle", "star show 101", "players", "nonsense", "", "'"]
)
def test_no_program_of_the_visitors_choice_runs_at_a_gate(visitor: Visitor, line: str) -> None:
    for environ in ({}, {**PROGRAMS, **SETTINGS}):
        shown, begun = visitor.asks(line, **environ)

        assert begun <= GATE_ITSELF
        assert not re.search("uid=|CAUGHT|>>> |plain,admin|plain,games", shown)


@pytest.mark.slow
@pytest.mark.parametrize("line", ["help commands", "whoami"])
def test_the_recipe_keeps_also_from_python_what_the_visitor_sends(
    visitor: Visitor, line: str
) -> None:
    isolated = replace(visitor, program=(sys.executable, "-I", "-m", "pbmserv"))
    shown, begun = isolated.asks(line, **OF_PYTHON)

    assert begun <= GATE_ITSELF
    assert not re.search("uid=|CAUGHT|>>> |plain,admin|plain,games", shown)
    assert "Traceback" not in shown


def test_what_was_done_at_a_gate_is_audited_as_such(gate: Shell) -> None:
    ask(gate, "star move 101 me D1")
    with closing(Store.open(gate.url)) as store, store.reading() as records:
        (entry,) = records.lists.audit(Filter(limit=1)).rows

    assert (entry.source, entry.userid, entry.verb, entry.outcome) == (
        "gate",
        "alice",
        "move",
        "done",
    )


def test_an_address_given_at_a_gate_is_not_trusted(
    gate: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    sends_mail(monkeypatch)
    ask(gate, "add alice secret-alice victim@example.org")
    with closing(Store.open(gate.url)) as store, store.reading() as records:
        (row,) = records.addresses.holders("victim@example.org")

    assert not row.is_proven


def test_a_password_that_is_missing_at_a_gate_is_named_with_what_helps_there(gate: Shell) -> None:
    done = ask(gate, "star move 101 alice D1")

    assert (done.code, done.out) == (2, "")
    assert "Missing argument: PASSWORD.\nA dash (-) reads it from standard input.\n" in done.err
    assert "At this gate me replaces USERID PASSWORD." in done.err
    assert "PBMSERV_PASSWORD" not in ask(gate, "star move 101 alice - D1").err


def test_a_second_password_that_is_missing_at_a_gate_is_named_likewise(gate: Shell) -> None:
    done = ask(gate, "change password alice - -", "secret-alice\n")

    assert (done.code, done.out) == (2, "")
    assert "The new password is missing.\nGive it as a line of standard input.\n" in done.err


def test_at_a_gate_with_a_terminal_a_missing_password_is_asked_for(
    gate: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pbmserv.cli.shell.Asker.is_at_terminal", True)
    done = ask(gate, "star move 101 alice D1", "secret-alice\n")

    assert (done.code, "alice plays D1." in done.out) == (0, True)


def test_a_hint_at_a_gate_is_good_there(gate: Shell) -> None:
    option = ask(gate, "list --database=x").err
    command = ask(gate, "server").err
    thing = ask(gate, "make backup").err
    word = ask(gate, "frobnicate").err

    assert "Did you mean" not in option + command + thing
    assert "It works only in a shell on the server's machine." in option
    assert "This works only on the server's own command line." in command
    assert "This works only on the server's own command line." in thing
    assert word.endswith("All commands: pbmserv -h\n")
    assert ask(gate, "pbmserv -h").out == ask(gate, "help").out
    assert ask(gate, "star challenge -h").out == ask(gate, "help star challenge").out
