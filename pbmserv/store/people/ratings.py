"""Ratings: where each player stands in each game, and every change with the match that made it."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from pbmserv.club.player import PlayerStatus
from pbmserv.club.rating import NO_SHIFT, Rating, parse_shift
from pbmserv.club.standing import RatedGame, RatingChange, Standing, Standings
from pbmserv.engine.position import Side
from pbmserv.store.connection import Repository
from pbmserv.store.progress import teller
from pbmserv.store.tables import IS_RUNNING, match, player, rating, rating_change, upsert

FIRST = upsert(rating)
CHUNK = 2000
"""Games read in one statement where all are."""


IS_RATED = (match.c.finished_at.is_not(None), match.c.is_rated == 1, match.c.is_early.is_(None))


class StandingRow(NamedTuple):
    """One line of the table of standings; ``running`` counts the player's running matches."""

    player_id: int
    userid: str
    standing: Standing
    running: int
    seen_at: int | None
    is_robot: bool


class RatedRow(NamedTuple):
    """A stored change beside the match that made it, as the match is now."""

    id: int
    game: RatedGame
    number: int
    change: RatingChange
    counts: bool
    """Whether the match is finished and rated, as it must be."""


class Ratings(Repository):
    """Ratings, and every change of them."""

    def hold(self) -> None:
        """Lock all ratings until the transaction ends, after waiting for pending changes."""
        # On SQLite a writing transaction is alone with the whole database already.
        if self._connection.dialect.name == "postgresql":
            self._connection.exec_driver_sql(
                "LOCK TABLE rating, rating_change IN SHARE ROW EXCLUSIVE MODE"
            )

    def lock(self, player_ids: Iterable[int], game: str) -> dict[int, Standing]:
        """Return where these players stand; nobody else changes it until the transaction ends."""
        wanted = sorted(set(player_ids))
        values = {"game": game, **_values(Standing())}
        chosen = (
            sa.select(rating)
            .where(rating.c.game == game, rating.c.player_id.in_(wanted))
            .order_by(rating.c.player_id)
            .with_for_update()
        )
        held: dict[int, Standing] = {}
        # A row that was there may be gone again before it is locked: then it is made anew.
        while len(held) < len(wanted):
            self._connection.execute(FIRST, [{**values, "player_id": p} for p in wanted])
            held = {row.player_id: _standing(row) for row in self._connection.execute(chosen)}
        return held

    def save(self, player_id: int, game: str, standing: Standing) -> None:
        """Store where the player stands; :meth:`lock` must have made the row."""
        chosen = rating.c.player_id == player_id, rating.c.game == game
        self._change(rating.update().where(*chosen).values(**_values(standing)))

    def add(self, changes: Iterable[tuple[str, RatingChange]]) -> None:
        """Store what matches have changed, each change with the game that was played."""
        rows = [
            {
                "match_id": change.match_id,
                "player_id": change.player_id,
                "game": game,
                "at": change.after.last_at,
                "before": change.before,
                "value": change.after.value,
                "deviation": change.after.deviation,
                "volatility": change.after.volatility,
            }
            for game, change in changes
        ]
        self._add_rows(rating_change, rows)

    def of_match(self, match_id: int) -> dict[int, RatingChange]:
        """Return what this match has changed, by player; nothing if it is unrated or runs."""
        chosen = sa.select(rating_change).where(rating_change.c.match_id == match_id)
        return {row.player_id: _change(row) for row in self._connection.execute(chosen)}

    def history(self, player_id: int, game: str) -> list[RatingChange]:
        """Return every change of a player's rating in a game, in order."""
        chosen = (
            sa.select(rating_change)
            .where(rating_change.c.player_id == player_id, rating_change.c.game == game)
            .order_by(rating_change.c.id)
        )
        return [_change(row) for row in self._connection.execute(chosen)]

    def lines(
        self, game: str, player_ids: Sequence[int], *, limit: int, offset: int = 0
    ) -> list[StandingRow]:
        """Return the standings in a game, the highest rating first.

        Of these players, whoever has no rated game as well, or of all who have an account and a
        rated game.
        """
        wanted = sa.and_(rating.c.player_id == player.c.id, rating.c.game == game)
        columns = (
            *(player.c.id, player.c.userid, player.c.seen_at, player.c.robot),
            *(column for column in rating.c if column.name not in {"player_id", "game"}),
            _running(match.c.first_id, game).label("running_first"),
            _running(match.c.second_id, game).label("running_second"),
        )
        if player_ids:
            chosen = sa.select(*columns).select_from(player.outerjoin(rating, wanted))
            chosen = chosen.where(player.c.id.in_(player_ids))
        else:
            is_open = player.c.status == PlayerStatus.ACTIVE.value
            chosen = sa.select(*columns).select_from(rating.join(player, wanted))
            chosen = chosen.where(rating.c.game == game, is_open)
        ordered = chosen.order_by(rating.c.value.desc(), rating.c.player_id.desc())
        rows = self._connection.execute(ordered.limit(limit).offset(offset))
        lines = [_line(row) for row in rows]
        return sorted(lines, key=lambda line: -line.standing.rating.value)

    def rated(self, after: int, limit: int) -> list[RatedRow]:
        """Return the next changes after this id in the order in which games were rated."""
        names = ("number", "x_id", "o_id", "winner", "finished_at", "shift")
        made_by = [match.c[name] for name in names]
        chosen = (
            sa.select(rating_change, *made_by, sa.and_(*IS_RATED).label("counts"))
            .join(match, rating_change.c.match_id == match.c.id)
            .where(rating_change.c.id > after)
            .order_by(rating_change.c.id)
            .limit(limit)
        )
        return [_rated_row(row) for row in self._connection.execute(chosen)]

    def unrecorded(self, after: int, limit: int) -> list[tuple[int, str, int]]:
        """Return the next finished rated matches that changed no rating: id, game and number."""
        known = sa.select(rating_change.c.id).where(rating_change.c.match_id == match.c.id)
        chosen = (
            sa.select(match.c.id, match.c.game, match.c.number)
            .where(match.c.id > after, *IS_RATED, ~known.exists())
            .order_by(match.c.id)
            .limit(limit)
        )
        return [(row.id, row.game, row.number) for row in self._connection.execute(chosen)]

    def count(self) -> int:
        """Return how many matches count for ratings."""
        return self._number(sa.select(sa.func.count(match.c.id)).where(*IS_RATED)) or 0

    def finished(self, after: tuple[int, int], limit: int) -> list[RatedGame]:
        """Return the next rated matches that ended after this time and id, in that order."""
        key = sa.tuple_(match.c.finished_at, match.c.id)
        chosen = (
            sa.select(match)
            .where(*IS_RATED, key > sa.tuple_(*after))
            .order_by(match.c.finished_at, match.c.id)
            .limit(limit)
        )
        return [_game(row, row.id) for row in self._connection.execute(chosen)]

    def of_player(self, player_id: int) -> dict[str, Standing]:
        """Return where a player stands in each game in which they have a rated one."""
        own = sa.select(rating).where(rating.c.player_id == player_id).order_by(rating.c.game)
        return {row.game: _standing(row) for row in self._connection.execute(own)}

    def all(self) -> dict[tuple[int, str], Standing]:
        """Return where everybody stands who has a rated game, by player and game."""
        rows = self._connection.execute(sa.select(rating))
        return {(row.player_id, row.game): _standing(row) for row in rows}

    def rebuild(self) -> int:
        """Store all ratings as the finished games give them; return how many games there were.

        A game that ends meanwhile is rated before or after all this, never in the midst of it.
        """
        self.hold()
        self._change(rating_change.delete())
        self._change(rating.delete())
        standings = Standings()
        count, last, tell = 0, (0, 0), teller(self.count)
        while chunk := self.finished(last, CHUNK):
            self.add(
                (played.game, change)
                for played in chunk
                for change in standings.add(played).values()
            )
            count += len(chunk)
            last = (chunk[-1].ended_at, chunk[-1].match_id)
            tell(count)
        rows = [
            {"player_id": player_id, "game": game, **_values(standing)}
            for (player_id, game), standing in standings.by_player.items()
        ]
        self._add_rows(rating, rows)
        return count


