"""Pictures as SVG: one self-contained document, the same for a file, a page and a PNG."""

from collections.abc import Iterable, Iterator, Sequence

from pbmserv.club.written_text import in_markup
from pbmserv.engine.board import Label, Place
from pbmserv.engine.lattices import lattice_places
from pbmserv.engine.ownership import External
from pbmserv.engine.position import Side
from pbmserv.render.legend import LINE_HEIGHT, LegendLine, Mark, legend_lines, legend_width
from pbmserv.render.picture import Picture, Spot

SCALE = 32.0
"""Pixels in one unit of the plane, at least; more where neighbours lie closer than a unit."""

STAMP = 40
"""Pixels of the square around a stone that is drawn apart."""

FONT = "DejaVu Sans"

GROUND = "#faf6ec"
LINES = "#c9bda3"
DOTS = "#8a7d62"
TEXT = "#5c5340"
CORNERS = "#009e73"
FILLS = {Side.X: "#0072b2", Side.O: "#e69f00"}
EDGES = {Side.X: "#003a5c", Side.O: "#7a5300"}

WHITE = "#ffffff"
FAINT = 0.35
OWNED_RADIUS = 6

LETTERING = f'font-family="{FONT}, sans-serif" font-size="13" fill="{TEXT}"'
MIDDLE = 'text-anchor="middle"'
HALO = f'stroke="{GROUND}" stroke-width="4" stroke-linejoin="round" paint-order="stroke"'

LETTER_WIDTH = 0.5
"""Units of the plane that a letter of a label takes."""

(DIAGONAL,) = lattice_places([(0, 1)])
"""The step along a diagonal of a lattice, which leads to its letter."""


class Canvas:
    """The measures of a picture in pixels: its size, the radius of stones and every place.

    The board lies above ``board_height``, the legend below: that of the picture, or another one.
    """

    def __init__(self, picture: Picture, legend: Sequence[LegendLine] = ()) -> None:
        places = [spot.place for spot in picture.spots]
        nearest = min(
            (_distance(places[cell], places[other]) for cell, other in picture.board.links),
            default=1.0,
        )
        self.scale = SCALE / min(1.0, nearest)
        self.radius = SCALE * 0.42
        places += [external.place for external in picture.owned.externals]
        places += [label.place for label in picture.labels]
        places += [
            Place(label.place.x - LETTER_WIDTH * (len(label.text) - 1), label.place.y)
            for label in picture.labels
        ]
        margin = SCALE * 0.8
        self._left = min(place.x for place in places) * self.scale - margin
        self._top = min(place.y for place in places) * self.scale - margin
        width = round(max(place.x for place in places) * self.scale + margin - self._left)
        bottom = round(max(place.y for place in places) * self.scale + margin - self._top)
        self.legend = legend or legend_lines(picture, width)
        self.width = max(width, legend_width(self.legend))
        self.board_height = bottom
        self.height = bottom + LINE_HEIGHT * len(self.legend) + LINE_HEIGHT // 2

    def stamp(self, number: int) -> tuple[int, int]:
        """Return the middle of a stamp below the picture, whole pixels at half the size too."""
        above = -(-self.height // STAMP) * STAMP
        return STAMP * number + STAMP // 2, above + STAMP // 2

    def at(self, place: Place) -> tuple[float, float]:
        """Return the pixels of a place, from the upper left."""
        x, y = place.x * self.scale - self._left, place.y * self.scale - self._top
        return round(x, 1), round(y, 1)


def svg_picture(picture: Picture) -> str:
    """Return the picture as an SVG document with a legend, and in words for those who hear it.

    It refers to nothing outside itself; fonts are named, not embedded.
    """
    canvas = Canvas(picture)
    spots = (_spot(spot, canvas) for spot in picture.spots)
    return _document(picture, canvas, spots, (canvas.width, canvas.height))


def svg_stamps(picture: Picture, canvas: Canvas, stamps: Sequence[Spot]) -> str:
    """Return the picture, and below it the ``stamps`` side by side.

    The middle of each is what :meth:`Canvas.stamp` says.
    """
    spots = [_spot(spot, canvas) for spot in picture.spots]
    for number, stamp in enumerate(stamps):
        (x, y), (home_x, home_y) = canvas.stamp(number), canvas.at(stamp.place)
        move = f"translate({x - home_x:g} {y - home_y:g})"
        spots.append(iter((f'<g transform="{move}">', *_spot(stamp, canvas), "</g>")))
    width = max(canvas.width, STAMP * len(stamps))
    return _document(picture, canvas, spots, (width, canvas.stamp(0)[1] + STAMP // 2))


def _document(
    picture: Picture, canvas: Canvas, spots: Iterable[Iterable[str]], pixels: tuple[int, int]
) -> str:
    width, height = pixels
    size = f'width="{width}" height="{height}"'
    view = f'viewBox="0 0 {width} {height}"'
    heard = 'role="img" aria-labelledby="board-title board-description"'
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} {view} {heard}>',
            f'<title id="board-title">{in_markup(picture.title)}</title>',
            f'<desc id="board-description">{in_markup(description(picture))}</desc>',
            f'<rect {size} rx="8" fill="{GROUND}"/>',
            *svg_ground(picture, canvas),
            *(svg_external(external, canvas) for external in picture.owned.externals),
            *(part for spot in spots for part in spot),
            *_legend(canvas),
            "</svg>",
        )
    )


