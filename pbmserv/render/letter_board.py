"""The board of a letter to be tapped: a table that keeps the board's shape on every screen.

A row begins as many half cells further in as its place says: rows are shifted, they take the width
that there is, and nothing can wrap. Of a very wide board a few rows are shown. A board of sectors
is shown a sector at a time, each a triangle with the rim above, the ray of the next sector on its
right and the middle of the board below; the middle of a ringed board is a table of its own. So
every two neighbours stand side by side somewhere.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple, TypeVar

from pbmserv.club.written_text import escape_html
from pbmserv.engine.board import Board
from pbmserv.render.colours import DARK, DARK_PAPER, LIGHT, LIGHT_PAPER
from pbmserv.render.picture import CellView, Picture

HALF = 19
"""Pixels of half a cell at most."""

HIGH, LOW = 34, 25
"""Pixels of a cell from top to bottom, and on a crowded board."""

WIDE = 24
"""Columns beyond which a board is wide, and its names are small."""

CROWDED = 40
"""Columns beyond which a telephone shows a name in two lines."""

WIDEST = 56
"""Columns of the rows that are shown, at most: a telephone has no room for more."""

LAST = "\N{BLACK CIRCLE}"
"""Marks the last turn."""

SERIF = "Georgia,serif"
SANS = "system-ui,Segoe UI,Helvetica,Arial,sans-serif"
"""Fonts for attributes: without quotation marks."""

STYLE = f"""\
.b{{margin:0 auto 14px}}
.b a,.b b,.b i{{display:block;margin:1px;border-radius:16px;white-space:nowrap;font-style:normal}}
.b a{{background:{LIGHT_PAPER.cell};color:{LIGHT_PAPER.cell_ink};text-decoration:none}}
.b i,.q{{color:{LIGHT_PAPER.faint}}}
.b .x{{background:{LIGHT.x};color:{LIGHT.x_mark}}}
.b .o{{background:{LIGHT.o};color:{LIGHT.o_mark};border:2px solid {LIGHT.ring}}}
.b .o{{line-height:{HIGH - 4}px}}.b .n .o{{line-height:{LOW - 4}px}}
.ex,.eo{{height:5px;border-radius:4px}}
.ex{{background:{LIGHT.x};border:1px solid {LIGHT.x_rim}}}
.eo{{background:{LIGHT.o};border:1px solid {LIGHT.o_rim}}}
.lx{{border-left:4px solid {LIGHT.x};box-shadow:-1px 0 {LIGHT.x_rim}}}
.rx{{border-right:4px solid {LIGHT.x};box-shadow:1px 0 {LIGHT.x_rim}}}
.lo{{border-left:4px solid {LIGHT.o};box-shadow:-1px 0 {LIGHT.o_rim}}}
.ro{{border-right:4px solid {LIGHT.o};box-shadow:1px 0 {LIGHT.o_rim}}}
.b h2{{margin:18px 0 6px;font:600 17px {SERIF};text-align:center}}
.b br{{display:none}}
@media(max-width:600px){{.b td{{border-width:2px}}
.lx a,.lx b,.lo a,.lo b{{margin-left:0}}.rx a,.rx b,.ro a,.ro b{{margin-right:0}}
.b .n br{{display:inline}}
.b .n a,.b .n b,.b .n i{{font-size:9px;line-height:{LOW / 2}px;height:{LOW}px;border-radius:5px}}
.b .n b{{line-height:{LOW}px}}
.b .n .o{{border-width:1px;height:{LOW - 2}px;line-height:{LOW - 2}px}}
}}"""

DARK_STYLE = (
    f".b a{{background:{DARK_PAPER.cell}!important;color:{DARK_PAPER.cell_ink}!important}}"
    f".b i,.q{{color:{DARK_PAPER.faint}}}"
    f".b .x{{outline:1px solid {DARK.x};outline-offset:-1px}}"
    f".ex{{background:{DARK.x}}}.lx,.rx{{border-color:{DARK.x}}}"
)

Link = Callable[[str], str]
"""Returns the URL that opens a ready-written mail with this move."""

Row = list[tuple[int, CellView]]
"""Cells from left to right, each with the column at which it begins."""


T = TypeVar("T")


class Shape(NamedTuple):
    """What one table shows: the rows of the sector ``name``, or of a whole board without one.

    ``heading`` says what they are. A cell takes two columns.
    """

    name: str
    heading: str
    columns: int
    rows: list[Row]


class LetterBoard:
    """A board in rows or sectors, as ``kind`` says: those ``shown``, and those with links."""

    def __init__(self, picture: Picture) -> None:
        board, spots = picture.board, picture.spots
        self.kind = "sector" if board.sectors else "row"
        self._parts = _parts(board)
        if board.core:
            self._shapes = list(_ringed(board, spots))
        elif board.sectors:
            self._shapes = list(_sectors(spots, "bridge" if board.bridge else "centre"))
        else:
            self._shapes = [_lattice(spots)]
        self._last = [self._parts[spot.name] for spot in spots if spot.is_last]
        self._sides = [
            (edge.side.value.lower(), {board.names[cell] for cell in edge.cells})
            for edge in picture.game.edges()
            if edge.side is not None
        ]
        # A middle that belongs to no sector has a number for a name, and comes last.
        self.names = sorted(dict.fromkeys(self._parts.values()), key=str.isdigit)
        self.shown: Collection[str] = self.names
        self.linked: Collection[str] = ()

    @property
    def width(self) -> int:
        """The width at most, in pixels."""
        return HALF * max(self._seen(shape).columns for shape in self._shapes)

    @property
    def is_too_wide(self) -> bool:
        """Whether rows have to be left out."""
        return self.width > WIDEST * HALF

    @property
    def places(self) -> list[tuple[str, str]]:
        """The sectors that are shown, each with its ``id`` in the page."""
        numbered = enumerate(self._shapes)
        return [(shape.name, _id(n)) for n, shape in numbered if shape.name in self.shown]

    def unlink(self, shown: Collection[str]) -> None:
        """Show these parts, none of them with links."""
        self.shown, self.linked = shown, ()

    def link_some(self, link: Link, room: float, first: str) -> None:
        """Link parts around ``first``, the last stone or the middle, in ``room`` bytes."""
        begin = first or (self._last or [self.names[len(self.names) // 2]])[0]
        here = self.names.index(begin)
        room += self._bytes(link)
        for name in sorted(self.names, key=lambda name: abs(self.names.index(name) - here)):
            before = self.linked, self.shown
            self.linked, self.shown = [*self.linked, name], {*self.shown, name}
            if self._bytes(link) > room or self.is_too_wide:
                self.linked, self.shown = before
                break

    def html(self, link: Link) -> Iterator[str]:
        """Yield the lines of a page that show the board, the linked cells with their links."""
        whole = "" if self.places else f' style="max-width:{self.width}px"'
        yield f'<div class="b" id="board"{whole}>'
        left = set(self.linked)
        for number, shape in enumerate(self._shapes):
            if not shape.name:
                yield from self._between_sides(shape, link)
            elif shape.name in self.shown:
                yield f'<h2 id="{_id(number)}">{shape.heading}</h2>'
                # Each cell is linked once, in its own sector; the middle is in the first of them.
                own = {name for name in left if name == shape.name or name.isdigit()}
                left -= own
                yield from self._table(shape, link, own)
        yield "</div>"

    def _bytes(self, link: Link) -> int:
        return sum(len(line) + 2 for line in self.html(link))

    def _seen(self, shape: Shape) -> Shape:
        """Return of a whole board the rows that are shown, as far to the left as there is room."""
        rows = [row for row in shape.rows if self._parts[row[0][1].name] in self.shown]
        if shape.name or not rows:
            return shape
        left = min(row[0][0] for row in rows)
        rows = [[(column - left, spot) for column, spot in row] for row in rows]
        return Shape("", "", 2 + max(row[-1][0] for row in rows), rows)

    def _between_sides(self, shape: Shape, link: Link) -> Iterator[str]:
        """Yield the rows, between what a player has to join above and below them."""
        seen = self._seen(shape)
        yield from self._bar(seen, seen.rows[0])
        yield from self._table(seen, link, self.linked)
        yield from self._bar(seen, seen.rows[-1])

    def _bar(self, shape: Shape, row: Row) -> Iterator[str]:
        before, behind = row[0][0], shape.columns - row[-1][0] - 2
        left, right = (f"{100 * gap / shape.columns:.4g}%" for gap in (before, behind))
        for letter, names in self._sides:
            if names == {spot.name for _, spot in row}:
                yield f'<div class="e{letter}" style="margin:3px {right} 3px {left}"></div>'

    def _table(self, shape: Shape, link: Link, linked: Collection[str]) -> Iterator[str]:
        is_wide, is_crowded = shape.columns > WIDE, shape.columns > CROWDED
        font = f"{10 if is_wide else 12}px/{LOW if is_crowded else HIGH}px"
        yield (
            f'<table role="presentation" class="{"n" * is_crowded}" cellpadding="0" cellspacing="0"'
            f' style="width:100%;max-width:{shape.columns * HALF}px;margin:auto;table-layout:fixed;'
            f'font:{font} Helvetica,Arial,sans-serif;text-align:center">'
        )
        for row in shape.rows:
            cells, end = list[str](), 0
            for column, spot in row:
                if column > end:
                    cells.append(f'<td colspan="{column - end}"></td>')
                is_linked = self._parts[spot.name] in linked
                cell = _cell(spot, link if is_linked else None, is_broken=is_crowded)
                cells.append(f'<td colspan="2"{self._side(row, spot)}>{cell}</td>')
                end = column + 2
            yield "<tr>"
            yield from cells
            yield "</tr>"
        yield "</table>"

    def _side(self, row: Row, spot: CellView) -> str:
        """Return the mark of a cell at an end of its row that lies on a player's side."""
        names = {other.name for _, other in row}
        for way, end in (("l", row[0][1]), ("r", row[-1][1])):
            for letter, side in self._sides:
                if spot is end and spot.name in side and not side >= names:
                    return f' class="{way}{letter}"'
        return ""


