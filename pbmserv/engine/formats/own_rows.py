"""Our own games as rows of an archive: JSON, a game a line, which :mod:`own_json` reads."""

import json
from typing import Any

from pbmserv.engine.formats.own_json import robots_of
from pbmserv.engine.game_format import GameFormat
from pbmserv.engine.record import Record
from pbmserv.engine.record_text import require_whole
from pbmserv.engine.swap_pieces import format_gtp_move, with_swapped_pieces

SCHEMA = "pbmserv-game-1"


def row_of(record: Record[str]) -> dict[str, Any]:
    """Return a game as a row: all that its record knows, and null for the rest.

    Raises as :func:`require_whole`.
    """
    require_whole(record)
    game, outcome = record.game, record.outcome
    moves = {"moves": " ".join(record.texts)}
    if game.name == "hex":
        pieces = with_swapped_pieces(game, record.moves)
        moves["moves_pieces"] = " ".join(map(format_gtp_move, pieces))
    return {
        "schema": SCHEMA,
        "id": f"{game.name}-{record.board}" if record.board else None,
        "game": game.name,
        "options": game.option_values,
        "first": record.first,
        "second": record.second,
        "robots": robots_of(record),
        "rated": None,
        "ratings": None,
        "started": record.started or None,
        "finished": record.finished or None,
        "clock": None,
        **moves,
        "winner": record.with_players("first", "second").winner,
        "side": outcome.winner if outcome else None,
        "reason": outcome.reason.value if outcome else None,
        "points": record.points,
        "stamps": None,
    }


def _write(record: Record[str]) -> str:
    return json.dumps(row_of(record), separators=(",", ":")) + "\n"


FORMAT = GameFormat("jsonl", write=_write)
