"""Tournaments: who takes part, which boards belong to them, and how those ended."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from pbmserv.club.pairing import Encounter, Entrant
from pbmserv.club.time_limits import format_limits, parse_limits
from pbmserv.club.tournament import Terms, Tournament, TournamentStatus, parse_kind
from pbmserv.engine.spec import format_game, parse_game
from pbmserv.errors import Fault, Refused
from pbmserv.store.connection import Repository
from pbmserv.store.faults import damaged
from pbmserv.store.tables import encounter, entrant, match, player, tournament


class TournamentRow(NamedTuple):
    """A tournament in one line, for tables."""

    id: int
    name: str
    game: str
    kind: str
    organiser: str
    entrants: int
    status: str
    created_at: int


class Tournaments(Repository):
    """The tournaments and their boards."""

    def add(self, name: str, organiser_id: int, terms: Terms, now: int) -> Tournament:
        """Store a new tournament that nobody has entered yet."""
        inserted = self._connection.execute(
            tournament.insert()
            .values(
                name=name,
                organiser_id=organiser_id,
                spec=format_game(terms.game),
                kind=terms.kind.value,
                limits=format_limits(terms.limits),
                both_colours=int(terms.both_colours),
                rounds=terms.rounds,
                pool_size=terms.pool_size,
                start_at=terms.start_at,
                status=TournamentStatus.OPEN.value,
                created_at=now,
                changed_at=now,
            )
            .returning(tournament.c.id)
        )
        return Tournament(int(inserted.scalar_one()), name, organiser_id, terms)

    def find(self, number: int, *, lock: bool = False) -> Tournament | None:
        """Return the tournament with this number; with ``lock`` it is the caller's alone."""
        own = sa.select(tournament).where(tournament.c.id == number)
        row = self._connection.execute(own.with_for_update() if lock else own).first()
        if row is None:
            return None
        entered = self._connection.execute(
            sa.select(entrant, player.c.userid)
            .join(player, entrant.c.player_id == player.c.id)
            .where(entrant.c.tournament_id == number)
            .order_by(entrant.c.place)
        ).all()
        played = sa.select(encounter).where(encounter.c.tournament_id == number)
        return Tournament(
            row.id,
            row.name,
            row.organiser_id,
            _terms(row),
            TournamentStatus(row.status),
            tuple(
                Entrant(each.player_id, each.userid, float(each.rating), bool(each.is_withdrawn))
                for each in entered
            ),
            _pools(entered),
            tuple(map(_encounter, self._connection.execute(played.order_by(encounter.c.place)))),
        )

    def named(self, name: str) -> list[int]:
        """Return the numbers of the tournaments so called, whatever the case, the newest first.

        Those that are over only where no other is called so.
        """
        # Letters as the database sees them: names are ASCII.
        rows = self._connection.execute(
            sa.select(tournament.c.id, tournament.c.status)
            .where(sa.func.lower(tournament.c.name) == name.lower())
            .order_by(tournament.c.id.desc())
        ).all()
        going_on = [row.id for row in rows if not TournamentStatus(row.status).is_over]
        return going_on or [row.id for row in rows]

    def due(self, now: int) -> list[int]:
        """Return the open tournaments whose date has come."""
        is_open = tournament.c.status == TournamentStatus.OPEN.value
        has_come = tournament.c.start_at.is_not(None), tournament.c.start_at <= now
        rows = sa.select(tournament.c.id).where(is_open, *has_come).order_by(tournament.c.id)
        return self._column(rows)

    def save(
        self, before: Tournament, after: Tournament, matches: Mapping[int, int], now: int
    ) -> None:
        """Store what differs; ``matches`` are those of new boards, by their place."""
        own = tournament.update().where(tournament.c.id == after.id)
        self._change(own.values(status=after.status.value, changed_at=now))
        if (before.entrants, before.pools) != (after.entrants, after.pools):
            self._save_entrants(after)
        for place, (old, new) in enumerate(zip(before.encounters, after.encounters, strict=False)):
            if old != new:
                at = encounter.c.tournament_id == after.id, encounter.c.place == place
                self._change(encounter.update().where(*at).values(half_points=_half_points(new)))
        first = len(before.encounters)
        rows = [
            {
                "tournament_id": after.id,
                "place": place,
                "round": board.round,
                "pool": board.pool,
                "x_id": board.x,
                "o_id": board.o,
                "half_points": _half_points(board),
                "match_id": matches.get(place),
            }
            for place, board in enumerate(after.encounters[first:], start=first)
        ]
        self._add_rows(encounter, rows)

    def place_of(self, match_id: int) -> tuple[int, int] | None:
        """Return the tournament of a match and its place there, None if it belongs to none."""
        own = encounter.select().where(encounter.c.match_id == match_id)
        row = self._connection.execute(own).first()
        return None if row is None else (row.tournament_id, row.place)

    def numbers(self, number: int) -> dict[int, int]:
        """Return the numbers of the boards of a tournament, by their place."""
        rows = (
            sa.select(encounter.c.place, match.c.number)
            .join(match, encounter.c.match_id == match.c.id)
            .where(encounter.c.tournament_id == number)
        )
        return {row.place: row.number for row in self._connection.execute(rows)}

    def of_player(self, player_id: int) -> list[int]:
        """Return the tournaments that are not over and in which this player takes part."""
        going_on = [status.value for status in TournamentStatus if not status.is_over]
        rows = (
            sa.select(tournament.c.id)
            .join(entrant, entrant.c.tournament_id == tournament.c.id)
            .where(entrant.c.player_id == player_id, entrant.c.is_withdrawn == 0)
            .where(tournament.c.status.in_(going_on))
            .order_by(tournament.c.id)
        )
        return self._column(rows)

    def lines(self, limit: int) -> list[TournamentRow]:
        """Return tournaments, the newest first."""
        entered = (
            sa.select(sa.func.count())
            .where(entrant.c.tournament_id == tournament.c.id)
            .correlate(tournament)
            .scalar_subquery()
        )
        rows = (
            sa.select(tournament, player.c.userid, entered.label("entrants"))
            .join(player, tournament.c.organiser_id == player.c.id)
            .order_by(tournament.c.id.desc())
            .limit(limit)
        )
        return [
            TournamentRow(
                row.id,
                row.name,
                _terms(row).game.name,
                row.kind,
                row.userid,
                row.entrants,
                row.status,
                row.created_at,
            )
            for row in self._connection.execute(rows)
        ]

    def wrong(self) -> list[str]:
        """Return which tournaments cannot be read, one sentence each."""
        wrong = []
        for row in self._connection.execute(sa.select(tournament).order_by(tournament.c.id)):
            try:
                _terms(row)
            except Fault as fault:
                wrong.append(fault.message)
        return wrong

    def _save_entrants(self, after: Tournament) -> None:
        self._change(entrant.delete().where(entrant.c.tournament_id == after.id))
        pools = {player: number for number, pool in enumerate(after.pools) for player in pool}
        rows = [
            {
                "tournament_id": after.id,
                "place": place,
                "player_id": entered.player_id,
                "rating": round(entered.rating),
                "is_withdrawn": int(entered.is_withdrawn),
                "pool": pools.get(entered.player_id),
            }
            for place, entered in enumerate(after.entrants)
        ]
        self._add_rows(entrant, rows)


def _terms(row: sa.Row[Any]) -> Terms:
    """Return the terms of a tournament's row; raises :class:`Fault` if they cannot be read."""
    try:
        return Terms(
            parse_game(row.spec),
            parse_kind(row.kind),
            parse_limits(row.limits),
            bool(row.both_colours),
            row.rounds,
            row.pool_size,
            row.start_at,
        )
    except (Refused, ValueError) as error:
        message = f"The stored terms of tournament {row.id} are damaged."
        raise damaged(message, "damaged-tournament") from error


def _encounter(row: sa.Row[Any]) -> Encounter:
    score = None if row.half_points is None else row.half_points / 2
    return Encounter(row.round, row.x_id, row.o_id, score, row.pool)


def _pools(rows: Sequence[sa.Row[Any]]) -> tuple[tuple[int, ...], ...]:
    """Return the players of each pool, the strongest first."""
    pools: dict[int, list[int]] = {}
    for row in sorted(rows, key=lambda row: (-row.rating, row.player_id)):
        if row.pool is not None:
            pools.setdefault(row.pool, []).append(row.player_id)
    return tuple(tuple(pools[number]) for number in sorted(pools))


def _half_points(board: Encounter) -> int | None:
    return None if board.score is None else round(2 * board.score)
