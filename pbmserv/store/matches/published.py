"""The contents of the club's web pages, without anything private."""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from pbmserv.club.match import Match
from pbmserv.club.player import ERASED, display_name
from pbmserv.club.tournament import TournamentStatus
from pbmserv.engine.games import game_names
from pbmserv.engine.moments import MAX_MOMENT, parse_moment, utc
from pbmserv.store.connection import Repository, chunks
from pbmserv.store.matches.match_rows import WHOLE, match_of, rows_text
from pbmserv.store.tables import (
    IS_RUNNING,
    absence,
    audit,
    chat,
    clock,
    encounter,
    match,
    player,
    private_player,
    rating,
    rating_change,
    review,
    tournament,
)

LATE_ENTRIES = 200
"""An entry of the audit may be committed after so many that have higher numbers."""

SIDES = (match.c.first_id, match.c.second_id)
before = audit.alias("before")
ENTRIES = sa.select(
    audit.c.id,
    audit.c.at,
    sa.select(sa.func.count())
    .where(before.c.id > audit.c.id - LATE_ENTRIES, before.c.id <= audit.c.id)
    .correlate(audit)
    .scalar_subquery(),
)
NEWEST = ENTRIES.order_by(audit.c.id.desc()).limit(1)
ENTRY = ENTRIES.where(audit.c.id == sa.bindparam("entry"))
WITH_PRIVATE = player.outerjoin(private_player, private_player.c.player_id == player.c.id)
EVERYBODY = sa.select(
    *(player.c.id, player.c.userid, player.c.status, player.c.created_at, player.c.robot),
    private_player.c.player_id.label("private"),
).select_from(WITH_PRIVATE)
HAS_PAGE = (player.c.status == "active", private_player.c.player_id.is_(None))
NOT_BEGUN = sa.case((match.c.ply == 0, 1), else_=0)
IS_OVER = match.c.finished_at.is_not(None)
OF_IDS = WHOLE.where(match.c.id.in_(sa.bindparam("ids", expanding=True)))
KIND = match.c.spec, match.c.winner, match.c.is_swapped, match.c.first_move
FIRST_MOVES = (
    sa.select(*KIND, sa.func.count().label("games"))
    .where(IS_OVER, match.c.first_move.is_not(None))
    .group_by(*KIND)
)


class PublicPlayer(NamedTuple):
    """A player as the pages name them: ``is_member`` where they have an account."""

    userid: str
    is_member: bool
    is_private: bool
    since: int
    is_robot: bool

    @property
    def name(self) -> str:
        """What stands on the pages: the userid, with a mark if it is the computer's."""
        return display_name(self.userid, is_robot=self.is_robot)

    @property
    def is_erased(self) -> bool:
        """Whether they erased their account; its userid says so."""
        return not self.is_member and self.userid.startswith(ERASED)

    @property
    def has_page(self) -> bool:
        """Whether there is a page about the player."""
        return self.is_member and not self.is_private


class RatingLine(NamedTuple):
    """A player's rating in one game."""

    game: str
    value: float


class FirstMove(NamedTuple):
    """The number of finished games with this first move and end; ``winner`` is X, O or None."""

    spec: str
    winner: str | None
    is_swapped: bool
    text: str
    games: int


STAMPS: sa.Select[Any] = sa.select(
    *(match.c.id, match.c.game, match.c.number, match.c.spec, match.c.status, *SIDES),
    *(match.c.changed_at, match.c.revision),
    rows_text(
        WITH_PRIVATE,
        "player_id player_userid player_status player_robot private_player_player_id",
        player.c.id.in_(SIDES),
    ),
    rows_text(clock, "match_id limits clock", clock.c.match_id == match.c.id),
    rows_text(absence, "player_id start_at end_at", IS_RUNNING, absence.c.player_id.in_(SIDES)),
    rows_text(
        rating,
        "player_id value",
        *(IS_RUNNING, rating.c.game == match.c.game, rating.c.player_id.in_(SIDES)),
    ),
    rows_text(rating_change, "player_id before value", rating_change.c.match_id == match.c.id),
    rows_text(review, "match_id revision", review.c.match_id == match.c.id),
    rows_text(
        chat.join(WITH_PRIVATE, chat.c.player_id == player.c.id),
        "chat_id player_userid private_player_player_id",
        chat.c.match_id == match.c.id,
    ),
)
"""Of a match all that its page shows, or what changes whenever that does."""

