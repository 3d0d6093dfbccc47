"""How long the store takes, on an empty database and on one with many matches.

Run it as `python -m tests.bench.store [MATCHES]` (100,000 unless told otherwise). Every figure is
the median of many runs in one held process; the last column is the ratio of the two databases.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

if not __package__:
    sys.path.insert(0, str(Path(__file__).parents[2]))

from pbmserv.store.connection import connect_sqlite
from pbmserv.store.store import Records, Store
from tests.store.sample_rows import new_match, played, save

MATCHES = 100_000
PLAYERS = 1000
MOVES = 20
RUNS = 200

FILL_PLAYERS = """
WITH RECURSIVE n(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < :players)
INSERT INTO player (id, userid, userid_key, status, created_at)
SELECT i, 'player' || i, 'player' || i, 'active', 0 FROM n
"""
FILL_MATCHES = """
WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < :matches)
INSERT INTO match (
    id, game, number, spec, rules_version, first_id, second_id, x_id, o_id, status, to_move,
    next_id, ply, revision, is_rated, is_imported, winner, winner_id, reason, points_x, points_o,
    started_at, changed_at, finished_at)
SELECT i, 'star', 100 + i, 'star(size=6)', 1, a, b, a, b,
    iif(runs, 'running', 'won'), iif(runs, 'X', NULL), iif(runs, a, NULL), 20, 20, 1, 0,
    iif(runs, NULL, 'X'), iif(runs, NULL, a), iif(runs, NULL, 'resignation'),
    iif(runs, NULL, 9), iif(runs, NULL, 8), i, i, iif(runs, NULL, i)
FROM (SELECT i, 3 + i % (:players - 2) AS a, 3 + (i * 7 + 1) % (:players - 2) AS b,
    i % 10 = 0 AS runs FROM n)
"""
FILL_MOVES = """
WITH RECURSIVE p(ply) AS (SELECT 1 UNION ALL SELECT ply + 1 FROM p WHERE ply < :moves)
INSERT INTO move SELECT id, p.ply, 'F6', '0123456789ab', first_id, 0
FROM match CROSS JOIN p WHERE id > 1
"""

QUERIES: dict[str, Callable[[Records], object]] = {
    "find a board": lambda records: records.matches.find("star", 101),
    "find a player": lambda records: records.players.find("alice"),
    "boards to move at": lambda records: records.matches.summaries("star", [1], selector="next"),
    "boards of a player": lambda records: records.matches.summaries("star", [1], limit=20),
    "newest results": lambda records: records.matches.summaries(selector="inactive", limit=20),
}


def main() -> None:
    """Print the figures."""
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else MATCHES
    with tempfile.TemporaryDirectory() as folder:
        small, large = Path(folder) / "small.sqlite", Path(folder) / "large.sqlite"
        for file in (small, large):
            store = Store.open(str(file))
            match = new_match(store, "star(size=6)")
            save(store, match, played(match, *match.game.board.names[:MOVES]))
            store.close()
        fill(large, matches)
        print(f"{matches} matches, {large.stat().st_size / 2**20:.0f} MiB\n")
        print(f"{'ms':24}{'one match':>10}{'many':>10}{'ratio':>8}")
        few, many = measured(small), measured(large)
        for name, seconds in few.items():
            print(
                f"{name:24}{seconds * 1000:10.2f}{many[name] * 1000:10.2f}"
                f"{many[name] / seconds:8.2f}"
            )


def fill(file: Path, matches: int) -> None:
    """Add matches of twenty moves, a tenth of them running, among a thousand players."""
    connection = connect_sqlite(file)
    connection.execute("BEGIN")
    values = {"matches": matches, "players": PLAYERS, "moves": MOVES}
    for statement in (FILL_PLAYERS, FILL_MATCHES, FILL_MOVES):
        connection.execute(statement, values)
    connection.execute("COMMIT")
    connection.close()


def measured(file: Path) -> dict[str, float]:
    """Return the median seconds of every query, and of opening and saving."""
    store = Store.open(str(file))
    found: dict[str, float] = {"open": median(lambda: Store.open(str(file)).close())}
    for name, query in QUERIES.items():
        found[name] = median(lambda query=query: read(store, query))  # type: ignore[misc]
    found["play a move"] = median(lambda: play_and_undo(store)) / 2
    store.close()
    return found


def read(store: Store, query: Callable[[Records], object]) -> None:
    """Run one query in a transaction of its own."""
    with store.reading() as records:
        query(records)


def play_and_undo(store: Store) -> None:
    """Play a move and take it back, in two transactions."""
    with store.writing() as records:
        match = records.matches.find("star", 101, lock=True)
        if match is None:
            raise LookupError("the first match")
        after = played(match, "pass")
        records.matches.save(match, after)
    with store.writing() as records:
        records.matches.save(after, match)


def median(action: Callable[[], object]) -> float:
    """Return the median of the seconds that the action takes, warmed up."""
    action()
    seconds = []
    for _ in range(RUNS):
        start = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


if __name__ == "__main__":
    main()
