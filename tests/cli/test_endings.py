"""How a command ends, in a fork of the tests: its exit code, and where its words go.

What is tried: ``pbmserv.cli.start`` and ``pbmserv.cli.main``; as programs in ``test_processes``.
"""

import io
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import pytest

from pbmserv.cli import start
from pbmserv.cli.printing import OutputLost, guard_output, print_document
from pbmserv.daemon import thin_client
from pbmserv.store.store import Store
from tests import databases
from tests.daemon.test_forked_server import ended, forked
from tests.faults.two_players import audited
from tests.installed_program import waited_for

MOVE = "star move 101 alice secret-alice K5"
PLAYED = 2


@dataclass
class Started:
    """A folder with a club, in which commands are started."""

    folder: Path
    url: str

    def fork(
        self,
        line: str,
        data: bytes = b"",
        *,
        out: str = "out",
        err: str = "err",
        entry: Callable[[], NoReturn] = start.pbmserv,
    ) -> int:
        typed = self.folder / "typed"
        typed.write_bytes(data)

        def work() -> None:
            for number, (name, flags) in enumerate(
                (
                    (str(typed), os.O_RDONLY),
                    (out, os.O_WRONLY | os.O_CREAT),
                    (err, os.O_WRONLY | os.O_CREAT),
                )
            ):
                os.dup2(os.open(self.folder / name, flags, 0o600), number)
            sys.stdin, sys.stdout, sys.stderr = (
                open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115
                for number, mode in enumerate("rww")
            )
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            sys.argv = line.split()
            try:
                entry()
            except SystemExit as end:
                try:
                    sys.stdout.flush()  # as the interpreter does at its end
                except OSError:
                    os._exit(120)
                os._exit(end.code if isinstance(end.code, int) else 99)

        for name in (out, err):
            if not name.startswith("/"):
                (self.folder / name).unlink(missing_ok=True)
        return forked(work)

    def says(self, line: str, data: bytes = b"", **more: str) -> tuple[int, str, str]:
        entry = start.pbmserv if line.startswith("pbmserv") else start.game
        code = ended(self.fork(line, data, entry=entry, **more))
        out, err = (
            path.read_text() if path.is_file() else ""
            for path in (self.folder / more.get(name, name) for name in ("out", "err"))
        )
        return code, out, err

    def moves(self) -> int:
        store = Store.open(self.url)
        found = audited(store, "move") - PLAYED
        store.close()
        return found

    def arrivals(self) -> list[tuple[str, str, str]]:
        store = Store.open(self.url)
        with store.reading() as records:
            found = [
                (each.door, each.sender, each.outcome) for each in records.lists.arrivals().rows
            ]
        store.close()
        return found