def _running(side: sa.ColumnElement[int], game: str) -> sa.ScalarSelect[int]:
    """Count the running matches of the line's player at this side, those against oneself once."""
    at_side = side == player.c.id, match.c.game == game
    counted = sa.select(sa.func.count()).where(*at_side, IS_RUNNING)
    if side is match.c.second_id:
        counted = counted.where(match.c.first_id != match.c.second_id)
    return counted.correlate(player).scalar_subquery()


def _line(row: sa.Row[Any]) -> StandingRow:
    standing = Standing() if row.value is None else _standing(row)
    running = row.running_first + row.running_second
    return StandingRow(row.id, row.userid, standing, running, row.seen_at, row.robot is not None)


def _standing(row: sa.Row[Any]) -> Standing:
    found = Rating(row.value, row.deviation, row.volatility, row.rated_at)
    return Standing(found, row.won, row.lost, row.drawn)


def _values(standing: Standing) -> dict[str, Any]:
    found = standing.rating
    return {
        "value": found.value,
        "deviation": found.deviation,
        "volatility": found.volatility,
        "rated_at": found.last_at,
        "won": standing.won,
        "lost": standing.lost,
        "drawn": standing.drawn,
    }


def _change(row: sa.Row[Any]) -> RatingChange:
    after = Rating(row.value, row.deviation, row.volatility, row.at)
    return RatingChange(row.match_id, row.player_id, row.before, after)


def _rated_row(row: sa.Row[Any]) -> RatedRow:
    game = _game(row, row.match_id)
    return RatedRow(row.id, game, row.number, _change(row), bool(row.counts))


def _game(row: sa.Row[Any], match_id: int) -> RatedGame:
    winner = None if row.winner is None else Side(row.winner)
    players = {Side.X: row.x_id, Side.O: row.o_id}
    shift = parse_shift(row.shift) if row.shift else NO_SHIFT
    return RatedGame(match_id, row.game, players, winner, row.finished_at or 0, shift)
