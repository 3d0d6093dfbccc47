"""Finding matches and players."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pbmserv.club.player import ME, Player, PlayerStatus
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


def player_meant(session: ReadSession, word: str) -> Player | None:
    """Return the player so called, or whoever is signed in for ``me``; None if there is nobody."""
    return session.me if word.lower() == ME else session.records.players.find(word)


def find_player(session: ReadSession, userid: str) -> Player:
    """Return the player whom a player means, closed accounts included; raises :class:`NotFound`."""
    return _known(player_meant(session, userid), userid)


def find_account(session: ReadSession, userid: str) -> Player:
    """Return the player called exactly so, even ``me``; raises :class:`NotFound`."""
    return _known(session.records.players.find(userid), userid)


def find_opponent(session: ReadSession, userid: str) -> Player:
    """Return a player who can take part in a new game; raises :class:`NotFound`."""
    player = _open(find_player(session, userid))
    if player.suspended_at is not None:
        raise NotFound(f"The account of {player.userid} is suspended.", code="suspended")
    return player


def find_open_account(session: ReadSession, userid: str) -> Player:
    """Return the player called exactly so if their account is open; raises :class:`NotFound`."""
    return _open(find_account(session, userid))


def _known(player: Player | None, userid: str) -> Player:
    if player is None:
        raise NotFound(
            "There is no such player.",
            code="no-such-player",
            hint="New players sign up with: pbmserv signup USERID PASSWORD",
            about=userid,
        )
    return player


def _open(player: Player) -> Player:
    if player.status is not PlayerStatus.ACTIVE:
        raise NotFound(f"{player.userid} has no open account.", code="no-such-player")
    return player
