"""Matches, readers and golden text for the tests of letters."""

from collections.abc import Sequence

from pbmserv.club.events import Event, EventKind
from pbmserv.club.match import Match, MatchSummary
from pbmserv.club.play import play
from pbmserv.club.player import Seat
from pbmserv.engine.position import Side
from pbmserv.engine.spec import format_game, parse_game
from pbmserv.render.board_letters import Reader
from pbmserv.site.board_lines import BoardLine, board_line
from pbmserv.store.matches.published import PublicPlayer

NOW = 1_800_000_000
ALICE, BOB, CAROL = Seat(1, "alice"), Seat(2, "bob"), Seat(3, "carol")
TO_ALICE = Reader("alice@example.org", 1)
TO_BOB = Reader("bob@example.org", 2)
TO_CAROL = Reader("carol@example.org", 3, is_watching=True, userid="carol")


def new_match(spec: str, first: Seat = ALICE, second: Seat = BOB) -> Match:
    return Match(7, parse_game(spec), 101, first, second, NOW, NOW)


def played(spec: str, moves: Sequence[str]) -> tuple[Match, tuple[Event, ...]]:
    """Return the match after these moves, and what the last of them made happen."""
    match = new_match(spec)
    events: tuple[Event, ...] = (Event(EventKind.STARTED, ALICE),)
    for text in moves:
        on_move = match.next_seat
        assert on_move is not None
        match, events = play(match, on_move.player_id, match.game.parse_move(text), NOW)
    return match, events


def summary_of(match: Match) -> MatchSummary:
    """Return what lists are given of a match."""
    game, ended = match.game, match.outcome
    return MatchSummary(
        id=match.id,
        game=game.name,
        spec=format_game(game),
        number=match.number,
        seats=dict(match.seats),
        status=match.status,
        ply=match.ply,
        to_move=match.record.to_move,
        winner=ended.winner if ended else None,
        reason=ended.reason.value if ended else None,
        points=match.record.points,
        started_at=NOW,
        changed_at=NOW,
    )


def line_of(match: Match) -> BoardLine:
    """Return a match as it stands in lists of the pages."""
    x, o = (
        PublicPlayer(seat.userid, is_member=True, is_private=False, since=NOW, is_robot=False)
        for seat in map(match.seats.__getitem__, Side)
    )
    return board_line(summary_of(match), x, o)
