"""What a player wants of the others: challenges or none, so many boards, opponents, little mail."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pbmserv.club.play import utc_date
from pbmserv.club.time_limits import format_limits
from pbmserv.commands.grammar import choose_game, command
from pbmserv.commands.time_options import TIME_OPTIONS, check_limits, choose_limits
from pbmserv.commands.types import (
    PASSWORD,
    USERID,
    Word,
    argument,
    arguments,
    flag,
    parse_board,
    parse_whole_number,
)
from pbmserv.errors import Denied, Misunderstood, Refused
from pbmserv.render.blocks import Table
from pbmserv.render.document import options_document
from pbmserv.render.view import options_words
from pbmserv.render.wording import counted
from pbmserv.services.lookup import find_board
from pbmserv.services.session import Access, Answer, Session

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pbmserv.store.seeks import Seek

MOST_WANTED = 20
MOST_BOARDS = 9999


def _reader(most: int, what: str) -> Word:
    def read(text: str) -> int | None:
        if text.lower() == "none":
            return None
        number = parse_whole_number(text)
        if not 1 <= number <= most:
            raise Misunderstood(f"That is no number of {what}.", code="bad-number", about=text)
        return number

    return Word(read)


@command(
    USERID,
    PASSWORD,
    argument("most", "N|none", _reader(MOST_BOARDS, "boards")),
    access=Access.CHANGE,
)
def limit(session: Session, most: int | None) -> Answer:
    """Have at most N running boards of the game; further challenges are refused."""
    return _change_availability(session, "limit", most_boards=most)


@command(USERID, PASSWORD, access=Access.CHANGE)
def accept(session: Session) -> Answer:
    """Take challenges in the game again."""
    return _change_availability(session, "accept", takes_challenges=True)


@command(USERID, PASSWORD, access=Access.CHANGE)
def reject(session: Session) -> Answer:
    """Take no challenges in the game until you accept them again; running boards go on.

    Nobody finds you by challenge USERID anyone meanwhile, although what you seek stays listed.
    """
    return _change_availability(session, "reject", takes_challenges=False)


@command(
    USERID,
    PASSWORD,
    argument("wanted", "N|none", _reader(MOST_WANTED, "opponents")),
    flag("unrated", "the games do not count for ratings"),
    *TIME_OPTIONS,
    access=Access.CHANGE,
    has_game_options=True,
    check=check_limits,
)
def seek(session: Session, wanted: int | None, *, unrated: bool, **options: Any) -> Answer:
    """Seek N opponents for boards with these options; none ends all your seeking in the game.

    Whoever wants to play takes it up with: challenge USERID anyone

    It is refused while you take no challenges in the game.
    """
    from pbmserv.store.seeks import Seek

    player, people = session.player, session.records.people
    if wanted is None:
        people.stop_seeking(player.id, session.game.name)
        session.note("seek", "none")
    else:
        _require_acceptance(session)
        game = choose_game(session.game, options)
        is_rated = not unrated and game.is_even
        limits = choose_limits(options)
        people.seek(Seek(0, player.id, player.userid, game, limits, is_rated, wanted, session.now))
        session.note("seek", str(wanted))
    own = [sought for sought in people.seeks([session.game.name]) if sought.player_id == player.id]
    empty = f"{player.userid} seeks nobody in {session.game.title}."
    return Answer((seek_table(own, empty),), {"seeks": seek_documents(own)})


@command(
    USERID,
    PASSWORD,
    arguments("boards", "[BOARD]... | all | none", Word(str)),
    access=Access.CHANGE,
)
def notify(session: Session, boards: tuple[str, ...]) -> Answer:
    """Get mail about these boards only when they end.

    all means all your running boards of the game, none that you hear of every move again. Without
    a word, the boards are listed.
    """
    player, people, game = session.player, session.records.people, session.game
    words = [word.lower() for word in boards]
    if words == ["none"]:
        people.end_silence(player.id, game.name)
    else:
        for number in _boards_of(session) if words == ["all"] else map(parse_board, words):
            match = find_board(session, number)
            if match.seat_of(player.id) is None and player.id not in (
                session.records.talk.subscribers(match.id)
            ):
                raise Denied(f"You neither play nor watch {match.title}.", code="not-a-player")
            people.silence(match.id, player.id)
    if words:
        session.note("notify", f"{len(words)} words")
    silent = people.silent_boards(player.id, game.name)
    listed = ", ".join(map(str, silent)) or "none"
    return Answer(
        (f"Boards of {game.title} about which you get mail only when they end: {listed}.",),
        {"boards": silent},
    )


def seek_table(seeks: Sequence[Seek], empty: str) -> Table:
    """Return a table of who seeks opponents for what."""
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
    heads = ("game", "seeking", "wanted", "options", "rated", "time", "since")
    return Table(heads, rows, right=(2,), empty=empty)


def seek_documents(seeks: Sequence[Seek]) -> list[dict[str, Any]]:
    """Return the same for programs."""
    return [
        {
            "game": sought.game.name,
            "userid": sought.userid,
            "wanted": sought.wanted,
            "options": options_document(sought.game),
            "rated": sought.is_rated,
            "limits": format_limits(sought.limits),
            "since": sought.sought_at,
        }
        for sought in seeks
    ]


def _require_acceptance(session: Session) -> None:
    """Raise :class:`Refused` if the player takes no challenges in the game: nobody could come."""
    player, game = session.player, session.game
    if not session.records.people.availability(player.id, game.name).takes_challenges:
        raise Refused(
            f"You take no challenges in {game.title}, so nobody could play with you.",
            code="takes-no-challenges",
            hint=f"Take them again with: {game.name} accept USERID PASSWORD",
        )


def _change_availability(session: Session, verb: str, **changes: int | bool | None) -> Answer:
    player, people, game = session.player, session.records.people, session.game
    wanted = replace(people.availability(player.id, game.name), **changes)  # type: ignore[arg-type]
    people.make_available(player.id, game.name, wanted)
    session.note(verb, "none" if wanted.most_boards is None else str(wanted.most_boards))
    takes = "takes" if wanted.takes_challenges else "takes no"
    many = (
        "any number of running boards"
        if wanted.most_boards is None
        else f"at most {counted(wanted.most_boards, 'running board')}"
    )
    return Answer(
        (f"{player.userid} {takes} challenges in {game.title} and wants {many}.",),
        {"accepts": wanted.takes_challenges, "limit": wanted.most_boards},
    )


def _boards_of(session: Session) -> list[int]:
    found = session.records.matches.summaries(
        session.game.name, [session.player.id], selector="active"
    )
    return [summary.number for summary in found]
