"""Robots against robots: two workers share the boards, and are killed while they think."""

import signal
import subprocess
import time
from random import Random

import pytest

from pbmserv.cli.shell_commands import SHELL, shell_families
from pbmserv.commands.command_table import root
from pbmserv.desk.door import Desk
from pbmserv.desk.request import Request
from pbmserv.store.store import Store
from tests.installed_program import waited_for

from .two_players import opened, problems, program

pytestmark = pytest.mark.slow

STARTED = 0.7
"""Seconds after which a worker is at work on any machine, or is killed while it starts."""


def set_up(url: str, games: int) -> None:
    """Add robots and have them begin so many games, the first of them with much to think about."""
    desk = Desk(
        lambda: Store.open(url), tree=root(SHELL, shell_families()), max_robot_boards=lambda: 9999
    )
    for line in ("robot1 -level=1", "robot2 -level=2", "robot7 -level=14"):
        desk.handle(Request(("admin", "robot", "add", *line.split())))
    desk.handle(Request(("star", "challenge", "-size=3", "robot7", "robot1")))
    for number in range(games - 1):
        players = ("robot1", "robot2") if number % 2 else ("robot2", "robot1")
        desk.handle(Request(("star", "challenge", "-size=3", *players)))
    desk.close()


def free_turns_of_the_dead(store: Store) -> bool:
    """End all leases, as five minutes would; tell whether a board still waits."""
    with store.writing() as records:
        records.connection.exec_driver_sql("UPDATE robot_turn SET due_at = 0")
        return bool(records.robots.waiting(int(time.time())))


def is_taken(store: Store) -> bool:
    """Tell whether a worker has taken a turn and not yet made its move."""
    with store.reading() as records:
        taken = records.connection.exec_driver_sql(
            "SELECT 1 FROM robot_turn JOIN match USING (revision) WHERE match_id = match.id"
        )
        return taken.first() is not None


def killed_while_it_thought(store: Store, words: list[str]) -> bool:
    """Kill two workers as soon as a turn is taken; tell whether it was killed with them."""
    workers = [subprocess.Popen(words), subprocess.Popen(words)]
    waited_for(lambda: is_taken(store))
    for worker in workers:
        worker.kill()
        worker.wait()
    return is_taken(store)


def storm(url: str, kills: int) -> None:
    """Let two workers play all games to their end, and kill one of them again and again."""
    chance = Random(kills)
    words = program(url, "robots", "run")
    with opened(url) as store:
        # A worker may have made its move before the kill, so there are some tries.
        assert any(killed_while_it_thought(store, words) for _ in range(5))
        workers = [subprocess.Popen(words), subprocess.Popen(words)]
        while kills or free_turns_of_the_dead(store):
            time.sleep(STARTED + chance.random() * 0.5)
            if kills:
                kills -= 1
                workers[kills % 2].kill()
                workers[kills % 2].wait()
                workers[kills % 2] = subprocess.Popen(words)
                free_turns_of_the_dead(store)
    for worker in workers:
        worker.terminate()
        # One that has just been started may not have learned yet to end well.
        assert worker.wait() in {0, -signal.SIGTERM, 128 + signal.SIGTERM}


def test_no_move_is_refused_doubled_or_lost(database_url: str, *, full: bool) -> None:
    games, kills = (1000, 40) if full else (4, 2)
    set_up(database_url, games)
    storm(database_url, kills)

    with opened(database_url) as store, store.reading() as records:
        ended = records.matches.summaries("star", selector="inactive")
        entries = records.lists.audit().rows
    made = sum(entry.verb == "move" for entry in entries if entry.source == "robot")
    resigned = sum(match.reason == "resignation" for match in ended)
    assert len(ended) == games
    assert made == sum(match.ply for match in ended)
    assert sum(entry.verb == "resign" for entry in entries) == resigned
    assert {entry.outcome for entry in entries} == {"done"}
    assert problems(database_url) == []
