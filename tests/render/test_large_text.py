"""The board on a whole screen: cords between neighbours of a colour, and each side its player's."""

from collections.abc import Iterator

import pytest

from pbmserv.engine.game import Game
from pbmserv.engine.position import Side
from pbmserv.engine.spec import parse_game
from pbmserv.render.large_text import STROKES, draw_large
from pbmserv.render.picture import Picture, draw
from pbmserv.render.text import Role, drawn

from .pictured_boards import random_position

CORD = {Side.X: Role.EDGE_X, Side.O: Role.EDGE_O}
WITHOUT_SIDES = ("star(size=5)", "starstar(size=4)", "starweb(size=5)", "polyy(size=4)")
Place = tuple[int, int]


def a_picture(game: Game, seed: int = 0) -> Picture:
    return draw(game, random_position(game, seed))


def put(picture: Picture, scale: int) -> tuple[int, dict[Place, tuple[str, Role]]]:
    """Return by how many lines the board has moved down, and what stands where nothing stood."""
    plain, large = drawn(picture, "ascii", scale), draw_large(picture, "ascii", scale)
    down = len(large.rows) - len(plain.rows)
    before = [*([[]] * down), *plain.rows]
    found = {}
    for line, row in enumerate(large.rows):
        for column, run in enumerate(row):
            was = before[line][column] if column < len(before[line]) else None
            if was is None or was.role is Role.BLANK:
                if run.text != " ":
                    found[column, line] = run.text, run.role
            else:
                assert was == run
    assert large.places == [(column, line + down) for column, line in plain.places]
    return down, found


def between(one: Place, other: Place) -> Iterator[Place]:
    """Yield the places of the cord between two cells, the blanks beside both left free."""
    (x, y), (to_x, to_y) = sorted((one, other), key=lambda place: (place[1], place[0]))
    if y == to_y:
        yield from ((column, y) for column in range(x + 2, to_x - 1))
    for step in range(1, to_y - y):
        yield x + round((to_x - x) * step / (to_y - y)), y + step


@pytest.mark.parametrize("scale", [2, 3])
@pytest.mark.parametrize("spec", WITHOUT_SIDES)
@pytest.mark.parametrize("seed", range(3))
def test_neighbours_of_a_colour_are_joined_by_a_cord_of_it_and_no_others(
    spec: str, scale: int, seed: int
) -> None:
    picture = a_picture(parse_game(spec), seed)
    down, found = put(picture, scale)
    places = drawn(picture, "ascii", scale).places
    strokes, expected = STROKES["ascii"], dict[Place, tuple[str, Role]]()
    for one, other in picture.board.links:
        side = picture.spots[one].stone
        if side is not None and side is picture.spots[other].stone:
            (x, y), (to_x, to_y) = places[one], places[other]
            slant = (to_x - x) * (to_y - y)
            text = strokes.falling if slant > 0 else strokes.rising
            text = strokes.level if y == to_y else strokes.upright if x == to_x else text
            expected |= dict.fromkeys(between((x, y), (to_x, to_y)), (text, CORD[side]))

    assert 0 == down
    assert found.items() <= expected.items()
    standing = drawn(picture, "ascii", scale).rows
    assert {standing[y][x].role for x, y in expected.keys() - found.keys()} <= {
        *(Role.BRACKET, Role.LABEL, Role.EMPTY, Role.CORNER)
    }
    assert found


@pytest.mark.parametrize("spec", WITHOUT_SIDES)
def test_without_room_there_are_no_cords(spec: str) -> None:
    assert (0, {}) == put(a_picture(parse_game(spec)), 1)


@pytest.mark.parametrize("scale", [1, 2, 3])
@pytest.mark.parametrize("size", [3, 5, 11])
def test_x_has_the_upper_and_the_lower_side_of_hex_and_o_the_others(size: int, scale: int) -> None:
    game = parse_game(f"hex(size={size})")
    picture = draw(game, game.start())
    down, found = put(picture, scale)
    places = draw_large(picture, "ascii", scale).places
    first, last = places[:size], places[-size:]
    roles = {text: {role for told, role in found.values() if told == text} for text in "=|\\"}
    upper = {(column, first[0][1] - 1) for column in range(first[0][0] - 2, first[-1][0] + 3)}
    lower = {(column, last[0][1] + 1) for column in range(last[0][0] - 2, last[-1][0] + 3)}
    beside = {(x, y) for (x, y), (text, _) in found.items() if text == "|"}

    assert 1 == down
    assert {"=": {Role.EDGE_X}, "|": {Role.EDGE_O}} == {text: roles[text] for text in "=|"}
    assert roles["\\"] <= {Role.EDGE_O}
    assert {y for (_, y), (text, _) in found.items() if text == "="} == {
        *(first[0][1] - 1, last[0][1] + 1)
    }
    assert {place for place, (text, _) in found.items() if text == "="} == (upper | lower) - _taken(
        picture, scale, down
    )
    assert {(x + 2, y) for x, y in places[size - 1 :: size]} <= beside
    left = {(x - min(scale, 2) - 1, y) for x, y in places[::size]}
    assert left - beside <= _taken(picture, scale, down)


def _taken(picture: Picture, scale: int, down: int) -> set[Place]:
    """Return where something stands without sides and cords."""
    rows = drawn(picture, "ascii", scale).rows
    return {
        (column, line + down)
        for line, row in enumerate(rows)
        for column, run in enumerate(row)
        if run.role is not Role.BLANK
    }


@pytest.mark.parametrize("spec", ["y(size=4)", "y(size=9)"])
def test_the_sides_of_y_are_nobodys(spec: str) -> None:
    game = parse_game(spec)
    _, found = put(draw(game, game.start()), 2)

    assert found
    assert {Role.EDGE} == {role for _, role in found.values()}
