"""Round robin, Swiss rounds and pools: who meets whom, with which colour."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.club.pairing import (
    Encounter,
    Entrant,
    default_rounds,
    max_rounds,
    pools,
    round_robin,
    swiss_round,
)


def entrants(count: int) -> list[Entrant]:
    return [Entrant(number, f"p{number}", 2000 - 10 * number) for number in range(1, count + 1)]


def meetings(boards: Sequence[Encounter]) -> Counter[frozenset[int]]:
    return Counter(frozenset((board.x, board.o)) for board in boards if board.o is not None)


def colours(boards: Sequence[Encounter], player: int) -> int:
    """Return how many more boards with X than with O the player has."""
    return sum((board.x == player) - (board.o == player) for board in boards if board.o is not None)


# Round robin


def test_everybody_meets_everybody_once() -> None:
    for count in range(25):
        check_round_robin(count)


def check_round_robin(count: int) -> None:
    players = list(range(1, count + 1))

    boards = round_robin(players)

    assert meetings(boards) == Counter(map(frozenset, combinations(players, 2)))
    assert all(abs(colours(boards, player)) <= 1 for player in players)
    busy = Counter((board.round, player) for board in boards for player in (board.x, board.o))
    assert all(times == 1 for times in busy.values())
    assert {board.round for board in boards} == set(
        range(1, max_rounds(count) + 1) if count > 1 else ()
    )


def test_with_both_colours_everybody_has_both() -> None:
    for count in range(2, 12):
        check_both_colours(count)


def check_both_colours(count: int) -> None:
    boards = round_robin(range(1, count + 1), both_colours=True)

    ordered = Counter((board.x, board.o) for board in boards)
    assert len(ordered) == count * (count - 1)
    assert set(ordered.values()) == {1}


# Swiss


def play_swiss(
    count: int, rounds: int, seed: int, *, both_colours: bool = False, draws: float = 0.2
) -> list[Encounter]:
    """Return a whole tournament whose boards end at random."""
    chance = Random(seed)
    played: list[Encounter] = []
    for number in range(1, rounds + 1):
        boards = swiss_round(entrants(count), played, both_colours=both_colours)
        assert {board.round for board in boards} <= {number}
        for board in boards:
            score = 0.5 if chance.random() < draws else float(chance.random() < 0.5)
            played.append(board if board.o is None else replace(board, score=score))
    return played


@pytest.mark.costly
def test_nobody_meets_twice_nor_rests_twice() -> None:
    for count, seed in product(range(1, 20), range(6)):
        check_swiss(count, seed)


def check_swiss(count: int, seed: int) -> None:
    rounds = min(default_rounds(count) + 1, max_rounds(count))

    played = play_swiss(count, rounds, seed)

    assert set(meetings(played).values()) <= {1}
    byes = Counter(board.x for board in played if board.o is None)
    assert sum(byes.values()) == rounds * (count % 2)
    assert set(byes.values()) <= {1}
    for number in range(1, rounds + 1):
        boards = [board for board in played if board.round == number]
        present = [player for board in boards for player in (board.x, board.o) if player]
        assert sorted(present) == list(range(1, count + 1))


@pytest.mark.costly
@given(st.integers(8, 30), st.integers(0, 10**6))
def test_colours_stay_balanced(count: int, seed: int) -> None:
    played = play_swiss(count, default_rounds(count), seed)

    assert all(abs(colours(played, player)) <= 2 for player in range(1, count + 1))


def can_all_be_paired(players: frozenset[int], met: Counter[frozenset[int]]) -> bool:
    """Tell by trying everything whether all can be paired without meeting again."""
    if not players:
        return True
    first = min(players)
    return any(
        not met[frozenset((first, other))] and can_all_be_paired(players - {first, other}, met)
        for other in players - {first}
    )


def test_rematches_come_only_where_nothing_else_is_left() -> None:
    for count, seed in product(range(2, 9), range(8)):
        check_rematches(count, seed)


def check_rematches(count: int, seed: int) -> None:
    everybody = frozenset(range(1, count + 1))
    played: list[Encounter] = []
    chance = Random(seed)
    for number in range(1, count + 3):
        boards = swiss_round(entrants(count), played)
        met = meetings(played)
        again = any(met[pair] for pair in meetings(boards))
        resting = [board.x for board in boards if board.o is None]
        byes = Counter(board.x for board in played if board.o is None)
        fewest = min(byes[player] for player in everybody)
        assert all(byes[player] == fewest for player in resting)
        if again:
            left = (
                [everybody - {player} for player in everybody if byes[player] == fewest]
                if count % 2
                else [everybody]
            )
            assert not any(can_all_be_paired(players, met) for players in left), number
        for board in boards:
            score = board.score if board.o is None else float(chance.random() < 0.5)
            played.append(replace(board, score=score))


def test_where_some_must_meet_again_the_others_need_not() -> None:
    # Number 6 has met everybody; 1 has met all but 5, who has no point.
    met = [(1, 6), (2, 6), (3, 6), (4, 6), (6, 5), (1, 2), (1, 3), (4, 1)]
    played = [Encounter(at, x, o, 1.0) for at, (x, o) in enumerate(met, start=1)]

    boards = swiss_round(entrants(6), played)

    assert frozenset((1, 5)) in meetings(boards)


def test_first_round_sets_the_upper_half_against_the_lower() -> None:
    boards = swiss_round(entrants(8), [])

    pairs = {frozenset((board.x, board.o)) for board in boards}
    assert pairs == {frozenset((number, number + 4)) for number in range(1, 5)}
    assert [board.x for board in boards] == [1, 6, 3, 8]


def test_equal_points_meet_in_the_second_round() -> None:
    first = [replace(board, score=1.0) for board in swiss_round(entrants(8), [])]

    second = swiss_round(entrants(8), first)

    winners = {board.x for board in first}
    assert all((board.x in winners) == (board.o in winners) for board in second)


def test_the_bye_goes_to_the_last_who_has_had_none() -> None:
    first = swiss_round(entrants(5), [])
    second = swiss_round(entrants(5), [replace(board, score=board.score or 0) for board in first])

    assert [Encounter(1, 5, None, 1.0)] == [board for board in first if board.o is None]
    (bye,) = [board for board in second if board.o is None]
    assert bye.x != 5


def test_who_has_withdrawn_is_not_paired() -> None:
    field = entrants(6)
    field[2] = replace(field[2], is_withdrawn=True)

    boards = swiss_round(field, [])

    present = {player for board in boards for player in (board.x, board.o)}
    assert present == {1, 2, 4, 5, 6, None}


def test_with_both_colours_each_pair_has_two_boards() -> None:
    played = play_swiss(7, 3, 1, both_colours=True)

    assert all(colours(played, player) == 0 for player in range(1, 8))
    assert set(meetings(played).values()) == {2}
    assert set(Counter(board.x for board in played if board.o is None).values()) == {2}


def test_a_large_field_with_many_rounds() -> None:
    played = play_swiss(64, 12, 3)

    assert set(meetings(played).values()) == {1}
    assert all(abs(colours(played, player)) <= 2 for player in range(1, 65))


# Pools


@given(st.integers(0, 80), st.integers(1, 20), st.randoms())
def test_pools_are_even_and_ordered_by_rating(count: int, size: int, chance: Random) -> None:
    field = entrants(count)
    chance.shuffle(field)

    found = pools(field, size)

    assert sorted(entrants(count), key=lambda e: -e.rating) == [e for pool in found for e in pool]
    sizes = [len(pool) for pool in found]
    assert max(sizes) - min(sizes) <= 1
    assert count < 2 or min(sizes) >= 2


@pytest.mark.parametrize(("count", "rounds"), [(1, 1), (2, 1), (3, 2), (8, 3), (9, 4), (200, 8)])
def test_usual_number_of_rounds(count: int, rounds: int) -> None:
    assert default_rounds(count) == rounds
