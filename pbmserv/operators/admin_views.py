"""Views for operators: boards, accounts, moves and chat."""

from collections.abc import Iterable
from typing import Annotated, Any

from pbmserv.club.player import Player
from pbmserv.club.wording import with_count
from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Word, command
from pbmserv.commands.game_options import parse_game_type
from pbmserv.commands.match_answers import summary_table
from pbmserv.commands.messages import said_blocks, said_documents
from pbmserv.commands.slots import GAME, slot
from pbmserv.commands.types import MatchNumber, Userid
from pbmserv.engine.game import Game
from pbmserv.engine.moments import SECOND, utc
from pbmserv.render.blocks import Table
from pbmserv.render.document import around_document, summary_document, view_document
from pbmserv.render.view import view_blocks, view_match
from pbmserv.services.lookup import find_account, find_match, load_context
from pbmserv.services.session import ReadSession

NamedGame = Annotated[type[Game], Word(slot(GAME), parse_game_type)]


@command()
def show(session: ReadSession, game: NamedGame, number: MatchNumber) -> Answer:
    """Show a board with everything that is stored about it, except submitted moves."""
    match = find_match(session, game, number)
    view = view_match(match)
    facts = {
        "id": match.id,
        "revision": match.revision,
        "first": match.first.userid,
        "second": match.second.userid,
        "started": moment(match.started_at),
        "changed": moment(match.changed_at),
        "rated": match.is_rated and not match.is_agreed_early,
        "imported": match.is_imported,
        "submissions": len(match.submissions),
    }
    lines = "\n".join(f"{name}: {value}" for name, value in facts.items())
    beside = load_context(session, match)
    return Answer(
        (*view_blocks(view), lines),
        lambda: {**view_document(view), **around_document(beside), "stored": facts},
    )


@command()
def player(session: ReadSession, userid: Userid) -> Answer:
    """Show one account: addresses, ratings, limits, whether it is locked, its running boards."""
    found = find_account(session, userid)
    running = session.records.matches.summaries(player_ids=[found.id], selector="active")
    document = {**player_document(found), **_player_state(session, found)}
    words = {
        **document,
        "robot": found.robot.words if found.robot else "no",
        "addresses": "; ".join(map(_address_words, document["addresses"])) or "none",
        "ratings": "; ".join(map(_rating_words, document["ratings"])) or "none",
        "limits": "; ".join(map(_limit_words, document["limits"])) or "none",
        "must wait": ", ".join(document["waits"]) or "nobody",
    }
    del words["waits"]
    lines = "\n".join(f"{name}: {'never' if v is None else v}" for name, v in words.items())
    document["matches"] = list(map(summary_document, running))
    return Answer((lines, summary_table(running, with_game=True)), document)


def _player_state(session: ReadSession, found: Player) -> dict[str, Any]:
    records = session.records
    return {
        "last_seen": maybe_moment(found.seen_at),
        "suspended": maybe_moment(found.suspended_at),
        "addresses": [
            {
                "address": row.address,
                "proven": row.is_proven,
                "stopped": maybe_moment(row.stopped_at),
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
    state = "verified" if row["proven"] else "not verified"
    stopped = f", mail stopped {row['stopped']}" if row["stopped"] else ""
    return f"{row['address']} ({state}{stopped})"


def _rating_words(row: dict[str, Any]) -> str:
    return f"{row['game']} {row['rating']} ± {row['deviation']}, {with_count(row['games'], 'game')}"


def _limit_words(row: dict[str, Any]) -> str:
    most = "any number of boards" if row["most_boards"] is None else f"{row['most_boards']} boards"
    return f"{row['game']} {most if row['takes_challenges'] else 'does not accept challenges'}"


@command()
def moves(session: ReadSession, game: NamedGame, number: MatchNumber) -> Answer:
    """List the stored moves of a board with player, time and digest."""
    match = find_match(session, game, number)
    names = {seat.player_id: seat.userid for seat in (match.first, match.second)}
    rows = []
    for ply, turn in enumerate(match.turns, start=1):
        mover = names.get(turn.player_id, f"no player of it: {turn.player_id}")
        rows.append((ply, turn.text, mover, moment(turn.played_at), turn.digest))
    table, documents = documented(("ply", "move", "player", "at", "digest"), rows, right=(0,))
    return Answer((match.title, table), {"moves": documents})


@command()
def chat(session: ReadSession, game: NamedGame, number: MatchNumber) -> Answer:
    """Show the chat at a board; each line has a number, for admin remark remove."""
    match = find_match(session, game, number)
    said = session.records.talk.said(match.id)
    documents, blocks = said_documents(said), said_blocks(said)
    remarks = [{"number": each.number, **told} for each, told in zip(said, documents, strict=True)]
    # Where nothing was said, one block says so.
    numbered = [
        f"Chat line {each.number}, {block}" for each, block in zip(said, blocks, strict=False)
    ]
    document = {"game": match.game.name, "board": match.number, "remarks": remarks}
    return Answer(tuple(numbered) or blocks, document)


def documented(
    heads: tuple[str, ...],
    rows: Iterable[Iterable[Any]],
    right: tuple[int, ...] = (),
    empty: str = "None.",
) -> tuple[Table, list[dict[str, Any]]]:
    """Return rows as a table, and as documents for JSON, whose keys are the heads."""
    documents = [dict(zip(heads, row, strict=True)) for row in rows]
    texts = (tuple("" if v is None else str(v) for v in row.values()) for row in documents)
    return Table(heads, tuple(texts), right, empty), documents


def moment(seconds: int) -> str:
    """Return a moment for tables: ``2026-11-20 14:00:00``, UTC."""
    return utc(seconds).strftime(SECOND)


def maybe_moment(seconds: int | None) -> str | None:
    """Return the same of a moment that need not be."""
    return None if seconds is None else moment(seconds)


def player_document(player: Player) -> dict[str, Any]:
    """Return an account as the lists of operators have it."""
    return {
        "id": player.id,
        "userid": player.userid,
        "status": player.status.value,
        "robot": player.robot is not None,
        "since": moment(player.created_at),
        "addresses": list(player.addresses),
    }
