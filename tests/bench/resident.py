"""What commands cost beside a resident server, as ratios to bare Python.

Run it as `python -m tests.bench.resident [--rounds=15] [--requests=2000]`. On each database the
commands take turns; the figures are medians of processor time: of the whole client process, of the
server's processes for the same command (without the database server's own), and of both. Then how
many requests a second the server takes, once of whole client processes and once of clients that
ask again and again, and what its memory is before and after the number of --requests.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from statistics import median

from pbmserv.daemon import thin_client
from tests.daemon.mail_receive_process import Installation
from tests.daemon.resident_process import served, workers
from tests.databases import PostgresqlServer, reach_postgresql

from .club_database import build
from .mail import PASSWORD, a_move, challenge
from .startup import PROGRAM, Command, always, moving

BARE = "bare Python"
AIMS = {"help": 1.6, "star show": 1.6, "star games": 1.6, "star move": 2.0}
AIMS |= {"mail, token": 1.8, "mail, password": 1.8, "tick": 1.8}
CLIENTS = (1, 4, 16)
BY_MAIL = ("carol", "dave")
"""Players with an address, whose moves make letters; alice and bob have none."""

SHOW = ("star", "show", "101")
SETTLED = 0.01
"""Seconds after which a worker has done also what nobody waits for."""


@dataclass
class Mails(Command):
    """The same program for one mail after the other."""

    mails: Iterator[bytes] = field(default_factory=lambda: iter(()))

    def run(self) -> None:
        self.input = next(self.mails).decode()
        super().run()


@dataclass
class Measured:
    """A command with what the server's processes used for each run, in seconds."""

    command: Command
    own: list[float] = field(default_factory=list)


def processes(server: "subprocess.Popen[bytes]") -> list[int]:
    return [server.pid, *workers(server)]


def seconds(pids: list[int]) -> float:
    """Return the processor time that these processes have used, and the first one's children."""
    files = [file for pid in pids for file in Path(f"/proc/{pid}/task").glob("*/schedstat")]
    gone = Path(f"/proc/{pids[0]}/stat").read_text().rpartition(")")[2].split()[13:15]
    ticks = sum(map(int, gone)) / os.sysconf("SC_CLK_TCK")
    return ticks + sum(int(file.read_text().split()[0]) for file in files) / 1e9


def memory(pids: list[int]) -> int:
    """Return the KiB of its own that the largest of these processes has."""
    texts = [Path(f"/proc/{pid}/status").read_text() for pid in pids]
    # A worker that is one too many may be leaving.
    return max(int(t.partition("RssAnon:")[2].split()[0]) for t in texts if "RssAnon:" in t)


def commands_on(here: Installation, rounds: int) -> list[Command]:
    for userid in BY_MAIL:
        here.run("signup", userid, PASSWORD, f"{userid}@example.net")
    return [
        Command(BARE, always(sys.executable, "-c", "pass")),
        Command("help", always(PROGRAM, "help")),
        Command("star show", always(PROGRAM, *SHOW)),
        Command("star games", always(PROGRAM, "star", "games", "alice", "next")),
        Command("star move", moving(f"--database={here.database}")),
        Command("tick", always(PROGRAM, "tick")),
        *(mails_of(here, signed, rounds) for signed in ("token", "password")),
    ]


def mails_of(here: Installation, signed: str, rounds: int) -> Mails:
    boards = [challenge(here, *BY_MAIL) for _ in range(rounds + 1)]
    mails = [a_move(here, board, signed, BY_MAIL[0]) for board in boards]
    received = ((PROGRAM, "mail", "receive", f"--recipient={to}") for to, _ in mails)
    return Mails(f"mail, {signed}", received, mails=(data for _, data in mails))


