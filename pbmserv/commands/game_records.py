"""Game records: a board as text to take away, and finished games to keep here."""

from datetime import UTC, datetime

from pbmserv.club.match import Match, restored
from pbmserv.club.player import Player, PlayerStatus, Seat, parse_userid
from pbmserv.commands.accounts import require_free_word
from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import command
from pbmserv.commands.game_options import GameType
from pbmserv.commands.types import MatchNumber
from pbmserv.engine.record import Record, format_record, parse_record
from pbmserv.engine.score import Reason
from pbmserv.errors import Misunderstood, Refused
from pbmserv.render.document import view_document
from pbmserv.render.view import view_blocks, view_match
from pbmserv.services.lookup import find_match
from pbmserv.services.match_details import around
from pbmserv.services.session import ReadSession, WriteSession

NOT_PLAYED = frozenset({Reason.DECLINED, Reason.REMOVED})
MOMENT = "%Y-%m-%dT%H:%M:%SZ"


@command()
def export(session: ReadSession, game: GameType, number: MatchNumber) -> Answer:
    """Print the record of a board: players, result and every move, as text."""
    match = find_match(session, game, number)
    text = format_record(record_of(match))
    return Answer((text.rstrip("\n"),), {"record": text})


@command()
def import_(session: WriteSession, game: GameType) -> Answer:
    """Store a finished game from its record, read from standard input; it is unrated.

    Players that have no account here are kept by name and can sign up later.
    """
    record = parse_record(session.read_body())
    if record.game.name != game.name:
        raise Refused(
            f"This is a record of {record.game.title}.",
            code="wrong-game",
            hint=f"Import it with: {record.game.name} import",
        )
    if record.outcome is None or record.outcome.reason in NOT_PLAYED:
        raise Refused("Only a finished game can be imported.", code="not-finished")
    seats = (_seat(session, record.x), _seat(session, record.o))
    finished = parse_moment(record.finished) or session.now
    if finished > session.now:
        raise Refused("The record's game ends in the future.", code="bad-record")
    started = min(parse_moment(record.started) or finished, finished)
    match = session.records.matches.add(
        record.game, *seats, started, is_rated=False, is_imported=True
    )
    after = restored(match, record.moves, record.outcome, finished)
    session.records.matches.save(match, after)
    session.ledger.note("import", match_id=match.id)
    view = view_match(after)
    beside = around(session, after, timing=None)
    return Answer(
        (f"Imported as {after.title}.", *view_blocks(view)),
        lambda: {**view_document(view), **beside.document},
    )


def record_of(match: Match) -> Record:
    """Return the record of a match from its original seats; raises Fault for a damaged one."""
    # Asking for the position holds every move against its digest.
    made = match.turns[: match.position.ply]
    return Record(
        game=match.game,
        x=match.first.userid,
        o=match.second.userid,
        moves=tuple(turn.text for turn in made),
        outcome=match.outcome,
        board=str(match.number),
        started=format_moment(match.started_at),
        finished="" if match.is_running else format_moment(match.changed_at),
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
            "A moment in the record cannot be read.",
            code="bad-record",
            hint="Moments look like 2026-11-20T14:00:00Z.",
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
    return Seat(player.id, player.userid)
