"""The curve of a game: X's chance to win after every turn, as text and as SVG.

It is the same for pages, terminals and files: X's part below the line, the turns numbered, and
marked where the game turned.
"""

from collections.abc import Collection, Iterator, Sequence
from html import escape

from pbmserv.render.colours import LIGHT, PAGE
from pbmserv.render.svg import FONTS, style

TITLE = "Chance of X to win (^ turning point)"
TURNED = "^"
HIGH = 10
"""Lines of text from 0 to 100 %."""
COLUMNS = 64
WIDEST = 3
"""Columns that a turn takes at most."""
MOST_TICKS = 7

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
    together, wide = -(-count // columns), max(1, min(WIDEST, columns // count))
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
    step = next(step for step in steps if count <= MOST_TICKS * step)
    yield from range(0, count - step // 2, step)
    yield count


def curve_svg(
    chances: Sequence[float], turned: Collection[int], heard: str, place: str = ""
) -> str:
    """Return the curve as an element without colours: X's tint below the line, O's above it.

    Its plot is stretched to the room there is, its numbers are not; both follow the same scale.
    """
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
    heard = f"{title}: how likely X was to win"
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
