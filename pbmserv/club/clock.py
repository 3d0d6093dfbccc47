"""The clock of a match: reminders, warnings, days of vacation and the end of a player's time.

Time is counted in whole seconds UTC, so that neither leap days nor daylight saving touch it. The
clock of the player on move runs, except during their vacations. :func:`settle` returns what is due:

* reminders to the late player, at ever longer intervals (:attr:`TimeLimits.rungs`);
* a *warning* to both players three days before the time for the turn, or for all turns, runs
  out. Nobody forfeits without a warning at least three days old. A warning from before the late
  player's vacation does not count: they are warned again and have three days again. Nor does one
  from before a sleep of the server (:func:`awake_since`), but the warning that follows it counts
  after any further sleep: else a clock would never end if every settlement came after a sleep;
* when the time has run out, a day of vacation taken for the player, if any is left in the year. It
  stops all their clocks, and no new warning follows. The day begins when the time ran out, not when
  that was noticed: else a daily tick that comes a moment early would find the last day still
  running, and give another one. If it is noticed late, all days since then are taken at once: else
  fortnightly ticks would take fewer days than each new year brings;
* then the end, by :func:`pbmserv.club.play.run_out`.

    >>> limits = TimeLimits(nag_days=2, forfeit_days=7)
    >>> clock, none = Clock(player_id=1, opponent_id=2, began_at=0), Vacations()
    >>> reminded = settle(clock, limits, none, 2 * DAY, awake=0)
    >>> [event.kind.value for event in reminded.events]
    ['reminded']
    >>> warned = settle(reminded.clock, limits, none, 4 * DAY, awake=0)
    >>> [(event.kind.value, event.player_id) for event in warned.events]
    [('warned', 1), ('opponent-warned', 2)]
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, NamedTuple

from pbmserv.club.time_limits import GRACE_DAYS, TimeLimits
from pbmserv.club.vacation import AbsenceKind, Vacations, take_automatic_day
from pbmserv.engine.moments import DAY
from pbmserv.errors import Fault

GRACE = GRACE_DAYS * DAY
SLEEP = 2 * DAY
"""A server that settled no clocks for longer than this was asleep.

It is less than :data:`GRACE`, and enough more than a day for a daily tick that comes late, or after
a day of 25 hours.
"""

LOW_DAYS = 3
"""Days of vacation left below which each one that is taken is worth a notice."""

AS_JSON = json.JSONEncoder(separators=(",", ":"))
"""Made once, because that takes longer than writing a clock with it."""


class TimeBudget(Enum):
    """The budget that runs out: the time for this turn, or for all turns of a player."""

    TURN = "turn"
    TOTAL = "total"


class ClockEventKind(Enum):
    """The kind of a clock's event."""

    REMINDED = "reminded"
    WARNED = "warned"
    OPPONENT_WARNED = "opponent-warned"
    VACATION_TAKEN = "vacation-taken"
    RAN_OUT = "ran-out"


@dataclass(frozen=True)
class ClockEvent:
    """One thing that a clock does.

    ``player_id`` is the recipient of a reminder or warning, else the player whose time ran out;
    ``ends_at`` is when their time will run out, or the vacation day ends. Players are told of a
    vacation day only if ``is_news``. With ``is_final`` no such day can follow.
    """

    kind: ClockEventKind
    player_id: int
    ends_at: int
    budget: TimeBudget = TimeBudget.TURN
    is_news: bool = True
    is_final: bool = False


class Warned(NamedTuple):
    """The last warning: when it was given, and how much of the budget was spent by then.

    With ``is_last`` no sleep of the server makes it void, because one made void a warning before it
    or in the same turn.
    """

    at: int
    spent: int
    is_last: bool = False

    def is_void(self, awake: int, now: int) -> bool:
        """Tell whether the server has slept since and woke up at ``awake``."""
        return self.at < awake <= now and not self.is_last


@dataclass(frozen=True)
class Clock:
    """The times of one match.

    ``used`` are the seconds that each player's finished turns took, by player id. ``rung`` counts
    the reminders that this turn is past.
    """

    player_id: int
    opponent_id: int
    began_at: int
    used: Mapping[int, int] = field(default_factory=dict)
    rung: int = 0
    turn_warning: Warned | None = None
    total_warnings: Mapping[int, Warned] = field(default_factory=dict)
    has_taken_vacation: bool = False

    def with_players_renamed(self, players: Mapping[int, int]) -> "Clock":
        """Return the clock with these player ids replaced."""
        used: dict[int, int] = {}
        for player, seconds in self.used.items():
            other = players.get(player, player)
            used[other] = used.get(other, 0) + seconds
        return replace(
            self,
            player_id=players.get(self.player_id, self.player_id),
            opponent_id=players.get(self.opponent_id, self.opponent_id),
            used=used,
            total_warnings={players.get(p, p): w for p, w in self.total_warnings.items()},
        )


