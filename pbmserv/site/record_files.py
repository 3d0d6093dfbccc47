"""The record behind a board, for other programs: text, JSON and the tree format of Smart Go."""

import json
from dataclasses import replace

from pbmserv.club.match import Match, computers_of
from pbmserv.commands.game_records import record_of
from pbmserv.engine.position import Side
from pbmserv.engine.record import format_moment, format_record
from pbmserv.engine.spec import format_game
from pbmserv.render.document import options_document

ESCAPED = str.maketrans({"\\": "\\\\", "]": "\\]"})


def record_text(match: Match) -> str:
    """Return the record as ``star export`` prints it."""
    record = record_of(match)
    first, second = (name.replace(" ", "-") for name in (record.first, record.second))
    return format_record(replace(record, first=first, second=second))


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
        "robots": computers_of(match).split(),
        "moves": [turn.text for turn in match.turns],
        "status": match.status.value,
        "winner": outcome.winner.value if outcome and outcome.winner else None,
        "reason": outcome.reason.value if outcome else None,
        "started": match.started_at,
        "changed": match.changed_at,
    }
    return json.dumps(document, separators=(",", ":")) + "\n"


def record_tree(match: Match) -> str:
    """Return the record in the manner of SGF: properties in brackets, a node for each turn.

    The first player is its black (B), the second its white; ``GM`` names the game as we do.
    """
    heads = {
        "GM": format_game(match.game),
        "AP": "pbmserv",
        "GN": match.title,
        "PB": match.first.name,
        "PW": match.second.name,
        "DT": format_moment(match.started_at)[:10],
        "RE": "" if match.is_running else match.result,
    }
    nodes = [f"{name}[{text.translate(ESCAPED)}]" for name, text in heads.items() if text]
    colours = {match.first.player_id: "B", match.second.player_id: "W"}
    if match.is_self_play:
        colours = {}
    turns = [
        f";{colours.get(turn.player_id, 'BW'[ply % 2])}[{turn.text.translate(ESCAPED)}]"
        for ply, turn in enumerate(match.turns)
    ]
    return f"(;{''.join(nodes)}\n{''.join(turns)})\n"
