"""Finished games from their records, stored as boards of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pbmserv.club.match import Match, restore_moves
from pbmserv.club.player import Player, PlayerStatus, Seat, parse_userid
from pbmserv.engine.game import Game
from pbmserv.engine.record import Record
from pbmserv.engine.record_text import naming_record, read_moment
from pbmserv.engine.score import UNPLAYED
from pbmserv.errors import Denied, Refused
from pbmserv.services.session import WriteSession


def store_records(
    session: WriteSession,
    game: type[Game],
    records: Sequence[Record[str]],
    require_free: Callable[[str], None],
    require_right: Callable[[Match], None] = lambda _match: None,
) -> list[Match]:
    """Store the games of these records, after ``require_free`` names and ``require_right``."""
    matches = []
    for number, record in enumerate(records, start=1):
        with naming_record(number, len(records)):
            _require_storable(record, game, session.now)
            matches.append(_store(session, record, require_free))
            require_right(matches[-1])
    return matches


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


def _require_storable(record: Record[str], game: type[Game], now: int) -> None:
    """Raise :class:`Refused` unless the record is that of a finished game of this kind."""
    if record.game.name != game.name:
        raise Refused(
            f"This is a record of {record.game.title}.",
            code="wrong-game",
            hint=f"Import it with: {record.game.name} import",
        )
    if record.outcome is None or record.outcome.reason in UNPLAYED:
        raise Refused("Only a finished game can be imported.", code="not-finished")
    if (read_moment(record.finished) or now) > now:
        raise Refused("The record's game ends in the future.", code="bad-record")


def _store(
    session: WriteSession, record: Record[str], require_free: Callable[[str], None]
) -> Match:
    first, second = (_seat(session, name, require_free) for name in (record.first, record.second))
    finished = read_moment(record.finished) or session.now
    started = min(read_moment(record.started) or finished, finished)
    match = session.records.matches.add(
        record.game, first, second, started, is_rated=False, is_imported=True
    )
    after = restore_moves(match, record.moves, record.outcome, finished)
    session.records.matches.save(match, after)
    session.ledger.note("import", match_id=match.id)
    return after


def _seat(session: WriteSession, name: str, require_free: Callable[[str], None]) -> Seat:
    """Return the player of that name, kept by name only if there is no such account."""
    userid, players = parse_userid(name), session.records.players
    player: Player | None = players.find(userid)
    if player is None:
        require_free(userid)
        player = players.add(userid, None, (), status=PlayerStatus.RECORDED, now=session.now)
    return Seat(player.id, player.userid, player.robot is not None)
