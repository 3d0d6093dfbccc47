"""What a page costs in a browser, beside a bare Flask that says hello in the same run.

Run it as `python -m tests.bench.web [--rounds=200]`. A club is made on SQLite; all pages take
turns. Figures are medians of processor time of this process, without a network. `--start` prints
instead what it takes to start the application in a process of its own, and the memory of one
after sixteen sign-ins; `--guests` what a reply of the computer and its page take on several boards.
"""

import argparse
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from flask import Flask
from werkzeug.test import EnvironBuilder

from pbmserv.desk.door import Desk
from pbmserv.desk.request import Request
from pbmserv.engine.spec import parse_game
from pbmserv.site.pages import SiteOptions
from pbmserv.store.store import Store
from pbmserv.web.app import make_app
from pbmserv.web.club import Club, WebSettings
from pbmserv.web.limits import RateLimit

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

AIMS = {"not modified": 5, "pulse": 4, "my": 60, "board": 60, "largest": 140, "act": 90}
"""How many times as much as the hello each may cost."""

BOARDS = ("hex -size=11", "y -size=26", "star", "starstar -size=10", "polyy", "starweb")
GUEST_BOARDS = (
    *("star(size=4)", "hex(size=5)", "hex(size=11)", "y(size=17)", "polyy(size=7)"),
    *("starweb(size=10)", "starstar(size=10)", "starstar(size=10,double)", "star(size=11,maxi)"),
)
START = (
    "import resource, sys; from pbmserv.web.app import make_app; from tests.bench.web import club;"
    "make_app(club(sys.argv[1])); use = resource.getrusage(resource.RUSAGE_SELF);"
    "print(use.ru_utime + use.ru_stime)"
)


def club(url: str) -> Club:
    """Return the club of a database."""
    return Club(SiteOptions("1.0"), lambda: Desk(lambda: Store.open(url)), WebSettings())


def filled(url: str) -> None:
    """Make a club of two players with a board of each game, twenty-one moves old."""
    desk = Desk(lambda: Store.open(url, may_create=True))

    def do(line: str) -> None:
        desk.handle(Request(tuple(line.split())))

    for userid in ("alice", "bob"):
        do(f"signup {userid} secret-{userid}")
    for line in BOARDS:
        game, *options = line.split()
        do(f"{game} challenge alice bob {' '.join(options)}")
        names = parse_game(game + (f"(size={options[0][6:]})" if options else "")).board.names
        for turn, cell in enumerate(names[:42:2]):
            who = ("alice", "bob")[turn % 2]
            do(f"{game} move 101 {who} secret-{who} {cell}")
    desk.close()


def field_of(page: str, name: str) -> str:
    """Return what a hidden field of a page has."""
    found = re.search(f'name="{name}" value="([^"]*)"', page)
    assert found, name
    return found[1]


class Visit:
    """A signed-in player's requests, as a server hands them to the application."""

    def __init__(self, app: Flask) -> None:
        self.app, client = app, app.test_client()
        form = client.get("/signin").text
        signed = {"userid": "alice", "password": "secret-alice", "token": field_of(form, "token")}
        answer = client.post("/signin", data=signed)
        self.cookie = answer.headers["Set-Cookie"].partition(";")[0]
        self.token = field_of(client.get("/my").text, "token")
        self.etag = app.test_client().get("/boards/hex/101.html").headers["ETag"]
        self.free, self.said = parse_game("y(size=26)").board.names[43::2], count()

    def environs(self) -> dict[str, Callable[[], "WSGIEnvironment"]]:
        """Return what makes the next request of each kind."""
        seen = {"If-None-Match": self.etag}
        return {
            "board": lambda: self.environ("/boards/hex/101.html"),
            "largest": lambda: self.environ("/boards/y/101.html"),
            "my": lambda: self.environ("/my"),
            "pulse": lambda: self.environ("/boards/hex/101.pulse"),
            "not modified": lambda: self.environ("/boards/hex/101.html", headers=seen),
            "act": self.act,
        }

    def environ(self, path: str, **more: Any) -> "WSGIEnvironment":
        """Return a request of the player, or a guest's where it names other headers."""
        headers = more.pop("headers", {"Cookie": self.cookie})
        return EnvironBuilder(path, headers=headers, **more).get_environ()

    def act(self) -> "WSGIEnvironment":
        """Plan something else each time: a change that can be made again and again."""
        number = next(self.said)
        form = {"token": self.token, "key": str(number), "verb": "plan", "ply": ""}
        form["text"] = self.free[number % 2]
        return self.environ("/boards/y/101/act", method="POST", data=form)


