"""PNG files made small: 32 bits a pixel become 8, an index into a palette.

After the PNG specification, third edition: chunks in section 5, filters in section 9. Only what
the renderer writes is read: 8 bits a channel, red, green, blue and alpha, not interlaced.
"""

import re
import struct
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import accumulate

SIGNATURE = b"\x89PNG\r\n\x1a\n"
CHANNELS = 4
TRUE_COLOUR_WITH_ALPHA, INDEXED = 6, 3
MOST_COLOURS = 256
DIFFERENCE = re.compile(rb"[^\0]")

Unfilter = Callable[[bytes, bytes], bytes]
"""Returns one channel of a row from its filtered bytes and the same channel of the row above."""


def with_palette(png: bytes) -> bytes:
    """Return an opaque picture with at most 256 colours, each next to the one it stands for.

    Raises :class:`ValueError` for a file of another kind.
    """
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
    pixels = b"".join(b"\0" + bytes(map(index.__getitem__, row)) for row in rows)
    header = struct.pack(">IIBBBBB", width, height, 8, INDEXED, 0, 0, 0)
    return SIGNATURE + b"".join(
        (
            _chunk(b"IHDR", header),
            _chunk(b"PLTE", palette),
            _chunk(b"IDAT", zlib.compress(pixels, 9)),
            _chunk(b"IEND", b""),
        )
    )


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

    Colours that share the upper bits of every channel become the commonest among them, so that
    what is drawn in one colour keeps it and only the shades along edges are rounded.
    """
    bits = 8
    chosen: dict[tuple[int, ...], int] = {}
    while not chosen or len(chosen) > MOST_COLOURS:
        bits -= 1
        chosen = {}
        for pixel, _ in counts.most_common():
            chosen.setdefault(_rounded(pixel, bits), pixel)
    numbers = {key: number for number, key in enumerate(chosen)}
    index = {pixel: numbers[_rounded(pixel, bits)] for pixel in counts}
    return index, b"".join(_channels(pixel)[:3] for pixel in chosen.values())


def _channels(pixel: int) -> bytes:
    return struct.pack("=I", pixel)


def _rounded(pixel: int, bits: int) -> tuple[int, ...]:
    return tuple(value >> (8 - bits) for value in _channels(pixel))


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
