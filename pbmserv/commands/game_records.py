"""Game records: boards as text to take away, and finished games to keep here."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated

from pbmserv.club.match import Match, computers_of, restored
from pbmserv.club.player import Player, PlayerStatus, Seat, parse_userid
from pbmserv.commands.accounts import require_free_word
from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Word, command
from pbmserv.commands.game_options import GameType
from pbmserv.commands.types import OptionalLogin, parse_match_number
from pbmserv.engine.game import Game
from pbmserv.engine.record import UNPLAYED, Record, format_records, naming_record, parse_records
from pbmserv.errors import Denied, Misunderstood, Refused
from pbmserv.render.document import Document, view_document
from pbmserv.render.view import view_blocks, view_match
from pbmserv.services.lookup import find_match
from pbmserv.services.match_details import around
from pbmserv.services.session import ReadSession, WriteSession

MOMENT = "%Y-%m-%dT%H:%M:%SZ"


@command()
def export(
    session: ReadSession,
    game: GameType,
    numbers: Annotated[tuple[int, ...], Word("BOARD...", parse_match_number)],
) -> Answer:
    """Print the records of boards: players, result and every move, as text.

    Several records follow one another, as import reads them. See help records.
    """
    matches = [find_match(session, game, number) for number in dict.fromkeys(numbers)]
    text = format_records(map(record_of, matches))
    return Answer((text.rstrip("\n"),), {"record": text})


@command()
def import_(
    session: WriteSession,
    game: GameType,
    player: Annotated[Player | None, OptionalLogin()] = None,
) -> Answer:
    """Store finished games from their records, read from standard input; they are unrated.

    There may be several records, one after another; all of them are stored or none. A game of
    somebody who has an account here must be signed by one of its players. Players without an
    account are kept by name and can sign up later.
    """
    return store_records(session, game, lambda match: _require_own(match, player, session))


def store_records(
    session: WriteSession, game: type[Game], require_right: Callable[[Match], None]
) -> Answer:
    """Store the finished games whose records are the body, each if ``require_right`` lets it."""
    records = parse_records(session.read_body())
    matches = []
    for number, record in enumerate(records, start=1):
        with naming_record(number, len(records)):
            _require_storable(record, game, session.now)
            matches.append(_store(session, record))
            require_right(matches[-1])
    facts = [_facts(session, match) for match in matches]
    if len(matches) == 1:
        blocks = view_blocks(view_match(matches[0]))
        return Answer((f"Imported as {matches[0].title}.", *blocks), facts[0])
    lines = [f"Imported {len(matches)} games.", *(match.result for match in matches)]
    return Answer(
        ("\n".join(lines),), lambda: {"matches": [make() for make in facts], "more": False}
    )


def _require_own(match: Match, player: Player | None, session: WriteSession) -> None:
    """Raise :class:`Denied` for a game of somebody with an account that no player of it signs."""
    seats = (match.first, match.second)
    if player is not None and player.id in {seat.player_id for seat in seats}:
        return
    members = [
        seat.userid for seat in seats if session.records.players.get(seat.player_id).login_hash
    ]
    if members:
        name = match.game.name
        raise Denied(
            f"This is a game of {' and '.join(members)}: one of its players must sign it.",
            code="not-your-game",
            hint=f"Sign it with: {name} import USERID PASSWORD",
        )


def _require_storable(record: Record, game: type[Game], now: int) -> None:
    """Raise :class:`Refused` unless the record is that of a finished game of this kind."""
    if record.game.name != game.name:
        raise Refused(
            f"This is a record of {record.game.title}.",
            code="wrong-game",
            hint=f"Import it with: {record.game.name} import",
        )
    if record.outcome is None or record.outcome.reason in UNPLAYED:
        raise Refused("Only a finished game can be imported.", code="not-finished")
    if (parse_moment(record.finished) or now) > now:
        raise Refused("The record's game ends in the future.", code="bad-record")


def _store(session: WriteSession, record: Record) -> Match:
    """Store the game of a record as a board of its own and return it."""
    seats = (_seat(session, record.first), _seat(session, record.second))
    finished = parse_moment(record.finished) or session.now
    started = min(parse_moment(record.started) or finished, finished)
    match = session.records.matches.add(
        record.game, *seats, started, is_rated=False, is_imported=True
    )
    after = restored(match, record.moves, record.outcome, finished)
    session.records.matches.save(match, after)
    session.ledger.note("import", match_id=match.id)
    return after


def _facts(session: WriteSession, match: Match) -> Callable[[], Document]:
    """Return what makes the document of a match if a program asks for it."""
    view, beside = view_match(match), around(session, match, timing=None)
    return lambda: {**view_document(view), **beside.document}


def record_of(match: Match) -> Record:
    """Return the record of a match from its original seats; raises Fault for a damaged one."""
    # Asking for the position holds every move against its digest.
    made = match.turns[: match.position.ply]
    return Record(
        game=match.game,
        first=match.first.userid,
        second=match.second.userid,
        moves=tuple(turn.text for turn in made),
        outcome=match.outcome,
        board=str(match.number),
        started=format_moment(match.started_at),
        finished="" if match.is_running else format_moment(match.changed_at),
        computer=computers_of(match),
    )


def format_moment(seconds: int) -> str:
    """Return a moment as ISO 8601, UTC: ``2026-11-20T14:00:00Z``."""
    return datetime.fromtimestamp(seconds, UTC).strftime(MOMENT)


def parse_moment(text: str) -> int | None:
    """Return the seconds since 1970 of such a moment, None for an empty text.

    Raises :class:`Misunderstood` for anything else.
    """
    if not text:
        return None
    try:
        return int(datetime.strptime(text, MOMENT).replace(tzinfo=UTC).timestamp())
    except (ValueError, OverflowError):
        raise Misunderstood(
            "A time in the record cannot be read.",
            code="bad-record",
            hint="Times look like 2026-11-20T14:00:00Z.",
        ) from None


def _seat(session: WriteSession, name: str) -> Seat:
    """Return the player of that name, kept by name only if there is no such account."""
    userid = parse_userid(name)
    player: Player | None = session.records.players.find(userid)
    if player is None:
        require_free_word(userid)
        player = session.records.players.add(
            userid, None, (), status=PlayerStatus.RECORDED, now=session.now
        )
    return Seat(player.id, player.userid, player.robot is not None)
