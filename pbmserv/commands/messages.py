"""Talk: messages, broadcasts, chat at a board, subscriptions, and who is not to be heard."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from pbmserv.commands.grammar import command
from pbmserv.commands.types import (
    BOARD,
    PASSWORD,
    USERID,
    Param,
    Word,
    argument,
    arguments,
    parse_board,
)
from pbmserv.errors import Denied, Misunderstood, Refused
from pbmserv.render.wording import counted
from pbmserv.services.lookup import find_board, find_opponent
from pbmserv.services.session import Access, Answer, Session

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pbmserv.club.match import Match
    from pbmserv.render.board_letters import Reader

MOST_RECIPIENTS = 20
LONGEST_TEXT = 10_000
ALL = "all"


def _parse_switch(text: str) -> bool:
    if text.lower() not in {"on", "off"}:
        raise Misunderstood("That is neither on nor off.", code="bad-switch", about=text)
    return text.lower() == "on"


OTHER = argument("userid2", "USERID2", Word(str))
SWITCH = argument("switch", "on|off", Word(_parse_switch))


def _maybe_switch() -> click.Argument:
    return click.Argument(["switch"], required=False, type=Word(_parse_switch), metavar="[on|off]")


def _read_boards(ctx: click.Context, param: click.Parameter, words: tuple[str, ...]) -> Any:
    """Read both orders, BOARD USERID PASSWORD and USERID PASSWORD BOARD...; return the boards."""
    board = ctx.params.get("board")
    if not words and board is None:
        raise click.MissingParameter(ctx=ctx, param=param)
    if board is not None:
        if words:
            raise click.UsageError("a board was named before")
        return (board,)
    is_one = words[0].isdigit()
    people = words[1:] if is_one else words
    for name, place in (("USERID", 0), ("PASSWORD", 1)):
        if len(people) <= place:
            raise _missing(name)
    userid, password, *targets = people
    if is_one and targets:
        raise click.UsageError("a board was named before")
    if not is_one and not targets:
        raise _missing("BOARD")
    ctx.params["userid"] = userid
    ctx.params["password"] = PASSWORD().type.convert(password, param, ctx)
    if is_one:
        ctx.params["board"] = parse_board(words[0])
        return (ctx.params["board"],)
    if [target.lower() for target in targets] == [ALL]:
        return ALL
    return tuple(parse_board(target) for target in targets)


def _missing(name: str) -> Misunderstood:
    return Misunderstood(f"A word is missing: {name}.", code="missing-word")


def _boards_argument() -> click.Argument:
    return click.Argument(
        ["boards"],
        nargs=-1,
        metavar="BOARD USERID PASSWORD | USERID PASSWORD BOARD...|all",
        callback=_read_boards,
    )


BOARDS: Param = _boards_argument


@command(USERID, PASSWORD, arguments("to", "TO...", Word(str), least=1), access=Access.CHANGE)
def message(session: Session, to: tuple[str, ...]) -> Answer:
    """Send a text to other players: by mail the text of the mail, in the shell standard input.

    Nobody learns the address of another.
    """
    from pbmserv.render.board_letters import Comment
    from pbmserv.render.service_letters import message_letters

    text = _text(session)
    if len(to) > MOST_RECIPIENTS:
        raise Refused(
            f"A message goes to at most {MOST_RECIPIENTS} players.", code="too-many-recipients"
        )
    players = {player.id: player for player in (find_opponent(session, name) for name in to)}
    for player in players.values():
        if session.records.talk.is_blocked(player.id, session.player.id):
            raise _unheard(player.userid)
    session.post(message_letters(Comment(session.player.userid, text), _readers(session, players)))
    session.note("message", f"{len(players)} players")
    names = [player.userid for player in players.values()]
    return Answer((f"Sent to {', '.join(names)}.",), {"to": names})


@command(USERID, PASSWORD, _maybe_switch, access=Access.CHANGE)
def broadcast(session: Session, *, switch: bool | None) -> Answer:
    """Send a text to every player who accepts broadcasts; with on or off, say whether you do."""
    from pbmserv.render.board_letters import Comment
    from pbmserv.render.service_letters import message_letters
    from pbmserv.store.quotas import BROADCASTS

    talk, player = session.records.talk, session.player
    if switch is not None:
        talk.prefer(player.id, replace(talk.preferences(player.id), takes_broadcasts=switch))
        session.note("broadcast", "on" if switch else "off")
        words = "You get broadcasts." if switch else "You get no more broadcasts."
        return Answer((words,), {"broadcast": switch})
    text = _text(session)
    if not session.records.quotas.take(BROADCASTS, f"player {player.id}", session.now):
        raise Refused(
            f"You may send {BROADCASTS.most} broadcasts a day.", code="too-many-broadcasts"
        )
    readers = [reader for reader in talk.broadcast_readers(player.id) if reader != player.id]
    said = Comment(player.userid, text)
    session.post(message_letters(said, _readers(session, readers), is_broadcast=True))
    session.note("broadcast", f"{len(readers)} players")
    return Answer((f"Sent to {counted(len(readers), 'player')}.",), {"players": len(readers)})


@command(BOARD, USERID, PASSWORD, access=Access.CHANGE)
def chat(session: Session, board: int) -> Answer:
    """Say a text at a board: it goes to both players and those who watch, and is kept."""
    text = _text(session)
    match = find_board(session, board)
    player = session.player
    talk = session.records.talk
    if player.id not in {*_players(match), *talk.subscribers(match.id)}:
        raise Denied(
            f"You neither play nor watch {match.title}.",
            code="not-your-board",
            hint="Watch it with subscribe, then you can talk there.",
        )
    talk.say(match.id, player.id, text, session.now)
    session.say(match, text)
    session.note("chat", match_id=match.id)
    return Answer((f"Said at {match.title}.",), {"game": match.game.name, "board": match.number})


@command(BOARDS, access=Access.CHANGE)
def subscribe(session: Session, boards: tuple[int, ...] | str, board: int | None = None) -> Answer:
    """Watch boards: their mails come to you too. With all, every board that is running."""
    del board
    numbers = _running(session) if isinstance(boards, str) else boards
    matches = [find_board(session, number) for number in numbers]
    for match in matches:
        session.records.talk.subscribe(match.id, session.player.id)
        session.note("subscribe", match_id=match.id)
    return _watched(matches, "You watch", "nothing more")


@command(BOARDS, access=Access.CHANGE)
def unsubscribe(
    session: Session, boards: tuple[int, ...] | str, board: int | None = None
) -> Answer:
    """Watch boards no longer. With all, none of this game."""
    del board
    talk = session.records.talk
    numbers = _subscribed(session) if isinstance(boards, str) else boards
    matches = [find_board(session, number) for number in numbers]
    for match in matches:
        talk.unsubscribe(match.id, session.player.id)
        session.note("unsubscribe", match_id=match.id)
    return _watched(matches, "You no longer watch", "anything")


@command(USERID, PASSWORD, SWITCH, access=Access.CHANGE)
def digest(session: Session, *, switch: bool) -> Answer:
    """Get one mail a day about all boards that wait for you, instead of one a move."""
    talk, player = session.records.talk, session.player
    talk.prefer(player.id, replace(talk.preferences(player.id), has_digest=switch))
    session.note("digest", "on" if switch else "off")
    words = "You get one mail a day." if switch else "You get a mail for every move."
    return Answer((words,), {"digest": switch})


@command(USERID, PASSWORD, OTHER, access=Access.CHANGE)
def block(session: Session, userid2: str) -> Answer:
    """Get no challenge, message or chat of this player."""
    other = find_opponent(session, userid2)
    if other.id == session.player.id:
        raise Refused("You cannot block yourself.", code="own-block")
    session.records.talk.block(session.player.id, other.id)
    session.note("block", other.userid)
    return Answer((f"You hear no more of {other.userid}.",), {"blocked": other.userid})


@command(USERID, PASSWORD, OTHER, access=Access.CHANGE)
def unblock(session: Session, userid2: str) -> Answer:
    """Undo a block."""
    from pbmserv.services.lookup import find_player

    other = find_player(session, userid2)
    if not session.records.talk.unblock(session.player.id, other.id):
        raise Refused(f"You have not blocked {other.userid}.", code="not-blocked")
    session.note("unblock", other.userid)
    return Answer((f"You hear of {other.userid} again.",), {"unblocked": other.userid})


def _text(session: Session) -> str:
    """Return what is to be passed on; raises :class:`Refused` for nothing or too much."""
    from pbmserv.render.board_letters import clean

    session.require_letters()
    text = clean(session.body)
    if not text.strip():
        raise Refused(
            "There is no text to pass on.",
            code="no-text",
            hint="By mail it is the text of the mail, in the shell standard input.",
        )
    if len(text) > LONGEST_TEXT:
        raise Refused("The text is too long.", code="text-too-long")
    return text


def _readers(session: Session, player_ids: Iterable[int]) -> list[Reader]:
    """Return these players at every address that is proven."""
    from pbmserv.render.board_letters import Reader

    rows = session.records.addresses.of(sorted(player_ids))
    return [Reader(row.address, row.player_id) for row in rows if row.is_open]


def _players(match: Match) -> tuple[int, int]:
    return match.first.player_id, match.second.player_id


def _running(session: Session) -> list[int]:
    matches = session.records.matches
    return [s.number for s in matches.summaries(session.game.name) if s.next_seat is not None]


def _subscribed(session: Session) -> list[int]:
    numbers = session.records.talk.subscribed(session.player.id, session.game.name)
    return list(numbers)


def _watched(matches: Sequence[Match], words: str, nothing: str) -> Answer:
    titles = ", ".join(match.title for match in matches) or nothing
    numbers = [match.number for match in matches]
    return Answer((f"{words} {titles}.",), {"boards": numbers})


def _unheard(userid: str) -> Denied:
    return Denied(f"{userid} takes no messages of yours.", code="blocked")
