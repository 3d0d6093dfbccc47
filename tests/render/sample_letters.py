"""Matches, readers and golden text for the tests of letters."""

from collections.abc import Sequence

from pbmserv.club.events import Event, EventKind
from pbmserv.club.match import Match
from pbmserv.club.play import play
from pbmserv.club.player import Seat
from pbmserv.engine.spec import parse_game
from pbmserv.render.board_letters import Reader

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
