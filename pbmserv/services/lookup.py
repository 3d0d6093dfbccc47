"""Finding matches and players, and what goes with a match."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from pbmserv.club.clock import Timing
from pbmserv.club.match import FIRST_NUMBER, Match
from pbmserv.club.player import ME, Player, PlayerStatus
from pbmserv.club.word_forms import nearest
from pbmserv.club.wording import MatchContext
from pbmserv.engine.game import Game
from pbmserv.errors import NotFound, may_quote
from pbmserv.services.session import ReadSession


def no_such_match(game: type[Game] | Game, number: int) -> NotFound:
    """Return the error for a number that no match of the game has."""
    hint = f"Each game numbers its boards from {FIRST_NUMBER}. To list them: {game.name} games"
    board = f"{game.title} Board {number}" if may_quote(str(number)) else f"such {game.title} Board"
    return NotFound(f"There is no {board}.", code="no-such-board", hint=hint)


def find_match(session: ReadSession, game: type[Game], number: int, *, lock: bool = False) -> Match:
    """Return the match of the game with this number; raises :class:`NotFound`."""
    match = session.records.matches.find(game.name, number, lock=lock)
    if match is None:
        raise no_such_match(game, number)
    return match


def load_context(session: ReadSession, match: Match) -> MatchContext:
    """Return what goes with a match whose clock was not read before."""
    return context_of(session, match, session.records.matches.extras(match.id, session.now).timing)


def context_of(session: ReadSession, match: Match, timing: Timing | None) -> MatchContext:
    """Return what goes with a match as it is now; without a clock it has no timing."""
    if not match.is_running:
        return MatchContext(match, session.now, timing, session.records.ratings.of_match(match.id))
    if timing and any(each.current(session.now) for each in timing.vacations.values()):
        days = session.vacation_days
        away = {p: replace(each, days_a_year=days) for p, each in timing.vacations.items()}
        timing = timing._replace(vacations=away)
    return MatchContext(match, session.now, timing, {})


def player_meant(session: ReadSession, word: str) -> Player | None:
    """Return the player with this userid, for ``me`` the signed-in one, or None."""
    return session.me if word.lower() == ME else session.records.players.find(word)


def find_player(session: ReadSession, userid: str, other_words: Iterable[str] = ()) -> Player:
    """Return the player so called, closed accounts and ``me`` included; raises :class:`NotFound`.

    ``other_words`` are what else may stand in the place of the userid.
    """
    found = player_meant(session, userid)
    if found is None:
        raise no_such_player(session, userid, other_words)
    return found


def find_account(session: ReadSession, userid: str) -> Player:
    """Return the player called exactly so, even ``me``; raises :class:`NotFound`."""
    found = session.records.players.find(userid)
    if found is None:
        raise no_such_player(session, userid)
    return found


def find_opponent(session: ReadSession, userid: str) -> Player:
    """Return a player who can take part in a new game; raises :class:`NotFound`."""
    return free_to_play(find_player(session, userid))


def free_to_play(player: Player) -> Player:
    """Return the player, who can take part in a new game; raises :class:`NotFound`."""
    if _open(player).suspended_at is not None:
        raise NotFound(f"The account of {player.userid} is suspended.", code="suspended")
    return player


def find_open_account(session: ReadSession, userid: str) -> Player:
    """Return the player called exactly so if their account is open; raises :class:`NotFound`."""
    return _open(find_account(session, userid))


def no_such_player(session: ReadSession, userid: str, other_words: Iterable[str] = ()) -> NotFound:
    """Return the error for a userid that nobody has, with a nearest one if there is any.

    ``other_words`` are what may stand in its place beside a userid.
    """
    near = nearest(userid, [*other_words, *session.records.players.open_userids()])
    return NotFound("No such player.", code="no-such-player", meant=near, about=userid)


def _open(player: Player) -> Player:
    if player.status is not PlayerStatus.ACTIVE:
        raise NotFound(f"The account of {player.userid} is closed.", code="no-such-player")
    return player
