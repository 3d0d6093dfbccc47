"""Clocks under every rhythm of ticks: nobody loses without a warning, and nobody waits for ever.

A club is played on two clocks: the true one, by which people wait, and the server's, which may be
set back. Its ticks come from once an hour to once a fortnight, by a town's own time, at random, in
pairs, or alone after a crash; meanwhile people move or do not, go on vacation, and operators keep
the boards in maintenance.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from zoneinfo import ZoneInfo

import pytest

from pbmserv.club.clock import (
    GRACE,
    LOW_DAYS,
    SLEEP,
    Clock,
    ClockEventKind,
    Settlement,
    awake_since,
    due_at,
    settle,
    stand_still,
    turn_to,
    without_future,
)
from pbmserv.club.time_limits import TimeLimits
from pbmserv.club.vacation import Vacations, leave
from pbmserv.engine.moments import DAY, HOUR, utc

START = int(datetime(2026, 9, 20, 2, tzinfo=UTC).timestamp())
"""Within a year's life from here the clocks of a town change twice, and a year ends."""

WARNED, OPPONENT_WARNED = ClockEventKind.WARNED, ClockEventKind.OPPONENT_WARNED
REMINDED, RAN_OUT = ClockEventKind.REMINDED, ClockEventKind.RAN_OUT
TAKEN = ClockEventKind.VACATION_TAKEN

Rhythm = Callable[[Random], Iterator[int]]


def every(seconds: int) -> Rhythm:
    """Return the rhythm of ticks that come as regularly as that."""

    def ticks(_: Random) -> Iterator[int]:
        while True:
            yield seconds

    return ticks


def at_four_in(zone: str) -> Rhythm:
    """Return the rhythm of a daily tick in a town, whose days have 23 to 25 hours."""

    def ticks(_: Random) -> Iterator[int]:
        town, last = ZoneInfo(zone), START
        day = datetime.fromtimestamp(START, town).replace(hour=4, minute=0)
        while True:
            day += timedelta(days=1)
            yield int(day.timestamp()) - last
            last = int(day.timestamp())

    return ticks


def at_random(low: int, high: int) -> Rhythm:
    """Return the rhythm of ticks that come when they like."""

    def ticks(chance: Random) -> Iterator[int]:
        while True:
            yield chance.randint(low, high)

    return ticks


def in_pairs(_: Random) -> Iterator[int]:
    """Yield two ticks at once, and then none for three days."""
    while True:
        yield from (0, 3 * DAY)


def crashing(chance: Random) -> Iterator[int]:
    """Yield hourly ticks between crashes, some of which are interrupted by a single late tick."""
    while True:
        yield from [HOUR] * chance.randint(1, 12 * 24)
        yield from (chance.randint(2 * DAY, 9 * DAY) for _ in range(chance.randint(1, 4)))


