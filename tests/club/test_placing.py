"""Standings with their tie-breaks, and the cross-table."""

from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.club.pairing import Encounter, Entrant, round_robin
from pbmserv.club.tournament_standings import CrossTable, cross_table, format_cell, standings

FIELD = [Entrant(1, "alice", 1500), Entrant(2, "bob", 1500), Entrant(3, "carol", 1500)]


def test_points_decide_first() -> None:
    boards = [Encounter(1, 1, 2, 0.0), Encounter(2, 3, 2, 0.5), Encounter(3, 1, 3, 0.0)]

    table = standings(FIELD, boards)

    assert [(line.place, line.entrant.userid, line.points) for line in table] == [
        (1, "bob", 1.5),
        (1, "carol", 1.5),
        (3, "alice", 0.0),
    ]
    assert [(line.won, line.drawn, line.lost) for line in table] == [
        (1, 1, 0),
        (1, 1, 0),
        (0, 0, 2),
    ]


def test_sonneborn_berger_decides_next() -> None:
    field = [*FIELD, Entrant(4, "dave", 1500)]
    # Alice beats Bob, who has 2 points; Dave, who has as many as Alice, beats Carol, who has none.
    boards = [
        Encounter(1, 1, 2, 1.0),
        Encounter(1, 2, 3, 1.0),
        Encounter(2, 2, 3, 1.0),
        Encounter(2, 4, 3, 1.0),
    ]

    table = standings(field, boards)

    assert [(line.entrant.userid, line.points, line.sonneborn_berger) for line in table] == [
        ("bob", 2.0, 0.0),
        ("alice", 1.0, 2.0),
        ("dave", 1.0, 0.0),
        ("carol", 0.0, 0.0),
    ]
    assert [1, 2, 3, 4] == [line.place for line in table]


def test_the_direct_encounter_decides_last() -> None:
    field = [*FIELD, Entrant(4, "dave", 1500)]
    # Dave and Alice have equal points and Sonneborn-Berger; Dave has beaten Alice.
    boards = [
        Encounter(1, 4, 1, 1.0),
        Encounter(1, 2, 3, 1.0),
        Encounter(2, 2, 4, 1.0),
        Encounter(2, 3, 1, 0.0),
        Encounter(3, 4, 3, 0.5),
        Encounter(3, 1, 2, 0.5),
    ]

    table = standings(field, boards)

    assert [
        (line.place, line.entrant.userid, line.points, line.sonneborn_berger, line.direct)
        for line in table
    ] == [
        (1, "bob", 2.5, 2.75, 0.0),
        (2, "dave", 1.5, 1.75, 1.0),
        (3, "alice", 1.5, 1.75, 0.0),
        (4, "carol", 0.5, 0.75, 0.0),
    ]


def test_who_is_equal_in_everything_shares_a_place() -> None:
    circle = [Encounter(1, 2, 1, 1.0), Encounter(2, 1, 3, 1.0), Encounter(3, 3, 2, 1.0)]

    assert [(1, 1.0)] * 3 == [(line.place, line.direct) for line in standings(FIELD, circle)]


def test_direct_points_count_only_if_all_equals_have_met() -> None:
    pair = FIELD[:2]
    won_both = [Encounter(1, 1, 2, 1.0), Encounter(1, 2, 1, 1.0)]
    half_played = [Encounter(1, 1, 2, None)]

    assert [1.0, 1.0] == [line.direct for line in standings(pair, won_both)]
    assert [0.0, 0.0] == [line.direct for line in standings(pair, half_played)]


def test_equals_who_still_play_one_another_have_not_met() -> None:
    field = [*FIELD, Entrant(4, "dave", 1500), Entrant(5, "erin", 1500)]
    # Alice, Bob and Carol have a point from somebody with one each; of them Alice has beaten Bob.
    boards = [
        *(Encounter(1, 1, 2, 1.0), Encounter(1, 2, 4, 1.0), Encounter(1, 3, 4, 1.0)),
        *(Encounter(2, 4, 5, 1.0), Encounter(3, 2, 3), Encounter(3, 3, 1)),
    ]
    table = standings(field, boards)

    assert [1, 1, 1, 4, 5] == [line.place for line in table]
    assert [(1.0, 1.0, 0.0)] * 3 == [
        (line.points, line.sonneborn_berger, line.direct) for line in table[:3]
    ]


@pytest.mark.parametrize("userids", [("bob", "Alice", "carol"), ("Bob", "alice", "Carol")])
def test_who_is_equal_in_everything_stands_by_name_in_whatever_letter_case(
    userids: tuple[str, ...],
) -> None:
    table = standings([Entrant(n, name, 1500.0 + n) for n, name in enumerate(userids)], [])

    assert sorted(userids, key=str.lower) == [line.entrant.userid for line in table]
    assert [1, 1, 1] == [line.place for line in table]


def test_a_bye_is_a_point_without_an_opponent() -> None:
    (line, *_) = standings(FIELD, [Encounter(1, 3, None, 1.0)])

    assert (line.entrant.userid, line.points, line.byes, line.won) == ("carol", 1.0, 1, 0)
    assert line.sonneborn_berger == 0


def test_cross_table() -> None:
    boards = [
        Encounter(1, 1, 2, 1.0),
        Encounter(1, 2, 1, 0.5),
        Encounter(2, 3, 1, 0.0),
        Encounter(2, 2, 3, None),
    ]

    table = cross_table(FIELD, boards)

    assert ["alice", "bob", "carol"] == [line.entrant.userid for line in table.standings]
    assert texts(table) == [["", "1½", "1"], ["0½", "", "."], ["0", ".", ""]]


def texts(table: CrossTable) -> list[list[str]]:
    return [[format_cell(cell) for cell in row] for row in table.cells]


def test_every_result_of_three() -> None:
    for scores in product([1.0, 0.5, 0.0, None], repeat=3):
        check_table_of_three(scores)


def check_table_of_three(scores: tuple[float | None, ...]) -> None:
    boards = [
        Encounter(board.round, board.x, board.o, score)
        for board, score in zip(round_robin([1, 2, 3]), scores, strict=True)
    ]

    table = standings(FIELD, boards)

    over = sum(score is not None for score in scores)
    assert sum(line.points for line in table) == over
    assert sum(line.won for line in table) == sum(line.lost for line in table)
    merits = [(line.points, line.sonneborn_berger, line.direct) for line in table]
    assert merits == sorted(merits, reverse=True)
    for line, merit in zip(table, merits, strict=True):
        assert line.place == 1 + merits.index(merit)


@given(st.integers(2, 9), st.integers(0, 10**6), st.booleans())
def test_cells_mirror_one_another(count: int, seed: int, both: bool) -> None:  # noqa: FBT001
    chance = Random(seed)
    field = [Entrant(number, f"p{number}", 1500) for number in range(1, count + 1)]
    boards = [
        Encounter(board.round, board.x, board.o, chance.choice([1.0, 0.5, 0.0, None]))
        for board in round_robin(range(1, count + 1), both_colours=both)
    ]

    table = cross_table(field, boards)

    for row, line in enumerate(table.standings):
        scores = [score for cell in table.cells[row] for score in cell if score is not None]
        assert sum(scores) == line.points
        assert table.cells[row][row] == ()
        for column in range(count):
            mirrored = tuple(
                None if score is None else 1 - score for score in table.cells[column][row]
            )
            assert table.cells[row][column] == mirrored
