"""Talk: messages, broadcasts, chat at a board, subscriptions, and who is not to be heard."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click

from pbmserv.club.notices import NoticeKind
from pbmserv.club.player import ME, PASSWORD, Player, may_be_password
from pbmserv.club.wording import with_count
from pbmserv.club.written_text import parse_written, without_tokens
from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Argument, Option, Parameter, ParameterSpec, Word, command
from pbmserv.commands.game_options import GameType
from pbmserv.commands.grammar import left_out
from pbmserv.commands.slots import BOARD, TEXT, TO, USERID, Ways, maybe, one_way, slot
from pbmserv.commands.types import (
    SECRET,
    Login,
    MatchNumber,
    Secret,
    SignedInUser,
    SignedPlayer,
    parse_match_number,
    parse_switch,
    sign_as_me,
)
from pbmserv.engine.moments import Moment, TimedText, lines_of
from pbmserv.errors import Denied, Misunderstood, NotFound, Refused
from pbmserv.services.lookup import find_match, find_opponent, find_player
from pbmserv.services.remarks import audience_of, say, send
from pbmserv.services.session import Source, WriteSession

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pbmserv.club.match import Match
    from pbmserv.engine.game import Game
    from pbmserv.render.board_letters import Reader
    from pbmserv.store.people.talk import ChatLine

MAX_RECIPIENTS = 20
MAX_LENGTH = 10_000
MAX_MESSAGES = 50

SINGLE_WORD = re.compile(r"[A-Za-z']+[.,:;!?]*", re.ASCII)
"""A word of a language, rather than a password."""

MatchNumbers = tuple[int, ...] | Literal["all"]


DASH = "-"
"""Stands for a text that is read from standard input."""

Text = Annotated[str | None, Option('"TEXT"', "the text; - reads it from standard input")]


def _parse_switch_or_dash(text: str) -> str:
    """Return ``on``, ``off`` or a dash; raises :class:`Misunderstood`."""
    return text.lower() if text == DASH or parse_switch(text) else "off"


class SpokenWords(Word):
    """A text that stands in the line as it is spoken, after all other words."""

    def value(self, declared: Parameter, ctx: click.Context) -> Any:
        """Return its words; raises :class:`Misunderstood` for one that looks like a password.

        Behind ``me`` a single word stands where a password does behind a userid.
        """
        words = super().value(declared, ctx)
        if len(words) == 1 and isinstance(ctx.params.get("password"), SignedInUser):
            word = words[0]
            if may_be_password(word) and not SINGLE_WORD.fullmatch(word):
                raise Misunderstood(
                    "This looks like a password, so it was not sent.",
                    code="password-said",
                    hint='me includes the password. To send it anyway, write -text="...".',
                )
        return words


LastWords = Annotated[tuple[str, ...], SpokenWords(maybe(TEXT, many=True))]
OtherUserid = Annotated[str, Word(slot(USERID.called("USERID2")))]


SIGNED = slot(USERID), SECRET


class LoginBesideNumbers(Login):
    """Userid and password in either order with numbers: BOARD USERID PASSWORD, or those first."""

    def params(self, declared: Parameter, game: type[Game] | None) -> list[click.Parameter]:
        """Return the one argument for all of them."""
        del declared, game
        return [
            Argument(
                "numbers",
                Ways(((slot(BOARD), *SIGNED), (*SIGNED, slot(BOARD, "all", many=True)))),
                nargs=-1,
                callback=_read_numbers,
            )
        ]


class NumbersBesideLogin(ParameterSpec):
    """The numbers among the words of :class:`LoginBesideNumbers`."""

    gives = MatchNumbers


def _read_numbers(ctx: click.Context, param: click.Parameter, words: tuple[str, ...]) -> Any:
    """Keep userid and password, and a single number for the door; return all numbers."""
    number = ctx.params.get("number")
    if not words and number is None:
        raise click.MissingParameter(ctx=ctx, param=param)
    if number is not None:
        if words:
            raise _surplus(words[0])
        return (number,)
    is_one = words[0].isdigit()
    people = words[1:] if is_one else words
    targets = _take_login(ctx, people)
    if is_one and targets:
        raise _surplus(targets[0])
    if not is_one and not targets:
        raise _missing("BOARD")
    if is_one:
        ctx.params["number"] = parse_match_number(words[0])
        return (ctx.params["number"],)
    if [target.lower() for target in targets] in (["all"], ["active"]):
        return "all"
    return tuple(parse_match_number(target) for target in targets)


def _surplus(word: str) -> Misunderstood:
    return Misunderstood("Unexpected argument.", code="surplus-word", about=word)


def _take_login(ctx: click.Context, words: tuple[str, ...]) -> tuple[str, ...]:
    """Keep userid and password, or ``me``, for the door; return the words after them."""
    if words and words[0].lower() == ME:
        sign_as_me(ctx)
        return words[1:]
    if not words:
        raise _missing("USERID")
    if len(words) == 1:
        words = (*words, left_out(ctx, one_way(SECRET), takes_me=True))
    userid, password, *after = words
    ctx.params["userid"] = userid
    ctx.params["password"] = Secret(password)
    return tuple(after)


def _missing(name: str) -> Misunderstood:
    return Misunderstood(f"Missing argument: {name}.", code="missing-word")


PlayerBesideNumbers = Annotated[Player, LoginBesideNumbers()]
Numbers = Annotated[MatchNumbers, NumbersBesideLogin()]


@command()
def message(
    session: WriteSession,
    player: SignedPlayer,
    to: Annotated[tuple[str, ...], Word(one_way(slot(TO, many=True), maybe(TEXT, before=": ")))],
    *,
    text: Text = None,
) -> Answer:
    """Send a text to other players, who read it with messages, or by mail if they get mail.

    The text follows a colon, as in message me bob: hello, or is that of -text; a dash reads it from
    standard input. By mail it is the text of your mail. Nobody sees anybody's address.
    """
    from pbmserv.render.board_letters import Comment
    from pbmserv.render.service_letters import message_letters

    names, words = _after_colon(to)
    if len(names) > MAX_RECIPIENTS:
        raise Refused(
            f"A message goes to at most {MAX_RECIPIENTS} players.", code="too-many-recipients"
        )
    others = {other.id: other for other in _recipients(session, names)}
    text = said_text(session, words, text, "As in: pbmserv message me bob: hello\n")
    for other in others.values():
        if other.robot is not None:
            raise Refused(f"{other.name} is a computer and reads no messages.", code="robot")
        if session.records.talk.is_blocked(other.id, player.id):
            raise _unheard(other.userid)
    send(session, player, others, text)
    said = Comment(player.userid, text)
    session.ledger.post(message_letters(said, _readers(session, others)))
    session.ledger.note("message", f"{len(others)} players")
    names = [other.userid for other in others.values()]
    return Answer((f"Sent to {', '.join(names)}.",), {"to": names})


@command()
def broadcast(
    session: WriteSession,
    player: SignedPlayer,
    switch: Annotated[str | None, Word(maybe("on", "off", "-"), _parse_switch_or_dash)] = None,
    *,
    text: Text = None,
) -> Answer:
    """Send a text to every player who accepts broadcasts; with on or off, say whether you do.

    The text is that of -text; a dash reads it from standard input. By mail it is the text of your
    mail.
    """
    from pbmserv.render.board_letters import Comment
    from pbmserv.render.service_letters import message_letters
    from pbmserv.store.mail.budgets import Purpose, Requester, max_letters

    talk = session.records.talk
    if switch is not None and switch != DASH:
        takes = switch == "on"
        talk.prefer(player.id, replace(talk.preferences(player.id), takes_broadcasts=takes))
        session.ledger.note("broadcast", switch)
        words = "You get broadcasts." if takes else "You get no more broadcasts."
        return Answer((words,), {"broadcast": takes})
    dash = () if switch is None else (switch,)
    text = said_text(session, dash, text, 'As in: pbmserv broadcast me -text="See you"\n')
    budgets, requester = session.records.budgets, Requester(player_id=player.id)
    if not budgets.allow(Purpose.BROADCAST, requester, session.now):
        most = max_letters(Purpose.BROADCAST)
        raise Refused(f"You can send {most} broadcasts a day.", code="too-many-broadcasts")
    readers = [reader for reader in talk.broadcast_readers(player.id) if reader != player.id]
    send(session, player, readers, text, is_broadcast=True)
    said = Comment(player.userid, text)
    session.ledger.post(message_letters(said, _readers(session, readers), is_broadcast=True))
    session.ledger.note("broadcast", f"{len(readers)} players")
    return Answer((f"Sent to {with_count(len(readers), 'player')}.",), {"players": len(readers)})


@command()
def chat(
    session: WriteSession,
    game: GameType,
    number: MatchNumber,
    player: SignedPlayer,
    words: LastWords = (),
    *,
    text: Text = None,
) -> Answer:
    """Write to the chat of a board; without a text, read it.

    The text is the last words, as in star chat 101 me good luck, or that of -text; a dash reads it
    from standard input. By mail it is the text of your mail. Both players and those who watch the
    board can read it (help people). A text that begins with your password is refused.
    """
    match = find_match(session, game, number)
    if player.id not in audience_of(session, match):
        raise Denied(
            f"You are neither playing nor watching {match.title}.",
            code="not-your-board",
            hint="To chat there, watch it with subscribe first.",
        )
    text = said_text(session, words, text)
    if not text:
        session.records.notices.read(player.id, session.now, NoticeKind.REMARK, match.id)
        said = session.records.talk.said(match.id)
        board = {"game": match.game.name, "board": match.number}
        return Answer(said_blocks(said), {**board, "remarks": said_documents(said)})
    say(session, match, player, text)
    session.ledger.say(match, player, text)
    session.ledger.note("chat", match_id=match.id)
    return Answer((f"Sent to {match.title}.",), {"game": match.game.name, "board": match.number})


@command()
def messages(session: WriteSession, player: SignedPlayer) -> Answer:
    """Show the latest messages and broadcasts to you and from you."""
    session.records.notices.read(player.id, session.now, NoticeKind.MESSAGE)
    found = session.records.talk.messages(player.id, MAX_MESSAGES)
    blocks = tuple(_quote(line.at, f"{line.writer} to {line.reader}", line.text) for line in found)
    rows = [
        {"at": line.at, "by": line.writer, "to": line.reader, "text": line.text} for line in found
    ]
    return Answer(blocks or ("No messages.",), {"messages": rows})


@command()
def subscribe(
    session: WriteSession, game: GameType, player: PlayerBesideNumbers, numbers: Numbers
) -> Answer:
    """Watch boards: you get their mail, too. With all or active, watch every running board."""
    if numbers == "all":
        found = session.records.matches.summaries(game.name, selector="active")
        numbers = tuple(summary.number for summary in found)
    matches = [find_match(session, game, number) for number in numbers]
    for match in matches:
        session.records.talk.subscribe(match.id, player.id)
        session.ledger.note("subscribe", match_id=match.id)
    return _match_answer(matches, "You now watch", "no more boards")


@command()
def unsubscribe(
    session: WriteSession, game: GameType, player: PlayerBesideNumbers, numbers: Numbers
) -> Answer:
    """Stop watching boards. With all or active, stop watching all boards of this game.

    About a running board of your own, you then get mail only when it ends, as with notify.
    """
    talk = session.records.talk
    if numbers == "all":
        numbers = tuple(talk.subscribed(player.id, game.name))
    matches = [find_match(session, game, number) for number in numbers]
    own = [each for each in matches if each.is_running and each.seat_of(player.id) is not None]
    for match in matches:
        talk.unsubscribe(match.id, player.id)
        session.ledger.note("unsubscribe", match_id=match.id)
    for match in own:
        session.records.people.mute_board(match.id, player.id)
    if own and len(own) == len(matches):
        return _match_answer(matches, "You get mail only at the end of", "no board")
    return _match_answer(matches, "You no longer watch", "anything")


@command()
def digest(
    session: WriteSession,
    player: SignedPlayer,
    switch: Annotated[bool, Word(slot("on", "off"), parse_switch)],
) -> Answer:
    """Get one mail a day about all boards that wait for you, instead of one for every move."""
    talk = session.records.talk
    talk.prefer(player.id, replace(talk.preferences(player.id), has_digest=switch))
    session.ledger.note("digest", "on" if switch else "off")
    words = "You get one mail a day." if switch else "You get mail about every move."
    return Answer((words,), {"digest": switch})


@command()
def block(session: WriteSession, player: SignedPlayer, userid2: OtherUserid) -> Answer:
    """Block a player: you get no challenges, messages or chat from them."""
    other = find_opponent(session, userid2)
    if other.id == player.id:
        raise Refused("You cannot block yourself.", code="own-block")
    session.records.talk.block(player.id, other.id)
    session.ledger.note("block", other.userid)
    return Answer((f"{other.userid} is blocked.",), {"blocked": other.userid})


@command()
def unblock(session: WriteSession, player: SignedPlayer, userid2: OtherUserid) -> Answer:
    """Undo a block."""
    other = find_player(session, userid2)
    if not session.records.talk.unblock(player.id, other.id):
        raise Refused(f"You have not blocked {other.userid}.", code="not-blocked")
    session.ledger.note("unblock", other.userid)
    return Answer((f"{other.userid} is no longer blocked.",), {"unblocked": other.userid})


def said_blocks(said: Sequence[ChatLine]) -> tuple[str, ...]:
    """Return the comments and chat of a board as text, with writer and time above each."""
    lines = tuple(_quote(line.at, line.userid, line.text) for line in said)
    return lines or ("No chat on this board yet.",)


def said_documents(said: Sequence[ChatLine]) -> list[dict[str, Any]]:
    """Return the same for programs."""
    return [{"at": line.at, "by": line.userid, "text": line.text} for line in said]


def _quote(at: int, who: str, text: str) -> str:
    """Return somebody's words, marked line by line, so that none can be taken for our own."""
    return lines_of(
        [TimedText(Moment(at), f", {who}:"), *(f"| {line}" for line in text.split("\n"))]
    )


