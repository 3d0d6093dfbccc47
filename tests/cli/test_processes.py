"""The program as the system runs it: pipes, full devices, signals and closed streams."""

import fcntl
import os
import pwd
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote

import pytest

from tests.conftest import OF_THE_RUN
from tests.daemon.resident_process import served
from tests.databases import copy_template
from tests.installed_program import (
    INHERITED,
    LONGEST,
    PROGRAM,
    environment,
    moves,
    run_program,
    start_program,
)

pytestmark = pytest.mark.slow

MOVE = ["star", "move", "101", "alice", "secret-alice", "O1"]
BEFORE = ["N1", "M2"]
AFTER = [*BEFORE, "O1"]
FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="the system has no /dev/full")


@pytest.fixture
def url(tmp_path: Path, board_template: Path) -> str:
    return copy_template(board_template, tmp_path / "data")


@contextmanager
def closed_pipe() -> Iterator[int]:
    """Yield the writing end of a pipe that nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    yield writer
    os.close(writer)


@pytest.mark.parametrize("line", ["star show 101", "help star", "star show 101 --json"])
def test_a_reader_who_has_gone_is_no_error(url: str, line: str) -> None:
    with closed_pipe() as writer:
        done = run_program(url, line.split(), stdout=writer, stderr=subprocess.PIPE)

    assert (done.returncode, done.stderr) == (0, "")


def test_head_gets_its_line(url: str) -> None:
    done = subprocess.run(
        ["bash", "-c", f"{quote(PROGRAM)} star show 101 | head -1; echo ${{PIPESTATUS[0]}}"],
        env=environment(url),
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.stdout, done.stderr) == ("Star Board 101 (size 14)\n0\n", "")


def lost(reason: str) -> str:
    return (
        f"pbmserv: The command was carried out, but its answer could not be printed: {reason}.\n"
        "Check the result before you repeat the command.\n"
    )


def test_a_move_whose_reader_has_gone_is_made_and_said_to_be(url: str) -> None:
    with closed_pipe() as writer:
        done = run_program(url, MOVE, stdout=writer, stderr=subprocess.PIPE)

    assert (done.returncode, done.stderr) == (3, lost("Broken pipe"))
    assert moves(url) == AFTER


@needs_full
@pytest.mark.parametrize("end", [[], ["--json"]])
def test_a_move_whose_answer_cannot_be_written_is_said_to_be_made(url: str, end: list[str]) -> None:
    with FULL.open("w") as full:
        done = run_program(url, [*MOVE, *end], stdout=full, stderr=subprocess.PIPE)

    assert (done.returncode, done.stderr) == (3, lost("No space left on device"))
    assert moves(url) == AFTER


@needs_full
@pytest.mark.parametrize("line", ["tick", "admin rate", "db upgrade"])
def test_a_command_of_the_shells_own_is_said_to_be_carried_out(url: str, line: str) -> None:
    with FULL.open("w") as full:
        done = run_program(url, line.split(), stdout=full, stderr=subprocess.PIPE)

    assert (done.returncode, done.stderr) == (3, lost("No space left on device"))


@needs_full
def test_a_batch_whose_answer_cannot_be_written_stops_and_says_where(url: str) -> None:
    lines = f"{' '.join(MOVE)}\nstar resign 101 alice secret-alice\n"
    with FULL.open("w") as full:
        done = subprocess.run(
            [PROGRAM, "batch", "-"],
            env=environment(url),
            input=lines,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )

    assert (done.returncode, moves(url)) == (3, AFTER)
    assert done.stderr.startswith("pbmserv: Line 1 was carried out, but its answer could not be")


def test_a_refusal_whose_reader_has_gone_is_no_success(url: str) -> None:
    with closed_pipe() as writer:
        words = ["star", "show", "999", "--json"]
        done = run_program(url, words, stdout=writer, stderr=subprocess.PIPE)

    assert (done.returncode, done.stderr) == (1, "")


def test_a_character_that_the_encoding_lacks_is_replaced(url: str, tmp_path: Path) -> None:
    environ = {**environment(url), "PYTHONIOENCODING": "ascii"}
    backup = [str(PROGRAM), "backup", "--force", str(tmp_path / "caf\u00e9")]
    text = subprocess.run(backup, env=environ, capture_output=True, check=False)
    document = subprocess.run([*backup, "--json"], env=environ, capture_output=True, check=False)

    assert (text.returncode, text.stderr, b"caf?." in text.stdout) == (0, b"", True)
    assert (document.returncode, b'caf\\u00e9"' in document.stdout) == (0, True)


CODES = {
    " ".join(MOVE): (3, 0, 3),
    "pbmserv add alice secret-alice a@b.example": (3, 0, 3),
    "pbmserv tick": (3, 0, 3),
    "pbmserv batch -": (3, 0, 3),
    "pbmserv backup copy.sqlite": (3, 0, 3),
    "star show 101": (70, 0, 70),
    "star show 101 --json": (70, 0, 70),
    "pbmserv help": (70, 0, 70),
    "pbmserv --version": (70, 0, 70),
    "pbmserv play -size=3 -two": (70, 0, 70),
    "pbmserv gtp -game=hex": (70, 0, 70),
    "_PBMSERV_COMPLETE=bash_source pbmserv": (70, 0, 70),
    "star show 999": (1, 70, 70),
    "star show 999 --json": (70, 1, 70),
    "starstar show": (2, 70, 70),
    "pbmserv frob": (2, 70, 70),
    "python -m pbmserv frob": (2, 70, 70),
    "pbmserv mail receive": (75, 75, 75),
}
"""Lines, and how they end where output, errors or both go to a full device."""


def code_of(line: str, streams: str, url: str, environ: dict[str, str]) -> int:
    done = subprocess.run(
        ["bash", "-c", f"{line} {streams}"],
        cwd=Path(url).parent,
        env={**environ, "PATH": f"{Path(PROGRAM).parent}:{environ['PATH']}"},
        input=" ".join(MOVE if "batch" in line else ["quit"]),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr + done.stdout
    return done.returncode


DEAD = (">/dev/full", "2>/dev/full", ">/dev/full 2>/dev/full")


@needs_full
@pytest.mark.parametrize("line", CODES)
def test_the_exit_code_tells_what_was_done_whatever_stream_is_dead(
    board_template: Path, tmp_path: Path, line: str
) -> None:
    urls = [copy_template(board_template, tmp_path / str(place)) for place, _ in enumerate(DEAD)]
    found = [
        code_of(line, dead, url, environment(url)) for dead, url in zip(DEAD, urls, strict=True)
    ]

    assert tuple(found) == CODES[line]


@needs_full
def test_the_exit_codes_are_the_same_through_a_server(board_template: Path, tmp_path: Path) -> None:
    found: dict[str, list[int]] = {line: [] for line in CODES}
    for place, dead in enumerate(DEAD):
        url = copy_template(board_template, tmp_path / str(place))
        with served(url) as (environ, _):
            for line, codes in found.items():
                copy_template(board_template, Path(url).parent)
                codes.append(code_of(line, dead, url, environ))

    assert {line: tuple(codes) for line, codes in found.items()} == CODES


@pytest.mark.parametrize(
    ("code", "line"), [(1, "star show 999"), (2, "pbmserv frob"), (1, "pbmserv batch -")]
)
def test_an_error_whose_reader_has_gone_is_no_success(url: str, code: int, line: str) -> None:
    with closed_pipe() as writer:
        done = subprocess.run(
            [PROGRAM, *line.removeprefix("pbmserv ").split()],
            env=environment(url),
            input="star show 999",
            stdout=subprocess.PIPE,
            stderr=writer,
            text=True,
            check=False,
        )

    assert (done.returncode, done.stdout) == (code, "")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_harm_nothing(url: str, closed: str) -> None:
    done = subprocess.run(
        ["bash", "-c", f"{quote(PROGRAM)} {' '.join(MOVE)} {closed}"],
        env=environment(url),
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert moves(url) == AFTER


def test_words_that_are_no_text_are_refused(url: str) -> None:
    words: list[bytes] = [PROGRAM.encode(), b"star", b"show", b"\xff\xfe"]
    done = subprocess.run(words, env=environment(url), capture_output=True, check=False)

    assert (done.returncode, done.stdout) == (1, b"")
    assert b"No such player" in done.stderr


@contextmanager
def held(url: str) -> Iterator[None]:
    """Hold the lock under which changes of the database wait."""
    with Path(f"{url}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def wait_until_waiting(url: str) -> None:
    """Return when another program has become the next in line to change the database."""
    deadline = time.monotonic() + LONGEST
    with Path(f"{url}.lock-next").open("w") as lock:
        while time.monotonic() < deadline:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return
            fcntl.flock(lock, fcntl.LOCK_UN)
            time.sleep(0.02)
    pytest.fail("the program never came to wait")


def test_an_interruption_while_waiting_changes_nothing(url: str) -> None:
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with held(url), start_program(url, MOVE, **pipes) as process:
        wait_until_waiting(url)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=LONGEST)

    assert (process.returncode, out) == (130, "")
    assert err.strip() == ("pbmserv: interrupted. Check the result before you repeat the command.")
    assert moves(url) == BEFORE


@pytest.mark.parametrize("part", [0.2, 0.5, 0.8, 0.95])
def test_an_interruption_at_any_time_leaves_all_or_nothing(url: str, part: float) -> None:
    started = time.monotonic()
    run_program(url, ["star", "show", "101"], stdout=subprocess.DEVNULL)
    whole = time.monotonic() - started
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with start_program(url, MOVE, **pipes) as process:
        time.sleep(whole * part)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=LONGEST)
    check = run_program(url, ["admin", "check"], stdout=subprocess.PIPE)

    assert moves(url) in (BEFORE, AFTER)
    assert process.returncode != 0 or "alice plays O1." in out
    assert moves(url) == AFTER or process.returncode != 0
    assert check.stdout == "1 board checked, no problems.\n"


def test_nothing_of_whoever_runs_the_tests_reaches_a_program() -> None:
    others = {name for name in os.environ if not name.startswith(OF_THE_RUN)} - INHERITED

    assert others <= {"COLUMNS", "LINES"}  # the readline library sets these by itself
    assert os.environ["HOME"] != pwd.getpwuid(os.getuid()).pw_dir
