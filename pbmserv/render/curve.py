"""Curves: X's winning chance after every turn, as text and SVG, and ratings game by game."""

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from html import escape
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

RATING_WIDTH, RATING_HEIGHT = 480, 210
LEFT, TOP, RIGHT, BOTTOM = 52, 8, 468, 184
"""Where the curve is drawn; its numbers stand at the left and below."""

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


def rating_words(points: Sequence[CurvePoint]) -> str:
    """Return what a curve says: ``From 1500 to 1662 in 1 game``."""
    games = with_count(len(points) - 1, "game")
    return f"From {points[0].value:.0f} to {points[-1].value:.0f} in {games}"


def rating_svg(points: Sequence[CurvePoint], scale: Scale) -> str:
    """Return the ratings game by game, with a band of a deviation, without colours."""
    games = len(points) - 1
    step = max(1, -(-games // MAX_POINTS))
    shown = range(games % step, games + 1, step)  # the newest always among them

    def across(game: int) -> float:
        return LEFT + (RIGHT - LEFT) * game / max(1, games)

    def down(value: float) -> float:
        inside = min(max(value, scale.low), scale.high)
        return TOP + (BOTTOM - TOP) * (scale.high - inside) / (scale.high - scale.low)

    def line(way: int, numbers: Iterable[int]) -> str:
        values = ((at, points[at].value + way * points[at].deviation) for at in numbers)
        return " ".join(f"{across(at):.1f},{down(value):.1f}" for at, value in values)

    hundreds = "".join(
        f'<path{kind} d="M{LEFT - 8} {down(value):.1f}H{RATING_WIDTH}"/>'
        f'<text x="0" y="{down(value) + 4:.1f}">{value}</text>'
        for value in range(scale.low, scale.high + 1, A_LINE)
        for kind in (START if value == START_VALUE else "",)
    )
    counts = "".join(
        f'<text class="of" x="{across(game):.1f}" y="{RATING_HEIGHT - 6}">{game}</text>'
        for game in ticks(games)
    )
    return (
        f'<svg class="rating" viewBox="0 0 {RATING_WIDTH} {RATING_HEIGHT}" role="img"'
        f' aria-label="{escape_html(rating_words(points))}">{hundreds}{counts}'
        f'<polygon points="{line(1, shown)} {line(-1, reversed(shown))}"/>'
        f'<polyline points="{line(0, shown)}"/>'
        f'<circle cx="{across(games):.1f}" cy="{down(points[-1].value):.1f}" r="4"/></svg>'
    )
