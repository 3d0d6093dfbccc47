"""Finding matches and players."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pbmserv.club.player import Player, PlayerStatus
from pbmserv.errors import NotFound

if TYPE_CHECKING:
    from pbmserv.club.match import Match
    from pbmserv.engine.game import Game
    from pbmserv.services.session import ReadSession


def no_such_match(title: str, number: int) -> NotFound:
    """Return the error for a number that no match of the game has."""
    return NotFound(f"There is no {title} Board {number}.", code="no-such-board")


def find_match(session: ReadSession, game: type[Game], number: int, *, lock: bool = False) -> Match:
    """Return the match of the game with this number; raises :class:`NotFound`."""
    match = session.records.matches.find(game.name, number, lock=lock)
    if match is None:
        raise no_such_match(game.title, number)
    return match


def find_player(session: ReadSession, userid: str) -> Player:
    """Return the player so called, closed accounts included; raises :class:`NotFound`."""
    player = session.records.players.find(userid)
    if player is None:
        raise NotFound(
            "There is no such player.",
            code="no-such-player",
            hint="New players sign up with: pbmserv signup USERID PASSWORD",
            about=userid,
        )
    return player


def find_opponent(session: ReadSession, userid: str) -> Player:
    """Return a player who can take part in a new game; raises :class:`NotFound`."""
    player = find_player(session, userid)
    if player.status is not PlayerStatus.ACTIVE:
        raise NotFound(f"{player.userid} has no open account.", code="no-such-player")
    return player