def status_of(app: Flask, environ: "WSGIEnvironment") -> str:
    """Do a request and return its status."""
    said: list[str] = []

    def begin(status: str, *_: object) -> Callable[[bytes], object]:
        said.append(status.partition(" ")[0])
        return lambda _: None

    answer = app(environ, begin)
    for _ in answer:
        pass
    answer.close()  # type: ignore[attr-defined]  # by which a request ends
    return said[0]


def measure(rounds: int) -> None:
    """Print the table."""
    hello = Flask("hello")
    hello.add_url_rule("/", view_func=lambda: "hello")
    with tempfile.TemporaryDirectory() as folder:
        url = str(Path(folder) / "club.sqlite")
        filled(url)
        app = make_app(club(url))
        todo = {"hello": lambda: EnvironBuilder("/").get_environ(), **Visit(app).environs()}
        spent: dict[str, list[float]] = {name: [] for name in todo}
        statuses: dict[str, set[str]] = {name: set() for name in todo}
        for _ in range(rounds):
            for name, make in todo.items():
                asked, environ = hello if name == "hello" else app, make()
                began = time.process_time()
                statuses[name].add(status_of(asked, environ))
                spent[name].append(time.process_time() - began)
    one = median(spent["hello"])
    for name, times in spent.items():
        ratio, aim = median(times) / one, AIMS.get(name)
        verdict = "" if aim is None else f"aim {aim:>3} {'held' if ratio <= aim else 'MISSED'}"
        seen = " ".join(sorted(statuses[name]))
        print(f"{name:<14}{1000 * median(times):8.2f} ms{ratio:8.1f} x  {seen:<8} {verdict}")


def guests(rounds: int) -> None:
    """Print what the computer's reply to a guest's first stone, and the page of it, take."""
    with tempfile.TemporaryDirectory() as folder:
        url = str(Path(folder) / "club.sqlite")
        filled(url)
        app = make_app(club(url))
        app.extensions["club"].replies = RateLimit(10**9, 1)
        for spec in GUEST_BOARDS:
            game = parse_game(spec)
            form = {"spec": spec, "side": "X", "text": "+".join(game.board.names[:1])}
            path, spent = f"/play/{game.name}", dict[str, list[float]](reply=[], page=[])
            for number in range(rounds):
                form["level"] = str(1 + number % 3)
                began = time.process_time()
                led = app.test_client().post(path, data=form)
                between = time.process_time()
                page = app.test_client().get(path + led.headers["Location"])
                spent["reply"].append(between - began)
                spent["page"].append(time.process_time() - between)
                assert (led.status_code, page.status_code) == (303, 200)
            told = "".join(
                f"  {name} {1000 * median(each):5.1f} ms" for name, each in spent.items()
            )
            print(f"{spec:<26}{told}  {len(page.data) / 1000:.0f} kB")


def start() -> None:
    """Print what it takes to start, and the memory of a process after sixteen sign-ins."""
    with tempfile.TemporaryDirectory() as folder:
        url = str(Path(folder) / "club.sqlite")
        filled(url)
        words = [sys.executable, "-c", START, url]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        print(f"start {float(done.stdout):.2f} s of processor time")
        app = make_app(club(url))
        for _ in range(16):
            Visit(app)
    print(f"memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


def main() -> None:
    parser = argparse.ArgumentParser(description="What a page costs in a browser.")
    parser.add_argument("--rounds", type=int, default=200, help="of each page")
    parser.add_argument("--start", action="store_true", help="the start and the memory instead")
    parser.add_argument("--guests", action="store_true", help="guests' games instead")
    options = parser.parse_args()
    if options.start:
        start()
    elif options.guests:
        guests(options.rounds)
    else:
        measure(options.rounds)


if __name__ == "__main__":
    main()
