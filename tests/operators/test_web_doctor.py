"""What doctor says of the club in a browser: off, wrong, silent, or reached."""

import os
import socket
import ssl
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from urllib.error import URLError

import pytest

from pbmserv.operators import web_doctor
from pbmserv.operators.web_doctor import fetch_problem, web_facts
from pbmserv.store.files.database_facts import Fact
from tests.in_process_shell import Shell

PAGE = b'<link rel="stylesheet" href="site.css">'


class Page(BaseHTTPRequestHandler):
    """Answers with the page and status that its server has."""

    def do_GET(self) -> None:
        status, page = self.server.answer  # type: ignore[attr-defined]
        self.send_response(status)
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def site() -> Iterator[HTTPServer]:
    """A web server on this machine, with a page of the club's."""
    with HTTPServer(("127.0.0.1", 0), Page) as server:
        server.answer = 200, PAGE  # type: ignore[attr-defined]
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBMSERV_CONFIG", os.devnull)
    monkeypatch.setenv("no_proxy", "*")
    for name in ("WEB", "WEB_URL", "WEB_PROXY"):
        monkeypatch.delenv(f"PBMSERV_{name}", raising=False)


def url_of(site: HTTPServer) -> str:
    return f"http://127.0.0.1:{site.server_port}/"


def facts(monkeypatch: pytest.MonkeyPatch, web: str, url: str = "") -> list[Fact]:
    monkeypatch.setenv("PBMSERV_WEB", web)
    monkeypatch.setenv("PBMSERV_WEB_URL", url)
    return [*web_facts()]


def test_a_club_without_the_setting_is_closed_to_browsers(monkeypatch: pytest.MonkeyPatch) -> None:
    assert facts(monkeypatch, "") == [Fact("web", "off")]
    (alone,) = facts(monkeypatch, "", "https://club.example.org/")
    assert alone.problem == "web_url is set, but web is not: serve answers no browser."


def test_a_place_that_others_reach_needs_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    (fact,) = facts(monkeypatch, "0.0.0.0:8170")

    assert fact.problem.startswith("Others could reach that address. Set web_url to ")


def test_what_answers_is_well(monkeypatch: pytest.MonkeyPatch, site: HTTPServer) -> None:
    place = f"127.0.0.1:{site.server_port}"

    assert facts(monkeypatch, place) == [Fact("web", place)]
    assert facts(monkeypatch, place, url_of(site)) == [
        Fact("web", place),
        Fact("web from outside", url_of(site)),
    ]


def test_where_nothing_listens_serve_is_not_running(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    told = [facts(monkeypatch, place)[0] for place in (f"127.0.0.1:{port}", str(tmp_path / "web"))]

    assert [fact.problem for fact in told] == [
        "Nothing answers there (Connection refused): run pbmserv serve.",
        "Nothing answers there (No such file or directory): run pbmserv serve.",
    ]


def test_a_unix_socket_that_listens_is_well(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "web"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen()

        assert facts(monkeypatch, str(path)) == [Fact("web", str(path))]


@pytest.mark.parametrize(
    ("status", "page", "problem"),
    [
        (200, PAGE, ""),
        (200, b"It works!", "Another page than the club's is there."),
        (502, b"", "Its web server answers with 502: it does not reach pbmserv serve."),
        (400, b"", "Its web server answers with 400: it does not reach pbmserv serve."),
    ],
)
def test_the_address_is_fetched(site: HTTPServer, status: int, page: bytes, problem: str) -> None:
    site.answer = status, page  # type: ignore[attr-defined]

    assert fetch_problem(url_of(site)) == problem


@pytest.mark.parametrize(
    ("reason", "problem"),
    [
        (ssl.SSLCertVerificationError(), "Its certificate is not valid, so browsers warn of it."),
        (
            socket.gaierror(-2, "Name or service not known"),
            "Its name is not known: set its address at the provider of the domain.",
        ),
        (TimeoutError(), "Nothing answers within 5 seconds: look at the firewall."),
        (ConnectionRefusedError(111, "Refused"), "It cannot be reached: Refused."),
        ("no route", "It cannot be reached: no route."),
    ],
)
def test_why_an_address_is_not_reached_is_told_in_plain_words(
    monkeypatch: pytest.MonkeyPatch, reason: OSError | str, problem: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise URLError(reason)

    monkeypatch.setattr(web_doctor, "urlopen", fail)

    assert fetch_problem("https://club.example.org/") == problem


def test_doctor_tells_of_it(playing: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBMSERV_WEB", "0.0.0.0:8170")
    done = playing.run("doctor")

    assert done.code == 1
    assert "Others could reach that address." in " ".join(done.out.split())
