"""Exit codes and streams: answers on standard output, errors on standard error or as JSON."""

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pbmserv import __version__
from pbmserv.cli.start import asks_for_help, takes_mail
from tests.in_process_shell import Result, Shell


def test_an_answer_goes_to_standard_output(playing: Shell) -> None:
    done = playing.run("star show 101")

    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("Star Board 101 (size 3)\nX: alice   O: bob\n\n  1. X C1")
    assert "\nMove 3: alice (X) to move.\n\nTime used: X " in done.out
    assert "; reminder after 7 days, forfeit after 21.\nalice must move by " in done.out


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("star move 101 alice secret-alice C1", 1, "There is already a stone on C1."),
        ("star move 101 alice secret-alice ZZ99", 1, "Not a cell of this board: ZZ99."),
        ("star move 101 alice wrong-secret B3", 1, "The userid or the password is wrong."),
        ("star show 999", 1, "There is no Star Board 999."),
        ("star show nobody", 1, "No such player: nobody."),
        ("star challenge alice bob -size=15", 2, "Invalid value for -size: 15 (3 to 14)."),
        ("star nosuch", 2, "No such command: star nosuch."),
        ("chess show 101", 2, "No such command or game: chess."),
        ("star move 101", 2, "Missing argument: USERID."),
        (
            "--style=gothic star show 101",
            2,
            "Invalid value for --style: gothic (ascii or unicode).",
        ),
        ("--plain star show 101 -plain", 2, "The option --plain is given twice."),
        ("--database=a.sqlite list --data b.sqlite", 2, "The option --database is given twice."),
        ("list --database --plain", 2, "Missing value for --database."),
        ("---plain star show 101", 2, "No such command or game."),
        ("star show 101 -----plain", 2, "Boards and players cannot be mixed"),
        ("list -d=3", 2, "No such option: -d."),
        ("star show 101 -p=new.png --js=1", 2, "The option --json takes no value."),
        ("--json=1 star show 101", 2, "The option --json takes no value."),
        ("star show 101 --database", 2, "Missing value for --database."),
        ("help nosuch", 1, "No such help page: nosuch."),
    ],
)
def test_a_refusal_goes_to_standard_error_with_its_exit_code(
    playing: Shell, line: str, code: int, message: str
) -> None:
    done = playing.run(line)

    assert (done.code, done.out) == (code, "")
    assert done.err.startswith("pbmserv: ")
    assert message in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("line", "exit_code", "code"),
    [
        ("star move 101 alice secret-alice C1", 1, "occupied"),
        ("star move 101 alice wrong-secret B3", 1, "wrong-login"),
        ("star nosuch", 2, "no-such-command"),
        ("help nosuch", 1, "no-such-page"),
        ("help move extra", 2, "surplus-word"),
        ("star help move extra", 2, "surplus-word"),
        ("help tutorail extra", 1, "no-such-page"),
        ("--style=gothic list", 2, "bad-option-value"),
        ("batch nosuch", 1, "no-such-file"),
        ("--database=mysql://x list", 70, "bad-database-url"),
    ],
)
def test_a_refusal_as_json_is_one_document_on_standard_output(
    playing: Shell, line: str, exit_code: int, code: str
) -> None:
    done = playing.run(f"{line} --json")

    assert (done.code, done.err) == (exit_code, "")
    assert done.out.count("\n") == 1
    assert list(done.document) == ["error"]
    assert list(done.document["error"]) == ["code", "message", "hint"]
    assert done.document["error"]["code"] == code


@pytest.mark.parametrize("json", ["--json", "-json", "--JSON"])
@pytest.mark.parametrize("line", ["--style=gothic list", "--plain list --plain", "--style"])
def test_a_refusal_of_an_option_of_the_shell_is_json_too(
    playing: Shell, line: str, json: str
) -> None:
    for words in (f"{json} {line}", f"{line} {json}"):
        done = playing.run(words)

        assert (done.code, done.err, list(done.document)) == (2, "", ["error"])


@pytest.mark.parametrize(
    "line",
    [
        "star score 101 --plain --style=unicode --json",
        "star score 101 -pl -st unicode -js",
        "--PLAI star --Sty=UNICODE score -JSON 101",
    ],
)
def test_options_of_the_shell_may_be_shortened(playing: Shell, line: str, tmp_path: Path) -> None:
    assert playing.run(line) == playing.run("star score 101 --json")

    for name in ("--data", "-dat", "--DATABASE"):
        missing = playing.run(f"star games {name} {tmp_path / 'new.sqlite'}")
        assert missing.err.startswith(f"pbmserv: No database at {tmp_path / 'new.sqlite'};")
    for short, full in (("-PLA", "--plain"), ("--st=Unicode", "--style=unicode")):
        assert playing.run(f"star score 101 {short}") == playing.run(f"star score 101 {full}")
    assert playing.run("--vers") == playing.run("--version")
    assert playing.run("-he star move") == playing.run("help star move")


