"""Matches: found by game and number, saved by their differences, listed without replaying."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any, NamedTuple

import sqlalchemy as sa

from pbmserv.club.clock import StoredClock, Timing, awake_since
from pbmserv.club.match import FIRST_NUMBER, Match, MatchSummary, Origin
from pbmserv.club.player import Seat
from pbmserv.club.rating import Shift
from pbmserv.club.selectors import SELECTORS, Selector
from pbmserv.club.vacation import Vacations
from pbmserv.engine.game import Game
from pbmserv.engine.games import game_names
from pbmserv.engine.spec import format_game
from pbmserv.store.connection import Repository, chunks
from pbmserv.store.faults import StoreFault
from pbmserv.store.matches.clocks import Absences, stored_clock
from pbmserv.store.matches.match_rows import WHOLE, WITH_SEATS, match_of, summary_of, values_of
from pbmserv.store.tables import (
    IS_RUNNING,
    chat,
    counter,
    encounter,
    match,
    move,
    offer,
    origin,
    recorded_name,
    submission,
)

# Lists are read along partial indices, one statement for each player and side, each with its
# LIMIT, and merged here: asked for in one statement, both databases sort all of a player's games.
# So the last 10 boards of Star of alice and bob cost four index scans of 10 rows, with a million
# boards as with ten. First only what orders the boards is read, then whole rows of those that are
# given.

PLACES = sa.select(match.c.id, match.c.game, match.c.number, match.c.to_move, match.c.changed_at)
"""The columns that put matches in order."""

RUNNING = PLACES.where(IS_RUNNING).order_by(match.c.game, match.c.number)
ENDED = PLACES.where(match.c.finished_at.is_not(None)).order_by(
    match.c.finished_at.desc(), match.c.id.desc()
)
LINES = WITH_SEATS.where(match.c.id.in_(sa.bindparam("ids", expanding=True)))
SIDES = (match.c.first_id, match.c.second_id)
NEXT = (match.c.next_id,)

ASKED = WITH_SEATS.where(
    IS_RUNNING,
    match.c.id.in_(
        sa.select(offer.c.match_id)
        .where(offer.c.answerer_id == sa.bindparam("player_id"))
        .correlate(None)
    ),
)

TRUTHS = {
    "in_tournament": sa.exists().where(encounter.c.match_id == match.c.id),
    **{column.name: column == 1 for column in match.c},
}
BY_NUMBER = (match.c.game == sa.bindparam("game"), match.c.number == sa.bindparam("number"))
ID = sa.select(match.c.id).where(*BY_NUMBER)
LOCKING = ID.with_for_update()
LOCKING_BY_ID = sa.select(match.c.id).where(match.c.id == sa.bindparam("id")).with_for_update()
FIND = WHOLE.where(*BY_NUMBER)
GET = WHOLE.where(match.c.id == sa.bindparam("id"))
STAMP = sa.select(
    match.c.revision,
    sa.select(sa.func.max(chat.c.id)).where(chat.c.match_id == match.c.id).scalar_subquery(),
).where(*BY_NUMBER)
SUBMISSIONS = sa.select(submission.c.player_id, submission.c.text).where(
    submission.c.match_id == sa.bindparam("id")
)
CHANGE = match.update().where(
    match.c.id == sa.bindparam("found_id"), match.c.revision == sa.bindparam("found_revision")
)
NEXT_NUMBER = sa.text(
    "INSERT INTO counter (name, value) VALUES (:name, :first) "
    "ON CONFLICT (name) DO UPDATE SET value = counter.value + 1 RETURNING value"
)


class MatchExtras(NamedTuple):
    """A match's plans, queued or cancelled, if it has any, and the state of its clock."""

    has_plans: bool
    timing: Timing | None


