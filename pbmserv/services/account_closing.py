"""Closing an account: what its player leaves behind, in one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pbmserv.club.play import resign
from pbmserv.club.player import PlayerStatus
from pbmserv.services.clock_settlement import settle_due
from pbmserv.services.match_changes import keep
from pbmserv.services.tournament_matches import withdraw

if TYPE_CHECKING:
    from pbmserv.club.player import Player
    from pbmserv.services.session import WriteSession


def close_account(session: WriteSession, player: Player) -> list[str]:
    """Close an account for good; return the titles of the matches resigned."""
    resigned = []
    session.records.people.stop_seeking(player.id)
    withdraw(session, player)
    for game, number in session.records.matches.running_of(player.id):
        # An opponent whose time was over before has lost, whatever is given up now.
        settle_due(session, game, number, player)
        match = session.records.matches.find(game, number, lock=True)
        if match is None or not match.is_running:
            continue
        keep(session, match, resign(match, player.id, session.now))
        session.ledger.note("resign", "signoff", match_id=match.id)
        resigned.append(match.title)
    closed = player._replace(status=PlayerStatus.CLOSED, password_hash=None, addresses=())
    session.records.players.save(closed, closed_at=session.now)
    return resigned