def _id(number: int) -> str:
    return f"sector-{number + 1}"


def _parts(board: Board) -> dict[str, str]:
    """Return in which row or sector each cell is; one in the middle of a board is on its own.

    A sector of a ringed board has the name of its corner, and the middle that of its outer ring.
    """
    if not board.sectors:
        return {name: name[1:] for name in board.names}
    if not board.core:
        return {name: name if name.isdigit() else name[0] for name in board.names}
    parts = dict.fromkeys(board.names, board.names[board.core][0])
    for _, ring in groupby(board.names[: board.core], itemgetter(0)):
        names = list(ring)
        for corner, own in zip(board.corners, _cut(names, board.sectors), strict=True):
            parts |= dict.fromkeys(own, board.names[corner])
    return parts


def _lattice(spots: Iterable[CellView], name: str = "", heading: str = "") -> Shape:
    """Return a lattice as it lies."""
    rows: dict[float, Row] = {}
    left = min(spot.place.x for spot in spots)
    for spot in sorted(spots, key=lambda spot: spot.place.x):
        rows.setdefault(round(spot.place.y, 6), []).append((round(2 * (spot.place.x - left)), spot))
    columns = 2 + max(row[-1][0] for row in rows.values())
    return Shape(name, heading, columns, [rows[y] for y in sorted(rows)])


