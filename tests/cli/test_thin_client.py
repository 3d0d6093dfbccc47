"""The client of a resident server: whom it trusts, and what it makes of how a server ends."""

import os
import socket
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from pbmserv.cli import thin_client

Serve = Callable[[socket.socket], object]


@pytest.fixture
def listener(monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """A socket where a server of ours would listen; nobody answers there."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(dir="/tmp"))
        own = stack.enter_context(socket.socket(socket.AF_UNIX))
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        monkeypatch.setenv(thin_client.RESIDENT, "")
        monkeypatch.setattr("sys.argv", ["pbmserv", "star", "show", "101"])
        stdin = stack.enter_context(Path(os.devnull).open(encoding="utf-8"))
        monkeypatch.setattr("sys.stdin", stdin)
        own.bind(thin_client.socket_path())
        own.listen()
        yield own


def asked(listener: socket.socket, answers: bytes) -> tuple[tuple[int | None, str | None], bytes]:
    """Return what the client makes of a server that says this and ends, and what it had sent."""

    def serve() -> bytes:
        client, _ = listener.accept()
        with client:
            data, streams, _, _ = socket.recv_fds(client, 1 << 16, 3)
            for number in streams:
                os.close(number)
            with suppress(OSError):
                client.sendall(answers)
            return data

    with ThreadPoolExecutor(1) as pool:
        served = pool.submit(serve)
        return thin_client.ask([]), served.result()


def test_a_server_of_another_user_is_told_nothing(
    listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = os.getuid()
    monkeypatch.setattr("os.getuid", lambda: own + 1)

    assert asked(listener, b"") == ((None, None), b"")


def test_an_exit_code_is_the_commands(listener: socket.socket) -> None:
    answer, order = asked(listener, thin_client.TAKEN + thin_client.DONE + b"\x46")

    assert answer == (70, None)
    assert b"show" in order


@pytest.mark.parametrize("said", [thin_client.TAKEN + thin_client.DECLINED, b""])
def test_what_was_not_begun_has_no_key(listener: socket.socket, said: bytes) -> None:
    assert asked(listener, said)[0] == (None, None)


def test_what_may_have_been_done_has_a_key(listener: socket.socket) -> None:
    (code, key), order = asked(listener, thin_client.TAKEN)

    assert code is None
    assert key is not None
    assert key.encode() in order
