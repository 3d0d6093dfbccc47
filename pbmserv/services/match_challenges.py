"""Challenges: two players who are willing, and the match that comes of it; nobody is told yet."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from pbmserv.club.handicaps import even_game, plain_of
from pbmserv.club.match import Match, Origin
from pbmserv.club.play import require_player
from pbmserv.club.player import Player, PlayerStatus
from pbmserv.club.rating import at
from pbmserv.club.standing import Standing
from pbmserv.club.time_limits import TimeLimits
from pbmserv.engine.position import Side
from pbmserv.errors import Refused
from pbmserv.services.lookup import find_account, find_match, free_to_play
from pbmserv.services.match_start import (
    MatchTerms,
    askers,
    objections,
    require_no_objection,
    require_rated,
    start_match,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from pbmserv.services.session import WriteSession
    from pbmserv.store.people.seeks import Seek


class SeekFilter(NamedTuple):
    """The wishes of a challenger of anyone, for choosing a seek.

    ``given`` are the options of the game that must be the same; ``is_timely`` takes time limits.
    """

    terms: MatchTerms
    given: tuple[str, ...]
    is_timely: Callable[[TimeLimits], bool]

    def fits(self, sought: Seek) -> bool:
        """Tell whether a seek has the options and times that were given."""
        game = self.terms.game
        return (
            all(getattr(sought.game, name) == getattr(game, name) for name in self.given)
            and self.is_timely(sought.limits)
            and not (sought.is_rated and not self.terms.is_rated)
        )


def challenge_player(
    session: WriteSession,
    terms: MatchTerms,
    players: tuple[Player, Player],
    start: tuple[int, int | None] | None = None,
) -> Match:
    """Start a match of two players, from ``start``, a board and a number of moves, if there is one.

    It answers a search of the other player for just such a board. Raises :class:`Refused` where one
    of them is not willing, or the game is over there.
    """
    require_no_objection(session, type(terms.game), players, askers(session))
    if terms.says_rated:
        require_rated(session, players, askers(session))
    if start is None:
        match = start_match(session, terms, players)
        _answer_search(session, match, terms.limits)
        return match
    source = find_match(session, type(terms.game), start[0])
    record = source.after(start[1])
    if record.game.outcome(record.position) is not None:
        raise Refused(
            "The game is over in that position.",
            code="game-over",
            hint=f"Choose an earlier one, as in -from={source.number}#5.",
        )
    # Whoever is named first has the stones of X, also where they changed hands by a swap.
    seats = record.with_players(*players).seats
    origin = Origin(source.number, record.ply)
    terms = MatchTerms(source.game, terms.limits, is_rated=False)
    pair = seats[Side.X], seats[Side.O]
    return start_match(session, terms, pair, moves=record.moves, origin=origin)


def _answer_search(session: WriteSession, match: Match, limits: TimeLimits) -> None:
    """Have the one who was challenged look for one opponent less, if they sought such a board."""
    players, viewer = {match.first.player_id, match.second.player_id}, session.viewer
    asking = askers(session) | ({viewer.id} if viewer is not None else set())
    wanted = match.game, limits, match.is_rated
    for sought in session.records.people.seeks([match.game.name]) if players & asking else ():
        is_other = sought.player_id in players - asking
        if is_other and (sought.game, sought.limits, sought.is_rated) == wanted:
            session.records.people.take(sought)


def accept_seek(
    session: WriteSession, player: Player, wish: SeekFilter, *, is_first: bool
) -> tuple[Match, TimeLimits]:
    """Start a match against the player whose fitting seek is the oldest; return its limits too."""
    people, game = session.records.people, type(wish.terms.game)
    for sought in people.seeks([game.name]):
        if sought.player_id == player.id or not wish.fits(sought):
            continue
        seeker = session.records.players.get(sought.player_id)
        pair = (player, seeker) if is_first else (seeker, player)
        # Who takes it up asks for it; who seeks but takes no challenges by now is passed over.
        asking = {player.id}
        is_open = seeker.status is PlayerStatus.ACTIVE
        if is_open and not objections(session, game, pair, asking) and people.take(sought):
            terms = MatchTerms(sought.game, sought.limits, sought.is_rated)
            return start_match(session, terms, pair), sought.limits
    raise Refused(
        f"Nobody is looking for a {game.title} game that {player.userid} could join.",
        code="no-seeker",
        hint=f"Open searches: pbmserv list. To start your own: {game.name} seek USERID PASSWORD 1",
    )


def even_terms(
    session: WriteSession, terms: MatchTerms, players: tuple[Player, Player]
) -> tuple[MatchTerms, tuple[Player, Player], str]:
    """Return the terms and seats that even out the players' ratings, and why in words.

    Raises :class:`Refused` for a board whose handicaps nobody knows.
    """
    name, ratings = terms.game.name, session.records.ratings
    first, second = (
        at(ratings.of_player(player.id).get(name, Standing()).rating, session.now)
        for player in players
    )
    found = even_game(terms.game, first, second)
    pair = players if found.is_first_x else (players[1], players[0])
    words = found.words(*(player.userid for player in players))
    return replace(terms, game=found.game, shift=found.shift), pair, words


def play_again(
    session: WriteSession, match: Match, player: Player
) -> tuple[Match, TimeLimits, tuple[str, ...]]:
    """Start a match like a finished one, for one of its players; return its limits too.

    That of an even game gets the handicap of today's ratings, which is returned in words.
    """
    require_player(match, player.id)
    if match.is_running or match.is_removed:
        raise Refused(
            f"{match.title} {'is still running' if match.is_running else 'was never played'}.",
            code="not-finished",
            hint="You can ask for a rematch after a game has ended.",
        )
    # Whoever began is second now.
    first, second = (find_account(session, seat.userid) for seat in (match.second, match.first))
    players = (free_to_play(first), free_to_play(second))
    require_no_objection(session, type(match.game), players, askers(session))
    stored = session.records.clocks.find(match.id)
    limits = TimeLimits() if stored is None else replace(stored.limits, has_vacation=True)
    terms = MatchTerms(match.game, limits, match.is_rated, says_rated=match.is_rated)
    if match.shift is None:
        return start_match(session, terms, players), limits, ()
    plain = replace(terms, game=plain_of(match.game))
    terms, players, words = even_terms(session, plain, players)
    return start_match(session, terms, players), limits, (words,)
