"""The listener by itself."""

import asyncio
import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from stat import S_IMODE
from threading import Event
from typing import Any

import pytest
from aiosmtpd.smtp import Envelope as Wire

from pbmserv.errors import Fault
from pbmserv.listen_address import ListenAddress, parse_listen_address
from pbmserv.mail import listener
from pbmserv.mail.inbound import Envelope
from pbmserv.mail.listener import (
    DONE,
    LATER,
    Listener,
    SmtpHandler,
)
from pbmserv.mail.loop_guard import ServerAddress


def test_an_answer_does_not_wait_for_the_receipt_of_the_one_before() -> None:
    (listening,) = parse_listen_address("127.0.0.1:0", "lmtp").opened().sockets
    with listening, socket.create_connection(listening.getsockname()):
        talk, _ = listening.accept()
        with talk:
            assert talk.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("127.0.0.1:8024", "127.0.0.1", 8024),
        ("127.9.9.9:0", "127.9.9.9", 0),
        ("localhost:65535", "localhost", 65535),
        ("[::1]:25", "::1", 25),
        (":25", "127.0.0.1", 25),
    ],
)
def test_it_listens_where_only_this_machine_can_reach_it(text: str, host: str, port: int) -> None:
    place = parse_listen_address(text, "smtp")

    assert (place.host, place.port, place.path, place.door) == (host, port, None, "smtp")
    assert str(place) == (f"[{host}]:{port}" if ":" in host else f"{host}:{port}")


@pytest.mark.parametrize("host", ["192.0.2.2", "192.0.2.1", "[::]", "example.org", "localhost.x"])
def test_others_can_reach_it_only_where_that_is_allowed(host: str) -> None:
    with pytest.raises(Fault, match="Others could reach"):
        parse_listen_address(f"{host}:25", "lmtp")

    assert parse_listen_address(f"{host}:25", "lmtp", is_public=True).port == 25


@pytest.mark.parametrize("text", ["127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "localhost:²", "x"])
def test_a_place_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(Fault, match="cannot be read"):
        parse_listen_address(text, "lmtp")


def test_a_socket_that_nobody_serves_makes_way_and_nothing_else_does(tmp_path: Path) -> None:
    place = parse_listen_address(str(tmp_path / "in"), "lmtp")
    (left,) = place.opened().sockets
    with pytest.raises(Fault, match="Another program listens") as raised:
        place.opened()
    assert raised.value.code == "already-listening"
    left.close()

    (listening,) = place.opened().sockets
    with listening, socket.socket(socket.AF_UNIX) as client:
        client.connect(str(tmp_path / "in"))
        assert S_IMODE((tmp_path / "in").stat().st_mode) == 0o660
    (tmp_path / "letters").write_text("kept")
    with pytest.raises(Fault, match="exists and is not a socket"):
        parse_listen_address(str(tmp_path / "letters"), "lmtp").opened()
    assert (tmp_path / "letters").read_text() == "kept"


def new_listener() -> Listener:
    def refuse(*what: object) -> None:
        raise AssertionError(what)

    return Listener(ServerAddress("pbmserv@example.org"), refuse, refuse)


def test_the_port_of_each_place_is_known_and_a_file_has_none(tmp_path: Path) -> None:
    listening, ports = new_listener(), list[int]()
    texts = ("127.0.0.1:0", "127.0.0.1:0", str(tmp_path / "in"), "127.0.0.1:0")

    def look() -> None:
        ports.extend(listening.ports)
        listening.stop()

    listening.run([parse_listen_address(text, "lmtp") for text in texts], look)

    assert len(ports) == len({*ports}) == 3


def after_rounds(count: int, what: Callable[[], object]) -> None:
    """Do it so many rounds of the running loop from now."""
    if count:
        asyncio.get_running_loop().call_soon(after_rounds, count - 1, what)
    else:
        what()


def replies_to(words: bytes, after: int) -> list[bytes]:
    """Call a listener so many rounds after it is told to stop; another takes its place."""
    opened = parse_listen_address("127.0.0.1:0", "lmtp").opened()
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


def test_mails_of_one_sender_keep_their_order_and_others_do_not_wait() -> None:
    begun: list[bytes] = []
    other = Event()

    def receive(content: bytes, envelope: Envelope) -> None:
        del envelope
        begun.append(content)
        if content == b"first":
            assert other.wait(60)
        if content == b"other":
            other.set()

    listening = Listener(ServerAddress("pbmserv@example.org"), receive, lambda _: None, threads=2)
    alice, bob = (Envelope(sender=f"{name}@example.net") for name in ("alice", "bob"))
    mails = ((b"first", alice), (b"second", alice), (b"other", bob))

    async def bring() -> list[str]:
        return await asyncio.gather(*(listening._taken(*mail) for mail in mails))

    assert asyncio.run(bring()) == [DONE] * 3
    assert begun == [b"first", b"other", b"second"]


@pytest.mark.parametrize("is_lmtp", [True, False])
@pytest.mark.parametrize("failing", [(), (0,), (1,), (0, 1, 2)])
def test_each_recipient_has_the_mail_and_lmtp_an_answer_for_each(
    failing: tuple[int, ...], *, is_lmtp: bool
) -> None:
    to = [f"pbmserv+{token}@example.org" for token in ("one", "two", "three")]
    taken: list[tuple[bytes, Envelope]] = []

    async def take(content: bytes, envelope: Envelope) -> str:
        taken.append((content, envelope))
        return LATER if len(taken) - 1 in failing else DONE

    async def conversation() -> tuple[list[str], str]:
        hooks = SmtpHandler(ServerAddress("pbmserv@example.org"), take, is_lmtp)
        server: Any = None
        wire = Wire()
        wire.mail_from, wire.original_content = "alice@example.net", b"mail"
        places = [to[0], "other@example.org", *to[1:], "pbmserv@example.net"]
        answers = [await hooks.handle_RCPT(server, server, wire, each, []) for each in places]
        return answers, await hooks.handle_DATA(server, server, wire)

    answers, said = asyncio.run(conversation())
    each = [LATER if number in failing else DONE for number in range(3)]

    assert [answer[:3] for answer in answers] == ["250", "550", "250", "250", "550"]
    assert taken == [(b"mail", Envelope(place, "alice@example.net")) for place in to]
    assert said == ("\r\n".join(each) if is_lmtp else LATER if failing else DONE)
