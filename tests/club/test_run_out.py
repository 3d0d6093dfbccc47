"""How a match ends when a player's time is over."""

import pytest

from pbmserv.club.events import EventKind, describe
from pbmserv.club.match import Match, OfferKind
from pbmserv.club.play import offer, play, run_out
from pbmserv.club.player import Seat
from pbmserv.engine.games import find_game
from pbmserv.engine.record import Status
from pbmserv.engine.score import Reason

ALICE, BOB = Seat(1, "alice"), Seat(2, "bob")


def match_after(moves: int) -> Match:
    game = find_game("star")()
    match = Match(1, game, 101, ALICE, BOB, 0, 0)
    for text in ("F6", "G7", "H5", "A6")[:moves]:
        seat = match.next_seat
        assert seat is not None
        match, _ = play(match, seat.player_id, game.parse_move(text), 10)
    return match


def test_time_out_is_a_forfeit() -> None:
    over, events = run_out(match_after(3), BOB.player_id, 99)

    assert over.outcome is not None
    assert (over.record.winner, over.outcome.reason) == (ALICE, Reason.FORFEIT)
    assert [EventKind.RAN_OUT, EventKind.FINISHED] == [event.kind for event in events]
    assert describe(events[0]) == "bob has run out of time."
    assert over.result == "alice (X) wins Star Board 101 on time."


@pytest.mark.parametrize("moves", [0, 1])
def test_before_the_second_move_the_board_is_removed(moves: int) -> None:
    match = match_after(moves)
    late = match.next_seat
    assert late is not None

    over, _ = run_out(match, late.player_id, 99)

    assert over.status is Status.REMOVED
    assert over.record.winner is None


def test_a_draw_offered_to_the_late_player_counts_as_accepted() -> None:
    match, _ = offer(match_after(2), BOB.player_id, OfferKind.DRAW, 20)

    over, _ = run_out(match, ALICE.player_id, 99)

    assert over.status is Status.DRAWN
    assert over.offer is None


def test_a_draw_offer_never_saves_the_one_who_made_it() -> None:
    match, _ = offer(match_after(2), ALICE.player_id, OfferKind.DRAW, 20)

    over, _ = run_out(match, ALICE.player_id, 99)

    assert over.record.winner == BOB


def test_an_undo_asked_for_counts_for_nothing() -> None:
    match, _ = offer(match_after(2), BOB.player_id, OfferKind.UNDO, 20)

    over, _ = run_out(match, ALICE.player_id, 99)

    assert over.record.winner == BOB