@dataclass(frozen=True)
class Settlement:
    """The result of :func:`settle`: the clock, the late player's vacations and the events."""

    clock: Clock
    vacations: Vacations
    events: tuple[ClockEvent, ...] = ()


class Deadline(NamedTuple):
    """The moment by which a turn must be made, and whether its player was reminded."""

    at: int
    is_reminded: bool


class _Account(NamedTuple):
    """One budget of the player on move: what it allows, what is spent, and its last warning.

    ``warned`` is that warning too, if it counts.
    """

    budget: TimeBudget
    limit: int
    spent: int
    given: Warned | None
    warned: Warned | None

    @property
    def end(self) -> int:
        """The spending at which the time runs out, if a warning is given now or was before."""
        since = self.spent if self.warned is None else self.warned.spent
        return max(self.limit, since + GRACE)

    def needs_warning(self) -> bool:
        """Tell whether it is time for a warning that has not been given."""
        return self.warned is None and self.spent >= self.limit - GRACE

    def has_run_out(self, now: int) -> bool:
        """Tell whether the time is over, after due warning."""
        return self.warned is not None and self.spent >= self.end and now >= self.warned.at + GRACE


def awake_since(before: int | None, last_settled_at: int | None, now: int) -> int:
    """Return the moment since which the server has settled clocks without a long break.

    ``before`` is what this returned when clocks were last settled. A clock that was set back or
    forward by more than two days counts as a break.
    """
    if before is None or last_settled_at is None or before > now:
        return now
    return now if abs(now - last_settled_at) > SLEEP else before


def turn_to(clock: Clock, player_id: int, vacations: Vacations, now: int) -> Clock:
    """Return the clock after a turn, an undo or a swap, with this player on move.

    ``vacations`` are those of the player who was on move.
    """
    other = clock.opponent_id if player_id == clock.player_id else clock.player_id
    used = time_used(clock, vacations, now)
    return Clock(player_id, other, now, used, total_warnings=clock.total_warnings)


def time_used(clock: Clock, vacations: Vacations, now: int) -> dict[int, int]:
    """Return the seconds that each player has used, with those of the running turn."""
    used = {clock.player_id: 0, clock.opponent_id: 0} | dict(clock.used)
    used[clock.player_id] += _spent(clock, vacations, now)
    return used


def stand_still(clock: Clock, vacations: Vacations, since: int, until: int) -> Clock:
    """Return the clock at ``until`` with no more time spent than at ``since``.

    ``vacations`` are those of the player on move; days of them between the two count as used.
    """
    left = _spent(clock, vacations, since)
    moment = until
    for start, end in reversed(list(pauses(vacations, clock.began_at))):
        if start >= moment:
            continue
        if moment - end >= left:
            break
        left -= max(0, moment - end)
        moment = start
    return replace(clock, began_at=moment - left)


def without_future(clock: Clock, now: int) -> Clock:
    """Return the clock without moments after ``now``, for a system clock that was set back.

    A turn that begins after ``now`` begins now.
    """
    total = {player: each for player, each in clock.total_warnings.items() if each.at <= now}
    if clock.began_at > now:
        return Clock(clock.player_id, clock.opponent_id, now, clock.used, total_warnings=total)
    given = clock.turn_warning
    kept = None if given is None or given.at > now else given
    return replace(clock, turn_warning=kept, total_warnings=total)


def deadline(clock: Clock, limits: TimeLimits, vacations: Vacations) -> Deadline:
    """Return the moment by which the player on move must move, if their vacations do not change.

    Then the time for the turn, or for all turns, is over, and a warning three days old. Days of
    vacation that the clock would take after that are not counted.
    """
    spendings = [limits.turn]
    warnings = [clock.turn_warning]
    if limits.total is not None:
        spendings.append(limits.total - clock.used.get(clock.player_id, 0))
        warnings.append(clock.total_warnings.get(clock.player_id))
    ends = _when_spent(clock, vacations, spendings)
    at, warned = min(zip(ends, warnings, strict=True), key=lambda pair: pair[0])
    if warned is not None:
        at = max(at, warned.at + GRACE)
    return Deadline(at, clock.rung > 0 or any(warnings))


class StoredClock(NamedTuple):
    """The clock of a match with its limits."""

    match_id: int
    limits: TimeLimits
    clock: Clock


class Timing(NamedTuple):
    """A clock with the values it depends on.

    ``vacations`` are those of its players, by id; ``awake`` comes from :func:`awake_since`.
    """

    stored: StoredClock
    vacations: Mapping[int, Vacations]
    awake: int

    @property
    def deadline(self) -> Deadline:
        """When the turn must be made, while the match runs."""
        _, limits, clock = self.stored
        return deadline(clock, limits, self.vacations[clock.player_id])


