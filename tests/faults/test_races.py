import json
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from .two_players import moves_of, problems, set_up

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PROCESSES = 8
LONGEST_WAIT = 0.5
"""What a player may be kept waiting by others, in seconds."""


@dataclass(frozen=True)
class Race:
    """What happened to all racers together."""

    outcomes: Counter[str]
    accepted: list[int]
    longest: float

    @property
    def faults(self) -> list[str]:
        return [outcome for outcome in self.outcomes if outcome.startswith("fault")]


def run_race(url: str, turns: int, how: str = "ours") -> Race:
    words = ["-m", "tests.faults.fight_for_turns", url, str(turns), how, str(PROCESSES)]
    done = subprocess.run(
        [sys.executable, *words], stdout=subprocess.PIPE, check=True, text=True, cwd=ROOT
    )
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(reports) == PROCESSES
    race = Race(
        sum((Counter(report["outcomes"]) for report in reports), Counter()),
        sorted(ply for report in reports for ply in report["accepted"]),
        max(report["longest"] for report in reports),
    )
    print(f"{how}: {dict(race.outcomes)}, longest wait {race.longest * 1000:.0f} ms")
    return race


def test_eight_processes_get_every_turn_exactly_once(database_url: str, *, full: bool) -> None:
    turns = 1000 if full else 40
    set_up(database_url)
    race = run_race(database_url, turns)

    assert race.faults == []
    assert list(range(1, turns + 1)) == race.accepted
    assert len(moves_of(database_url)) == turns
    assert problems(database_url) == []
    if full:
        # The promise is made for a machine that is not busy with other things: no sample asks.
        assert race.longest < LONGEST_WAIT


def test_the_race_is_lost_with_transactions_that_are_wrong(database_url: str) -> None:
    set_up(database_url)
    how = "unlocked" if "://" in database_url else "default"

    # On a busy machine one process may take all turns while the others sleep.
    assert any(run_race(database_url, turns, how).faults for turns in range(30, 300, 30))
    assert problems(database_url) == []