@pytest.mark.parametrize(
    "line",
    [
        "admin audit -pl alice",  # -player
        "admin outbox -stat sent",  # -status
        "starstar score new -si=4 -do",  # -double
        "star standings -hi alice",  # -history
    ],
)
def test_a_shortened_option_of_the_command_goes_before_one_of_the_shell(
    playing: Shell, line: str
) -> None:
    assert playing.run(line).code == 0


@pytest.mark.parametrize("option", ["", "--json", "--database x", "-Dat x", "--DATA=x", "-sty x"])
def test_a_mail_is_taken_in_behind_any_options(option: str) -> None:
    words = [*option.split(), "mail", "receive"]

    assert takes_mail(words)
    assert not asks_for_help(words)
    assert asks_for_help([*words, "-He"])


COMMANDS = [
    "signup carol secret-carol carol@example.org",
    "add carol secret-carol c@example.org",
    "change password carol secret-carol secret-carol2",
    "change address carol secret-carol2",
    "star challenge carol alice -size=3",
    "star move 102 carol secret-carol2 C1",
    "star swap 102 alice secret-alice",
    "star submit 101 alice secret-alice B3",
    "star confirm 101 alice secret-alice",
    "star move 101 bob secret-bob propose",
    "star move 101 alice secret-alice reject",
    "star show 101",
    "star show alice",
    "star showas alice secret-alice",
    "star games",
    "star score 101",
    "star score new -size=3 -x=C1",
    "star preview 101 pass",
    "star preview new -size=14",
    "star replay 101 2",
    "star resign 101 alice secret-alice",
    "star history",
    "star export 101",
    "list",
    "all show alice",
    "help",
    "help star",
    "help multiple",
    "star help",
    "admin games",
    "admin show star 101",
    "admin players",
    "admin player alice",
    "admin moves star 101",
    "admin audit",
    "admin check",
    "signoff carol secret-carol2 --yes",
]


@pytest.mark.costly
@pytest.mark.parametrize("option", ["", " --json"])
def test_a_command_answers_in_text_and_in_json(playing: Shell, option: str) -> None:
    wrong: list[tuple[str, Result]] = []
    for line in COMMANDS:
        done = playing.run(f"{line}{option}")
        is_json = done.out.startswith("{")
        if done.code or done.err or not done.out.endswith("\n") or is_json != bool(option):
            wrong.append((line, done))

    assert wrong == []


@pytest.mark.costly
@pytest.mark.parametrize("moment", [10**12, 253_402_300_799, -(10**11), -1])
def test_a_clock_that_once_stood_anywhere_breaks_no_command(
    playing: Shell, tmp_path: Path, moment: int
) -> None:
    playing.run("star vacation bob secret-bob 3")
    playing.monkeypatch.setenv("PBMSERV_SHELL_LOG", str(tmp_path / "log"))
    told: list[tuple[str, Result]] = []
    lines = [*COMMANDS, "vacation alice secret-alice 2", "calendar alice secret-alice", *LOOKS]
    for clock in (lambda: moment, time.time):
        with playing.monkeypatch.context() as patch:
            patch.setattr(time, "time", clock)
            told += [(line, playing.run(line)) for line in [*lines, f"site {tmp_path / 'pages'}"]]

    assert [] == [(line, done.err) for line, done in told if done.code not in {0, 1}]


LOOKS = [
    *("admin audit", "admin players", "admin games", "admin player alice", "admin moves star 101"),
    *("admin outbox", "admin check", "tick", "doctor", "star history", "star standings", "news me"),
    *("players", "star export 101", "all show alice", "stats", "list star hex"),
]


@pytest.mark.costly
def test_every_json_answer_is_one_document_on_one_line(playing: Shell) -> None:
    lines = [line for line in COMMANDS if not line.startswith(("signoff", "change password"))]
    results = [playing.run(f"--json {line}") for line in lines]

    assert [result.out.count("\n") for result in results] == [1] * len(lines)
    assert all(isinstance(json.loads(result.out), dict) for result in results)


def test_a_move_in_text_and_its_json_say_the_same(playing: Shell) -> None:
    document = playing.json("star move 101 alice secret-alice B3")
    text = playing.run("star show 101").out
    shown = playing.json("star show 101")

    assert document.pop("notices") == []
    assert {**document, "time": None} == {**shown, "time": None}, "but for the time that passes"
    assert document["moves"] == ["C1", "C2", "B3"]
    assert "3. X B3" in text


