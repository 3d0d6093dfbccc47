"""People looking for people: who takes challenges, who seeks opponents, who wants little mail."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import sqlalchemy as sa

from pbmserv.club.time_limits import TimeLimits, format_limits, parse_limits
from pbmserv.engine.game import Game
from pbmserv.engine.spec import format_game, parse_game
from pbmserv.errors import Fault, Refused
from pbmserv.store.connection import Repository
from pbmserv.store.faults import damaged
from pbmserv.store.tables import (
    IS_RUNNING,
    absence,
    availability,
    match,
    player,
    quiet,
    seek,
    upsert,
)

OFFER_ONESELF = upsert(availability, "takes_challenges", "most_boards")
SEEK = upsert(seek, "limits", "is_rated", "wanted", over=("player_id", "spec"))
SILENCE = upsert(quiet)
SEEKS = (
    sa.select(seek, player.c.userid)
    .join(player, seek.c.player_id == player.c.id)
    .order_by(seek.c.id)
)


@dataclass(frozen=True)
class Availability:
    """Whether a player takes challenges in a game, and how many boards they want at most."""

    takes_challenges: bool = True
    most_boards: int | None = None


@dataclass(frozen=True)
class Seek:
    """A player's wish for ``wanted`` opponents in a game with these options."""

    id: int
    player_id: int
    userid: str
    game: Game
    limits: TimeLimits
    is_rated: bool
    wanted: int
    sought_at: int


class AvailabilityAndSeeks(Repository):
    """Willingness, searches for opponents, and muted boards."""

    def availability(self, player_id: int, game: str) -> Availability:
        """Return which challenges this player takes in a game."""
        return self.availabilities(player_id).get(game, Availability())

    def availabilities(self, player_id: int) -> dict[str, Availability]:
        """Return what a player wants in each game where that is not what everybody begins with."""
        own = availability.select().where(availability.c.player_id == player_id)
        rows = self._connection.execute(own.order_by(availability.c.game))
        return {row.game: Availability(bool(row.takes_challenges), row.most_boards) for row in rows}

    def make_available(self, player_id: int, game: str, wanted: Availability) -> None:
        """Store which challenges this player takes in a game."""
        values = {
            "player_id": player_id,
            "game": game,
            "takes_challenges": int(wanted.takes_challenges),
            "most_boards": wanted.most_boards,
        }
        self._connection.execute(OFFER_ONESELF, values)

    def lock(self, player_ids: Sequence[int]) -> None:
        """Let nobody else begin boards of these players until the transaction ends."""
        # On SQLite a writing transaction is alone with the whole database already.
        if self._connection.dialect.name != "sqlite":
            chosen = sa.select(player.c.id).where(player.c.id.in_(player_ids))
            # The weaker of two locks: new rows that refer to these players need not wait.
            locked = chosen.order_by(player.c.id).with_for_update(key_share=True)
            self._connection.execute(locked)

    def running_boards(self, player_id: int, game: str, *, now: int = -1) -> int:
        """Return the player's running boards of a game, but not with who is on vacation ``now``."""
        away = absence.c.start_at <= now, absence.c.end_at > now, absence.c.player_id != player_id
        sides = [
            sa.select(match.c.id)
            .where(side == player_id, match.c.game == game, IS_RUNNING)
            .where(~sa.exists().where(absence.c.player_id == other, *away))
            for side, other in permutations((match.c.first_id, match.c.second_id))
        ]
        return len(self._column(sa.union(*sides)))

    def seek(self, sought: Seek) -> None:
        """Store a wish; one for the same options is replaced and keeps its place."""
        values = {
            "player_id": sought.player_id,
            "game": sought.game.name,
            "spec": format_game(sought.game),
            "limits": format_limits(sought.limits),
            "is_rated": int(sought.is_rated),
            "wanted": sought.wanted,
            "sought_at": sought.sought_at,
        }
        self._connection.execute(SEEK, values)

    def stop_seeking(self, player_id: int, game: str | None = None) -> int:
        """Forget the wishes of this player, in one game or in all; return how many there were."""
        in_game = sa.true() if game is None else seek.c.game == game
        return self._change(seek.delete().where(seek.c.player_id == player_id, in_game))

    def seeks(self, games: Sequence[str] = ()) -> list[Seek]:
        """Return the wishes for opponents, the oldest first, in these games or in all."""
        chosen = SEEKS.where(seek.c.game.in_(games)) if games else SEEKS
        return [_seek(row) for row in self._connection.execute(chosen)]

    def wrong_seeks(self) -> list[str]:
        """Return which wishes for opponents cannot be read, one sentence each."""
        wrong = []
        for row in self._connection.execute(SEEKS):
            try:
                _seek(row)
            except Fault as fault:
                wrong.append(fault.message)
        return wrong

    def wanted(self, game: str) -> dict[int, int]:
        """Return how many opponents each player seeks in a game, for those who seek any."""
        summed = sa.select(seek.c.player_id, sa.func.sum(seek.c.wanted)).where(seek.c.game == game)
        rows = self._connection.execute(summed.group_by(seek.c.player_id))
        return {row[0]: int(row[1]) for row in rows}

    def take(self, sought: Seek) -> bool:
        """Lower the count of a wish by one; tell whether it was still there."""
        own = seek.c.id == sought.id
        lowered = seek.update().where(own, seek.c.wanted > 1).values(wanted=seek.c.wanted - 1)
        gone = seek.delete().where(own, seek.c.wanted == 1)
        return self._change(lowered) == 1 or self._change(gone) == 1

    def mute_board(self, match_id: int, player_id: int) -> None:
        """Have the player told only how this board ends."""
        self._connection.execute(SILENCE, {"match_id": match_id, "player_id": player_id})

    def unmute_boards(self, player_id: int, game: str) -> int:
        """Have the player told of every change at the boards of a game; return how many it were."""
        of_game = sa.select(match.c.id).where(match.c.game == game)
        own = quiet.c.player_id == player_id, quiet.c.match_id.in_(of_game)
        return self._change(quiet.delete().where(*own))

    def muted_boards(self, player_id: int, game: str) -> list[int]:
        """Return the running boards of a game of whose end alone this player is told."""
        rows = (
            sa.select(match.c.number)
            .join(quiet, quiet.c.match_id == match.c.id)
            .where(quiet.c.player_id == player_id, match.c.game == game, IS_RUNNING)
            .order_by(match.c.number)
        )
        return self._column(rows)


def _seek(row: sa.Row[Any]) -> Seek:
    """Return the wish that a row of :data:`SEEKS` stands for."""
    try:
        game, limits = parse_game(row.spec), parse_limits(row.limits)
    except (Refused, ValueError) as error:
        message = f"A stored seek of {row.userid} in {row.game} is damaged."
        raise damaged(message, "damaged-seek") from error
    owner = row.id, row.player_id, row.userid
    return Seek(*owner, game, limits, bool(row.is_rated), row.wanted, row.sought_at)
