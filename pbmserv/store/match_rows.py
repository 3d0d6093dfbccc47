"""Matches as rows, both ways: the select that reads them and the values that are written."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from pbmserv.club.match import (
    Ending,
    Match,
    MatchStatus,
    MatchSummary,
    Offer,
    OfferKind,
    Origin,
    Turn,
    final_points,
)
from pbmserv.club.player import Seat
from pbmserv.engine.position import Side
from pbmserv.engine.score import Outcome, Points, Reason, format_points, parse_points
from pbmserv.engine.spec import parse_game
from pbmserv.errors import Fault, Refused
from pbmserv.store.faults import damaged
from pbmserv.store.tables import match, offer, origin, player, submission

first = player.alias("first")
second = player.alias("second")
source = match.alias("source")

WITH_SEATS = (
    sa.select(
        match,
        first.c.userid.label("first_userid"),
        second.c.userid.label("second_userid"),
        first.c.robot.label("first_robot"),
        second.c.robot.label("second_robot"),
    )
    .join(first, match.c.first_id == first.c.id)
    .join(second, match.c.second_id == second.c.id)
)

WHOLE = (
    WITH_SEATS.add_columns(
        offer.c.kind.label("offer_kind"),
        offer.c.player_id.label("offer_player_id"),
        offer.c.result.label("offer_result"),
        origin.c.ply.label("origin_ply"),
        source.c.number.label("origin_number"),
        sa.exists().where(submission.c.match_id == match.c.id).label("has_submissions"),
    )
    .outerjoin(offer, offer.c.match_id == match.c.id)
    .outerjoin(origin, origin.c.match_id == match.c.id)
    .outerjoin(source, origin.c.source_id == source.c.id)
)


def match_of(
    row: sa.Row[Any], turns: Sequence[Turn] = (), submissions: dict[int, str] | None = None
) -> Match:
    """Return the match that a row of :data:`WHOLE` and these turns make."""
    try:
        outcome = _outcome(row)
        former = _former(row)
        game = parse_game(row.spec)
    except (Refused, ValueError) as error:
        message = f"The row of {row.game} board {row.number} is damaged."
        raise damaged(message, "damaged-match") from error
    if row.rules_version != game.rules_version:
        raise Fault(
            f"{game.title} board {row.number} was begun under other rules than this program has.",
            code="other-rules",
            hint="Nothing was changed. It wants the version of the program that knows them.",
        )
    status = MatchStatus(row.status)
    pending = None
    if row.offer_kind is not None:
        pending = Offer(OfferKind(row.offer_kind), row.offer_player_id, row.offer_result or "")
    seats = _seats(row)
    return Match(
        id=row.id,
        game=game,
        number=row.number,
        first=seats[0],
        second=seats[1],
        started_at=row.started_at,
        changed_at=row.changed_at,
        turns=tuple(turns),
        outcome=outcome,
        is_removed=status is MatchStatus.REMOVED,
        is_rated=bool(row.is_rated),
        is_imported=bool(row.is_imported),
        revision=row.revision,
        offer=pending,
        submissions=submissions or {},
        origin=None if row.origin_ply is None else Origin(row.origin_number, row.origin_ply),
        former=former,
    )


def summary_of(row: sa.Row[Any]) -> MatchSummary:
    """Return the line that a row of :data:`WITH_SEATS` stands for; nothing is replayed."""
    seats = _seats(row)
    if row.x_id != row.first_id:
        seats.reverse()
    points: Points | None = None
    if row.points_x is not None:
        points = {Side.X: row.points_x, Side.O: row.points_o}
    return MatchSummary(
        id=row.id,
        game=row.game,
        spec=row.spec,
        number=row.number,
        seats={Side.X: seats[0], Side.O: seats[1]},
        status=MatchStatus(row.status),
        ply=row.ply,
        to_move=_side(row.to_move),
        winner=_side(row.winner),
        reason=row.reason,
        points=points,
        started_at=row.started_at,
        changed_at=row.changed_at,
    )


def _seats(row: sa.Row[Any]) -> list[Seat]:
    return [
        Seat(row.first_id, row.first_userid, row.first_robot is not None),
        Seat(row.second_id, row.second_userid, row.second_robot is not None),
    ]


def values_of(stored: Match) -> dict[str, Any]:
    """Return the columns of a match that its turns and its end decide."""
    seats = stored.seats
    next_seat = stored.next_seat
    winner = stored.winner
    outcome = stored.outcome
    points = final_points(stored)
    # Nothing changes a match after its end, so its last change is the end.
    is_finished = stored.status in {MatchStatus.WON, MatchStatus.DRAWN}
    return {
        "x_id": seats[Side.X].player_id,
        "o_id": seats[Side.O].player_id,
        "status": stored.status.value,
        "to_move": stored.position.to_move.value if next_seat else None,
        "next_id": next_seat.player_id if next_seat else None,
        "ply": stored.ply,
        "revision": stored.revision,
        "winner": outcome.winner.value if outcome and outcome.winner else None,
        "winner_id": winner.player_id if winner else None,
        "reason": _reason(stored),
        "points_x": points[Side.X] if points else None,
        "points_o": points[Side.O] if points else None,
        "changed_at": stored.changed_at,
        "finished_at": stored.changed_at if is_finished else None,
        "agreed": format_points(outcome.points) if outcome and outcome.points else None,
    }


def _side(text: str | None) -> Side | None:
    return None if text is None else Side(text)


def _reason(stored: Match) -> str | None:
    """Return why the match ended; of a removed one also when and how it had ended before.

    ``resignation``, ``removed``, ``removed 1800000000 X resignation``.
    """
    if stored.outcome is None:
        return None
    if stored.former is None:
        return stored.outcome.reason.value
    from pbmserv.engine.record import format_outcome

    outcome, at = stored.former
    return f"{stored.outcome.reason.value} {at} {format_outcome(outcome)}"


def _outcome(row: sa.Row[Any]) -> Outcome | None:
    """Return how the match ended; raises :class:`ValueError` for a reason that is none."""
    if row.status == MatchStatus.RUNNING.value:
        return None
    agreed = None if row.agreed is None else parse_points(row.agreed)
    return Outcome(_side(row.winner), Reason(row.reason.partition(" ")[0]), agreed)


def _former(row: sa.Row[Any]) -> Ending | None:
    """Return how a removed match had ended; raises what cannot be read, as :func:`_outcome`."""
    _, _, text = (row.reason or "").partition(" ")
    if not text:
        return None
    from pbmserv.engine.record import parse_outcome

    at, _, result = text.partition(" ")
    outcome = parse_outcome(result)
    if outcome is None:
        raise ValueError(result)
    return Ending(outcome, int(at))
