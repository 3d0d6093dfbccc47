"""Forms that are sent while the server is held up, has no room to write, or is sent a bad body."""

import gzip
import http.client
import os
import resource
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest

from pbmserv.store.store import Store
from tests import databases
from tests.installed_program import real_board
from tests.web.own_server import TOKEN, Answered, SocketVisitor, environment_of, free_port, room

pytestmark = pytest.mark.slow

BOARD = "/boards/star/101"
BEFORE = ["N1", "M2"]


class Club:
    """A club with a board in a room of its own, and alice at it, who is to move."""

    def __init__(self, url: str, port: int, process: "subprocess.Popen[str]") -> None:
        self.url = url
        self.process = process
        self.alice = SocketVisitor(port, host=f"127.0.0.1:{port}")
        assert self.alice.sign_in("alice", "secret-alice").status == 303

    def form(self, cell: str) -> dict[str, str]:
        """Return the fields of the form that makes a move."""
        page = self.alice.ask("GET", f"{BOARD}.html?at={cell}").text
        found = TOKEN.search(page)
        assert found
        named = {"token": found[1], "key": f"key-of-{cell}", "verb": "move", "text": cell}
        return {**named, "ply": str(len(self.moves()) + 1)}

    def send(self, body: str | bytes, **headers: str) -> Answered:
        return self.alice.ask("POST", f"{BOARD}/act", body, **headers)

    def moves(self) -> list[str]:
        store = Store.open(self.url)
        with store.reading() as records:
            match = records.matches.find("star", 101)
        store.close()
        assert match is not None
        return [*match.record.texts]


@pytest.fixture
def club(sqlite_template: Path, tmp_path: Path) -> Iterator[Club]:
    url = databases.copy_template(sqlite_template, tmp_path)
    real_board(url)
    port = free_port()
    with room(environment_of(url, port), port) as process:
        yield Club(url, port, process)


@pytest.mark.parametrize("held_for", [0.0, 0.002, 0.01, 0.03])
def test_a_form_that_is_sent_again_after_the_server_was_held_up_is_done_once(
    club: Club, held_for: float
) -> None:
    form = urlencode(club.form("P1"))
    line = http.client.HTTPConnection("127.0.0.1", club.alice.port, timeout=1)
    cookie = "; ".join(f"{name}={text}" for name, text in club.alice.cookies.items())
    kind = {"Content-Type": "application/x-www-form-urlencoded", "Cookie": cookie}
    line.request("POST", f"{BOARD}/act", form, {"Host": club.alice.host, **kind})
    time.sleep(held_for)
    os.kill(club.process.pid, signal.SIGSTOP)
    time.sleep(0.2)
    line.close()
    os.kill(club.process.pid, signal.SIGCONT)
    again = club.send(form)

    assert again.status == 303
    assert club.moves() == [*BEFORE, "P1"]


def test_a_form_is_refused_while_nothing_can_be_written_and_taken_afterwards(club: Club) -> None:
    form = urlencode(club.form("P1"))
    _, most = resource.prlimit(club.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(club.process.pid, resource.RLIMIT_FSIZE, (0, most))
    told = club.send(form)
    page = club.alice.ask("GET", f"{BOARD}.html")
    before = club.moves()
    resource.prlimit(club.process.pid, resource.RLIMIT_FSIZE, (most, most))

    assert told.status in {500, 503}
    assert str(Path(club.url).parent) not in told.text
    assert (page.status, before) == (200, BEFORE)
    assert club.send(form).status == 303
    assert club.moves() == [*BEFORE, "P1"]


def test_a_body_that_is_packed_or_has_thousands_of_fields_changes_nothing(club: Club) -> None:
    form = club.form("P1")
    packed = gzip.compress(urlencode(form).encode())
    bomb = gzip.compress(b"a=" + b"b" * 10_000_000)
    many = urlencode([*form.items(), *((f"a{number}", "") for number in range(10_000))])
    told = [
        *(club.send(body, **{"Content-Encoding": "gzip"}).status for body in (packed, bomb)),
        *(club.send(body).status for body in (many, "&" * 16_000, "a&" * 8_000)),
    ]

    assert told == [400, 400, 413, 403, 403]
    assert club.moves() == BEFORE
    assert club.send(urlencode(form)).status == 303
