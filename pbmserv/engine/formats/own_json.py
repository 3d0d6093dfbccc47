"""Our own games as JSON, a document or a row of an archive (:mod:`own_rows`) a line."""

import json
from dataclasses import replace
from typing import Any

from pbmserv.engine import game_format
from pbmserv.engine.game import Game
from pbmserv.engine.game_format import ReadGame, line_of, moment_of, text_of, unreadable
from pbmserv.engine.position import Side
from pbmserv.engine.record import Record
from pbmserv.engine.record_text import check_result, read_moment, replay, require_whole
from pbmserv.engine.score import Outcome, Reason
from pbmserv.engine.spec import parse_game

TITLE = "a game of pbmserv as JSON"


def robots_of(record: Record[str]) -> list[str]:
    """Return which players are computers: ``first``, ``second``."""
    names = {"first": record.first, "second": record.second}
    told = {record.computer} - {""}
    return [who for who, name in names.items() if told & {who, name, " ".join(names.values())}]


def _read_document(document: dict[str, Any]) -> ReadGame:
    moves, robots = document.get("moves"), document.get("robots", [])
    moves = moves.split() if isinstance(moves, str) else moves
    if not isinstance(moves, list) or not isinstance(robots, list):
        raise unreadable(TITLE, "its moves or robots are no list")
    first, second = text_of(document.get("first")), text_of(document.get("second"))
    names = {"first": first, "second": second}
    record = replay(Record(_game_of(document), first, second), map(text_of, moves))
    outcome, board = _outcome_of(document), document.get("board")
    finished = document.get("finished", document.get("changed")) if outcome else None
    record = replace(
        record,
        outcome=outcome,
        board=line_of(str(board) if isinstance(board, int) else board),
        started=moment_of(document.get("started")),
        finished=moment_of(finished),
        computer=line_of(" ".join(names.get(robot, robot) for robot in map(text_of, robots))),
    )
    check_result(record)
    won = record.with_players("first", "second").winner
    if document.get("side") is not None and document.get("winner") != won:
        raise unreadable(TITLE, "its winner did not have the side that won")
    return ReadGame(record)


def _game_of(document: dict[str, Any]) -> Game:
    options = document.get("options")
    if not isinstance(options, dict):
        raise unreadable(TITLE, "it has no options")
    words = [
        name if value is True else f"{name}={value}"
        for name, value in options.items()
        if value is not False
    ]
    spec = f"({','.join(words)})" if words else ""
    return parse_game(text_of(f"{document.get('game')}{spec}"))


def _outcome_of(document: dict[str, Any]) -> Outcome | None:
    if document.get("reason") is None:
        return None
    try:
        reason, side = Reason(document["reason"]), document.get("side", document.get("winner"))
        points = document.get("agreed", document.get("points"))
        agreed = {each: int(points[each]) for each in Side} if points else None
        winner = None if side is None else Side(side)
        return Outcome(winner, reason, agreed if reason is Reason.AGREEMENT else None)
    except (LookupError, TypeError, ValueError, OverflowError):
        raise unreadable(TITLE, "its result cannot be read") from None


def _write(record: Record[str]) -> str:
    require_whole(record)
    outcome, board = record.outcome, record.board
    names = {"first": record.first, "second": record.second}
    document = {
        "game": record.game.name,
        "options": record.game.option_values,
        "board": int(board) if board.isdecimal() and len(board) < 10 else board or None,
        **names,
        "players": {side.value: record.seats[side] for side in Side},
        "robots": [names[who] for who in robots_of(record)],
        "moves": record.texts,
        "status": record.status.value,
        "winner": outcome.winner.value if outcome and outcome.winner else None,
        "reason": outcome.reason.value if outcome else None,
        "agreed": outcome.points if outcome else None,
        "started": read_moment(record.started),
        "changed": read_moment(record.finished),
    }
    return json.dumps(document, separators=(",", ":")) + "\n"


READER = game_format.json_format(TITLE, "options", _read_document)
FORMAT = READER._replace(name="json", write=_write)
