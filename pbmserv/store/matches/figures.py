"""Figures of the club, counted as boards begin and end, and of players, from their games.

A row is added whenever a board begins, ends, or is opened again, and none is ever changed: on
PostgreSQL no game that ends waits for another one. What there is of a kind is the sum of its rows,
and from time to time a tick puts one row in the place of many.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import sqlalchemy as sa

from pbmserv.club.match import Match
from pbmserv.club.statistics import PlayerStatistics, Results, Statistics
from pbmserv.engine.position import SWAP, Side
from pbmserv.engine.record import Status
from pbmserv.engine.spec import format_game
from pbmserv.store.connection import Part
from pbmserv.store.tables import match, move, origin, player, result_count

SLACK = 500
"""So many rows more than there are kinds may wait to be put together."""


class Kind(NamedTuple):
    """What is counted together: boards in one state, finished ones by how they began and ended."""

    spec: str
    status: str
    winner: str | None = None
    is_swapped: int = 0
    first_move: str | None = None


class Count(NamedTuple):
    """So many boards, and the turns of those that are finished."""

    games: int
    turns: int


# In a game against oneself the seats tell nothing of a swap.
SWAPPED_AGAINST_ONESELF = sa.exists().where(
    move.c.match_id == match.c.id, move.c.ply == 2, move.c.text == SWAP.text
)
IS_SWAPPED = sa.case(
    (match.c.first_id == match.c.second_id, sa.case((SWAPPED_AGAINST_ONESELF, 1), else_=0)),
    (match.c.x_id != match.c.first_id, 1),
    else_=0,
)
IS_OVER = match.c.finished_at.is_not(None)
opening = move.alias("opening")
_KIND = Kind._fields
_OF_BOARDS = (
    sa.select(
        match.c.spec,
        match.c.status,
        match.c.winner,
        sa.case((IS_OVER, IS_SWAPPED), else_=0).label("is_swapped"),
        sa.case((sa.and_(IS_OVER, origin.c.match_id.is_(None)), opening.c.text)).label(
            "first_move"
        ),
        sa.func.count().label("games"),
        sa.func.sum(sa.case((IS_OVER, match.c.ply), else_=0)).label("turns"),
    )
    .outerjoin(opening, sa.and_(opening.c.match_id == match.c.id, opening.c.ply == 1))
    .outerjoin(origin, origin.c.match_id == match.c.id)
    .group_by(*(sa.text(f"match.{name}") for name in _KIND[:3]), *map(sa.text, _KIND[3:]))
)
_SUMMED = sa.select(
    *(result_count.c[name] for name in _KIND),
    sa.func.sum(result_count.c.games).label("games"),
    sa.func.sum(result_count.c.turns).label("turns"),
    sa.func.count().label("rows"),
).group_by(*(result_count.c[name] for name in _KIND))


OVER = {Status.WON.value, Status.DRAWN.value}


def kind_of(board: Match) -> Kind:
    """Return what a board is counted under; a first move only where it was free to choose."""
    spec, status = format_game(board.game), board.status
    if status.value not in OVER:
        return Kind(spec, status.value)
    winner = board.outcome.winner if board.outcome else None
    first = board.turns[0].text if board.turns and board.origin is None else None
    is_swapped = int(board.record.has_swap)
    return Kind(spec, status.value, winner.value if winner else None, is_swapped, first)


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

    def note(self, before: Match | None, after: Match) -> None:
        """Count a board that is new, or that changes from one kind to another."""
        counts: Counter[Kind] = Counter()
        turns: Counter[Kind] = Counter()
        for board, sign in ((before, -1), (after, 1)):
            if board is not None:
                kind = kind_of(board)
                counts[kind] += sign
                turns[kind] += sign * board.ply if kind.status in OVER else 0
        self._insert({kind: Count(counts[kind], turns[kind]) for kind in counts})

    def by_kind(self) -> dict[Kind, Count]:
        """Return how many boards there are of each kind."""
        return _by_kind(self._connection.execute(_SUMMED))

    def has_many_rows(self) -> bool:
        """Tell whether it is time to put rows together."""
        rows: list[int] = [row.rows for row in self._connection.execute(_SUMMED)]
        return sum(rows) > 2 * len(rows) + SLACK

    def put_together(self) -> None:
        """Put one row in the place of all of a kind; what others add meanwhile stays as it is."""
        gone = self._connection.execute(result_count.delete().returning(result_count))
        sums: dict[Kind, Count] = {}
        for _, *values, games, turns in gone:
            kind = Kind(*values)
            before = sums.get(kind, Count(0, 0))
            sums[kind] = Count(before.games + games, before.turns + turns)
        self._insert(sums)

    def recount(self) -> None:
        """Count all boards anew; a board that ends meanwhile is counted before or after that."""
        if self._connection.dialect.name == "postgresql":
            self._connection.exec_driver_sql("LOCK TABLE result_count IN SHARE ROW EXCLUSIVE MODE")
        self._connection.execute(result_count.delete())
        self._insert(_by_kind(self._connection.execute(_OF_BOARDS)))

    def wrong_specs(self) -> list[str]:
        """Return the games, with their options, whose boards were counted wrong."""
        kept, right = self.by_kind(), _by_kind(self._connection.execute(_OF_BOARDS))
        return sorted({kind.spec for kind, _ in kept.items() ^ right.items()})

    def of_club(self) -> dict[str, Statistics]:
        """Return the figures of each game with its options, by the game's spec."""
        found: dict[str, Statistics] = {}
        for kind, count in self.by_kind().items():
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
        for kind, count in self.by_kind().items():
            found["finished" if kind.status in OVER else kind.status] += count.games
        return {state: found[state] for state in ("running", "finished", "removed")}

    def players(self) -> int:
        """Return how many accounts are open."""
        return self._number(sa.select(sa.func.count()).where(player.c.status == "active")) or 0

    def _insert(self, counts: Mapping[Kind, Count]) -> None:
        rows = [{**k._asdict(), **count._asdict()} for k, count in counts.items() if any(count)]
        self._add_rows(result_count, rows)

    def _rows_of(self, player_id: int) -> Iterator[sa.Row[Any]]:
        sides = match.c.first_id, match.c.second_id
        for side, other in (sides, sides[::-1]):
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
                .where(IS_OVER, side == player_id, other != player_id)
                .group_by(match.c.game, match.c.winner, sa.text("is_x"), sa.text("is_swapped"))
            )


def _by_kind(rows: Iterable[sa.Row[Any]]) -> dict[Kind, Count]:
    found = {Kind(*row[: len(_KIND)]): Count(int(row.games), int(row.turns)) for row in rows}
    return {kind: count for kind, count in found.items() if any(count)}


def _results(winner: str | None, games: int) -> Results:
    is_x, is_o = winner == Side.X.value, winner == Side.O.value
    return Results(games if is_x else 0, games if is_o else 0, 0 if is_x or is_o else games)
