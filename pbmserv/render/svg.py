"""Pictures as SVG: one self-contained document, the same for a file, a page and a PNG."""

from collections.abc import Iterator
from html import escape

from pbmserv.engine.board import Label, Place
from pbmserv.engine.position import Side
from pbmserv.render.picture import Picture, Spot

SCALE = 32.0
"""Pixels in one unit of the plane, at least; more where neighbours lie closer than a unit."""

FONT = "DejaVu Sans"

GROUND = "#faf6ec"
LINES = "#c9bda3"
DOTS = "#8a7d62"
TEXT = "#5c5340"
CORNERS = "#009e73"
FILLS = {Side.X: "#0072b2", Side.O: "#e69f00"}
EDGES = {Side.X: "#003a5c", Side.O: "#7a5300"}


class Canvas:
    """The measures of a picture in pixels: its size, the radius of stones and every place."""

    def __init__(self, picture: Picture) -> None:
        places = [spot.place for spot in picture.spots]
        nearest = min(
            (_distance(places[cell], places[other]) for cell, other in picture.links), default=1.0
        )
        self.scale = SCALE / min(1.0, nearest)
        self.radius = SCALE * 0.42
        width = picture.character[0]
        places += [label.place for label in picture.labels]
        places += [
            Place(label.place.x - width * (len(label.text) - 1), label.place.y)
            for label in picture.labels
        ]
        margin = SCALE * 0.8
        self._left = min(place.x for place in places) * self.scale - margin
        self._top = min(place.y for place in places) * self.scale - margin
        self.width = round(max(place.x for place in places) * self.scale + margin - self._left)
        self.height = round(max(place.y for place in places) * self.scale + margin - self._top)

    def at(self, place: Place) -> tuple[float, float]:
        """Return the pixels of a place, from the upper left."""
        x, y = place.x * self.scale - self._left, place.y * self.scale - self._top
        return round(x, 1), round(y, 1)


def svg_picture(picture: Picture) -> str:
    """Return the picture as an SVG document with a title and a description for those who hear it.

    It refers to nothing outside itself; fonts are named, not embedded.
    """
    canvas = Canvas(picture)
    size = f'width="{canvas.width}" height="{canvas.height}"'
    view = f'viewBox="0 0 {canvas.width} {canvas.height}"'
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} {view} role="img">',
            f"<title>{escape(picture.title)}</title>",
            f"<desc>{escape(description(picture))}</desc>",
            f'<rect {size} rx="8" fill="{GROUND}"/>',
            f'<path d="{_link_path(picture, canvas)}" stroke="{LINES}" stroke-width="1.5"/>',
            f'<path d="{_leader_path(picture, canvas)}" stroke="{LINES}" stroke-width="1"/>',
            *_labels(picture, canvas),
            *(part for spot in picture.spots for part in _spot(spot, canvas)),
            "</svg>",
        )
    )


def description(picture: Picture) -> str:
    """Return in words what stands on the board, for a picture's alternative text."""
    parts = []
    for side in Side:
        names = [spot.name for spot in picture.spots if spot.stone is side]
        parts.append(f"{side.value}: {' '.join(names) or 'none'}.")
    if last := [spot.name for spot in picture.spots if spot.is_last]:
        parts.append(f"Last turn: {' '.join(last)}.")
    return " ".join(parts)


def _distance(one: Place, other: Place) -> float:
    return float(((one.x - other.x) ** 2 + (one.y - other.y) ** 2) ** 0.5)


def _link_path(picture: Picture, canvas: Canvas) -> str:
    points = [canvas.at(spot.place) for spot in picture.spots]
    return "".join(_line(points[cell], points[other]) for cell, other in picture.links)


def _leader_path(picture: Picture, canvas: Canvas) -> str:
    """Return the lines that lead from the board to its labels, in text dashes and strokes."""
    width, height = picture.character
    lines = []
    for label in picture.labels:
        x, y = label.place
        if label.text.endswith("-"):
            ends = Place(x, y), Place(x + 3 * width, y)
        elif label.text == "\\":
            ends = Place(x - width / 2, y - height / 2), Place(x + width / 2, y + height / 2)
        else:
            continue
        lines.append(_line(canvas.at(ends[0]), canvas.at(ends[1])))
    return "".join(lines)


def _line(start: tuple[float, float], end: tuple[float, float]) -> str:
    return f"M{start[0]:g} {start[1]:g}L{end[0]:g} {end[1]:g}"


def _labels(picture: Picture, canvas: Canvas) -> Iterator[str]:
    yield (
        f'<g font-family="{FONT}, sans-serif" font-size="13" text-anchor="middle" fill="{TEXT}"'
        f' stroke="{GROUND}" stroke-width="4" stroke-linejoin="round" paint-order="stroke">'
    )
    for label in picture.labels:
        words = label.text.strip("-\\")
        if words:
            x, y = canvas.at(_middle(label, words, picture.character[0]))
            yield f'<text x="{x:g}" y="{y + 4.5:g}">{escape(words)}</text>'
    yield "</g>"


def _middle(label: Label, words: str, width: float) -> Place:
    """Return the middle of the words, of which ``label.place`` is the last character of all."""
    after = len(label.text) - len(words)
    return Place(label.place.x - width * (after + (len(words) - 1) / 2), label.place.y)


def _spot(spot: Spot, canvas: Canvas) -> Iterator[str]:
    x, y = canvas.at(spot.place)
    centre = f'cx="{x:g}" cy="{y:g}"'
    radius = canvas.radius
    if spot.owner is not None:
        colour = FILLS[spot.owner]
        yield (
            f'<circle {centre} r="{radius * 1.45:g}" fill="none"'
            f' stroke="{colour}" stroke-width="3.5">'
            f"<title>{spot.name} is owned by {spot.owner.value}</title></circle>"
        )
    if spot.stone is None:
        yield _empty(spot, centre)
        return
    edge, width = (CORNERS, 3.0) if spot.is_corner else (EDGES[spot.stone], 1.5)
    yield (
        f'<circle {centre} r="{radius:g}" fill="{FILLS[spot.stone]}"'
        f' stroke="{edge}" stroke-width="{width:g}">'
        f"<title>{spot.name} {spot.stone.value}</title></circle>"
    )
    if spot.is_last:
        yield f'<circle {centre} r="{radius * 0.4:g}" fill="#ffffff"/>'


def _empty(spot: Spot, centre: str) -> str:
    title = f"<title>{spot.name}</title>"
    if spot.is_corner:
        return (
            f'<circle {centre} r="6" fill="{GROUND}" stroke="{CORNERS}" stroke-width="3">'
            f"{title}</circle>"
        )
    return f'<circle {centre} r="3" fill="{DOTS}">{title}</circle>'
