import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.engine.games.starweb import Starweb
from pbmserv.engine.position import Side
from pbmserv.engine.score import Outcome, Reason
from pbmserv.engine.spec import format_game, parse_game
from pbmserv.errors import Misunderstood

from .random_stones import full_boards, partial_boards

STANDARD_ROWS = [4, 5, 6, 13, 14, 15, 16, 15, 14, 13, 14, 15, 16, 15, 14, 13, 6, 5, 4]


def test_the_standard_board_has_217_cells_and_18_corners() -> None:
    board = Starweb().board
    rows = [int(name[1:]) for name in board.names]

    assert [rows.count(row) for row in range(1, 20)] == STANDARD_ROWS
    assert len(board) == 217
    assert len(board.corners) == 18


@pytest.mark.parametrize("size", range(4, 14))
def test_every_board_has_the_cells_that_the_formula_counts(size: int) -> None:
    for notch in range(1, (size - 2) // 2 + 1):
        board = Starweb(size, notch).board

        assert len(board) == 3 * size * (size - 1) + 1 - 6 * notch * notch
        assert len(board.corners) == 18


@pytest.mark.parametrize("size", range(4, 14))
def test_the_notch_is_a_third_of_the_size_unless_chosen(size: int) -> None:
    game = parse_game(f"starweb(size={size})")

    assert game == Starweb(size, size // 3)
    assert format_game(game) == f"starweb(size={size},notch={size // 3})"


@pytest.mark.parametrize(("size", "notch"), [(10, 5), (13, 6), (9, 4)])
def test_a_notch_must_leave_two_cells_of_every_side(size: int, notch: int) -> None:
    with pytest.raises(Misunderstood) as refusal:
        Starweb(size, notch)

    assert f"1 to {min(5, (size - 2) // 2)}" in refusal.value.message


@pytest.mark.parametrize("notch", [0, 2, -1])
def test_every_board_has_a_notch(notch: int) -> None:
    with pytest.raises(Misunderstood) as refusal:
        Starweb(4, notch)

    assert "-notch (1" in refusal.value.message


@pytest.mark.parametrize(("count", "points"), [(1, 1), (2, 3), (3, 6), (4, 10), (18, 171)])
def test_a_group_earns_more_for_every_further_corner(count: int, points: int) -> None:
    game = Starweb()
    corners = [game.board.names[cell] for cell in game.board.corners]
    stones = [name for name in game.board.names if name not in corners[count:]]
    score = game.score(game.position_of({Side.X: stones}))

    assert score.points == {Side.X: points, Side.O: 0}
    assert score.details["groups"]["X"] == [
        {"cells": stones, "corners": count, "corner_cells": corners[:count], "points": points}
    ]


FIRST, SECOND = "A5", "B7"
"""Two corners of the board of size 4, far from one another."""


@pytest.mark.parametrize(
    ("moves", "winner"),
    [
        (f"{FIRST} {SECOND} pass pass", Side.O),
        (f"{FIRST} swap {SECOND} pass pass", Side.O),
        (f"pass {FIRST} {SECOND} pass pass", Side.X),
        (f"pass {FIRST} pass {SECOND} D4 pass pass", None),  # no tie: two corners to nothing
        ("pass D4 pass pass", Side.X),
        ("D4 pass pass", Side.O),
        ("pass pass", None),
    ],
)
def test_equal_points_are_won_by_the_side_without_the_first_stone(
    moves: str, winner: Side | None
) -> None:
    game = Starweb(4)
    end = game.replay(moves.split())
    score, outcome = game.score(end), game.outcome(end)

    assert outcome is not None
    if score.points[Side.X] == score.points[Side.O]:
        assert (winner, winner) == (score.winner, outcome.winner)
        assert bool(score.notes) == (winner is not None)
        assert all(f"With equal points {winner} wins" in note for note in score.notes)
    else:
        assert winner is None
        assert outcome.winner is Side.O


@pytest.mark.parametrize(
    ("x", "o", "winner"),
    [([FIRST], [SECOND], Side.O), ([], ["D4"], Side.X), (["D4"], [], Side.O), ([], [], Side.O)],
)
def test_in_a_typed_position_x_has_the_first_stone_if_any(
    x: list[str], o: list[str], winner: Side
) -> None:
    game = Starweb(4)
    score = game.score(game.position_of({Side.X: x, Side.O: o}))

    assert winner is score.winner


def test_a_tie_that_an_earlier_version_gave_to_o_may_stay() -> None:
    game = Starweb(4)
    tie = game.replay(f"pass {FIRST} {SECOND} pass pass".split())
    won = game.replay(["E1", "D4", "pass", "pass"])
    bare = game.replay(["pass", "pass"])
    o_wins, x_wins = (Outcome(side, Reason.TWO_PASSES) for side in (Side.O, Side.X))

    assert game.may_end(tie, o_wins)
    assert game.may_end(tie, x_wins)
    assert game.may_end(bare, o_wins)
    assert not game.may_end(bare, x_wins)
    assert not game.may_end(won, o_wins)
    assert not game.may_end(tie, Outcome(Side.O, Reason.FULL_BOARD))


def test_the_sheet_gives_every_group_with_its_corners() -> None:
    game = Starweb(4)
    score = game.score(game.position_of({Side.X: ["E1", "F1", "A5"], Side.O: ["D4"]}))
    lines = [(line.side.value, line.points, line.why) for line in score.sheet]

    assert lines == [
        ("X", 3, "2 corners, 2 x 3 / 2: E1 F1"),
        ("X", 1, "1 corner: A5"),
        ("O", 0, "holds no corner"),
    ]
    assert [web["corners"] for web in score.details["groups"]["X"]] == [2, 1]
    assert score.details["groups"]["O"] == []
    assert [points for _, _, points in score.earned] == [3, 1]


def test_at_most_five_corners_are_named_in_a_line() -> None:
    game = Starweb(4)
    for count in (5, 6):
        corners = {*game.board.corners[count:]}
        stones = [name for at, name in enumerate(game.board.names) if at not in corners]
        (line,) = game.score(game.position_of({Side.X: stones})).sheet

        assert line.why.partition(":")[0] == f"{count} corners, {count} x {count + 1} / 2"
        assert bool(line.why.partition(":")[2]) == (count == 5)


@pytest.mark.parametrize(
    ("moves", "notes"),
    [
        ("", 0),
        ("D4", 0),
        ("D4 pass", 0),
        ("D4 E4", 1),
        ("D4 pass pass", 1),
        ("pass D4", 0),
        ("pass D4 E4", 1),
    ],
)
def test_who_has_no_stone_is_not_told_to_win_a_tie_of_a_running_game(
    moves: str, notes: int
) -> None:
    game = Starweb(4)

    assert len(game.score(game.replay(moves.split())).notes) == notes


@pytest.mark.costly
@given(data=st.data(), size=st.integers(4, 13))
def test_no_board_that_was_typed_in_is_a_draw(data: st.DataObject, size: int) -> None:
    game = Starweb(size)
    position = data.draw(full_boards(game) | partial_boards(game))
    score = game.score(position)

    assert score.winner is not None
    if score.points[Side.X] == score.points[Side.O]:
        is_first = bool(position.cells_of(Side.O)) and not position.cells_of(Side.X)
        assert (Side.X if is_first else Side.O) is score.winner
    assert sum(score.points.values()) == sum(line.points for line in score.sheet)


@pytest.mark.parametrize(("komi", "winner", "points"), [(-1, "X", (4, 2)), (1, "O", (2, 4))])
def test_komi_goes_to_o_and_comes_from_x_also_in_a_tie(
    komi: int, winner: str, points: tuple[int, int]
) -> None:
    stones = {Side.X: ["E1", "F1"], Side.O: ["B7", "C7"]}
    plain, game = Starweb(4), Starweb(4, komi=komi)
    even, score = (each.score(each.position_of(stones)) for each in (plain, game))

    assert Side.O is even.winner, "the tie"
    assert dict(zip(Side, points, strict=True)) == score.points
    assert winner == score.winner
    assert not score.notes
    assert [-komi, komi] == [line.points for line in score.sheet if line.title == "komi"]


def test_a_tie_that_komi_makes_goes_to_o() -> None:
    game = Starweb(4, komi=1)
    score = game.score(game.position_of({Side.X: ["E1", "F1"], Side.O: ["C7"]}))

    assert {Side.X: 2, Side.O: 2} == score.points
    assert Side.O is score.winner
    assert "With equal points O wins" in score.notes[0]
