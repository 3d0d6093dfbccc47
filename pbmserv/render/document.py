"""JSON documents: matches, summaries and scores with keys that never change their meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pbmserv.engine.position import Side
from pbmserv.engine.spec import parse_game

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pbmserv.club.clock import Deadline
    from pbmserv.club.match import MatchSummary, Offer
    from pbmserv.club.player import Seat
    from pbmserv.club.wording import MatchContext
    from pbmserv.engine.score import Score
    from pbmserv.engine.settle import MarginBounds
    from pbmserv.render.view import View

Document = dict[str, Any]


def score_document(score: Score) -> Document:
    """Return a score with the lists behind it."""
    return {"points": score.points, "winner": score.verdict, "full": score.full, **score.details}


def settled_document(bounds: MarginBounds | None) -> Document | None:
    """Return what the margin can still become, None after the end."""
    return None if bounds is None else bounds.document


def view_document(view: View) -> Document:
    """Return a match or a preview; what :func:`around_document` adds to a match is null."""
    position, record = view.position, view.record
    outcome, robots = record.outcome, {s.userid for s in record.seats.values() if s.is_robot}
    return {
        "game": view.game.name,
        "options": view.game.option_values,
        "board": view.number,
        "players": {side.value: view.names[side] for side in Side},
        "robots": sorted(robots),
        "moves": list(record.texts),
        "ply": record.ply,
        "to_move": view.to_move.value if view.to_move else None,
        "stones": {
            side.value: view.game.board.sorted_names(position.cells_of(side)) for side in Side
        },
        "status": record.status.value,
        "winner": outcome.winner.value if outcome and outcome.winner else None,
        "reason": outcome.reason.value if outcome else None,
        "agreed": outcome.points if outcome else None,
        "offer": _offer_document(view.offer, record.seats),
        "score": score_document(view.score),
        "settled": settled_document(view.settled),
        **deadline_document(None),
        "time": None,
        "vacation": {side.value: None for side in Side},
        "ratings": None,
        "handicap": None,
        "remarks": None,
    }


def around_document(around: MatchContext) -> Document:
    """Return what goes with a match as it is now."""
    seats, time, ratings = around.match.seats, None, None
    if around.timing is not None:
        limits = around.timing.stored.limits
        time = {
            "nag": limits.nag_days,
            "forfeit": limits.forfeit_days,
            "total": limits.total_days,
            "vacation": limits.has_vacation,
            "used": {side.value: spent for side, spent in around.used.items()},
        }
    away = {side.value: _until(around, seat) for side, seat in seats.items()}
    if around.ratings:
        changes = {side.value: around.ratings[seat.player_id] for side, seat in seats.items()}
        ratings = {
            side: {"before": round(change.before), "after": round(change.after.value)}
            for side, change in changes.items()
        }
    due = deadline_document(around.deadline)
    shift = around.match.shift
    handicap = None if shift is None else {"odds": shift.odds, "error": shift.error}
    return {**due, "time": time, "vacation": away, "ratings": ratings, "handicap": handicap}


def _until(around: MatchContext, seat: Seat) -> int | None:
    vacations = around.away.get(seat.player_id)
    running = vacations and vacations.current(around.now)
    return running.end if running else None


def deadline_document(due: Deadline | None) -> Document:
    """Return when the turn must be made and whether its player was reminded, null without."""
    return {
        "deadline": None if due is None else due.at,
        "reminded": None if due is None else due.is_reminded,
    }


def _offer_document(made: Offer | None, seats: Mapping[Side, Seat]) -> Document | None:
    if made is None:
        return None
    userids = {seat.player_id: seat.userid for seat in seats.values()}
    return {
        "kind": made.kind.value,
        "by": userids[made.player_id],
        "result": made.result or None,
        "moves": list(made.moves) or None,
    }


def summary_document(summary: MatchSummary, due: Deadline | None = None) -> Document:
    """Return one match of a table, without its moves and stones."""
    return {
        "game": summary.game,
        "options": parse_game(summary.spec).option_values,
        "board": summary.number,
        "players": {side.value: summary.seats[side].userid for side in Side},
        "robots": sorted({seat.userid for seat in summary.seats.values() if seat.is_robot}),
        "ply": summary.ply,
        "to_move": summary.to_move.value if summary.to_move else None,
        "status": summary.status.value,
        "winner": summary.winner.value if summary.winner else None,
        "reason": summary.reason,
        "points": summary.points,
        "offer": _offer_document(summary.offer, summary.seats),
        **deadline_document(due),
        "started": summary.started_at,
        "changed": summary.changed_at,
    }