def _clean_text(session: WriteSession, text: str) -> str:
    """Return somebody's text, cleaned; raises :class:`Refused` for too much, or their password.

    That begins a text where somebody wrote it although they were signed in, or for a ``-`` that
    they did not write.
    """
    session.ledger.was_cut = session.ledger.was_cut or without_tokens(text) != text
    text = parse_written(text)
    first = next(iter(text.split(maxsplit=1)), "")
    signer = session.signer
    if signer and PASSWORD.fullmatch(first) and session.is_password_of(first, signer):
        raise Refused(
            "The text begins with your password, so it was not sent.", code="password-said"
        )
    if len(text) > MAX_LENGTH:
        raise Refused(f"The text is longer than {MAX_LENGTH} characters.", code="text-too-long")
    return text if text.strip() else ""


def said_beside(session: WriteSession, comment: str | None) -> str:
    """Return a player's comment on a move: the option's text, or that of their mail."""
    if comment == DASH:
        comment = session.read_body()
    elif comment is None and session.source is Source.MAIL:
        # As long as a mail may be; the letters have all of it.
        comment = session.read_body()[:MAX_LENGTH]
    return _clean_text(session, comment) if comment else ""


def said_text(
    session: WriteSession, words: Sequence[str], option: str | None, example: str = ""
) -> str:
    """Return the text that a line has as its last words or an option, else nothing.

    For a dash it is what comes by standard input, which is read for nothing else. By mail the
    text of the mail follows last words, or is all of it. Raises :class:`Misunderstood` for last
    words beside the option, :class:`Refused` for too much, and for nothing if a dash or an
    ``example`` says that there is to be something.
    """
    if words and option is not None:
        raise Misunderstood("The text is given twice.", code="mixed-words")
    given = " ".join(words) if words else option
    text = "" if given in {None, DASH} else f"{given}\n"
    if given == DASH or (session.source is Source.MAIL and (words or given is None)):
        text += session.read_body()
    text = _clean_text(session, text)
    if not text and (example or given == DASH):
        hint = f"{example}A dash (-) reads it from standard input."
        if session.source is Source.WEB:
            hint = "Write it into the form."
        elif session.source is Source.MAIL:
            hint = "Write it as the text of your mail."
        raise Refused("There is no text to send.", code="no-text", hint=hint)
    return text


