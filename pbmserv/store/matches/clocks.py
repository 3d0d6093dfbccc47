"""The clocks of matches, found by when they are due, and the vacations of players."""

from collections.abc import Iterable
from itertools import starmap
from typing import NamedTuple

import sqlalchemy as sa

from pbmserv.club.clock import SLEEP, Clock, StoredClock, awake_since, format_clock, parse_clock
from pbmserv.club.time_limits import format_limits, parse_limits
from pbmserv.club.vacation import DAYS_A_YEAR, Absence, AbsenceKind, Vacations
from pbmserv.engine.moments import DAY
from pbmserv.errors import Refused
from pbmserv.store.connection import Repository, chunks
from pbmserv.store.faults import damaged
from pbmserv.store.matches.match_rows import AWAKE_SINCE, SETTLED, SETTLED_BEFORE
from pbmserv.store.tables import absence, clock, match, moment, player, upsert

# A player who could not be warned must not forfeit. So three moments are kept: when clocks were
# last settled, when before that, and since when without a break of more than SLEEP; after such a
# break whoever would lose is warned again first (club/clock.py). A clock that was set back would
# keep all boards waiting until the old time comes again: then all are due at once.

COLUMNS = sa.select(clock.c.match_id, clock.c.limits, clock.c.clock)
CHANGE = clock.update().where(clock.c.match_id == sa.bindparam("id"))
SET_MOMENT = upsert(moment, "at")
DAEMON = "daemon "


class DueClock(NamedTuple):
    """A match whose clock has something to do at a moment."""

    at: int
    match_id: int
    game: str
    number: int


FIRST = DueClock(-1, 0, "", 0)
"""Sorts before all clocks that are due."""


class Clocks(Repository):
    """The clocks of the matches."""

    def add(self, stored: StoredClock, due_at: int) -> None:
        """Store the clock of a new match."""
        texts = {"limits": format_limits(stored.limits), "clock": format_clock(stored.clock)}
        self._add_rows(clock, [{"match_id": stored.match_id, "due_at": due_at, **texts}])

    def find(self, match_id: int) -> StoredClock | None:
        """Return the clock of this match, None if it is played without one."""
        return next(iter(self.of([match_id])), None)

    def of(self, match_ids: Iterable[int]) -> list[StoredClock]:
        """Return the clocks of these matches, but for those that are played without one."""
        found: list[StoredClock] = []
        for some in chunks(match_ids):
            chosen = COLUMNS.where(clock.c.match_id.in_(some)).order_by(clock.c.match_id)
            found += starmap(stored_clock, self._connection.execute(chosen))
        return found

    def save(self, match_id: int, changed: Clock, due_at: int | None) -> None:
        """Store how the clock stands and when it is due, None if never again."""
        values = {"clock": format_clock(changed), "due_at": due_at}
        self._connection.execute(CHANGE, {**values, "id": match_id})

    def due(self, now: int, *, after: DueClock, limit: int) -> list[DueClock]:
        """Return the next matches that are due by now, the longest due first."""
        key = sa.tuple_(clock.c.due_at, clock.c.match_id)
        rows = self._connection.execute(
            sa.select(clock.c.due_at, clock.c.match_id, match.c.game, match.c.number)
            .join(match, clock.c.match_id == match.c.id)
            .where(clock.c.due_at <= now, key > sa.tuple_(*after[:2]))
            .order_by(clock.c.due_at, clock.c.match_id)
            .limit(limit)
        )
        return [DueClock(*row) for row in rows]

    def running(self, after: int, limit: int) -> list[StoredClock]:
        """Return the next clocks that run, by the ids of their matches; begin after 0."""
        chosen = COLUMNS.where(clock.c.due_at.is_not(None), clock.c.match_id > after)
        rows = self._connection.execute(chosen.order_by(clock.c.match_id).limit(limit))
        return [*starmap(stored_clock, rows)]

    def on_move(self, player_id: int) -> list[StoredClock]:
        """Return the clocks that run for this player, their matches locked until the end."""
        # The match before its clock, as a move has them, and the clock not older than the lock.
        moving = sa.select(match.c.id).where(match.c.next_id == player_id).order_by(match.c.id)
        return self.of(self._column(moving.with_for_update()))

    def awake(self, now: int) -> int:
        """Return since when clocks have been settled without a long break."""
        found = self._moments()
        return awake_since(found.get(AWAKE_SINCE), found.get(SETTLED), now)

    def settled_at(self) -> int | None:
        """Return when clocks were last settled by a tick, None if never."""
        return self._moments().get(SETTLED)

    def last_rest(self) -> int:
        """Return for how many seconds clocks were not settled before the last time; 0 if never."""
        found = self._moments()
        return found[SETTLED] - found[SETTLED_BEFORE] if SETTLED_BEFORE in found else 0

    def note_daemon(self, name: str, now: int, *, is_over: bool = False) -> None:
        """Note that a program looks after the club, or no longer; one is forgotten in a day."""
        own = {"name": f"{DAEMON}{name}", "at": now}
        self._connection.execute(SET_MOMENT, own)
        is_gone = moment.c.at < now - DAY
        if is_over:
            is_gone |= moment.c.name == own["name"]
        self._change(moment.delete().where(moment.c.name.startswith(DAEMON), is_gone))

    def _moments(self) -> dict[str, int]:
        return {row.name: int(row.at) for row in self._connection.execute(sa.select(moment))}

    def wake(self, now: int, *, has_stood: bool = False) -> int:
        """Note that clocks are being settled now; return since when without a long break.

        They were missed since the last time, unless all of them ``has_stood`` still until now.
        """
        since, settled = self.awake(now), self.settled_at()
        before = now if settled is None or has_stood else settled
        values = {AWAKE_SINCE: since, SETTLED: now, SETTLED_BEFORE: before}
        rows = [{"name": name, "at": at} for name, at in values.items()]
        self._connection.execute(SET_MOMENT, rows)
        if before - now > SLEEP:
            # The clock was set back: when clocks are due was worked out by the other time.
            self._change(clock.update().where(clock.c.due_at > now).values(due_at=now))
        return since