def settle(
    clock: Clock, limits: TimeLimits, vacations: Vacations, now: int, *, awake: int
) -> Settlement:
    """Return the events due now; a second call at the same moment returns nothing more.

    ``vacations`` are those of the player on move, ``awake`` comes from :func:`awake_since`.
    """
    if not _is_due(clock, limits, vacations, now, awake):
        return Settlement(clock, vacations)
    accounts = _accounts(clock, limits, vacations, now, awake)
    for account in accounts:
        if account.has_run_out(now):
            return _run_out(clock, vacations, account, now)
    rung = sum(passed <= accounts[0].spent for passed in limits.rungs)
    if due := [account for account in accounts if account.needs_warning()]:
        return _warn(replace(clock, rung=rung), vacations, due, now, awake)
    ends_at = now + limits.turn - accounts[0].spent
    event = ClockEvent(ClockEventKind.REMINDED, clock.player_id, ends_at)
    return Settlement(replace(clock, rung=rung), vacations, (event,))


def due_at(
    clock: Clock, limits: TimeLimits, vacations: Vacations, *, awake: int, now: int = 0
) -> int:
    """Return the earliest moment from ``now`` on at which :func:`settle` would find something due.

    It holds until the clock, the vacations of the player on move or ``awake`` change. If only
    ``awake`` has changed, it may come early or late, but never misses a forfeit.
    """
    if not (vacations.absences or clock.turn_warning or clock.total_warnings):
        # Nearly every turn begins without vacations and warnings.
        spendings = [*limits.rungs[clock.rung :], limits.turn - GRACE]
        if limits.total is not None:
            spendings.append(limits.total - GRACE - clock.used.get(clock.player_id, 0))
        return max(now, clock.began_at + max(0, min(spendings)))
    # Days of vacation that were taken afterwards may cover moments that were due once.
    later = {moment for moment in _turning_points(clock, limits, vacations, awake) if moment > now}
    return next(
        moment
        for moment in sorted({*later, max(now, clock.began_at)})
        if _is_due(clock, limits, vacations, moment, awake)
    )


def _is_due(clock: Clock, limits: TimeLimits, vacations: Vacations, now: int, awake: int) -> bool:
    accounts = _accounts(clock, limits, vacations, now, awake)
    is_late = any(rung <= accounts[0].spent for rung in limits.rungs[clock.rung :]) or any(
        account.needs_warning() or account.has_run_out(now) for account in accounts
    )
    return is_late and vacations.current(now) is None


def _turning_points(clock: Clock, limits: TimeLimits, vacations: Vacations, awake: int) -> set[int]:
    """Return all moments of the turn at which something can become due."""
    spendings, total = [*limits.rungs, limits.turn - GRACE, limits.turn], limits.total
    moments = {awake}
    moments.update(end for _, end in pauses(vacations, clock.began_at))
    if warned := clock.turn_warning:
        spendings.append(warned.spent + GRACE)
        moments.add(warned.at + GRACE)
    if total is not None:
        before = clock.used.get(clock.player_id, 0)
        spendings += [total - GRACE - before, total - before]
        if warned := clock.total_warnings.get(clock.player_id):
            spendings.append(warned.spent + GRACE - before)
            moments.add(warned.at + GRACE)
    moments.update(_when_spent(clock, vacations, spendings))
    return {moment for moment in moments if moment >= clock.began_at}


def _accounts(
    clock: Clock, limits: TimeLimits, vacations: Vacations, now: int, awake: int
) -> list[_Account]:
    """Return the budgets of the player on move, that of the turn first."""
    back = max(
        (a.end for a in vacations.absences if a.kind is AbsenceKind.MANUAL and a.end <= now),
        default=0,
    )

    def account(budget: TimeBudget, limit: int, used: int, given: Warned | None) -> _Account:
        counts = given and given.at >= back and not given.is_void(awake, now)
        return _Account(budget, limit, used, given, given if counts else None)

    spent = _spent(clock, vacations, now)
    accounts = [account(TimeBudget.TURN, limits.turn, spent, clock.turn_warning)]
    if limits.total is not None:
        used = clock.used.get(clock.player_id, 0) + spent
        given = clock.total_warnings.get(clock.player_id)
        accounts.append(account(TimeBudget.TOTAL, limits.total, used, given))
    return accounts