RHYTHMS: dict[str, Rhythm] = {
    **{f"every {hours} h": every(hours * HOUR) for hours in (1, 6, 12, 24, 25, 36, 48)},
    "every 2 d and a second": every(2 * DAY + 1),
    **{f"every {half / 2} d": every(half * DAY // 2) for half in (5, 6, 7, 8, 10, 14, 20, 28)},
    **{zone: at_four_in(zone) for zone in ("Europe/Berlin", "America/New_York")},
    "within a day": at_random(1, DAY),
    "within five days": at_random(HOUR, 5 * DAY),
    "within a fortnight": at_random(1, 14 * DAY),
    "in pairs": in_pairs,
    "crashing": crashing,
}


@dataclass
class Board:
    """A board, and what its people were told in this turn, each with the true time."""

    limits: TimeLimits
    clock: Clock
    due: int
    began: int
    told: list[tuple[int, ClockEventKind]] = field(default_factory=list)
    letters: int = 0
    is_over: bool = False

    def warned_since(self, moment: int) -> list[int]:
        return [at for at, kind in self.told if kind is WARNED and at >= moment]


@dataclass
class Club:
    """Boards on a server whose ticks come in one rhythm; all promises are checked as it lives."""

    seed: str
    rhythm: Rhythm
    is_eventful: bool
    now: int = START
    behind: int = 0
    settled: int | None = None
    awake: int | None = None
    boards: list[Board] = field(default_factory=list)
    books: dict[int, Vacations] = field(default_factory=dict)
    returns: dict[int, list[list[int]]] = field(default_factory=dict)
    """When each player came back from a vacation of their own, by the true time: as they left it,
    and as it is where the server's clock was set back since."""
    disturbed: list[tuple[int, int]] = field(default_factory=list)
    """When the clock was set back or stood still, by the true time, and for how long."""
    woken: list[int] = field(default_factory=list)
    """When a tick came after a sleep of the server, by the true time."""
    rest: int = 0

    def __post_init__(self) -> None:
        self.chance = Random(self.seed)
        days = self.chance.choice([0, 0, 1, 3, 30])
        for _ in range(self.chance.randint(1, 4)):
            one, other = self.chance.sample([1, 2, 3], 2)
            nag = self.chance.choice([1, 1, 2, 7])
            forfeit = nag + self.chance.choice([3, 3, 4, 14])
            total = self.chance.choice([None, None, forfeit, forfeit + 20])
            clock = Clock(one, other, self.now)
            board = Board(TimeLimits(nag, forfeit, total), clock, 0, self.true)
            for player in (one, other):
                self.books.setdefault(player, Vacations(days_a_year=days))
            self.boards.append(board)
            self.plan(board)

    @property
    def true(self) -> int:
        """The true time."""
        return self.now + self.behind

    def plan(self, board: Board) -> None:
        own = self.books[board.clock.player_id]
        board.due = due_at(board.clock, board.limits, own, awake=self.awake_now())

    def awake_now(self) -> int:
        return awake_since(self.awake, self.settled, self.now)

    def live(self) -> None:
        """Tick until every game is over, with a deed now and then; at most for three years."""
        self.tick()
        for rest in self.rhythm(self.chance):
            self.rest = max(self.rest, rest)
            # Whatever else happens, happens at some moment between two ticks.
            before = self.chance.randint(0, rest)
            self.now += before
            if self.is_eventful and self.chance.random() < rest / (20 * DAY):
                self.act()
            self.now += rest - before
            self.tick()
            if all(board.is_over for board in self.boards):
                return
            assert self.true < START + 3 * 365 * DAY, "somebody waits for ever"

    def tick(self) -> None:
        self.awake, before, self.settled = self.awake_now(), self.settled, self.now
        self.woken += [self.true] * (self.awake == self.now)
        for board in self.boards:
            if before is not None and before - self.now > SLEEP:
                board.due = min(board.due, self.now)
                if board.clock.began_at > self.now:  # the turn begins with this tick
                    board.began, board.told, board.letters = self.true, [], 0
            if board.due <= self.now and not board.is_over:
                self.settle(board)

    def settle(self, board: Board) -> None:
        late, before = board.clock.player_id, without_future(board.clock, self.now)
        found = settle(before, board.limits, self.books[late], self.now, awake=self.awake_now())
        self.check(board, found)
        board.clock, self.books[late] = found.clock, found.vacations
        board.told += [(self.true, event.kind) for event in found.events]
        news = [each for each in found.events if each.is_news and each.kind is not RAN_OUT]
        board.letters += sum(2 if each.kind is TAKEN else 1 for each in news)
        board.is_over = any(event.kind is RAN_OUT for event in found.events)
        if board.is_over:
            self.end_turn(board)
        self.plan(board)

    def check(self, board: Board, found: Settlement) -> None:
        """See that nobody loses a day or the game without a warning that is three days old."""
        late, kinds = board.clock.player_id, {event.kind for event in found.events}
        if not kinds & {TAKEN, RAN_OUT}:
            return
        ends = self.returns.get(late, [])
        backs = {max((e[n] for e in ends if e[n] <= self.true), default=0) for n in (0, 1)}
        back = min(backs)
        given = board.warned_since(max(back, board.began))
        if warned := board.clock.total_warnings.get(late):
            given += [warned.at + self.behind] * (warned.at + self.behind >= back)
        assert any(at <= self.true - GRACE for at in given), (self.seed, self.true)
        # After the first sleep of the server that follows a warning there is another one.
        told = board.warned_since(board.began)
        woken = [at for at in self.woken if told and at > told[0]]
        has_more = back >= board.began or board.limits.total or self.disturbances(board)
        if woken and not has_more:
            assert any(woken[0] <= at <= self.true - GRACE for at in told), self.seed

    def act(self) -> None:
        board = self.chance.choice([board for board in self.boards if not board.is_over])
        late = board.clock.player_id
        match self.chance.choice(["move", "move", "leave", "set back", "maintenance"]):
            case "move":
                self.settle(board)  # as the command does it
                if not board.is_over:
                    self.end_turn(board)
                    own = self.books[late]
                    board.clock = turn_to(board.clock, board.clock.opponent_id, own, self.now)
                    self.plan(board)
            case "leave":
                self.go_away(late)
            case "set back":
                self.set_back(self.chance.choice([HOUR, DAY, 3 * DAY, 400 * DAY]))
            case "maintenance":
                self.maintain(self.chance.choice([HOUR, DAY, 5 * DAY]))

    def set_back(self, seconds: int) -> None:
        self.now -= seconds
        for ends in self.returns.values():
            # A vacation that has ended, and by the server's clock has not, lasts for longer.
            for end in ends:
                end[1] += seconds * (end[1] - self.behind > self.now)
        self.behind += seconds
        self.disturbed.append((self.true, seconds))

    def go_away(self, player: int) -> None:
        book, days = self.books[player], self.chance.randint(1, 3)
        if book.current(self.now) or book.days_left(self.now) < 2 * days:
            return
        self.books[player] = leave(book, self.now + days * DAY, self.now)
        self.returns.setdefault(player, []).append([self.true + days * DAY] * 2)
        for board in self.boards:
            if board.clock.player_id == player and not board.is_over:
                self.plan(board)

    def maintain(self, seconds: int) -> None:
        since = self.now
        self.now += seconds
        self.disturbed.append((self.true, seconds))
        for board in self.boards:
            own = self.books[board.clock.player_id]
            board.clock = stand_still(board.clock, own, since, self.now)
            self.plan(board)
        self.awake, self.settled = self.awake_now(), self.now

    def end_turn(self, board: Board) -> None:
        """See how long the turn was and how many letters it took; the next begins."""
        late = board.clock.player_id
        returns = [end for end in self.returns.get(late, ()) if max(end) >= board.began]
        disturbed = self.disturbances(board)
        away = self.days_away(late, board)
        again = len(returns) + len(disturbed)
        years = 1 + utc(self.now).year - utc(board.clock.began_at).year if away else 0
        # A warning comes a tick late, once more after a sleep, and so does the end; and so does the
        # last day of vacation of each year.
        most = board.limits.turn + GRACE + (3 + years) * self.rest
        most += away + sum(disturbed) + again * (GRACE + 2 * self.rest)
        assert self.true - board.began <= most, (self.seed, self.true - board.began, most)
        kinds = [kind for _, kind in board.told]
        assert kinds.count(REMINDED) <= len(board.limits.rungs)
        # Of each limit, again after a sleep, and after each vacation; a disturbance begins it anew.
        warnings = 2 + (board.limits.total is not None) + again + len(disturbed)
        assert kinds.count(WARNED) == kinds.count(OPPONENT_WARNED) <= warnings
        letters = len(board.limits.rungs) + 2 * warnings + 2 * years * (1 + LOW_DAYS)
        assert board.letters <= letters
        board.began, board.told, board.letters = self.true, [], 0

    def disturbances(self, board: Board) -> list[int]:
        """Return how long each disturbance of a board's turn was."""
        return [length for at, length in self.disturbed if at >= board.began]

    def days_away(self, player: int, board: Board) -> int:
        since = board.began - self.behind - DAY
        return sum(a.end - a.start for a in self.books[player].absences if a.end >= since)


def check(rhythm: str, seeds: range) -> None:
    for seed in seeds:
        for is_eventful in (False, True):
            Club(f"{rhythm} {seed}", RHYTHMS[rhythm], is_eventful).live()


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("rhythm", RHYTHMS)
def test_nobody_loses_unwarned_and_nobody_waits_for_ever(rhythm: str) -> None:
    check(rhythm, range(10))


@pytest.mark.slow
@pytest.mark.parametrize("rhythm", RHYTHMS)
def test_nobody_does_so_whatever_the_players_and_the_clocks_do(rhythm: str, *, full: bool) -> None:
    check(rhythm, range(10, 1000 if full else 100))
