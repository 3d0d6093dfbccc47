"""The contents of the club's web pages, read in large pieces, without anything private."""

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from pbmserv.club.match import Match
from pbmserv.club.player import display_name
from pbmserv.club.tournament import TournamentStatus
from pbmserv.store.connection import Repository
from pbmserv.store.matches.match_rows import WHOLE, match_of
from pbmserv.store.tables import (
    IS_RUNNING,
    audit,
    chat,
    match,
    player,
    private_player,
    rating,
    rating_change,
    review,
    tournament,
)

OF_IDS = WHOLE.where(match.c.id.in_(sa.bindparam("ids", expanding=True)))
KIND = match.c.game, match.c.spec, match.c.first_move, match.c.winner, match.c.is_swapped
FIRST_MOVES = (
    sa.select(*KIND, sa.func.count().label("games"))
    .where(match.c.finished_at.is_not(None), match.c.first_move.is_not(None))
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


class RatingLine(NamedTuple):
    """A player's rating in one game, and the rated games behind it."""

    game: str
    value: float
    won: int
    lost: int
    drawn: int


class FirstMove(NamedTuple):
    """The number of finished games with this first move and end; ``winner`` is X, O or None."""

    game: str
    spec: str
    text: str
    winner: str | None
    is_swapped: bool
    games: int


class Published(Repository):
    """The contents of the club's pages, which anybody may see."""

    def newest_entry(self) -> int:
        """Return the number of the last line of the audit: whatever changes adds one."""
        return self._number(sa.select(sa.func.max(audit.c.id))) or 0

    def founded(self) -> int:
        """Return when the first account was opened, or 0."""
        return self._number(sa.select(player.c.created_at).order_by(player.c.id).limit(1)) or 0

    def revisions(self) -> dict[int, int]:
        """Return the revision of every match that was not removed, by its identity."""
        rows = sa.select(match.c.id, match.c.revision).where(match.c.status != "removed")
        return {row[0]: row[1] for row in self._connection.execute(rows)}

    def seated(self) -> dict[int, tuple[str, int, int]]:
        """Return the game and both players of every running match, by its identity."""
        columns = match.c.id, match.c.game, match.c.first_id, match.c.second_id
        rows = self._connection.execute(sa.select(*columns).where(IS_RUNNING))
        return {row[0]: (row[1], row[2], row[3]) for row in rows}

    def matches(self, ids: Sequence[int]) -> list[Match]:
        """Return these matches with their turns, in the order of their identities."""
        rows = self._connection.execute(OF_IDS.order_by(match.c.id), {"ids": ids})
        return [match_of(row, {}) for row in rows]

    def names(self) -> dict[int, PublicPlayer]:
        """Return everybody by their identity, as the pages may name them."""
        public = player.c.id, player.c.userid, player.c.status, player.c.created_at, player.c.robot
        hidden = private_player.c.player_id.label("private")
        everybody = sa.select(*public, hidden).outerjoin(
            private_player, private_player.c.player_id == player.c.id
        )
        return {
            row.id: PublicPlayer(
                row.userid if row.private is None else f"player {row.id}",
                row.status == "active",
                row.private is not None,
                row.created_at,
                row.robot is not None,
            )
            for row in self._connection.execute(everybody)
        }

    def hide(self, player_id: int, *, is_hidden: bool) -> None:
        """Keep a player's name off all pages from the next run on, or no longer."""
        own = private_player.c.player_id == player_id
        self._change(private_player.delete().where(own))
        if is_hidden:
            self._add_rows(private_player, [{"player_id": player_id}])

    def ratings(self) -> dict[int, list[RatingLine]]:
        """Return the ratings of each player who has one, by game."""
        found: dict[int, list[RatingLine]] = defaultdict(list)
        columns = (rating.c[name] for name in ("player_id", *RatingLine._fields))
        rated = sa.select(*columns).where(rating.c.rated_at.is_not(None))
        ordered = rated.order_by(rating.c.game)
        for player_id, *line in self._connection.execute(ordered):
            found[player_id].append(RatingLine(*line))
        return found

    def rated(self) -> dict[int, str]:
        """Return what changes with the change of anybody's rating, of every match that made one."""
        before, after = rating_change.c.before, rating_change.c.value
        ends = (each(column) for column in (before, after) for each in (sa.func.min, sa.func.max))
        chosen = sa.select(rating_change.c.match_id, *ends).group_by(rating_change.c.match_id)
        rows = self._connection.execute(chosen)
        return {row[0]: " ".join(f"{value:.0f}" for value in row[1:]) for row in rows}

    def changes(self, match_ids: Sequence[int]) -> dict[tuple[int, int], tuple[float, float]]:
        """Return what ratings these matches found and left, by match and player."""
        columns = (rating_change.c[name] for name in ("match_id", "player_id", "before", "value"))
        chosen = sa.select(*columns).where(rating_change.c.match_id.in_(match_ids))
        return {(row[0], row[1]): (row[2], row[3]) for row in self._connection.execute(chosen)}

    def first_moves(self, player_id: int | None = None) -> list[FirstMove]:
        """Return how finished games began and ended: everybody's, or one player's own moves."""
        own = sa.true() if player_id is None else match.c.first_id == player_id
        return [FirstMove(*row) for row in self._connection.execute(FIRST_MOVES.where(own))]

    def reviewed(self) -> dict[int, int]:
        """Return the revision of every match that the computer has looked back on."""
        rows = self._connection.execute(sa.select(review.c.match_id, review.c.revision))
        return {row[0]: row[1] for row in rows}

    def reviews(self, match_ids: Sequence[int]) -> dict[int, dict[str, Any]]:
        """Return what the computer thought of these matches as they are now."""
        chosen = (
            sa.select(review.c.match_id, review.c.document)
            .join(match, match.c.id == review.c.match_id)
            .where(match.c.revision == review.c.revision, review.c.match_id.in_(match_ids))
        )
        return {row[0]: json.loads(row[1]) for row in self._connection.execute(chosen)}

    def talked(self) -> dict[int, str]:
        """Return what changes with each remark made or removed, of every match that has one."""
        counted = sa.func.max(chat.c.id), sa.func.count()
        rows = sa.select(chat.c.match_id, *counted).group_by(chat.c.match_id)
        return {row[0]: f"{row[1]} {row[2]}" for row in self._connection.execute(rows)}

    def tournaments(self) -> list[tuple[int, str, str, TournamentStatus]]:
        """Return number, name, spec and status of all tournaments, the newest first."""
        columns = tournament.c.id, tournament.c.name, tournament.c.spec, tournament.c.status
        rows = self._connection.execute(sa.select(*columns).order_by(tournament.c.id.desc()))
        return [(number, name, spec, TournamentStatus(word)) for number, name, spec, word in rows]

    def said(self, match_ids: Sequence[int]) -> dict[int, list[tuple[int, int, str]]]:
        """Return who said what at these matches, and when, the oldest first."""
        found: dict[int, list[tuple[int, int, str]]] = defaultdict(list)
        columns = chat.c.match_id, chat.c.player_id, chat.c.at, chat.c.text
        chosen = sa.select(*columns).where(chat.c.match_id.in_(match_ids)).order_by(chat.c.id)
        for match_id, *line in self._connection.execute(chosen):
            found[match_id].append(tuple(line))
        return found
