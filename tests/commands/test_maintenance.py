"""Maintenance as the clocks see it: to them it has not been."""

from random import Random

from pbmserv.cli.shell_commands import SHELL, shell_families
from pbmserv.club.clock import Clock, stand_still, time_used
from pbmserv.club.vacation import Absence, Vacations
from pbmserv.commands.command_table import root
from pbmserv.desk.tick import tick
from tests.local_server import DAY, NOW, LocalServer


def test_clocks_stand_still_during_maintenance(local: LocalServer) -> None:
    local.desk.tree = root(SHELL, shell_families())
    local.desk.vacation_days = lambda: 0
    local.start()
    for _ in range(4):
        local.clock.seconds += DAY
        tick(local.desk)
    before = local.show(101)
    local.do("admin maintenance on")
    local.clock.seconds += 40 * DAY
    local.do("admin maintenance off")
    report = tick(local.desk)
    after = local.show(101)

    assert after["time"]["used"] == before["time"]["used"] == {"X": 4 * DAY, "O": 0}
    assert after["deadline"] != before["deadline"]
    assert (after["status"], report.due) == ("running", 0)
    local.clock.seconds += 3 * DAY
    assert tick(local.desk).due == 1  # the first reminder, after seven days of their own


def test_no_clock_spends_time_between_any_two_moments_it_stands_still(*, full: bool) -> None:
    chance = Random(5)
    for _ in range(20_000 if full else 2_000):
        began = NOW + chance.randrange(20)
        away, moment = [], NOW
        for _ in range(chance.randrange(4)):
            moment += chance.randrange(20)
            away.append(Absence(moment, moment := moment + chance.randrange(1, 20)))
        since = began + chance.randrange(80)
        until = since + chance.randrange(80)
        vacations, clock = Vacations(tuple(away)), Clock(1, 2, began)
        stood = stand_still(clock, vacations, since, until)

        assert time_used(clock, vacations, since) == time_used(stood, vacations, until)
