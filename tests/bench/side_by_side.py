"""What goes on side by side: mails by LMTP on several connections, and writers at once.

Run it as `python -m tests.bench.side_by_side [lmtp|writers] [--mails=400]`, on a machine that does
nothing else. Both databases take the same mails, each with the reply token of its move in Star with
six rings; every connection plays on boards of its own. Beside the mails a second stand the
milliseconds of the processor that a mail takes: of our processes, of PostgreSQL's, and of the
client that sends it, which shares the machine. The last row is of the letters of a first move on
many boards, pictures and all, on their way to a mail server that takes the client's place.

The writers are processes that make moves on boards of their own. What they ask of the database is
written down and done once more by the driver alone, in as many processes on a database that is the
same; the last column is the ratio of moves a second.
"""

import argparse
import os
import pickle
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

if not __package__:
    sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.daemon.mail_receive_process import Installation
from tests.databases import PostgresqlServer, create, reach_postgresql
from tests.installed_program import children
from tests.mail.killed_mail_runner import Club
from tests.mail.loopback_mail_server import mail_server

TICK = 1 / os.sysconf("SC_CLK_TCK")
CONNECTIONS = (1, 4, 16)
MAILS = 320
"""For each number of connections: with those to warm up, all must find an empty cell."""
BOARDS = 16
RINGS = 6
LETTER_BOARDS = 200
ASIDE = 50
"""So many letters, at the beginning and at the end, are not counted."""

WRITERS = (1, 8)
MOVES = 100
WARM = 6
BENCH = "pbmserv_side_by_side"
HEADS = (b"From: ", b"To: ")
Pids = Callable[[], Sequence[int]]
ROWS: dict[tuple[str, str], tuple[float, ...]] = {}
"""What was printed: how many a second, and the milliseconds that each took of whom."""


def cpu_of(pids: Sequence[int]) -> float:
    """Return the processor seconds that these processes have used."""
    total = 0.0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        total += (int(fields[11]) + int(fields[12])) * TICK
    return total


def family(pid: int) -> list[int]:
    """Return this process and all that it started."""
    return [pid, *(each for child in children(pid) for each in family(child))]


def converse(port: int, mails: Sequence[bytes]) -> None:
    """Bring these mails by one connection, one after the other."""
    with socket.create_connection(("127.0.0.1", port)) as wire, wire.makefile("rb") as answers:

        def ask(data: bytes, *codes: bytes) -> None:
            wire.sendall(data)
            for code in codes:
                line = answers.readline()
                while line[3:4] == b"-":
                    line = answers.readline()
                if not line.startswith(code):
                    raise SystemExit(f"the listener said {line!r}")

        ask(b"", b"220")
        ask(b"LHLO bench\r\n", b"250")
        for mail in mails:
            sender, to = (mail.partition(name)[2].partition(b"\n")[0] for name in HEADS)
            head = b"MAIL FROM:<" + sender + b">\r\nRCPT TO:<" + to + b">\r\nDATA\r\n"
            ask(head, b"250", b"250", b"354")
            ask(mail.replace(b"\n", b"\r\n") + b".\r\n", b"250")


def bring(port: int, portions: Sequence[Sequence[bytes]]) -> None:
    with ThreadPoolExecutor(len(portions)) as pool:
        for done in [pool.submit(converse, port, mails) for mails in portions]:
            done.result()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


@contextmanager
def served(here: Installation) -> Iterator[tuple[int, int]]:
    """Run the listener; yield its port and its process."""
    port = free_port()
    words = [str(here.program), "mail", "serve", f"--lmtp=127.0.0.1:{port}"]
    quiet = subprocess.DEVNULL
    environ = {**here.environ, "PBMSERV_MAIL_TRANSPORT": ""}
    with subprocess.Popen(words, env=environ, stdout=quiet, stderr=quiet) as process:
        while process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except ConnectionRefusedError:
                time.sleep(0.05)
        try:
            yield port, process.pid
        finally:
            process.send_signal(signal.SIGTERM)


