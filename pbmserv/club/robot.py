"""Robots: players whose moves the computer makes, or a program that plays for it."""

from __future__ import annotations

from typing import NamedTuple


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
