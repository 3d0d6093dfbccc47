"""Moves that are cut off at every point where the program speaks to the database.

Usage: ``python -m tests.faults.cut_off_moves URL``. For each point, in order, a child process sends
a move through the door and is killed there. What the board holds afterwards is printed, a line of
JSON for each point, with what the same move is told when it is sent again. Ends at the first move
that no point stops.
"""

import json
import os
import signal
import sys
from typing import Any

import sqlalchemy as sa

from pbmserv.desk.door import Desk
from pbmserv.desk.passwords import Passwords
from pbmserv.desk.request import Request
from pbmserv.errors import Refused
from pbmserv.store.store import Store

from .killed_servers import CELLS
from .two_players import PASSWORD, held

POINTS = (
    "begin",
    "savepoint",
    "before_cursor_execute",
    "after_cursor_execute",
    "release_savepoint",
    "commit",
    "checkin",
)
"""The events of an engine and its pool; a commit is told before it happens, a checkin after."""

PASSWORDS = Passwords()
"""One memo for all children, which inherit what the first moves have taught it."""


def move_once(url: str, ply: int, stop_at: int = 0) -> None:
    """Send a move through the door; die when this process reaches the point of that number."""
    store = Store.open(url)
    passed = 0

    def reach(*_: Any) -> None:
        nonlocal passed
        passed += 1
        if passed == stop_at:
            os.kill(os.getpid(), signal.SIGKILL)

    for point in POINTS:
        sa.event.listen(store.engine, point, reach)
    userid = "alice" if ply % 2 else "bob"
    Desk(lambda: store, passwords=PASSWORDS).handle(
        Request(("star", "move", "101", userid, PASSWORD, f"{CELLS[ply - 1]}#{ply}"))
    )
    store.close()


def move_in_child(url: str, ply: int, stop_at: int) -> bool:
    """Do so in another process, and tell whether it was stopped."""
    child = os.fork()
    if child == 0:
        move_once(url, ply, stop_at)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def main() -> None:
    url = sys.argv[1]
    stop_at = ply = 1
    while move_in_child(url, ply, stop_at):
        found = {"before": ply - 1, "held": held(url), "refused": ""}
        try:
            move_once(url, ply)
        except Refused as refused:
            found["refused"] = refused.code
        print(json.dumps(found), flush=True)
        stop_at += 1
        ply += 1


if __name__ == "__main__":
    main()
