"""The listener by itself."""

import asyncio
import socket
from collections.abc import Callable
from dataclasses import replace

import pytest

from pbmserv.mail import listener
from pbmserv.mail.listener import ListenAddress, Listener, OneByOne, parse_listen_address
from pbmserv.mail.loop_guard import Own


def test_an_answer_does_not_wait_for_the_receipt_of_the_one_before() -> None:
    (listening,) = parse_listen_address("127.0.0.1:0", is_lmtp=True).opened().sockets
    with listening, socket.create_connection(listening.getsockname()):
        talk, _ = listening.accept()
        with talk:
            assert talk.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def new_listener() -> Listener:
    def refuse(*what: object) -> None:
        raise AssertionError(what)

    return Listener(Own("pbmserv@example.org"), OneByOne(refuse), refuse)


def after_rounds(count: int, what: Callable[[], object]) -> None:
    """Do it so many rounds of the running loop from now."""
    if count:
        asyncio.get_running_loop().call_soon(after_rounds, count - 1, what)
    else:
        what()


def replies_to(words: bytes, after: int) -> list[bytes]:
    """Call a listener so many rounds after it is told to stop; another takes its place."""
    opened = parse_listen_address("127.0.0.1:0", is_lmtp=True).opened()
    (shared,) = opened.sockets

    def handed_on() -> list[ListenAddress]:
        return [replace(opened, sockets=(shared.dup(),))]

    first, second = new_listener(), new_listener()
    with shared, socket.socket() as client:
        client.settimeout(10)  # a call that nobody ends fails the test, and does not hang it

        def call() -> None:
            client.connect(shared.getsockname())
            client.sendall(words)

        def stop() -> None:
            first.stop()
            after_rounds(after, call)

        first.run(handed_on(), stop)
        second.run(handed_on(), second.stop)
        with client.makefile("rb") as replies:
            return [line[:4] for line in replies]


@pytest.mark.parametrize("after", [0, 1, 2])
def test_who_calls_while_another_takes_its_place_is_served(after: int) -> None:
    assert replies_to(b"QUIT\r\n", after) == [b"220 ", b"221 "]


def test_who_comes_to_no_end_in_time_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "PATIENCE", 0.1)

    assert replies_to(b"", 0) == [b"220 ", b"421 "]
