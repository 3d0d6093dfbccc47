import pytest

from pbmserv.club.written_text import WIDTH, wrap_line
from pbmserv.engine.game import Game
from pbmserv.engine.position import Position, Side
from pbmserv.engine.spec import parse_game
from pbmserv.render.picture import draw
from pbmserv.render.text import Grid, Role, drawn, text_picture
from tests.render.pictured_boards import EACH_GAME, random_position, read_picture

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

    assert picture.split("\n")[5] == "6-   . . . X O[X]. . . ."
    assert picture.count("[") == 1


@pytest.mark.parametrize(
    ("cell", "line"),
    [
        ("F1", "     1-  [X]. . . ."),
        ("J1", "     1-   . . . .[X]"),
        ("A6", "6-  [X]. . . . . . . . ."),
        ("J6", "6-   . . . . . . . . .[X]"),
        ("A10", "   10-  [X]. . . . .   \\ I"),
        ("F10", "   10-   . . . . .[X]  \\ I"),
    ],
)
def test_brackets_fit_at_both_ends_of_a_row(cell: str, line: str) -> None:
    star = parse_game("star(size=6)")
    picture = text_picture(draw(star, star.replay([cell])))

    assert line in picture.split("\n")


def test_the_last_two_stones_of_a_lattice_share_a_bar_when_they_touch() -> None:
    star = parse_game("star(size=6)")
    stones = star.position_of({Side.X: ["D6", "E6"]}).stones
    last = tuple(star.board.index[name] for name in ("E6", "D6"))
    lines = text_picture(draw(star, Position(stones, last=last))).split("\n")

    assert lines[5] == "6-   . . .[X|X]. . . . ."


def test_unicode_has_other_stones_in_the_same_places() -> None:
    star = parse_game("star(size=4)")
    picture = draw(star, star.replay(["D4", "E4"]))
    translated = str.maketrans(".XO", "·●○")

    assert text_picture(picture).translate(translated) == text_picture(picture, "unicode")


@pytest.mark.costly(stay=1)
@EACH_GAME
def test_every_board_fits_78_columns_whatever_is_marked(boards: list[Game]) -> None:
    for game in boards:
        everywhere = random_position(game, 4, last=len(game.board))
        pictures = [
            draw(game, game.start()),
            draw(game, everywhere),
            *(draw(game, random_position(game, seed), owners=True) for seed in range(3)),
        ]
        lines = [line for picture in pictures for line in text_picture(picture).split("\n")]

        assert max(map(len, lines)) <= WIDTH, game
        assert [line.rstrip() for line in lines] == lines, game


@pytest.mark.costly(stay=1)
@EACH_GAME
def test_every_cell_has_blanks_on_both_sides_for_marks(boards: list[Game]) -> None:
    for game in boards:
        for owners in (False, True):
            picture = draw(game, random_position(game, 2), owners=owners)
            grid = Grid(game.board, picture.labels, picture.owned)
            cells = grid.locate(spot.point for spot in picture.spots)
            beside = {(column + step, line) for column, line in cells for step in (-1, 1)}
            kept = beside.union(cells)
            written = [
                (column - offset, line)
                for label in picture.labels
                for column, line in grid.locate([label.point])
                for offset in range(len(label.text))
            ]
            written += grid.locate(external.point for external in picture.owned.externals)

            assert len(game.board) == len(set(cells)), game
            assert beside.isdisjoint(cells), game
            assert kept.isdisjoint(written), game
            assert len(set(written)) == len(written), game


@pytest.mark.costly(stay=1)
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


def test_a_star_has_no_marked_corners() -> None:
    assert parse_game("star(size=6)").board.corners == ()


def test_no_number_is_parted_from_its_name_however_narrow_a_text_is() -> None:
    text = "Score now: X: 10 O: -12 X is ahead by 22 after move 14, X's chance is 61 % of all"
    for width in range(12, 90):
        lines = wrap_line(text, width, "  ")

        assert text == " ".join(line.strip() for line in lines)
        assert width >= max(map(len, lines))
        assert not any(line.endswith(("X:", "O:", "by", "move", "61")) for line in lines)
    assert [""] == wrap_line("", 12)


@pytest.mark.costly(stay=1)
@EACH_GAME
@pytest.mark.parametrize("has_owners", [False, True])
@pytest.mark.parametrize("scale", [1, 2])
def test_each_character_is_known_by_what_it_stands_for(
    boards: list[Game],
    has_owners: bool,  # noqa: FBT001
    scale: int,
) -> None:
    for game in boards:
        picture = draw(game, random_position(game, 3), owners=has_owners)
        rows, places = drawn(picture, "ascii", scale)
        for spot, (column, line) in zip(picture.spots, places, strict=True):
            run = rows[line][column]
            stones = {Side.X: (Role.X, Role.LAST_X), Side.O: (Role.O, Role.LAST_O)}
            if spot.stone is not None:
                assert stones[spot.stone][spot.is_last] is run.role
                assert run.on_corner is spot.is_corner
            elif spot.owner is not None:
                assert run.role is (Role.OWNED_X if spot.owner is Side.X else Role.OWNED_O)
            else:
                assert run.role is (Role.CORNER if spot.is_corner else Role.EMPTY)
        cells = {*places}
        beside = [
            run
            for line, row in enumerate(rows)
            for column, run in enumerate(row)
            if (column, line) not in cells and run.text != " "
        ]
        signs = {"[": Role.BRACKET, "]": Role.BRACKET, "|": Role.BRACKET, "&": Role.BOTH}
        signs |= {"x": Role.OWNED_X, "o": Role.OWNED_O, "'": Role.EMPTY}

        assert all(signs.get(run.text, run.role) is run.role for run in beside)
        assert {run.role for run in beside if run.text.isupper()} <= {Role.LABEL}
        assert all(run.role is Role.BLANK for row in rows for run in row if run.text == " ")
