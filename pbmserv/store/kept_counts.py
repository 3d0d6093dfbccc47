"""How many boards are in which state, counted as they get there.

A row is added whenever a board begins, ends, or is opened again, and none is ever changed: on
PostgreSQL no game that ends waits for another one. What there is of a kind is the sum of its rows,
and from time to time a tick puts one row in the place of many.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa

from pbmserv.club.match import MatchStatus
from pbmserv.engine.position import SWAP
from pbmserv.engine.spec import format_game
from pbmserv.store.tables import match, move, origin, result_count

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pbmserv.club.match import Match

SLACK = 500
"""So many rows more than there are kinds may wait to be put together."""

# In a game against oneself the seats tell nothing of a swap.
SWAPPED_AGAINST_ONESELF = sa.exists().where(
    move.c.match_id == match.c.id, move.c.ply == 2, move.c.text == "swap"
)
IS_SWAPPED = sa.case(
    (match.c.first_id == match.c.second_id, sa.case((SWAPPED_AGAINST_ONESELF, 1), else_=0)),
    (match.c.x_id != match.c.first_id, 1),
    else_=0,
)
IS_OVER = match.c.finished_at.is_not(None)
opening = move.alias("opening")
_KIND = ("spec", "status", "winner", "is_swapped", "first_move")
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


def kind_of(board: Match) -> Kind:
    """Return what a board is counted under; a first move only where it was free to choose."""
    spec, status = format_game(board.game), board.status
    if status not in {MatchStatus.WON, MatchStatus.DRAWN}:
        return Kind(spec, status.value)
    winner = board.outcome.winner if board.outcome else None
    return Kind(
        spec,
        status.value,
        winner.value if winner else None,
        int(any(turn.text == SWAP.text for turn in board.turns[:2])),
        board.turns[0].text if board.turns and board.origin is None else None,
    )


def note(connection: sa.Connection, before: Match | None, after: Match) -> None:
    """Count a board that is new, or that changes from one kind to another."""
    counts: Counter[Kind] = Counter()
    turns: Counter[Kind] = Counter()
    for board, sign in ((before, -1), (after, 1)):
        if board is not None:
            kind = kind_of(board)
            counts[kind] += sign
            turns[kind] += 0 if kind.status in {"running", "removed"} else sign * board.ply
    _insert(connection, {kind: Count(counts[kind], turns[kind]) for kind in counts})


def counted(connection: sa.Connection) -> dict[Kind, Count]:
    """Return how many boards there are of each kind."""
    return _by_kind(connection.execute(_SUMMED))


def has_many_rows(connection: sa.Connection) -> bool:
    """Tell whether it is time to put rows together."""
    rows: list[int] = [row.rows for row in connection.execute(_SUMMED)]
    return sum(rows) > 2 * len(rows) + SLACK


def put_together(connection: sa.Connection) -> None:
    """Put one row in the place of all of a kind; what others add meanwhile stays as it is."""
    gone = connection.execute(result_count.delete().returning(result_count))
    sums: dict[Kind, Count] = {}
    for row in gone:
        kind = Kind(*(getattr(row, name) for name in _KIND))
        games, turns = sums.get(kind, (0, 0))
        sums[kind] = Count(games + row.games, turns + row.turns)
    _insert(connection, sums)


def recount(connection: sa.Connection) -> None:
    """Count all boards anew; a board that ends meanwhile is counted before or after that."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("LOCK TABLE result_count IN SHARE ROW EXCLUSIVE MODE")
    connection.execute(result_count.delete())
    _insert(connection, _by_kind(connection.execute(_OF_BOARDS)))


def wrong_specs(connection: sa.Connection) -> list[str]:
    """Return the games, with their options, whose boards were counted wrong."""
    kept, right = counted(connection), _by_kind(connection.execute(_OF_BOARDS))
    return sorted({kind.spec for kind, _ in kept.items() ^ right.items()})


def _by_kind(rows: Iterable[sa.Row[Any]]) -> dict[Kind, Count]:
    found = {Kind(*row[: len(_KIND)]): Count(int(row.games), int(row.turns)) for row in rows}
    return {kind: count for kind, count in found.items() if any(count)}


def _insert(connection: sa.Connection, counts: Mapping[Kind, Count]) -> None:
    rows = [{**k._asdict(), **count._asdict()} for k, count in counts.items() if any(count)]
    if rows:
        connection.execute(result_count.insert(), rows)
