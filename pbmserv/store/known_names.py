"""Names for tab completion, looked up without SQLAlchemy.

Nothing is created, upgraded or waited for, and after any error there are no names.
"""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from pbmserv.store.files.location import POSTGRESQL, Location, parse_location

MAX_NAMES = 200
"""Names offered at most, the latest first."""

PATIENCE = 0.3
"""Seconds that a database may take to answer."""

BOARDS = (
    "SELECT number FROM match WHERE game = ? AND CAST(number AS TEXT) LIKE ? || '%'"
    " AND status <> 'removed' ORDER BY to_move IS NULL, changed_at DESC, number"
)
USERIDS = (
    "SELECT userid FROM player WHERE status = 'active' AND userid_key LIKE lower(?) || '%'"
    " ORDER BY id"
)
TOURNAMENTS = "SELECT id FROM tournament WHERE CAST(id AS TEXT) LIKE ? || '%' ORDER BY id DESC"


def known_names(database: str, query: str, *values: str) -> list[str]:
    """Return what one of these queries finds; ``values`` are how a name begins, or game and that.

    A prefix may hold marks of LIKE: what is found begins with something like it.
    """
    try:
        location = parse_location(database)
        query = f"{query} LIMIT {MAX_NAMES}"
        if location.path is not None:
            rows = _sqlite(location.path, query, values)
        else:
            rows = _postgresql(location, query, values)
    except Exception:  # noqa: BLE001 - a key was pressed: an error would land in somebody's line
        return []
    return [str(row[0]) for row in rows]


def _sqlite(path: Path, query: str, values: Sequence[str]) -> list[Any]:
    uri = f"{path.as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True, timeout=PATIENCE)) as connection:
        return connection.execute(query, values).fetchall()


def _postgresql(location: Location, query: str, values: Sequence[str]) -> list[Any]:
    import psycopg

    url = location.url.replace(POSTGRESQL[0], POSTGRESQL[1], 1)
    with psycopg.connect(url, connect_timeout=2) as connection:
        connection.read_only = True
        connection.execute(f"SET statement_timeout = {int(PATIENCE * 1000)}")
        return connection.execute(query.replace("%", "%%").replace("?", "%s"), values).fetchall()