def costs(
    commands: Sequence[Command], server: "subprocess.Popen[bytes]", rounds: int
) -> Iterator[str]:
    """Run the commands in turns; yield what each costs client and server, and the sum's ratio."""
    rows = [Measured(command) for command in commands]
    for _ in range(rounds + 1):
        for row in rows:
            before = seconds(processes(server))
            row.command.run()
            time.sleep(SETTLED)
            row.own.append(seconds(processes(server)) - before)
    bare = median(rows[0].command.cpu[1:])
    yield f"{'':14}{'client ms':>10}{'server ms':>10}{'x bare':>8}{'with server':>12}{'aim':>6}"
    for row in rows:
        # What is worked out once is not what a command costs.
        client, own = median(row.command.cpu[1:]), median(row.own[1:])
        ratio, name = (client + own) / bare, row.command.name
        aim = AIMS.get(name, 1.0)
        verdict = "" if name == BARE else "held" if ratio <= aim else "MISSED"
        yield (
            f"{name:14}{client * 1e3:10.1f}{own * 1e3:10.1f}{client / bare:8.2f}"
            f"{ratio:12.2f}{aim:6.1f} {verdict}"
        )


def run_often(words: Sequence[str], times: int) -> None:
    for _ in range(times):
        subprocess.run([PROGRAM, *words], stdout=subprocess.DEVNULL, check=True)


def ask_often(words: Sequence[str], times: int) -> None:
    """Ask the server as one client after the other does, all in this process."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    sys.argv = [PROGRAM, *words]
    for _ in range(times):
        if thin_client.run_on_server([])[0] != 0:
            raise SystemExit("a request was not done")


def rate(way: Callable[[Sequence[str], int], None], clients: int, requests: int) -> float:
    """Return how many requests a second so many clients at once have done, that way."""
    start, each = time.perf_counter(), requests // clients
    running = [get_context("fork").Process(target=way, args=(SHOW, each)) for _ in range(clients)]
    for process in running:
        process.start()
    for process in running:
        process.join()
        if process.exitcode:
            raise SystemExit("a client failed")
    return clients * each / (time.perf_counter() - start)


def throughput(server: "subprocess.Popen[bytes]", clients: int, rounds: int) -> str:
    whole = rate(run_often, clients, 4 * rounds)
    rate(ask_often, clients, 4 * rounds)  # each worker has done its first
    asked, before = 20 * rounds // clients * clients, seconds(processes(server))
    by_socket = rate(ask_often, clients, asked)
    own = (seconds(processes(server)) - before) / asked
    return (
        f"{clients:3} clients: {whole:.0f} requests a second as whole processes, "
        f"{by_socket:.0f} by socket ({own * 1e3:.1f} ms of the server each)"
    )


def many(server: "subprocess.Popen[bytes]", requests: int) -> Iterator[str]:
    """Send very many requests, half of them for help, and yield what became of the memory."""
    rate(ask_often, 4, 400)  # each worker has done its first
    before = memory(processes(server))
    for _ in range(10):
        for words in (SHOW, ("help",)):
            process = get_context("fork").Process(target=ask_often, args=(words, requests // 20))
            process.start()
            process.join()
    yield f"memory of the largest process: {before} KiB, then {memory(processes(server))}"


def measure(here: Installation, rounds: int, requests: int) -> Iterator[str]:
    """Build a club and yield the figures of a server beside it, line by line."""
    build(here.database, 0)
    with served(here.database) as (environ, server):
        os.environ.update({**here.environ, "XDG_RUNTIME_DIR": environ["XDG_RUNTIME_DIR"]})
        yield from costs(commands_on(here, rounds), server, rounds)
        if here.outcomes()[-2 * rounds :] != ["done"] * 2 * rounds:
            raise SystemExit("a mail was not taken for a move")
        yield from (throughput(server, clients, rounds) for clients in CLIENTS)
        yield from many(server, requests)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--requests", type=int, default=2000)
    chosen = parser.parse_args()
    for name in [name for name in os.environ if name.startswith("PYTHON")]:
        del os.environ[name]  # the server has none of these, and takes no client that has
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        places = {"SQLite": Installation(folder / "sqlite")}
        server = stack.enter_context(reach_postgresql())
        if isinstance(server, PostgresqlServer):
            url = stack.enter_context(server.schema())
            places["PostgreSQL"] = Installation(folder / "postgresql", url=url)
        else:
            print(f"PostgreSQL is left out: {server}.")
        for name, here in places.items():
            print(name)
            for line in measure(here, chosen.rounds, chosen.requests):
                print(line, flush=True)


if __name__ == "__main__":
    main()
