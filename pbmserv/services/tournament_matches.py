"""The matches of tournaments: started when their time has come, entered when they are over.

All of it happens in the transaction that starts the tournament or ends a game.
"""

from __future__ import annotations

from collections.abc import Iterable

from pbmserv.club import tournament as club
from pbmserv.club.events import Event, EventKind
from pbmserv.club.match import Match
from pbmserv.club.notices import NoticeKind
from pbmserv.club.player import Player
from pbmserv.club.tournament import Tournament, TournamentStatus
from pbmserv.services.ledger import Announcement
from pbmserv.services.match_start import MatchTerms, start_match, started_event
from pbmserv.services.session import WriteSession

LOST_BY = frozenset({EventKind.DECLINED, EventKind.RAN_OUT})


def save(session: WriteSession, before: Tournament, after: Tournament) -> None:
    """Store a changed tournament and start the matches that are new in it."""
    records, terms = session.records, after.terms
    matches = {}
    for place in range(len(before.encounters), len(after.encounters)):
        board = after.encounters[place]
        if board.o is None:
            continue
        players = (records.players.get(board.x), records.players.get(board.o))
        match = start_match(session, MatchTerms(terms.game, terms.limits), players)
        session.ledger.note("tournament board", str(after.id), match_id=match.id)
        title = f"Tournament {after.id}: {after.name}."
        session.ledger.tell(match, [started_event(match)], [title])
        matches[place] = match.id
    records.tournaments.save(before, after, matches, session.now)


def begin_due(session: WriteSession, number: int) -> None:
    """Start a tournament whose date has come, or cancel it for want of players."""
    before = session.records.tournaments.find(number, lock=True)
    if before is None or before.status is not TournamentStatus.OPEN:
        return
    after = club.begin_due(before)
    save(session, before, after)
    session.ledger.note("tournament start", str(number))
    if after.status is TournamentStatus.CANCELLED:
        tell_entrants(session, after, f"Nobody else joined {after.name}, so it has been cancelled.")


def tell_entrants(session: WriteSession, tournament: Tournament, sentence: str) -> None:
    """Notify all entrants and the organiser of the tournament."""
    told = {tournament.organiser_id, *(entrant.player_id for entrant in tournament.entrants)}
    session.records.notices.add(told, NoticeKind.ANNOUNCEMENT, sentence, session.now)
    about = f"tournament {tournament.id}"
    session.ledger.announcements.append(Announcement(about, tuple(sorted(told)), sentence))


def enter_result(
    session: WriteSession, number: int, place: int, match: Match, events: Iterable[Event]
) -> None:
    """Enter how a match ended at its place in its tournament, and go on there."""
    before = _held(session, number)
    score = _score(match, before.encounters[place].x, events)
    save(session, before, club.advance(club.record(before, place, score)))


def reopen(session: WriteSession, number: int, place: int) -> None:
    """Take the result of a match back that goes on again; rounds begun since go on too."""
    before = _held(session, number)
    save(session, before, club.reopen(before, place))


def withdraw(session: WriteSession, player: Player) -> None:
    """Take a player who leaves for good out of every tournament that is not over."""
    for number in session.records.tournaments.of_player(player.id):
        before = _held(session, number)
        save(session, before, club.leave(before, player.id))


def _held(session: WriteSession, number: int) -> Tournament:
    """Return a tournament that is there, and nobody else's until the transaction ends."""
    found = session.records.tournaments.find(number, lock=True)
    if found is None:
        raise LookupError(f"tournament {number}")
    return found


def _score(match: Match, x: int, events: Iterable[Event]) -> float:
    """Return the score of the player ``x``: 0 after declining or running out of time."""
    if match.is_removed:
        decliners = [event.actor for event in events if event.kind in LOST_BY]
        return 0.0 if any(seat and seat.player_id == x for seat in decliners) else 1.0
    winner = match.record.winner
    if winner is None:
        return 0.5
    return 1.0 if winner.player_id == x else 0.0
