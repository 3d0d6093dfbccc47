"""A user who has no home folder: HOME is not set, and the system knows no such user."""

import os
import pwd
import subprocess
from pathlib import Path
from typing import NoReturn

import pytest

from tests.in_process_shell import Shell
from tests.installed_program import LONGEST, PROGRAM, own_environment

PLACES = ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "LOGNAME", "USER", "LNAME", "USERNAME")
NEEDLESS = (
    "help",
    "help star",
    "--version",
    "star help",
    "star preview new -size=3 C3",
    'star score new -size=3 -x="C3" -o="D3"',
    "star hint new -size=3 -level=1",
    "puzzle",
    "puzzle 17 D31",
    "play star -size=3 -two",
    "gtp",
)
"""What needs no place of its own."""

NEEDING = (
    "list",
    "star show 101",
    "star move 101 me C3",
    "signup carol secret-carol",
    "login alice",
    "logout",
    "whoami",
    "db current",
    "db upgrade",
    "admin check",
    "tick",
    "backup copy.sqlite",
    "mail send",
)


def no_such_user(user: object) -> NoReturn:
    raise KeyError(user)


@pytest.fixture
def homeless(shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Shell:
    for name in PLACES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", no_such_user)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return shell


def without_database(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PBMSERV_DATABASE_URL", "PBMSERV_CONFIG"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("line", NEEDLESS)
def test_what_needs_no_place_is_done(
    homeless: Shell, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    without_database(monkeypatch)
    done = homeless.run(line, "quit\n")

    assert (done.code, done.err) == (0, "")
    assert list(Path.cwd().iterdir()) == []


@pytest.mark.parametrize("line", NEEDING)
def test_what_needs_a_place_says_what_to_set_and_makes_none(
    homeless: Shell, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    without_database(monkeypatch)
    monkeypatch.setenv("PBMSERV_MAIL_TRANSPORT", "print:")
    monkeypatch.setenv("PBMSERV_MAIL_ADDRESS", "pbmserv@example.org")
    done = homeless.run(line, "secret-alice\n")
    document = homeless.run(f"{line} --json", "secret-alice\n").document

    assert done.code == 1
    assert "This user has no home folder.\nSet HOME, or PBMSERV_" in done.err
    assert document["error"]["code"] == "no-home"
    assert list(Path.cwd().iterdir()) == []


def test_a_folder_named_as_the_tilde_is_nobodys_home(
    homeless: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_database(monkeypatch)
    settings = Path.cwd() / "~" / ".config" / "pbmserv" / "pbmserv.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text('database_url = "foreign.sqlite"\n')

    assert "This user has no home folder." in homeless.run("db upgrade").err


def test_with_a_database_that_is_named_all_goes_on_but_signing_in(homeless: Shell) -> None:
    assert homeless.run("signup carol secret-carol").code == 0
    assert homeless.run("signup dora secret-dora").code == 0
    assert homeless.run("star challenge carol dora -size=3").code == 0
    assert homeless.run("star move 101 carol secret-carol C3").code == 0
    assert homeless.run("star show 101").code == 0
    login = homeless.run("login carol --json", "secret-carol\n").document["error"]

    assert (login["code"], login["hint"]) == ("no-home", "Set HOME, or XDG_CONFIG_HOME.")
    assert "You are not signed in" in homeless.run("star move 101 me D3").err


@pytest.mark.parametrize("name", ["~/x.sqlite", "~nobody-of-this-name/x.sqlite"])
def test_a_database_in_a_home_that_is_none_is_refused_in_words(homeless: Shell, name: str) -> None:
    done = homeless.run(f"list --database={name}")

    assert (done.code, "This home folder does not exist." in done.err) == (1, True)


def test_a_log_names_a_user_without_a_name_by_number(
    homeless: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PBMSERV_SHELL_LOG", str(tmp_path / "log"))
    homeless.run("signup carol secret-carol")

    assert f" shell {os.getuid()} - code=done command=signup" in (tmp_path / "log").read_text()


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
def test_a_process_of_a_user_whom_the_system_does_not_know() -> None:
    environ = {"PATH": own_environment()["PATH"]}

    def run(*words: str) -> tuple[int, str]:
        done = subprocess.run(
            [PROGRAM, *words],
            env=environ,
            cwd="/",
            user=54321,
            extra_groups=[],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=LONGEST,
        )
        return done.returncode, done.stderr

    try:
        code, said = run("help")
    except PermissionError:
        pytest.skip("only root reaches the program")
    if code == 126:
        pytest.skip("only root reaches the interpreter")
    assert (code, said) == (0, "")
    assert run("star", "preview", "new") == (0, "")
    told = "pbmserv: This user has no home folder.\nSet HOME, or PBMSERV_DATABASE_URL.\n"
    assert run("list") == (1, told)
    assert run("mail", "receive") == (75, "")
