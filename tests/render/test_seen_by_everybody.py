"""What is drawn is told apart by everybody: by contrast, and the two players by shape alone."""

from io import BytesIO
from typing import Any

import pytest

from pbmserv.engine.games import find_game, game_names
from pbmserv.engine.position import Side
from pbmserv.render.colours import BOTH_LABEL, DARK, DARK_PAPER, LIGHT, LIGHT_PAPER, Colours, Paper
from pbmserv.render.geometry import geometry_of
from pbmserv.render.picture import draw
from pbmserv.render.svg import DrawingOptions, svg_board, svg_file
from tests.render.pictured_boards import random_position

LOOKS = [pytest.param(LIGHT, LIGHT_PAPER, id="light"), pytest.param(DARK, DARK_PAPER, id="dark")]
TEXT, SHAPE, LABEL_IN_LETTER = 4.5, 3, 3.8

Colour = tuple[float, ...]

EYES: dict[str, tuple[Colour, Colour, Colour]] = {
    "grey": ((0.2126, 0.7152, 0.0722),) * 3,
    # Machado, Oliveira and Fernandes 2009, wholly blind for one of the three, on linear light.
    "protan": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deutan": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritan": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
"""How the light of a colour is seen, by red, green and blue."""


def light_of(colour: str) -> Colour:
    """Return red, green and blue of ``#rrggbb`` as light."""
    return tuple(linear(int(colour[at : at + 2], 16)) for at in (1, 3, 5))


def linear(byte: float) -> float:
    part = byte / 255
    return float(part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4)


def luminance(light: Colour) -> float:
    red, green, blue = (min(max(part, 0), 1) for part in light)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: float, other: float) -> float:
    low, high = sorted((one, other))
    return (high + 0.05) / (low + 0.05)


def between(one: str, other: str) -> float:
    return contrast(luminance(light_of(one)), luminance(light_of(other)))


@pytest.mark.parametrize(("colours", "paper"), LOOKS)
def test_words_are_read(colours: Colours, paper: Paper) -> None:
    for ground in (paper.page, paper.card):
        for words in (paper.ink, paper.faint, paper.link, colours.label):
            assert TEXT <= between(words, ground), (words, ground)
    assert LABEL_IN_LETTER <= between(BOTH_LABEL, paper.page)


@pytest.mark.parametrize(("colours", "paper"), LOOKS)
def test_stones_marks_and_sides_are_seen(colours: Colours, paper: Paper) -> None:
    for tile in (colours.tile, colours.shaded, colours.ray, colours.rim):
        x = max(between(part, tile) for part in (colours.x, colours.x_light, colours.x_rim))
        o = max(between(part, tile) for part in (colours.o, colours.o_light, colours.o_rim))
        assert min(x, o) >= SHAPE, tile
    for side in ((colours.x, colours.x_rim), (colours.o, colours.o_rim), (colours.edge,)):
        assert max(between(part, paper.page) for part in side) >= SHAPE, side
    assert SHAPE <= max(between(colours.x_mark, part) for part in (colours.x, colours.x_rim))
    assert between(colours.o_mark, colours.o) >= SHAPE


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("name", game_names())
def test_whose_a_stone_is_tells_its_shape(name: str, colours: Colours) -> None:
    game = find_game(name)()
    picture, ground = draw(game, random_position(game, 5, last=0)), geometry_of(game)
    box = ground.box()
    seen = drawn(svg_board(picture, DrawingOptions(has_shadow=False, has_names=False)), colours)
    wrong = []
    for spot, (x, y) in zip(picture.spots, ground.middles, strict=True):
        if spot.stone is None:
            continue
        # In the middle and within the pale core, where a number may stand; then to the right.
        parts = (0, 0.42, 0.55, 0.8)
        dots = [(x + part * ground.radius - box.left, y - box.top) for part in parts]
        lights = [tuple(map(linear, seen.getpixel((2 * a, 2 * b))[:3])) for a, b in dots]
        for eye, rows in EYES.items():
            middle, core, ring, body = (
                luminance(tuple(sum(map(float.__mul__, row, light)) for row in rows))
                for light in lights
            )
            core = max(middle, core)
            is_ring = ring < core and contrast(core, ring) >= SHAPE and contrast(ring, body) >= 1.7
            if is_ring is not (spot.stone is Side.O):
                wrong.append((spot.name, eye, core, ring, body))

    assert not wrong


def drawn(board: str, colours: Colours) -> Any:
    """Return the pixels of a board, twice as large as its box, as a drawing is by itself."""
    resvg = pytest.importorskip("resvg_py", reason="resvg is not installed.")
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed.")
    return image.open(BytesIO(bytes(resvg.svg_to_bytes(svg_string=svg_file(board, colours)))))