@pytest.fixture
def started(board_template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Started:
    url = databases.copy_template(board_template, tmp_path / "club")
    for name in [name for name in os.environ if name.startswith("PBMSERV_")]:
        monkeypatch.delenv(name)
    for name, text in (
        (thin_client.RESIDENT, "off"),
        ("PBMSERV_CONFIG", os.devnull),
        ("PBMSERV_DATABASE_URL", url),
        ("PBMSERV_MAIL_KEYS", str(tmp_path / "keys")),
        ("PBMSERV_MAIL_LOG", str(tmp_path / "log")),
        ("XDG_CONFIG_HOME", str(tmp_path)),
    ):
        monkeypatch.setenv(name, text)
    return Started(tmp_path, url)


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(
    ("line", "code", "out", "err"),
    [
        ("pbmserv star show 101", 0, "Star Board 101", ""),
        ("bin/star show 101", 0, "Star Board 101", ""),
        ("star.exe show 101", 0, "Star Board 101", ""),
        ("pbmserv --version", 0, "pbmserv ", ""),
        ("pbmserv", 0, "help", ""),
        ("pbmserv star move 101 bob secret-bob K5", 1, "", "turn"),
        ("pbmserv star frobnicate", 2, "", "No such command"),
        ("pbmserv star show 101 --database=postgresql://127.0.0.1:1/x", 70, "", "pbmserv: "),
        ("pbmserv star show 101 -svg=/nowhere/x.svg", 1, "", "pbmserv: "),
    ],
)
def test_the_exit_code_tells_how_it_went(
    started: Started, line: str, code: int, out: str, err: str
) -> None:
    found = started.says(line)

    assert found[0] == code
    assert out in found[1]
    assert bool(out) or not found[1]
    assert err in found[2]
    assert bool(err) or not found[2]


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("end", ["stdout", "stderr", "both"])
def test_a_move_whose_answer_is_lost_is_no_failure(started: Started, end: str) -> None:
    streams = {"stdout": {"out": "/dev/full"}, "stderr": {"err": "/dev/full"}}
    more = streams.get(end) or {"out": "/dev/full", "err": "/dev/full"}
    code, _, err = started.says(f"pbmserv {MOVE}", b"", **more)

    assert code == (0 if end == "stderr" else 3)
    assert started.moves() == 1
    assert bool(err) is (end == "stdout")


@pytest.mark.parametrize(
    ("error", "why"), [(OSError(5, "No disk"), "No disk"), (BrokenPipeError(), "BrokenPipeError")]
)
def test_why_an_answer_was_lost_is_told_in_the_systems_words_if_it_has_any(
    error: OSError, why: str
) -> None:
    with pytest.raises(OutputLost) as lost, guard_output("Line 3", "Look."):
        raise error

    assert str(lost.value) == (
        f"Line 3 was carried out, but its answer could not be printed: {why}.\nLook."
    )


@pytest.mark.parametrize(
    ("encoding", "printed"),
    [("utf-8", '{"text":"Zo\u00eb"}\n'), ("ascii", '{"text":"Zo\\u00eb"}\n')],
)
def test_a_document_is_escaped_only_where_the_terminal_lacks_a_letter(
    monkeypatch: pytest.MonkeyPatch, encoding: str, printed: str
) -> None:
    raw = io.BytesIO()
    with io.TextIOWrapper(raw, encoding) as stream:
        monkeypatch.setattr("sys.stdout", stream)
        print_document({"text": "Zo\u00eb"})
        stream.flush()
        assert raw.getvalue().decode(encoding) == printed


@pytest.mark.parametrize(
    ("closed", "line", "code"),
    [
        ("stdin", "pbmserv star move 101 alice - B3", 2),
        ("stdout", "pbmserv star show 101", 0),
        ("stderr", "pbmserv star frobnicate", 2),
    ],
)
def test_a_stream_that_the_caller_closed_is_read_and_written_as_nothing(
    started: Started, closed: str, line: str, code: int
) -> None:
    def entry() -> NoReturn:
        setattr(sys, closed, None)
        start.pbmserv()

    assert ended(started.fork(line, entry=entry)) == code


def test_bytes_that_are_no_text_are_refused_and_the_next_text_is_taken(started: Started) -> None:
    chat = "pbmserv star chat 101 alice secret-alice -"
    refused = started.says(chat, b"Gr\xfc\xdfe\n")

    assert (refused[0], refused[1]) == (1, "")
    assert refused[2].startswith("pbmserv: ")
    assert "defect" not in refused[2]
    assert started.says(chat, "Gr\u00fc\u00dfe\n".encode())[0] == 0


def test_a_letter_that_the_encoding_lacks_is_replaced(started: Started) -> None:
    def entry() -> NoReturn:
        sys.stdout = os.fdopen(1, "w", encoding="ascii", closefd=False)
        start.pbmserv()

    backup = f"pbmserv backup {started.folder}/caf\u00e9"

    assert ended(started.fork(backup, entry=entry)) == 0
    assert "caf?." in (started.folder / "out").read_text()


def test_an_answer_that_cannot_be_written_is_a_fault(started: Started) -> None:
    code, _, err = started.says("pbmserv star show 101", out="/dev/full")

    assert code == 70
    assert err == "pbmserv: the answer cannot be written: No space left on device.\n"


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        (KeyboardInterrupt, 130, "interrupted. Check the result"),
        (BrokenPipeError, 0, ""),
        (ValueError, 70, "Internal error (ValueError); nothing was changed."),
    ],
)
def test_whatever_goes_wrong_is_told_in_words(
    started: Started,
    monkeypatch: pytest.MonkeyPatch,
    error: type[BaseException],
    code: int,
    told: str,
) -> None:
    def fail(*_: object, **__: object) -> NoReturn:
        raise error

    monkeypatch.setattr("pbmserv.cli.main.print_answer", fail)
    found = started.says("pbmserv star show 101")

    assert found[0] == code
    assert told in found[2]
    assert "Traceback" not in found[2]
    assert bool(told) or not found[2]
    monkeypatch.setenv("PBMSERV_TRACEBACK", "1")
    assert ("Traceback" in started.says("pbmserv star show 101")[2]) is (error is ValueError)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_ends_a_command_in_order(
    started: Started, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    begun = started.folder / "begun"

    def wait(*_: object, **__: object) -> None:
        try:
            begun.touch()
            while True:  # a signal just before signal.pause() would be slept over
                time.sleep(0.01)
        finally:
            (started.folder / "cleaned").touch()

    monkeypatch.setattr("pbmserv.cli.main.print_answer", wait)
    pid = started.fork("pbmserv star show 101")
    waited_for(begun.exists)
    os.kill(pid, number)

    assert ended(pid) == 128 + number
    assert (started.folder / "cleaned").exists()


# A mail server's pipe.

MAIL = b"From: alice@example.net\nSubject: help\nMessage-ID: <1@example.net>\n\n"
RECEIVE = "pbmserv mail receive --recipient=pbmserv@example.org --sender=alice@example.net"


def test_a_mail_that_is_taken_in_is_answered_with_0_and_silence(
    started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PBMSERV_MAIL_ADDRESS", "pbmserv@example.org")

    assert started.says(RECEIVE, MAIL) == (0, "", "")
    assert started.arrivals() == [("pipe", "alice@example.net", "done")]
    assert " pipe alice@example.net code=done command=help " in (started.folder / "log").read_text()
    assert started.says(RECEIVE.replace(" mail", " --json MAIL -style ascii"), MAIL) == (0, "", "")
    assert " code=duplicate " in (started.folder / "log").read_text().splitlines()[-1]
    assert started.says("pbmserv mail receive --sender=", MAIL)[0] == 0
    assert len(started.arrivals()) == 1, "a bounce is nobody's mail"


@pytest.mark.parametrize(
    "line",
    [
        RECEIVE,
        f"{RECEIVE} --json",
        f"{RECEIVE} --hel",
        "pbmserv mail receive -h",
        f"{RECEIVE} -nonsense",
    ],
)
def test_a_mail_that_is_not_taken_in_stays_with_the_mail_server(
    started: Started, line: str
) -> None:
    assert started.says(line, MAIL) == (75, "", "")
    assert started.arrivals() == []
    log = started.folder / "log"
    if line in {RECEIVE, f"{RECEIVE} --json"}:
        assert "mail_address" in log.read_text()


def test_the_mail_server_hears_nothing_of_what_a_library_may_print(
    started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(start, "mail_code", lambda _: os.write(1, b"o") - os.write(2, b"e"))

    assert started.says(RECEIVE, MAIL) == (0, "", "")


def test_a_mail_of_which_a_server_that_died_has_read_is_not_taken_in_by_halves(
    started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PBMSERV_MAIL_ADDRESS", "pbmserv@example.org")
    monkeypatch.setattr(start, "run_on_server", lambda *_, **__: (None, True))

    assert started.says(RECEIVE, MAIL) == (75, "", "")
    assert started.arrivals() == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE])
def test_a_mail_that_is_broken_off_stays_with_the_mail_server(
    started: Started, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    begun = started.folder / "begun"

    def wait(_: list[str]) -> int:
        begun.touch()
        while True:
            time.sleep(0.01)

    monkeypatch.setattr(start, "mail_code", wait)
    pid = started.fork(RECEIVE, MAIL)
    waited_for(begun.exists)
    os.kill(pid, number)

    assert ended(pid) == 75
    assert (started.folder / "out").read_text() == (started.folder / "err").read_text() == ""


@pytest.mark.parametrize(
    ("line", "is_it"),
    [
        ("mail receive", True),
        ("MAIL Receive --json", True),
        ("--json mail -style ascii receive x", True),
        ("--database=x mail receive", True),
        ("--database mail receive", False),
        ("mail run", False),
        ("receive mail", False),
        ("- mail receive", True),
        ("", False),
    ],
)
def test_mail_receive_is_known_wherever_options_stand(line: str, *, is_it: bool) -> None:
    assert start.takes_mail(line.split()) is is_it


@pytest.mark.parametrize(
    ("line", "is_it"),
    [
        ("-h", True),
        ("x --help", True),
        ("--HEL", True),
        ("-", False),
        ("--helps", False),
        ("h", False),
    ],
)
def test_whoever_asks_for_help_is_known(line: str, *, is_it: bool) -> None:
    assert start.asks_for_help(line.split()) is is_it
