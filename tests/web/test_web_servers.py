"""The web servers that the manual names, as it says to set them up, before the room."""

import re
import shutil
import signal
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests import databases
from tests.installed_program import LONGEST, real_board, waited_for
from tests.web.own_server import TOKEN, environment_of, free_port, is_open, room

pytestmark = pytest.mark.slow

HOST = "club.example.org"
BOARD = "/boards/star/101.html"
MANUAL = Path(__file__).parents[2] / "help/web.txt"


def recipe(heading: str, **changes: str) -> str:
    """Return the file that the manual has under a heading, with what differs here."""
    part = MANUAL.read_text(encoding="utf-8").partition(f"# {heading}\n")[2].partition("\n# ")[0]
    lines = [line[4:] for line in part.splitlines() if line.startswith("    ")]
    text = "\n".join(lines) + "\n"
    for before, after in changes.items():
        assert before in text, before
        text = text.replace(before, after)
    return text


def program(name: str) -> str:
    found = shutil.which(name, path="/usr/sbin:/usr/bin:/usr/local/bin")
    return found or pytest.skip(f"{name} is not installed")


@contextmanager
def running(*words: str) -> Iterator[None]:
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(LONGEST)


@contextmanager
def nginx(folder: Path, port: int, club: int) -> Iterator[None]:
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={HOST}"]
    if not shutil.which("openssl"):
        pytest.skip("openssl is not installed")
    files = ["-keyout", f"{folder}/club.key", "-out", f"{folder}/club.pem"]
    subprocess.run([*made, *files], check=True, capture_output=True, timeout=LONGEST)
    changes = {"443": f"127.0.0.1:{port}", "/etc/ssl": str(folder)}
    changes["127.0.0.1:8170"] = f"127.0.0.1:{club}"
    places = "".join(
        f"{kind}_temp_path {folder}/{kind};"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    text = recipe("NGINX", **changes)
    head = f"pid {folder}/pid; daemon off; error_log {folder}/log; events {{}}"
    whole = f"{head} http {{ access_log off; {places}\n{text}}}\n"
    (folder / "nginx.conf").write_text(whole, encoding="utf-8")
    with running(program("nginx"), "-p", str(folder), "-c", str(folder / "nginx.conf")):
        yield


@contextmanager
def caddy(folder: Path, port: int, club: int) -> Iterator[None]:
    changes = {HOST: f"http://{HOST}:{port}", "127.0.0.1:8170": f"127.0.0.1:{club}"}
    whole = "{\n    admin off\n}\n" + recipe("CADDY", **changes)
    (folder / "Caddyfile").write_text(whole, encoding="utf-8")
    with running(program("caddy"), "run", "--config", str(folder / "Caddyfile")):
        yield


def connection(name: str, port: int) -> HTTPConnection:
    if name == "caddy":
        return HTTPConnection("127.0.0.1", port, timeout=LONGEST)
    unproven = ssl.create_default_context()
    unproven.check_hostname, unproven.verify_mode = False, ssl.CERT_NONE
    return HTTPSConnection("127.0.0.1", port, timeout=LONGEST, context=unproven)


SERVERS = {"nginx": nginx, "caddy": caddy}


@pytest.mark.parametrize("name", SERVERS)
def test_a_web_server_set_up_as_the_manual_says(
    name: str, sqlite_template: Path, tmp_path: Path
) -> None:
    program(name)
    url = databases.copy_template(sqlite_template, tmp_path)
    real_board(url)
    club, port = free_port(), free_port()
    environ = environment_of(url, club, PBMSERV_WEB_URL=f"https://{HOST}/")
    with room(environ, club), SERVERS[name](tmp_path, port, club):
        waited_for(lambda: answered(name, port, "GET", BOARD)[0] == 200)
        _, headers, body = answered(name, port, "GET", BOARD)
        forged = [sign_in(name, port, f"198.51.100.{number}") for number in range(7)]

        assert is_open(club)
        assert headers["Content-Encoding"] == "gzip"
        assert len(body) < 16_000
        assert f"https://{HOST}" in answered(name, port, "GET", "/feed.atom")[2].decode()
        assert answered(name, port, "POST", "/signin", "x" * 20_000)[0] == 413
        assert [403] * 5 + [429] * 2 == forged, "who asks is known by nothing that they say"


def answered(
    name: str, port: int, method: str, path: str, body: str = "", **headers: str
) -> tuple[int, dict[str, str], bytes]:
    line = connection(name, port)
    kind = {"Content-Type": "application/x-www-form-urlencoded"} if body else {}
    packed = {} if path.endswith(".atom") or "signin" in path else {"Accept-Encoding": "gzip"}
    try:
        line.request(method, path, body or None, {"Host": HOST, **kind, **packed, **headers})
        answer = line.getresponse()
        return answer.status, dict(answer.headers.items()), answer.read()
    except OSError:
        return 0, {}, b""
    finally:
        line.close()


def sign_in(name: str, port: int, net: str) -> int:
    _, headers, page = answered(name, port, "GET", "/signin")
    cookie, found = headers["Set-Cookie"].partition(";")[0], TOKEN.search(page.decode())
    assert found
    assert re.match(r"[\w-]+=", cookie)
    form = {"token": found[1], "userid": "alice", "password": "wrong-secret"}
    told = {"Cookie": cookie, "X-Forwarded-For": net}
    return answered(name, port, "POST", "/signin", urlencode(form), **told)[0]
