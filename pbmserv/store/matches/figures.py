"""Figures of the club and of players, counted from the games that have ended."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from pbmserv.club.statistics import PlayerStatistics, Results, Statistics
from pbmserv.engine.position import Side
from pbmserv.store.connection import Repository
from pbmserv.store.tables import IS_RUNNING, match, player

IS_OVER = match.c.finished_at.is_not(None)
KIND = match.c.spec, match.c.winner, match.c.is_swapped, match.c.first_move
OF_CLUB = (
    sa.select(*KIND, sa.func.count().label("games"), sa.func.sum(match.c.turns).label("turns"))
    .where(IS_OVER)
    .group_by(*KIND)
)
"""Read from one index alone: no other column may be asked for."""


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


class Figures(Repository):
    """Statistics of the club and its players."""

    def of_club(self) -> dict[str, Statistics]:
        """Return the figures of each game with its options, by the game's spec."""
        found: dict[str, Statistics] = {}
        for row in self._connection.execute(OF_CLUB):
            results, none = _results(row.winner, row.games), Results()
            plain, swapped = (none, results) if row.is_swapped else (results, none)
            first = {} if row.first_move is None else {row.first_move: row.games}
            added = Statistics(plain, swapped, int(row.turns), first)
            found[row.spec] = found.get(row.spec, Statistics()) + added
        return found

    def of_player(self, player_id: int) -> dict[str, PlayerFigures]:
        """Return a player's figures in each game; games against oneself do not count."""
        found: dict[str, PlayerFigures] = {}
        nothing = PlayerFigures(PlayerStatistics(), PlayerStatistics(), 0)
        for row in self._rows_of(player_id):
            with_x, with_o = _results(row.winner, row.games), Results()
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
        running, finished = self._count(IS_RUNNING), self._count(IS_OVER)
        removed = self._count() - running - finished
        return {"running": running, "finished": finished, "removed": removed}

    def players(self) -> int:
        """Return how many accounts are open."""
        return self._number(sa.select(sa.func.count()).where(player.c.status == "active")) or 0

    def _count(self, *such: sa.ColumnElement[bool]) -> int:
        return self._number(sa.select(sa.func.count()).select_from(match).where(*such)) or 0

    def _rows_of(self, player_id: int) -> Iterator[sa.Row[Any]]:
        sides = match.c.first_id, match.c.second_id
        for side, other in (sides, sides[::-1]):
            is_x = sa.case((match.c.x_id == player_id, 1), else_=0)
            yield from self._connection.execute(
                sa.select(
                    match.c.game,
                    match.c.winner,
                    is_x.label("is_x"),
                    match.c.is_swapped,
                    sa.func.count().label("games"),
                    sa.func.sum(match.c.turns).label("turns"),
                )
                .where(IS_OVER, side == player_id, other != player_id)
                .group_by(match.c.game, match.c.winner, sa.text("is_x"), match.c.is_swapped)
            )


def _results(winner: str | None, games: int) -> Results:
    is_x, is_o = winner == Side.X.value, winner == Side.O.value
    return Results(games if is_x else 0, games if is_o else 0, 0 if is_x or is_o else games)
