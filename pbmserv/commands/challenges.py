"""Challenges: to a player, to anybody who seeks one, from a position, and once more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pbmserv.club.events import describe
from pbmserv.club.match import Match
from pbmserv.club.time_limits import TimeLimits
from pbmserv.club.wording import limits_words, rated_words
from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Flag, Option, Word, command
from pbmserv.commands.game_options import ChosenGame, GameChoice, GameType
from pbmserv.commands.slots import BOARD_THEN, USERID, slot
from pbmserv.commands.time_options import DEFAULT_LIMITS, TimeOptions
from pbmserv.commands.types import BoardRef, MatchNumber, SignedPlayer, Unrated, parse_board_and_ply
from pbmserv.errors import Misunderstood
from pbmserv.render.document import around_document, view_document
from pbmserv.render.view import view_blocks, view_match
from pbmserv.services.lookup import find_match, find_opponent, load_context
from pbmserv.services.match_challenges import (
    SeekFilter,
    accept_seek,
    challenge_player,
    even_terms,
    play_again,
)
from pbmserv.services.match_start import MatchTerms, started_event
from pbmserv.services.session import WriteSession

ANYONE = "anyone"


def _check_challenge(
    userid1: str, userid2: str, start: BoardRef | None, chosen: GameChoice, *, even: bool
) -> None:
    """Raise :class:`Misunderstood` for players, options and a position that clash."""
    words = [userid1.lower(), userid2.lower()]
    if words == [ANYONE, ANYONE]:
        raise Misunderstood("Name at least one player.", code="missing-word")
    if (even or start is not None) and ANYONE in words:
        raise Misunderstood(
            f"-{'even' if even else 'from'} needs the userids of both players, not anyone.",
            code="mixed-words",
        )
    if even and start is not None:
        raise Misunderstood("-even and -from cannot be combined.", code="options-clash")
    if start is not None and chosen.given:
        raise Misunderstood(
            "A board that begins from another one has that board's options.",
            code="mixed-words",
            hint="Leave out the options of the game.",
        )


Start = Option(
    BOARD_THEN,
    "begin from the position of another board, unrated",
    parse_board_and_ply,
    name="from",
)


@command(check=_check_challenge)
def challenge(
    session: WriteSession,
    userid1: Annotated[str, Word(slot(USERID.called("USERID1")))],
    userid2: Annotated[str, Word(slot(USERID.called("USERID2")))],
    *,
    unrated: Unrated = False,
    rated: Annotated[bool, Flag("the game counts for ratings, against a computer too")] = False,
    time: TimeOptions,
    even: Annotated[bool, Flag("handicap for an even game, by both players' ratings")] = False,
    start: Annotated[BoardRef | None, Start] = None,
    chosen: ChosenGame,
) -> Answer:
    """Start a board at once: USERID1 plays X and moves first, USERID2 plays O.

    Either player can decline by resigning before the second move. A challenge is refused if one of
    the two does not accept challenges, has reached their limit of boards, or has blocked the other.

    With anyone in place of a userid, the opponent is the player who has been looking for a game
    longest. Options that you give must match theirs; all other options are theirs. Players who no
    longer accept challenges, or have reached their limit, are skipped. If you challenge a player
    who is looking for exactly this board, with your options and time limits, that counts, too.

    With -from=101#5 the new board begins with the first five moves of Board 101, so USERID1 takes
    over the stones of X. It is unrated.

    With -even the players' ratings decide the handicap and who plays X, whatever the order of the
    userids. The answer shows why, with the forecast: pbmserv help handicap.

    A game against a computer is unrated, unless you give -rated and it plays rated games. Operators
    who are not signed in can start boards between computers, also unrated without -rated.
    """
    if rated and (unrated or start is not None):
        other = "unrated" if unrated else "from"
        raise Misunderstood(f"-rated and -{other} cannot be combined.", code="options-clash")
    deal = MatchTerms(chosen.game, time.limits, is_rated=not unrated, says_rated=rated)
    if ANYONE in {userid1.lower(), userid2.lower()}:
        is_first = userid2.lower() == ANYONE
        player = find_opponent(session, userid1 if is_first else userid2)
        wish = SeekFilter(deal, chosen.given, time.fit)
        match, limits = accept_seek(session, player, wish, is_first=is_first)
        return report_start(session, match, limits, "challenge")
    players = (find_opponent(session, userid1), find_opponent(session, userid2))
    words = []
    if even:
        deal, players, told = even_terms(session, deal, players)
        words.append(told)
    match = challenge_player(session, deal, players, start)
    return report_start(session, match, deal.limits, "challenge", words)


@command()
def rematch(
    session: WriteSession, game: GameType, number: MatchNumber, player: SignedPlayer
) -> Answer:
    """Start a new board like a finished one; the player who moved second there moves first.

    Game, options and time limits are the same. Either player can decline by resigning before the
    second move.
    """
    match, limits, words = play_again(session, find_match(session, game, number), player)
    return report_start(session, match, limits, "rematch", words)


def report_start(
    session: WriteSession, match: Match, limits: TimeLimits, verb: str, words: Sequence[str] = ()
) -> Answer:
    """Tell that a match was started, and why in ``words``; return the answer to who started it."""
    session.ledger.note(verb, f"{match.first.userid} {match.second.userid}", match_id=match.id)
    started = started_event(match)
    session.ledger.tell(match, (started,), notes := (*words, *rated_words(match)))
    view = view_match(match)
    beside = load_context(session, match)
    blocks = [f"New {match.title}. {describe(started)}", *notes, *view_blocks(view, aims=True)]
    if limits != DEFAULT_LIMITS:
        blocks.append(f"Time: {limits_words(limits)}.")
    return Answer(tuple(blocks), lambda: {**view_document(view), **around_document(beside)})
