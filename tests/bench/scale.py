"""What the page `scale` says of a move by mail: its cost, its letters, what PostgreSQL stores.

Run it as `python -m tests.bench.scale [--plies=20]`, on a machine that does nothing else. Moves of
Star with six rings come by LMTP, and their letters leave to a mail server here, on a PostgreSQL
server of the bench's own; board views are asked of `serve`. Figures are as measured;
`python -m tests.bench.figures scale` holds them against the page, by what a bare Python takes.
"""

import argparse
import os
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from tests.bench import resident
from tests.bench.club_database import build
from tests.bench.side_by_side import (
    BENCH,
    BOARDS,
    RINGS,
    ROWS,
    backends,
    bring,
    club_with_letters,
    family,
    letters,
    row,
    served,
)
from tests.daemon import resident_process
from tests.daemon.mail_receive_process import Installation
from tests.databases import PostgresqlServer, create
from tests.mail.killed_mail_runner import Club
from tests.own_postgresql import own_server

PLIES = 20
WARM = 2
"""Moves on each board before those that are counted."""

MATCHES = 10_000
GAME = ("match", "clock", "rating_change")
"""The tables that have a row or two for each game."""

CLIENTS = (1, 4, 16)
VIEWS = 640


def measured(plies: int = PLIES, matches: int = MATCHES) -> dict[str, float]:
    """Return each figure by its name, which ends in its unit."""
    import psycopg

    with own_server() as server, tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)

        def database() -> tuple[str, PostgresqlServer]:
            url = f"{server.url.rpartition('/')[0]}/{server.new_database()}"
            plain = f"{url.replace('+psycopg', '')}?application_name=asks"
            connection = psycopg.connect(plain, autocommit=True)
            return url, PostgresqlServer(stack.enter_context(connection))

        url, moved = database()
        here = Installation(folder / "moved", url=f"{url}?application_name={BENCH}")
        found = moves_in(moved, here, plies)
        url, sent = database()
        here = Installation(folder / "sent", url=f"{url}?application_name={BENCH}")
        club = club_with_letters(here)
        before = written(sent)
        letters("postgresql", club, lambda: backends(sent))
        log, commits = (number / club.boards for number in since(sent, before))
        rate, found["letter ms"], found["letter database ms"], _ = ROWS["postgresql", "letters"]
        found["letters/s"] = rate
        found["log kB"] += log
        found["commits"] += commits
        found["outbox bytes"] = bytes_of_row(sent, "outbox")
        url, many = database()
        build(url, matches)
        found["game bytes"] = sum(bytes_of(many, table) for table in GAME) / matches
        for table in ("move", "audit", "inbox"):
            found[f"{table} bytes"] = bytes_of_row(many, table)
        return found | views(Installation(folder / "viewed"))


def moves_in(server: PostgresqlServer, here: Installation, plies: int) -> dict[str, float]:
    """Return what moves by mail take until they are stored."""
    create(here.database)
    club = Club(here, BOARDS, size=RINGS)

    def moves(first: int, last: int) -> list[bytes]:
        return [club.move(board, ply) for ply in range(first, last) for board in range(BOARDS)]

    count = BOARDS * plies
    with served(here) as (port, pid):
        bring(port, [moves(0, WARM)])
        before = written(server)
        with row("postgresql", "1", count, lambda: family(pid), lambda: backends(server)):
            bring(port, [moves(WARM, WARM + plies)])
        log, commits = since(server, before)
    rate, ours, base, _ = ROWS["postgresql", "1"]
    found = {"mail ms": ours, "mail database ms": base, "mails/s": rate}
    return found | {"log kB": log / count, "commits": commits / count}


def ask(server: PostgresqlServer, query: str) -> float:
    [(value,)] = server.connection.execute(query)
    return float(value)


def written(server: PostgresqlServer) -> tuple[float, float]:
    """Return how many kilobytes of its log the server has written, and the commits in a club."""
    time.sleep(2)  # until its processes have told what they did
    commits = "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()"
    return ask(server, "SELECT (pg_current_wal_lsn() - '0/0') / 1000"), ask(server, commits)


def since(server: PostgresqlServer, before: tuple[float, float]) -> tuple[float, float]:
    """Return what has been written since."""
    log, commits = written(server)
    return log - before[0], commits - before[1]


def bytes_of_row(server: PostgresqlServer, table: str) -> float:
    """Return what a row takes, with its part of the indices."""
    return bytes_of(server, table) / ask(server, f"SELECT count(*) FROM {table}")  # noqa: S608


def bytes_of(server: PostgresqlServer, table: str) -> int:
    """Return how large a table is with its indices."""
    [(size,)] = server.connection.execute("SELECT pg_total_relation_size(%s)", (table,))
    return int(size)


def views(here: Installation) -> dict[str, float]:
    """Return how many board views a second `serve` answers."""
    build(here.database, 0)
    with resident_process.served(here.database) as (environ, _):
        for variable in [name for name in os.environ if name.startswith("PYTHON")]:
            del os.environ[variable]  # the server has none of these, and takes no client that has
        os.environ.update({**here.environ, "XDG_RUNTIME_DIR": environ["XDG_RUNTIME_DIR"]})
        resident.rate(resident.ask_often, max(CLIENTS), VIEWS)  # each worker has done its first
        return {
            f"{clients} views/s": resident.rate(resident.ask_often, clients, VIEWS)
            for clients in CLIENTS
        }


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--plies", type=int, default=PLIES)
    parser.add_argument("--matches", type=int, default=MATCHES)
    chosen = parser.parse_args()
    for name, figure in measured(chosen.plies, chosen.matches).items():
        print(f"{name:24}{figure:10.2f}")


if __name__ == "__main__":
    main()
