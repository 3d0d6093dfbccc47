"""How long a club's lists and clocks take, and how that grows with what is stored.

Run it as ``python -m tests.bench.club_lists`` (``--full``: 100,000 running matches of which 1 % are
due, and standings of 10,000 players). The same is measured on a database of a tenth with as many
matches due: what a tick costs follows these and not what is stored.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

if not __package__:
    sys.path.insert(0, str(Path(__file__).parents[2]))

from pbmserv.desk.door import Desk, TimeAndChance
from pbmserv.desk.request import Request
from pbmserv.desk.tick import tick
from pbmserv.store.connection import connect_sqlite
from pbmserv.store.store import Store
from tests.bench.store import FILL_PLAYERS

NOW = 1_800_000_000
DAY = 86_400

FILL_MATCHES = """
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :matches)
INSERT INTO match (
    id, game, number, spec, rules_version, first_id, second_id, x_id, o_id, status, to_move,
    next_id, ply, revision, is_rated, is_imported, started_at, changed_at)
SELECT i, 'star', 100 + i, 'star(size=6)', 1, a, b, a, b, 'running', 'X', a, 0, 0, 1, 0, :now, :now
FROM (SELECT i, 3 + i % (:players - 2) AS a, 3 + (i * 7 + 1) % (:players - 2) AS b FROM n)
"""
FILL_CLOCKS = """
INSERT INTO clock (match_id, limits, clock, due_at)
SELECT id, '7/21',
    '{"on":' || first_id || ',"other":' || second_id || ',"began":' || began ||
    ',"used":{},"rung":0,"warned":null,"total":{},"vacation":false}', began + 7 * 86400
FROM (SELECT id, first_id, second_id,
    iif(id % (:matches / :due) = 0, :now - 8 * 86400, :now) AS began FROM match)
"""
FILL_RATINGS = """
INSERT INTO rating (player_id, game, value, deviation, volatility, rated_at, won, lost, drawn)
SELECT id, 'star', 1500 + (id * 7919 % 1000) - 500, 60, 0.06, :now, 5, 4, 1 FROM player
"""


def main() -> None:
    """Print the figures."""
    is_full = "--full" in sys.argv[1:]
    matches, players = (100_000, 10_000) if is_full else (10_000, 1000)
    due = matches // 100
    with tempfile.TemporaryDirectory() as folder:
        few = measured(Path(folder) / "few.sqlite", matches // 10, players // 10, due)
        many = measured(Path(folder) / "many.sqlite", matches, players, due)
    print(f"{'seconds':32}{matches // 10:>10}{matches:>10}{'ratio':>8}   ({due} due in both)")
    for name, seconds in few.items():
        print(f"{name:32}{seconds:10.3f}{many[name]:10.3f}{many[name] / seconds:8.2f}")


def measured(file: Path, matches: int, players: int, due: int) -> dict[str, float]:
    """Fill a database and return how long each thing takes in it, in seconds."""
    Store.open(str(file)).close()
    connection = connect_sqlite(file)
    connection.execute("BEGIN")
    values = {"matches": matches, "players": players, "due": due, "now": NOW}
    for statement in (FILL_PLAYERS, FILL_MATCHES, FILL_CLOCKS, FILL_RATINGS):
        connection.execute(statement, {k: v for k, v in values.items() if f":{k}" in statement})
    connection.execute("COMMIT")
    connection.close()
    desk = Desk(lambda: Store.open(str(file)), TimeAndChance(now=lambda: NOW))
    found = {}
    start = time.perf_counter()
    report = tick(desk)
    found["tick"] = time.perf_counter() - start
    if report.due != due:
        raise RuntimeError(f"{report.due} matches were due")
    found["tick with nothing due"] = timed(lambda: tick(desk))
    standings = ("star", "standings")
    found["standings, 200 players"] = timed(lambda: desk.handle(Request(standings)))
    everybody = (*standings, f"-limit={players}")
    found["standings, all players"] = timed(lambda: desk.handle(Request(everybody)))
    desk.close()
    return found


def timed(action: Callable[[], object]) -> float:
    """Return the seconds that the second call of an action takes."""
    action()
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
