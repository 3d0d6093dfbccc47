"""The legend of a drawing: which marks it has and what they mean, as lines of words."""

from collections.abc import Iterator
from enum import Enum, auto
from typing import NamedTuple

from pbmserv.club.written_text import broken
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
    """A mark and what it means."""

    mark: Mark
    words: str


def drawn_legend(picture: Picture, width: int) -> list[LegendLine]:
    """Return the legend in lines that fit ``width`` pixels, as far as words can be broken."""
    # Words begin after 28 pixels, and a character takes 4.6 at most on average.
    most = max(44, round((width - 28) / 4.6))
    lines = []
    for mark, words in _explanations(picture):
        first, *rest = broken(words, most)
        lines += [LegendLine(mark, first), *(LegendLine(Mark.NONE, line) for line in rest)]
    return lines


def _explanations(picture: Picture) -> Iterator[LegendLine]:
    """Yield the players, the marks that occur, and how the game stands."""
    caption, spots = picture.caption, picture.spots
    yield LegendLine(Mark.X, f"X: {caption.x}" if caption.x else "X")
    yield LegendLine(Mark.O, f"O: {caption.o}" if caption.o else "O")
    if last := [spot.name for spot in spots if spot.is_last]:
        names = f": {' '.join(last)}" if caption.names_last else ""
        yield LegendLine(Mark.LAST, f"last turn{names}")
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
    if picture.owned.path:
        yield LegendLine(Mark.WON, "the chain that has won")
    if any(spot.is_dead for spot in spots):
        yield LegendLine(Mark.DEAD, "dead stone, on its owner's tint")
    if any(picture.spots[cell].stone for cell in whole.corner_counts):
        yield LegendLine(Mark.NUMBER, "number of corners of the group")