def lmtp(kind: str, url: str, backends: Pids, mails: int) -> None:
    """Print what comes in by so many connections at once."""
    plies = -(-mails // BOARDS) + 2
    with tempfile.TemporaryDirectory() as name:
        here = Installation(Path(name), url=url)
        create(here.database)
        club = Club(here, BOARDS, size=RINGS)
        ply = 0
        for connections in CONNECTIONS:
            boards = [range(BOARDS)[n::connections] for n in range(connections)]

            def portion(mine: Sequence[int], first: int, last: int) -> list[bytes]:
                return [club.move(board, ply) for ply in range(first, last) for board in mine]

            with served(here) as (port, pid):
                bring(port, [portion(mine, ply, ply + 2) for mine in boards])  # to warm up
                ply += 2
                count = BOARDS * (plies - 2)
                with row(kind, str(connections), count, lambda: family(pid), backends):
                    bring(port, [portion(mine, ply, ply + plies - 2) for mine in boards])
                ply += plies - 2
        if [len(moves) for moves in club.held()] != [ply] * BOARDS:
            raise SystemExit("not all moves were made")


def club_with_letters(here: Installation, boards: int = LETTER_BOARDS) -> Club:
    """Return a club with so many boards, of whose first move both letters wait.

    Each board has one move alone: a letter that a later one overtakes is not sent.
    """
    create(here.database)
    club = Club(here, boards, size=RINGS)
    with served(here) as (port, _):
        bring(port, [[club.move(board, 0) for board in range(boards)]])
    return club


def letters(kind: str, club: Club, backends: Pids) -> None:
    """Print what it takes to send the letters of a first move on each board."""
    here, count = club.here, 2 * club.boards
    with mail_server() as server:
        way = {**here.environ, "PBMSERV_MAIL_TRANSPORT": f"smtp://127.0.0.1:{server.port}"}
        words, quiet = [str(here.program), "mail", "send"], subprocess.DEVNULL

        with subprocess.Popen(words, env=way, stdout=quiet) as process:

            def until(number: int) -> None:
                while len(server.mails) < number and process.poll() is None:
                    time.sleep(0.01)

            until(ASIDE)
            with row(kind, "letters", count - 2 * ASIDE, lambda: [process.pid], backends):
                until(count - ASIDE)
        if process.returncode:
            raise SystemExit("not all letters were sent")


@contextmanager
def row(kind: str, name: str, count: int, ours: Pids, backends: Pids) -> Iterator[None]:
    """Print what the block has taken for each of so many mails."""

    def used() -> tuple[float, float, float]:
        own = resource.getrusage(resource.RUSAGE_SELF)
        return cpu_of(ours()), cpu_of(backends()), own.ru_utime + own.ru_stime

    before, start = used(), time.perf_counter()
    yield
    taken = time.perf_counter() - start
    costs = [1000 * (end - begin) / count for begin, end in zip(before, used(), strict=True)]
    ROWS[kind, name] = (count / taken, *costs)
    figures = f"{costs[0]:>10.2f}{costs[1]:>12.2f}{costs[2]:>10.2f}"
    print(f"{kind:12}{name:>12}{count / taken:>10.0f}{figures}", flush=True)


def writer(url: str, board: str, moves: str, file: str) -> None:
    """Make moves on a board when told to, write down what that asked of the database; a program."""
    from sqlalchemy import event

    from pbmserv.desk.door import Desk
    from pbmserv.desk.request import Request
    from pbmserv.engine.games.star import Star
    from pbmserv.store.store import Store
    from tests.local_server import CheapPasswords

    desk = Desk(lambda: Store.open(url), passwords=CheapPasswords())
    asked: list[tuple[str, Any]] = []
    cells = Star(10).board.names

    def play(ply: int) -> None:
        word = f"{'xo'[ply % 2]}{int(board) - 100}"
        desk.handle(Request(("star", "move", board, word, "secret-word", cells[ply])))

    for ply in range(WARM):
        play(ply)
    engine = desk.store.engine

    @event.listens_for(engine, "before_cursor_execute")
    def _note(*told: Any) -> None:
        asked.append((told[2], told[3]))

    @event.listens_for(engine, "commit")
    def _commit(_: object) -> None:
        asked.append(("COMMIT", None))

    @event.listens_for(engine, "rollback")
    def _rollback(_: object) -> None:
        asked.append(("ROLLBACK", None))

    def play_on() -> None:
        for ply in range(WARM, WARM + int(moves)):
            play(ply)

    taken = timed(play_on)
    desk.close()
    Path(file).write_bytes(pickle.dumps(asked))
    print(*taken)


def repeater(url: str, file: str) -> None:
    """Ask the database when told to what was written down, by the driver alone; a program."""
    import psycopg

    asked = pickle.loads(Path(file).read_bytes())  # noqa: S301 - written by this bench
    with psycopg.connect(url.replace("+psycopg", "", 1)) as connection:
        connection.execute("SET jit = off")
        connection.commit()
        cursor = connection.cursor()

        def repeat() -> None:
            for statement, values in asked:
                if values is None:
                    connection.commit() if statement == "COMMIT" else connection.rollback()
                elif isinstance(values, list):
                    cursor.executemany(statement, values)
                else:
                    cursor.execute(statement, values)
                    if cursor.description:
                        cursor.fetchall()

        taken = timed(repeat)
    print(*taken)


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Wait for a line, work, and return the seconds and those of the processor."""
    print("ready", flush=True)
    sys.stdin.readline()
    start, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - start, time.process_time() - cpu


def race(programs: Sequence[Sequence[str]]) -> tuple[float, float]:
    """Run the programs at once; return the seconds of the slowest and the CPU of all."""
    pipe = subprocess.PIPE
    words = [sys.executable, "-m", "tests.bench.side_by_side"]
    started = [
        subprocess.Popen([*words, *each], stdin=pipe, stdout=pipe, text=True) for each in programs
    ]
    for each in started:
        if each.stdout is None or not each.stdout.readline():
            raise SystemExit("a writer did not start")
    start = time.perf_counter()
    for each in started:
        assert each.stdin is not None
        each.stdin.write("go\n")
        each.stdin.flush()
    said = [each.communicate()[0].split() for each in started]
    return time.perf_counter() - start, sum(float(cpu) for _, cpu in said)


def writers(server: PostgresqlServer, moves: int) -> None:
    """Print how fast so many writers are, beside the driver alone."""
    print(f"\n{'writers':>8}{'moves/s':>10}{'driver/s':>10}{'of it':>8}{'CPU ms':>8}{'driver':>8}")
    for count in WRITERS:
        with tempfile.TemporaryDirectory() as name, server.schema() as ours, server.schema() as raw:
            for url in (ours, raw):
                create(url)
                Club(Installation(Path(name), url=url), count, size=10)
            files = [str(Path(name) / str(n)) for n in range(count)]
            mine = [["writer", ours, str(101 + n), str(moves), files[n]] for n in range(count)]
            taken, cpu = race(mine)
            # The moves before those that are timed were made in one of the databases alone.
            bare, bare_cpu = race([["repeater", raw, file] for file in files])
        total = count * moves
        print(
            f"{count:>8}{total / taken:>10.0f}{total / bare:>10.0f}{bare / taken:>8.2f}"
            f"{1000 * cpu / total:>8.2f}{1000 * bare_cpu / total:>8.2f}",
            flush=True,
        )


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("part", nargs="?", choices=("lmtp", "writers"))
    parser.add_argument("--mails", type=int, default=MAILS)
    parser.add_argument("--moves", type=int, default=MOVES)
    chosen = parser.parse_args()
    with reach_postgresql() as server:
        if isinstance(server, str):
            print(f"without PostgreSQL: {server}")
        if chosen.part != "writers":
            lmtp_of_both(server, chosen.mails)
        if chosen.part != "lmtp" and isinstance(server, PostgresqlServer):
            writers(server, chosen.moves)


def lmtp_of_both(server: PostgresqlServer | str, mails: int) -> None:
    print(
        f"{'':12}{'connections':>12}{'mails/s':>10}{'our ms':>10}{'database ms':>12}{'client':>10}"
    )
    lmtp("sqlite", "", lambda: (), mails)
    with tempfile.TemporaryDirectory() as name:
        letters("sqlite", club_with_letters(Installation(Path(name))), lambda: ())
    if isinstance(server, PostgresqlServer):
        with (
            server.schema() as url,
            server.schema() as other,
            tempfile.TemporaryDirectory() as name,
        ):
            lmtp("postgresql", f"{url}&application_name={BENCH}", lambda: backends(server), mails)
            here = Installation(Path(name), url=f"{other}&application_name={BENCH}")
            letters("postgresql", club_with_letters(here), lambda: backends(server))


def backends(server: PostgresqlServer) -> list[int]:
    """Return the server's processes that work for the bench; this machine must run them."""
    found = server.connection.execute(
        "SELECT pid FROM pg_stat_activity WHERE application_name = %s", (BENCH,)
    )
    return [int(pid) for (pid,) in found]


PROGRAMS: dict[str, Callable[..., None]] = {"writer": writer, "repeater": repeater}

if __name__ == "__main__":
    if sys.argv[1:] and sys.argv[1] in PROGRAMS:
        PROGRAMS[sys.argv[1]](*sys.argv[2:])
    else:
        main()