def _after_colon(words: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Return the words up to the first that ends with a colon, or a last dash, and what follows.

    >>> _after_colon(("bob", "carol:", "see", "you")), _after_colon(("bob", "-"))
    ((['bob', 'carol'], ['see', 'you']), (('bob',), ('-',)))
    """
    for place, word in enumerate(words):
        name, colon, first = word.partition(":")
        if colon:
            said = [first] if first else []
            return [*words[:place], *([name] if name else [])], [*said, *words[place + 1 :]]
    return (words[:-1], words[-1:]) if words[-1:] == (DASH,) else (words, ())


def _recipients(session: WriteSession, names: Sequence[str]) -> list[Player]:
    """Return the players so called; raises :class:`NotFound`, for a text without a colon too."""
    if not names:
        raise Misunderstood("Missing argument: TO.", code="missing-word")
    others = [find_opponent(session, names[0])]
    try:
        return others + [find_opponent(session, name) for name in names[1:]]
    except NotFound as error:
        if error.about in names[1:] and not error.meant:
            first = others[0].userid
            error.hint = f"Write a colon before the text, as in: message me {first}: hello"
        raise


def _readers(session: WriteSession, player_ids: Iterable[int]) -> list[Reader]:
    """Return these players at every address that is proven."""
    from pbmserv.render.board_letters import Reader

    rows = session.records.addresses.of(sorted(player_ids))
    return [Reader(row.address, row.player_id) for row in rows if row.is_open]


def _match_answer(matches: Sequence[Match], words: str, nothing: str) -> Answer:
    titles = ", ".join(match.title for match in matches) or nothing
    numbers = [match.number for match in matches]
    return Answer((f"{words} {titles}.",), {"boards": numbers})


def _unheard(userid: str) -> Denied:
    return Denied(f"{userid} does not accept messages from you.", code="blocked")
