"""Challenges: to a player, to anybody who seeks one, from a position, and once more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pbmserv.club.events import describe
from pbmserv.club.match import Match, Origin
from pbmserv.club.play import require_player
from pbmserv.club.player import Player, PlayerStatus
from pbmserv.commands.grammar import choose_game, command
from pbmserv.commands.time_options import DEFAULT_LIMITS, TIME_OPTIONS, check_limits, choose_limits
from pbmserv.commands.types import (
    BOARD,
    PASSWORD,
    USERID,
    BoardRef,
    Word,
    argument,
    flag,
    option,
    parse_board_and_ply,
)
from pbmserv.errors import Misunderstood, Refused
from pbmserv.render.document import view_document
from pbmserv.render.view import view_blocks, view_match
from pbmserv.services.lookup import find_board, find_opponent
from pbmserv.services.match_details import limits_words, look_around
from pbmserv.services.match_start import (
    Deal,
    askers,
    objections,
    require_welcome,
    start_board,
    started_event,
)
from pbmserv.services.session import Access, Answer, Session

if TYPE_CHECKING:
    from pbmserv.club.time_limits import TimeLimits
    from pbmserv.engine.game import Game
    from pbmserv.store.seeks import Seek

ANYONE = "anyone"


def _check_challenge(game: type[Game] | None, params: Mapping[str, Any]) -> None:
    """Raise :class:`Misunderstood` for players, times, options and a position that clash."""
    words = [params[name].lower() for name in ("userid1", "userid2")]
    if words == [ANYONE, ANYONE]:
        raise Misunderstood("Say who wants to play.", code="missing-word")
    if params["from"] is not None and ANYONE in words:
        raise Misunderstood("A position goes with two players.", code="mixed-words")
    check_limits(game, params)
    if params["from"] is not None and game is not None and _wanted(game, params):
        raise Misunderstood(
            "A board that begins from another one has the options of that.",
            code="mixed-words",
            hint="Leave out the options of the game.",
        )


@command(
    argument("userid1", "USERID1", Word(str)),
    argument("userid2", "USERID2", Word(str)),
    flag("unrated", "the game does not count for ratings"),
    *TIME_OPTIONS,
    option("from", "BOARD[#N]", "begin from the position of a board, unrated", parse_board_and_ply),
    access=Access.CHANGE,
    has_game_options=True,
    check=_check_challenge,
)
def challenge(
    session: Session, userid1: str, userid2: str, *, unrated: bool, **options: Any
) -> Answer:
    """Start a board at once: USERID1 plays X and moves first, USERID2 plays O.

    Either player declines by resigning before the second move. A challenge is refused if one of
    the two takes no challenges, has as many boards as he wants, or has blocked the other.

    With the word anyone for one of the two, the board is opened with whoever has been seeking an
    opponent for longest; options that are given must be those he wants, all others are his. Who
    takes no challenges by now, or has as many boards as he wants, is passed over.

    With -from=101#5 the board begins with the first five moves of Board 101 as its own, so that
    USERID1 has the stones of X; it is unrated.
    """
    start: BoardRef | None = options["from"]
    words = (userid1, userid2)
    if ANYONE in {word.lower() for word in words}:
        return _take_seek(session, words, options, unrated=unrated)
    limits = choose_limits(options)
    game = choose_game(session.game, options)
    players = (find_opponent(session, userid1), find_opponent(session, userid2))
    require_welcome(session, session.game, players, askers(session))
    if start is not None:
        return _begin_from(session, start, limits, players)
    deal = Deal(game, limits, is_rated=not unrated)
    return begun(session, start_board(session, deal, players), limits, "challenge")


@command(BOARD, USERID, PASSWORD, access=Access.CHANGE)
def rematch(session: Session, board: int) -> Answer:
    """Play once more: a new board like a finished one, begun by who moved second there.

    Game, options and time are the same. Either player declines by resigning before the second
    move.
    """
    match = find_board(session, board)
    require_player(match, session.player.id)
    if match.is_running or match.is_removed:
        raise Refused(
            f"{match.title} {'is still running' if match.is_running else 'was never played'}.",
            code="not-finished",
            hint="A rematch follows a finished game.",
        )
    players = (
        find_opponent(session, match.second.userid),
        find_opponent(session, match.first.userid),
    )
    require_welcome(session, session.game, players, askers(session))
    stored = session.records.clocks.find(match.id)
    limits = DEFAULT_LIMITS if stored is None else stored.limits
    deal = Deal(match.game, limits, match.is_rated)
    return begun(session, start_board(session, deal, players), limits, "rematch")


def begun(session: Session, match: Match, limits: TimeLimits, verb: str) -> Answer:
    """Tell that a board was started, and return the answer to whoever started it."""
    session.note(verb, f"{match.first.userid} {match.second.userid}", match_id=match.id)
    started = started_event(match)
    session.tell(match, (started,))
    view = view_match(match)
    beside = look_around(session, match)
    blocks = [f"New {match.title}. {describe(started)}", *view_blocks(view)]
    if limits != DEFAULT_LIMITS:
        blocks.append(f"Time: {limits_words(limits)}.")
    return Answer(tuple(blocks), {**view_document(view), **beside.document})


def _begin_from(
    session: Session, start: BoardRef, limits: TimeLimits, players: tuple[Player, Player]
) -> Answer:
    """Open an unrated board that begins with the moves of another one up to some moment."""
    source = find_board(session, start.number)
    shown = view_match(source, start.ply)
    if shown.game.outcome(shown.position) is not None:
        raise Refused(
            "In that position the game is over.",
            code="game-over",
            hint=f"Choose an earlier one, as in -from={source.number}#5.",
        )
    # Whoever is named first has the stones of X, also where they changed hands by a swap.
    seats = (players[1], players[0]) if "swap" in shown.moves else players
    origin = Origin(source.number, len(shown.moves))
    deal = Deal(source.game, limits, is_rated=False)
    match = start_board(session, deal, seats, moves=shown.moves, origin=origin)
    return begun(session, match, limits, "challenge")


def _take_seek(
    session: Session, words: tuple[str, str], options: Mapping[str, Any], *, unrated: bool
) -> Answer:
    """Open a board against the player whose fitting wish for an opponent is the oldest."""
    named = next(word for word in words if word.lower() != ANYONE)
    player = find_opponent(session, named)
    people, wanted = session.records.people, _wanted(session.game, options)
    for sought in people.seeks([session.game.name]):
        if sought.player_id == player.id or not _fits(sought, wanted, options):
            continue
        if unrated and sought.is_rated:
            continue
        seeker = session.records.players.get(sought.player_id)
        pair = (player, seeker) if words[1].lower() == ANYONE else (seeker, player)
        # Who takes it up asks for it; who seeks but takes no challenges by now is passed over.
        asking = {player.id}
        is_open = seeker.status is PlayerStatus.ACTIVE
        if is_open and not objections(session, session.game, pair, asking) and people.take(sought):
            deal = Deal(sought.game, sought.limits, sought.is_rated)
            return begun(session, start_board(session, deal, pair), sought.limits, "challenge")
    raise Refused(
        f"Nobody who can play {player.userid} seeks an opponent in {session.game.title} so.",
        code="no-seeker",
        hint="list shows who seeks what; seek tells others what you want.",
    )


def _wanted(game: type[Game], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of the game that were given."""
    names = {option.name for option in game.options()}
    given = {name: value for name, value in options.items() if value not in (None, False)}
    return {name: value for name, value in given.items() if name in names}


def _fits(sought: Seek, wanted: Mapping[str, Any], options: Mapping[str, Any]) -> bool:
    """Tell whether a wish has the options of the game that are wanted, and the times given."""
    limits = sought.limits
    times = (
        ("nagtime", limits.nag_days),
        ("forfeittime", limits.forfeit_days),
        ("totaltime", limits.total_days),
    )
    has_options = all(getattr(sought.game, name) == value for name, value in wanted.items())
    return has_options and all(options[name] in (None, days) for name, days in times)