def svg_ground(picture: Picture, canvas: Canvas) -> Iterator[str]:
    """Yield what is drawn below the cells: the lines between them and the labels."""
    yield f'<path d="{_link_path(picture, canvas)}" stroke="{LINES}" stroke-width="1.5"/>'
    yield f'<path d="{_leader_path(picture, canvas)}" stroke="{LINES}" stroke-width="1"/>'
    yield from _labels(picture, canvas)


def description(picture: Picture) -> str:
    """Return in words what stands on the board and how, for a picture's alternative text."""
    spots, caption = picture.spots, picture.caption
    parts = []
    for side, player in ((Side.X, caption.x), (Side.O, caption.o)):
        who = f"{side.value}, {player}" if player else side.value
        stones = _listed(spot for spot in spots if spot.stone is side)
        parts.append(f"{who}: {stones or 'none'}.")
    if last := _listed(spot for spot in spots if spot.is_last):
        parts.append(f"Last turn: {last}.")
    for side in Side:
        if owned := _listed(spot for spot in spots if spot.owner is side):
            parts.append(f"Owned by {side.value}: {owned}.")
        if corners := _listed(spot for spot in spots if spot.corner_owner is side):
            parts.append(f"Corners of {side.value}: {corners}.")
    return " ".join([*parts, *caption.standing.split("\n")]).rstrip()


def _listed(spots: Iterable[Spot]) -> str:
    return " ".join(spot.name for spot in spots)


def _distance(one: Place, other: Place) -> float:
    return float(((one.x - other.x) ** 2 + (one.y - other.y) ** 2) ** 0.5)


def _link_path(picture: Picture, canvas: Canvas) -> str:
    points = [canvas.at(spot.place) for spot in picture.spots]
    return "".join(_line(points[cell], points[other]) for cell, other in picture.board.links)


def _leader_path(picture: Picture, canvas: Canvas) -> str:
    """Return the lines that lead from the board to its labels, in text dashes and strokes."""
    lines = []
    for label in picture.labels:
        x, y = label.place
        if label.text.endswith("-"):
            ends = Place(x, y), Place(x + 3 * LETTER_WIDTH, y)
        elif label.text == "\\":
            across, down = DIAGONAL.x / 2, DIAGONAL.y / 2
            ends = Place(x - across, y - down), Place(x + across, y + down)
        else:
            continue
        lines.append(_line(canvas.at(ends[0]), canvas.at(ends[1])))
    return "".join(lines)


def _line(start: tuple[float, float], end: tuple[float, float]) -> str:
    return f"M{start[0]:g} {start[1]:g}L{end[0]:g} {end[1]:g}"


def _labels(picture: Picture, canvas: Canvas) -> Iterator[str]:
    yield f"<g {LETTERING} {MIDDLE} {HALO}>"
    for label in picture.labels:
        words = label.text.strip("-\\")
        if words:
            x, y = canvas.at(_middle(label, words))
            yield f'<text x="{x:g}" y="{y + 4.5:g}">{in_markup(words)}</text>'
    yield "</g>"


def _middle(label: Label, words: str) -> Place:
    """Return the middle of the words, of which ``label.place`` is the last character of all."""
    after = len(label.text) - len(words)
    return Place(label.place.x - LETTER_WIDTH * (after + (len(words) - 1) / 2), label.place.y)


def _spot(spot: Spot, canvas: Canvas) -> Iterator[str]:
    x, y = canvas.at(spot.place)
    centre = f'cx="{x:g}" cy="{y:g}"'
    radius = canvas.radius
    if spot.corner_owner is not None:
        title = f"{spot.name} is owned by {spot.corner_owner.value}"
        yield _ring(centre, radius, FILLS[spot.corner_owner], title)
    if spot.stone is None:
        yield from _empty(spot, x, y)
        return
    words = f"{spot.name} {spot.stone.value}"
    if spot.is_dead and spot.owner is not None:
        words += f", dead, owned by {spot.owner.value}"
    edge, width = (CORNERS, 3.0) if spot.is_corner or spot.is_winning else (EDGES[spot.stone], 1.5)
    opacity = f' fill-opacity="{FAINT}"' if spot.is_dead else ""
    yield (
        f'<circle {centre} r="{radius:g}" fill="{FILLS[spot.stone]}"{opacity}'
        f' stroke="{edge}" stroke-width="{width:g}">'
        f"<title>{words}</title></circle>"
    )
    if spot.corner_count:
        yield _number(x, y, spot.corner_count)
    elif spot.is_last:
        yield f'<circle {centre} r="{radius * 0.4:g}" fill="{WHITE}"/>'
    if spot.is_dead and spot.owner is not None:
        yield f'<circle {centre} r="{radius * 0.3:g}" fill="{FILLS[spot.owner]}"/>'


