"""The memory of a daemon on SQLite: its processes' proportional set size (PSS), pages shared once.

Run it as `python -m tests.bench.memory [--postgresql]`. A club takes mails from a Maildir, sends
letters and moves for a robot; it is measured when that is done and it is idle. Then the same with
the room in a browser, when sixteen players have looked around, and when they have signed in.
"""

import argparse
import tempfile
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

from tests.daemon.mail_receive_process import Installation, a_mail
from tests.daemon.resident_process import served_in
from tests.databases import PostgresqlServer, reach_postgresql
from tests.installed_program import children, real_board, waited_for
from tests.web.own_server import SocketVisitor, free_port, is_open

MAILS = 5
VISITORS = 16
SETTLED = 3.0
"""Seconds after which a club is idle: a round of letters, clocks and robots later."""

PAGES = ("/", "/boards/star/101.html", "/players/index.html", "/manual/star.html", "/signin")
AIMS = {"idle": 120, "idle with web": 160, "after sign-ins": 190}


def family(process: int) -> list[int]:
    """Return a process with all that it has started, and what these have."""
    return [process, *(each for child in children(process) for each in family(child))]


def measure(name: str, server: int) -> None:
    time.sleep(SETTLED)
    pids = family(server)
    texts = [Path(f"/proc/{pid}/smaps_rollup").read_text() for pid in pids]
    pss = sum(int(text.partition("\nPss:")[2].split()[0]) for text in texts) / 1024
    aim = f"aim {AIMS[name]} {'held' if pss <= AIMS[name] else 'MISSED'}" if name in AIMS else ""
    print(f"{name:<16}{len(pids):3} processes{pss:7.0f} MB  {aim}", flush=True)


def play(here: Installation) -> None:
    """Have mails come in, letters go out and a robot move."""
    waited_for((here.folder / "in" / "new").is_dir)
    for number in range(MAILS):
        (here.folder / "in" / "new" / f"{number}.mail").write_bytes(
            a_mail("help", number, f"a{number}@example.net")
        )
    out = here.folder / "out" / "new"
    waited_for(lambda: out.is_dir() and len(list(out.iterdir())) >= MAILS)
    waited_for(lambda: b'"ply":0' not in here.run("star", "games", "ada", "--json").stdout)


def club(here: Installation) -> Mapping[str, str]:
    real_board(here.database)
    for number in range(VISITORS):
        here.run("signup", f"player{number}", "secret-word")
    here.run("admin", "robot", "add", "ada", "-level=10")
    here.run("star", "challenge", "ada", "alice", "-size=6")
    here.run("hex", "challenge", "ada", "bob", "-size=7")
    return here.environ


def visit(port: int, server: int) -> None:
    """Have sixteen visitors look around, then sign in, all at once."""
    visitors = [SocketVisitor(port, f"198.51.{n}.7") for n in range(VISITORS)]
    with ThreadPoolExecutor(VISITORS) as pool:

        def sign_in(number: int) -> None:
            # Told to come again while nine wait.
            waited_for(
                lambda: visitors[number].sign_in(f"player{number}", "secret-word").status == 303
            )

        for path in PAGES:
            list(pool.map(lambda each, path=path: each.ask("GET", path), visitors))
        measure("after visits", server)
        list(pool.map(sign_in, range(VISITORS)))
        list(pool.map(lambda each: each.ask("GET", "/my"), visitors))
        measure("after sign-ins", server)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--postgresql", action="store_true", help="a PostgreSQL database instead")
    chosen = parser.parse_args()
    with ExitStack() as stack:
        url = ""
        if chosen.postgresql:
            server = stack.enter_context(reach_postgresql())
            assert isinstance(server, PostgresqlServer), server
            url = stack.enter_context(server.schema())
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        here = Installation(folder / "club", url=url)
        here.run("db", "upgrade")
        environ, port = club(here), free_port()
        with served_in(environ) as (_, process):
            play(here)
            measure("idle", process.pid)
        web = {"PBMSERV_WEB": f"127.0.0.1:{port}", "PBMSERV_WEB_URL": "http://club.example.org/"}
        with served_in({**environ, **web}) as (_, process):
            waited_for(lambda: is_open(port), while_runs=process)
            measure("idle with web", process.pid)
            visit(port, process.pid)


if __name__ == "__main__":
    main()
