"""Figures of the club, as they were counted game by game, and of players, from their games."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sqlalchemy as sa

from pbmserv.club.match import MatchStatus
from pbmserv.club.statistics import PlayerStatistics, Results, Statistics
from pbmserv.engine.position import Side
from pbmserv.store.connection import Part
from pbmserv.store.kept_counts import IS_SWAPPED, Count, Kind, counted
from pbmserv.store.tables import match, player

IS_FINISHED = match.c.finished_at.is_not(None)
OVER = {MatchStatus.WON.value, MatchStatus.DRAWN.value}


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

    @cached_property
    def _counted(self) -> dict[Kind, Count]:
        return counted(self._connection)

    def of_club(self) -> dict[str, Statistics]:
        """Return the figures of each game with its options, by the game's spec."""
        found: dict[str, Statistics] = {}
        for kind, count in self._counted.items():
            if kind.status not in OVER:
                continue
            results, none = _results(kind.winner, count.games), Results()
            plain, swapped = (none, results) if kind.is_swapped else (results, none)
            first = {} if kind.first_move is None else {kind.first_move: count.games}
            added = Statistics(plain, swapped, count.turns, first)
            found[kind.spec] = found.get(kind.spec, Statistics()) + added
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
        found: Counter[str] = Counter()
        for kind, count in self._counted.items():
            found["finished" if kind.status in OVER else kind.status] += count.games
        return {state: found[state] for state in ("running", "finished", "removed")}

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


def _results(winner: str | None, games: int) -> Results:
    is_x, is_o = winner == Side.X.value, winner == Side.O.value
    return Results(games if is_x else 0, games if is_o else 0, 0 if is_x or is_o else games)
