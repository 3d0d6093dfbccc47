"""Finished games from their records, stored as boards of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from pbmserv.club.match import Match, restore_moves
from pbmserv.club.player import ERASED, USERID, Player, PlayerStatus, Seat, parse_userid
from pbmserv.club.written_text import clean
from pbmserv.engine.game import Game
from pbmserv.engine.record import Record
from pbmserv.engine.record_text import naming_record, read_moment
from pbmserv.engine.score import UNPLAYED
from pbmserv.errors import Denied, Refused
from pbmserv.services.session import WriteSession

MAX_NAME = 100
"""Characters of a recorded name that are kept."""


class PlayersNamed(NamedTuple):
    """The players of records: the userids given for them, and whether their own names are some.

    ``require_free`` raises :class:`Refused` for a userid that nobody may have.
    """

    first: str | None
    second: str | None
    are_userids: bool
    require_free: Callable[[str], None] = lambda _userid: None


def store_records(
    session: WriteSession,
    game: type[Game],
    records: Sequence[Record[str]],
    players: PlayersNamed,
    require_right: Callable[[WriteSession, Match], None],
) -> list[Match]:
    """Store the games of these records, each of which ``require_right`` may refuse."""
    matches = []
    for number, record in enumerate(records, start=1):
        with naming_record(number, len(records)):
            require_storable(record, game)
            matches.append(_store(session, record, records[0], players))
            require_right(session, matches[-1])
    return matches


def named_record(record: Record[str], beginning: Record[str], players: PlayersNamed) -> Record[str]:
    """Return the record with userids for names: those given for the names of the first record.

    Raises :class:`Refused` for names that may be anybody's.
    """
    names, given = (record.first, record.second), (players.first, players.second)
    if any(given) and names != (beginning.first, beginning.second):
        if names != (beginning.second, beginning.first):
            raise _foreign_names(names, "are not those of the first record", "Store it by itself.")
        given = given[::-1]
    for name, userid in zip(names, given, strict=True):
        if userid is None and not (players.are_userids and USERID.fullmatch(name)):
            hint = "Say who played: -first=USERID -second=USERID"
            raise _foreign_names(names, "are not known to be userids here", hint)
    return replace(record, first=given[0] or names[0], second=given[1] or names[1])


def _foreign_names(names: Sequence[str], why: str, hint: str) -> Refused:
    told = " and ".join(clean_name(name) for name in names if name.strip())
    message = f"The names in the record ({told}) {why}." if told else "The record names nobody."
    return Refused(message, code="foreign-names", hint=hint)


def clean_name(name: str) -> str:
    """Return a name as it is kept: one line, of no more than 100 characters."""
    return " ".join(clean(name).split())[:MAX_NAME]


def require_own(session: WriteSession, match: Match, player: Player | None) -> None:
    """Raise :class:`Denied` for a game of somebody with an account that no player of it signs."""
    seats = (match.first, match.second)
    if player is not None and player.id in {seat.player_id for seat in seats}:
        return
    players = session.records.players
    members = [seat.userid for seat in seats if players.get(seat.player_id).login_hash]
    if members:
        name = match.game.name
        raise Denied(
            f"This is a game of {' and '.join(members)}: one of them must import it.",
            code="not-your-game",
            hint=f"As in: {name} import USERID PASSWORD",
        )


def require_storable(record: Record[str], game: type[Game]) -> None:
    """Raise :class:`Refused` unless the record is that of a finished game of this kind."""
    if record.game.name != game.name:
        raise Refused(
            f"This is a record of {record.game.title}.",
            code="wrong-game",
            hint=f"Import it with: {record.game.name} import",
        )
    if record.outcome is None or record.outcome.reason in UNPLAYED:
        raise Refused("Only a finished game can be imported.", code="not-finished")
    if record.positions[0] != record.game.start():
        raise Refused("A game that begins with stones cannot be stored.", code="stones-at-start")
    for moment in (record.started, record.finished):
        read_moment(moment)


def _store(
    session: WriteSession, record: Record[str], beginning: Record[str], players: PlayersNamed
) -> Match:
    named = named_record(record, beginning, players)
    finished = read_moment(record.finished) or session.now
    if finished > session.now:
        raise Refused("The record's game ends in the future.", code="bad-record")
    started = min(read_moment(record.started) or finished, finished)
    first, second = (_seat(session, name, players) for name in (named.first, named.second))
    match = session.records.matches.add(
        record.game,
        first,
        second,
        started,
        is_rated=False,
        is_imported=True,
        recorded=(_own_name(record.first, first), _own_name(record.second, second)),
    )
    after = restore_moves(match, record.moves, record.outcome, finished)
    session.records.matches.save(match, after)
    session.ledger.note("import", match_id=match.id)
    return after


def _seat(session: WriteSession, name: str, named: PlayersNamed) -> Seat:
    """Return the player of that name, kept by name only if there is no such account."""
    userid, players = parse_userid(name), session.records.players
    player: Player | None = players.find(userid)
    if player is None:
        named.require_free(userid)
        player = players.add(userid, None, (), status=PlayerStatus.RECORDED, now=session.now)
    return Seat(player.id, player.userid, player.robot is not None)


def _own_name(name: str, seat: Seat) -> str:
    """Return the name of a player in a record, "" if it is the userid or they are erased."""
    is_untold = name.lower() == seat.userid.lower() or seat.userid.startswith(ERASED)
    return "" if is_untold else clean_name(name)
