"""Which connections to SQLite files this process has open."""

import sqlite3
from typing import Any

_connections: list[sqlite3.Connection] = []


def watch() -> None:
    """Remember every connection from now on."""
    connect = sqlite3.connect

    def remembered(*words: Any, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*words, **options)
        _connections.append(connection)
        return connection

    sqlite3.connect = remembered  # type: ignore[assignment]  # for the overloads


def opened() -> list[sqlite3.Connection]:
    """Return those that are open, the oldest first, and forget the others."""
    _connections[:] = filter(_is_open, _connections)
    return [*_connections]


def _is_open(connection: sqlite3.Connection) -> bool:
    try:
        connection.total_changes  # noqa: B018 - one that is closed cannot say it
    except sqlite3.ProgrammingError:
        return False
    return True
