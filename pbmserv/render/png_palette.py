"""PNG files made small: 32 bits a pixel become 4, an index into a palette.

After the PNG specification, third edition: chunks in section 5, filters in section 9. Only what
the renderer writes is read: 8 bits a channel, red, green, blue and alpha, not interlaced.
"""

import re
import struct
import zlib
from binascii import unhexlify
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import NamedTuple

SIGNATURE = b"\x89PNG\r\n\x1a\n"
CHANNELS = 4
TRUE_COLOUR_WITH_ALPHA, INDEXED = 6, 3
MOST_COLOURS = 16
DEPTH = 4
LEVEL = 6
"""The highest would take ten times as long to save a twentieth."""

DIGITS = bytes.maketrans(bytes(range(MOST_COLOURS)), b"0123456789abcdef")
DIFFERENCE = re.compile(rb"[^\0]")

Colour = tuple[int, int, int]
"""Red, green and blue."""

Unfilter = Callable[[bytes, bytes], bytes]
"""Returns one channel of a row from its filtered bytes and the same channel of the row above."""


class Indexed(NamedTuple):
    """A picture of at most 16 colours: ``palette`` has three bytes of each.

    ``pixels`` has a byte a pixel, in rows ``stride`` bytes apart that begin with two zeros.
    """

    width: int
    height: int
    palette: bytes
    pixels: bytes

    @property
    def stride(self) -> int:
        """The bytes of a row: the two at its beginning, its pixels, and one to make them even."""
        return 2 + self.width + self.width % 2

    def png(self) -> bytes:
        """Return the picture as a file, four bits a pixel."""
        header = struct.pack(">IIBBBBB", self.width, self.height, DEPTH, INDEXED, 0, 0, 0)
        # The two bytes before a row become the one that says that the row is not filtered.
        packed = unhexlify(self.pixels.translate(DIGITS))
        return SIGNATURE + b"".join(
            (
                _chunk(b"IHDR", header),
                _chunk(b"PLTE", self.palette),
                _chunk(b"IDAT", zlib.compress(packed, LEVEL)),
                _chunk(b"IEND", b""),
            )
        )


def with_palette(png: bytes) -> bytes:
    """Return an opaque picture with at most 16 colours, each next to the one it stands for.

    Raises :class:`ValueError` for a file of another kind.
    """
    return indexed(png).png()


def indexed(png: bytes) -> Indexed:
    """Return the pixels of an opaque picture as :func:`with_palette` writes them."""
    chunks = list(_chunks(png))
    width, height, *kind = struct.unpack(">IIBBBBB", chunks[0][1])
    if kind != [8, TRUE_COLOUR_WITH_ALPHA, 0, 0, 0]:
        raise ValueError("only opaque 8-bit pictures in true colour that are not interlaced")
    packed = zlib.decompress(b"".join(data for name, data in chunks if name == b"IDAT"))
    rows = [memoryview(row).cast("I") for row in _rows(packed, width)]
    counts: Counter[int] = Counter()
    for row in rows:
        counts.update(row)
    index, palette = _palette(counts)
    end = bytes(width % 2)
    pixels = b"".join(b"\0\0" + bytes(map(index.__getitem__, row)) + end for row in rows)
    return Indexed(width, height, palette, pixels)


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the name and the data of each chunk."""
    at = len(SIGNATURE)
    while at < len(png):
        length = int.from_bytes(png[at : at + 4])
        yield png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        at += length + 12


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def _palette(counts: Counter[int]) -> tuple[dict[int, int], bytes]:
    """Return the number of each pixel's colour in the palette, and the palette.

    The commonest colour is chosen first, and then always the one whose pixels lie farthest, all
    together, from those chosen: what is drawn in one colour keeps it, and only shades are rounded.
    """
    colours = {pixel: _channels(pixel) for pixel in counts}
    chosen: list[Colour] = []
    index = dict.fromkeys(counts, 0)
    away = dict.fromkeys(counts, 1)
    while len(chosen) < MOST_COLOURS and any(away.values()):
        new = colours[max(counts, key=lambda pixel: away[pixel] * counts[pixel])]
        for pixel, colour in colours.items():
            distance = sum((one - other) ** 2 for one, other in zip(colour, new, strict=True))
            if not chosen or distance < away[pixel]:
                away[pixel], index[pixel] = distance, len(chosen)
        chosen.append(new)
    return index, b"".join(map(bytes, chosen))


def _channels(pixel: int) -> Colour:
    red, green, blue, _ = struct.pack("=I", pixel)
    return red, green, blue


def _rows(packed: bytes, width: int) -> Iterator[bytes]:
    """Yield the pixels of each row, of which ``packed`` has the differences to those around."""
    length = width * CHANNELS
    above = bytes(length)
    for start in range(0, len(packed), length + 1):
        unfilter, filtered = _UNFILTERS[packed[start]], packed[start + 1 : start + 1 + length]
        row = bytearray(b"\xff" * length)
        for channel in range(CHANNELS - 1):  # the last one, alpha, is full everywhere
            row[channel::CHANNELS] = unfilter(filtered[channel::CHANNELS], above[channel::CHANNELS])
        above = bytes(row)
        yield above


def _none(filtered: bytes, _: bytes) -> bytes:
    return filtered


def _sub(filtered: bytes, _: bytes) -> bytes:
    return bytes([value & 255 for value in accumulate(filtered)])


def _up(filtered: bytes, above: bytes) -> bytes:
    return bytes([value + up & 255 for value, up in zip(filtered, above, strict=True)])


def _average(filtered: bytes, above: bytes) -> bytes:
    row, left = bytearray(), 0
    for value, up in zip(filtered, above, strict=True):
        left = value + (left + up >> 1) & 255
        row.append(left)
    return bytes(row)


def _paeth(filtered: bytes, above: bytes) -> bytes:
    row, left, corner, at = bytearray(above), 0, 0, 0
    while at < len(row):
        if left == corner:
            # Where the row is as the one above, it stays so until the next difference.
            found = DIFFERENCE.search(filtered, at)
            if found is None:
                break
            at = found.start()
            nearest = above[at]
        else:
            nearest = _nearest(left, above[at], corner)
        left = row[at] = filtered[at] + nearest & 255
        corner = above[at]
        at += 1
    return bytes(row)


def _nearest(left: int, up: int, corner: int) -> int:
    """Return which of the three is nearest to left + up - corner, the first of equal ones."""
    to_left, to_up = abs(up - corner), abs(left - corner)
    to_corner = abs(left + up - 2 * corner)
    if to_left <= to_up and to_left <= to_corner:
        return left
    return up if to_up <= to_corner else corner


_UNFILTERS: tuple[Unfilter, ...] = (_none, _sub, _up, _average, _paeth)
