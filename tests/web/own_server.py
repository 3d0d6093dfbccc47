"""The room as a process of its own, and a visitor who speaks to it over a socket."""

import http.client
import os
import re
import signal
import socket
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlencode

from tests.installed_program import LONGEST, PROGRAM, own_environment, waited_for

TOKEN = re.compile(r'name="token" value="([0-9a-f]+)"')


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def environment_of(url: str, port: int, **more: str) -> dict[str, str]:
    """Return the environment of a club that listens for browsers at this port."""
    return own_environment(
        PBMSERV_DATABASE_URL=url,
        PBMSERV_CONFIG=os.devnull,
        PBMSERV_RESIDENT="off",
        PBMSERV_WEB=f"127.0.0.1:{port}",
        **more,
    )


@dataclass
class Answered:
    """What was answered to a visitor."""

    status: int
    headers: Mapping[str, str]
    text: str


@dataclass
class SocketVisitor:
    """Somebody at a browser, from a network that our proxy tells of, with cookies."""

    port: int
    net: str = "192.0.2.7"
    host: str = "club.example.org"
    cookies: dict[str, str] = field(default_factory=dict)

    def ask(self, method: str, path: str, body: str | bytes = "", **headers: str) -> Answered:
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LONGEST)
        try:
            told = {"Host": self.host, "X-Forwarded-For": self.net, **headers}
            if self.cookies:
                told["Cookie"] = "; ".join(f"{name}={text}" for name, text in self.cookies.items())
            if body:
                told["Content-Type"] = "application/x-www-form-urlencoded"
            line.request(method, path, body or None, told)
            answer = line.getresponse()
            text = answer.read().decode("utf-8", "replace")
            for cookie in answer.headers.get_all("Set-Cookie", []):
                name, _, rest = cookie.partition("=")
                self.cookies[name] = rest.partition(";")[0]
            return Answered(answer.status, dict(answer.headers.items()), text)
        finally:
            line.close()

    def sign_in(self, userid: str, password: str) -> Answered:
        found = TOKEN.search(self.ask("GET", "/signin").text)
        assert found
        form = {"token": found[1], "userid": userid, "password": password}
        return self.ask("POST", "/signin", urlencode(form))


@contextmanager
def room(environ: Mapping[str, str], port: int) -> Iterator["subprocess.Popen[str]"]:
    """Run the room until the block ends, which it does as after Ctrl-C."""
    process = subprocess.Popen([PROGRAM, "web"], env=environ, stderr=subprocess.PIPE, text=True)
    try:
        waited_for(lambda: is_open(port), while_runs=process)
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=LONGEST)[1]
    assert process.returncode == 0
    others = [line for line in said.splitlines()[1:] if " web " not in line]
    assert others == [], "nothing but where it is open, and its forms"


def is_open(port: int) -> bool:
    """Tell whether anything is answered at this port."""
    try:
        return SocketVisitor(port).ask("GET", "/signin").status > 0
    except (OSError, http.client.HTTPException):
        return False
