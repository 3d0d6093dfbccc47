"""The client of a resident server: whom it trusts, and what it makes of how a server ends."""

import ast
import os
import signal
import socket
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import NoReturn

import pytest

from pbmserv.daemon import thin_client
from tests.daemon.test_forked_server import ended, forked
from tests.installed_program import waited_for

Serve = Callable[[socket.socket], object]


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder in which a server of ours would listen for a command that looks."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder, ExitStack() as stack:
        stdin = stack.enter_context(Path(os.devnull).open(encoding="utf-8"))
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        monkeypatch.setenv(thin_client.RESIDENT, "")
        monkeypatch.setattr("sys.argv", ["pbmserv", "star", "show", "101"])
        monkeypatch.setattr("sys.stdin", stdin)
        yield Path(folder)


@pytest.fixture
def listener(place: Path) -> Iterator[socket.socket]:
    """A socket where a server of ours would listen; nobody answers there."""
    del place
    with socket.socket(socket.AF_UNIX) as own:
        own.bind(thin_client.socket_path())
        own.listen()
        yield own


def asked(listener: socket.socket, *answers: bytes) -> tuple[tuple[int | None, str | None], bytes]:
    """Return what the client makes of a server that says this and ends, and what it had sent.

    The server says the first word when it has read the order, each other when it has the streams.
    """

    def serve() -> bytes:
        client, _ = listener.accept()
        with client:
            data = client.recv(1 << 16)
            for at, answer in enumerate(answers):
                if at == 1:
                    _, streams, _, _ = socket.recv_fds(client, 1, 3)
                    for number in streams:
                        os.close(number)
                with suppress(OSError):
                    client.sendall(answer)
            return data

    with ThreadPoolExecutor(1) as pool:
        served = pool.submit(serve)
        return thin_client.run_on_server([]), served.result()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("is_done", [True, False])
def test_what_would_end_the_client_ends_its_command(
    listener: socket.socket, number: signal.Signals, *, is_done: bool
) -> None:
    before = signal.signal(number, signal.SIG_DFL)

    def serve() -> bytes:
        client, _ = listener.accept()
        with client:
            client.recv(1 << 16)
            client.sendall(thin_client.ACCEPTED)
            _, streams, _, _ = socket.recv_fds(client, 1, 3)
            for each in streams:
                os.close(each)
            waited_for(lambda: signal.getsignal(number) is not signal.SIG_DFL)
            os.kill(os.getpid(), number)
            passed_on = client.recv(1)
            client.sendall(thin_client.DONE + b"\0" if is_done else b"")
            return passed_on

    try:
        with ThreadPoolExecutor(1) as pool:
            served = pool.submit(serve)
            code, _ = thin_client.run_on_server([])
        assert signal.getsignal(number) is signal.SIG_DFL
    finally:
        signal.signal(number, before)

    assert served.result() == bytes([number])
    assert code == (0 if is_done else 128 + number)


LOOKS = 5
"""So often the client looks at a worker that is silent, before it says something."""


@pytest.mark.parametrize(
    ("is_stopped", "ends", "looks"),
    [(False, [], LOOKS), (False, [signal.SIGTERM], 1), (True, [], 1)],
)
def test_a_worker_may_take_its_time_unless_it_is_stopped_or_told_to_end(
    monkeypatch: pytest.MonkeyPatch, ends: list[int], looks: int, *, is_stopped: bool
) -> None:
    done = thin_client.DONE + b"\0"
    ours, theirs = socket.socketpair()
    looked_at: list[int] = []
    killed: list[tuple[int, int]] = []

    def look(process: int) -> bool:
        looked_at.append(process)
        if len(looked_at) == LOOKS:
            theirs.send(done)
        return is_stopped

    def kill(process: int, number: int) -> None:
        killed.append((process, number))
        theirs.close()

    monkeypatch.setattr(thin_client, "_is_stopped", look)
    monkeypatch.setattr("os.kill", kill)
    with ours, theirs:
        ours.settimeout(0.01)
        said = thin_client._read_exit_code(ours, 77, ends)

    assert looked_at == [77] * looks
    assert (said, killed) == ((done, []) if looks == LOOKS else (b"", [(77, signal.SIGKILL)]))


def test_a_command_whose_worker_was_stopped_and_killed_may_have_been_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ours, theirs = socket.socketpair()
    killed: list[int] = []

    def kill(process: int, _: int) -> None:
        killed.append(process)
        theirs.close()

    monkeypatch.setattr(thin_client, "_is_stopped", lambda process: process == 77)
    monkeypatch.setattr("os.kill", kill)
    with ours, theirs:
        ours.settimeout(0.01)
        assert thin_client._wait(ours, "0f", 77) == (None, "0f")
    assert killed == [77]


def test_a_process_that_is_stopped_is_known_by_any_name() -> None:
    def work() -> NoReturn:
        Path("/proc/self/comm").write_text("a) S (b")
        while True:
            os.kill(os.getpid(), signal.SIGSTOP)

    pid = forked(work)
    os.waitpid(pid, os.WUNTRACED)
    is_stopped = thin_client._is_stopped(pid)
    os.kill(pid, signal.SIGKILL)
    ended(pid)

    assert is_stopped
    assert not thin_client._is_stopped(os.getpid())
    assert not thin_client._is_stopped(pid), "it is no more"


