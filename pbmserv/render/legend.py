"""The legend of a drawing: which marks it has and what they mean, as lines of words."""

import textwrap
from collections.abc import Iterator, Sequence
from enum import Enum, auto
from typing import NamedTuple

from pbmserv.render.picture import Picture

LINE_HEIGHT = 22
"""Pixels from a line of the legend to the next; the words begin two of them from the left."""

_CHARACTER = 7
"""Pixels that a character takes at most on average."""

_FEWEST = 44
"""Characters that a line holds before it is broken, however small the board."""


class Mark(Enum):
    """What a line of the legend has before its words."""

    NONE = auto()
    X = auto()
    O = auto()  # noqa: E741 - the side's name
    LAST = auto()
    CORNER = auto()
    DIGIT = auto()
    OWNED_X = auto()
    OWNED_O = auto()
    BOTH = auto()
    DEAD = auto()
    RING = auto()
    NUMBER = auto()


class LegendLine(NamedTuple):
    """A mark and what it means."""

    mark: Mark
    words: str


def legend_lines(picture: Picture, width: int) -> list[LegendLine]:
    """Return the legend in lines that fit ``width`` pixels, as far as words can be broken."""
    most = max(_FEWEST, width // _CHARACTER - 2 * LINE_HEIGHT // _CHARACTER)
    lines = []
    for mark, words in _explanations(picture):
        first, *rest = textwrap.wrap(words, most)
        lines += [LegendLine(mark, first), *(LegendLine(Mark.NONE, line) for line in rest)]
    return lines


def legend_width(lines: Sequence[LegendLine]) -> int:
    """Return the pixels that these lines need."""
    return 3 * LINE_HEIGHT + _CHARACTER * max(len(line.words) for line in lines)


def _explanations(picture: Picture) -> Iterator[LegendLine]:
    """Yield the players, the marks that occur, and how the game stands."""
    caption, spots = picture.caption, picture.spots
    yield LegendLine(Mark.X, f"X: {caption.x}" if caption.x else "X")
    yield LegendLine(Mark.O, f"O: {caption.o}" if caption.o else "O")
    if last := [spot.name for spot in spots if spot.is_last]:
        names = f": {' '.join(last)}" if caption.names_last else ""
        yield LegendLine(Mark.LAST, f"last turn{names}")
    if any(spot.is_corner for spot in spots):
        yield LegendLine(Mark.CORNER, "corner")
    if any(spot.digit.isdigit() and spot.stone is None for spot in spots):
        yield LegendLine(Mark.DIGIT, "a digit on the board: an empty cell of that ring")
    if picture.board.note:
        yield LegendLine(Mark.NONE, picture.board.note)
    yield from _ownership(picture)
    for line in filter(None, caption.standing.split("\n")):
        yield LegendLine(Mark.NONE, line)


def _ownership(picture: Picture) -> Iterator[LegendLine]:
    spots, externals = picture.spots, picture.owned.externals
    if externals:
        yield LegendLine(Mark.OWNED_X, "outside cell that X touches")
        yield LegendLine(Mark.OWNED_O, "outside cell that O touches")
        yield LegendLine(Mark.BOTH, "outside cell that both touch")
    if any(spot.stone is None and spot.owner for spot in spots):
        yield LegendLine(Mark.OWNED_X, "owned by X")
        yield LegendLine(Mark.OWNED_O, "owned by O")
    if any(spot.is_winning for spot in spots):
        yield LegendLine(Mark.CORNER, "stone of the chain that has won")
    if any(spot.is_dead for spot in spots):
        yield LegendLine(Mark.DEAD, "dead stone, with the colour of its owner")
    if any(spot.corner_owner for spot in spots):
        yield LegendLine(Mark.RING, "corner that somebody owns, in the owner's colour")
    if any(spot.corner_count for spot in spots):
        yield LegendLine(Mark.NUMBER, "number of corners of the group")
