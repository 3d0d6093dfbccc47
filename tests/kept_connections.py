"""Connections to a PostgreSQL server: kept for the run, as each test has its own engine."""

import os
from collections import defaultdict
from typing import Any

import psycopg
import sqlalchemy as sa

MOST = 4
"""So many connections to one database lie ready at most."""

SCHEMA = "pbmserv_test_"
"""How the schemas begin whose connections are kept; a server of a test's own may be stopped."""


class _Kept(psycopg.Connection[Any]):
    """A connection that lies ready for the next one when it is done with."""

    key: tuple[int, str]

    def close(self) -> None:
        ready = _ready[self.key]
        if len(ready) < MOST and self.is_as_new():
            ready.append(self)
        else:
            super().close()

    def is_as_new(self) -> bool:
        """Forget all of its session; tell whether it is still of use."""
        try:
            self.rollback()
            self.autocommit = True
            self.execute("RESET ALL; DISCARD TEMP")
            self.autocommit = False
        except psycopg.OperationalError:
            return False
        self._notice_handlers.clear()
        return True

    def end(self) -> None:
        super().close()


_ready: dict[tuple[int, str], list[_Kept]] = defaultdict(list)


def share() -> None:
    """Have the engines of this process take connections that others are done with."""
    sa.event.listen(sa.Engine, "do_connect", _connect)


def _connect(dialect: sa.Dialect, record: object, words: list[Any], named: dict[str, Any]) -> Any:
    del record
    if dialect.name != "postgresql" or SCHEMA not in named.get("options", ""):
        return None
    settings = {name: value for name, value in named.items() if name != "context"}
    key = os.getpid(), repr((words, settings))
    if _ready[key]:
        return _ready[key].pop()
    connection = _Kept.connect(*words, **named)
    connection.key = key
    return connection


def end(word: str = "") -> None:
    """End the connections that lie ready, those whose settings have the word in them."""
    for key, ready in _ready.items():
        while word in key[1] and key[0] == os.getpid() and ready:
            ready.pop().end()
