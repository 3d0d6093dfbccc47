"""The board of a letter in text: cells that are links, large enough for a finger at 380 pixels.

A board that is narrow enough, or is read by rows, is shown in its own shape; where the screen is
narrower each row is broken, and found by a link at the top. Other boards are shown by sectors.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise

from pbmserv.club.written_text import in_markup
from pbmserv.render.picture import Picture, Spot

CELL = 28
"""Pixels from a cell to the next; all but two of them are the target of its link."""

MARGIN = 8
"""Pixels on both sides of the page."""

NARROW = 380 - 2 * MARGIN
"""Pixels that a telephone leaves between them."""

HIDDEN = ".c{display:none}"

STYLE = """\
.b{font-size:0!important;line-height:0!important}
.b a,.b b,.b i,.b em{display:inline-block;box-sizing:border-box;width:26px;margin:1px;
border-radius:13px;font:11px/26px Helvetica,Arial,sans-serif;text-align:center;text-indent:0}
.b a{background:#dfebf5;color:#003a5c;text-decoration:none}
.b i,.b em,.t{color:#75684f}
.b .x{background:#0072b2;color:#fff;font-weight:bold}
.b .o{background:#e69f00;color:#222;font-weight:bold}
.b .l{border:3px solid #d6336c;line-height:20px}
.t{display:block;font:bold 18px/40px Helvetica,Arial,sans-serif}"""

DARK_STYLE = (
    ".b a{background:#2b3f50!important;color:#cfe6f7!important}.b i,.b em,.t{color:#b5a888}"
)

FALLBACK = "margin:14px 0;font:22px/32px monospace"
"""Without a style sheet cells are words in a row, as large as a finger needs."""

BUTTON = (
    "display:inline-block;margin:3px;padding:4px 9px;border:1px solid;border-radius:8px;"
    "text-decoration:none"
)

Link = Callable[[str], str]
"""Returns the URL that opens a ready-written mail with this move."""


class LetterBoard:
    """A board cut into parts, each found by its name: rows of cells, or else sectors.

    ``width`` is what it needs for its own shape, in pixels; ``has_rows`` tells whether each line
    of its picture is a row of the notation.
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
        self._spots = picture.spots

    def parts(self) -> list[tuple[str, str]]:
        """Return names and ids of the parts to be chosen first, none where a telephone has room."""
        if self.width <= NARROW:
            return []
        if self.has_rows:
            return [(number, f"row-{number}") for number in map(_number, self._lines)]
        names = sorted(dict.fromkeys(map(_sector, self._spots)), key=len)
        return [(name, f"sector-{number}") for number, name in enumerate(names, start=1)]

    def style(self) -> str:
        """Return the style sheet of a board that must be broken on a telephone."""
        if self.width <= NARROW:
            return ""
        if self.has_rows:
            narrow = ".b div{margin:0 0 6px!important;padding-left:28px;text-indent:-28px}"
            wide = self.width + 2 * MARGIN
            return (
                f"@media(max-width:{wide}px){{{narrow}}}@media(min-width:{wide + 1}px){{{HIDDEN}}}"
            )
        rings = max(Counter(spot.name[:2] for spot in self._spots).values())
        return (
            f".b{{text-align:center}}.s{{display:inline-block;vertical-align:top;margin:0 4px 8px;"
            f"width:{rings * (CELL - 1)}px}}.s a,.s b,.s i{{width:25px}}"
            f"@media(min-width:{2 * NARROW}px){{{HIDDEN}}}"
        )

    def html(self, link: Link | None) -> Iterator[str]:
        """Yield the lines of a page that show the board, its empty cells with their links."""
        yield f'<div class="b" id="board" style="{FALLBACK}">'
        if self.has_rows or self.width <= NARROW:
            yield from self._shape(link)
        else:
            yield from self._sectors(link)
        yield "</div>"

    def _shape(self, link: Link | None) -> Iterator[str]:
        for line in self._lines:
            number = _number(line) if self.has_rows else ""
            place = f' id="row-{number}"' if number else ""
            end = self._x(line[0].point.column)
            yield f'<div{place} style="margin-left:{end}px">'
            if number:
                yield f"<em>{number}</em>"
            for spot in line:
                here = self._x(spot.point.column)
                yield _cell(spot, link, here - end)
                end = here + CELL
            yield "</div>"

    def _sectors(self, link: Link | None) -> Iterator[str]:
        """Yield the sectors, each as if it were the topmost: outer ring first, clockwise."""
        for name, place in self.parts():
            rings: dict[str, list[Spot]] = {}
            for spot in self._spots:
                if _sector(spot) == name:
                    rings.setdefault(spot.name[1], []).append(spot)
            yield f'<div class="s" id="{place}"><strong class="t">{name}</strong>'
            for ring in reversed(rings.values()):
                yield "<div>"
                yield from (_cell(spot, link) for spot in ring)
                yield "</div>"
            yield "</div>"

    def _x(self, column: int) -> int:
        """Return how many pixels to the right of the leftmost cell a column lies."""
        return round((column - self._left) * CELL / self._step)


def _sector(spot: Spot) -> str:
    """Return the letter of a cell's sector; the one in the middle is on its own."""
    return spot.name if spot.name.isdigit() else spot.name[0]


def _number(line: list[Spot]) -> str:
    return line[0].name[1:]


def _cell(spot: Spot, link: Link | None, gap: int = 0) -> str:
    """Return a cell; a line may be broken only inside of its tags or before it."""
    style = f' style="margin-left:{gap + 1}px"' if gap else ""
    if spot.stone is not None:
        kind = f"{spot.stone.value.lower()}{' l' if spot.is_last else ''}"
        return f'<b class="{kind}"{style} title="{spot.name}">{spot.stone.value}</b>'
    if link is None:
        return f"<i{style}>{spot.name}</i>"
    return f'<a href="{in_markup(link(spot.name))}"{style}>{spot.name}</a>'
