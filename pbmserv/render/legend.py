"""The legend of a drawing: which marks it has and what they mean, as lines of words."""

from collections.abc import Iterator
from enum import Enum, auto
from itertools import islice
from typing import NamedTuple

from pbmserv.club.written_text import wrap_line
from pbmserv.engine.position import Side
from pbmserv.render.picture import Picture


class Mark(Enum):
    """What a line of the legend has before its words."""

    NONE = auto()
    X = auto()
    O = auto()
    LAST = auto()
    OWNED_X = auto()
    OWNED_O = auto()
    BOTH = auto()
    DEAD = auto()
    WON = auto()
    NUMBER = auto()


class LegendLine(NamedTuple):
    """A mark, what it means, and of which side it is drawn."""

    mark: Mark
    words: str
    side: Side = Side.X


def drawn_legend(picture: Picture, width: int) -> list[LegendLine]:
    """Return the legend in lines that fit ``width`` pixels, as far as words can be broken."""
    # Words begin after 28 pixels, and a character takes 4.6 at most on average.
    most = max(44, round((width - 28) / 4.6))
    lines = []
    for line in _explanations(picture):
        first, *rest = wrap_line(line.words, most)
        lines += [line._replace(words=first), *(LegendLine(Mark.NONE, words) for words in rest)]
    return lines


def _explanations(picture: Picture) -> Iterator[LegendLine]:
    """Yield the players, the marks that occur, and how the game stands."""
    caption, spots = picture.caption, picture.spots
    yield LegendLine(Mark.X, f"X: {caption.x}" if caption.x else "X")
    yield LegendLine(Mark.O, f"O: {caption.o}" if caption.o else "O")
    if last := [spot for spot in spots if spot.is_last]:
        names = f": {' '.join(spot.name for spot in last)}" if caption.names_last else ""
        yield LegendLine(Mark.LAST, f"last turn{names}", last[0].stone or Side.X)
    if picture.board.note:
        yield LegendLine(Mark.NONE, picture.board.note)
    yield from _ownership(picture)
    for line in filter(None, caption.standing.split("\n")):
        yield LegendLine(Mark.NONE, line)


def _ownership(picture: Picture) -> Iterator[LegendLine]:
    spots, whole = picture.spots, picture.game.ownership(picture.position)
    if whole.externals:
        yield LegendLine(Mark.BOTH, "outside the board: who touches it")
    for side, mark in ((Side.X, Mark.OWNED_X), (Side.O, Mark.OWNED_O)):
        if any(side in {spot.owner, spot.corner_owner} for spot in spots):
            yield LegendLine(mark, f"owned by {side.value}")
    of_marks = {
        Mark.WON: ("the chain that has won", picture.owned.path),
        Mark.DEAD: (
            "dead stone, on its owner's tint",
            [cell for cell, spot in enumerate(spots) if spot.is_dead],
        ),
        Mark.NUMBER: ("number of corners of the group", whole.corner_counts),
    }
    for mark, (words, cells) in of_marks.items():
        # A sample is a stone that is so on the board.
        stones = filter(None, (spots[cell].stone for cell in cells))
        yield from (LegendLine(mark, words, stone) for stone in islice(stones, 1))
