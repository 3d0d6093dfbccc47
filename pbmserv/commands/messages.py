"""Talk: messages, broadcasts, chat at a board, subscriptions, and who is not to be heard."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click

from pbmserv.club.player import ME, Player
from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Annotation, Declared, Word, command
from pbmserv.commands.game_options import GameType
from pbmserv.commands.types import (
    Login,
    MatchNumber,
    PlayerWord,
    Secret,
    SignedPlayer,
    parse_match_number,
    sign_as_me,
)
from pbmserv.errors import Denied, Misunderstood, Refused
from pbmserv.render.wording import counted
from pbmserv.services.lookup import find_match, find_opponent, find_player
from pbmserv.services.session import WriteSession

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pbmserv.club.match import Match
    from pbmserv.engine.game import Game
    from pbmserv.render.board_letters import Reader

MOST_RECIPIENTS = 20
LONGEST_TEXT = 10_000

MatchNumbers = tuple[int, ...] | Literal["all"]


def _parse_switch(text: str) -> bool:
    if text.lower() not in {"on", "off"}:
        raise Misunderstood("That is neither on nor off.", code="bad-switch", about=text)
    return text.lower() == "on"


OtherUserid = Annotated[str, PlayerWord("USERID2")]


class LoginBesideNumbers(Login):
    """Userid and password in either order with numbers: BOARD USERID PASSWORD, or those first."""

    def params(self, declared: Declared, game: type[Game] | None) -> list[click.Parameter]:
        """Return the one argument for all of them."""
        del declared, game
        return [
            click.Argument(
                ["numbers"],
                nargs=-1,
                metavar="BOARD USERID PASSWORD | USERID PASSWORD BOARD...|all",
                callback=_read_numbers,
            )
        ]


class NumbersBesideLogin(Annotation):
    """The numbers among the words of :class:`LoginBesideNumbers`."""

    gives = MatchNumbers


def _read_numbers(ctx: click.Context, param: click.Parameter, words: tuple[str, ...]) -> Any:
    """Keep userid and password, and a single number for the door; return all numbers."""
    number = ctx.params.get("number")
    if not words and number is None:
        raise click.MissingParameter(ctx=ctx, param=param)
    if number is not None:
        if words:
            raise click.UsageError("a board was named before")
        return (number,)
    is_one = words[0].isdigit()
    people = words[1:] if is_one else words
    targets = _take_login(ctx, people)
    if is_one and targets:
        raise click.UsageError("a board was named before")
    if not is_one and not targets:
        raise _missing("BOARD")
    if is_one:
        ctx.params["number"] = parse_match_number(words[0])
        return (ctx.params["number"],)
    if [target.lower() for target in targets] == ["all"]:
        return "all"
    return tuple(parse_match_number(target) for target in targets)


def _take_login(ctx: click.Context, words: tuple[str, ...]) -> tuple[str, ...]:
    """Keep userid and password, or ``me``, for the door; return the words behind them."""
    if words and words[0].lower() == ME:
        sign_as_me(ctx)
        return words[1:]
    for name, place in (("USERID", 0), ("PASSWORD", 1)):
        if len(words) <= place:
            raise _missing(name)
    userid, password, *behind = words
    ctx.params["userid"] = userid
    ctx.params["password"] = Secret(password)
    return tuple(behind)


def _missing(name: str) -> Misunderstood:
    return Misunderstood(f"A word is missing: {name}.", code="missing-word")


PlayerBesideNumbers = Annotated[Player, LoginBesideNumbers()]
Numbers = Annotated[MatchNumbers, NumbersBesideLogin()]


@command()
def message(
    session: WriteSession,
    player: SignedPlayer,
    to: Annotated[tuple[str, ...], Word("TO...")],
) -> Answer:
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
    others = {other.id: other for other in (find_opponent(session, name) for name in to)}
    for other in others.values():
        if session.records.talk.is_blocked(other.id, player.id):
            raise _unheard(other.userid)
    said = Comment(player.userid, text)
    session.ledger.post(message_letters(said, _readers(session, others)))
    session.ledger.note("message", f"{len(others)} players")
    names = [other.userid for other in others.values()]
    return Answer((f"Sent to {', '.join(names)}.",), {"to": names})


@command()
def broadcast(
    session: WriteSession,
    player: SignedPlayer,
    switch: Annotated[bool | None, Word("[on|off]", _parse_switch)] = None,
) -> Answer:
    """Send a text to every player who accepts broadcasts; with on or off, say whether you do."""
    from pbmserv.render.board_letters import Comment
    from pbmserv.render.service_letters import message_letters
    from pbmserv.store.quotas import BROADCASTS

    talk = session.records.talk
    if switch is not None:
        talk.prefer(player.id, replace(talk.preferences(player.id), takes_broadcasts=switch))
        session.ledger.note("broadcast", "on" if switch else "off")
        words = "You get broadcasts." if switch else "You get no more broadcasts."
        return Answer((words,), {"broadcast": switch})
    text = _text(session)
    if not session.records.quotas.take(BROADCASTS, f"player {player.id}", session.now):
        raise Refused(
            f"You may send {BROADCASTS.most} broadcasts a day.", code="too-many-broadcasts"
        )
    readers = [reader for reader in talk.broadcast_readers(player.id) if reader != player.id]
    said = Comment(player.userid, text)
    session.ledger.post(message_letters(said, _readers(session, readers), is_broadcast=True))
    session.ledger.note("broadcast", f"{len(readers)} players")
    return Answer((f"Sent to {counted(len(readers), 'player')}.",), {"players": len(readers)})


@command()
def chat(
    session: WriteSession, game: GameType, number: MatchNumber, player: SignedPlayer
) -> Answer:
    """Say a text at a board: it goes to both players and those who watch, and is kept."""
    text = _text(session)
    match = find_match(session, game, number)
    talk = session.records.talk
    if match.seat_of(player.id) is None and player.id not in talk.subscribers(match.id):
        raise Denied(
            f"You neither play nor watch {match.title}.",
            code="not-your-board",
            hint="Watch it with subscribe, then you can talk there.",
        )
    talk.say(match.id, player.id, text, session.now)
    session.ledger.say(match, player, text)
    session.ledger.note("chat", match_id=match.id)
    return Answer((f"Said at {match.title}.",), {"game": match.game.name, "board": match.number})


@command()
def subscribe(
    session: WriteSession, game: GameType, player: PlayerBesideNumbers, numbers: Numbers
) -> Answer:
    """Watch boards: their mails come to you too. With all, every board that is running."""
    if numbers == "all":
        found = session.records.matches.summaries(game.name)
        numbers = tuple(summary.number for summary in found if summary.next_seat is not None)
    matches = [find_match(session, game, number) for number in numbers]
    for match in matches:
        session.records.talk.subscribe(match.id, player.id)
        session.ledger.note("subscribe", match_id=match.id)
    return _watched(matches, "You watch", "nothing more")


@command()
def unsubscribe(
    session: WriteSession, game: GameType, player: PlayerBesideNumbers, numbers: Numbers
) -> Answer:
    """Watch boards no longer. With all, none of this game.

    About a running board of your own you then get mail only when it ends, as with notify.
    """
    talk = session.records.talk
    if numbers == "all":
        numbers = tuple(talk.subscribed(player.id, game.name))
    matches = [find_match(session, game, number) for number in numbers]
    for match in matches:
        talk.unsubscribe(match.id, player.id)
        if match.is_running and match.seat_of(player.id) is not None:
            session.records.people.silence(match.id, player.id)
        session.ledger.note("unsubscribe", match_id=match.id)
    return _watched(matches, "You no longer watch", "anything")


@command()
def digest(
    session: WriteSession,
    player: SignedPlayer,
    switch: Annotated[bool, Word("on|off", _parse_switch)],
) -> Answer:
    """Get one mail a day about all boards that wait for you, instead of one a move."""
    talk = session.records.talk
    talk.prefer(player.id, replace(talk.preferences(player.id), has_digest=switch))
    session.ledger.note("digest", "on" if switch else "off")
    words = "You get one mail a day." if switch else "You get a mail for every move."
    return Answer((words,), {"digest": switch})


@command()
def block(session: WriteSession, player: SignedPlayer, userid2: OtherUserid) -> Answer:
    """Get no challenge, message or chat of this player."""
    other = find_opponent(session, userid2)
    if other.id == player.id:
        raise Refused("You cannot block yourself.", code="own-block")
    session.records.talk.block(player.id, other.id)
    session.ledger.note("block", other.userid)
    return Answer((f"You hear no more of {other.userid}.",), {"blocked": other.userid})


@command()
def unblock(session: WriteSession, player: SignedPlayer, userid2: OtherUserid) -> Answer:
    """Undo a block."""
    other = find_player(session, userid2)
    if not session.records.talk.unblock(player.id, other.id):
        raise Refused(f"You have not blocked {other.userid}.", code="not-blocked")
    session.ledger.note("unblock", other.userid)
    return Answer((f"You hear of {other.userid} again.",), {"unblocked": other.userid})


def _text(session: WriteSession) -> str:
    """Return what is to be passed on; raises :class:`Refused` for nothing or too much."""
    from pbmserv.render.board_letters import clean

    session.require_letters()
    text = clean(session.read_body())
    if not text.strip():
        raise Refused(
            "There is no text to pass on.",
            code="no-text",
            hint="By mail it is the text of the mail, in the shell standard input.",
        )
    if len(text) > LONGEST_TEXT:
        raise Refused("The text is too long.", code="text-too-long")
    return text


def _readers(session: WriteSession, player_ids: Iterable[int]) -> list[Reader]:
    """Return these players at every address that is proven."""
    from pbmserv.render.board_letters import Reader

    rows = session.records.addresses.of(sorted(player_ids))
    return [Reader(row.address, row.player_id) for row in rows if row.is_open]


def _watched(matches: Sequence[Match], words: str, nothing: str) -> Answer:
    titles = ", ".join(match.title for match in matches) or nothing
    numbers = [match.number for match in matches]
    return Answer((f"{words} {titles}.",), {"boards": numbers})


def _unheard(userid: str) -> Denied:
    return Denied(f"{userid} takes no messages of yours.", code="blocked")
