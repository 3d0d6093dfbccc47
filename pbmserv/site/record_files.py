"""The record behind a board, for other programs: text, JSON and SGF."""

import json
from dataclasses import replace

from pbmserv.club.match import Match
from pbmserv.commands.game_records import record_of
from pbmserv.engine.position import Side
from pbmserv.engine.record_text import format_record
from pbmserv.engine.sgf import format_sgf
from pbmserv.render.document import options_document


def record_text(match: Match) -> str:
    """Return the record as ``star export`` prints it."""
    first, second = (
        seat._replace(userid=seat.userid.replace(" ", "-")) for seat in (match.first, match.second)
    )
    return format_record(record_of(replace(match, first=first, second=second)))


def record_json(match: Match) -> str:
    """Return the record as one JSON document."""
    outcome = match.outcome
    document = {
        "game": match.game.name,
        "options": options_document(match.game),
        "board": match.number,
        "first": match.first.userid,
        "second": match.second.userid,
        "players": {side.value: match.seats[side].userid for side in Side},
        "robots": [seat.userid for seat in (match.first, match.second) if seat.is_robot],
        "moves": match.record.texts,
        "status": match.status.value,
        "winner": outcome.winner.value if outcome and outcome.winner else None,
        "reason": outcome.reason.value if outcome else None,
        "started": match.started_at,
        "changed": match.changed_at,
    }
    return json.dumps(document, separators=(",", ":")) + "\n"


def record_tree(match: Match) -> str:
    """Return the record as SGF."""
    return format_sgf(record_of(match))
