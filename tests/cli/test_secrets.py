"""Where a password may come from, and that none ever comes out."""

import os
import pty
import subprocess
import sys
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path

import pytest

from pbmserv.cli.main import run
from pbmserv.commands.types import NewSecret, Secret
from pbmserv.desk.request import Request
from tests.cli.own_terminal import Shown, on_terminal
from tests.daemon.resident_process import served
from tests.in_process_shell import Shell
from tests.installed_program import environment, own_environment
from tests.local_server import LocalServer

CANARY = "canary-3f9Q"


def test_a_dash_takes_the_environment(playing: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBMSERV_PASSWORD", "secret-alice")
    done = playing.run("star move 101 alice - B3", "another line\n")

    assert done.code == 0


def test_a_dash_takes_a_line_of_standard_input(playing: Shell) -> None:
    codes = [
        playing.run("star move 101 alice - B3", text).code
        for text in ("secret-bob\n", "", "\n", b"\xff\xff\n", "secret-alice\r\nmore\n")
    ]

    assert codes == [1, 2, 1, 1, 0]


def test_a_dash_for_the_password_and_a_dash_for_the_move(playing: Shell) -> None:
    done = playing.run("star move 101 alice - - --json", "secret-alice\n")

    assert done.document["moves"][-1] == "pass"


def test_two_dashes_take_successive_lines(playing: Shell) -> None:
    done = playing.run("change password alice - -", "secret-alice\nsecret-new\n")

    assert done.code == 0
    assert playing.run("add alice secret-new a@b.example").code == 0


def test_two_dashes_take_the_environment_and_a_line(
    playing: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PBMSERV_PASSWORD", "secret-alice")
    done = playing.run("change password alice - -", "secret-new\n")

    assert done.code == 0
    assert playing.run("add alice secret-new a@b.example").code == 0


def test_a_dash_without_any_password_is_not_understood(playing: Shell) -> None:
    done = playing.run("star import")
    asked = playing.run("star move 101 alice - B3")

    assert done.code == 2
    assert (asked.code, asked.out) == (2, "")
    assert "Set PBMSERV_PASSWORD" in asked.err


def test_a_second_dash_without_a_line_misses_the_new_password(
    playing: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    from_input = playing.run("change password alice - -", "secret-alice\n")
    monkeypatch.setenv("PBMSERV_PASSWORD", "secret-alice")
    from_environment = playing.run("change password alice - -")

    assert from_input == from_environment
    assert from_environment.code == 2
    assert "The new password is missing." in from_environment.err
    assert "Give it as a line of standard input: PBMSERV_PASSWORD replaces" in from_environment.err
    assert "Set PBMSERV_PASSWORD" not in from_environment.err


@pytest.mark.parametrize("line", ["star move 101 alice - B3", "change password alice - -"])
def test_where_standard_input_is_a_batch_no_line_of_it_is_asked_for(
    playing: Shell, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    first = playing.run("batch -", f"{line}\n")
    monkeypatch.setenv("PBMSERV_PASSWORD", "secret-alice")
    second = playing.run("batch -", "change password alice - -\n")

    assert "Set PBMSERV_PASSWORD, or type it on a terminal." in first.err
    assert "The new password is missing." in second.err
    assert "standard input" not in first.err + second.err


MISSING = {
    "signup dora": ("PASSWORD", False),
    "star move 101 alice B3": ("PASSWORD", True),
    "star move 101 alice pass": ("PASSWORD", True),
    "star move 101 alice": ("PASSWORD", True),
    "star move 101 alice secret-alice": ("MOVE", False),
    "star resign 101 alice": ("PASSWORD", True),
    "star subscribe 101 alice": ("PASSWORD", True),
    "star showas alice 101": ("PASSWORD", True),
    "message alice bob": ("PASSWORD", True),
    "add alice a@b.example": ("PASSWORD", False),
    "change password alice": ("CURRENT", False),
    "change password alice secret-alice": ("NEW", False),
    "reset alice 7f7f-9c9c": ("NEWPASSWORD", False),
    "admin reset-password alice": ("PASSWORD", False),
    "login": ("USERID", False),
}
"""Lines without some secret, its name, and whether ``me`` would do."""


@pytest.mark.parametrize("line", MISSING)
def test_without_a_terminal_a_missing_password_is_named(playing: Shell, line: str) -> None:
    name, takes_me = MISSING[line]
    done = playing.run(line, "secret-alice\nsecret-alice\n")
    is_secret = name not in {"MOVE", "USERID"}

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"pbmserv: Missing argument: {name}.\n")
    told = "A dash (-) reads it from PBMSERV_PASSWORD or standard input." in done.err
    assert (told, "me replaces USERID PASSWORD" in done.err) == (is_secret, takes_me)
    assert "Syntax: " in done.err


def test_a_variable_or_a_batch_gives_no_password_unasked(
    playing: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PBMSERV_PASSWORD", "secret-alice")
    alone = playing.run("star move 101 alice B3")
    batch = playing.run("batch -", "star move 101 alice B3\nstar move 101 alice - B3\n")

    assert (alone.code, batch.code) == (2, 1)
    assert "A dash (-) reads it from PBMSERV_PASSWORD.\n" in batch.err
    assert "line 2: done" in batch.out


@pytest.mark.parametrize("word", ["fritz@example.com", "reset-password", "Alice-Alice"])
def test_an_operator_gives_no_slip_for_a_password(playing: Shell, word: str) -> None:
    done = playing.run(f"admin reset-password alice {word}")

    assert (done.code, done.out) == (2, "")
    assert playing.run("add alice secret-alice a@b.example").code == 0


LINES = [
    f"signup dora {CANARY}",
    f"signup dora {CANARY} {CANARY}",
    f"signup {CANARY} short",
    f"signup {CANARY}",
    f"change password alice {CANARY} {CANARY}",
    "change password alice secret-alice",
    f"star move 101 dora {CANARY} C1",
    f"star move 101 alice {CANARY} B3",
    f"star move 101 {CANARY} alice B3",
    f"star move {CANARY} 101 alice B3",
    f"star move 101 alice secret-alice {CANARY}",
    f"star move 101 alice secret-alice B3 {CANARY}",
    f"star move 101 alice secret-alice B3#{CANARY}",
    f"star showas dora {CANARY}",
    f"star show {CANARY}",
    f"star show 101#{CANARY}",
    f"star {CANARY}",
    f"{CANARY}",
    f"star challenge alice {CANARY}",
    f"star challenge alice bob -size={CANARY}",
    f"star challenge alice bob --password={CANARY}",
    f"star --password={CANARY} challenge alice bob",
    f"--database={CANARY}://host list",
    f"--style={CANARY} list",
    f"help {CANARY}",
    f"star help {CANARY}",
    f"star move 101 alice {CANARY} B3 --help",
    f"list {CANARY}",
    f"all show {CANARY}",
    f"admin player {CANARY}",
    f"add dora {CANARY} {CANARY}",
    f"add dora {CANARY} d@b.example",
    f"change address dora {CANARY}",
    f"signoff dora {CANARY} --yes",
    "admin audit",
    "admin players",
]


@pytest.mark.costly
@pytest.mark.parametrize("traceback", ["", "1"])
def test_a_password_comes_out_nowhere(
    playing: Shell, monkeypatch: pytest.MonkeyPatch, traceback: str
) -> None:
    monkeypatch.setenv("PBMSERV_TRACEBACK", traceback)
    # Each wrong password would be held up for longer than the one before.
    monkeypatch.setattr("pbmserv.store.people.guesses.pause_after", lambda _: 0.0)
    shown = []
    for line in LINES:
        for end in ("", " --json"):
            done = playing.run(line + end)
            shown += [(line + end, text) for text in (done.out, done.err) if CANARY in text]
    batch = playing.run("batch -", "\n".join(LINES))
    local = LocalServer(playing.url)
    rows = str(local.tables(but=()))
    local.desk.close()

    assert shown == []
    assert CANARY not in batch.out + batch.err
    assert "audit" in rows
    assert CANARY not in rows


@pytest.mark.costly
def test_the_file_of_the_database_holds_no_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the real hashes, whatever else a page of the file may hold."""
    file = tmp_path / "data" / "pbmserv.sqlite"
    monkeypatch.setenv("PBMSERV_DATABASE_URL", str(file))
    codes = [run(["signup", "dora", CANARY]), run(["add", "dora", CANARY, "d@b.example"])]
    found = [path for path in file.parent.iterdir() if CANARY.encode() in path.read_bytes()]

    assert codes == [0, 0]
    assert b"$argon2id$v=19$m=19456,t=2,p=1$" in file.read_bytes()
    assert found == []


def test_a_defect_with_its_traceback_shows_no_password(
    playing: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setenv("PBMSERV_TRACEBACK", "1")
    monkeypatch.setattr("pbmserv.store.audit.AuditTrail.add", broken)
    done = playing.run(f"signup dora {CANARY}")

    assert done.code == 70
    assert "Traceback (most recent call last)" in done.err
    assert CANARY not in done.err


def test_requests_and_secrets_never_print_themselves() -> None:
    texts = [repr(kind(CANARY)) for kind in (Secret, NewSecret)] + [repr(Request((CANARY,)))]

    assert [text for text in texts if CANARY in text] == []


def _on_a_terminal(
    url: str, words: list[str], *typed: bytes, environ: Mapping[str, str] | None = None
) -> tuple[int, bytes]:
    """Run the command at a terminal, type a line at each prompt, and return what it showed."""
    master, slave = pty.openpty()
    program = [str(Path(sys.executable).with_name("pbmserv")), *words]
    process = subprocess.Popen(
        program,
        stdin=slave,
        stdout=subprocess.PIPE,
        stderr=slave,
        env=environ or own_environment(PBMSERV_DATABASE_URL=url),
        start_new_session=True,
        preexec_fn=_take_terminal,  # noqa: PLW1509 - the child alone, before anything else
    )
    os.close(slave)
    shown = b""
    for line in typed:
        shown += os.read(master, 1000)
        while not shown.endswith(b": "):
            shown += os.read(master, 1000)
        os.write(master, line)
    out, _ = process.communicate(timeout=60)
    shown += os.read(master, 1000)
    os.close(master)
    return process.returncode, shown + out


def _take_terminal() -> None:
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def at_prompts(file: Path, line: str, *typed: str) -> Shown:
    """Run a line at a terminal, on the database in this file, and type these at its prompts."""
    answers = [(": ", f"{word}\n") for word in typed]
    return on_terminal(line.split(), *answers, PBMSERV_DATABASE_URL=str(file))


def is_password(file: Path, word: str) -> bool:
    return run(["--database", str(file), "add", "dora", word, "d@b.example"]) == 0


@pytest.mark.costly
def test_on_a_terminal_a_dash_asks_and_does_not_echo(tmp_path: Path) -> None:
    file = tmp_path / "data" / "pbmserv.sqlite"
    done = at_prompts(file, "signup dora -", CANARY, CANARY)

    assert done.code == 0
    assert "Welcome, dora" in done.text
    assert CANARY not in done.text
    assert is_password(file, CANARY)


@pytest.mark.costly
def test_a_new_password_is_typed_twice_until_both_agree(tmp_path: Path) -> None:
    file = tmp_path / "data" / "pbmserv.sqlite"
    done = at_prompts(file, "signup dora -", CANARY, "another-word", CANARY, CANARY)

    assert done.code == 0
    assert "do not match" in done.text
    assert is_password(file, CANARY)


@pytest.mark.costly
def test_a_password_that_is_only_to_be_right_is_typed_once(tmp_path: Path) -> None:
    file = tmp_path / "data" / "pbmserv.sqlite"
    at_prompts(file, "signup dora -", CANARY, CANARY)
    signed = at_prompts(file, "login", "dora", CANARY)

    assert signed.code == 0
    assert signed.bare[:2] == ["Userid: dora", "Password: "[:-1]]


@pytest.mark.parametrize("words", ["signup d -", "signup dora - nowhere", "signup dora -x -"])
def test_nobody_types_a_password_for_words_that_are_not_understood(
    tmp_path: Path, words: str
) -> None:
    done = at_prompts(tmp_path / "pbmserv.sqlite", words)

    assert done.code == 2
    assert "password:" not in done.text


@pytest.mark.parametrize("key", ["\x03", "\x04"])
@pytest.mark.parametrize("line", ["signup dora -", "login"])
def test_giving_up_at_the_prompt_is_an_interruption(tmp_path: Path, line: str, key: str) -> None:
    file = tmp_path / "data" / "pbmserv.sqlite"
    done = on_terminal(line.split(), (": ", key), PBMSERV_DATABASE_URL=str(file))

    assert done.code == 130
    assert "Traceback" not in done.text
    assert not file.exists()


@pytest.mark.slow
@pytest.mark.parametrize("is_served", [False, True])
def test_on_a_terminal_what_is_secret_and_missing_is_asked_for(
    tmp_path: Path,
    is_served: bool,  # noqa: FBT001
) -> None:
    url = str(tmp_path / "data" / "pbmserv.sqlite")
    new, newer = CANARY, f"{CANARY}-2"
    lines = {
        "signup dora": (new, new),
        "login": ("dora", new),
        "add dora d@b.example": (new,),
        "star showas dora": (new,),
        "change password dora": (new, newer, newer),
        f"change password dora {newer}": (new, new),
        "admin reset-password dora": (newer, newer),
        "message dora": (),
        "add dora": (),
    }
    with served(url) if is_served else nullcontext((environment(url), None)) as (environ, server):
        own = {**environ, "XDG_CONFIG_HOME": str(tmp_path)}
        ended = {
            line: _on_a_terminal(
                url, line.split(), *[f"{word}\n".encode() for word in typed], environ=own
            )
            for line, typed in lines.items()
        }

    assert (not is_served) == (server is None)
    expected = {line: 0 if typed else 2 for line, typed in lines.items()}
    assert {line: code for line, (code, _) in ended.items()} == expected
    assert not any(CANARY.encode() in shown for _, shown in ended.values())
    assert b"Missing argument: TO." in ended["message dora"][1]
