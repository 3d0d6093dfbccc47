"""What is stored, for operators: boards, accounts, moves and the audit."""

from datetime import UTC, datetime
from typing import Annotated, Any

from pbmserv.club.match import Match
from pbmserv.club.player import Player
from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Option, Word, command
from pbmserv.commands.game_options import parse_game_type
from pbmserv.commands.match_answers import summary_table
from pbmserv.commands.types import MatchNumber, Userid, parse_whole_number
from pbmserv.engine.game import Game
from pbmserv.errors import Misunderstood
from pbmserv.render.blocks import Block, Table
from pbmserv.render.document import summary_document, view_document
from pbmserv.render.view import view_blocks, view_match
from pbmserv.render.wording import counted
from pbmserv.services.lookup import find_account, find_match
from pbmserv.services.match_details import look_around
from pbmserv.services.session import ReadSession

MOST_ROWS = 500


def _parse_limit(text: str) -> int:
    number = parse_whole_number(text)
    if number < 1:
        raise Misunderstood("A limit begins at 1.", code="bad-option-value")
    return number


def _parse_offset(text: str) -> int:
    number = parse_whole_number(text)
    if number < 0:
        raise Misunderstood("An offset begins at 0.", code="bad-option-value")
    return number


NamedGame = Annotated[type[Game], Word("GAME", parse_game_type)]
Limit = Annotated[
    int | None, Option("N", f"at most so many rows (default {MOST_ROWS})", _parse_limit)
]
Offset = Annotated[int | None, Option("N", "leave out so many rows first", _parse_offset)]


@command()
def games(session: ReadSession, *, limit: Limit = None, offset: Offset = None) -> Answer:
    """List all boards of all games, running ones first."""
    found = session.records.matches.summaries(limit=limit or MOST_ROWS, offset=offset or 0)
    return Answer(
        (summary_table(found, with_game=True),),
        {"matches": [summary_document(summary) for summary in found]},
    )


@command()
def show(session: ReadSession, game: NamedGame, number: MatchNumber) -> Answer:
    """Show a board with everything that is stored of it, submitted moves excepted."""
    match = find_match(session, game, number)
    view = view_match(match)
    facts = _facts(match)
    lines = "\n".join(f"{name}: {value}" for name, value in facts.items())
    beside = look_around(session, match)
    return Answer(
        (*view_blocks(view), lines),
        lambda: {**view_document(view), **beside.document, "stored": facts},
    )


@command()
def players(session: ReadSession, *, limit: Limit = None, offset: Offset = None) -> Answer:
    """List all accounts."""
    found = session.records.players.all(limit=limit or MOST_ROWS, offset=offset or 0)
    rows = tuple(
        (str(p.id), p.userid, p.status.value, moment(p.created_at), ", ".join(p.addresses))
        for p in found
    )
    heads = ("id", "userid", "status", "since", "addresses")
    return Answer(
        (Table(heads, rows, right=(0,), empty="No accounts."),),
        {"players": [_player_document(player) for player in found]},
    )


@command()
def player(session: ReadSession, userid: Userid) -> Answer:
    """Show one account: addresses, ratings, limits, whether it is locked, its running boards."""
    found = find_account(session, userid)
    running = session.records.matches.summaries(player_ids=[found.id], selector="active")
    document = {**_player_document(found), **_player_state(session, found)}
    words = {
        **document,
        "addresses": "; ".join(map(_address_words, document["addresses"])) or "none",
        "ratings": "; ".join(map(_rating_words, document["ratings"])) or "none",
        "limits": "; ".join(map(_limit_words, document["limits"])) or "none",
        "must wait": ", ".join(document["waits"]) or "nobody",
    }
    del words["waits"]
    lines = "\n".join(
        f"{name}: {'never' if value is None else value}" for name, value in words.items()
    )
    return Answer(
        (lines, summary_table(running, with_game=True)),
        {**document, "matches": [summary_document(summary) for summary in running]},
    )


