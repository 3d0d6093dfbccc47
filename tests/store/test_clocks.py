"""A clock, and what it depends on, read in one statement or in several."""

import pytest

from pbmserv.club.clock import Clock, StoredClock, Timing
from pbmserv.club.time_limits import TimeLimits
from pbmserv.club.vacation import Absence, AbsenceKind, Vacations
from pbmserv.engine.spec import parse_game
from pbmserv.store.store import Store
from tests.local_server import DAY, NOW

from .sample_rows import add_player, seat

AWAY = {
    "nobody": {},
    "one": {"alice": [3]},
    "both, and a third": {"alice": [3, 9], "bob": [1, 5, 20], "carol": [2]},
    "a third": {"carol": [2]},
}


@pytest.mark.parametrize("away", AWAY.values(), ids=AWAY)
@pytest.mark.parametrize("seats", [("alice", "bob"), ("bob", "alice"), ("alice", "alice")])
@pytest.mark.parametrize("is_awake", [False, True])
def test_what_a_clock_depends_on_is_read_at_once(
    store: Store, seats: tuple[str, str], away: dict[str, list[int]], *, is_awake: bool
) -> None:
    with store.writing() as records:
        players = {userid: add_player(records, userid) for userid in ("alice", "bob", "carol")}
        first, second = (players[userid] for userid in seats)
        game = parse_game("star(size=3)")
        match = records.matches.add(game, seat(first), seat(second), NOW)
        unclocked = records.matches.add(game, seat(first), seat(second), NOW)
        stored = StoredClock(match.id, TimeLimits(), Clock(first.id, second.id, NOW))
        records.clocks.add(stored, NOW + DAY)
        for userid, days in away.items():
            absences = [
                Absence(NOW + day * DAY, NOW + (day + 1) * DAY, AbsenceKind.AUTOMATIC)
                for day in days
            ]
            records.absences.save(players[userid].id, Vacations(tuple(absences)))
        if is_awake:
            records.clocks.wake(NOW - 7 * DAY)
            for hours in range(0, 7 * 24 + 1, 12):
                records.clocks.wake(NOW - 7 * DAY + hours * 3600)
    with store.reading() as records:
        found = records.matches.extras(match.id, NOW + 1).timing
        vacations = records.absences.of([first.id, second.id])
        awake = records.clocks.awake(NOW + 1)
        none = records.matches.extras(unclocked.id, NOW).timing

    assert found == Timing(stored, vacations, awake)
    assert awake == (NOW - 7 * DAY if is_awake else NOW + 1)
    assert none is None
