"""The board of a letter in text: cells that are links, large enough for a finger at 380 pixels.

A board that is narrow enough, or is read by rows, is shown in its own shape; where the screen is
narrower each row is broken, and found by a link at the top. Other boards are shown by sectors.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from itertools import chain, pairwise
from typing import NamedTuple

from pbmserv.club.written_text import in_markup
from pbmserv.render.colours import DARK, DARK_PAPER, LAST, LIGHT, LIGHT_PAPER
from pbmserv.render.picture import Picture, Spot

CELL = 28
"""Pixels from a cell to the next; all but two of them are the target of its link."""

MARGIN = 8
"""Pixels on both sides of the page."""

NARROW = 380 - 2 * MARGIN
"""Pixels that a telephone leaves between them."""

AROUND_CELL = 8
"""Bytes that a cell has of what stands around those of its line, with the end of its own."""

HIDDEN = ".c{display:none}"

STYLE = f"""\
.b{{font-size:0!important;line-height:0!important}}
.b a,.b b,.b i,.b em{{display:inline-block;box-sizing:border-box;width:26px;margin:1px;
border-radius:13px;font:11px/26px Helvetica,Arial,sans-serif;text-align:center;text-indent:0}}
.b a{{background:{LIGHT_PAPER.cell};color:{LIGHT_PAPER.cell_ink};text-decoration:none}}
.b i,.b em,.t{{color:{LIGHT.label}}}
.b .x{{background:{LIGHT.x};color:{LIGHT.x_mark};font-weight:bold}}
.b .o{{background:{LIGHT.o};color:{LIGHT.o_mark};font-weight:bold}}
.b .l{{border:3px solid {LAST};line-height:20px}}
.t{{display:block;font:bold 18px/40px Helvetica,Arial,sans-serif}}"""

DARK_STYLE = (
    f".b a{{background:{DARK_PAPER.cell}!important;color:{DARK_PAPER.cell_ink}!important}}"
    f".b i,.b em,.t{{color:{DARK.label}}}"
)

FALLBACK = "margin:14px 0;font:22px/32px monospace"
"""Without a style sheet cells are words in a row, as large as a finger needs."""

BUTTON = (
    "display:inline-block;margin:3px;padding:4px 9px;border:1px solid;border-radius:8px;"
    "text-decoration:none"
)

Link = Callable[[str], str]
"""Returns the URL that opens a ready-written mail with this move."""


class Part(NamedTuple):
    """A row or sector by the name that is shown, and by its ``id`` in the page."""

    name: str
    id: str


class LetterBoard:
    """A board cut into parts, each found by its name: rows of cells, or else sectors.

    ``kind`` says which; ``shown`` holds the names of those that are in the page, and ``linked`` of
    those whose empty cells are links. ``width`` is what it needs for its own shape, in pixels, and
    ``is_narrow`` tells whether a telephone has that; ``has_rows`` whether each line of its picture
    is a row of the notation.
    """

    def __init__(self, picture: Picture) -> None:
        lines: dict[int, list[Spot]] = {}
        for spot in picture.spots:
            lines.setdefault(spot.point.line, []).append(spot)
        self._lines = [sorted(lines[y], key=lambda spot: spot.point.column) for y in sorted(lines)]
        gaps = [b.point.column - a.point.column for line in self._lines for a, b in pairwise(line)]
        self._step = min(gaps, default=1)
        columns = [spot.point.column for spot in picture.spots]
        self._left = min(columns)
        self.has_rows = all(len({spot.name[1:] for spot in line}) == 1 for line in self._lines)
        self.width = self._x(max(columns)) + CELL * (1 + self.has_rows)
        self.kind = "row" if self.has_rows else "sector"
        self.is_narrow = self.width <= NARROW
        self._part = _row if self.has_rows else _sector
        self._parts: dict[str, list[Spot]] = {}
        spots = chain(*self._lines) if self.has_rows else picture.spots
        for spot in spots:
            self._parts.setdefault(self._part(spot), []).append(spot)
        self.names = [part.name for part in self.parts()]
        self.shown: Collection[str] = self.names
        self.linked: Collection[str] = ()

    def unlink(self, shown: Collection[str]) -> None:
        """Show these parts, none of them with links."""
        self.shown, self.linked = shown, ()

    def link_some(self, link: Link, room: float, first: str) -> None:
        """Link as many parts as ``room`` bytes suffice for: ``first`` and those next to it.

        Without such a part it is the one with the last stone, or else in the middle.
        """
        latest = [spot for spots in self._parts.values() for spot in spots if spot.is_last]
        begin = first or (self._part(latest[0]) if latest else self.names[len(self.names) // 2])
        here = self.names.index(begin)
        chosen = []
        for name in sorted(self.names, key=lambda name: abs(self.names.index(name) - here)):
            room -= sum(self._bytes_of_link(spot, link) for spot in self._parts[name])
            if room < 0:
                break
            chosen.append(name)
        self.linked, self.shown = chosen, {*self.shown, *chosen}

    def _bytes_of_link(self, spot: Spot, link: Link) -> int:
        """Return how many bytes more a page has for a link in this cell."""
        if self._part(spot) in self.shown:
            return len(_cell(spot, link)) - len(_cell(spot, None))
        return len(_cell(spot, link, CELL)) + AROUND_CELL

    def parts(self) -> list[Part]:
        """Return the parts of the board in their order."""
        if self.has_rows:
            return [Part(name, f"row-{name}") for name in self._parts]
        names = sorted(self._parts, key=len)
        return [Part(name, f"sector-{number}") for number, name in enumerate(names, start=1)]

    def style(self) -> str:
        """Return the style sheet of a board that must be broken on a telephone."""
        if self.is_narrow:
            return ""
        if self.has_rows:
            narrow = ".b div{margin:0 0 6px!important;padding-left:28px;text-indent:-28px}"
            most = self.width + 2 * MARGIN
            wide = f"@media(min-width:{most + 1}px){{{HIDDEN}}}"
            return f"@media(max-width:{most}px){{{narrow}}}{wide}"
        spots = chain(*self._parts.values())
        rings = max(Counter(spot.name[:2] for spot in spots).values())
        return (
            f".b{{text-align:center}}.s{{display:inline-block;vertical-align:top;margin:0 4px 8px;"
            f"width:{rings * (CELL - 1)}px}}.s a,.s b,.s i{{width:25px}}"
            f"@media(min-width:{2 * NARROW}px){{{HIDDEN}}}"
        )

    def html(self, link: Link) -> Iterator[str]:
        """Yield the lines of a page that show the board, the linked cells with their links."""
        yield f'<div class="b" id="board" style="{FALLBACK}">'
        if self.has_rows or self.is_narrow:
            yield from self._shape(link)
        else:
            yield from self._sectors(link)
        yield "</div>"

    def _shape(self, link: Link) -> Iterator[str]:
        for whole_line in self._lines:
            line = [spot for spot in whole_line if self._part(spot) in self.shown]
            if not line:
                continue
            number = _row(line[0]) if self.has_rows else ""
            place = f' id="row-{number}"' if number else ""
            end = self._x(line[0].point.column)
            yield f'<div{place} style="margin-left:{end}px">'
            if number:
                yield f"<em>{number}</em>"
            for spot in line:
                here = self._x(spot.point.column)
                yield self._linked_cell(spot, link, here - end)
                end = here + CELL
            yield "</div>"

    def _sectors(self, link: Link) -> Iterator[str]:
        """Yield the sectors, each as if it were the topmost: outer ring first, clockwise."""
        for name, place in self.parts():
            if name not in self.shown:
                continue
            rings: dict[str, list[Spot]] = {}
            for spot in self._parts[name]:
                rings.setdefault(spot.name[1], []).append(spot)
            yield f'<div class="s" id="{place}"><strong class="t">{name}</strong>'
            for ring in reversed(rings.values()):
                yield "<div>"
                yield from (self._linked_cell(spot, link) for spot in ring)
                yield "</div>"
            yield "</div>"

    def _linked_cell(self, spot: Spot, link: Link, gap: int = 0) -> str:
        return _cell(spot, link if self._part(spot) in self.linked else None, gap)

    def _x(self, column: int) -> int:
        """Return how many pixels to the right of the leftmost cell a column lies."""
        return round((column - self._left) * CELL / self._step)


def _sector(spot: Spot) -> str:
    """Return the letter of a cell's sector; the one in the middle is on its own."""
    return spot.name if spot.name.isdigit() else spot.name[0]


def _row(spot: Spot) -> str:
    return spot.name[1:]


def _cell(spot: Spot, link: Link | None, gap: int = 0) -> str:
    """Return a cell; a line may be broken only inside of its tags or before it."""
    style = f' style="margin-left:{gap + 1}px"' if gap else ""
    if spot.stone is not None:
        kind = f"{spot.stone.value.lower()}{' l' if spot.is_last else ''}"
        return f'<b class="{kind}"{style} title="{spot.name}">{spot.stone.value}</b>'
    if link is None:
        return f"<i{style}>{spot.name}</i>"
    return f'<a href="{in_markup(link(spot.name))}"{style}>{spot.name}</a>'