def test_nothing_at_all_prints_the_index(shell: Shell) -> None:
    assert shell.run("") == shell.run("help")
    assert "  tutorial " in shell.run("").out


def test_help_of_whatever_stands_before(shell: Shell) -> None:
    pages = [shell.run(line) for line in ("help move", "star move --help", "--help star board")]
    long = shell.run("star move 101 alice correct-horse F6 -size=7 --help --json")

    assert [page.code for page in pages] == [0, 0, 0]
    assert len({page.out for page in pages}) == 1
    assert pages[0].out.startswith("star move BOARD USERID PASSWORD MOVE[#N]")
    assert long.document["topic"] == "star move"


@pytest.mark.parametrize("commit", ["", "0123456789ab", "0123456789ab-dirty"])
def test_the_version_and_the_commit_that_was_installed(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, commit: str
) -> None:
    (tmp_path / "cli").mkdir()
    monkeypatch.setattr("pbmserv.cli.shell.__file__", f"{tmp_path}/cli/shell.py")
    if commit:
        (tmp_path / "commit.txt").write_text(f"{commit}\n")
    told = f" (commit {commit})" if commit else ""

    assert shell.run("--version") == Result(0, f"pbmserv {__version__}{told}\n", "")
    assert shell.run("doctor --json").document["facts"][0]["value"] == f"{__version__}{told}"


def git(folder: Path, *words: str) -> str:
    own = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    done = subprocess.run(
        ["git", *own, *words], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.mark.slow
def test_the_version_and_the_commit_of_a_checkout(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if shutil.which("git") is None:
        pytest.skip("there is no git")
    (tmp_path / "pbmserv" / "cli").mkdir(parents=True)
    (tmp_path / "pbmserv" / "file").touch()
    monkeypatch.setattr("pbmserv.cli.shell.__file__", f"{tmp_path}/pbmserv/cli/shell.py")
    git(tmp_path, "init")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "one")
    commit = git(tmp_path, "rev-parse", "HEAD")[:12]
    clean = shell.run("--version").out
    (tmp_path / "pbmserv" / "file").write_text("changed")

    assert clean == f"pbmserv {__version__} (commit {commit})\n"
    assert shell.run("--version").out == f"pbmserv {__version__} (commit {commit}-dirty)\n"
    shutil.move(tmp_path / "pbmserv", tmp_path / "inside" / "pbmserv")
    monkeypatch.setattr("pbmserv.cli.shell.__file__", f"{tmp_path}/inside/pbmserv/cli/shell.py")
    assert shell.run("--version").out == f"pbmserv {__version__}\n"


def test_plain_words_and_unicode_instead_of_the_picture(playing: Shell) -> None:
    plain = playing.run("star show 101 --plain").out
    fancy = playing.run("--style=unicode star show 101").out

    assert ".[O]" not in plain
    assert fancy != playing.run("star show 101").out


def test_without_a_terminal_there_is_no_colour(playing: Shell) -> None:
    assert "\x1b" not in playing.run("star show 101").out


def test_import_reads_standard_input(playing: Shell) -> None:
    playing.run("star resign 101 alice secret-alice")
    record = playing.json("star export 101")["record"]
    done = playing.run("star import alice secret-alice", record)

    assert (done.code, done.out.splitlines()[0]) == (0, "Imported as Star Board 102.")


def test_import_of_bytes_that_are_no_text_is_refused(shell: Shell) -> None:
    done = shell.run("star import", b"pbmserv record 1\n\xff\xfe")

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("pbmserv: That is not a game record. ")


def test_a_defect_is_owned_up_to(playing: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("correct-horse")

    monkeypatch.setattr("pbmserv.commands.match_answers.view_match", broken)
    done = playing.run("star move 101 alice secret-alice B3")
    later = playing.run("star games")

    assert (done.code, done.out) == (70, "")
    assert "Internal error (ZeroDivisionError); nothing was changed." in done.err
    assert "correct-horse" not in done.err
    assert "  101      2  alice" in later.out


def test_an_empty_database_name_is_not_the_default(shell: Shell) -> None:
    done = shell.run("--database= list")

    assert (done.code, "Not a valid database" in done.err) == (70, True)


def test_a_python_that_is_too_old_is_told_in_a_sentence() -> None:
    lines = "import sys; sys.version_info = (3, 10, 0); import pbmserv"
    done = subprocess.run(
        [sys.executable, "-c", lines], capture_output=True, text=True, check=False
    )

    said = "pbmserv needs Python 3.11 or newer; this is Python 3.10.\n"
    assert (1, "", said) == (done.returncode, done.stdout, done.stderr)
