"""The whole room over sockets: it opens at once, and stands what visitors send."""

import fcntl
import os
import signal
import socket
import stat
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests import databases
from tests.daemon.resident_process import served_in
from tests.installed_program import (
    LONGEST,
    PROGRAM,
    children,
    impatient,
    real_board,
    waited_for,
)

from .own_server import SocketVisitor, environment_of, free_port, is_open, room

pytestmark = pytest.mark.slow

BOARD = "/boards/star/101.html"
RIGHT, WRONG = ("alice", "secret-alice"), ("alice", "wrong-secret")


@pytest.fixture(scope="module")
def url(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A club with alice, bob and a board."""
    made = databases.copy_template(sqlite_template, tmp_path_factory.mktemp("club"))
    real_board(made)
    return made


@pytest.fixture(scope="module")
def port(url: str) -> Iterator[int]:
    """The port of a room that is known by another address, behind a proxy on this machine."""
    port = free_port()
    with room(environment_of(url, port, PBMSERV_WEB_URL="https://club.example.org/"), port):
        yield port


def test_it_opens_at_once_where_there_was_no_club_and_ends_without_a_word(tmp_path: Path) -> None:
    port = free_port()
    environ = environment_of(str(tmp_path / "new.sqlite"), port)
    process = subprocess.Popen([PROGRAM, "web"], env=environ, stderr=subprocess.PIPE, text=True)
    waited_for(lambda: is_open(port), while_runs=process)
    page = SocketVisitor(port, host=f"127.0.0.1:{port}").ask("GET", "/signin")
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=LONGEST)[1]

    assert (page.status, process.returncode) == (200, 0)
    assert said == (
        f"Created the database {tmp_path / 'new.sqlite'}.\n"
        f"The club is open at http://127.0.0.1:{port}/ until Ctrl-C.\n"
    )


def test_it_listens_at_a_socket_that_any_web_server_may_use(url: str, tmp_path: Path) -> None:
    path = tmp_path / "web"
    environ = {**environment_of(url, 0), "PBMSERV_WEB": str(path)}
    process = subprocess.Popen([PROGRAM, "web"], env=environ, stderr=subprocess.PIPE, text=True)
    waited_for(path.exists, while_runs=process)
    mode = stat.S_IMODE(path.stat().st_mode)
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(LONGEST)
        line.connect(str(path))
        line.sendall(b"GET /signin HTTP/1.0\r\nHost: localhost\r\n\r\n")
        said = line.makefile("rb").read()
    process.terminate()
    words = process.communicate(timeout=LONGEST)[1]

    assert said.startswith(b"HTTP/1.0 200 OK")
    assert (mode, process.returncode) == (0o666, 0)
    assert words == f"The club is open at {path} until Ctrl-C.\n"


OF_PLACE = [
    ({"PBMSERV_WEB": "0.0.0.0:0"}, "Others could reach that address. Set web_url to "),
    ({"PBMSERV_WEB": "example:0"}, "Others could reach that address."),
    ({"PBMSERV_WEB": "8170"}, "The setting web is not an address to listen at. It is written"),
    ({"PBMSERV_WEB": "/dev/null"}, "/dev/null exists and is not a socket."),
    ({"PBMSERV_WEB_URL": "club"}, "The setting web_url is not the address of a web site."),
    ({"PBMSERV_WEB_PROXY": "club"}, "The setting web_proxy is not addresses and networks."),
    ({"PBMSERV_WEB_SIGNUP": "yes"}, "The setting web_signup is not open or closed."),
    ({"PBMSERV_WEB_GUESTS": "yes"}, "The setting web_guests is not on or off."),
]


@pytest.mark.parametrize(("settings", "said"), OF_PLACE)
@pytest.mark.parametrize("command", ["web", "serve"])
def test_a_wrong_setting_is_told_before_anybody_is_let_in(
    url: str, tmp_path: Path, command: str, settings: dict[str, str], said: str
) -> None:
    environ = {**environment_of(url, free_port()), "XDG_RUNTIME_DIR": str(tmp_path), **settings}
    done = subprocess.run(
        [PROGRAM, command], env=environ, capture_output=True, text=True, check=False, timeout=60
    )

    assert done.returncode == 70
    assert said in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_serve_keeps_the_socket_over_a_restart_and_a_part_that_is_killed(
    url: str, tmp_path: Path
) -> None:
    port = free_port()
    program = impatient(tmp_path, {"pbmserv.daemon.resident.REST": 0.1})
    visitor = SocketVisitor(port, host=f"127.0.0.1:{port}")
    with served_in(environment_of(url, port), program=(str(program),)) as (_, server):
        assert visitor.ask("GET", "/signin").status == 200
        assert visitor.sign_in(*RIGHT).status == 303
        for signalled in (signal.SIGHUP, signal.SIGKILL):
            before = {*children(server.pid)}
            if signalled == signal.SIGHUP:
                server.send_signal(signalled)
            else:
                os.kill(listener_of(port, before), signalled)
            waited_for(lambda before=before: {*children(server.pid)} - before)  # type: ignore[misc]
            assert visitor.ask("GET", "/my").status == 200


def listener_of(port: int, processes: set[int]) -> int:
    """Return the process that has a connection at the port: the one that answers there."""
    with socket.create_connection(("127.0.0.1", port)) as line:
        line.sendall(b"GET / HTTP/1.1\r\n")
        mine = line.getsockname()[1]
        row = f":{port:04X} 0100007F:{mine:04X} "

        def holder() -> int | None:
            table = Path("/proc/net/tcp").read_text().splitlines()
            inode = next(text.split()[9] for text in table if row in text)
            for process in processes:
                for each in Path(f"/proc/{process}/fd").iterdir():
                    if each.is_symlink() and str(each.readlink()) == f"socket:[{inode}]":
                        return process
            return None

        waited_for(holder)
        found = holder()
        assert found
        return found


def test_without_its_setting_serve_opens_nothing_for_browsers(url: str) -> None:
    port = free_port()
    environ = {**environment_of(url, port), "PBMSERV_WEB": ""}
    with served_in(environ, "-club"):
        assert not is_open(port)


def test_guesses_are_refused_for_a_while_and_nobody_else_is(port: int) -> None:
    guesser = SocketVisitor(port)
    owner, neighbour = SocketVisitor(port, "198.51.100.7"), SocketVisitor(port)
    assert neighbour.sign_in("bob", "secret-bob").status == 303
    told = [guesser.sign_in(*WRONG) for _ in range(7)]

    assert [answer.status for answer in told] == [403] * 5 + [429] * 2
    assert 0 < int(told[-1].headers["Retry-After"]) <= 60
    assert guesser.sign_in(*RIGHT).status == 429
    assert owner.sign_in(*RIGHT).status == 303
    assert guesser.ask("GET", BOARD).status == 200
    assert neighbour.ask("GET", "/my").status == 200
    assert "wrong-secret" not in "".join(answer.text for answer in told)


@pytest.mark.parametrize(
    ("method", "status"),
    [("GET", 200), ("HEAD", 200), ("OPTIONS", 405), ("TRACE", 405), ("PUT", 405), ("DELETE", 405)],
)
def test_a_page_is_looked_at_and_nothing_else(port: int, method: str, status: int) -> None:
    visitor = SocketVisitor(port)
    told = visitor.ask(method, BOARD, **{"X-HTTP-Method-Override": "DELETE"})

    assert told.status == status
    assert (told.text == "") is (method == "HEAD")
    assert "secret" not in told.text


def test_a_head_is_that_of_the_page(port: int) -> None:
    page, head = (SocketVisitor(port).ask(each, BOARD) for each in ("GET", "HEAD"))
    kept = [{**each.headers, "Date": "", "Set-Cookie": ""} for each in (page, head)]

    assert kept[0] == kept[1]


@pytest.mark.parametrize(
    "path",
    [
        *("/../../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd"),
        *("/boards/star/..%5c..%5c101.html", "/boards/star/101%00.html", "/%00"),
        *("/boards/star/99999999999999999999.html", "/boards/star/0101.html"),
        *(
            "/boards/star/-1.html",
            "/boards/star/%D9%A1%D9%A0%D9%A1.html",
            "/boards/nogame/101.html",
        ),
        *("/" + "a" * 8000, "/%ff%fe"),
    ],
)
def test_what_is_no_page_of_ours_is_none(port: int, path: str) -> None:
    told = SocketVisitor(port).ask("GET", path)

    assert told.status == 404
    assert "root:" not in told.text


def test_a_request_for_another_host_is_refused(port: int) -> None:
    for host in ("evil.example", "club.example.org.evil.example", f"127.0.0.1:{port}", ""):
        assert SocketVisitor(port, host=host).ask("GET", BOARD).status == 400


def test_what_a_visitor_says_of_another_host_is_in_no_page(port: int) -> None:
    visitor = SocketVisitor(port)
    forged = {"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "gopher"}
    forged |= {"Forwarded": "host=evil.example", "X-Original-URL": "/evil.example"}
    for path in (BOARD, "/my", "/signin", "/site.css"):
        told = visitor.ask("GET", path, **forged)

        assert told.status in {200, 302, 303}
        assert "evil.example" not in f"{told.headers} {told.text}"


def test_while_passwords_are_looked_at_pages_are_answered(port: int) -> None:
    visitors = [SocketVisitor(port, f"203.0.{number}.1") for number in range(12)]
    with ThreadPoolExecutor(len(visitors)) as pool:
        tries = [pool.submit(each.sign_in, "bob", "wrong-secret") for each in visitors]
        pages = [SocketVisitor(port).ask("GET", BOARD).status for _ in range(5)]
        statuses = {each.result().status for each in tries}

    assert pages == [200] * 5
    assert 403 in statuses
    assert statuses <= {403, 429, 503}


def test_a_locked_database_is_told_and_no_thread_is_lost(url: str, port: int) -> None:
    visitors = [SocketVisitor(port, f"203.1.{number}.1") for number in range(6)]
    for each in visitors:
        each.ask("GET", "/signin")
    with Path(f"{url}.lock").open("ab") as lock, ThreadPoolExecutor(len(visitors)) as pool:
        fcntl.flock(lock, fcntl.LOCK_EX)
        told = list(pool.map(lambda each: each.sign_in(*RIGHT), visitors))
    later = [each.sign_in(*RIGHT).status for each in visitors]

    assert {503} == {answer.status for answer in told}
    assert str(Path(url).parent) not in "".join(answer.text for answer in told)
    assert [303] * len(visitors) == later
