"""A player's wishes: challenges or none, a limit of boards, opponents, less mail."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pbmserv.club.time_limits import format_limits
from pbmserv.club.wording import with_count
from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Flag, Word, command
from pbmserv.commands.game_options import ChosenGame, GameType
from pbmserv.commands.slots import BOARD, N, Ways, maybe, slot
from pbmserv.commands.time_options import TimeOptions
from pbmserv.commands.types import SignedPlayer, parse_match_number, parse_whole_number
from pbmserv.engine.games import shell_name
from pbmserv.engine.moments import utc_date
from pbmserv.errors import Misunderstood, Refused
from pbmserv.render.blocks import Table
from pbmserv.render.view import options_words
from pbmserv.services.remarks import mute_boards
from pbmserv.services.session import WriteSession

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pbmserv.club.player import Player
    from pbmserv.engine.game import Game
    from pbmserv.store.people.seeks import Availability, Seek

SOME_BOARDS = Ways(((maybe(BOARD, many=True),), (slot("all"),), (slot("none"),)))
MAX_WANTED = 20
MAX_BOARDS = 9999


NO_LIMIT = frozenset({"none", "all", "inf"})
END = frozenset({"none", "off"})


def _read_wanted(text: str) -> int | None:
    """Return how many opponents are wanted, None for no more; raises :class:`Misunderstood`."""
    number = 0 if text.lower() in END else _read_number(text, MAX_WANTED, "opponents")
    return number or None


def _read_limit(text: str) -> int | Literal["no-limit"]:
    """Return how many boards are wanted at most; raises :class:`Misunderstood`."""
    return "no-limit" if text.lower() in NO_LIMIT else _read_number(text, MAX_BOARDS, "boards")


def _read_number(text: str, most: int, what: str) -> int:
    number = parse_whole_number(text)
    if not 0 <= number <= most:
        raise Misunderstood(
            f"Not a valid number of {what} (0 to {most}, or none).", code="bad-number", about=text
        )
    return number


@command()
def limit(
    session: WriteSession,
    game: GameType,
    player: SignedPlayer,
    most: Annotated[int | Literal["no-limit"] | None, Word(maybe(N, "none"), _read_limit)] = None,
) -> Answer:
    """Limit your running boards of the game to N; further challenges are refused.

    0 means no new boards; none (also all, or inf) removes the limit. Without a number, your limit
    is shown. Boards whose opponent is on vacation do not count.
    """
    before = session.records.people.availability(player.id, game.name)
    if most is None:
        return _availability_answer(game, player, before)
    most = None if most == "no-limit" else most
    return _make_available(session, game, player, replace(before, most_boards=most), "limit")


@command()
def accept(session: WriteSession, game: GameType, player: SignedPlayer) -> Answer:
    """Accept challenges in the game again."""
    before = session.records.people.availability(player.id, game.name)
    return _make_available(session, game, player, replace(before, takes_challenges=True), "accept")


@command()
def reject(session: WriteSession, game: GameType, player: SignedPlayer) -> Answer:
    """Reject all challenges in the game until you use accept; running boards go on.

    Meanwhile challenge USERID anyone skips you, although you stay listed as looking for opponents.
    """
    before = session.records.people.availability(player.id, game.name)
    return _make_available(session, game, player, replace(before, takes_challenges=False), "reject")


@command()
def seek(
    session: WriteSession,
    player: SignedPlayer,
    wanted: Annotated[int | None, Word(slot(N, "none"), _read_wanted)],
    *,
    unrated: Annotated[bool, Flag("the games do not count for ratings")] = False,
    time: TimeOptions,
    chosen: ChosenGame,
) -> Answer:
    """Look for N opponents for boards with these options; none or 0 stops looking.

    Anyone can then start a board with: challenge USERID anyone

    This is refused while you do not accept challenges in the game.
    """
    from pbmserv.store.people.seeks import Seek

    people, game = session.records.people, chosen.game
    if wanted is None:
        people.stop_seeking(player.id, game.name)
        session.ledger.note("seek", "none")
    else:
        _require_acceptance(session, game, player)
        is_rated, now = not unrated and game.allows_swap, session.now
        people.seek(Seek(0, player.id, player.userid, game, time.limits, is_rated, wanted, now))
        session.ledger.note("seek", str(wanted))
    own = [sought for sought in people.seeks([game.name]) if sought.player_id == player.id]
    empty = f"{player.userid} is not looking for opponents in {game.title}."
    return Answer((seek_table(own, empty),), {"seeks": seek_documents(own)})


@command()
def notify(
    session: WriteSession,
    game: GameType,
    player: SignedPlayer,
    targets: Annotated[tuple[str, ...], Word(SOME_BOARDS)] = (),
) -> Answer:
    """Get mail about these boards only when they end.

    all means all your running boards of the game; none (or off) brings back mail about every move.
    Without an argument, these boards are listed.
    """
    words = [word.lower() for word in targets]
    if len(words) == 1 and words[0] in END:
        session.records.people.unmute_boards(player.id, game.name)
    else:
        numbers = None if words == ["all"] else [*map(parse_match_number, words)]
        mute_boards(session, player, game, numbers)
    if words:
        session.ledger.note("notify", f"{len(words)} words")
    silent = session.records.people.muted_boards(player.id, game.name)
    listed = ", ".join(map(str, silent)) or "none"
    name = shell_name(game.name)
    end = f" To get mail about every move again: {name} notify USERID PASSWORD none"
    said = f"{game.title} boards muted until they end: {listed}."
    return Answer((f"{said}{end if silent else ''}",), {"boards": silent})


def seek_table(seeks: Sequence[Seek], empty: str) -> Table:
    """Return a table of who is looking for opponents, and for what."""
    rows = tuple(
        (
            sought.game.name,
            sought.userid,
            str(sought.wanted),
            options_words(sought.game),
            "yes" if sought.is_rated else "no",
            format_limits(sought.limits),
            utc_date(sought.sought_at),
        )
        for sought in seeks
    )
    heads = ("game", "player", "boards wanted", "options", "rated", "time limits", "since")
    return Table(heads, rows, right=(2,), empty=empty)


def seek_documents(seeks: Sequence[Seek]) -> list[dict[str, Any]]:
    """Return the same for programs."""
    return [
        {
            "game": sought.game.name,
            "userid": sought.userid,
            "wanted": sought.wanted,
            "options": sought.game.option_values,
            "rated": sought.is_rated,
            "limits": format_limits(sought.limits),
            "since": sought.sought_at,
        }
        for sought in seeks
    ]


def _require_acceptance(session: WriteSession, game: Game, player: Player) -> None:
    """Raise :class:`Refused` if the player takes no challenges in the game: nobody could come."""
    if not session.records.people.availability(player.id, game.name).takes_challenges:
        raise Refused(
            f"You do not accept challenges in {game.title}, so nobody could answer your search.",
            code="takes-no-challenges",
            hint=f"Accept them again with: {shell_name(game.name)} accept USERID PASSWORD",
        )


def _make_available(
    session: WriteSession, game: type[Game], player: Player, wanted: Availability, verb: str
) -> Answer:
    session.records.people.make_available(player.id, game.name, wanted)
    session.ledger.note(verb, "none" if wanted.most_boards is None else str(wanted.most_boards))
    return _availability_answer(game, player, wanted)


def _availability_answer(game: type[Game], player: Player, wanted: Availability) -> Answer:
    """Return which challenges the player accepts."""
    takes = "accepts" if wanted.takes_challenges else "does not accept"
    many = (
        "no limit on boards"
        if wanted.most_boards is None
        else "no new boards"
        if wanted.most_boards == 0
        else f"at most {with_count(wanted.most_boards, 'running board')}"
    )
    return Answer(
        (f"{game.title}: {player.userid} {takes} challenges; {many}.",),
        {"accepts": wanted.takes_challenges, "limit": wanted.most_boards},
    )
