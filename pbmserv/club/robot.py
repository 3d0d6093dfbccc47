"""Robots: players whose moves the computer makes, or a program that plays for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pbmserv.engine.moments import DAY

if TYPE_CHECKING:
    from pbmserv.club.match import Match
    from pbmserv.club.player import Seat


class Robot(NamedTuple):
    """What a robot plays, and how.

    ``level`` is None where an outside program plays, whose command stands in the settings.
    ``is_rated`` if its games with people may count for ratings.
    """

    level: int | None
    games: tuple[str, ...]
    is_rated: bool = False

    @property
    def words(self) -> str:
        """How it thinks, for people."""
        return "a program" if self.level is None else f"level {self.level}"


def format_robot(robot: Robot) -> str:
    """Return the text of a robot: ``level=4 games=star,y rated``, ``program games=hex``."""
    how = "program" if robot.level is None else f"level={robot.level}"
    return " ".join((how, f"games={','.join(robot.games)}", *["rated"] * robot.is_rated))


def parse_robot(text: str) -> Robot:
    """Return the robot of such a text; raises :class:`ValueError`."""
    how, games, *rest = text.split()
    level = None if how == "program" else int(how.removeprefix("level="))
    return Robot(level, tuple(games.removeprefix("games=").split(",")), rest == ["rated"])


def robot_to_act(match: Match, now: int) -> Seat | None:
    """Return the robot that is to answer an offer or to move; None if that is up to a person.

    An offer of its own it lets stand for a day before it plays on.
    """
    if not match.is_running:
        return None
    made = match.offer
    if made is not None:
        for seat in (match.first, match.second):
            if seat.is_robot and seat.player_id != made.player_id:
                return seat
    mover = match.next_seat
    if mover is None or not mover.is_robot:
        return None
    waits = made is not None and made.player_id == mover.player_id
    return None if waits and now < match.changed_at + DAY else mover
