"""Playing planned moves after a turn."""

from collections.abc import Mapping
from dataclasses import dataclass

from pbmserv.club.events import Event, EventKind
from pbmserv.club.match import Match
from pbmserv.club.plans import RESIGN, CancelReason, Plan, format_plan, next_move
from pbmserv.club.play import play, resign


@dataclass(frozen=True)
class CancelledPlan:
    """A plan that was cancelled: its owner, the words of its rest, and the reason."""

    player_id: int
    words: str
    drop: CancelReason


@dataclass(frozen=True)
class PlanOutcome:
    """A match after its planned moves, with the plans that are left.

    ``plies`` are the numbers of the planned moves; a planned resignation has none.
    """

    match: Match
    plans: Mapping[int, Plan]
    events: tuple[Event, ...] = ()
    plies: tuple[int, ...] = ()
    dropped: tuple[CancelledPlan, ...] = ()


def play_plans(match: Match, plans: Mapping[int, Plan], now: int) -> PlanOutcome:
    """Return the match after all planned moves whose turn has come, one answering the other.

    ``plans`` are by player id; those of a match that is over are cleared silently.
    """
    left = dict(plans)
    events: list[Event] = []
    plies: list[int] = []
    dropped: list[CancelledPlan] = []
    while (seat := match.next_seat) is not None and (plan := left.get(seat.player_id)):
        last = match.record.moves[-1] if match.turns else None
        firing = next_move(plan, match.game, match.position, last)
        if firing.rest is None:
            del left[seat.player_id]
        else:
            left[seat.player_id] = firing.rest
        if firing.drop is not None:
            dropped.append(CancelledPlan(seat.player_id, format_plan(plan), firing.drop))
        if firing.move is None:
            break
        if firing.move == RESIGN:
            match, happened = resign(match, seat.player_id, now)
        else:
            match, happened = play(match, seat.player_id, firing.move, now)
            plies.append(match.ply)
        events += (
            event._replace(is_planned=event.kind is not EventKind.FINISHED) for event in happened
        )
    if not match.is_running:
        left.clear()
    return PlanOutcome(match, left, tuple(events), tuple(plies), tuple(dropped))