STAMP = STAMPS.where(
    match.c.game == sa.bindparam("game"),
    match.c.number == sa.bindparam("number"),
    match.c.status != "removed",
)


class BoardStamp(NamedTuple):
    """A match that may have a page; ``text`` differs whenever anything on that page does.

    ``picture`` differs whenever the position or a name does.
    """

    id: int
    game: str
    number: int
    spec: str
    status: str
    player_ids: frozenset[int]
    changed_at: int
    picture: str
    text: str


class Published(Repository):
    """The contents of the club's pages, which anybody may see."""

    def mark(self, entry: int | None = None) -> tuple[int, int, int]:
        """Return the number and time of a line of the audit, and how many there are before it.

        By default of the last one: whatever changes adds one. Not all before it are counted, but
        those that may be committed later; all figures are 0 if there is no such line.
        """
        row = self._connection.execute(NEWEST if entry is None else ENTRY, {"entry": entry}).first()
        return (0, 0, 0) if row is None else (row[0], row[1], row[2])

    def changes_since(self, entry: int) -> list[tuple[str, int | None, int | None]]:
        """Return what was done after this line of the audit: command, player and match."""
        columns = audit.c.verb, audit.c.player_id, audit.c.match_id
        done = sa.select(*columns).distinct().where(audit.c.id > entry, audit.c.outcome == "done")
        return [(row[0], row[1], row[2]) for row in self._connection.execute(done)]

    def stamp(self, game: str, number: int) -> BoardStamp | None:
        """Return the stamp of the match with this number, unless it was removed."""
        row = self._connection.execute(STAMP, {"game": game, "number": number}).first()
        return None if row is None else _stamp(row)

    def stamps(self, ids: Sequence[int]) -> list[BoardStamp]:
        """Return the stamps of these matches, removed ones among them, in their order."""
        rows = self._connection.execute(STAMPS.where(match.c.id.in_(ids)).order_by(match.c.id))
        return [_stamp(row) for row in rows]

    def running(
        self, limit: int, *, game: str = "", player_id: int = 0, are_begun_first: bool = False
    ) -> list[int]:
        """Return the running matches that changed last: all, or those of a game or a player."""
        such = [match.c.game == name for name in ([game] if game else game_names())]
        if player_id:
            such = [side == player_id for side in SIDES]
        # Sorted here: an index in this order would be written by every move.
        first = NOT_BEGUN if are_begun_first else sa.literal(0)
        key = first.label("rank"), -match.c.changed_at, -match.c.id
        chosen = sa.select(*key).where(IS_RUNNING).order_by(*key).limit(limit)
        rows = {tuple(row) for each in such for row in self._connection.execute(chosen.where(each))}
        return [-row[-1] for row in sorted(rows)[:limit]]

    def running_ids(self, player_ids: Collection[int]) -> set[int]:
        """Return the running matches of these players."""
        return {
            match_id
            for some in chunks(player_ids)
            for side in SIDES
            for match_id in self._column(sa.select(match.c.id).where(IS_RUNNING, side.in_(some)))
        }

    def running_counts(self, player_ids: Collection[int]) -> dict[int, int]:
        """Return how many matches each player has running; one against oneself counts once."""
        found = Counter[int]()
        for side, other in (SIDES, SIDES[::-1]):
            counted = sa.select(side, sa.func.count()).where(IS_RUNNING, side.in_(player_ids))
            if side is match.c.second_id:
                counted = counted.where(side != other)
            rows = self._connection.execute(counted.group_by(side))
            found.update({row[0]: row[1] for row in rows})
        return found

    def finished_years(self) -> dict[int, int]:
        """Return the years in which matches ended, and how many did in each."""
        key = match.c.finished_at
        ends = [
            self._number(sa.select(key).where(IS_OVER).order_by(at).limit(1))
            for at in (key, key.desc())
        ]
        years = () if None in ends else range(utc(ends[0] or 0).year, utc(ends[1] or 0).year + 1)
        counted = sa.select(sa.func.count()).select_from(match)
        counts = {year: self._number(counted.where(*_in_year(year))) or 0 for year in years}
        return {year: count for year, count in counts.items() if count}

    def first_end(self, match_ids: Collection[int], *, may_be_undone: bool) -> tuple[int, int]:
        """Return when the first of these matches ended: the year, and how many had before in it.

        One that is not over may have ended as soon as it began, if ends may be undone.
        """
        end, begin = match.c.finished_at, match.c.started_at if may_be_undone else sa.null()
        first = sa.select(sa.func.min(sa.func.coalesce(end, begin)))
        asked = (self._number(first.where(match.c.id.in_(some))) for some in chunks(match_ids))
        at = min((each for each in asked if each is not None), default=MAX_MOMENT)
        counted = sa.select(sa.func.count()).select_from(match)
        return utc(at).year, self._number(counted.where(*_in_year(utc(at).year), end < at)) or 0

    def finished_ids(self, *, offset: int, limit: int, year: int = 0) -> list[int]:
        """Return matches that have ended, in a year or ever, in the order in which they did."""
        ended = sa.select(match.c.id).order_by(match.c.finished_at, match.c.id)
        such = _in_year(year) if year else (IS_OVER,)
        return self._column(ended.where(*such).offset(offset).limit(limit))

    def founded(self) -> int:
        """Return when the first account was opened, or 0."""
        return self._number(sa.select(player.c.created_at).order_by(player.c.id).limit(1)) or 0

    def matches(self, ids: Sequence[int]) -> list[Match]:
        """Return these matches with their turns, in the order of their identities."""
        rows = self._connection.execute(OF_IDS.order_by(match.c.id), {"ids": ids})
        return [match_of(row, {}) for row in rows]

    def names(self, player_ids: Collection[int] | None) -> dict[int, PublicPlayer]:
        """Return these players by their identity, or all, as the pages may name them."""
        if player_ids is None:
            return self._players(EVERYBODY)
        found: dict[int, PublicPlayer] = {}
        for some in chunks(player_ids):
            found |= self._players(EVERYBODY.where(player.c.id.in_(some)))
        return found

    def members(self, *, offset: int, limit: int) -> dict[int, PublicPlayer]:
        """Return some of those who have a page, in the order of their names."""
        in_order = EVERYBODY.where(*HAS_PAGE).order_by(player.c.userid_key)
        return self._players(in_order.offset(offset).limit(limit))

    def count_members(self) -> int:
        """Return how many players have a page."""
        joined = sa.select(sa.func.count()).select_from(WITH_PRIVATE)
        return self._number(joined.where(*HAS_PAGE)) or 0

    def count_rated(self, game: str) -> int:
        """Return how many players have an account and a rating in a game."""
        joined = sa.select(sa.func.count()).select_from(rating.join(player))
        return self._number(joined.where(rating.c.game == game, player.c.status == "active")) or 0

    def _players(self, chosen: sa.Select[Any]) -> dict[int, PublicPlayer]:
        return {
            row.id: PublicPlayer(
                row.userid if row.private is None else f"player {row.id}",
                row.status == "active",
                row.private is not None,
                row.created_at,
                row.robot is not None,
            )
            for row in self._connection.execute(chosen)
        }

    def hide(self, player_id: int, *, is_hidden: bool) -> None:
        """Keep a player's name off all pages from the next run on, or no longer."""
        own = private_player.c.player_id == player_id
        self._change(private_player.delete().where(own))
        if is_hidden:
            self._add_rows(private_player, [{"player_id": player_id}])

    def ratings(self, player_ids: Collection[int]) -> dict[int, list[RatingLine]]:
        """Return the ratings by game of each of these players who has one."""
        found: dict[int, list[RatingLine]] = defaultdict(list)
        columns = (rating.c[name] for name in ("player_id", *RatingLine._fields))
        own = rating.c.player_id.in_(player_ids), rating.c.rated_at.is_not(None)
        rated = sa.select(*columns).where(*own).order_by(rating.c.game)
        for player_id, *line in self._connection.execute(rated):
            found[player_id].append(RatingLine(*line))
        return found

    def changes(self, match_ids: Sequence[int]) -> dict[tuple[int, int], tuple[float, float]]:
        """Return what ratings these matches found and left, by match and player."""
        columns = (rating_change.c[name] for name in ("match_id", "player_id", "before", "value"))
        chosen = sa.select(*columns).where(rating_change.c.match_id.in_(match_ids))
        return {(row[0], row[1]): (row[2], row[3]) for row in self._connection.execute(chosen)}

    def first_moves(self, player_id: int = 0) -> list[FirstMove]:
        """Return how finished games began and ended: all, or those that a player began."""
        own = match.c.first_id == player_id if player_id else sa.true()
        return sorted(
            (FirstMove(*row) for row in self._connection.execute(FIRST_MOVES.where(own))),
            key=lambda one: one._replace(winner=one.winner or ""),
        )

    def reviewed(self) -> tuple[int, int]:
        """Return what differs after each review of a match by the computer."""
        counted = sa.select(sa.func.count(), sa.func.sum(review.c.revision)).select_from(review)
        row = self._connection.execute(counted).one()
        return row[0], int(row[1] or 0)

    def reviews(self, match_ids: Sequence[int]) -> dict[int, dict[str, Any]]:
        """Return what the computer thought of these matches as they are now."""
        chosen = (
            sa.select(review.c.match_id, review.c.document)
            .join(match, match.c.id == review.c.match_id)
            .where(match.c.revision == review.c.revision, review.c.match_id.in_(match_ids))
        )
        return {row[0]: json.loads(row[1]) for row in self._connection.execute(chosen)}

    def tournaments(self) -> list[tuple[int, str, str, TournamentStatus]]:
        """Return number, name, spec and status of all tournaments, the newest first."""
        columns = tournament.c.id, tournament.c.name, tournament.c.spec, tournament.c.status
        rows = self._connection.execute(sa.select(*columns).order_by(tournament.c.id.desc()))
        return [(number, name, spec, TournamentStatus(word)) for number, name, spec, word in rows]

    def tournament_boards(self, number: int) -> list[int]:
        """Return the matches of a tournament that were not removed, in the order of their start."""
        own = encounter.c.tournament_id == number, match.c.status != "removed"
        joined = sa.select(match.c.id).join(encounter, encounter.c.match_id == match.c.id)
        return self._column(joined.where(*own).order_by(match.c.id))

    def tournaments_of(self, match_ids: Collection[int]) -> set[int]:
        """Return the tournaments to which these matches belong."""
        number, match_id = encounter.c.tournament_id, encounter.c.match_id
        asked = (sa.select(number).where(match_id.in_(some)) for some in chunks(match_ids))
        return {number for each in asked for number in self._column(each)}

    def said(self, match_ids: Sequence[int]) -> dict[int, list[tuple[int, int, str]]]:
        """Return who said what at these matches, and when, the oldest first."""
        found: dict[int, list[tuple[int, int, str]]] = defaultdict(list)
        columns = chat.c.match_id, chat.c.player_id, chat.c.at, chat.c.text
        chosen = sa.select(*columns).where(chat.c.match_id.in_(match_ids)).order_by(chat.c.id)
        for match_id, *line in self._connection.execute(chosen):
            found[match_id].append(tuple(line))
        return found


def _stamp(row: sa.Row[Any]) -> BoardStamp:
    values = list(row)
    match_id, game, number, spec, status, *players, changed_at, revision, names = values[:10]
    picture, text = repr((match_id, revision, names)), repr(values)
    them = frozenset(players)
    return BoardStamp(match_id, game, number, spec, status, them, changed_at, picture, text)


def _in_year(year: int) -> tuple[sa.ColumnElement[bool], sa.ColumnElement[bool]]:
    begin, end = (
        parse_moment(f"{year:04}-{rest}") for rest in ("01-01T00:00:00Z", "12-31T23:59:59Z")
    )
    return match.c.finished_at >= begin, match.c.finished_at <= end
