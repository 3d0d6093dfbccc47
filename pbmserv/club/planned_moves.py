"""Planned moves as they are played: what follows by itself after a turn."""

from collections.abc import Mapping
from dataclasses import dataclass

from pbmserv.club.events import Event, EventKind
from pbmserv.club.match import Match
from pbmserv.club.plans import RESIGN, Drop, Plan, format_plan, next_move
from pbmserv.club.play import play, resign


@dataclass(frozen=True)
class Dropped:
    """A plan that was given up: whose, the words of what was left of it, and why."""

    player_id: int
    words: str
    drop: Drop


@dataclass(frozen=True)
class Played:
    """A match after its planned moves, with the plans that are left.

    ``plies`` are the numbers of the planned moves; a planned resignation has none.
    """

    match: Match
    plans: Mapping[int, Plan]
    events: tuple[Event, ...] = ()
    plies: tuple[int, ...] = ()
    dropped: tuple[Dropped, ...] = ()


def play_plans(match: Match, plans: Mapping[int, Plan], now: int) -> Played:
    """Return the match after every planned move whose turn has come, each answering the last.

    ``plans`` are by player id; those of a match that is over are cleared without a word.
    """
    left = dict(plans)
    events: list[Event] = []
    plies: list[int] = []
    dropped: list[Dropped] = []
    while (seat := match.next_seat) is not None and (plan := left.get(seat.player_id)):
        last = match.record.moves[-1] if match.turns else None
        firing = next_move(plan, match.game, match.position, last)
        if firing.rest is None:
            del left[seat.player_id]
        else:
            left[seat.player_id] = firing.rest
        if firing.drop is not None:
            dropped.append(Dropped(seat.player_id, format_plan(plan), firing.drop))
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
    return Played(match, left, tuple(events), tuple(plies), tuple(dropped))
