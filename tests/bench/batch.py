"""What a move costs in a process that lives on: a batch of moves against bare writes of its rows.

Run it as `python -m tests.bench.batch [MOVES] [--profile]` (1,000 unless told otherwise). What the
batch asks of the database is noted, and done once more by the driver alone on another database
made in the same way, in as many transactions of the same kind: first the writes alone, with what
locks the match on PostgreSQL, then all of it. All are CPU time of this process, medians of three
runs; each ratio is that of the batch to the figure before it.
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
Statement = tuple[str, Any]
"""What a driver is given: the text and its values."""

Transaction = list[Statement]
Turn = tuple[int, int, str]
"""A board, the number of the turn there, and the move."""


def main() -> None:
    """Print the figures of both databases."""
    moves = next((int(word) for word in sys.argv[1:] if word.isdigit()), MOVES)
    columns = ("batch", "writes", "ratio", "all", "ratio", "statements")
    print(f"{'CPU ms a move':16}{''.join(f'{column:>11}' for column in columns)}")
    with reach_postgresql() as server, tempfile.TemporaryDirectory() as name:
        report("sqlite", moves, lambda stack: str(Path(stack.enter_context(folder(name))) / "p"))
        if isinstance(server, PostgresqlServer):
            report("postgresql", moves, lambda stack: stack.enter_context(server.schema()))


def folder(name: str) -> tempfile.TemporaryDirectory[str]:
    """Return a new folder in the one of this name."""
    return tempfile.TemporaryDirectory(dir=name)


def report(name: str, moves: int, make: Callable[[ExitStack], str]) -> None:
    """Measure each way on new databases and print the medians."""
    runs = [measured(moves, make) for _ in range(RUNS)]
    figures = (statistics.median(each) for each in zip(*runs, strict=True))
    ours, writes, everything, statements = figures
    ratios = f"{writes:11.2f}{ours / writes:11.1f}{everything:11.2f}{ours / everything:11.1f}"
    print(f"{name:16}{ours:11.2f}{ratios}{statements:11.1f}")


def measured(moves: int, make: Callable[[ExitStack], str]) -> tuple[float, ...]:
    """Return CPU ms a move of the batch, its writes and all its statements; and their number."""
    with ExitStack() as stack:
        ours, noted, *others = (make(stack) for _ in range(4))
        turns, *_ = (prepare(url, moves) for url in (ours, noted, *others))
        lines = [f"star move {at} {PLAYERS[ply % 2]} {PASSWORD} {cell}" for at, ply, cell in turns]
        transactions = offer_recipient_of(noted, lines)
        writes = [[each for each in asked if is_write(each)] for asked in transactions]
        seconds = played(ours, lines)
        bare = [repeated(*each) for each in zip(others, (writes, transactions), strict=True)]
    figures = [1000 * each / moves for each in (seconds, *bare)]
    return *figures, sum(map(len, transactions)) / moves


def prepare(url: str, moves: int) -> list[Turn]:
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


def offer_recipient_of(url: str, lines: Sequence[str]) -> list[Transaction]:
    """Do the lines and return what was asked of the database."""
    from sqlalchemy import Engine

    transactions: list[Transaction] = [[]]

    def note(*told: Any) -> None:
        if not told[2].startswith("PRAGMA"):
            transactions[-1].append((told[2], told[3]))

    def end(_: object) -> None:
        if transactions[-1]:
            transactions.append([])

    listening = [("before_cursor_execute", note), ("commit", end), ("rollback", end)]
    for name, heard in listening:
        event.listen(Engine, name, heard)
    batch(url, lines)
    for name, heard in listening:
        event.remove(Engine, name, heard)
    return transactions


def played(url: str, lines: Sequence[str]) -> float:
    """Do the lines in one batch and return the CPU seconds, without those of an empty batch."""
    head = batch(url, [])
    if PROFILE not in sys.argv:
        return batch(url, lines) - head
    profile = cProfile.Profile()
    profile.enable()
    seconds = batch(url, lines) - head
    profile.disable()
    pstats.Stats(profile).sort_stats("tottime").print_stats(60)
    return seconds


def is_write(statement: Statement) -> bool:
    """Tell whether a statement changes or locks rows."""
    text = statement[0]
    return text.startswith(("INSERT", "UPDATE", "DELETE")) or "FOR UPDATE" in text


def repeated(url: str, transactions: Sequence[Transaction]) -> float:
    """Have the driver alone ask the same of another database; return the CPU seconds."""
    connection: Any
    if "://" not in url:
        connection, begin = connect_sqlite(Path(url)), "BEGIN IMMEDIATE"
    else:
        import psycopg

        connection = psycopg.connect(url.replace("+psycopg", "", 1), autocommit=True)
        begin = "BEGIN"
    start = time.process_time()
    for asked in filter(None, transactions):
        if not asked[0][0].startswith("BEGIN"):
            connection.execute(begin)
        for text, values in asked:
            connection.execute(text, values).close()
        connection.execute("COMMIT")
    taken = time.process_time() - start
    connection.close()
    return taken


if __name__ == "__main__":
    main()