def _ringed(board: Board, spots: Sequence[CellView]) -> Iterator[Shape]:
    """Yield the sectors of a ringed board, down to the rim of its middle, and the middle."""
    core, sides = board.core, board.sectors
    rings = [list(ring) for _, ring in groupby(spots[:core], lambda spot: spot.name[0])]
    rings.append(list(spots[core : core + len(rings[-1]) - sides]))
    parts = [[_cut(ring, sides)[number] for ring in rings] for number in range(sides)]
    for own, beside in zip(parts, [*parts[1:], parts[0]], strict=True):
        corner = own[0][0].name
        yield _triangle(corner, f"Sector {corner}: rim above, middle below", own, beside)
    letter = spots[core].name[0]
    yield _lattice(spots[core:], letter, f"The middle, from ring {letter} inwards")


def _sectors(spots: Iterable[CellView], below: str) -> Iterator[Shape]:
    """Yield the sectors of a polar board, each as if it were the topmost."""
    parts: dict[str, list[CellView]] = {}
    for spot in spots:
        parts.setdefault(spot.name if spot.name.isdigit() else spot.name[0], []).append(spot)
    middle = [spot for name in [*parts] if name.isdigit() for spot in parts.pop(name)]
    names = list(parts)
    for name, following in zip(names, [*names[1:], names[0]], strict=True):
        heading = f"Sector {name}: rim above, {below} below"
        shape = _triangle(name, heading, _rings(parts[name]), _rings(parts[following]))
        below_rings = [[(len(shape.rows), spot)] for spot in middle]
        yield shape._replace(rows=[*shape.rows, *below_rings])


def _triangle(
    name: str, heading: str, own: Sequence[Sequence[CellView]], beside: Sequence[Sequence[CellView]]
) -> Shape:
    """Return a sector ring by ring, with what borders on its right side."""
    count = len(own[0])
    rows = [
        [(count - len(ring) + 2 * at, spot) for at, spot in enumerate((*ring, other[0]))]
        for ring, other in zip(own, beside, strict=True)
    ]
    return Shape(name, heading, 2 * count + 2, rows)


def _rings(sector: list[CellView]) -> list[list[CellView]]:
    """Return the cells of a sector ring by ring from the outside: ring r has r of them."""
    left, rings = list(sector), list[list[CellView]]()
    while left:
        size = len(rings) + 1
        rings.append(left[:size])
        del left[:size]
    return rings[::-1]


def _cut(ring: Sequence[T], count: int) -> list[Sequence[T]]:
    """Return a ring in so many parts of one length."""
    length = len(ring) // count
    return [ring[at : at + length] for at in range(0, len(ring), length)]


def _cell(spot: CellView, link: Link | None, *, is_broken: bool) -> str:
    """Return a cell: its stone, or its name, which opens the mail with its move."""
    if spot.stone is not None:
        shown = LAST if spot.is_last else spot.stone.value
        title = f"{spot.name} {spot.stone.value}{', last turn' if spot.is_last else ''}"
        return f'<b class="{spot.stone.value.lower()}" title="{title}">{shown}</b>'
    name = f"{spot.name[0]}<br>{spot.name[1:]}" if is_broken else spot.name
    if link is None:
        return f"<i>{name}</i>"
    # A style sheet says so, too; what fills its cell without one is not worth the bytes here.
    look = "" if is_broken else ' style="display:block"'
    return f'<a href="{escape_html(link(spot.name))}"{look}>{name}</a>'
