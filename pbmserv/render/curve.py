"""Curves: X's winning chance after every turn, as text and SVG, and ratings game by game."""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import pairwise
from typing import NamedTuple

from pbmserv.club.rating import START_VALUE
from pbmserv.club.wording import with_count
from pbmserv.club.written_text import escape_html
from pbmserv.render.colours import LIGHT, PAGE
from pbmserv.render.rating_curve import CurvePoint
from pbmserv.render.svg import FONTS, style

TITLE = "Winning chance of X (^ turning point)"
TURNED = "^"
HIGH = 10
"""Lines of text from 0 to 100 %."""
COLUMNS = 64
MAX_WIDTH_OF_TURN = 3
"""Columns that a turn takes at most."""
MAX_TICKS = 7

WIDTH, HEIGHT = 600, 100
"""What the plot of a drawn curve measures, however it is stretched."""
STAYING = 'vector-effect="non-scaling-stroke"'
"""A line is as thick wherever it is stretched."""
FILE_SIZE = 'width="680" height="260"'

CURVE_RULES = ".line{stroke:@label}.tick{fill:@label}"
FILE_RULES = f".ox{{fill:@x_owned}}.oo{{fill:@o_owned}}text{{fill:@label;font:13px {FONTS}}}"


def curve_rows(
    chances: Sequence[float],
    turned: Collection[int] = (),
    *,
    count: int = 0,
    columns: int = COLUMNS,
    high: int = HIGH,
    heights: str = " #",
) -> Iterator[tuple[str, str]]:
    """Yield the curve as text, from above: what stands before a line, and the line.

    ``chances`` are X's before the first move and after each, as far as the ``count`` of them is
    known; ``turned`` are the moves that turned the game. A long game has the mean of several a
    column. ``heights`` are the characters from an empty one to a full one.
    """
    count = max(count, len(chances))
    together, wide = -(-count // columns), max(1, min(MAX_WIDTH_OF_TURN, columns // count))
    parts = (chances[start : start + together] for start in range(0, len(chances), together))
    means = [sum(part) / len(part) for part in parts]
    steps = len(heights) - 1
    for line in range(high - 1, -1, -1):
        found = (round(mean * high * steps) - line * steps for mean in means)
        bars = "".join(heights[max(0, min(steps, above))] * wide for above in found)
        yield {high - 1: "100 %", high // 2 - 1: " 50 %"}.get(line, "     "), bars
    marks = ["-" * wide] * -(-count // together)
    for number in turned:
        marks[number // together] = TURNED * wide
    yield "  0 %", "".join(marks)
    *numbers, last = ticks(count - 1)
    row, end = "", max(0, min(last // together * wide, len(marks) * wide - len(str(last))))
    for number in numbers:
        at = number // together * wide
        if (not row or at > len(row)) and at + len(str(number)) < end:
            row = f"{row:<{at}}{number}"
    yield " move", f"{row:<{end}}{last}"


def ticks(count: int) -> Iterator[int]:
    """Yield the numbers that stand below a curve, the last one always."""
    steps = (digit * 10**power for power in range(9) for digit in (1, 2, 5))
    step = next(step for step in steps if count <= MAX_TICKS * step)
    yield from range(0, count - step // 2, step)
    yield count


def curve_svg(
    chances: Sequence[float], turned: Collection[int], heard: str, place: str = ""
) -> str:
    """Return the curve as an element without colours, of which only the plot is stretched."""
    last = max(1, len(chances) - 1)
    dots = [
        f"{number * WIDTH / last:.1f} {HEIGHT * (1 - worth):.1f}"
        for number, worth in enumerate(chances)
    ]
    line = "L".join(dots)
    points = (
        f'<path {STAYING} stroke-width="9" d="M{dots[number]}h0">'
        f"<title>Move {number}</title></path>"
        for number in turned
    )
    anchors = {0: "start", len(chances) - 1: "end"}
    numbers = (
        f'<text class="tick" font-size="12" text-anchor="{anchors.get(number, "middle")}"'
        f' x="{100 * number / last:.1f}%" y="98%">{number}</text>'
        for number in ticks(len(chances) - 1)
    )
    return (
        f'<svg class="curve" role="img"{place} aria-label="{escape(heard)}">'
        f'<svg height="80%" viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none"'
        f' overflow="visible"><path class="oo" d="M0 0H{WIDTH}V{HEIGHT}H0z"/>'
        f'<path class="ox" d="M0 {HEIGHT}L{line}V{HEIGHT}z"/>'
        '<g class="line" fill="none" stroke-width="1.6" stroke-linecap="round">'
        f'<path {STAYING} stroke-width="1" stroke-dasharray="4 4" d="M0 50H{WIDTH}"/>'
        f'<path {STAYING} d="M{line}"/>{"".join(points)}'
        f'<path {STAYING} id="at" d="M{WIDTH} 0V{HEIGHT}"/></g></svg>{"".join(numbers)}</svg>'
    )


def curve_file(
    chances: Sequence[float], turned: Collection[int], title: str, names: tuple[str, str]
) -> str:
    """Return the curve as an SVG document; ``names`` are those of X and O."""
    heard = f"{title}: winning chance of X"
    x_name, o_name = map(escape, names)
    place = ' x="60" y="40" width="600" height="200"'
    return (
        "\n".join(
            (
                f'<svg xmlns="http://www.w3.org/2000/svg" {FILE_SIZE} viewBox="0 0 680 260">',
                f"<title>{escape(heard)}</title>",
                f"<style>{style(LIGHT, FILE_RULES + CURVE_RULES)}</style>",
                f'<rect {FILE_SIZE} rx="8" fill="{PAGE}"/>',
                f'<g><text x="60" y="26">X wins, below: {x_name}</text>',
                f'<text x="660" y="26" text-anchor="end">O wins, above: {o_name}</text>',
                *(f'<text x="12" y="{204 - 1.6 * part}">{part} %</text>' for part in (100, 50, 0)),
                "</g>",
                curve_svg(chances, turned, heard, place),
                "</svg>",
            )
        )
        + "\n"
    )


MAX_POINTS = 200

RATING_WIDTH, RATING_HEIGHT = 480, 270
LEFT, TOP, RIGHT, BOTTOM = 52, 8, 358, 244
"""Where curves are drawn; numbers stand at the left and below, names at the right."""

NAME_HEIGHT = 17
"""How far names are apart at least."""

START = ' class="start"'
A_LINE = 100
"""Points of rating from line to line."""


class Scale(NamedTuple):
    """The ratings at the bottom and at the top, each on a line."""

    low: int
    high: int


def scale_of(values: Iterable[float]) -> Scale:
    """Return the scale on which all these ratings can be drawn, and where everybody begins."""
    shown = [START_VALUE - A_LINE, START_VALUE + A_LINE, *values]
    low, high = math.floor(min(shown) / A_LINE), math.ceil(max(shown) / A_LINE)
    return Scale(low * A_LINE, high * A_LINE)


def rating_words(name: str, points: Sequence[CurvePoint]) -> str:
    """Return what a curve says: ``Star from 1500 to 1662 in 1 game``."""
    games = with_count(len(points) // 2, "game")
    return f"{name} from {points[0].value:.0f} to {points[-1].value:.0f} in {games}"


def ratings_svg(curves: Mapping[str, Sequence[CurvePoint]]) -> str:
    """Return curves by their names on one scale, the first with a band of a deviation.

    ``at`` counts the games of all curves: each has two points for a game, before and after it.
    """
    ends = [points[-1] for points in curves.values()]
    scale = scale_of(point.value for points in curves.values() for point in points)
    games = max(end.at for end in ends)

    def across(game: int) -> float:
        return LEFT + (RIGHT - LEFT) * game / games

    def down(value: float) -> float:
        inside = min(max(value, scale.low), scale.high)
        return TOP + (BOTTOM - TOP) * (scale.high - inside) / (scale.high - scale.low)

    def line(points: Iterable[CurvePoint], way: int = 0) -> str:
        values = ((point.at, point.value + way * point.deviation) for point in points)
        return " ".join(f"{across(at):.1f},{down(value):.1f}" for at, value in values)

    parts = [
        f'<path{START if value == START_VALUE else ""} d="M{LEFT - 8} {down(value):.1f}H{RIGHT}"/>'
        f'<text x="0" y="{down(value) + 4:.1f}">{value}</text>'
        for value in range(scale.low, scale.high + 1, A_LINE)
    ]
    parts += (
        f'<text class="of" x="{across(game):.1f}" y="{RATING_HEIGHT - 6}">{game}</text>'
        for game in ticks(games)
    )
    heights = spread([down(end.value) for end in ends], NAME_HEIGHT, BOTTOM)
    for number, ((name, points), height) in enumerate(zip(curves.items(), heights, strict=True)):
        step = -(-len(points) // MAX_POINTS)
        shown = [*points[::-step][::-1], points[-1]._replace(at=games)]
        if not number:
            parts.append(f'<polygon points="{line(shown, 1)} {line(shown[::-1], -1)}"/>')
        value, words = down(points[-1].value), f"{escape_html(name)} {points[-1].value:.0f}"
        parts.append(
            f'<g class="c{number}"><polyline points="{line(shown)}"/>'
            f'<path d="M{RIGHT} {value:.1f}L{RIGHT + 10} {height:.1f}"/>'
            f'<circle cx="{RIGHT}" cy="{value:.1f}" r="4"/>'
            f'<text x="{RIGHT + 12}" y="{height + 4:.1f}">{words}</text></g>'
        )
    heard = "; ".join(rating_words(*curve) for curve in curves.items())
    return (
        f'<svg class="rating" viewBox="0 0 {RATING_WIDTH} {RATING_HEIGHT}" role="img"'
        f' aria-label="{escape_html(heard)}">{"".join(parts)}</svg>'
    )


def spread(places: Sequence[float], apart: float, most: float) -> list[float]:
    """Return these places moved until all are so far apart, and none is beyond ``most``.

    >>> spread([5, 95, 6, 99], 10, 100)
    [5, 90, 15, 100]
    """
    found = list(places)
    order = sorted(range(len(places)), key=lambda at: places[at])
    for before, after in pairwise(order):
        found[after] = max(found[after], found[before] + apart)
    limit = most
    for at in reversed(order):
        found[at] = min(found[at], limit)
        limit = found[at] - apart
    return found
