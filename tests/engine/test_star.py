import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.engine.games.star import Star
from pbmserv.engine.position import Side
from pbmserv.engine.spec import format_game
from pbmserv.errors import Misunderstood

from .random_stones import full_boards
from .vectors import position_of, vector

HELP_PAGE = "H1 I1 H2 H3 J3 H4 I4 H5 A6 G6 C7 G7 C8 G8 G9 B10 F10"
CONSTANTS = {
    3: (12, 15, 13),
    4: (27, 21, 19),
    5: (48, 27, 25),
    6: (75, 33, 31),
    7: (108, 39, 37),
    8: (147, 45, 43),
    9: (192, 51, 49),
    10: (243, 57, 55),
    11: (300, 63, 61),
    12: (363, 69, 67),
    13: (432, 75, 73),
    14: (507, 81, 79),
}


@pytest.mark.parametrize("size", CONSTANTS)
def test_boards_and_sums_are_those_of_the_rules(size: int) -> None:
    cells, externals, total = CONSTANTS[size]
    star = Star(size)
    one_colour = star.position_of({Side.X: star.board.names})
    (whole,) = star.chains(one_colour, Side.X)

    assert cells == len(star.board)
    assert externals == whole.externals
    assert star.score(one_colour).points == {Side.X: total, Side.O: 0}
    assert star.full_board_sum == total


@pytest.mark.parametrize("size", CONSTANTS)
def test_two_point_corners_take_six_away(size: int) -> None:
    star = Star(size, corners=2)
    one_colour = star.position_of({Side.O: star.board.names})

    assert star.score(one_colour).points == {Side.X: 0, Side.O: 6 * size - 11}
    assert star.full_board_sum == 6 * size - 11


def test_the_help_page_example_is_worth_8() -> None:
    star = Star()
    score = star.score(star.position_of({Side.O: HELP_PAGE.split()}))
    chains = [(chain["externals"], chain["points"]) for chain in score.details["chains"]["O"]]

    assert score.points == {Side.X: 0, Side.O: 8}
    assert score.winner is Side.O
    assert chains == [(9, 7), (3, 1), (2, 0)]
    assert score.details["inner_chains"] == {"X": [], "O": [["C7", "C8"]]}


@pytest.mark.parametrize(("corners", "points"), [(3, {"X": 17, "O": 14}), (2, {"X": 14, "O": 11})])
def test_the_encyclopedia_example_is_17_to_14(corners: int, points: dict[str, int]) -> None:
    star = Star(corners=corners)
    position = position_of(star, vector("star/wikipedia-5x6/3pt")["stones"])
    score = star.score(position)

    assert score.full
    assert score.points == points
    assert score.winner is Side.X


def test_the_sheet_names_every_chain_with_what_it_earns() -> None:
    star = Star()
    score = star.score(star.position_of({Side.O: HELP_PAGE.split()}))
    lines = [(line.title, line.points, line.why) for line in score.sheet]
    cells = {cell for line in score.sheet for cell in line.cells}

    assert lines == [
        ("chain", 7, "touches 9 externals, minus 2"),
        ("chain", 1, "touches 3 externals, minus 2"),
        ("chain", 0, "touches 2 externals, minus 2"),
        ("inner chain", 0, "touches no external"),
    ]
    assert star.board.sorted_names(cells) == HELP_PAGE.split()
    assert all(line.lesson for line in score.sheet)


def test_an_external_between_both_colours_counts_for_both() -> None:
    star = Star()
    score = star.score(star.position_of({Side.X: ["G1"], Side.O: ["F1"]}))
    externals = {side: score.details["chains"][side][0]["externals"] for side in "XO"}

    assert externals == {"X": 2, "O": 3}


def test_maxi_counts_the_best_chain_only() -> None:
    found = vector("star/maxi-against-total/3pt")
    plain, maxi = Star(), Star(maxi=True)

    assert plain.score(position_of(plain, found["stones"])).winner is Side.O
    assert maxi.score(position_of(maxi, found["stones"])).winner is Side.X
    assert maxi.score(position_of(maxi, found["stones"])).points == {Side.X: 3, Side.O: 1}


def test_maxi_breaks_ties_by_the_second_best_chain() -> None:
    found = vector("star/maxi-second-best/2pt")
    maxi = Star(maxi=True, corners=2)
    score = maxi.score(position_of(maxi, found["stones"]))

    assert score.points == {Side.X: 2, Side.O: 2}
    assert score.details["maxi"] == {"X": [2, 1], "O": [2]}
    assert score.winner is Side.X


def test_maxi_with_identical_lists_is_a_draw() -> None:
    found = vector("star/maxi-tie/3pt")
    maxi = Star(maxi=True)

    assert maxi.score(position_of(maxi, found["stones"])).is_draw


@given(data=st.data(), size=st.integers(3, 14), corners=st.sampled_from((2, 3)))
def test_full_boards_add_up_and_are_never_drawn(
    data: st.DataObject, size: int, corners: int
) -> None:
    star = Star(size, corners=corners)
    position = data.draw(full_boards(star))
    score = star.score(position)
    maxi = Star(size, maxi=True, corners=corners).score(position)

    assert sum(score.points.values()) == (6 * size - 5 if corners == 3 else 6 * size - 11)
    assert score.winner is not None
    assert maxi.winner is not None


@pytest.mark.parametrize("komi", [-3, -1, 1, 4])
def test_komi_goes_to_o_and_comes_from_x(komi: int) -> None:
    stones = {Side.O: HELP_PAGE.split(), Side.X: ["F4", "F5", "F6"]}
    plain = Star(6).score(Star(6).position_of(stones))
    game = Star(6, komi=komi)
    score = game.score(game.position_of(stones))
    given = [(line.side, line.points, line.why) for line in score.sheet if line.title == "komi"]

    assert score.points == {
        Side.X: plain.points[Side.X] - komi,
        Side.O: plain.points[Side.O] + komi,
    }
    assert given == [(Side.X, -komi, f"-komi={komi}"), (Side.O, komi, f"-komi={komi}")]
    assert score.points == {
        side: sum(line.points for line in score.sheet if line.side is side) for side in Side
    }
    assert game.full_board_sum == Star(6).full_board_sum
    assert not game.allows_swap
    assert not game.is_colour_symmetric
    assert "star(size=6,komi=" in format_game(game)
    assert not any(line.title == "komi" for line in Star(6).score(game.start()).sheet)


@pytest.mark.parametrize(("o", "winners"), [(["A4"], "XdrawO"), (["A4", "F1"], "XOO")])
def test_one_point_of_komi_breaks_a_tie_and_turns_a_lead_of_one(o: list[str], winners: str) -> None:
    found = ""
    for komi in (-1, 0, 1):
        game = Star(4, komi=komi)
        found += game.score(game.position_of({Side.X: ["D1"], Side.O: o})).verdict or "nobody"

    assert winners == found


@pytest.mark.parametrize("komi", [-1, 1])
def test_maxi_star_has_no_komi(komi: int) -> None:
    with pytest.raises(Misunderstood) as refused:
        Star(6, maxi=True, komi=komi)

    assert refused.value.message.startswith("Maxi-Star has no komi")
    assert Star(6, maxi=True, komi=0) == Star(6, maxi=True)
