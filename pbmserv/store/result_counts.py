"""Figures of the club and of players, counted by the database from the finished matches.

A million moves are some ten thousand matches: counting them anew takes a fraction of a second,
and nothing that is kept beside them can ever be wrong.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from pbmserv.club.statistics import PlayerStatistics, Results, Statistics
from pbmserv.engine.position import Side
from pbmserv.store.connection import Part
from pbmserv.store.tables import match, move, origin, player

IS_FINISHED = match.c.finished_at.is_not(None)

# In a game against oneself the seats tell nothing of a swap.
SWAPPED_AGAINST_ONESELF = sa.exists().where(
    move.c.match_id == match.c.id, move.c.ply == 2, move.c.text == "swap"
)
IS_SWAPPED = sa.case(
    (match.c.first_id == match.c.second_id, sa.case((SWAPPED_AGAINST_ONESELF, 1), else_=0)),
    (match.c.x_id != match.c.first_id, 1),
    else_=0,
)
BY_SPEC = (
    sa.select(
        match.c.spec,
        match.c.winner,
        IS_SWAPPED.label("is_swapped"),
        sa.func.count().label("games"),
        sa.func.sum(match.c.ply).label("turns"),
    )
    .where(IS_FINISHED)
    .group_by(match.c.spec, match.c.winner, sa.text("is_swapped"))
)
FIRST_MOVES = (
    sa.select(match.c.spec, move.c.text, sa.func.count().label("games"))
    .join(move, sa.and_(move.c.match_id == match.c.id, move.c.ply == 1))
    .outerjoin(origin, origin.c.match_id == match.c.id)
    .where(IS_FINISHED, origin.c.match_id.is_(None))
    .group_by(match.c.spec, move.c.text)
)


@dataclass(frozen=True)
class PlayerFigures:
    """A player's finished matches of one game: those with a swap apart, and all their turns."""

    plain: PlayerStatistics
    swapped: PlayerStatistics
    turns: int

    @property
    def all(self) -> PlayerStatistics:
        """The results of all matches."""
        return self.plain + self.swapped

    @property
    def games(self) -> int:
        """How many matches there were."""
        return self.all.won + self.all.lost + self.all.drawn


class Figures(Part):
    """What can be counted, within one transaction."""

    def of_club(self) -> dict[str, Statistics]:
        """Return the figures of each game with its options, by the game's spec."""
        found: dict[str, Statistics] = {}
        for row in self._connection.execute(BY_SPEC):
            results = _results(row)
            none = Results()
            plain, swapped = (none, results) if row.is_swapped else (results, none)
            added = Statistics(plain, swapped, int(row.turns))
            found[row.spec] = found.get(row.spec, Statistics()) + added
        for row in self._connection.execute(FIRST_MOVES):
            found[row.spec] += Statistics(first_moves={row.text: row.games})
        return found

    def of_player(self, player_id: int) -> dict[str, PlayerFigures]:
        """Return a player's figures in each game; games against oneself do not count."""
        found: dict[str, PlayerFigures] = {}
        nothing = PlayerFigures(PlayerStatistics(), PlayerStatistics(), 0)
        for row in self._rows_of(player_id):
            with_x, with_o = (_results(row), Results())
            if not row.is_x:
                with_x, with_o = with_o, with_x
            added = PlayerStatistics(with_x, with_o)
            before = found.get(row.game, nothing)
            found[row.game] = PlayerFigures(
                before.plain if row.is_swapped else before.plain + added,
                before.swapped + added if row.is_swapped else before.swapped,
                before.turns + int(row.turns),
            )
        return found

    def boards(self) -> dict[str, int]:
        """Return how many boards are running, were finished and were removed."""
        counted = sa.select(match.c.status, sa.func.count()).group_by(match.c.status)
        found: dict[str, int] = {row[0]: row[1] for row in self._connection.execute(counted)}
        return {
            "running": found.get("running", 0),
            "finished": found.get("won", 0) + found.get("drawn", 0),
            "removed": found.get("removed", 0),
        }

    def players(self) -> int:
        """Return how many accounts are open."""
        active = sa.select(sa.func.count()).where(player.c.status == "active")
        return int(self._connection.execute(active).scalar_one())

    def _rows_of(self, player_id: int) -> Iterator[sa.Row[Any]]:
        for side, other in (
            (match.c.first_id, match.c.second_id),
            (match.c.second_id, match.c.first_id),
        ):
            is_x = sa.case((match.c.x_id == player_id, 1), else_=0)
            yield from self._connection.execute(
                sa.select(
                    match.c.game,
                    match.c.winner,
                    is_x.label("is_x"),
                    IS_SWAPPED.label("is_swapped"),
                    sa.func.count().label("games"),
                    sa.func.sum(match.c.ply).label("turns"),
                )
                .where(IS_FINISHED, side == player_id, other != player_id)
                .group_by(match.c.game, match.c.winner, sa.text("is_x"), sa.text("is_swapped"))
            )


def _results(row: sa.Row[Any]) -> Results:
    is_x, is_o = row.winner == Side.X.value, row.winner == Side.O.value
    return Results(
        row.games if is_x else 0, row.games if is_o else 0, 0 if is_x or is_o else row.games
    )
