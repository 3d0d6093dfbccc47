"""How long figures take at a million moves, and at a tenth of them.

Run it as `python -m tests.bench.statistics [MATCHES]` (50,000 of 20 moves each unless told
otherwise). Every figure is the median of some runs in one held process; the last column is the
growth from a tenth of the matches to all of them.
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
from tests.bench.store import MOVES, fill
from tests.store.sample_rows import new_match, played, save

MATCHES = 50_000
RUNS = 5

MIXED = """
UPDATE move SET text = (
    SELECT substr('FGHIJ', 1 + match_id % 5, 1) || (1 + match_id % 4)
) WHERE ply = 1;
UPDATE match SET x_id = second_id, o_id = first_id,
    winner_id = iif(winner IS NULL, NULL, second_id) WHERE id % 3 = 0 AND to_move IS NULL;
UPDATE match SET spec = 'star(size=7)' WHERE id % 4 = 0;
"""
"""Other first moves, a swap in every third match, another board in every fourth."""

QUERIES: dict[str, Callable[[Records], object]] = {
    "of the club": lambda records: records.figures.of_club(),
    "of a player": lambda records: records.figures.of_player(7),
    "boards": lambda records: records.figures.boards(),
}


def main() -> None:
    """Print the figures."""
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else MATCHES
    with tempfile.TemporaryDirectory() as folder:
        part = measured(Path(folder) / "part.sqlite", matches // 10)
        whole = measured(Path(folder) / "whole.sqlite", matches)
    print(f"{matches} matches, {matches * MOVES} moves\n")
    print(f"{'ms':16}{'a tenth':>10}{'all':>10}{'growth':>8}")
    for name, seconds in part.items():
        print(
            f"{name:16}{seconds * 1000:10.1f}{whole[name] * 1000:10.1f}{whole[name] / seconds:8.1f}"
        )


def measured(file: Path, matches: int) -> dict[str, float]:
    """Fill a database and return the seconds that each query takes on it."""
    store = Store.open(str(file))
    match = new_match(store, "star(size=6)")
    save(store, match, played(match, *match.game.board.names[:MOVES]))
    store.close()
    fill(file, matches)
    connection = connect_sqlite(file)
    connection.executescript(MIXED)
    connection.close()
    store = Store.open(str(file))
    medians = {}
    for name, query in QUERIES.items():
        taken = []
        for _ in range(RUNS):
            with store.reading() as records:
                started = time.perf_counter()
                query(records)
                taken.append(time.perf_counter() - started)
        medians[name] = statistics.median(taken)
    store.close()
    return medians


if __name__ == "__main__":
    main()
