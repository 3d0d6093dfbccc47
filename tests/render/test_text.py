import pytest

from pbmserv.engine.board import Label, Place
from pbmserv.engine.game import Game
from pbmserv.engine.position import Position, Side
from pbmserv.engine.spec import parse_game
from pbmserv.render.picture import Picture, Spot, draw
from pbmserv.render.text import Points, text_picture
from tests.render.boards import EACH_GAME, random_position, read_picture

EMPTY_STAR = r"""
           1-   . . . . .
          2-   . . . . . .
         3-   . . . . . . .
        4-   . . . . . . . .
       5-   . . . . . . . . .
      6-   . . . . . . . . . .
       7-   . . . . . . . . .
        8-   . . . . . . . .   \
         9-   . . . . . . .   \ J
         10-   . . . . . .   \ I
                            \ H
                 \ \ \ \ \ \ G
                  A B C D E F
""".strip("\n")


def test_star_of_size_6_is_drawn_as_the_rules_draw_it() -> None:
    star = parse_game("star(size=6)")

    assert text_picture(draw(star, star.start())) == EMPTY_STAR


def test_stones_and_brackets_take_the_place_of_dots_and_blanks() -> None:
    star = parse_game("star(size=6)")
    picture = text_picture(draw(star, star.replay(["D6", "E6", "F6"])))

    assert picture.split("\n")[5] == "      6-   . . . X O[X]. . . ."
    assert picture.count("[") == 1


@pytest.mark.parametrize(
    ("cell", "line"),
    [
        ("F1", "           1-  [X]. . . ."),
        ("J1", "           1-   . . . .[X]"),
        ("A6", "      6-  [X]. . . . . . . . ."),
        ("J6", "      6-   . . . . . . . . .[X]"),
        ("A10", "         10-  [X]. . . . .   \\ I"),
        ("F10", "         10-   . . . . .[X]  \\ I"),
    ],
)
def test_brackets_fit_at_both_ends_of_a_row(cell: str, line: str) -> None:
    star = parse_game("star(size=6)")
    picture = text_picture(draw(star, star.replay([cell])))

    assert line in picture.split("\n")


@pytest.mark.parametrize("size", range(3, 15))
def test_every_star_is_built_like_that_of_size_6(size: int) -> None:
    star = parse_game(f"star(size={size})")
    lines = text_picture(draw(star, star.start())).split("\n")
    widths = [2 * size - 2 - abs(size - row) for row in range(1, 2 * size - 1)]
    firsts = [
        2 * max(size - row, 0) + row + 5  # column 2c + r + 5 of the first cell
        for row in range(1, 2 * size - 1)
    ]

    assert widths == [line.count(".") for line in lines[: 2 * size - 2]]
    assert firsts == [line.index(".") for line in lines[: 2 * size - 2]]
    assert firsts == [line.index("-") + 4 for line in lines[: 2 * size - 2]]
    assert len(lines) == 2 * size + 1


def test_the_last_two_stones_of_a_lattice_share_a_bar_when_they_touch() -> None:
    star = parse_game("star(size=6)")
    stones = star.position_of({Side.X: ["D6", "E6"]}).stones
    last = tuple(star.board.index[name] for name in ("E6", "D6"))
    lines = text_picture(draw(star, Position(stones, last=last))).split("\n")

    assert lines[5] == "      6-   . . .[X|X]. . . . ."


def test_unicode_has_other_stones_in_the_same_places() -> None:
    star = parse_game("star(size=4)")
    picture = draw(star, star.replay(["D4", "E4"]))
    translated = str.maketrans(".XO", "·●○")

    assert text_picture(picture).translate(translated) == text_picture(picture, "unicode")


@EACH_GAME
def test_every_board_fits_a_page(boards: list[Game]) -> None:
    for game in boards:
        lines = text_picture(draw(game, game.start())).split("\n")

        assert max(map(len, lines)) <= 100, game
        assert len(lines) <= 52, game
        assert [line.rstrip() for line in lines] == lines, game


@EACH_GAME
def test_every_cell_has_its_own_character_with_room_for_brackets(boards: list[Game]) -> None:
    for game in boards:
        picture = draw(game, game.start())
        points = Points(picture)
        found = {points.of(spot.place) for spot in picture.spots}
        beside = {(column + step, line) for column, line in found for step in (-1, 1)}

        assert len(game.board) == len(found), game
        assert found.isdisjoint(beside), game


@EACH_GAME
def test_no_label_hides_a_cell_or_its_brackets(boards: list[Game]) -> None:
    for game in boards:
        picture = draw(game, game.start())
        points = Points(picture)
        kept = {
            (column + step, line)
            for column, line in (points.of(spot.place) for spot in picture.spots)
            for step in (-1, 0, 1)
        }
        written = [
            (column - offset, line)
            for label in picture.labels
            for column, line in [points.of(label.place)]
            for offset in range(len(label.text))
        ]

        assert kept.isdisjoint(written), game
        assert len(set(written)) == len(written), game


@EACH_GAME
def test_the_stones_and_the_last_turn_can_be_read_back(boards: list[Game]) -> None:
    for game in boards:
        for seed in range(3):
            position = random_position(game, seed, last=1 + seed)
            picture = draw(game, position)

            expected = (position.stones, set(position.last))

            assert expected == read_picture(game, text_picture(picture)), game


def test_every_cell_in_brackets_can_be_read_back() -> None:
    for game in (parse_game("star(size=3)"), parse_game("y(size=26)")):
        position = random_position(game, 1)
        everything = Position(position.stones, last=tuple(range(len(game.board))))

        assert read_picture(game, text_picture(draw(game, everything))) == (
            position.stones,
            set(everything.last),
        )


def test_corners_and_their_owners_are_marked_and_explained() -> None:
    spots = (
        Spot("A10", Place(0, 0), is_corner=True),
        Spot("A11", Place(2, 0), is_corner=True, owner=Side.O),
        Spot("A12", Place(4, 0), Side.O, is_last=True, is_corner=True, owner=Side.X),
    )
    picture = Picture("corners", spots, (), (Label("1-", Place(-2, 0)),), (0.5, 1))

    assert text_picture(picture) == (
        "1-   +  o+ x[O]\n\n+ empty corner; x, o before a corner: its owner"
    )


def test_a_star_has_no_marked_corners() -> None:
    assert parse_game("star(size=6)").board.corners == ()
