"""Rounds in which letters leave, clocks are settled, robots move and backups are begun."""

from __future__ import annotations

import math
import os
import time
from contextlib import closing, contextmanager, suppress
from functools import partial
from socket import gethostname
from threading import Event, Thread
from typing import TYPE_CHECKING

from pbmserv.cli.log_lines import ERROR, code_of
from pbmserv.daemon.letters_out import open_sender
from pbmserv.daemon.service_manager import ROUNDS, Pulse
from pbmserv.desk.robot_turns import play_due_turns
from pbmserv.desk.tick import tell_operator, tick
from pbmserv.errors import Fault
from pbmserv.mail.spool import cause_of
from pbmserv.settings import find, value
from pbmserv.side_processes import SideProcess
from pbmserv.store.files.kept_backups import MAKER, minutes_since_backup

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

BACKUP_PAUSE = 60.0
"""Seconds between two looks at whether a backup is due."""

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
        steps = {
            "backup": self._back_up,
            "clock": self._tick,
            "robots": self._robots,
            "operator": self._send,
        }
        self._pulse = pulse or Pulse()
        self._steps = {"robots": self._robots} if only_robots else steps
        self._ticked_at = self._looked_at = -math.inf
        self._backup: SideProcess | None = None
        self._backup_problems: set[str] = set()
        self._wrong: set[tuple[str, str]] = set()
        self._wanted = Event()
        self._is_over = False
        self._name = ""

    def run_once(self) -> None:
        """Settle the clocks if ten minutes have passed, move for robots, and send what waits."""
        wrong: set[tuple[str, str]] = set()
        for door, step in self._steps.items():
            self._pulse.beat(ROUNDS)
            try:
                wrong |= {(words, "") for words in step()}
            except Exception as error:  # noqa: BLE001 - without these rounds no letter would leave
                wrong.add((cause_of(error), code_of(error)))
            self._log.done(door, self._desk.take_trail())
        for words, code in sorted(wrong - self._wrong):
            self._log.say(words, code=code, level=ERROR)
        self._wrong = wrong

    @contextmanager
    def in_background(self) -> Iterator[Callable[[], None]]:
        """Do rounds in a thread until the block is left; yields what asks for the next at once.

        A mail server that lets us wait so holds up no mail that comes in. The desk is closed in
        the end.
        """
        self._name = f"{gethostname()} {os.getpid()}"
        thread = Thread(target=self._go_on)
        thread.start()
        try:
            yield self._wanted.set
        finally:
            self._is_over = True
            self._wanted.set()
            thread.join()
            if self._backup:
                self._backup.kill()  # half a backup has no name
            self._desk.close()

    def _tell(self, *, is_over: bool = False) -> None:
        """Note in the database that this program looks after the club, or no longer."""
        if self._name:
            with self._desk.store.writing(for_operators=True) as records:
                records.clocks.note_daemon(self._name, self._desk.world.now(), is_over=is_over)

    def _go_on(self) -> None:
        while True:
            self._wanted.clear()
            self.run_once()
            if not self._is_over:
                self._wanted.wait(PAUSE)
            if self._is_over:
                if self._ticked_at > -math.inf:
                    with suppress(Fault):
                        self._tell(is_over=True)
                return
            time.sleep(REST)

    def _back_up(self) -> set[str]:
        """Have another process make a backup if one is due: nothing else waits for it."""
        if self._backup and self._backup.ends.poll():
            with closing(self._backup) as ended:
                self._backup = None
                self._backup_problems = ended.result()
        folder = find("backup_folder")
        is_time = time.monotonic() - self._looked_at >= BACKUP_PAUSE
        if folder and is_time and not self._backup:
            self._looked_at = time.monotonic()
            minutes, location = value("backup_minutes"), self._desk.store.location
            if minutes_since_backup(folder, self._desk.world.now()) >= minutes:
                self._backup = SideProcess(MAKER, location.url or str(location.path))
                self._backup.ends.send((folder, minutes))
        return self._backup_problems

    def _tick(self) -> set[str]:
        if time.monotonic() - self._ticked_at < TICK_PAUSE:
            return set()
        self._ticked_at = time.monotonic()
        self._tell()
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
        sender = open_sender(self._desk.store, self._desk.world, self._log)
        stopped = sender.send_due(beat=partial(self._pulse.beat, ROUNDS)).stopped
        return {stopped} if stopped else set()
