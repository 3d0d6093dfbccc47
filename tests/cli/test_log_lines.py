"""Lines of a log: added to what is there, private, and never waited for."""

import os
import stat
from pathlib import Path
from threading import Thread

import pytest

from pbmserv.cli.log_lines import (
    ERROR,
    INFO,
    append,
    appender,
    is_journal,
    note,
    to_stderr,
    to_system_log,
)


def test_a_line_is_added_to_a_file_of_its_owners_own(tmp_path: Path) -> None:
    path = tmp_path / "log"
    append(path, "one\n")
    path.chmod(0o640)
    append(path, "two\n")

    assert "one\ntwo\n" == path.read_text(encoding="utf-8")
    assert 0o640 == stat.S_IMODE(path.stat().st_mode)
    append(tmp_path / "other", "ü\n")
    assert 0 == (tmp_path / "other").stat().st_mode & 0o077
    assert "ü\n" == (tmp_path / "other").read_text(encoding="utf-8")


def test_a_pipe_that_nobody_reads_is_an_error_at_once(tmp_path: Path) -> None:
    path, outcome = tmp_path / "pipe", list[type[BaseException]]()
    os.mkfifo(path)

    def write() -> None:
        try:
            append(path, "one\n")
        except OSError as error:
            outcome.append(type(error))

    writer = Thread(target=write, daemon=True)
    writer.start()
    writer.join(10)
    is_waiting = writer.is_alive()
    # Whoever waits all the same is let go.
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    writer.join()
    os.close(reader)

    assert not is_waiting
    assert [OSError] == outcome


def test_a_pipe_that_somebody_reads_has_the_line(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    append(path, "one\n")

    assert b"one\n" == os.read(reader, 99)
    os.close(reader)


def test_a_setting_names_a_file_or_the_log_of_the_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PBMSERV_CONFIG", os.devnull)
    monkeypatch.delenv("PBMSERV_MAIL_LOG", raising=False)
    assert appender("mail_log") is None
    monkeypatch.setenv("PBMSERV_MAIL_LOG", "syslog:")
    assert to_system_log is appender("mail_log")
    monkeypatch.setenv("PBMSERV_MAIL_LOG", str(tmp_path / "log"))
    write = appender("mail_log")
    assert write is not None
    write("one\n")
    assert "one\n" == (tmp_path / "log").read_text(encoding="utf-8")


FACTS = {"code": "done", "board": "star/101", "letters": [17, 18], "reason": "", "letter": None}


@pytest.mark.parametrize("goes_there", [True, False])
def test_in_the_journal_a_line_has_its_level_and_no_second_time(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], *, goes_there: bool
) -> None:
    found = os.fstat(2)
    number = found.st_ino if goes_there else found.st_ino + 1  # of a program that we run in
    monkeypatch.setenv("JOURNAL_STREAM", f"{found.st_dev}:{number}")
    note(to_stderr, "NOW", "pipe -", FACTS)
    note(to_stderr, "NOW", "gone", FACTS, ERROR, is_json=True)
    told = '"level": "error", "code": "done", "board": "star/101", "letters": [17, 18]}'
    text = "pipe - code=done board=star/101 letters=17,18"

    assert is_journal() is goes_there
    assert capfd.readouterr().err.splitlines() == (
        [f"<6>{text}", f"<3>{{{told}"] if goes_there else [f"NOW {text}", f'{{"at": "NOW", {told}']
    )


def test_no_fact_begins_another_line_or_looks_like_two() -> None:
    lines: list[str] = []
    note(lines.append, "NOW", "pipe -", {"reason": "a\nb code=done", "code": "x"}, INFO)

    assert lines == ['NOW pipe - code=x reason="a b code=done"\n']
