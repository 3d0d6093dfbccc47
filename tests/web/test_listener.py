"""The server over real sockets: what it refuses, how long it waits, and who may say who asks."""

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest

from pbmserv.web import listener
from pbmserv.web.listener import LIMITS, BehindProxies, PatientChannel, StrictParser
from tests.installed_program import own_environment

pytestmark = pytest.mark.slow

PROGRAM = Path(__file__).with_name("raw_server.py")
GET = b"GET /page HTTP/1.1\r\nHost: here\r\n\r\n"
SLOW = 80


@dataclass
class RawServer:
    """A server in a process of its own, and what is said to it byte by byte."""

    process: subprocess.Popen[str]
    port: int
    folder: ExitStack = field(default_factory=ExitStack)

    def connected(self) -> socket.socket:
        """Return a connection that is closed in the end."""
        return self.folder.enter_context(
            socket.create_connection(("127.0.0.1", self.port), timeout=60)
        )

    def answer(self, words: bytes) -> bytes:
        """Return all that is answered until the server closes the connection."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as line:
            said = b""
            try:
                line.sendall(words)
                while part := line.recv(65536):
                    said += part
            except (ConnectionResetError, BrokenPipeError):
                pass  # closed while more was to come
            return said

    def status(self, words: bytes) -> int:
        """Return the status of the only answer before the server closes the connection."""
        said = self.answer(words)
        assert said.count(b"HTTP/1.") == 1, said
        return int(said.split()[1])

    def asked(self, words: bytes) -> dict[str, Any]:
        """Return what the application sees of a request."""
        head, _, body = self.answer(words).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 OK")
        return dict(json.loads(body)[0])


def begun(*words: str) -> RawServer:
    line = [sys.executable, "-P", str(PROGRAM), *words]
    process = subprocess.Popen(
        line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=own_environment(), text=True
    )
    assert process.stdout is not None
    return RawServer(process, int(process.stdout.readline()))


def ended(server: RawServer) -> str:
    """Stop a server and return what it has said of errors."""
    server.folder.close()
    server.process.send_signal(signal.SIGTERM)
    said = server.process.communicate(timeout=60)[1]
    assert server.process.returncode == 0
    return said


@pytest.fixture(scope="module")
def server() -> Iterator[RawServer]:
    """One that no proxy stands before."""
    found = begun("")
    yield found
    assert ended(found) == ""


@pytest.fixture
def visitor(server: RawServer) -> Iterator[RawServer]:
    """The same, whose connections end with the test."""
    yield server
    server.folder.close()


def request(*lines: str, body: bytes = b"", close: bool = True) -> bytes:
    head = [*lines, "Connection: close"] if close else lines
    return "\r\n".join([*head, "", ""]).encode("latin-1") + body


POST, HOST = "POST /page HTTP/1.1", "Host: here"


@pytest.mark.parametrize(
    "words",
    [
        request(POST, HOST, "Content-Length: 3", "Transfer-Encoding: chunked", body=b"abc"),
        request(POST, HOST, "Transfer-Encoding: chunked", "Content-Length: 3", body=b"0\r\n\r\n"),
        request(POST, HOST, "content-length: 3", "TRANSFER-ENCODING: Chunked", body=b"abc"),
        request(POST, HOST, "Content-Length: 3", "Content-Length: 4", body=b"abcd"),
        request(POST, HOST, "Content-Length: 3", "Content-Length: 3", body=b"abc"),
        request(POST, HOST, "Content-Length: 3, 4", body=b"abcd"),
        request(POST, HOST, "Content-Length: +3", body=b"abc"),
        request(POST, HOST, "Content-Length: 0x3", body=b"abc"),
        request(POST, HOST, "Content-Length : 3", body=b"abc"),
        request(POST, HOST, "Transfer-Encoding: chunked", "Transfer-Encoding: chunked"),
        request("POST /page HTTP/1.0", "Transfer-Encoding: chunked", body=b"0\r\n\r\n"),
        request("POST /page HTTP/1.2", HOST, "Transfer-Encoding: chunked", body=b"0\r\n\r\n"),
        request(POST, HOST, "Transfer-Encoding: chunked", body=b"x\r\nabc\r\n0\r\n\r\n"),
        request("GET / HTTP/1.1", "Host: here", "Host: here"),
        request("GET / HTTP/1.1", "Host: here", "host: there"),
        request("GET / HTTP/1.1"),
        request("GET / HTTP/1.1", "Hostess: here"),
        request("GET / HTTP/1.1", "Host: here", "X: a\n Y: b"),
        request("GET / HTTP/1.1\nHost: here"),
        request("GET / HTTP/1.1", "Host: here", "X: a\rY: b"),
        request("GET / HTTP/1.1", "Host: here", "X: a", " folded: b"),
        request("GET / HTTP/1.1", "Host: here", "\tContent-Length: 3"),
        request("GET /\0 HTTP/1.1", "Host: here"),
        request("GET / HTTP/1.1", "Host: he\0re"),
        request("GET / HTTP/1.1", "Host: here", "X\0: a"),
        request("GET / HTTP/1.1", "Host: here", "no colon"),
        request("GET / HTTP/3.0", "Host: here"),
        request("GET /", "Host: here"),
        request("get / HTTP/1.1", "Host: here"),
        request("nonsense"),
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\r\n\r\n",
    ],
)
def test_what_can_be_read_in_two_ways_or_none_is_refused_and_the_connection_closed(
    visitor: RawServer, words: bytes
) -> None:
    assert visitor.status(words + GET) == 400


@pytest.mark.parametrize(
    ("words", "length"),
    [
        (request("GET / HTTP/1.1", "Host: here"), 0),
        (request("GET / HTTP/1.0"), 0),
        (request(POST, HOST, "Content-Length: 3", body=b"abc"), 3),
        (request(POST, HOST, "Transfer-Encoding: chunked", body=b"3\r\nabc\r\n0\r\n\r\n"), 3),
        (request(POST, HOST, "Content-Length: 16383", body=b"x" * 16383), 16383),
    ],
)
def test_what_browsers_send_is_answered(visitor: RawServer, words: bytes, length: int) -> None:
    head, _, body = visitor.answer(words).partition(b"\r\n\r\n")

    assert head.partition(b"\r\n")[0].endswith(b" 200 OK")
    assert b"Server:" not in head
    assert b"waitress" not in head.lower()
    assert json.loads(body)[1] == length


def test_a_connection_is_kept_for_the_next_request(visitor: RawServer) -> None:
    said = visitor.answer(GET * 3 + request("GET / HTTP/1.1", HOST))

    assert said.count(b"HTTP/1.1 200 OK") == 4


def test_no_word_of_a_visitor_is_said_again(visitor: RawServer) -> None:
    said = visitor.answer(request("GET / HTTP/1.1", "Host: here", "X: secret-word\n: secret-word"))

    assert b"This request cannot be read." in said
    assert b"secret" not in said


def test_ten_megabytes_of_headers_are_not_read_to_the_end(visitor: RawServer) -> None:
    words = b"GET / HTTP/1.1\r\nHost: here\r\n" + b"X: " + b"x" * 10_000_000 + b"\r\n\r\n"

    assert visitor.answer(words).split()[1:2] in ([b"431"], [])
    assert visitor.asked(request("GET / HTTP/1.1", HOST))["HTTP_HOST"] == "here"


@pytest.mark.parametrize(
    "words",
    [
        request(POST, HOST, "Content-Length: 30000000"),
        request(POST, HOST, "Content-Length: 16384"),
        request(POST, HOST, "Content-Length: 99999999999999999999"),
        request(POST, HOST, "Transfer-Encoding: chunked", body=b"4001\r\n" + b"x" * 0x4001),
        request(POST, HOST, "Transfer-Encoding: chunked", body=b"1" * 17_000),
        request(POST, HOST, "Transfer-Encoding: chunked", body=b"1;" + b"x" * 17_000),
        request(POST, HOST, "Transfer-Encoding: chunked", body=b"0\r\n" + b"x" * 17_000),
    ],
)
def test_a_body_over_the_bound_is_refused_and_the_connection_closed(
    visitor: RawServer, words: bytes
) -> None:
    assert visitor.status(words) == 413


def test_an_error_of_the_application_tells_a_visitor_nothing() -> None:
    server = begun("")
    said = server.answer(request("GET /broken HTTP/1.1", HOST))
    log = ended(server)

    assert said.startswith(b"HTTP/1.1 500")
    assert b"secret" not in said
    assert b"Traceback" not in said
    assert "ZeroDivisionError" in log


@pytest.mark.parametrize(
    "words",
    [
        b"GET / HTTP/1.1\r\nHost: he",
        b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 1000\r\n\r\nabc",
        b"POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n3e8\r\nabc",
        b"GET /long HTTP/1.1\r\nHost: here\r\n\r\n",
        b"",
    ],
    ids=["headers", "body", "chunks", "readers", "silence"],
)
def test_a_neighbour_is_answered_while_eighty_are_slow(visitor: RawServer, words: bytes) -> None:
    slow = [visitor.connected() for _ in range(SLOW)]
    for line in slow:
        line.sendall(words)
    told = [visitor.asked(request("GET / HTTP/1.1", HOST))["PATH_INFO"] for _ in range(9)]
    for line in slow:
        line.setblocking(False)
        if b"long" not in words:
            with pytest.raises(BlockingIOError):  # it is open, and nothing was said
                line.recv(1)

    assert told == ["/"] * 9


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_what_is_begun_is_finished_when_the_server_is_stopped(number: signal.Signals) -> None:
    server = begun("")
    line = server.connected()
    line.sendall(request("GET /slow HTTP/1.1", HOST))
    while b"200 OK" not in server.answer(request("GET / HTTP/1.1", HOST)):
        pass  # it has taken the one before
    server.process.send_signal(number)
    said = b""
    while part := line.recv(65536):
        said += part
    server.folder.close()

    assert said.startswith(b"HTTP/1.1 200 OK")
    assert server.process.communicate(timeout=60) == ("", "")
    assert server.process.returncode == 0


FROM = "X-Forwarded-For: "


def test_nobody_but_our_proxies_says_who_asks(visitor: RawServer) -> None:
    lines = ("X-Forwarded-Host: evil", "X-Forwarded-Proto: https", "Forwarded: for=6.6.6.6")
    told = visitor.asked(request("GET / HTTP/1.1", HOST, f"{FROM}6.6.6.6", *lines))

    assert told == {
        "REMOTE_ADDR": "127.0.0.1",
        "HTTP_HOST": "here",
        "HTTP_X_FORWARDED_FOR": None,
        "HTTP_X_FORWARDED_HOST": None,
        "HTTP_X_FORWARDED_PROTO": None,
        "HTTP_FORWARDED": None,
        "SCRIPT_NAME": "",
        "PATH_INFO": "/",
        "REQUEST_METHOD": "GET",
        "wsgi.url_scheme": "http",
    }


@pytest.fixture(scope="module")
def proxied() -> Iterator[RawServer]:
    """One behind proxies at this machine and at 10.0.0.0/8, known by another address."""
    found = begun("https://example.org/club/", "127.0.0.0/8", "10.0.0.0/8")
    yield found
    assert ended(found) == ""


@pytest.mark.parametrize(
    ("named", "address"),
    [
        (["192.0.2.7"], "192.0.2.7"),
        (["6.6.6.6, 192.0.2.7"], "192.0.2.7"),
        (["6.6.6.6", "192.0.2.7"], "192.0.2.7"),
        (["6.6.6.6, 192.0.2.7, 10.1.2.3"], "192.0.2.7"),
        (["10.1.2.3"], "10.1.2.3"),
        (["2001:db8::7"], "2001:db8::7"),
        (["nonsense"], "127.0.0.1"),
        (["6.6.6.6, nonsense"], "127.0.0.1"),
        ([""], "127.0.0.1"),
        ([], "127.0.0.1"),
    ],
)
def test_our_proxies_say_who_asks_and_their_visitors_nothing(
    proxied: RawServer, named: list[str], address: str
) -> None:
    lines = [HOST, *(f"{FROM}{each}" for each in named), "X-Forwarded-Host: evil"]
    told = proxied.asked(request("GET /club/page HTTP/1.1", *lines, "X-Forwarded-Proto: http"))

    assert (told["REMOTE_ADDR"], told["HTTP_HOST"]) == (address, "here")
    assert (told["HTTP_X_FORWARDED_HOST"], told["HTTP_X_FORWARDED_FOR"]) == (None, None)
    assert (told["wsgi.url_scheme"], told["SCRIPT_NAME"]) == ("https", "/club")


@pytest.mark.parametrize(
    ("path", "seen"), [("/club/a/b", "/a/b"), ("/a/b", "/a/b"), ("/clubs/a", "/clubs/a")]
)
def test_a_path_is_the_same_whether_or_not_the_proxy_takes_the_folder_away(
    proxied: RawServer, path: str, seen: str
) -> None:
    assert proxied.asked(request(f"GET {path} HTTP/1.1", HOST))["PATH_INFO"] == seen


def test_at_a_unix_socket_there_is_a_proxy_of_ours_always() -> None:
    seen: list[str] = []

    def application(environ: dict[str, Any], _start: object) -> list[bytes]:
        seen.append(environ["REMOTE_ADDR"])
        return []

    behind = BehindProxies(application, [ip_network("10.0.0.0/8")])
    for peer, named in (
        ("localhost", "192.0.2.7"),
        ("localhost", None),
        ("192.0.2.9", "6.6.6.6"),
        ("::ffff:10.0.0.1", "192.0.2.7"),
    ):
        more = {} if named is None else {"HTTP_X_FORWARDED_FOR": named}
        behind({"REMOTE_ADDR": peer, **more}, None)

    assert seen == ["192.0.2.7", "localhost", "192.0.2.9", "192.0.2.7"]


def test_a_request_that_comes_drop_by_drop_ends_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [1000.0]
    taken: list[bytes] = []

    def take(_channel: object, data: bytes) -> bool:
        taken.append(data)
        return True

    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    monkeypatch.setattr("waitress.channel.HTTPChannel.received", take)
    channel = object.__new__(PatientChannel)
    channel.request = None
    first = channel.received(b"GET")
    channel.request = object()
    clock[0] += listener.PATIENCE
    second = channel.received(b" / ")
    clock[0] += 1
    third = channel.received(b"HTTP")
    ended_then = channel.will_close
    channel.request, channel.will_close = None, False
    again = channel.received(b"GET")

    assert (first, second, third, ended_then, again) == (True, True, False, True, True)
    assert taken == [b"GET", b" / ", b"GET"]
    assert not channel.will_close


def test_the_limits_are_those_that_the_pages_tell() -> None:
    assert LIMITS == {
        "threads": 4,
        "connection_limit": 200,
        "channel_timeout": 30,
        "cleanup_interval": 5,
        "max_request_body_size": 16_384,
        "max_request_header_size": 16_384,
    }
    assert PatientChannel.parser_class is StrictParser
