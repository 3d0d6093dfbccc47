"""What stands against a board with a robot, and whether it counts for ratings."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from pbmserv.errors import Denied, Refused
from pbmserv.render.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pbmserv.club.player import Player
    from pbmserv.engine.game import Game
    from pbmserv.services.session import WriteSession

Pair = tuple["Player", "Player"]


def require_willing(session: WriteSession, game: Game, players: Pair) -> None:
    """Raise :class:`Refused` if a robot does not play this, or a player has enough such boards."""
    for player, other in (players, players[::-1]):
        if other.robot is None:
            continue
        if game.name not in other.robot.games:
            raise Refused(
                f"{other.name} does not play {game.title}.",
                code="not-its-game",
                hint=f"It plays: {', '.join(other.robot.games)}.",
            )
        if other.robot.level is None and not _is_plain(game):
            raise Refused(
                f"{other.name} is a program that knows no options but the size and the komi.",
                code="not-its-game",
            )
        most = session.most_robot_boards()
        if session.records.robots.boards_against(player.id) >= most:
            raise Refused(
                f"{player.name} has {counted(most, 'board')} against computers, the most that "
                "this server allows.",
                code="too-many-robot-boards",
                hint="End one of them first.",
            )


def require_rated(session: WriteSession, players: Pair, asking: Iterable[int]) -> None:
    """Raise :class:`Refused` unless a game that is to be rated can be, and its player wants it."""
    if not is_mixed(players):
        return
    robot, person = sorted(players, key=lambda player: player.robot is None)
    if robot.robot is not None and not robot.robot.is_rated:
        raise Refused(
            f"Games of people with {robot.name} are unrated.",
            code="unrated-robot",
            hint="Leave out -rated.",
        )
    wanting = set(asking)
    with suppress(Denied):
        wanting.add(session.me.id)
    if person.id not in wanting:
        raise Denied(
            f"Only {person.userid} can want this game to be rated.",
            code="not-your-rating",
            hint="Sign in first with: pbmserv login USERID",
        )


def is_mixed(players: Pair) -> bool:
    """Tell whether a person plays a robot."""
    return (players[0].robot is None) != (players[1].robot is None)


def may_be_rated(players: Pair, *, is_wanted: bool) -> bool:
    """Tell whether a game of these two counts; with a robot both must say so."""
    if not is_mixed(players):
        return True
    return is_wanted and all(player.robot is None or player.robot.is_rated for player in players)


def _is_plain(game: Game) -> bool:
    """Tell whether the size and the komi say all of a game."""
    told = {o.name: getattr(game, o.name) for o in game.options() if o.name in {"size", "komi"}}
    return type(game)(**told) == game
