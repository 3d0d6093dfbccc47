"""Several processes that fight for the turns of one board, and the program that begins them.

Usage: ``python -m tests.faults.fight_for_turns URL TURNS HOW PROCESSES``. Each sends real commands
through the door; what happened to them is printed as JSON, a line for each process. HOW is "ours",
or one of the two mistakes that a test must notice: "default" for SQLAlchemy's own transactions,
"unlocked" for finding the match without locking it.
"""

import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from typing import Any

import sqlalchemy as sa

from pbmserv.club.match import MatchSummary
from pbmserv.desk.door import Desk
from pbmserv.desk.request import Request
from pbmserv.engine.games.star import Star
from pbmserv.engine.position import Side
from pbmserv.errors import Fault, Refused
from pbmserv.store import connection
from pbmserv.store import store as store_module
from pbmserv.store.files.location import Location, parse_location
from pbmserv.store.matches import matches
from pbmserv.store.people import players
from pbmserv.store.store import Records, Store

PASSWORD = "canary-horse"
CELLS = Star(14).board.names


class TimedStore(Store):
    """A store that notes how long each of its writers waited for the lock, in seconds."""

    def __init__(self, engine: sa.Engine, place: Location, **options: Any) -> None:
        super().__init__(engine, place, **options)
        self.waits: list[float] = []

    @contextmanager
    def writing(self, *, for_operators: bool = False) -> Iterator[Records]:
        start = time.perf_counter()
        with super().writing(for_operators=for_operators) as records:
            self.waits.append(time.perf_counter() - start)
            yield records


def open_store(url: str, how: str) -> TimedStore:
    """Open the store as HOW says."""
    store = TimedStore.open(url)
    if how == "default":
        store.close()
        store = TimedStore(connection._create(f"sqlite:///{url}"), parse_location(url))
        own = {"begun": lambda engine, _: engine.connect(), "begin": lambda made, _: made.begin()}
        vars(store_module).update(own)
    if how == "unlocked":
        matches.LOCKING = matches.ID
        players.SIGNS_AT_BOARD = players.SIGNS
    _time_row_locks(store)
    return store


def _time_row_locks(store: TimedStore) -> None:
    """Note the waiting on PostgreSQL, where the lock is that of the match's row."""

    @sa.event.listens_for(store.engine, "before_cursor_execute")
    def start(connection: sa.Connection, *_: Any) -> None:
        connection.info["asked"] = time.perf_counter()

    @sa.event.listens_for(store.engine, "after_cursor_execute")
    def note(connection: sa.Connection, _cursor: Any, statement: str, *_: Any) -> None:
        if "FOR UPDATE" in statement:
            store.waits.append(time.perf_counter() - connection.info["asked"])


def next_words(seen: MatchSummary) -> tuple[str, ...]:
    """Return a command for the turn that was seen.

    X puts a stone on the next cell and O passes, so the board lasts for a thousand turns, and a
    command that comes too late is refused although it says no move's number.
    """
    seat = seen.next_seat
    assert seat is not None
    text = CELLS[seen.ply // 2] if seen.to_move is Side.X else "pass"
    return ("star", "move", "101", seat.userid, PASSWORD, text)


def race(store: Store, turns: int) -> tuple[Counter[str], list[int]]:
    """Take turns until all are taken; return what happened and the numbers of our own moves."""
    desk = Desk(lambda: store)
    outcomes: Counter[str] = Counter()
    accepted = []
    while (seen := last_seen(store)).ply < turns:
        try:
            answer = desk.handle(Request(next_words(seen)))
        except Refused as refused:
            outcomes[f"refused {refused.code}"] += 1
        except Fault as fault:
            outcomes[f"fault {fault.code}"] += 1
        else:
            outcomes["accepted"] += 1
            accepted.append(answer.document["ply"])
    return outcomes, accepted


def last_seen(store: Store) -> MatchSummary:
    with store.reading() as records:
        return records.matches.summaries("star", limit=1)[0]


def fight(url: str, turns: int, how: str, ready: Barrier) -> None:
    """Race as one of the processes, when all of them are ready."""
    store = open_store(url, how)
    ready.wait()
    outcomes, accepted = race(store, turns)
    store.close()
    longest = max(store.waits, default=0.0)
    report = {"outcomes": outcomes, "accepted": accepted, "longest": longest}
    os.write(1, f"{json.dumps(report)}\n".encode())  # a line at once: lines do not mix


def main() -> None:
    url, turns, how, processes = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
    fork = get_context("fork")
    words = (url, turns, how, fork.Barrier(processes))
    racers = [fork.Process(target=fight, args=words) for _ in range(processes)]
    for racer in racers:
        racer.start()
    for racer in racers:
        racer.join()


if __name__ == "__main__":
    main()
