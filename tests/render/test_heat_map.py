from pbmserv.engine.spec import parse_game
from pbmserv.render.heat_map import heat_lines


def test_the_digits_are_first_moves_and_explained() -> None:
    game = parse_game("starstar(size=4)")

    assert heat_lines(game, {"A31": 18, "R40": 2, "pass": 3}) == [
        "               A",
        "               +  1",
        "         3  .  .  .  2",
        "      2  .  .  .  9  .  3",
        "   1  .  .  .  .  .  .  .",
        "T  +  .  .  .     .  .  .  1  R",
        "    .  .  .  .   .  .  .  .  1",
        "  3  .  .  .   .   .  .  .  2",
        "   2  .  .   .   .   .  .  3",
        "    1  +   .   .   .   +",
        "     S       3   2   1   *",
        "",
        "+ empty corner; the bridge joins the five cells in the middle",
        "",
        "Digits show how often a game began on that cell, from 1 to 9;",
        "9 is the most frequent first move (18 times).",
        "",
        "Other first moves: pass 3",
    ]


def test_a_board_that_nobody_has_begun_has_nothing_to_explain() -> None:
    game = parse_game("star(size=3)")

    assert heat_lines(game, {})[-1] == "         A B C"
