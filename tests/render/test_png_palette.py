import struct
import zlib
from collections.abc import Iterator
from random import Random

import pytest

from pbmserv.engine.spec import parse_game
from pbmserv.render.picture import draw
from pbmserv.render.png import png_picture
from pbmserv.render.png_palette import SIGNATURE, with_palette
from tests.render.pictured_boards import random_position

Pixels = list[list[tuple[int, int, int]]]
WIDTH, HEIGHT = 41, 30


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def picture_of(pixels: Pixels, kind: int) -> bytes:
    """Return the pixels as an opaque PNG whose rows are all filtered one way."""
    above = bytes(WIDTH * 4)
    rows = []
    for row in pixels:
        plain = b"".join(bytes((*colour, 255)) for colour in row)
        rows.append(bytes([kind, *filtered(plain, above, kind)]))
        above = plain
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 6, 0, 0, 0)
    data = zlib.compress(b"".join(rows))
    return SIGNATURE + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def filtered(row: bytes, above: bytes, kind: int) -> Iterator[int]:
    """Yield what the specification subtracts from each byte: left, up, their mean, or Paeth."""
    for at, value in enumerate(row):
        left = row[at - 4] if at >= 4 else 0
        corner = above[at - 4] if at >= 4 else 0
        up = above[at]
        away = {near: abs(left + up - corner - near) for near in (corner, up, left)}
        nearest = min((left, up, corner), key=away.__getitem__)
        yield (value - (0, left, up, (left + up) // 2, nearest)[kind]) & 255


def pixels_of(png: bytes) -> Pixels:
    """Return the pixels of a PNG with a palette whose rows are not filtered."""
    parts, at = {}, len(SIGNATURE)
    while at < len(png):
        length = int.from_bytes(png[at : at + 4])
        name, data = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        assert chunk(name, data) == png[at : at + length + 12]
        parts[name] = data
        at += length + 12
    width, height, depth, kind = struct.unpack(">IIBB", parts[b"IHDR"][:10])
    assert (depth, kind) == (4, 3)
    palette = list(zip(*[iter(parts[b"PLTE"])] * 3, strict=True))
    raw = zlib.decompress(parts[b"IDAT"])
    length = 1 + (width + 1) // 2
    rows = [raw[n * length : (n + 1) * length] for n in range(height)]
    assert {row[0] for row in rows} == {0}
    return [[palette[int(digit, 16)] for digit in row[1:].hex()[:width]] for row in rows]


def random_pixels(colours: int) -> Pixels:
    """Return rows in patches, so that neighbours are often alike and often not."""
    chance = Random(colours)
    chosen = [tuple(chance.randrange(256) for _ in range(3)) for _ in range(colours)]
    pixels: Pixels = []
    for _ in range(HEIGHT):
        row: list[tuple[int, int, int]] = []
        while len(row) < WIDTH:
            row += [chance.choice(chosen)] * chance.randint(1, 9)  # type: ignore[list-item]
        pixels.append(list(pixels[-1]) if pixels and chance.random() < 0.4 else row[:WIDTH])
    return pixels


@pytest.mark.parametrize("kind", range(5))
def test_every_filter_is_undone_and_few_colours_stay_as_they_are(kind: int) -> None:
    pixels = random_pixels(16)

    assert pixels == pixels_of(with_palette(picture_of(pixels, kind)))


def test_of_many_colours_each_becomes_one_near_it() -> None:
    pixels = random_pixels(1000)
    found = pixels_of(with_palette(picture_of(pixels, 4)))
    pairs = [pair for rows in zip(pixels, found, strict=True) for pair in zip(*rows, strict=True)]
    farthest = max(abs(a - b) for one, other in pairs for a, b in zip(one, other, strict=True))

    assert len({colour for row in found for colour in row}) == 16
    assert farthest < 160


def test_a_picture_of_another_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="true colour"):
        with_palette(with_palette(picture_of(random_pixels(3), 0)))


def test_the_colours_of_the_players_are_kept_and_the_file_is_small() -> None:
    game = parse_game("starstar")
    png = png_picture(draw(game, random_position(game, 3)))
    colours = {colour for row in pixels_of(png) for colour in row}

    assert {(0x00, 0x72, 0xB2), (0xE6, 0x9F, 0x00), (0xFA, 0xF6, 0xEC)} <= colours
    assert len(png) < 40_000
