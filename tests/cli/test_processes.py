"""The program as the system runs it: pipes, full devices, signals and closed streams."""

import fcntl
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.databases import copy_template

from .programs import LONGEST, PROGRAM, environment, moves, real_board, run_program, start_program

pytestmark = pytest.mark.slow

MOVE = ["star", "move", "101", "alice", "secret-alice", "O1"]
BEFORE = ["N1", "M2"]
AFTER = [*BEFORE, "O1"]
FULL = Path("/dev/full")


@pytest.fixture
def url(tmp_path: Path, sqlite_template: Path) -> str:
    made = copy_template(sqlite_template, tmp_path / "data")
    real_board(made)
    return made


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
        ["bash", "-c", f"{PROGRAM} star show 101 | head -1; echo ${{PIPESTATUS[0]}}"],
        env=environment(url),
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.stdout, done.stderr) == ("Star Board 101 (size 14)\n0\n", "")


def test_a_move_whose_reader_has_gone_is_made(url: str) -> None:
    with closed_pipe() as writer:
        done = run_program(url, MOVE, stdout=writer, stderr=subprocess.PIPE)

    assert (done.returncode, done.stderr) == (0, "")
    assert moves(url) == AFTER


@pytest.mark.skipif(not FULL.exists(), reason="the system has no /dev/full")
@pytest.mark.parametrize("end", [[], ["--json"]])
def test_an_answer_that_cannot_be_written_is_told(url: str, end: list[str]) -> None:
    with FULL.open("w") as full:
        done = run_program(url, [*MOVE, *end], stdout=full, stderr=subprocess.PIPE)

    assert done.returncode == 70
    assert "cannot be written: No space left on device." in done.stderr
    assert "Traceback" not in done.stderr
    assert moves(url) == AFTER


@pytest.mark.skipif(not FULL.exists(), reason="the system has no /dev/full")
def test_an_error_that_cannot_be_written_is_no_success(url: str) -> None:
    with FULL.open("w") as full:
        done = run_program(url, ["star", "show", "999"], stdout=subprocess.PIPE, stderr=full)

    assert (done.returncode, done.stdout) == (70, "")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_harm_nothing(url: str, closed: str) -> None:
    done = subprocess.run(
        ["bash", "-c", f"{PROGRAM} {' '.join(MOVE)} {closed}"],
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
    assert b"There is no such player" in done.stderr


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
    assert err.strip() == ("pbmserv: interrupted. Look at the board before you repeat the command.")
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
