"""What a move costs in a process that lives on: a batch of moves against bare writes of its rows.

Run it as `python -m tests.bench.batch [MOVES] [--profile]` (1,000 unless told otherwise). The same
rows are written by the driver alone, in as many transactions of the same kind. Both are CPU time,
the median of three runs; the last column is their ratio.
"""

import cProfile
import io
import os
import pstats
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, redirect_stdout
from pathlib import Path
from typing import Any

if not __package__:
    sys.path.insert(0, str(Path(__file__).parents[2]))

from sqlalchemy import event

from pbmserv.cli.main import run
from pbmserv.engine.spec import parse_game
from pbmserv.store.connection import connect_sqlite
from pbmserv.store.store import Store
from tests.databases import PostgresqlServer, reach_postgresql

MOVES = 1000
RUNS = 3
MOVES_OF_A_BOARD = 50
PASSWORD = "correct-horse"
PLAYERS = ("alice", "bob")
PROFILE = "--profile"
READ = "SELECT revision, ply, next_id FROM match WHERE id = :id"
WRITES = (
    (
        "UPDATE match SET ply = :ply, revision = :ply, to_move = :side, next_id = :mover, "
        "changed_at = :at WHERE id = :id"
    ),
    (
        "INSERT INTO move (match_id, ply, text, digest, player_id, played_at) "
        "VALUES (:id, :ply, :text, '0123456789ab', :mover, :at)"
    ),
    "UPDATE clock SET clock = :text, due_at = :at WHERE match_id = :id",
    (
        "INSERT INTO audit (at, source, player_id, match_id, verb, detail, outcome) "
        "VALUES (:at, 'shell', :mover, :id, 'move', :text, 'done')"
    ),
)


def main() -> None:
    """Print the figures of both databases."""
    moves = next((int(word) for word in sys.argv[1:] if word.isdigit()), MOVES)
    print(f"{'CPU ms a move':16}{'batch':>10}{'driver':>10}{'ratio':>8}{'statements':>12}")
    with reach_postgresql() as server, tempfile.TemporaryDirectory() as name:
        report("sqlite", moves, lambda stack: str(Path(stack.enter_context(folder(name))) / "p"))
        if isinstance(server, PostgresqlServer):
            report("postgresql", moves, lambda stack: stack.enter_context(server.schema()))


def folder(name: str) -> tempfile.TemporaryDirectory[str]:
    """Return a new folder in the one of this name."""
    return tempfile.TemporaryDirectory(dir=name)


def report(name: str, moves: int, make: Callable[[ExitStack], str]) -> None:
    """Measure both ways on new databases and print their medians."""
    batched, bare, statements = [], [], 0.0
    for _ in range(RUNS):
        with ExitStack() as stack:
            url = make(stack)
            turns = prepare(url, moves)
            seconds, statements = played(url, turns)
            batched.append(seconds)
            bare.append(written(url, turns))
    ours, driver = (1000 * statistics.median(each) / moves for each in (batched, bare))
    print(f"{name:16}{ours:10.2f}{driver:10.2f}{ours / driver:8.1f}{statements:12.1f}")


def prepare(url: str, moves: int) -> list[tuple[int, int, str]]:
    """Make a database with boards enough; return board, number of the turn and move."""
    os.environ["PBMSERV_DATABASE_URL"] = url
    cells = parse_game("star(size=6)").board.names[:MOVES_OF_A_BOARD]
    boards = -(-moves // MOVES_OF_A_BOARD)
    lines = [f"signup {userid} {PASSWORD} {userid}@example.net" for userid in PLAYERS]
    lines += ["star challenge alice bob -size=6"] * boards
    Store.open(url).close()
    batch(url, lines)
    turns = [(101 + board, ply, cell) for ply, cell in enumerate(cells) for board in range(boards)]
    return turns[:moves]


def batch(url: str, lines: Sequence[str]) -> float:
    """Do the lines and return the CPU seconds that took."""
    file = Path(f"{tempfile.gettempdir()}/pbmserv-batch-{os.getpid()}")
    file.write_text("\n".join(lines))
    said = io.StringIO()
    start = time.process_time()
    with redirect_stdout(said):
        code = run([f"--database={url}", "batch", str(file)])
    taken = time.process_time() - start
    file.unlink()
    if code:
        raise SystemExit("a line was refused")
    return taken


def played(url: str, turns: Sequence[tuple[int, int, str]]) -> tuple[float, float]:
    """Play the turns in one batch; return the CPU seconds, and the statements of a turn."""
    from sqlalchemy import Engine

    statements = 0

    def count(*_: object) -> None:
        nonlocal statements
        statements += 1

    lines = [
        f"star move {board} {PLAYERS[ply % 2]} {PASSWORD} {cell}" for board, ply, cell in turns
    ]
    head = batch(url, [])  # what the run itself costs
    profile = cProfile.Profile()
    event.listen(Engine, "before_cursor_execute", count)
    if PROFILE in sys.argv:
        profile.enable()
    seconds = batch(url, lines) - head
    if PROFILE in sys.argv:
        profile.disable()
        pstats.Stats(profile).sort_stats("tottime").print_stats(60)
    event.remove(Engine, "before_cursor_execute", count)
    return seconds, statements / len(turns)


def written(url: str, turns: Sequence[tuple[int, int, str]]) -> float:
    """Write the rows of the turns once more by the driver alone; return the CPU seconds."""
    is_sqlite = "://" not in url
    connection: Any
    if is_sqlite:
        connection = connect_sqlite(Path(url))
        read, writes = READ, list(WRITES)
    else:
        import psycopg

        connection = psycopg.connect(url.replace("+psycopg", "", 1), autocommit=True)
        read, *writes = (_of_psycopg(each) for each in (f"{READ} FOR UPDATE", *WRITES))
    connection.execute("DELETE FROM move")
    start = time.process_time()
    for board, ply, cell in turns:
        mover = ply % 2 + 1
        values = {"id": board - 100, "ply": ply + 1, "text": cell, "mover": mover, "at": 1}
        values["side"] = "XO"[ply % 2]
        connection.execute("BEGIN IMMEDIATE" if is_sqlite else "BEGIN")
        connection.execute(read, values).fetchone()
        for write in writes:
            connection.execute(write, values)
        connection.execute("COMMIT")
    taken = time.process_time() - start
    connection.close()
    return taken


def _of_psycopg(statement: str) -> str:
    import re

    return re.sub(r":([a-z]+)", r"%(\1)s", statement)


if __name__ == "__main__":
    main()
