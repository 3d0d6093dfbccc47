"""Figures of the club and of players."""

import pytest

from pbmserv.club.match import Match
from pbmserv.club.play import play, resign
from pbmserv.club.player import Seat
from pbmserv.club.statistics import (
    PlayerStatistics,
    Results,
    Statistics,
    heat,
)
from pbmserv.engine.games.star import Star

from .counted_by_hand import of_match, of_player

ALICE, BOB = Seat(1, "alice"), Seat(2, "bob")


def match_of(moves: str, opponent: Seat = BOB) -> Match:
    match = Match(1, Star(), 101, ALICE, opponent, 0, 0)
    for text in moves.split():
        seat = match.next_seat
        assert seat is not None
        if text == "resign":
            match, _ = resign(match, seat.player_id, 1)
        else:
            match, _ = play(match, seat.player_id, match.game.parse_move(text), 1)
    return match


def test_a_match_won_by_x() -> None:
    match = match_of("F6 G7 A6 resign")

    assert of_match(match) == Statistics(plain=Results(x=1), turns=3, first_moves={"F6": 1})
    assert of_player(match, 1) == PlayerStatistics(with_x=Results(x=1))
    assert of_player(match, 2) == PlayerStatistics(with_o=Results(x=1))
    assert of_player(match, 3) == PlayerStatistics()


def test_a_swapped_match_counts_by_the_seats_at_the_end() -> None:
    match = match_of("F6 swap G7 resign")

    assert of_match(match).swapped == Results(o=1)
    assert of_player(match, 1) == PlayerStatistics(with_o=Results(o=1))
    assert of_player(match, 1).won == of_player(match, 2).lost == 1


def test_a_draw() -> None:
    match = match_of("pass pass")

    assert of_match(match) == Statistics(plain=Results(drawn=1), turns=2, first_moves={"pass": 1})
    assert of_player(match, 2).drawn == 1


@pytest.mark.parametrize("moves", ["", "F6 G7", "resign"])
def test_what_runs_or_was_removed_does_not_count(moves: str) -> None:
    assert of_match(match_of(moves)) == Statistics()
    assert of_player(match_of(moves), 1) == PlayerStatistics()


def test_a_player_against_himself_has_no_result() -> None:
    match = match_of("F6 G7 resign", ALICE)

    assert of_match(match).games == 1
    assert of_player(match, 1) == PlayerStatistics()


def test_figures_add_up() -> None:
    matches = [match_of(moves) for moves in ("F6 G7 A6 resign", "F6 swap G7 resign", "pass pass")]

    club = sum(map(of_match, matches), Statistics())
    alice = sum((of_player(match, 1) for match in matches), PlayerStatistics())

    assert club == Statistics(Results(x=1, drawn=1), Results(o=1), 8, {"F6": 2, "pass": 1})
    assert (club.games, club.average_turns) == (3, 8 / 3)
    assert (alice.won, alice.lost, alice.drawn) == (2, 0, 1)
    assert Statistics().average_turns == 0


def test_heat_is_relative_to_the_commonest_first_move() -> None:
    assert heat({"F6": 200, "G7": 100, "A6": 1, "B6": 0}) == {"F6": 9, "G7": 4, "A6": 1}
    assert heat({}) == {}
