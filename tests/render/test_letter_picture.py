"""Pictures in letters: the stones of a running game are stamped where they would be drawn."""

import pytest

from pbmserv.club.letter import Diagram
from pbmserv.engine.game import Game
from pbmserv.engine.position import Position, Side
from pbmserv.engine.spec import parse_game
from pbmserv.render.letter_picture import CAPTION, letter_picture
from pbmserv.render.picture import draw
from pbmserv.render.png import png_picture
from pbmserv.render.svg import Canvas
from tests.render.pictured_boards import EACH_GAME, random_position
from tests.render.test_png_palette import Pixels, pixels_of

STONES = {(0x00, 0x72, 0xB2): "X", (0xE6, 0x9F, 0x00): "O"}
MARKS = {(0xFF, 0xFF, 0xFF): "last", (0x00, 0x9E, 0x73): "corner"}
FAR = 120
MOST = 15_000


def distance(one: tuple[int, int, int], other: tuple[int, int, int]) -> int:
    return sum(abs(a - b) for a, b in zip(one, other, strict=True))


def drawn(game: Game, position: Position) -> tuple[Pixels, float]:
    """Return the picture in a letter, and how many of its pixels one of the drawing takes."""
    pixels = pixels_of(letter_picture(Diagram(game, position), MOST))
    return pixels, len(pixels[0]) / Canvas(draw(game, position, caption=CAPTION)).width


@pytest.mark.parametrize("most", [100, pytest.param(10_000, marks=pytest.mark.slow)])
@EACH_GAME
def test_each_stone_stands_in_its_place_in_its_colour(boards: list[Game], most: int) -> None:
    """On the smallest board, and on the largest of at most so many cells."""
    few = [game for game in boards if len(game.board) <= most]
    for game in (boards[0], max(few, key=lambda game: len(game.board))):
        position = random_position(game, 5, last=2)
        pixels, zoom = drawn(game, position)
        canvas = Canvas(draw(game, position, caption=CAPTION))
        for cell, place in enumerate(game.board.places):
            x, y = (pixel * zoom for pixel in canvas.at(place))
            # Beside the mark in the middle of the last stones, and the dot of an empty cell.
            beside = pixels[round(y - canvas.radius * zoom * 0.62)][round(x)]

            assert STONES.get(beside, "") == ("", "X", "O")[position.stones[cell]], (game, cell)


def test_the_last_turn_and_corners_are_marked() -> None:
    game = parse_game("starstar(size=4)")
    corners = sorted(game.board.corners)
    stones = bytearray(len(game.board))
    stones[corners[0]], stones[corners[1]] = Side.X.stone, Side.O.stone
    position = Position(bytes(stones), ply=2, last=(corners[1],))
    pixels, zoom = drawn(game, position)
    canvas = Canvas(draw(game, position, caption=CAPTION))
    marks = []
    for cell in corners[:2]:
        x, y = (round(pixel * zoom) for pixel in canvas.at(game.board.places[cell]))
        edge = round(canvas.radius * zoom)
        marks.append([MARKS.get(pixels[y - up][x], "") for up in (0, edge)])

    assert marks == [["", "corner"], ["last", "corner"]]


@pytest.mark.parametrize("spec", ["star(size=4)", "starstar(size=4)", "hex(size=4)"])
def test_a_stamped_picture_is_nearly_the_drawn_one(spec: str) -> None:
    game = parse_game(spec)
    position = random_position(game, 2)
    stamped, _ = drawn(game, position)
    whole = pixels_of(png_picture(draw(game, position, caption=CAPTION)))
    pairs = [pair for rows in zip(stamped, whole, strict=True) for pair in zip(*rows, strict=True)]
    away = sum(distance(one, other) > FAR for one, other in pairs)

    assert away < len(pairs) / 50, "at the edges of stones, by half a pixel"


@pytest.mark.slow
@pytest.mark.parametrize("owners", [False, True])
def test_a_picture_that_would_be_large_is_drawn_smaller(*, owners: bool) -> None:
    game = parse_game("polyy(size=7)")
    diagram = Diagram(game, game.start(), shows_owners=owners)
    whole_file = len(letter_picture(diagram, 100_000))
    mosts = (whole_file, whole_file - 1, 1)
    widths = [len(pixels_of(letter_picture(diagram, most))[0]) for most in mosts]
    whole = Canvas(draw(game, game.start(), owners=owners, caption=CAPTION)).width

    assert widths == [pytest.approx(whole * zoom, abs=1) for zoom in (1, 0.5, 0.4)]
