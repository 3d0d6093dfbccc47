"""Rounds in which letters leave, clocks are settled and robots move."""

from __future__ import annotations

import math
import time
from contextlib import contextmanager
from functools import partial
from threading import Event, Thread
from typing import TYPE_CHECKING

from pbmserv.daemon.letters_out import open_sender
from pbmserv.daemon.service_manager import ROUNDS, Pulse
from pbmserv.desk.robot_turns import play_due_turns
from pbmserv.desk.tick import tell_operator, tick
from pbmserv.mail.spool import cause_of
from pbmserv.settings import find

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pbmserv.daemon.mail_log import Log
    from pbmserv.desk.door import Desk

PAUSE = 2.0
"""Seconds between two looks at the outbox while nobody asks for one."""

REST = 0.1
"""Seconds between two rounds at least: of many mails not each asks for one of its own."""

TICK_PAUSE = 600.0
"""Seconds between two ticks of the clocks."""

ROBOTS_PAUSE = 5.0
"""Seconds of a round after which no robot's turn is taken any more, lest letters wait for it."""


class PeriodicTasks:
    """Sends what waits, settles the clocks and moves for robots, again and again.

    What goes wrong is tried again by a later round, and logged when it is not what went wrong in
    the round before. The desk must be no other thread's.
    """

    def __init__(
        self, desk: Desk, log: Log, pulse: Pulse | None = None, *, only_robots: bool = False
    ) -> None:
        self._desk = desk
        self._log = log
        self._pulse = pulse or Pulse()
        self._steps = (self._robots,) if only_robots else (self._tick, self._robots, self._send)
        self._ticked_at = -math.inf
        self._wrong: set[str] = set()
        self._wanted = Event()
        self._is_over = False

    def run_once(self) -> None:
        """Settle the clocks if ten minutes have passed, move for robots, and send what waits."""
        wrong: set[str] = set()
        for step in self._steps:
            self._pulse.beat(ROUNDS)
            try:
                wrong |= step()
            except Exception as error:  # noqa: BLE001 - without these rounds no letter would leave
                wrong.add(cause_of(error))
        for words in sorted(wrong - self._wrong):
            self._log.say(words)
        self._wrong = wrong

    @contextmanager
    def in_background(self) -> Iterator[Callable[[], None]]:
        """Do rounds in a thread until the block is left; yields what asks for the next at once.

        A mail server that lets us wait so holds up no mail that comes in. The desk is closed in
        the end.
        """
        thread = Thread(target=self._go_on)
        thread.start()
        try:
            yield self._wanted.set
        finally:
            self._is_over = True
            self._wanted.set()
            thread.join()
            self._desk.close()

    def _go_on(self) -> None:
        while True:
            self._wanted.clear()
            self.run_once()
            if not self._is_over:
                self._wanted.wait(PAUSE)
            if self._is_over:
                return
            time.sleep(REST)

    def _tick(self) -> set[str]:
        if time.monotonic() - self._ticked_at < TICK_PAUSE:
            return set()
        self._ticked_at = time.monotonic()
        return set(tick(self._desk).problems)

    def _robots(self) -> set[str]:
        done = play_due_turns(self._desk, ROBOTS_PAUSE)
        if done.moves:
            self._wanted.set()
        return set(done.problems)

    def _send(self) -> set[str]:
        if not find("mail_transport"):
            return set()
        tell_operator(self._desk.store, find("operator_address"), self._desk.world.now())
        sender = open_sender(self._desk.store, self._desk.world)
        stopped = sender.send_due(beat=partial(self._pulse.beat, ROUNDS)).stopped
        return {stopped} if stopped else set()
