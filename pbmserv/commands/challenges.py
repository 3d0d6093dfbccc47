"""Challenges: to a player, to anybody who seeks one, from a position, and once more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

from pbmserv.club.events import describe
from pbmserv.club.match import Match, Origin
from pbmserv.club.play import require_player
from pbmserv.club.player import Player, PlayerStatus
from pbmserv.club.time_limits import TimeLimits
from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Flag, Option, Word, command
from pbmserv.commands.game_options import ChosenGame, GameChoice, GameType
from pbmserv.commands.time_options import DEFAULT_LIMITS, TimeOptions
from pbmserv.commands.types import (
    BoardRef,
    MatchNumber,
    SignedPlayer,
    Unrated,
    parse_board_and_ply,
)
from pbmserv.errors import Misunderstood, Refused
from pbmserv.render.document import view_document
from pbmserv.render.view import view_blocks, view_match
from pbmserv.services.lookup import find_match, find_open_account, find_opponent
from pbmserv.services.match_details import limits_words, look_around
from pbmserv.services.match_start import (
    Deal,
    askers,
    objections,
    require_welcome,
    start_match,
    started_event,
)
from pbmserv.services.robot_terms import require_rated
from pbmserv.services.session import WriteSession

if TYPE_CHECKING:
    from pbmserv.store.seeks import Seek

ANYONE = "anyone"


def _check_challenge(
    userid1: str, userid2: str, start: BoardRef | None, chosen: GameChoice
) -> None:
    """Raise :class:`Misunderstood` for players, options and a position that clash."""
    words = [userid1.lower(), userid2.lower()]
    if words == [ANYONE, ANYONE]:
        raise Misunderstood("Name at least one player.", code="missing-word")
    if start is not None and ANYONE in words:
        raise Misunderstood("-from needs two players by name, not anyone.", code="mixed-words")
    if start is not None and chosen.given:
        raise Misunderstood(
            "A board that begins from another one has that board's options.",
            code="mixed-words",
            hint="Leave out the options of the game.",
        )


Start = Option(
    "BOARD[#N]",
    "begin from the position of another board, unrated",
    parse_board_and_ply,
    name="from",
)


@command(check=_check_challenge)
def challenge(  # noqa: PLR0913 - two players, and the terms between them
    session: WriteSession,
    userid1: Annotated[str, Word("USERID1")],
    userid2: Annotated[str, Word("USERID2")],
    *,
    unrated: Unrated = False,
    rated: Annotated[bool, Flag("the game counts, also where a computer plays")] = False,
    time: TimeOptions,
    start: Annotated[BoardRef | None, Start] = None,
    chosen: ChosenGame,
) -> Answer:
    """Start a board at once: USERID1 plays X and moves first, USERID2 plays O.

    Either player declines by resigning before the second move. A challenge is refused if one of the
    two accepts no challenges, has reached their limit of boards, or has blocked the other.

    With anyone in place of a userid, the opponent is the player who has been looking for a game
    longest; options that you give must match theirs, and all others are theirs. Players who no
    longer accept challenges, or have reached their limit, are skipped.

    With -from=101#5 the new board begins with the first five moves of Board 101, so USERID1 takes
    over the stones of X; it is unrated.

    A game against a computer is unrated, unless you say -rated and it plays rated games.
    """
    if rated and (unrated or start is not None):
        other = "unrated" if unrated else "from"
        raise Misunderstood(f"The option -rated clashes with -{other}.", code="options-clash")
    deal = Deal(chosen.game, time.limits, is_rated=not unrated, says_rated=rated)
    if ANYONE in {userid1.lower(), userid2.lower()}:
        is_first = userid2.lower() == ANYONE
        player = find_opponent(session, userid1 if is_first else userid2)
        return _accept_seek(session, player, _Wish(deal, time, chosen.given), is_first=is_first)
    players = (find_opponent(session, userid1), find_opponent(session, userid2))
    require_welcome(session, type(chosen.game), players, askers(session))
    if rated:
        require_rated(session, players, askers(session))
    if start is not None:
        return _begin_from(session, start, deal, players)
    return begun(session, start_match(session, deal, players), deal.limits, "challenge")


@command()
def rematch(
    session: WriteSession, game: GameType, number: MatchNumber, player: SignedPlayer
) -> Answer:
    """Play again: a new board like a finished one, begun by the player who moved second there.

    Game, options and time limits are the same. Either player declines by resigning before the
    second move.
    """
    match = find_match(session, game, number)
    require_player(match, player.id)
    if match.is_running or match.is_removed:
        raise Refused(
            f"{match.title} {'is still running' if match.is_running else 'was never played'}.",
            code="not-finished",
            hint="A rematch needs a finished game.",
        )
    players = (
        find_open_account(session, match.second.userid),
        find_open_account(session, match.first.userid),
    )
    require_welcome(session, game, players, askers(session))
    stored = session.records.clocks.find(match.id)
    limits = DEFAULT_LIMITS if stored is None else stored.limits
    deal = Deal(match.game, limits, match.is_rated, says_rated=match.is_rated)
    return begun(session, start_match(session, deal, players), limits, "rematch")


def begun(session: WriteSession, match: Match, limits: TimeLimits, verb: str) -> Answer:
    """Tell that a match was started, and return the answer to whoever started it."""
    session.ledger.note(verb, f"{match.first.userid} {match.second.userid}", match_id=match.id)
    started = started_event(match)
    session.ledger.tell(match, (started,))
    view = view_match(match)
    beside = look_around(session, match)
    blocks = [f"New {match.title}. {describe(started)}", *view_blocks(view)]
    if limits != DEFAULT_LIMITS:
        blocks.append(f"Time: {limits_words(limits)}.")
    return Answer(tuple(blocks), lambda: {**view_document(view), **beside.document})


def _begin_from(
    session: WriteSession, start: BoardRef, deal: Deal, players: tuple[Player, Player]
) -> Answer:
    """Start an unrated match that begins with the moves of another one up to some moment."""
    source = find_match(session, type(deal.game), start.number)
    shown = view_match(source, start.ply)
    if shown.game.outcome(shown.position) is not None:
        raise Refused(
            "In that position the game has ended.",
            code="game-over",
            hint=f"Choose an earlier one, as in -from={source.number}#5.",
        )
    # Whoever is named first has the stones of X, also where they changed hands by a swap.
    seats = (players[1], players[0]) if "swap" in shown.moves else players
    origin = Origin(source.number, len(shown.moves))
    deal = Deal(source.game, deal.limits, is_rated=False)
    match = start_match(session, deal, seats, moves=shown.moves, origin=origin)
    return begun(session, match, deal.limits, "challenge")


class _Wish(NamedTuple):
    """What somebody who challenges anyone wants of a seek, as far as they have said."""

    deal: Deal
    time: TimeOptions
    given: tuple[str, ...]

    def fits(self, sought: Seek) -> bool:
        """Tell whether a seek has the options and times that were given."""
        game = self.deal.game
        return (
            all(getattr(sought.game, name) == getattr(game, name) for name in self.given)
            and self.time.fit(sought.limits)
            and not (sought.is_rated and not self.deal.is_rated)
        )


def _accept_seek(session: WriteSession, player: Player, wish: _Wish, *, is_first: bool) -> Answer:
    """Start a match against the player whose fitting seek is the oldest."""
    people, game = session.records.people, type(wish.deal.game)
    for sought in people.seeks([game.name]):
        if sought.player_id == player.id or not wish.fits(sought):
            continue
        seeker = session.records.players.get(sought.player_id)
        pair = (player, seeker) if is_first else (seeker, player)
        # Who takes it up asks for it; who seeks but takes no challenges by now is passed over.
        asking = {player.id}
        is_open = seeker.status is PlayerStatus.ACTIVE
        if is_open and not objections(session, game, pair, asking) and people.take(sought):
            deal = Deal(sought.game, sought.limits, sought.is_rated)
            return begun(session, start_match(session, deal, pair), sought.limits, "challenge")
    raise Refused(
        f"Nobody is looking for a {game.title} game that {player.userid} could join.",
        code="no-seeker",
        hint=f"Open searches: pbmserv list. To start your own: {game.name} seek USERID PASSWORD 1",
    )
