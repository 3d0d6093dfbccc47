"""Whole lives of a clock: what is due comes when it should, whatever the players do."""

from dataclasses import dataclass, field
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from pbmserv.club.clock import (
    GRACE,
    Clock,
    ClockEvent,
    ClockEventKind,
    Settlement,
    TimeBudget,
    due_at,
    settle,
    turn_to,
)
from pbmserv.club.time_limits import TimeLimits
from pbmserv.club.vacation import AbsenceKind, Vacations, come_back, leave
from pbmserv.engine.moments import DAY

START = int(datetime(2026, 3, 1, tzinfo=UTC).timestamp())
LATE, OTHER = 7, 8

WARNED = ClockEventKind.WARNED
VACATION_TAKEN = ClockEventKind.VACATION_TAKEN
RAN_OUT = ClockEventKind.RAN_OUT

limits = st.builds(
    lambda nag, more, extra: TimeLimits(
        nag, nag + more, None if extra is None else nag + more + extra
    ),
    st.integers(1, 10),
    st.integers(3, 30),
    st.none() | st.integers(0, 30),
)
deeds = st.lists(
    st.tuples(
        st.integers(0, 12 * DAY) | st.integers(0, 5),
        st.sampled_from(["tick", "tick", "tick", "move", "leave", "back", "sleep"]),
        st.integers(1, 12 * DAY),
    ),
    max_size=25,
)


@dataclass
class Life:
    """A match whose players act at random, told by every settlement of its clock."""

    limits: TimeLimits
    days_a_year: int
    now: int = START
    awake: int = START
    is_over: bool = False
    clock: Clock = field(default_factory=lambda: Clock(LATE, OTHER, START))
    books: dict[int, Vacations] = field(default_factory=dict)
    told: list[tuple[int, ClockEvent]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.books = {player: Vacations(days_a_year=self.days_a_year) for player in (LATE, OTHER)}

    @property
    def book(self) -> Vacations:
        return self.books[self.clock.player_id]

    def settlement(self, now: int) -> Settlement:
        return settle(self.clock, self.limits, self.book, now, awake=self.awake)

    def due(self) -> int:
        return due_at(self.clock, self.limits, self.book, awake=self.awake, now=self.now)

    def tick(self) -> None:
        found = self.settlement(self.now)
        self.check(found)
        self.books[self.clock.player_id] = found.vacations
        self.clock = found.clock
        self.told += [(self.now, event) for event in found.events]
        self.is_over = any(event.kind is RAN_OUT for event in found.events)

    def check(self, found: Settlement) -> None:
        late = self.clock.player_id
        if found.events:
            assert self.book.current(self.now) is None
        for event in found.events:
            if event.kind in {RAN_OUT, VACATION_TAKEN}:
                warnings = [
                    moment
                    for moment, earlier in self.told
                    if earlier.kind is WARNED and earlier.player_id == late
                ]
                away = [
                    a.end
                    for a in self.book.absences
                    if a.kind is AbsenceKind.MANUAL and a.end <= self.now
                ]
                # A sleep makes a warning void, but not the one that follows it.
                kept = self.clock.turn_warning
                if event.budget is TimeBudget.TOTAL:
                    kept = self.clock.total_warnings.get(late)
                woke = 0 if kept and kept.is_last else self.awake
                since = max([woke, *away])
                assert any(since <= moment <= self.now - GRACE for moment in warnings)
            if event.kind is RAN_OUT:
                assert self.book.days_left(self.now) == 0

    def act(self, what: str, length: int) -> None:
        player = self.clock.player_id
        if what == "move":
            self.clock = turn_to(self.clock, self.clock.opponent_id, self.book, self.now)
        elif what == "leave" and self.book.days_left(self.now) > length // DAY + 1:
            self.books[player] = leave(self.book, self.now + length, self.now)
        elif what == "back" and self.book.current(self.now):
            self.books[player] = come_back(self.book, self.now)
        elif what == "sleep":
            self.now += length
            self.awake = self.now


@given(limits, st.integers(0, 30), deeds, st.data())
def test_what_is_due_comes_neither_early_nor_late(
    limits: TimeLimits, days_a_year: int, deeds: list[tuple[int, str, int]], data: st.DataObject
) -> None:
    life = Life(limits, days_a_year)
    for wait, what, length in deeds:
        target = life.now + wait
        while not life.is_over and life.due() <= target:
            life.now = max(life.now, life.due())
            life.tick()
        if life.is_over:
            return
        life.now = target
        life.act(what, length)
        life.tick()

        if not life.is_over:
            assert life.settlement(life.now).events == ()
            due = life.due()
            assert due > life.now
            assert life.settlement(due).events
            assert not life.settlement(due - 1).events
            between = data.draw(st.integers(life.now, due - 1))
            assert not life.settlement(between).events


def test_nothing_is_due_before_days_that_are_taken_long_after_time_ran_out() -> None:
    life = Life(TimeLimits(1, 4), 7)
    for wait, length in ((5, 777_485), (518_527, 86_272), (118, 915_487)):
        target = life.now + wait
        while life.due() <= target:
            life.now = max(life.now, life.due())
            life.tick()
        life.now = target
        life.act("sleep", length)
        life.tick()

    assert life.book.current(life.now) is not None
    assert life.book.absences[-1].end == life.due()


@given(limits, st.integers(0, 30))
def test_whoever_never_moves_forfeits_in_the_end(limits: TimeLimits, days_a_year: int) -> None:
    life = Life(limits, days_a_year)
    while not life.is_over:
        life.now = life.due()
        life.tick()

    assert life.now >= START + limits.turn + days_a_year * DAY
    assert life.now <= START + limits.turn + 2 * days_a_year * DAY
