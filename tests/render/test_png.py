from io import BytesIO
from typing import Any

import pytest
import resvg_py
from PIL import Image

from pbmserv.club.letter import Diagram
from pbmserv.engine.game import Game
from pbmserv.engine.spec import parse_game
from pbmserv.render.colours import LIGHT
from pbmserv.render.geometry import geometry_of
from pbmserv.render.picture import Picture, draw
from pbmserv.render.png import MIN_WIDTH, WIDTH, letter_picture, png_picture
from tests.render.pictured_boards import EACH_GAME, random_position

COLOURS = {LIGHT.x: "X", LIGHT.o: "O", LIGHT.o_light: "O", LIGHT.x_light: "X"}


def a_picture() -> Picture:
    star = parse_game("star(size=4)")
    return draw(star, star.replay(["D4", "E4", "C4"]))


def pixels_of(png: bytes) -> Image.Image:
    return Image.open(BytesIO(png)).convert("RGBA")


def nearest(pixel: tuple[int, ...]) -> str:
    """Return whose colour is nearest to that of a pixel, nothing where a tile's is."""

    def away(colour: str) -> int:
        channels = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
        return sum(abs(one - other) for one, other in zip(channels, pixel, strict=False))

    tiles = dict.fromkeys((LIGHT.tile, LIGHT.shaded, LIGHT.ray), "")
    found = {**COLOURS, **tiles}
    return found[min(found, key=away)]


def test_a_png_has_the_size_of_the_svg_times_zoom() -> None:
    once, twice = (pixels_of(png_picture(a_picture(), zoom=zoom)).size for zoom in (1, 2))

    assert twice == (2 * once[0], 2 * once[1])


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("most", [100, pytest.param(10_000, marks=pytest.mark.slow)])
@EACH_GAME
def test_each_stone_of_a_letter_stands_in_its_place_in_its_colour(
    boards: list[Game], most: int
) -> None:
    """On the smallest board, and on the largest of at most so many cells."""
    few = [game for game in boards if len(game.board) <= most]
    for game in (boards[0], max(few, key=lambda game: len(game.board))):
        position = random_position(game, 5, last=2)
        picture = pixels_of(letter_picture(Diagram(game, position), 200_000))
        ground, box = geometry_of(game), geometry_of(game).box()
        zoom = picture.width / box.width
        for cell, (x, y) in enumerate(ground.middles):
            # Beside the mark in the middle of the last stones, and outside the ring of O.
            off = 0.78 * ground.radius if position.stones[cell] else 0
            beside = (x - box.left - off) * zoom, (y - box.top) * zoom
            pixel = picture.getpixel((round(beside[0]), round(beside[1])))
            assert isinstance(pixel, tuple)

            assert nearest(pixel) == ("", "X", "O")[position.stones[cell]], (game, cell)


def test_a_letters_picture_has_no_ground_of_its_own() -> None:
    star = parse_game("star(size=4)")
    picture = pixels_of(letter_picture(Diagram(star, star.start()), 200_000))

    assert picture.getpixel((0, 0)) == (0, 0, 0, 0)


def test_a_picture_that_would_be_large_is_drawn_smaller() -> None:
    star = parse_game("star(size=5)")
    diagram = Diagram(star, random_position(star, 3))
    whole = len(letter_picture(diagram, 200_000))
    files = [letter_picture(diagram, most) for most in (whole, whole - 1, 2 * whole // 3, 1)]
    first, *middle, last = (pixels_of(file).width for file in files)

    assert (first, last) == (WIDTH, MIN_WIDTH)
    assert first > middle[0] > middle[1] > last
    assert len(files[1]) < whole
    assert len(files[2]) <= 2 * whole // 3


def test_a_board_is_drawn_once_for_all_letters_of_a_move(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn, draws = list[Any](), resvg_py.svg_to_bytes

    def counted(**how: Any) -> bytes:
        drawn.append(how)
        return draws(**how)

    monkeypatch.setattr(resvg_py, "svg_to_bytes", counted)
    star = parse_game("star(size=4,maxi)")
    moves = [star.replay(["D4", "E4", "C4"][:count]) for count in (1, 2, 3)]
    for position in moves:
        for most in (200_000, 9_000, 6_000):
            letter_picture(Diagram(star, position), most)

    assert len(moves) + 1 == len(drawn)  # and the empty board once for all moves


def test_labels_are_drawn_with_the_font_that_is_shipped() -> None:
    hexed = parse_game("hex(size=3)")
    with_words = letter_picture(Diagram(hexed, hexed.start()), 200_000)
    label = geometry_of(hexed).labels[0]
    box, picture = geometry_of(hexed).box(), pixels_of(with_words)
    zoom = picture.width / box.width
    x, y = (label.x - box.left) * zoom, (label.y - box.top) * zoom
    around = picture.crop((round(x - 12), round(y - 12), round(x + 12), round(y + 12)))

    assert max(around.getchannel("A").tobytes()) > 250