class Absences(Repository):
    """The vacations of the players."""

    def of(
        self, player_ids: Iterable[int], days_a_year: int = DAYS_A_YEAR, *, lock: bool = False
    ) -> dict[int, Vacations]:
        """Return the vacations of each of these players.

        ``days_a_year`` matters only to who asks how many days are left. With ``lock`` nobody
        else changes the vacations until the transaction ends.
        """
        wanted = sorted(set(player_ids))
        if lock:
            rows = sa.select(player.c.id).where(player.c.id.in_(wanted)).order_by(player.c.id)
            # key_share: whoever only refers to these players, as every move does, need not wait.
            self._connection.execute(rows.with_for_update(key_share=True))
        chosen = sa.select(absence).where(absence.c.player_id.in_(wanted))
        in_order = chosen.order_by(absence.c.player_id, absence.c.position)
        found: dict[int, list[Absence]] = {player_id: [] for player_id in wanted}
        for row in self._connection.execute(in_order):
            kind = AbsenceKind(row.kind)
            found[row.player_id].append(Absence(row.start_at, row.end_at, kind))
        return {each: Vacations(tuple(absences), days_a_year) for each, absences in found.items()}

    def save(self, player_id: int, vacations: Vacations) -> None:
        """Store the player's vacations in place of those before."""
        self._change(absence.delete().where(absence.c.player_id == player_id))
        rows = [
            {
                "player_id": player_id,
                "position": position,
                "start_at": away.start,
                "end_at": away.end,
                "kind": away.kind.value,
            }
            for position, away in enumerate(vacations.absences)
        ]
        self._add_rows(absence, rows)


def stored_clock(match_id: int, limits: str, text: str) -> StoredClock:
    """Return the clock that is stored as these texts."""
    try:
        kept = parse_limits(limits)
    except Refused as error:
        raise damaged("Stored time limits cannot be read.", "damaged-clock") from error
    return StoredClock(match_id, kept, parse_clock(text))
