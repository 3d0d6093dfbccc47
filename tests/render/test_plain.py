from pbmserv.engine.spec import parse_game
from pbmserv.render.blocks import plain_lines


def test_plain_lines_list_stones_by_side_and_the_last_turn() -> None:
    star = parse_game("star(size=3)")

    assert plain_lines(star, star.replay(["B3", "C1", "A4"])) == [
        "Star, hexagon 3, 9 cells empty.",
        "X, 2 stones: B3 A4.",
        "O, 1 stone: C1.",
        "Last turn: A4.",
    ]


def test_plain_lines_of_an_empty_board_name_no_turn() -> None:
    star = parse_game("star(size=3)")

    assert plain_lines(star, star.start()) == [
        "Star, hexagon 3, 12 cells empty.",
        "X, 0 stones: none.",
        "O, 0 stones: none.",
    ]


def test_a_pass_is_said_to_place_no_stone() -> None:
    star = parse_game("star(size=3)")

    assert plain_lines(star, star.replay(["B3", "pass"]))[-1] == "Last turn: no stone."