def _player_state(session: ReadSession, found: Player) -> dict[str, Any]:
    records = session.records
    return {
        "last_seen": None if found.seen_at is None else moment(found.seen_at),
        "suspended": None if found.suspended_at is None else moment(found.suspended_at),
        "addresses": [
            {
                "address": row.address,
                "proven": row.is_proven,
                "stopped": None if row.stopped_at is None else moment(row.stopped_at),
            }
            for row in records.addresses.of([found.id])
        ],
        "ratings": [
            {
                "game": game,
                "rating": round(standing.rating.value),
                "deviation": round(standing.rating.deviation),
                "games": standing.games,
            }
            for game, standing in records.ratings.of_player(found.id).items()
        ],
        "limits": [
            {"game": game, "takes_challenges": own.takes_challenges, "most_boards": own.most_boards}
            for game, own in records.people.availabilities(found.id).items()
        ],
        "waits": [
            f"{sender} until {moment(until)} UTC"
            for sender, until in records.throttle.waits(found.userid, session.now).items()
        ],
    }


def _address_words(row: dict[str, Any]) -> str:
    state = "proven" if row["proven"] else "not proven"
    stopped = f", mail stopped {row['stopped']}" if row["stopped"] else ""
    return f"{row['address']} ({state}{stopped})"


def _rating_words(row: dict[str, Any]) -> str:
    return f"{row['game']} {row['rating']} ± {row['deviation']}, {counted(row['games'], 'game')}"


def _limit_words(row: dict[str, Any]) -> str:
    most = "any number of boards" if row["most_boards"] is None else f"{row['most_boards']} boards"
    return f"{row['game']} {most if row['takes_challenges'] else 'takes no challenges'}"


@command()
def moves(session: ReadSession, game: NamedGame, number: MatchNumber) -> Answer:
    """List the stored moves of a board with player, time and digest."""
    match = find_match(session, game, number)
    names = {seat.player_id: seat.userid for seat in (match.first, match.second)}
    rows = [
        {
            "ply": ply,
            "move": turn.text,
            "player": names.get(turn.player_id, f"no player of it: {turn.player_id}"),
            "at": moment(turn.played_at),
            "digest": turn.digest,
        }
        for ply, turn in enumerate(match.turns, start=1)
    ]
    heads = ("ply", "move", "player", "at", "digest")
    table = Table(heads, tuple(tuple(map(str, r.values())) for r in rows), right=(0,))
    return Answer((match.title, table), {"moves": rows})


ByPlayer = Option("USERID", "only what this player did")


@command()
def audit(
    session: ReadSession,
    *,
    limit: Limit = None,
    offset: Offset = None,
    player: Annotated[str | None, ByPlayer] = None,
) -> Answer:
    """List what was done and what was refused, the newest first; it holds no secrets."""
    player_id = None if player is None else find_account(session, player).id
    entries = session.records.audit.entries(
        player_id=player_id, limit=limit or MOST_ROWS, offset=offset or 0
    )
    rows = [
        {
            "at": moment(entry.at),
            "source": entry.source,
            "player": entry.userid,
            "game": entry.game,
            "board": entry.number,
            "verb": entry.verb,
            "detail": entry.detail,
            "outcome": entry.outcome,
        }
        for entry in entries
    ]
    heads = ("at", "source", "player", "game", "board", "verb", "detail", "outcome")
    texts = tuple(tuple("" if v is None else str(v) for v in row.values()) for row in rows)
    blocks: tuple[Block, ...] = (Table(heads, texts, right=(4,), empty="Nothing yet."),)
    return Answer(blocks, {"audit": rows})


def moment(seconds: int) -> str:
    """Return a moment for tables: ``2026-11-20 14:00:00``, UTC."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")


def _facts(match: Match) -> dict[str, Any]:
    return {
        "id": match.id,
        "revision": match.revision,
        "first": match.first.userid,
        "second": match.second.userid,
        "started": moment(match.started_at),
        "changed": moment(match.changed_at),
        "rated": match.is_rated,
        "imported": match.is_imported,
        "submissions": len(match.submissions),
    }


def _player_document(player: Player) -> dict[str, Any]:
    return {
        "id": player.id,
        "userid": player.userid,
        "status": player.status.value,
        "since": moment(player.created_at),
        "addresses": list(player.addresses),
    }