def test_a_server_of_another_user_is_told_nothing(
    listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = os.getuid()
    monkeypatch.setattr("os.getuid", lambda: own + 1)

    assert asked(listener) == ((None, None), b"")


def test_an_exit_code_is_the_commands(listener: socket.socket) -> None:
    answer, order = asked(listener, thin_client.ACCEPTED, thin_client.DONE + b"\x46")

    assert answer == (70, None)
    assert b"show" in order


@pytest.mark.parametrize(
    "said", [(thin_client.ACCEPTED, thin_client.DECLINED), (), (b"X",), (b"",)]
)
def test_what_was_not_begun_has_no_key(listener: socket.socket, said: tuple[bytes, ...]) -> None:
    assert asked(listener, *said)[0] == (None, None)


def test_what_may_have_been_done_has_a_key(listener: socket.socket) -> None:
    (code, key), order = asked(listener, thin_client.ACCEPTED, b"")

    assert code is None
    assert key is not None
    assert key.encode() in order


@pytest.mark.parametrize("fills_backlog", [False, True])
def test_a_server_that_takes_nobody_in_is_left_alone(
    listener: socket.socket, monkeypatch: pytest.MonkeyPatch, *, fills_backlog: bool
) -> None:
    listener.listen(128)
    monkeypatch.setattr(thin_client, "PATIENCE", 0.1)
    with ExitStack() as stack:
        for _ in range(200 if fills_backlog else 0):
            idle = stack.enter_context(socket.socket(socket.AF_UNIX))
            idle.setblocking(False)
            with suppress(BlockingIOError):
                idle.connect(thin_client.socket_path())

        assert thin_client.run_on_server([]) == (None, None)


def says_nothing(listener: socket.socket) -> None:
    """See that a command is done by its own process, and no server has been called."""
    assert thin_client.run_on_server([]) == (None, None)
    listener.setblocking(False)
    with pytest.raises(BlockingIOError):
        listener.accept()


@pytest.mark.parametrize(
    ("line", "mode"),
    [
        *(("star show 101", "off"), ("admin games", "auto"), ("star gate alice", "")),
        *((line, "") for line in ("admin games", "batch lines", "db upgrade", "demo", "gtp")),
        *((line, "") for line in ("login alice", "logout", "play", "serve", "site pages")),
    ],
)
def test_what_is_not_for_a_server_is_not_brought_to_it(
    listener: socket.socket, monkeypatch: pytest.MonkeyPatch, line: str, mode: str
) -> None:
    monkeypatch.setattr("sys.argv", ["pbmserv", *line.split()])
    monkeypatch.setenv(thin_client.RESIDENT, mode)

    says_nothing(listener)


def test_only_the_first_word_names_a_command_of_its_own() -> None:
    assert not thin_client.must_run_locally(["message", "alice", "play"])
    assert not thin_client.must_run_locally([])


@pytest.mark.parametrize("lacks", ["a stream", "a folder", "an encoding"])
def test_what_a_server_could_not_do_the_same_is_not_handed_over(
    listener: socket.socket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lacks: str
) -> None:
    if lacks == "a stream":
        monkeypatch.setattr("sys.stdin", None)
    elif lacks == "an encoding":
        monkeypatch.setattr("sys.getfilesystemencoding", lambda: "iso8859-1")
    else:
        gone = tmp_path / "gone"
        gone.mkdir()
        monkeypatch.chdir(gone)
        gone.rmdir()

    assert asked(listener) == ((None, None), b"")


@pytest.mark.parametrize("mode", ["", "auto"])
def test_a_server_is_started_only_where_that_is_set_and_none_is_there(
    listener: socket.socket, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    started: list[int] = []
    monkeypatch.setenv(thin_client.RESIDENT, mode)
    monkeypatch.setattr(thin_client, "_start_server", lambda: started.append(1))
    monkeypatch.setattr(thin_client, "PATIENCE", 0.01)
    assert thin_client.run_on_server([]) == (None, None)
    assert not started, "one is there, if it is slow"
    listener.close()
    for _ in range(2):
        assert thin_client.run_on_server([]) == (None, None)
        Path(thin_client.socket_path()).unlink(missing_ok=True)
    assert len(started) == (2 if mode else 0), "one has left its socket, or none"


def test_what_is_ignored_goes_on_being_ignored(listener: socket.socket) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    interrupted = signal.getsignal(signal.SIGINT)
    try:
        answer, _ = asked(listener, thin_client.ACCEPTED, thin_client.DONE + b"\0")
        found = signal.getsignal(signal.SIGHUP), signal.getsignal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGHUP, before)

    assert answer == (0, None)
    assert found == (signal.SIG_IGN, interrupted)


def test_more_than_a_server_reads_is_not_sent(
    listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["pbmserv", "star", "show", "1" * thin_client.MAX_BYTES])

    assert asked(listener) == ((None, None), b"")


def test_a_server_that_a_command_starts_is_never_told_its_password(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = place / "told"
    writes = f"import os; open({str(told)!r}, 'w').write(repr(dict(os.environ)))"
    monkeypatch.setattr(thin_client, "START", f"{writes}; os.rename({str(told)!r}, '{told}.all')")
    monkeypatch.setenv(thin_client.RESIDENT, "auto")
    monkeypatch.setenv("PBMSERV_PASSWORD", "secret-alice")
    monkeypatch.setenv("PBMSERV_DATABASE_URL", "kept")

    assert thin_client.run_on_server([]) == (None, None)
    waited_for(Path(f"{told}.all").exists)
    environ = ast.literal_eval(Path(f"{told}.all").read_text())
    assert (environ["PBMSERV_DATABASE_URL"], environ[thin_client.RESIDENT]) == ("kept", "off")
    assert "secret-alice" not in environ.values()
