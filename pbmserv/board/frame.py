"""The content of a screen: lines of text whose pieces have a tone, and clickable areas."""

from enum import Enum, auto
from typing import NamedTuple

from pbmserv.club.written_text import wrap_line


class Tone(Enum):
    """The role of a piece of text; the terminal gives it a colour and a weight."""

    PLAIN = auto()
    DIM = auto()
    STRONG = auto()
    TITLE = auto()
    KEY = auto()
    CHOSEN = auto()
    ASKED = auto()
    X = auto()
    O = auto()
    LAST_X = auto()
    LAST_O = auto()
    OWNED_X = auto()
    OWNED_O = auto()
    EDGE_X = auto()
    EDGE_O = auto()
    CORNER = auto()
    CURSOR = auto()


class Span(NamedTuple):
    """A piece of a line; ``marked`` pieces stand out, in whatever tone."""

    text: str
    tone: Tone = Tone.PLAIN
    marked: bool = False


Line = tuple[Span, ...]


class Hit(NamedTuple):
    """A place that can be clicked: columns ``start`` to ``end`` of a line press ``key``."""

    line: int
    start: int
    end: int
    key: str


class Size(NamedTuple):
    """Columns and lines of a terminal."""

    width: int
    height: int


class Frame(NamedTuple):
    """A screen; ``cursor`` is the terminal's cursor, ``scroll`` the first line shown of a page."""

    lines: tuple[Line, ...]
    hits: tuple[Hit, ...] = ()
    cursor: tuple[int, int] = (0, 0)
    scroll: int = 0

    def key_at(self, column: int, line: int) -> str | None:
        """Return the key that a click there presses, None where there is nothing."""
        for hit in self.hits:
            if hit.line == line and hit.start <= column < hit.end:
                return hit.key
        return None


def line_of(text: str, tone: Tone = Tone.PLAIN) -> Line:
    """Return a line of one piece."""
    return (Span(text, tone),)


def width_of(line: Line) -> int:
    """Return the columns of a line."""
    return sum(columns_of(span.text) for span in line)


def columns_of(text: str) -> int:
    """Return the columns of a text, in which some letters take two."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def shorten_name(title: str, width: int) -> str:
    """Return a title that is not too long: parts behind a colon are left out whole."""
    while ": " in title and columns_of(title) > width:
        title = title.rpartition(": ")[0]
    return title


def wrap_text(text: str, width: int, tone: Tone = Tone.PLAIN, indent: str = "") -> list[Line]:
    """Return a text in lines that are not too long."""
    parts = text.split("\n")
    return [
        line_of(line, tone) for part in parts for line in wrap_line(part, max(width, 8), indent)
    ]


def note_lines(text: str, size: Size, tone: Tone) -> list[Line]:
    """Return a text as it stands under everything else, with a blank on each side."""
    return [(Span(" "), *line) for line in wrap_text(text, size.width - 2, tone)]
