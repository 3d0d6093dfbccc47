"""Two transactions on PostgreSQL that meet at a statement of one's choice."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import sqlalchemy as sa

from tests import databases
from tests.local_server import LocalServer

BLOCKED = "SELECT count(*) FROM pg_stat_activity WHERE %s = ANY(pg_blocking_pids(pid))"


def once_after(local: LocalServer, part: str, act: Callable[[int], None]) -> None:
    """Do something after the local's first statement with this in it.

    It is given the number of the server's process that works for the local.
    """
    done: list[bool] = []

    @sa.event.listens_for(local.desk.store.engine, "after_cursor_execute")
    def _(connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if part in statement and not done:
            done.append(True)
            act(connection.connection.driver_connection.info.backend_pid)


def wait_until_stuck(
    server: databases.PostgresqlServer, future: "Future[Any]", holder: int
) -> None:
    """Return when the other one is done, or waits for what the holder has locked."""
    while not future.done():
        row = server.connection.execute(BLOCKED, (holder,)).fetchone()
        if row is not None and row[0]:
            return
