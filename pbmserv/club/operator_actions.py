"""What an operator may do at a board, without being one of its players."""

from pbmserv.club.events import Event, EventKind
from pbmserv.club.match import Match, MatchEnd
from pbmserv.club.play import Change, cleared, without_last
from pbmserv.engine.score import Outcome, Reason
from pbmserv.errors import Refused


def take_back(match: Match, now: int) -> Change:
    """Take back what was done last: the end that was not the rules', else the last move.

    A removed board is so brought back. A move that ended the game goes with the end.
    """
    ended = match.outcome
    if match.is_removed:
        return _bring_back(match, now)
    _require_own(match)
    if ended is not None and not ended.reason.is_by_rules:
        return cleared(match, now, outcome=None), (Event(EventKind.REOPENED),)
    if match.own_ply < 1:
        raise Refused("No move has been made that could be taken back.", code="nothing-to-undo")
    event = Event(EventKind.TAKEN_BACK, None, match.turns[-1].text)
    return without_last(match, 1, now), (event,)


def remove(match: Match, now: int) -> Change:
    """Remove a board, running or finished, as if it had never been played.

    How and when it had ended is kept, for bringing it back.
    """
    if match.is_removed:
        raise Refused(f"{match.title} has already been removed.", code="game-over")
    former = None if match.outcome is None else MatchEnd(match.outcome, match.changed_at)
    gone = Outcome(None, Reason.REMOVED)
    removed = cleared(match, now, outcome=gone, former=former)
    return removed, (Event(EventKind.REMOVED),)


def _bring_back(match: Match, now: int) -> Change:
    ending = match.former
    by_rules = match.game.outcome(match.position)
    if ending is None and by_rules is not None:
        ending = MatchEnd(by_rules, match.turns[-1].played_at)
    outcome, at = ending or (None, now)
    restored = cleared(match, at, outcome=outcome, former=None)
    if restored.is_running:
        _require_own(match)
    return restored, (Event(EventKind.RESTORED, None, restored.result),)


def _require_own(match: Match) -> None:
    """Raise :class:`Refused` for an imported game: nobody here could go on with it."""
    if match.is_imported:
        raise Refused(
            f"{match.title} is an imported game and stays as it ended.",
            code="imported-game",
            hint="admin remove takes it away.",
        )
