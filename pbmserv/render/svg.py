"""Boards as SVG: one drawing for files, pages, thumbnails and, through resvg, for PNG.

What touches is joined: links between stones of a colour are cords as thick as nearly a stone, so
that a chain is one body. Every part has a class and no colour of its own; :func:`style` gives the
colours of one look, or of whichever the reader's screen is set to.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum, auto
from functools import lru_cache, partial
from itertools import islice, pairwise, product
from types import MappingProxyType
from typing import NamedTuple

from pbmserv.club.written_text import escape_html, wrap_line
from pbmserv.engine.board import Cell
from pbmserv.engine.game import Game
from pbmserv.engine.position import Side
from pbmserv.engine.score import External
from pbmserv.render.colours import DARK, LIGHT, Colours
from pbmserv.render.geometry import (
    BoardGeometry,
    Box,
    Dot,
    Polygon,
    Words,
    geometry_of,
    hexagon,
    shrink,
)
from pbmserv.render.picture import CellView, Picture

FONT = "DejaVu Sans"
FONTS = f'system-ui,"Noto Sans","{FONT}",sans-serif'
HEADINGS = f'"Iowan Old Style",Palatino,"Noto Serif",Georgia,"{FONT}",serif'
CLASS = {None: "e", Side.X: "x", Side.O: "o"}
LINE = 14
"""Pixels from a line of the legend to the next."""

SIGN = (("x", 9, 22, 6), ("x", 16, 10, 6), ("x", 23, 22, 6), ("o", 16, 22, 3))
"""The stones of the sign of a club: class, middle and radius."""

WIDE = 1000
"""Pixels in which no line of a legend is broken."""

GROUND_RULES = f"""\
.fr{{fill:@frame;stroke:@frame;stroke-width:9;stroke-linejoin:round}}.fi{{fill:@frame}}
.t{{fill:@tile}}.t2{{fill:@shaded}}.t3{{fill:@ray}}.t4{{fill:@rim}}
.sr,.sd{{fill:none;stroke-linecap:round;stroke-linejoin:round}}
.sr{{stroke-width:12.5;stroke:@frame}}.srx{{stroke:@x_rim}}.sro{{stroke:@o_rim}}
.sd{{stroke-width:10;stroke:@edge}}.sdx{{stroke:@x}}.sdo{{stroke:@o}}
.br{{fill:none;stroke:@edge;stroke-width:1.4;stroke-linejoin:round}}
.ne{{fill:@label}}.lg{{fill:@label;font:9px {FONTS}}}
"""
"""The style of the empty board and of words, with names of colours."""

RULES = f"""\
.ox{{fill:@x_owned}}.oo{{fill:@o_owned}}
.gx{{fill:@x}}.go{{fill:none;stroke:@o;stroke-width:2.2}}.e0{{fill:none;stroke:@edge}}
.rx,.ro,.cx,.co,.dx,.do,.w{{fill:none;stroke-linecap:round;stroke-linejoin:round}}
.rx,.ro{{stroke-width:9}}.cx,.co{{stroke-width:7}}
.rx,.dx{{stroke:@x_rim}}.ro,.do{{stroke:@o_rim}}.cx{{stroke:@x}}.co{{stroke:@o}}
.w{{stroke-width:2.4}}.wx{{stroke:@x_mark}}.wo{{stroke:@o_mark}}
.e{{fill:transparent}}.x{{fill:url(#bx) @x}}.o{{fill:url(#bo) @o}}
.bd{{stroke:@x_rim}}.bd.o{{stroke:@o_rim}}
.lx{{fill:@x_mark;stroke:@x_rim}}.lo{{fill:@o_mark}}
.lb,.n{{font:600 8px {FONTS};text-anchor:middle;fill:@ink}}.no{{fill:@o_mark}}.nb{{fill:@o_light}}
.nx{{fill:@x_mark;stroke:@x_rim;stroke-width:1.6;paint-order:stroke}}
.x0{{stop-color:@x_light}}.x1{{stop-color:@x}}
.o0{{stop-color:@o_light}}.o1{{stop-color:@o}}.o2{{stop-color:@ring}}
.ht{{fill:@ray}}.lb{{fill:@label}}.dead{{opacity:.5}}
.shade{{filter:drop-shadow(0 1px .7px @shadow)}}
"""
"""The same for what stands on it."""

NAME = re.compile(r"@(\w+)")

STONES = (
    '<defs><radialGradient id="bx" cx=".36" cy=".3" r=".75"><stop class="x0" offset="0"/>'
    '<stop class="x1" offset=".62"/></radialGradient>'
    '<radialGradient id="bo"><stop class="o0" offset="0"/><stop class="o0" offset=".46"/>'
    '<stop class="o2" offset=".5"/><stop class="o2" offset=".6"/>'
    '<stop class="o1" offset=".64"/></radialGradient></defs>'
)
"""X is a ball, O a ring; a stone is one circle, so that a script changes its class alone."""


FLAT_RULES = """\
.sx,.so,.hx,.ho,.hi{fill:none;stroke-linecap:round}.sx{stroke:@x}.so{stroke:@o}
.hx{stroke:@x_light;stroke-opacity:.4}.ho{stroke:@ring}.hi{stroke:@o_light}
"""
"""The looks of flat stones, which stand in a PNG alone."""

LAYERS = {
    Side.X: (("sx", 1.0, 0.0), ("hx", 0.66, 0.66), ("hx", 0.34, 1.0)),
    Side.O: (("so", 1.0, 0.0), ("ho", 0.62, 0.0), ("hi", 0.48, 0.0)),
}
"""Flat rounds for a PNG of few shades: class, part of the width, shift towards the light."""


class DrawingOptions(NamedTuple):
    """How a board is drawn: with labels and a legend, as a square, with ids for a script.

    Shadows take resvg four fifths of its time, and ``is_flat`` stones need no gradients: both for
    PNG. ``ground`` is the file of the board without stones that boards of a page share; the page
    has then the definitions of stones, too.
    """

    has_labels: bool = True
    has_legend: bool = False
    is_square: bool = False
    is_scripted: bool = False
    has_shadow: bool = True
    is_flat: bool = False
    has_names: bool = True
    ground: str = ""
    link: str = ""
    """Where a click on an empty cell leads, without the cell's name behind it."""
    ghosts: Mapping[Cell, Side] = MappingProxyType({})
    """Stones that are only meant, by their cells."""


PLAIN_FRAME = DrawingOptions()


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


class Tint(NamedTuple):
    """A tinted cell: whose it is or nobody's, how strong from 0 to 1, and a word in it.

    Without a word it has the mark of who owns a cell.
    """

    side: Side | None
    strength: float
    word: str = ""


def style(colours: Colours | None = None, rules: str = GROUND_RULES + RULES) -> str:
    """Return the style sheet of boards: in these colours, or in those that the reader prefers."""
    if colours is not None:
        return NAME.sub(lambda name: str(getattr(colours, name[1])), rules)
    used = set(NAME.findall(rules))
    light, dark = (
        ";".join(f"--b-{name}:{colour}" for name, colour in each._asdict().items() if name in used)
        for each in (LIGHT, DARK)
    )
    rules = NAME.sub(r"var(--b-\1)", rules)
    return f":root{{{light}}}\n@media(prefers-color-scheme:dark){{:root{{{dark}}}}}\n{rules}"


def svg_picture(picture: Picture, colours: Colours | None = None) -> str:
    """Return the picture as a document with a legend; without colours it follows the screen."""
    return svg_file(svg_board(picture, DrawingOptions(has_legend=True)), colours)


def svg_file(board: str, colours: Colours | None = None, more_rules: str = "") -> str:
    """Return a board as a document of its own, its style inside."""
    start, end, rest = board.partition(">")
    rules = style(colours, f"{GROUND_RULES}{RULES}{more_rules}")
    return f"{start}{end}<style>{rules}</style>{rest}\n"


def svg_ground(game: Game, *, has_labels: bool = True) -> str:
    """Return the board without stones as one element, like :func:`svg_board`."""
    parts = ground_parts(game, has_labels=has_labels)
    return f"<svg {size_words(geometry_of(game).box())}>{parts}</svg>"


def svg_sign() -> str:
    """Return the sign of a club, three stones around one, with the definitions of all stones."""
    stones = "".join(
        f'<circle class="{kind}" cx="{x}" cy="{y}" r="{radius}"/>' for kind, x, y, radius in SIGN
    )
    cords = "".join(f'<path class="{kind}" d="M9 22L16 10L23 22"/>' for kind in ("rx", "cx"))
    start = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" aria-hidden="true">'
    return f"{start}{STONES}{cords}{stones}</svg>"


def svg_tinted(picture: Picture, tints: Mapping[str, Tint], ground: str = "") -> str:
    """Return the board with the tiles of these cells tinted, each with a mark or a word in it."""
    here = geometry_of(picture.game)
    tiles: dict[str, list[Polygon]] = {}
    marks = []
    places = zip(picture.board.names, here.tiles, here.middles, strict=True)
    for name, tile, (x, y) in (place for place in places if place[0] in tints):
        side, strength, word = tints[name]
        kind = f'class="{f"o{CLASS[side]}" if side else "ht"}" fill-opacity="{strength:.2f}"'
        tiles.setdefault(kind, []).append(shrink(tile))
        mark = _glyph(side, x, y) if side and not word else text_at(word, x, y, ' class="n"')
        marks.append(f"<g><title>{name}</title>{mark}</g>")
    paths = (f'<path {kind} d="{_path(found)}"/>' for kind, found in tiles.items())
    board = svg_board(picture, DrawingOptions(ground=ground, has_names=False))
    return "".join((board.removesuffix("</svg>"), *paths, *marks, "</svg>"))


def svg_board(picture: Picture, frame: DrawingOptions = PLAIN_FRAME) -> str:
    """Return the picture as one element, whose colours come from :func:`style`."""
    ground = geometry_of(picture.game)
    box = ground.box(has_labels=frame.has_labels)
    box = _square_box(box) if frame.is_square else box
    legend = wrap_legend(picture, round(box.width)) if frame.has_legend else []
    words = list(_legend(legend, box))
    if words:
        wide = max([box.width, *(3 * LINE + 4.6 * len(line.words) for line in legend)])
        box = box._replace(width=math.ceil(wide), height=box.height + LINE * (len(legend) + 1))
    if frame.ground:
        below = f'<image href="{frame.ground}" x="{box.left:g}" y="{box.top:g}"'
        below += f' width="{box.width:g}" height="{box.height:g}"/>'
        below += _labels(ground, [*ground.labels, *ground.letters], frame)
    else:
        below = ground_parts(picture.game, has_labels=frame.has_labels)
    role = "group" if frame.link else "img"  # an image has nothing in it to click on
    start = f'<svg {size_words(box)} role="{role}" aria-label="{escape_html(picture.title)}">'
    told = f"<desc>{escape_html(description(picture))}</desc>"
    on_board = parts_on(picture, ground, frame)
    looks = "" if frame.ground else STONES
    return "".join((start, told, looks, below, *on_board, *words, "</svg>"))


def description(picture: Picture) -> str:
    """Return in words what stands on the board and how, for a picture's alternative text."""
    spots, caption = picture.spots, picture.caption
    parts = []
    for side, player in ((Side.X, caption.x), (Side.O, caption.o)):
        who = f"{side.value}, {player}" if player else side.value
        stones = _names(spot for spot in spots if spot.stone is side)
        parts.append(f"{who}: {stones or 'none'}.")
    marked = [("Last turn", _names(spot for spot in spots if spot.is_last))]
    for side in Side:
        owned = _names(spot for spot in spots if spot.owner is side)
        corners = _names(spot for spot in spots if spot.corner_owner is side)
        marked += [(f"Owned by {side.value}", owned), (f"Corners of {side.value}", corners)]
    parts += [f"{what}: {names}." for what, names in marked if names]
    return " ".join([*parts, *caption.standing.split("\n")]).rstrip()


def _names(spots: Iterable[CellView]) -> str:
    return " ".join(spot.name for spot in spots)


def size_words(box: Box) -> str:
    """Return the attributes of a drawing that needs so much room."""
    view = " ".join(f"{number:g}" for number in box)
    return (
        f'xmlns="http://www.w3.org/2000/svg" class="b" viewBox="{view}"'
        f' width="{2 * box.width:g}" height="{2 * box.height:g}"'
    )


def _square_box(box: Box) -> Box:
    size = max(box.width, box.height)
    left, top = box.left - (size - box.width) / 2, box.top - (size - box.height) / 2
    return Box(left, top, size, size)


@lru_cache(maxsize=64)
def ground_parts(game: Game, *, has_labels: bool) -> str:
    """Return everything below the stones: frame, sides, tiles, bridge and labels."""
    ground = geometry_of(game)
    outline = _path(ground.outline)
    parts = [f'<path class="fr" d="{outline}"/>']
    if ground.rim:
        tiles = [shrink(hexagon(*middle)) for middle in ground.rim]
        parts.append(f'<path class="t4" d="{_path(tiles)}"/>')
    if ground.edges:
        lines = [(CLASS[edge.side] if edge.side else "", _line(edge.line)) for edge in ground.edges]
        parts += [f'<path class="sr sr{kind}" d="{line}"/>' for kind, line in lines]
        parts += [f'<path class="sd sd{kind}" d="{line}"/>' for kind, line in lines]
        parts.append(f'<path class="fi" d="{outline}"/>')  # hides their inner half
    for shade in ground.shades:
        parts.append(f'<path class="{shade.name}" d="{_path(map(shrink, shade.tiles))}"/>')
    if ground.bridge:
        parts.append(f'<path class="br" d="{_line(ground.bridge)}z"/>')
    if has_labels:
        parts.append(_labels(ground, [*ground.labels, *ground.letters]))
    return "".join(parts)


def _labels(
    ground: BoardGeometry,
    labels: Iterable[Words],
    frame: DrawingOptions = PLAIN_FRAME,
    stone: str = "",
) -> str:
    """Return labels, on a page larger ones further out, or those of corners on a ``stone``."""
    *_, width, height = ground.box()
    sized = f'<g class="lh" font-size="{height:g}" aria-hidden="true"><g font-size="{width:g}">'
    found = [f'<g class="lb">{sized if frame.ground else ""}']
    size, unit = (1, "em") if frame.ground else (8, "")
    for text, x, y, way in labels:
        at, right, down = "", x, y
        if frame.ground:
            right, down = ((0.36 + 0.24 * len(text)) * part for part in way)
            at = f' transform="translate({x - 8 * right:.1f} {y - 8 * down:.1f})"'
        if stone:
            middle = f'cx="{right:.2f}{unit}" cy="{down:.2f}{unit}" r="{0.94 * size:g}{unit}"'
            found.append(f'<circle class="bd {stone}"{at} {middle}/>')
        kind = f' class="n n{stone}"' if stone else ""
        middle = f'x="{right:.2f}{unit}" y="{down + 0.36 * size:.2f}{unit}"'
        found.append(f"<text{kind}{at} {middle}>{escape_html(text)}</text>")
    return "".join([*found, "</g></g></g>" if frame.ground else "</g>"])


def parts_on(picture: Picture, ground: BoardGeometry, frame: DrawingOptions) -> Iterator[str]:
    """Yield what stands on the board, from below."""

    def group(name: str, parts: Iterable[str], kind: str = "") -> str:
        ident = f' id="{name}"' if frame.is_scripted else ""
        return f"<g{ident}{kind}>{''.join(parts)}</g>"

    whole = picture.game.ownership(picture.position)
    yield group("own", _owners(picture, ground, frame))
    if ground.rim:
        beads = _flat_beads if frame.is_flat else partial(map, bead)
        yield group("ext", beads(whole.externals, ground.rim))
    yield '<g class="shade">' if frame.has_shadow else "<g>"
    # A stone that is only meant joins nothing yet.
    firm = [
        spot._replace(stone=None) if cell in frame.ghosts else spot
        for cell, spot in enumerate(picture.spots)
    ]
    yield group("cords", _cords(firm, ground))
    if frame.is_flat:
        yield group("cells", _flat_stones(picture.spots, ground))
    else:
        yield group("cells", _stones(picture.spots, ground, frame))
    yield "</g>"
    yield group("marks", _marks(picture, ground))


def _owners(picture: Picture, ground: BoardGeometry, frame: DrawingOptions) -> Iterator[str]:
    """Yield what is owned: tiles in the owner's tint, and a dot or a ring where no stone stands."""
    for side in Side:
        tiles = _path(
            shrink(tile)
            for tile, spot in zip(ground.tiles, picture.spots, strict=True)
            if side in {spot.owner, spot.corner_owner}
        )
        if tiles:
            yield f'<path class="o{CLASS[side]}" d="{tiles}"/>'
    for cell, spot in enumerate(picture.spots):
        if spot.owner is not None and spot.stone is None:
            yield _glyph(spot.owner, *ground.middles[cell])
        if spot.corner_owner is not None and frame.has_labels:
            yield _labels(ground, [ground.label_at(cell)], frame, CLASS[spot.corner_owner])


def _glyph(side: Side, x: float, y: float) -> str:
    radius = 3 if side is Side.X else 2.6
    return f'<circle class="g{CLASS[side]}" cx="{x:.1f}" cy="{y:.1f}" r="{radius}"/>'


def bead(external: External, middle: Dot) -> str:
    """Return a place on the rim: hollow, a small stone of who touches it, or half of each."""
    at = f'cx="{middle[0]:.1f}" cy="{middle[1]:.1f}"'
    if not external.sides:
        return f'<circle class="e0" {at} r="2"/>'
    if len(external.sides) == 1:
        return f'<circle class="bd {CLASS[next(iter(external.sides))]}" {at} r="5"/>'
    left = f"M{middle[0]:.1f} {middle[1] - 5:.1f}a5 5 0 0 0 0 10z"
    return f'<circle class="bd o" {at} r="5"/><path class="bd gx" d="{left}"/>'


def _cords(spots: Sequence[CellView], ground: BoardGeometry) -> Iterator[str]:
    """Yield what makes a chain one body: the rims of cords and stones, then the cords."""
    for side in Side:
        cells = {cell for cell, spot in enumerate(spots) if spot.stone is side and not spot.is_dead}
        if not cells:
            continue
        kind, lines = CLASS[side], links(ground, cells)
        middles = [ground.middles[cell] for cell in sorted(cells)]
        dots = _dots(middles)
        yield f'<path class="r{kind}" d="{lines}"/>'
        yield f'<path class="d{kind}" stroke-width="{2 * ground.radius + 2:.1f}" d="{dots}"/>'
        yield f'<path class="c{kind}" d="{lines}"/>'


def links(ground: BoardGeometry, cells: Iterable[Cell], *, with_one_of: Iterable[Cell] = ()) -> str:
    """Return the lines between neighbours among the cells; all, or those of one of some cells."""
    inside, ends = frozenset(cells), frozenset(with_one_of)
    return _lines(
        ground,
        (
            (one, other)
            for one, other in ground.board.links
            if one in inside and other in inside and (not ends or one in ends or other in ends)
        ),
    )


def _lines(ground: BoardGeometry, pairs: Iterable[tuple[Cell, Cell]]) -> str:
    return "".join(_line([ground.middles[one], ground.middles[other]]) for one, other in pairs)


def _tree_links(ground: BoardGeometry, cells: Iterable[Cell]) -> Iterator[tuple[Cell, Cell]]:
    """Yield the links of a spanning tree of the cells, joining two parts at a time (Kruskal)."""
    part = {cell: cell for cell in cells}
    for one, other in ground.board.links:
        if one in part and other in part and part[one] != part[other]:
            kept, gone = part[one], part[other]
            part = {cell: kept if name == gone else name for cell, name in part.items()}
            yield one, other


def _stones(
    spots: Sequence[CellView], ground: BoardGeometry, frame: DrawingOptions
) -> Iterator[str]:
    link = escape_html(frame.link)
    for cell, (spot, (x, y)) in enumerate(zip(spots, ground.middles, strict=True)):
        if spot.stone is None and not frame.has_names:
            continue
        radius = ground.radius * (0.8 if spot.is_dead else 1)
        kind = CLASS[frame.ghosts.get(cell, spot.stone)]
        kind += f"{' dead' if spot.is_dead else ''}{' ghost' if cell in frame.ghosts else ''}"
        at = f'cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"'
        drawn = f'<circle class="{kind}" {at}><title>{_cell_title(spot)}</title></circle>'
        is_linked = link and spot.stone is None and cell not in frame.ghosts
        label = f'rel="nofollow" aria-label="{spot.name}, empty"'
        yield f'<a href="{link}{spot.name}" {label}>{drawn}</a>' if is_linked else drawn


def _flat_stones(spots: Sequence[CellView], ground: BoardGeometry) -> Iterator[str]:
    """Yield all stones of a side at once, layer by layer."""
    for side, is_dead in product(Side, (False, True)):
        middles = [
            middle
            for spot, middle in zip(spots, ground.middles, strict=True)
            if spot.stone is side and spot.is_dead is is_dead
        ]
        radius = ground.radius * (0.8 if is_dead else 1)
        if middles:
            yield '<g class="dead">' if is_dead else "<g>"
            yield from _layers(side, middles, radius)
            yield "</g>"


def _flat_beads(externals: Sequence[External], rim: Sequence[Dot]) -> Iterator[str]:
    """Yield what :func:`bead` draws of each place on the rim, those of a side at once."""
    places = list(zip(externals, rim, strict=True))
    for side in Side:
        middles = [middle for external, middle in places if {*external.sides} == {side}]
        if middles:
            yield f'<path class="d{CLASS[side]}" stroke-width="11" d="{_dots(middles)}"/>'
            yield from _layers(side, middles, 5)
    yield from (bead(*place) for place in places if len(place[0].sides) != 1)


def _layers(side: Side, middles: Sequence[Dot], radius: float) -> Iterator[str]:
    for kind, part, far in LAYERS[side]:
        d = _dots((x - 0.28 * far * radius, y - 0.4 * far * radius) for x, y in middles)
        yield f'<path class="{kind}" stroke-width="{2 * part * radius:.1f}" d="{d}"/>'


def _dots(middles: Iterable[Dot]) -> str:
    """Return lines without length, which round ends make dots."""
    return "".join(f"M{x:.1f} {y:.1f}h0" for x, y in middles)


def _cell_title(spot: CellView) -> str:
    words = spot.name if spot.stone is None else f"{spot.name} {spot.stone.value}"
    if spot.is_dead:
        words += ", dead"
    return words if spot.owner is None else f"{words}, owned by {spot.owner.value}"


def _marks(picture: Picture, ground: BoardGeometry) -> Iterator[str]:
    """Yield the winning line, numbers, and the mark of the last turn."""
    if path := picture.owned.path:
        winner = picture.spots[min(path)].stone
        yield f'<path class="w w{CLASS[winner]}" d="{_lines(ground, _tree_links(ground, path))}"/>'
    counts = picture.game.ownership(picture.position).corner_counts
    numbers = {cell: str(count) for cell, count in counts.items() if picture.spots[cell].stone}
    numbers |= picture.marks
    for cell, spot in enumerate(picture.spots):
        x, y = ground.middles[cell]
        if spot.is_last and cell not in picture.marks:
            at = f'cx="{x:.1f}" cy="{y:.1f}" r="{ground.radius * 0.34:.1f}"'
            yield f'<circle class="l{CLASS[spot.stone]}" {at}/>'
        elif cell in numbers:
            if spot.stone is Side.O and cell in picture.marks:
                # The stone's ring would run through the number.
                radius = ground.radius * 0.76
                yield f'<circle class="nb" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"/>'
            dead = " nd" if spot.is_dead else ""
            yield text_at(numbers[cell], x, y, f' class="n n{CLASS[spot.stone]}{dead}"')


def text_at(words: str, x: float, y: float, more: str = "") -> str:
    """Return words about this middle."""
    return f'<text{more} x="{x:.1f}" y="{y + 2.9:.1f}">{escape_html(words)}</text>'


def _line(dots: Iterable[Dot]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in dots)


def _path(polygons: Iterable[Polygon]) -> str:
    """Return closed lines, each step from the dot before: half as long as dots by themselves."""
    found = []
    for polygon in polygons:
        dots = [(round(x, 1), round(y, 1)) for x, y in polygon]
        steps = " ".join(f"{c - a:.3g} {d - b:.3g}" for (a, b), (c, d) in pairwise(dots))
        found.append(f"M{dots[0][0]:g} {dots[0][1]:g}l{steps.replace(' -', '-')}z")
    return "".join(found)


def _legend(lines: Sequence[LegendLine], box: Box) -> Iterator[str]:
    """Yield the legend below the board: a mark and what it means in each line."""
    for number, (mark, words, side) in enumerate(lines):
        x, y = box.left + LINE, box.top + box.height + LINE * (number + 0.5)
        yield _legend_mark(mark, x, y, CLASS[side])
        yield f'<text class="lg" x="{x + LINE:.1f}" y="{y + 3:.1f}">{escape_html(words)}</text>'


def legend_items(picture: Picture) -> Iterator[tuple[str, str]]:
    """Yield each mark of the picture as a small element, and what it means; not the players."""
    for mark, words, side in wrap_legend(picture, WIDE):
        if mark not in {Mark.X, Mark.O}:
            drawn = _legend_mark(mark, 0, 0, CLASS[side])
            yield f'<svg viewBox="-7 -7 14 14" aria-hidden="true">{drawn}</svg>', words


def _legend_mark(mark: Mark, x: float, y: float, kind: str) -> str:
    at = f'cx="{x:.1f}" cy="{y:.1f}"'
    left, bar = f"M{x:.1f} {y - 5:.1f}a5 5 0 0 0 0 10z", f"M{x - 4:.1f} {y:.1f}h8"
    return {
        Mark.NONE: "",
        Mark.X: f'<circle class="bd x" {at} r="5"/>',
        Mark.O: f'<circle class="bd o" {at} r="5"/>',
        Mark.LAST: f'<circle class="bd {kind}" {at} r="5"/><circle class="l{kind}" {at} r="1.8"/>',
        Mark.OWNED_X: f'<circle class="gx" {at} r="3"/>',
        Mark.OWNED_O: f'<circle class="go" {at} r="2.6"/>',
        Mark.BOTH: f'<circle class="bd o" {at} r="5"/><path class="bd gx" d="{left}"/>',
        Mark.DEAD: f'<circle class="{kind} dead" {at} r="4"/>',
        Mark.WON: f'<path class="c{kind}" d="{bar}"/><path class="w w{kind}" d="{bar}"/>',
        Mark.NUMBER: f'<circle class="bd {kind}" {at} r="5"/>'
        + text_at("2", x, y, f' class="n n{kind}"'),
    }[mark]


def wrap_legend(picture: Picture, width: int) -> list[LegendLine]:
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
        yield LegendLine(Mark.BOTH, "externals: who touches each")
    for side, mark in ((Side.X, Mark.OWNED_X), (Side.O, Mark.OWNED_O)):
        if any(side in {spot.owner, spot.corner_owner} for spot in spots):
            yield LegendLine(mark, f"owned by {side.value}")
    of_marks = {
        Mark.WON: ("the chain that has won", picture.owned.path),
        Mark.DEAD: (
            "dead stone, in its owner's tint",
            [cell for cell, spot in enumerate(spots) if spot.is_dead],
        ),
        Mark.NUMBER: ("number of corners of the group", whole.corner_counts),
    }
    for mark, (words, cells) in of_marks.items():
        # A sample is a stone that is so on the board.
        stones = filter(None, (spots[cell].stone for cell in cells))
        yield from (LegendLine(mark, words, stone) for stone in islice(stones, 1))
