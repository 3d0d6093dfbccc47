"""The boards that wait for a robot, and the worker that has claimed each."""

from typing import NamedTuple

import sqlalchemy as sa

from pbmserv.club.player import PlayerStatus
from pbmserv.engine.moments import DAY
from pbmserv.store.connection import Repository
from pbmserv.store.mail.outbox import next_wait
from pbmserv.store.tables import IS_RUNNING, match, offer, player, robot_turn

LEASE = 5 * 60
"""Seconds for thinking about a turn that was taken; after them its worker is taken for dead."""

ROBOTS = sa.select(player.c.id).where(
    player.c.robot.is_not(None),
    player.c.status == PlayerStatus.ACTIVE.value,
    player.c.suspended_at.is_(None),
)
TO_MOVE = sa.select(match.c.id).where(match.c.next_id.in_(ROBOTS))
TO_ANSWER = (
    sa.select(offer.c.match_id)
    .join(match, offer.c.match_id == match.c.id)
    .where(
        sa.and_(match.c.first_id.in_(ROBOTS), match.c.first_id != offer.c.player_id)
        | sa.and_(match.c.second_id.in_(ROBOTS), match.c.second_id != offer.c.player_id)
    )
)
"""Offers are few, and of running boards alone: it is they from which the boards are found."""

NOW: sa.BindParameter[int] = sa.bindparam("now")
WAITING = (
    sa.select(match.c.id, match.c.game, match.c.number, match.c.revision, match.c.changed_at)
    .outerjoin(robot_turn, robot_turn.c.match_id == match.c.id)
    .outerjoin(offer, offer.c.match_id == match.c.id)
    .where(
        match.c.id.in_(sa.union(TO_MOVE, TO_ANSWER)),
        sa.or_(
            offer.c.player_id.is_(None),
            offer.c.player_id != match.c.next_id,
            match.c.changed_at <= NOW - DAY,
        ),
    )
    .order_by(match.c.changed_at, match.c.id)
)
DUE = WAITING.where(
    sa.or_(
        robot_turn.c.match_id.is_(None),
        robot_turn.c.revision != match.c.revision,
        robot_turn.c.due_at <= NOW,
    )
)
TAKE = sa.text(
    "INSERT INTO robot_turn (match_id, revision, due_at, tries) "
    "VALUES (:match_id, :revision, :until, 1) ON CONFLICT (match_id) DO UPDATE "
    "SET revision = :revision, due_at = :until, "
    "tries = CASE WHEN robot_turn.revision = :revision THEN robot_turn.tries + 1 ELSE 1 END "
    "WHERE robot_turn.revision <> :revision OR robot_turn.due_at <= :now RETURNING tries"
)


class RobotTurn(NamedTuple):
    """A board that waits for a robot since its last change, as it was at a revision."""

    match_id: int
    game: str
    number: int
    revision: int
    since: int


class Robots(Repository):
    """The boards that wait for robots, and whose turn was taken by which worker."""

    def has_due(self, now: int) -> bool:
        """Tell whether a turn can be taken, for those who would not write for nothing."""
        return self._number(DUE.limit(1), {"now": now}) is not None

    def waiting(self, now: int) -> list[RobotTurn]:
        """Return the boards that wait for a robot, taken or not, the longest waiting first."""
        return [RobotTurn(*row) for row in self._connection.execute(WAITING, {"now": now})]

    def claim(self, now: int) -> RobotTurn | None:
        """Return a turn for the caller alone until the lease is over; None if none is due.

        Several workers may claim at once: none waits for another, none gets what another has.
        """
        # SQLite, whose writers are alone, leaves the lock out.
        free = DUE.limit(1).with_for_update(of=match, skip_locked=True)
        row = self._connection.execute(free, {"now": now}).first()
        if row is None:
            return None
        found = RobotTurn(*row)
        return found if self.take(found, now) else self.claim(now)

    def take(self, turn: RobotTurn, now: int) -> bool:
        """Take a turn if nobody has it; tell whether that was so."""
        values = {"match_id": turn.match_id, "revision": turn.revision}
        return self._number(TAKE, {**values, "until": now + LEASE, "now": now}) is not None

    def done(self, match_id: int) -> None:
        """Forget the turn that was taken: it was made."""
        self._change(robot_turn.delete().where(robot_turn.c.match_id == match_id))

    def failed(self, turn: RobotTurn, now: int) -> None:
        """Have a turn tried again later, after longer with each try."""
        chosen = robot_turn.c.match_id == turn.match_id, robot_turn.c.revision == turn.revision
        tries = self._number(sa.select(robot_turn.c.tries).where(*chosen)) or 1
        self._change(robot_turn.update().where(*chosen).values(due_at=now + next_wait(tries)))

    def boards_against(self, player_id: int) -> int:
        """Return how many boards against robots this player has running."""
        pairs = ((match.c.first_id, match.c.second_id), (match.c.second_id, match.c.first_id))
        chosen = [
            sa.select(match.c.id)
            .join(player, theirs == player.c.id)
            .where(own == player_id, IS_RUNNING, player.c.robot.is_not(None))
            for own, theirs in pairs
        ]
        return len(self._column(sa.union(*chosen)))