@dataclass(eq=False)
class Matches(Repository):
    """The matches with their turns."""

    locked: set[tuple[str, int]] = field(default_factory=set)
    """Matches that another statement has locked, and that were not read since."""
    _locked: dict[tuple[str, int], Match] = field(default_factory=dict)
    _rows: dict[int, Any] = field(default_factory=dict)

    def find(self, game: str, number: int, *, lock: bool = False) -> Match | None:
        """Return the match with this number, or None.

        With ``lock`` it is the caller's alone until the transaction ends. The row is locked
        before anything is read, so that nothing read is older than the lock.
        """
        key = {"game": game, "number": number}
        if not lock:
            return self._load(FIND, key)
        # Nobody else can have changed what was locked before: it is not read again.
        if (game, number) in self._locked:
            return self._locked[game, number]
        return self._load_locked(None if (game, number) in self.locked else LOCKING, FIND, key)

    def _load_locked(
        self, lock: sa.Select[Any] | None, statement: sa.Select[Any], key: Mapping[str, Any]
    ) -> Match | None:
        # On SQLite a writing transaction is alone with the whole database already.
        if lock is not None and self._connection.dialect.name != "sqlite":
            self._connection.execute(lock, key)
        found = self._load(statement, key)
        if found is not None:
            self._locked[found.game.name, found.number] = found
        return found

    def change_stamp(self, game: str, number: int) -> tuple[int, int]:
        """Return a stamp that differs after each change and remark at a match; it must exist."""
        revision, said = self._connection.execute(STAMP, {"game": game, "number": number}).one()
        return revision, said or 0

    def forget(self) -> None:
        """Forget what was found, because a part of the transaction is undone."""
        self.locked.clear()
        self._locked.clear()
        self._rows.clear()

    def forget_extras(self) -> None:
        """Forget what was found beside matches, because it may have been changed."""
        self._rows.clear()

    def extras(self, match_id: int, now: int) -> MatchExtras:
        """Return what a change of this match asks for beside the match itself."""
        row = self._row(match_id)
        if row.limits is None:
            return MatchExtras(bool(row.has_plans), None)
        players = (row.first_id, row.second_id)
        vacations = dict.fromkeys(players, Vacations())
        if row.has_absences:
            vacations = Absences(self._connection).of(players)
        stored = stored_clock(match_id, row.limits, row.clock)
        awake = awake_since(row.awake_since, row.settled_at, now)
        return MatchExtras(bool(row.has_plans), Timing(stored, vacations, awake))

    def find_due(self, game: str, number: int, now: int) -> Match | None:
        """Return the match, locked, if its clock has something to do by now."""
        found = self.find(game, number, lock=True)
        due = None if found is None else self._row(found.id).due_at
        return None if due is None or due > now else found

    def clock(self, match_id: int) -> tuple[StoredClock | None, int | None]:
        """Return the clock of this match, if it has one, and when that is due, if ever."""
        row = self._row(match_id)
        if row.limits is None:
            return None, None
        return stored_clock(match_id, row.limits, row.clock), row.due_at

    def _row(self, match_id: int) -> Any:
        if match_id not in self._rows:
            self._rows[match_id] = self._connection.execute(GET, {"id": match_id}).one()
        return self._rows[match_id]

    def _load(self, statement: sa.Select[Any], key: Mapping[str, Any]) -> Match | None:
        row = self._connection.execute(statement, key).one_or_none()
        if row is None:
            return None
        submissions = {}
        if row.has_submissions:
            submitted = self._connection.execute(SUBMISSIONS, {"id": row.id})
            submissions = {row.player_id: row.text for row in submitted}
        self._rows[row.id] = row
        return match_of(row, submissions)

    def get(self, match_id: int, *, lock: bool = False) -> Match | None:
        """Return the match with this database identity, or None; ``lock`` as in :meth:`find`."""
        key = {"id": match_id}
        return self._load_locked(LOCKING_BY_ID, GET, key) if lock else self._load(GET, key)

    def identity(self, game: str, number: int) -> int | None:
        """Return the database identity of the match with this number, without loading it."""
        if (game, number) in self._locked:
            return self._locked[game, number].id
        return self._number(ID, {"game": game, "number": number})

    def add(
        self,
        game: Game,
        first: Seat,
        second: Seat,
        now: int,
        *,
        is_rated: bool = True,
        is_imported: bool = False,
        recorded: tuple[str, str] = ("", ""),
        shift: Shift | None = None,
    ) -> Match:
        """Store a new match under the next number of its game, which is never given again."""
        number = self._next_number(game.name)
        added = Match(
            id=0,
            game=game,
            number=number,
            first=first,
            second=second,
            started_at=now,
            changed_at=now,
            is_rated=is_rated,
            is_imported=is_imported,
            shift=shift,
        )
        values = {
            "game": game.name,
            "number": number,
            "spec": format_game(game),
            "rules_version": game.rules_version,
            "first_id": first.player_id,
            "second_id": second.player_id,
            "is_rated": int(is_rated),
            "is_imported": int(is_imported),
            "started_at": now,
            "shift": None if shift is None else str(shift),
        }
        self._add_rows(match, [{**values, **values_of(added)}])
        stored = self.find(game.name, number)
        if stored is None:
            raise LookupError(f"{game.name} {number}")
        names = [
            {"match_id": stored.id, "place": place, "player_id": seat.player_id, "name": name}
            for place, (seat, name) in enumerate(zip((first, second), recorded, strict=True))
            if name
        ]
        self._add_rows(recorded_name, names)
        return replace(stored, recorded=recorded)

    def save(self, before: Match, after: Match) -> None:
        """Store the changes of a match; raises :class:`StoreFault` if others changed it."""
        # Only what has changed: the rest would have the database look at every index of the table.
        stored, values = values_of(before), values_of(after)
        changed = {name: value for name, value in values.items() if value != stored[name]}
        found = {"found_id": before.id, "found_revision": before.revision}
        row = {"revision": after.revision, **changed, **found}
        if self._connection.execute(CHANGE, row).rowcount != 1:
            raise StoreFault(
                f"{before.title} has changed in the meantime.",
                code="match-changed",
                hint="Nothing was changed. Look at the board again before you repeat the command.",
            )
        self._rows.pop(before.id, None)
        key = after.game.name, after.number
        if key in self._locked:
            self._locked[key] = after
        self._save_turns(before, after)
        if after.origin is not None and before.origin != after.origin:
            self._save_origin(after, after.origin)
        if before.offer != after.offer:
            self._save_offer(before, after)
        if before.submissions != after.submissions:
            self._save_submissions(before, after)

    def summaries(
        self,
        game: str | None = None,
        player_ids: Sequence[int] = (),
        *,
        selector: str = "all",
        limit: int | None = None,
    ) -> list[MatchSummary]:
        """Return matches line by line: running ones by number, then ended ones, newest first.

        Of one game or all, of these players or everybody, as one of ``SELECTORS`` chooses. Removed
        boards are nobody's.
        """
        found: list[MatchSummary] = []
        state, of_kind = SELECTORS[selector].state, _of_kind(SELECTORS[selector])
        if state != "ended":
            sides = NEXT if state == "waiting" else SIDES
            running = _of_each(_of_game(RUNNING, game), player_ids, sides)
            found = self._merged(running, of_kind, limit)
        if state == "waiting":
            lines = {line.id: line for line in (*found, *self._asked(game, player_ids, of_kind))}
            found = sorted(lines.values(), key=attrgetter("game", "number"))[:limit]
        if state in {"running", "waiting"} or (limit is not None and len(found) == limit):
            return found
        # The index of a player's ended matches has them by game.
        games = [game] if game or not player_ids else game_names()
        ended = [
            each for name in games for each in _of_each(_of_game(ENDED, name), player_ids, SIDES)
        ]
        return found + self._merged(ended, of_kind, None if limit is None else limit - len(found))

    def recent(self, games: Sequence[str], *, since: int, limit: int) -> list[MatchSummary]:
        """Return running matches of these or all games by number, then those ended since."""
        chosen: list[str | None] = [*sorted(set(games))] or [None]
        running = [_of_game(RUNNING, game) for game in chosen]
        found = self._merged(running, sa.true(), limit)
        ended = [_of_game(ENDED, game) for game in chosen]
        return found + self._merged(ended, match.c.finished_at >= since, limit - len(found))

    def lines(self, ids: Sequence[int]) -> list[MatchSummary]:
        """Return these matches line by line, in this order."""
        lines = {
            row.id: summary_of(row)
            for some in chunks(ids)
            for row in self._connection.execute(LINES, {"ids": some})
        }
        return [lines[match_id] for match_id in ids]

    def running_of(self, player_id: int) -> list[tuple[str, int]]:
        """Return game and number of every match that this player has running."""
        found = self.summaries(player_ids=[player_id], selector="active")
        return [(line.game, line.number) for line in found]

    def ids(self, since: int | None = None) -> list[int]:
        """Return the ids of all matches, removed ones among them, or of those changed since."""
        has_changed = sa.true() if since is None else match.c.changed_at >= since
        return self._column(sa.select(match.c.id).where(has_changed).order_by(match.c.id))

    def names(self, match_ids: Sequence[int]) -> list[tuple[int, str, int]]:
        """Return id, game and number of these matches, in the order of their ids."""
        chosen = sa.select(match.c.id, match.c.game, match.c.number)
        in_order = chosen.where(match.c.id.in_(match_ids)).order_by(match.c.id)
        return [(row.id, row.game, row.number) for row in self._connection.execute(in_order)]

    def last_plies(self, match_ids: Sequence[int]) -> dict[int, int]:
        """Return the number of the last turn of each of these matches that has any."""
        chosen = sa.select(move.c.match_id, sa.func.max(move.c.ply)).group_by(move.c.match_id)
        rows = self._connection.execute(chosen.where(move.c.match_id.in_(match_ids)))
        return {row[0]: row[1] for row in rows}

    def numbers(self, match_ids: Iterable[int]) -> dict[int, int]:
        """Return the number of each of these matches."""
        return {
            row.id: row.number
            for some in chunks(match_ids)
            for row in self._connection.execute(
                sa.select(match.c.id, match.c.number).where(match.c.id.in_(some))
            )
        }

    def wrong_columns(self, stored: Match) -> list[str]:
        """Return the columns of the match's row that its turns and its end do not bear out."""
        row = self._row(stored.id)
        return [name for name, value in values_of(stored).items() if getattr(row, name) != value]

    def wrong_counters(self) -> list[str]:
        """Return the games whose counter is behind the highest number given."""
        highest = sa.select(match.c.game, sa.func.max(match.c.number)).group_by(match.c.game)
        counters = {row.name: row.value for row in self._connection.execute(counter.select())}
        rows = self._connection.execute(highest)
        return [game for game, number in rows if counters.get(counter_name(game), 0) < number]

    def _next_number(self, game: str) -> int:
        values = {"name": counter_name(game), "first": FIRST_NUMBER}
        return int(self._connection.execute(NEXT_NUMBER, values).scalar_one())

    def _asked(
        self, game: str | None, player_ids: Sequence[int], condition: sa.ColumnElement[bool]
    ) -> Iterator[MatchSummary]:
        for player_id in player_ids:
            # All that there are: asked for by game or in order, SQLite would go through all
            # running boards.
            asked = ASKED.where(condition)
            for row in self._connection.execute(asked, {"player_id": player_id}):
                if game in {None, row.game}:
                    yield summary_of(row)

    def _merged(
        self, lists: Iterable[sa.Select[Any]], condition: sa.ColumnElement[bool], limit: int | None
    ) -> list[MatchSummary]:
        """Return the lines of several lists, merged as told above, each once."""
        places = {
            row.id: row
            for chosen in lists
            for row in self._connection.execute(chosen.where(condition).limit(limit))
        }
        return self.lines([row.id for row in sorted(places.values(), key=_place)[:limit]])

    def _save_turns(self, before: Match, after: Match) -> None:
        shared = before.ply
        while after.turns[:shared] != before.turns[:shared]:
            shared -= 1
        if shared < before.ply:
            self._change(move.delete().where(move.c.match_id == before.id, move.c.ply > shared))
        rows = [
            {"match_id": before.id, "ply": ply, **turn._asdict()}
            for ply, turn in enumerate(after.turns[shared:], start=shared + 1)
        ]
        self._add_rows(move, rows)

    def _save_origin(self, after: Match, began: Origin) -> None:
        source_id = self.identity(after.game.name, began.number)
        values = {"match_id": after.id, "source_id": source_id, "ply": began.ply}
        self._add_rows(origin, [values])

    def _save_offer(self, before: Match, after: Match) -> None:
        if before.offer is not None:
            self._change(offer.delete().where(offer.c.match_id == before.id))
        if after.offer is not None and after.offer_recipient is not None:
            values = {
                "match_id": before.id,
                "kind": after.offer.kind.value,
                "player_id": after.offer.player_id,
                "answerer_id": after.offer_recipient.player_id,
                "offered_at": after.changed_at,
                "result": after.offer.result or None,
                "moves": " ".join(after.offer.moves) or None,
            }
            self._add_rows(offer, [values])

    def _save_submissions(self, before: Match, after: Match) -> None:
        if before.submissions:
            self._change(submission.delete().where(submission.c.match_id == before.id))
        rows = [
            {"match_id": before.id, "player_id": player_id, "text": text}
            for player_id, text in after.submissions.items()
        ]
        self._add_rows(submission, rows)


def counter_name(game: str) -> str:
    """Return the name of the counter that numbers the boards of ``game``."""
    return f"board:{game}"


def _of_kind(chosen: Selector) -> sa.ColumnElement[bool]:
    """Return what a selector asks of a match beside its state."""
    asked = (TRUTHS[name] if wanted else ~TRUTHS[name] for name, wanted in chosen.has.items())
    return sa.and_(sa.true(), *asked)


def _of_game(statement: sa.Select[Any], game: str | None) -> sa.Select[Any]:
    return statement if game is None else statement.where(match.c.game == game)


def _of_each(
    chosen: sa.Select[Any], player_ids: Sequence[int], sides: Sequence[sa.Column[Any]]
) -> list[sa.Select[Any]]:
    """Return a list for each of the players at each of the sides, one list for everybody."""
    if not player_ids:
        return [chosen]
    return [chosen.where(side == player_id) for player_id in player_ids for side in sides]


def _place(row: sa.Row[Any]) -> tuple[bool, str, int, int]:
    """Return what puts running matches by game and number before ended ones, newest first."""
    # Nothing changes a match after its end.
    if row.to_move is not None:
        return False, row.game, row.number, 0
    return True, "", -row.changed_at, -row.id
