"""A match that was played elsewhere or before, its points, and what an exhausted clock says."""

from dataclasses import replace

import pytest

from pbmserv.club.clock import Clock, due_at
from pbmserv.club.match import Match, restore_moves
from pbmserv.club.pairing import round_robin, swiss_round
from pbmserv.club.play import play
from pbmserv.club.player import Seat
from pbmserv.club.time_limits import TimeLimits
from pbmserv.club.vacation import Absence, Vacations
from pbmserv.engine.moments import DAY
from pbmserv.engine.position import Move, Side
from pbmserv.engine.score import Outcome, Reason
from pbmserv.engine.spec import parse_game
from pbmserv.errors import Refused
from tests.engine.sample_games import random_game

from .test_pairing import entrants

ALICE, BOB = Seat(1, "alice"), Seat(2, "bob")
NOW = 1_800_000_000
SPECS = ("star(size=3)", "starstar(size=4,double)", "hex(size=4)", "polyy(sides=3,size=2)")


def fresh(spec: str) -> Match:
    return Match(7, parse_game(spec), 101, ALICE, BOB, NOW, NOW)


def moves_of(texts: str) -> tuple[Move, ...]:
    return tuple(map(parse_game("star(size=3)").parse_move, texts.split()))


@pytest.mark.parametrize("spec", SPECS)
def test_a_restored_match_is_the_one_that_was_played(spec: str) -> None:
    swapped = 0
    for seed in range(12):
        texts = [move.text for move, _ in random_game(parse_game(spec), seed) if move]
        played = fresh(spec)
        for text in texts:
            on_move = played.next_seat
            assert on_move is not None
            played, _ = play(played, on_move.player_id, played.game.parse_move(text), NOW)
        again = restore_moves(fresh(spec), played.record.moves, played.outcome, NOW)
        swapped += "swap" in texts

        assert played.turns == again.turns
        assert played.seats == again.seats
        assert played.outcome == again.outcome
        assert played.position == again.position
        assert len(texts) == again.ply
        assert (NOW, fresh(spec).revision + 1) == (again.changed_at, again.revision)
        # What was replayed already is what a replay of the turns gives.
        assert replace(again, known=None).record.positions == again.record.positions
        assert len(texts) + 1 == len(again.record.positions)
    assert swapped


def test_a_match_goes_on_where_it_was_restored() -> None:
    half = restore_moves(fresh("star(size=3)"), moves_of("C1 swap D1"), None, NOW)

    assert half.is_running
    assert BOB == half.next_seat
    after, _ = play(half, 2, half.game.parse_move("C2"), NOW + 1)
    assert ["C1", "swap", "D1", "C2"] == [turn.text for turn in after.turns]
    with pytest.raises(Refused):
        restore_moves(fresh("star(size=3)"), moves_of("C1 C1"), None, NOW)


@pytest.mark.parametrize("winner", [Side.X, Side.O, None])
@pytest.mark.parametrize("reason", list(Reason))
def test_points_are_those_agreed_on_or_those_by_which_the_rules_ended_the_game(
    reason: Reason, winner: Side | None
) -> None:
    match = restore_moves(fresh("star(size=3)"), moves_of("C1 C2 D1"), None, NOW)
    board = match.game.score(match.position).points
    agreed = {Side.X: 9, Side.O: 4}
    ended = replace(match, outcome=Outcome(winner, reason))

    assert match.record.points is None
    assert (board if reason.is_by_rules else None) == ended.record.points
    if reason is Reason.AGREEMENT:
        by_word = replace(match, outcome=Outcome(winner, reason, agreed))
        assert agreed == by_word.record.points


def test_whoever_has_used_up_all_time_is_late_from_the_first_second_of_a_turn() -> None:
    limits = TimeLimits(2, 7, total_days=10)
    for used in (7 * DAY, 10 * DAY, 99 * DAY):
        clock = Clock(1, 2, NOW, used={1: used})
        past = Absence(NOW - 9 * DAY, NOW - 8 * DAY)
        for vacations in (Vacations(), Vacations(days_a_year=20), Vacations((past,))):
            assert NOW == due_at(clock, limits, vacations, awake=0)
    hasty = Clock(1, 2, NOW, used={1: 7 * DAY - 1})
    assert NOW + 1 == due_at(hasty, limits, Vacations(), awake=0)


def test_who_rests_stands_behind_the_boards_of_a_round() -> None:
    for count in (3, 5, 7):
        first = swiss_round(entrants(count), [])
        second = swiss_round(entrants(count), [replace(b, score=b.score or 0) for b in first])
        for boards in (first, second):
            assert [False] * (count // 2) + [True] == [board.o is None for board in boards]
    assert not round_robin([1])
