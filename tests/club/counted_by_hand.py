"""What one match adds to the figures of the club and of a player, worked out from the match."""

from pbmserv.club.match import Match
from pbmserv.club.statistics import PlayerStatistics, Results, Statistics
from pbmserv.engine.position import Side
from pbmserv.engine.record import Status


def of_match(match: Match) -> Statistics:
    """Return the figures of one match: none while it runs or if it was removed."""
    if not _counts(match):
        return Statistics()
    is_free = match.turns and match.origin is None
    first = {match.turns[0].text: 1} if is_free else {}
    results, none = _results(match), Results()
    plain, swapped = (none, results) if match.record.has_swap else (results, none)
    return Statistics(plain, swapped, match.ply, first)


def of_player(match: Match, player_id: int) -> PlayerStatistics:
    """Return what one match adds to a player's figures; nothing for a game against oneself."""
    seat = match.seat_of(player_id)
    if seat is None or match.is_self_play or not _counts(match):
        return PlayerStatistics()
    if match.side_of(player_id) is Side.X:
        return PlayerStatistics(with_x=_results(match))
    return PlayerStatistics(with_o=_results(match))


def _counts(match: Match) -> bool:
    return match.status in {Status.WON, Status.DRAWN}


def _results(match: Match) -> Results:
    winner = match.outcome.winner if match.outcome else None
    return Results(int(winner is Side.X), int(winner is Side.O), int(winner is None))
