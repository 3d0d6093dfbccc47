"""The check of a stored match: whether its end and its players agree with its moves."""

from pbmserv.club.match import Match
from pbmserv.engine.record_text import format_outcome
from pbmserv.engine.score import Outcome, Reason
from pbmserv.errors import PbmservError


def findings(match: Match) -> list[str]:
    """Return a sentence for each error in the match, [] for none."""
    try:
        by_rules = match.game.outcome(match.position)
    except PbmservError as error:
        return [error.message]
    if match.outcome is not None or by_rules is not None:
        wrong_end = _wrong_end(match, by_rules)
        if wrong_end:
            return [wrong_end]
    wrong = [
        number
        for number, turn in enumerate(match.turns, start=1)
        if turn.player_id != match.record.mover(number).player_id
    ]
    if wrong:
        return [f"move {wrong[0]} is stored under the wrong player"]
    return []


def _wrong_end(match: Match, by_rules: Outcome | None) -> str:
    """Return the fault of the stored end of the match, "" if there is none."""
    stored = match.former.outcome if match.former else match.outcome
    said = f"stored as {format_outcome(stored)}"
    is_removed = stored is not None and stored.reason is Reason.REMOVED
    if (
        by_rules is not None
        and not is_removed
        and stored != by_rules
        and (stored is None or not match.game.may_end(match.position, stored))
    ):
        return f"its moves end it as {format_outcome(by_rules)}, but it is {said}"
    if by_rules is None and stored is not None and stored.reason.is_by_rules:
        return f"it is {said}, but its moves do not end it"
    if stored is not None and not stored.is_possible(match.own_ply):
        return f"it is {said}, which is impossible after {match.own_ply} moves"
    if match.offer or match.submissions:
        return "it has ended, but an offer or a submitted move is still stored"
    return ""
