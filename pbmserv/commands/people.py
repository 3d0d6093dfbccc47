"""People: your own account, the members of the club, and your unread news."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pbmserv.club.player import Player
from pbmserv.club.time_limits import NO_VACATION
from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Argument, Parameter, ParameterSpec, Word, command
from pbmserv.commands.slots import USERID, WORD, maybe, one_way, slot
from pbmserv.commands.types import Login, SignedPlayer, SignerName, parse_switch
from pbmserv.engine.games import find_game, game_names
from pbmserv.engine.moments import Moment, TimedText, lines_of, utc_date
from pbmserv.render.blocks import Block, Table
from pbmserv.services.session import ReadSession, WriteSession

if TYPE_CHECKING:
    import click

    from pbmserv.engine.game import Game
    from pbmserv.store.people.addresses import Address

MAX_PLAYERS = 200


@command()
def news(session: WriteSession, player: SignedPlayer) -> Answer:
    """Show what is new for you: reminders, announcements, chat, messages.

    News is shown once, after a command of yours; then, once an hour, how much of it waits.
    """
    found = session.records.notices.unread(player.id)
    if found:
        session.records.notices.read(player.id, session.now)
        session.ledger.note("news", str(len(found)))
    rows = [notice.document for notice in found]
    blocks = tuple(
        TimedText(Moment(notice.at), f", {notice.kind.value}:\n", notice.text) for notice in found
    )
    return Answer(blocks or ("No news.",), {"news": rows})


@command()
def players(
    session: ReadSession,
    word: Annotated[str | None, Word(maybe(WORD))] = None,
) -> Answer:
    """List the members of the club; with WORD, those whose userid contains it."""
    found = session.records.players.members(word or "", MAX_PLAYERS + 1)
    kept = found[:MAX_PLAYERS]
    rows = tuple(
        (
            member.name,
            utc_date(member.created_at),
            utc_date(member.seen_at) if member.seen_at is not None else "",
        )
        for member in kept
    )
    empty = "No userid contains that text." if word else "No players."
    blocks: list[Block] = [Table(("player", "member since", "last active"), rows, empty=empty)]
    if len(found) > MAX_PLAYERS:
        blocks.append(f"... and more; {MAX_PLAYERS} are shown. To search, add a WORD.")
    listed = [
        {
            "userid": member.userid,
            "since": member.created_at,
            "seen": member.seen_at,
            "robot": member.robot is not None,
        }
        for member in kept
    ]
    return Answer(tuple(blocks), {"players": listed, "more": len(found) > MAX_PLAYERS})


EXPORT = "export"
EXPORTS = "pbmserv.exports"
"""The key in a context of a word that came before userid and password."""


class LoginAfterExport(Login):
    """Userid and password, or ``me``, after a word that may stand before them."""

    def params(self, declared: Parameter, game: type[Game] | None) -> list[click.Parameter]:
        """Return the two words."""
        userid = Argument("userid", one_way(maybe(EXPORT), slot(USERID)), type=SignerName())
        return [userid, *super().params(declared, game)[1:]]

    def expand_me(self, ctx: click.Context, words: list[str], place: int) -> list[str]:
        """Return the words without that word and a ``me``."""
        if [word.lower() for word in words[:1]] == [EXPORT]:
            ctx.meta[EXPORTS] = True
            words = words[1:]
        return super().expand_me(ctx, words, place)


class ExportWord(ParameterSpec):
    """Whether the word stood there."""

    gives = bool

    def value(self, declared: Parameter, ctx: click.Context) -> bool:
        """Return the noted word."""
        del declared
        return EXPORTS in ctx.meta


@command()
def private(
    session: WriteSession,
    player: SignedPlayer,
    switch: Annotated[bool, Word(slot("on", "off"), parse_switch)],
) -> Answer:
    """Hide your name on the club's web site; your games stay there under a number.

    The pages change when they are made again.
    """
    session.records.published.hide(player.id, is_hidden=switch)
    session.ledger.note("private", "on" if switch else "off")
    said = f"The club's web site {'will not show' if switch else 'shows'} your name."
    return Answer((said,), {"private": switch})


@command()
def account(
    session: ReadSession,
    player: Annotated[Player, LoginAfterExport()],
    export: Annotated[bool, ExportWord()] = False,  # noqa: FBT002 - a word of the language
) -> Answer:
    """Show your own account: addresses, mail, blocks, vacation left, and challenges accepted.

    account export prints everything stored about you, as text, or with --json for programs. It
    leaves out passwords and keys, which are stored as digests only, and who has blocked you.
    """
    if export:
        return _everything(session, player)
    records = session.records
    wanted = records.talk.preferences(player.id)
    blocked = records.talk.blocked(player.id)
    addresses = records.addresses.of([player.id])
    away = records.absences.of([player.id], session.vacation_days)[player.id]
    left, running = away.days_left(session.now), away.current(session.now)
    until = TimedText(", away until ", Moment(running.end)) if running is not None else ""
    rest = until, f"; {NO_VACATION}" if wanted.keeps_vacation else ""
    lines = [
        f"{player.userid}, a member since {utc_date(player.created_at)}",
        "",
        f"Mail:        {'once a day' if wanted.has_digest else 'for every move'}",
        f"Broadcasts:  {'yes' if wanted.takes_broadcasts else 'no'}",
        f"Blocked:     {', '.join(blocked) or 'nobody'}",
        TimedText(f"Vacation:    {left} of {session.vacation_days} days left this year", *rest),
        *_address_lines(addresses),
    ]
    games = _availability(session, player.id)
    rows = tuple(
        (
            find_game(row["game"]).title,
            "yes" if row["accepts"] else "no",
            "none" if row["limit"] is None else str(row["limit"]),
            str(row["running"]),
        )
        for row in games
    )
    heads = ("game", "accepts challenges", "board limit", "running boards")
    table = Table(heads, rows, right=(2, 3))
    document = {
        "userid": player.userid,
        "since": player.created_at,
        "digest": wanted.has_digest,
        "broadcast": wanted.takes_broadcasts,
        "blocked": blocked,
        "vacation": {
            "left": left,
            "days": session.vacation_days,
            "until": running.end if running is not None else None,
            "auto": not wanted.keeps_vacation,
        },
        "addresses": [
            {"address": each.address, "proven": each.is_proven, "open": each.is_open}
            for each in addresses
        ],
        "games": games,
    }
    return Answer((lines_of(lines), table), document)


def _everything(session: ReadSession, player: Player) -> Answer:
    """Return every stored row that names the player."""
    found = list(session.records.accounts.rows_of(player.id, player.userid))
    blocks: list[Block] = [f"Everything stored about {player.userid}. Times are UTC."]
    for table in found:
        rows = tuple(tuple(map(_shown, table.columns, row)) for row in table.rows)
        blocks += [table.table.upper(), Table(table.columns, rows)]
    tables = {
        table.table: [dict(zip(table.columns, row, strict=True)) for row in table.rows]
        for table in found
    }
    return Answer(tuple(blocks), {"userid": player.userid, "tables": tables})


def _shown(column: str, value: object) -> str:
    if isinstance(value, int) and (column == "at" or column.endswith("_at")):
        return Moment(value)
    return "" if value is None else str(value)


def _address_lines(addresses: list[Address]) -> list[str]:
    """Return a line for each address with whether it is proven."""
    if not addresses:
        return ["Addresses:   none"]
    heads = ["Addresses:", *[""] * (len(addresses) - 1)]
    return [
        f"{head:<12} {each.address}: {address_state(each)}"
        for head, each in zip(heads, addresses, strict=True)
    ]


def address_state(address: Address) -> str:
    """Return whether mail about games goes to an address, in words."""
    if not address.is_proven:
        return "not verified yet: no mail about games"
    return "verified" if address.is_open else "verified, but mail bounced: no more is sent there"


def _availability(session: ReadSession, player_id: int) -> list[dict[str, Any]]:
    """Return for each game whether the player takes challenges, their limit and their boards."""
    people = session.records.people
    rows = []
    for game in game_names():
        wanted = people.availability(player_id, game)
        rows.append(
            {
                "game": game,
                "accepts": wanted.takes_challenges,
                "limit": wanted.most_boards,
                "running": people.running_boards(player_id, game),
            }
        )
    return rows