def _ring(centre: str, radius: float, colour: str, title: str = "") -> str:
    words = f"<title>{title}</title>" if title else ""
    return (
        f'<circle {centre} r="{radius * 1.45:g}" fill="none"'
        f' stroke="{colour}" stroke-width="3.5">{words}</circle>'
    )


def _number(x: float, y: float, number: int) -> str:
    return (
        f'<text x="{x:g}" y="{y + 4.5:g}" {LETTERING.replace(TEXT, WHITE)} font-weight="bold"'
        f' text-anchor="middle">{number}</text>'
    )


def _empty(spot: Spot, x: float, y: float) -> Iterator[str]:
    centre = f'cx="{x:g}" cy="{y:g}"'
    title = f"<title>{spot.name}</title>"
    if spot.owner is not None:
        colour = FILLS[spot.owner]
        title = f"<title>{spot.name}, owned by {spot.owner.value}</title>"
        yield f'<circle {centre} r="{OWNED_RADIUS}" fill="{colour}">{title}</circle>'
    elif spot.is_corner:
        yield (
            f'<circle {centre} r="6" fill="{GROUND}" stroke="{CORNERS}" stroke-width="3">'
            f"{title}</circle>"
        )
    elif spot.digit:
        yield f'<circle {centre} r="8" fill="{GROUND}">{title}</circle>'
        yield f'<text x="{x:g}" y="{y + 4.5:g}" {LETTERING} {MIDDLE}>{spot.digit}</text>'
    else:
        yield f'<circle {centre} r="3" fill="{DOTS}">{title}</circle>'


def svg_external(external: External, canvas: Canvas) -> str:
    """Return an external: a small disc in the colour of who touches it, in halves for both."""
    x, y = canvas.at(external.place)
    centre = f'cx="{x:g}" cy="{y:g}"'
    if not external.sides:
        return f'<circle {centre} r="3" fill="none" stroke="{DOTS}"/>'
    if len(external.sides) == 1:
        return f'<circle {centre} r="{OWNED_RADIUS}" fill="{FILLS[next(iter(external.sides))]}"/>'
    return _halves(x, y)


def _halves(x: float, y: float) -> str:
    """Return a disc of which each side has one half."""
    radius = OWNED_RADIUS
    top, bottom = f"M{x:g} {y - radius:g}", f"{x:g} {y + radius:g}"
    arcs = ((0, FILLS[Side.X]), (1, FILLS[Side.O]))
    return "".join(
        f'<path d="{top}A{radius} {radius} 0 0 {way} {bottom}Z" fill="{colour}"/>'
        for way, colour in arcs
    )


def _legend(canvas: Canvas) -> Iterator[str]:
    """Yield the legend below the board: a mark and what it means in each line."""
    x = LINE_HEIGHT
    for number, (mark, words) in enumerate(canvas.legend):
        y = canvas.board_height + LINE_HEIGHT * number + LINE_HEIGHT // 2
        yield _legend_mark(mark, x, y)
        yield (f'<text x="{2 * LINE_HEIGHT}" y="{y + 4.5:g}" {LETTERING}>{in_markup(words)}</text>')


def _legend_mark(mark: Mark, x: float, y: float) -> str:
    centre = f'cx="{x:g}" cy="{y:g}"'
    marks = {
        Mark.NONE: "",
        Mark.X: _disc(centre, Side.X),
        Mark.O: _disc(centre, Side.O),
        Mark.LAST: f'<circle {centre} r="8" fill="{DOTS}"/><circle {centre} r="4" fill="{WHITE}"/>',
        Mark.CORNER: f'<circle {centre} r="6" fill="{GROUND}"'
        f' stroke="{CORNERS}" stroke-width="3"/>',
        Mark.DIGIT: f'<text x="{x:g}" y="{y + 4.5:g}" {LETTERING} {MIDDLE}>1</text>',
        Mark.OWNED_X: f'<circle {centre} r="{OWNED_RADIUS}" fill="{FILLS[Side.X]}"/>',
        Mark.OWNED_O: f'<circle {centre} r="{OWNED_RADIUS}" fill="{FILLS[Side.O]}"/>',
        Mark.BOTH: _halves(x, y),
        Mark.DEAD: f'<circle {centre} r="8" fill="{FILLS[Side.O]}" fill-opacity="{FAINT}"'
        f' stroke="{EDGES[Side.O]}"/><circle {centre} r="3" fill="{FILLS[Side.X]}"/>',
        Mark.RING: _ring(centre, 5.5, FILLS[Side.X]),
        Mark.NUMBER: f'<circle {centre} r="8" fill="{DOTS}"/>{_number(x, y, 2)}',
    }
    return marks[mark]


def _disc(centre: str, side: Side) -> str:
    return f'<circle {centre} r="8" fill="{FILLS[side]}" stroke="{EDGES[side]}"/>'
