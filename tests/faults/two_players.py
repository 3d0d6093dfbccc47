"""The scene of every fault: two players, boards between them, and what became of these."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pbmserv.desk.door import Desk
from pbmserv.desk.request import Request
from pbmserv.operators.admin_check import wrong_of
from pbmserv.store.store import Store

PROGRAM = Path(sys.executable).with_name("pbmserv")
PASSWORD = "canary-horse"


def set_up(url: str, boards: int = 1) -> None:
    """Sign alice and bob up and challenge for these large boards, numbered from 101."""
    desk = Desk(lambda: Store.open(url))
    for userid in ("alice", "bob"):
        desk.handle(Request(("signup", userid, PASSWORD)))
    for _ in range(boards):
        desk.handle(Request(("star", "challenge", "alice", "bob", "-size=14")))
    desk.close()


def program(url: str, *words: str) -> list[str]:
    """Return the words that run ``pbmserv`` on this database in a process of its own."""
    return [str(PROGRAM), "--json", f"--database={url}", *words]


def moves_of(url: str, board: int = 101) -> list[str]:
    """Return the moves of a board, replayed and compared with what is stored beside them."""
    with opened(url) as store, store.reading() as records:
        match = records.matches.find("star", board)
    assert match is not None
    return [turn.text for turn in match.turns]


def problems(url: str) -> list[str]:
    """Return what ``admin check`` finds wrong."""
    with opened(url) as store:
        return wrong_of(store, url)[1]


def audited(store: Store, verb: str) -> int:
    """Return how often the audit says that ``verb`` was done."""
    with store.reading() as records:
        entries = records.lists.audit().rows
    return sum((entry.verb, entry.outcome) == (verb, "done") for entry in entries)


@contextmanager
def opened(url: str) -> Iterator[Store]:
    """Open a store for the time of a block."""
    store = Store.open(url)
    try:
        yield store
    finally:
        store.close()


def held(url: str) -> list[int]:
    """Return how many moves board 101 has by its row, by its turns, and by the audit."""
    with opened(url) as store:
        with store.reading() as records:
            match = records.matches.find("star", 101)
            row = records.matches.summaries("star", limit=1)[0]
        assert match is not None
        return [row.ply, match.position.ply, audited(store, "move")]
