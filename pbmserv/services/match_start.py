"""Starting matches: what two agree on, what stands against it, robots too, and the match itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, field, replace

from pbmserv.club.events import Event, EventKind
from pbmserv.club.match import Match, Origin, restore_moves
from pbmserv.club.player import Player, Seat
from pbmserv.club.rating import Shift
from pbmserv.club.time_limits import TimeLimits
from pbmserv.club.wording import with_count
from pbmserv.engine.game import Game
from pbmserv.engine.position import Move
from pbmserv.engine.spec import is_plain
from pbmserv.errors import Denied, Refused
from pbmserv.services.match_clock import start_clock
from pbmserv.services.session import Source, WriteSession

Pair = tuple["Player", "Player"]

BLOCKED = "One of these players does not accept challenges from the other."
"""Which of the two it is, is nobody's business."""


@dataclass(frozen=True)
class MatchTerms:
    """The terms of a match: the game with its options, the time limits, and whether it is rated.

    ``says_rated`` if somebody has said that it is to count, as it must be said against a robot.
    ``shift`` is what the handicap of an even game is worth.
    """

    game: Game
    limits: TimeLimits = field(default_factory=TimeLimits)
    is_rated: bool = True
    says_rated: bool = False
    shift: Shift | None = None


def start_match(
    session: WriteSession,
    terms: MatchTerms,
    players: Pair,
    *,
    moves: tuple[Move, ...] = (),
    origin: Origin | None = None,
) -> Match:
    """Store a new match and start its clock; nobody is told yet.

    The first of the players begins as X. With an ``origin`` the match begins with these ``moves``.
    """
    if any(each.robot is not None for each in players):
        require_willing(session, terms.game, players)
    first, second = (Seat(each.id, each.userid, each.robot is not None) for each in players)
    is_rated = terms.is_rated and may_be_rated(players, is_wanted=terms.says_rated)
    is_fair = terms.game.allows_swap if terms.shift is None else terms.shift.is_known
    is_rated = is_rated and is_fair and first != second
    matches, shift = session.records.matches, terms.shift
    match = matches.add(terms.game, first, second, session.now, is_rated=is_rated, shift=shift)
    if origin is not None:
        before, after = match, replace(match, origin=origin)
        match = restore_moves(after, moves, None, session.now)
        matches.save(before, match)
    start_clock(session, match, terms.limits)
    return match


def started_event(match: Match) -> Event:
    """Return the fact that a match was started."""
    if match.origin is None:
        return Event(EventKind.STARTED, match.first)
    where = f"{match.game.title} Board {match.origin.number} after move {match.origin.ply}"
    return Event(EventKind.CONTINUED, match.next_seat, where)


def askers(session: WriteSession) -> set[int]:
    """Return the players who are asking: who signed, or who has the address that a mail came from.

    In the shell a challenge is anybody's, so nobody is known to ask for it.
    """
    if session.signer is not None:
        return {session.signer.id}
    if session.sender is None:
        return set()
    return {address.player_id for address in session.records.addresses.holders(session.sender)}


def require_no_objection(
    session: WriteSession,
    game: type[Game],
    players: Pair,
    asking: AbstractSet[int],
) -> None:
    """Raise :class:`Refused` with all reasons why these two cannot begin a board of ``game``."""
    found = objections(session, game, players, asking)
    if found:
        code = "blocked" if found == [BLOCKED] else "challenge-refused"
        raise Refused(" ".join(found), code=code, hint="No board was started.")


def objections(
    session: WriteSession,
    game: type[Game],
    players: Pair,
    asking: AbstractSet[int],
) -> list[str]:
    """Return the objections to a board, sentences; ``asking`` players only have their limit."""
    session.records.people.lock(sorted({player.id for player in players}))
    pairs = [players, (players[1], players[0])] if players[0].id != players[1].id else [players]
    found = [
        sentence
        for player, other in pairs
        for sentence in _objections_of(session, game, player, other, asking)
    ]
    talk = session.records.talk
    if any(talk.is_blocked(player.id, other.id) for player, other in pairs):
        found.append(BLOCKED)
    return found


def _objections_of(
    session: WriteSession, game: type[Game], player: Player, other: Player, asking: Iterable[int]
) -> Iterator[str]:
    records = session.records
    available = records.people.availability(player.id, game.name)
    if not available.takes_challenges and player.id not in asking and player.id != other.id:
        yield f"{player.name} does not accept challenges in {game.title}."
    if available.most_boards is not None:
        running = records.people.running_boards(player.id, game.name, now=session.now)
        if not available.most_boards:
            yield f"{player.name} is not taking new {game.title} boards."
        elif running >= available.most_boards:
            yield (
                f"{player.name} has {with_count(running, f'running {game.title} board')}; the "
                f"limit is {available.most_boards}."
            )


def require_willing(session: WriteSession, game: Game, players: Pair) -> None:
    """Raise :class:`Refused` if a robot does not play this, or a player has enough such boards.

    Robots belong to the operators, who alone let them play each other: at a shell of ours, where
    who signs in does so as a player.
    """
    is_player = session.source is not Source.SHELL or session.viewer is not None
    if is_player and all(player.robot for player in players):
        raise Denied(
            "Only operators can start boards between computers.",
            code="operators-only",
            hint="Play one of them yourself. An operator must first run: pbmserv logout",
        )
    for player, other in (players, players[::-1]):
        if other.robot is None:
            continue
        if game.name not in other.robot.games:
            raise Refused(
                f"{other.name} does not play {game.title}.",
                code="not-its-game",
                hint=f"It plays: {', '.join(other.robot.games)}.",
            )
        if other.robot.level is None and not is_plain(game):
            raise Refused(
                f"{other.name} is a program that supports no options except size, komi and noswap.",
                code="not-its-game",
            )
        most = session.max_robot_boards()
        if session.records.robots.boards_against(player.id) >= most:
            raise Refused(
                f"{player.name} has {with_count(most, 'board')} against computers, which is this "
                "server's limit.",
                code="too-many-robot-boards",
                hint="Finish one of them first.",
            )


def require_rated(session: WriteSession, players: Pair, asking: Iterable[int]) -> None:
    """Raise :class:`Refused` unless a game that is to be rated can be, and its player wants it."""
    if (players[0].robot is None) == (players[1].robot is None):
        return
    robot, person = sorted(players, key=lambda player: player.robot is None)
    if robot.robot is not None and not robot.robot.is_rated:
        raise Refused(
            f"Games against {robot.name} are unrated.",
            code="unrated-robot",
            hint="Leave out -rated.",
        )
    wanting = set(asking)
    with suppress(Denied):
        wanting.add(session.me.id)
    if person.id not in wanting:
        raise Denied(
            f"Only {person.userid} can ask for this game to be rated.",
            code="not-your-rating",
            hint="Sign in first with: pbmserv login USERID",
        )


def may_be_rated(players: Pair, *, is_wanted: bool) -> bool:
    """Tell whether a game of these two counts; with a robot it must be said, and may be so."""
    robots = [player.robot for player in players if player.robot is not None]
    may_be = len(robots) == len(players) or all(robot.is_rated for robot in robots)
    return not robots or (is_wanted and may_be)