def _warn(
    clock: Clock, vacations: Vacations, due: list[_Account], now: int, awake: int
) -> Settlement:
    """Warn both players of the budgets that are due, with the end of the first one."""
    spared = [
        given
        for given in (clock.turn_warning, clock.total_warnings.get(clock.player_id))
        if given is not None and (given.is_last or given.is_void(awake, now))
    ]
    has_slept = any(given.at >= clock.began_at for given in spared)
    for account in due:
        warned = Warned(now, account.spent, has_slept or account.given in spared)
        if account.budget is TimeBudget.TURN:
            clock = replace(clock, turn_warning=warned)
        else:
            warnings = {**clock.total_warnings, clock.player_id: warned}
            clock = replace(clock, total_warnings=warnings)
    first = min(due, key=lambda account: account.end - account.spent)
    ends_at = now + first.end - first.spent
    told = (
        (ClockEventKind.WARNED, clock.player_id),
        (ClockEventKind.OPPONENT_WARNED, clock.opponent_id),
    )
    rest = ends_at, first.budget, True, not vacations.days_a_year
    events = tuple(ClockEvent(kind, to, *rest) for kind, to in told)
    return Settlement(clock, vacations, events)


def _run_out(clock: Clock, vacations: Vacations, account: _Account, now: int) -> Settlement:
    """Take days of vacation for the late player, or end their time if none are left."""
    late, budget = clock.player_id, account.budget
    if not vacations.days_left(now):
        return Settlement(
            clock, vacations, (ClockEvent(ClockEventKind.RAN_OUT, late, now, budget),)
        )
    since = _ran_out_at(clock, vacations, account, now)
    # The last of the days since then, which ends after now, if its year has one left.
    last = now - (now - since) % DAY
    start = last if vacations.days_left(last) else now
    after = take_automatic_day(vacations, start, since=since)
    taken = after.absences[-1]
    is_news = not clock.has_taken_vacation or after.days_left(now) < LOW_DAYS
    event = ClockEvent(ClockEventKind.VACATION_TAKEN, late, taken.end, budget, is_news)
    untold = [replace(event, is_news=False)] * (taken.days - 1)
    return Settlement(replace(clock, has_taken_vacation=True), after, (*untold, event))


def _ran_out_at(clock: Clock, vacations: Vacations, account: _Account, now: int) -> int:
    """Return when the time of an account that is over ran out, the player not being away."""
    before = account.spent - _spent(clock, vacations, now)
    moments = _when_spent(clock, vacations, [account.end - before])
    moments += [absence.end for absence in vacations.absences if absence.end <= now]
    if account.warned is not None:
        moments.append(account.warned.at + GRACE)
    return max(moments)


def pauses(vacations: Vacations, since: int) -> Iterator[tuple[int, int]]:
    """Yield the vacations that end after ``since`` as pairs of start and end, in order."""
    for absence in vacations.absences:
        if since < absence.end and absence.start < absence.end:
            yield absence.start, absence.end


def _spent(clock: Clock, vacations: Vacations, now: int) -> int:
    """Return the seconds that this turn has used, never less than 0."""
    spent, moment = 0, clock.began_at
    for start, end in pauses(vacations, clock.began_at):
        spent += max(0, min(start, now) - moment)
        moment = max(moment, end)
    return spent + max(0, now - moment)


def _when_spent(clock: Clock, vacations: Vacations, spendings: Iterable[int]) -> list[int]:
    """Return the moments at which this turn will have used these seconds, without new vacations."""
    found = []
    stops = list(pauses(vacations, clock.began_at))
    for spending in spendings:
        left, moment = max(0, spending), clock.began_at
        for start, end in stops:
            if start - moment >= left:
                break
            left -= max(0, start - moment)
            moment = max(moment, end)
        found.append(moment + left)
    return found


def format_clock(clock: Clock) -> str:
    """Return the clock as one line of JSON, for storage."""
    warned = clock.turn_warning
    document = {
        "on": clock.player_id,
        "other": clock.opponent_id,
        "began": clock.began_at,
        "used": {str(player): seconds for player, seconds in clock.used.items()},
        "rung": clock.rung,
        "warned": warned and [*warned],
        "total": {str(player): [*warned] for player, warned in clock.total_warnings.items()},
        "vacation": clock.has_taken_vacation,
    }
    return AS_JSON.encode(document)


def parse_clock(text: str) -> Clock:
    """Return the clock that :func:`format_clock` wrote; raises :class:`Fault`."""
    try:
        found: dict[str, Any] = json.loads(text)
        return Clock(
            int(found["on"]),
            int(found["other"]),
            int(found["began"]),
            {int(player): int(seconds) for player, seconds in found["used"].items()},
            int(found["rung"]),
            None if found["warned"] is None else _parse_warned(found["warned"]),
            {int(player): _parse_warned(each) for player, each in found["total"].items()},
            bool(found["vacation"]),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Fault("A stored clock cannot be read.", code="damaged-clock") from error


def _parse_warned(stored: Sequence[int]) -> Warned:
    at, spent, *last = stored
    return Warned(int(at), int(spent), *map(bool, last))
