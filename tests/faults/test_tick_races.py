"""A tick and a move at the same moment: exactly one of them wins, whoever that is."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from pbmserv.club.clock import ClockEventKind
from pbmserv.desk.door import Desk, TimeAndChance
from pbmserv.desk.request import Request
from pbmserv.desk.tick import TickReport, tick
from pbmserv.errors import Refused
from pbmserv.store.store import Store
from tests.local_server import NOW, CheapPasswords, LocalServer

pytestmark = pytest.mark.slow

DAY = 86_400
BOARDS = 12
FULL_BOARDS = 100


def desk_at(url: str, now: int) -> Desk:
    """Return a door of its own over the database, whose clock stands at this moment."""
    return Desk(
        lambda: Store.open(url),
        TimeAndChance(now=lambda: now),
        passwords=CheapPasswords(),
        vacation_days=lambda: 0,
    )


def overdue_tomorrow(local: LocalServer, boards: int) -> int:
    """Start boards whose player runs out of time at the moment that is returned, duly warned."""
    local.desk.vacation_days = lambda: 0
    tick(local.desk)
    for _ in range(boards):
        local.start("-size=5")
    for board in range(101, 101 + boards):
        local.play(board, "C3 D4")
    end = local.clock.seconds + 21 * DAY
    while local.clock.seconds < end - DAY:
        local.clock.seconds += DAY // 2
        tick(local.desk)
    return end


def race(url: str, boards: int, end: int) -> tuple[TickReport, list[int]]:
    """Let a tick at the end of the time meet moves of the last second; return what each did."""
    start = Barrier(2)
    early, late = desk_at(url, end - 1), desk_at(url, end)

    def play() -> list[int]:
        accepted, codes = [], set()
        start.wait()
        for board in range(100 + boards, 100, -1):
            words = ("star", "move", str(board), "alice", "secret-alice", "C4")
            try:
                early.handle(Request(words))
            except Refused as refused:
                codes.add(refused.code)
            else:
                accepted.append(board)

        assert codes <= {"game-over"}
        return accepted

    def settle() -> TickReport:
        start.wait()
        return tick(late)

    with ThreadPoolExecutor(2) as pool:
        moving, ticking = pool.submit(play), pool.submit(settle)
        outcome = ticking.result(), moving.result()
    early.close()
    late.close()
    return outcome


def test_a_move_or_the_forfeit_of_every_board_but_never_both(
    local: LocalServer, *, full: bool
) -> None:
    boards = FULL_BOARDS if full else BOARDS
    end = overdue_tomorrow(local, boards)
    report, accepted = race(local.url, boards, end)
    shown = {board: local.show(board) for board in range(101, 101 + boards)}
    running = sorted(b for b, match in shown.items() if match["status"] == "running")

    assert report.problems == []
    assert sorted(accepted) == running
    assert report.events[ClockEventKind.RAN_OUT] == boards - len(accepted)
    assert [b for b, m in shown.items() if m["ply"] != 2 + (b in accepted)] == []
    assert {m["reason"] for b, m in shown.items() if b not in accepted} <= {"forfeit"}


def test_two_ticks_at_once_do_everything_once(local: LocalServer) -> None:
    end = overdue_tomorrow(local, BOARDS)
    start = Barrier(2)

    def settle(desk: Desk) -> TickReport:
        start.wait()
        return tick(desk)

    desks = [desk_at(local.url, end), desk_at(local.url, end)]
    with ThreadPoolExecutor(2) as pool:
        one, other = pool.map(settle, desks)
    for desk in desks:
        desk.close()
    local.clock.seconds = NOW + 30 * DAY

    assert (one.problems, other.problems) == ([], [])
    assert (one.events + other.events)[ClockEventKind.RAN_OUT] == BOARDS
    assert [v for v in local.audit() if v[0] == "forfeit"] == [("forfeit", "done")] * BOARDS
