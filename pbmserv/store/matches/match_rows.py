"""Matches as rows, both ways: the select that reads them and the values that are written."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles

from pbmserv.club.match import Match, MatchEnd, MatchSummary, Offer, OfferKind, Origin, Turn
from pbmserv.club.player import Seat
from pbmserv.club.rating import parse_shift
from pbmserv.engine.position import Side
from pbmserv.engine.record import Status
from pbmserv.engine.score import Outcome, Points, Reason, format_points, parse_points
from pbmserv.engine.spec import parse_game
from pbmserv.errors import Fault, Refused
from pbmserv.store.faults import damaged
from pbmserv.store.tables import (
    absence,
    clock,
    match,
    moment,
    move,
    offer,
    origin,
    plan,
    player,
    recorded_name,
    submission,
)

AWAKE_SINCE, SETTLED, SETTLED_BEFORE = "awake-since", "settled", "settled-before"

first = player.alias("first")
second = player.alias("second")
source = match.alias("source")

WITH_SEATS: sa.Select[Any] = (
    sa.select(
        match,
        first.c.userid.label("first_userid"),
        second.c.userid.label("second_userid"),
        first.c.robot.label("first_robot"),
        second.c.robot.label("second_robot"),
        offer.c.kind.label("offer_kind"),
        offer.c.player_id.label("offer_player_id"),
        offer.c.result.label("offer_result"),
        offer.c.moves.label("offer_moves"),
    )
    .join(first, match.c.first_id == first.c.id)
    .join(second, match.c.second_id == second.c.id)
    .outerjoin(offer, offer.c.match_id == match.c.id)
)


class RowText(sa.sql.functions.FunctionElement[str]):
    """Columns as one text, with a blank between them: by operators it takes SQLite longer."""

    type = sa.Text()
    inherit_cache = True


@compiles(RowText)
def _compile_line(element: RowText, compiler: Any, **options: Any) -> str:
    columns = compiler.process(element.clauses, **options)
    if compiler.dialect.name == "sqlite":
        return f"printf('{' '.join('%s' for _ in element.clauses)}', {columns})"
    return f"concat_ws(' ', {columns})"


class TextOfRows(sa.sql.functions.FunctionElement[str]):
    """The texts of all rows, a line each, in the order of the rows."""

    type = sa.Text()
    inherit_cache = True


@compiles(TextOfRows)
def _compile_lines(element: TextOfRows, compiler: Any, **options: Any) -> str:
    texts = compiler.process(element.clauses, **options)
    # What ends a line is written out: SQLite would call char(10) for each of them.
    name = "group_concat" if compiler.dialect.name == "sqlite" else "string_agg"
    return f"{name}({texts}, '\n')"


def rows_text(table: sa.FromClause, columns: str, *conditions: Any, order: str = "") -> Any:
    """Return as one text what the rows of a table say of a match, a line each.

    They are in the ``order`` of some of its columns, by default of these.
    """
    wanted, key = (
        [table.c[name] for name in names.split()] for names in (columns, order or columns)
    )
    chosen = sa.select(RowText(*wanted).label("line")).select_from(table).where(*conditions)
    found = chosen.order_by(*key).correlate(match).subquery("lines")
    return sa.select(TextOfRows(found.c.line)).scalar_subquery()


TURNS = "text digest player_id played_at"
HISTORY = rows_text(move, TURNS, move.c.match_id == match.c.id, order="ply")
"""The turns of a match as one text: a statement of their own would be as long as this one."""

RECORDED = rows_text(recorded_name, "place name", recorded_name.c.match_id == match.c.id)
"""The names in the record of an imported game, each behind its place."""

WHOLE = (
    WITH_SEATS.add_columns(
        origin.c.ply.label("origin_ply"),
        source.c.number.label("origin_number"),
        HISTORY.label("history"),
        RECORDED.label("recorded"),
        sa.exists().where(submission.c.match_id == match.c.id).label("has_submissions"),
        sa.exists().where(plan.c.match_id == match.c.id).label("has_plans"),
        sa.exists()
        .where(absence.c.player_id.in_([match.c.first_id, match.c.second_id]))
        .label("has_absences"),
        clock.c.limits,
        clock.c.clock,
        clock.c.due_at,
        *(
            sa.select(moment.c.at).where(moment.c.name == name).scalar_subquery().label(label)
            for name, label in ((AWAKE_SINCE, "awake_since"), (SETTLED, "settled_at"))
        ),
    )
    .outerjoin(clock, clock.c.match_id == match.c.id)
    .outerjoin(origin, origin.c.match_id == match.c.id)
    .outerjoin(source, origin.c.source_id == source.c.id)
)


def match_of(row: sa.Row[Any], submissions: dict[int, str]) -> Match:
    """Return the match that a row of :data:`WHOLE` makes."""
    try:
        has_ended = row.status != Status.RUNNING.value
        outcome = _outcome(row) if has_ended else None
        former = _former(row) if has_ended else None
        shift = parse_shift(row.shift) if row.shift else None
        game = parse_game(row.spec)
        turns = tuple(map(_turn, (row.history or "").splitlines()))
    except (Refused, ValueError) as error:
        message = f"The row of {row.game} board {row.number} is damaged."
        raise damaged(message, "damaged-match") from error
    if row.rules_version != game.rules_version:
        raise Fault(
            f"{game.title} board {row.number} was started under rules that this program does not "
            "have.",
            code="other-rules",
            hint="Nothing was changed. Use the version that has them.",
        )
    seats = _seats(row)
    return Match(
        id=row.id,
        game=game,
        number=row.number,
        first=seats[0],
        second=seats[1],
        started_at=row.started_at,
        changed_at=row.changed_at,
        turns=turns,
        outcome=outcome,
        is_rated=bool(row.is_rated),
        is_imported=bool(row.is_imported),
        revision=row.revision,
        offer=_offer(row),
        submissions=submissions,
        recorded=_recorded(row.recorded) if row.recorded else ("", ""),
        origin=None if row.origin_ply is None else Origin(row.origin_number, row.origin_ply),
        shift=shift,
        former=former,
    )


def _recorded(lines: str) -> tuple[str, str]:
    """Return the names of who moved first and second in a record, "" without one."""
    names = dict(line.split(" ", 1) for line in lines.splitlines())
    return names.get("0", ""), names.get("1", "")


def _turn(line: str) -> Turn:
    """Return the turn that stands in a line; raises :class:`ValueError`."""
    text, digest, player_id, played_at = line.split(" ")
    return Turn(text, digest, int(player_id), int(played_at))


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
        status=Status(row.status),
        ply=row.ply,
        to_move=_side(row.to_move),
        winner=_side(row.winner),
        reason=row.reason,
        points=points,
        started_at=row.started_at,
        changed_at=row.changed_at,
        offer=_offer(row),
    )


def _offer(row: sa.Row[Any]) -> Offer | None:
    if row.offer_kind is None:
        return None
    result, moves = row.offer_result or "", tuple((row.offer_moves or "").split())
    return Offer(OfferKind(row.offer_kind), row.offer_player_id, result, moves)


def _seats(row: sa.Row[Any]) -> list[Seat]:
    return [
        Seat(row.first_id, row.first_userid, row.first_robot is not None),
        Seat(row.second_id, row.second_userid, row.second_robot is not None),
    ]


def values_of(stored: Match) -> dict[str, Any]:
    """Return the columns of a match that its turns and its end decide."""
    seats, next_seat = stored.seats, stored.next_seat
    return {
        "x_id": seats[Side.X].player_id,
        "o_id": seats[Side.O].player_id,
        "status": stored.status.value,
        "to_move": stored.position.to_move.value if next_seat else None,
        "next_id": next_seat.player_id if next_seat else None,
        "ply": stored.ply,
        "revision": stored.revision,
        "changed_at": stored.changed_at,
        **(UNENDED if stored.outcome is None else _end_of(stored, stored.outcome)),
    }


UNENDED = dict.fromkeys(
    (
        *("winner", "winner_id", "reason", "points_x", "points_o", "finished_at", "agreed"),
        *("is_early", "is_swapped", "first_move", "turns"),
    )
)


def _end_of(stored: Match, outcome: Outcome) -> dict[str, Any]:
    """Return the columns that only the end of a match fills."""
    winner = stored.record.winner
    points = stored.record.points
    # Nothing changes a match after its end, so its last change is the end.
    is_finished = stored.status in {Status.WON, Status.DRAWN}
    is_free = stored.origin is None
    return {
        "winner": outcome.winner.value if outcome.winner else None,
        "winner_id": winner.player_id if winner else None,
        "reason": _reason(stored, outcome),
        "points_x": points[Side.X] if points else None,
        "points_o": points[Side.O] if points else None,
        "finished_at": stored.changed_at if is_finished else None,
        "agreed": format_points(outcome.points) if outcome.points else None,
        "is_early": 1 if stored.is_agreed_early else None,
        "is_swapped": int(stored.record.has_swap) if is_finished else None,
        "first_move": stored.turns[0].text if is_finished and is_free and stored.turns else None,
        "turns": stored.ply if is_finished else None,
    }


def _side(text: str | None) -> Side | None:
    return None if text is None else Side(text)


def _reason(stored: Match, ended: Outcome) -> str:
    """Return why the match ended; of a removed one also when and how it had ended before.

    ``resignation``, ``removed``, ``removed 1800000000 X resignation``.
    """
    if stored.former is None:
        return ended.reason.value
    from pbmserv.engine.record_text import format_outcome

    outcome, at = stored.former
    return f"{ended.reason.value} {at} {format_outcome(outcome)}"


def _outcome(row: sa.Row[Any]) -> Outcome:
    """Return how the match ended; raises :class:`ValueError` for a reason that is none."""
    agreed = None if row.agreed is None else parse_points(row.agreed)
    return Outcome(_side(row.winner), Reason(row.reason.partition(" ")[0]), agreed)


def _former(row: sa.Row[Any]) -> MatchEnd | None:
    """Return how a removed match had ended; raises what cannot be read, as :func:`_outcome`."""
    _, _, text = (row.reason or "").partition(" ")
    if not text:
        return None
    from pbmserv.engine.record_text import parse_outcome

    at, _, result = text.partition(" ")
    outcome = parse_outcome(result)
    if outcome is None:
        raise ValueError(result)
    return MatchEnd(outcome, int(at))
