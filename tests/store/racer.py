"""One of several processes that fight for the turns of one board; a program of its own.

Usage: ``racer.py URL TURNS HOW``. It prints what happened to it as JSON. HOW is "ours", or one of
the two mistakes that the test must notice: "default" for SQLAlchemy's own transactions,
"unlocked" for finding the match without locking it. It says "ready" and begins when it is told.
"""

import json
import sys
import time
from collections import Counter

import sqlalchemy as sa

from pbmserv.club.match import Match
from pbmserv.club.play import play, require_ply
from pbmserv.errors import Fault, Refused
from pbmserv.store.location import parse_location
from pbmserv.store.store import Records, Store

DAWDLING = 0.002
"""Seconds between looking and changing, so that a transaction that is wrong is found out."""


def main() -> None:
    url, turns, how = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    store = Store.open(url)
    if how == "default":
        store.close()
        store = Store(sa.create_engine(f"sqlite:///{url}"), parse_location(url))
    seen_ply(store)
    print("ready", flush=True)
    sys.stdin.readline()
    counts: Counter[str] = Counter()
    waits: list[float] = []
    while (ply := seen_ply(store)) < turns:
        start = time.perf_counter()
        try:
            with store.writing() as records:
                waits.append(time.perf_counter() - start)
                take_turn(records, ply, is_locked=how != "unlocked")
        except Refused as refused:
            counts[refused.code] += 1
        except Fault as fault:
            counts[f"fault {fault.code}"] += 1
        else:
            counts["accepted"] += 1
    store.close()
    print(json.dumps({"counts": counts, "longest": max(waits, default=0.0)}))


def seen_ply(store: Store) -> int:
    with store.reading() as records:
        return records.matches.summaries("star", limit=1)[0].ply


def take_turn(records: Records, ply: int, *, is_locked: bool) -> None:
    """Play the turn after the ``ply`` turns that were seen, unless somebody was faster."""
    match = records.matches.find("star", 101, lock=is_locked)
    if match is None or match.next_seat is None:
        raise AssertionError("the board must be there and running")
    require_ply(match, ply + 1)
    time.sleep(DAWDLING)
    move = match.game.parse_move(next_text(match))
    after, _ = play(match, match.next_seat.player_id, move, match.started_at)
    records.matches.save(match, after)


def next_text(match: Match) -> str:
    """Return a stone and a pass by turns, so that the board lasts for a thousand turns."""
    if match.ply % 2:
        return "pass"
    return match.game.board.names[match.position.stones.index(0)]


if __name__ == "__main__":
    main()
