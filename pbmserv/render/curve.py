"""The curve of a game: X's chance to win after every move, as text and as SVG."""

from collections.abc import Sequence
from html import escape

from pbmserv.engine.position import Side
from pbmserv.render.colours import BODY, LIGHT, PAGE
from pbmserv.render.svg import FONT

ROWS = 5
"""Lines of text above the middle, and below."""
COLUMNS = 64
TICK = 10
"""So many moves between the numbers below the curve."""

WIDTH, HEIGHT, MARGIN = 640, 240, 40


def curve_lines(chances: Sequence[float]) -> list[str]:
    """Return the curve as text: X above the middle line where X is likelier to win, O below.

    ``chances`` are X's before the first move and after each. A long game has several moves a
    column, a short one several columns a move.
    """
    wide = max(1, COLUMNS // len(chances))
    together = -(-len(chances) // COLUMNS)
    parts = (chances[start : start + together] for start in range(0, len(chances), together))
    means = [sum(part) / len(part) for part in parts]
    lines = []
    for row in [*range(ROWS, 0, -1), *range(-1, -ROWS - 1, -1)]:
        drawn = "".join(_mark(mean, row) * min(wide, 3) for mean in means)
        scale = {ROWS: "X wins", -ROWS: "O wins"}.get(row, "")
        lines.append(f"{scale:>6} |{drawn}".rstrip())
    lines.insert(ROWS, f"{'50 %':>6} |{'-' * len(means) * min(wide, 3)}")
    return [*lines, _axis(len(chances), together, min(wide, 3))]


def _mark(chance: float, row: int) -> str:
    """Return what stands in a row, the first above the middle being 1 and below it -1."""
    height = (chance - 0.5) * 2 * ROWS
    if row > 0:
        return "X" if height > row - 0.5 else " "
    return "O" if height < row + 0.5 else " "


def _axis(count: int, together: int, wide: int) -> str:
    """Return the numbers of moves, each below the column of the position after it."""
    axis = [" "] * (count * wide // together + 4)
    step = TICK * max(1, together // 2)
    for number in range(0, count, step):
        column = number * wide // together
        axis[column : column + len(str(number))] = str(number)
    return f"{'move':>6}  {''.join(axis).rstrip()}"


def curve_svg(chances: Sequence[float], title: str, names: tuple[str, str]) -> str:
    """Return the curve as an SVG document; ``names`` are those of X and O."""
    step = (WIDTH - 2 * MARGIN) / max(len(chances) - 1, 1)
    points = [
        (MARGIN + number * step, MARGIN + (1 - chance) * (HEIGHT - 2 * MARGIN))
        for number, chance in enumerate(chances)
    ]
    middle, right = HEIGHT / 2, WIDTH - MARGIN
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    ticks = [
        f'<text x="{points[number][0]:.1f}" y="{HEIGHT - 12}" text-anchor="middle">{number}</text>'
        for number in range(0, len(points), TICK)
    ]
    lettering = f'font-family="{FONT}, sans-serif" font-size="13" fill="{LIGHT.label}"'
    x_name, o_name = map(escape, names)
    size = f'width="{WIDTH}" height="{HEIGHT}"'
    fills = ((x, y, BODY[Side.X if y < middle else Side.O]) for x, y in points)
    dots = [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{fill}"/>' for x, y, fill in fills]
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {WIDTH} {HEIGHT}">',
            f"<title>{escape(title)}: how likely X was to win</title>",
            f'<rect {size} rx="8" fill="{PAGE}"/>',
            f'<path d="M{MARGIN} {middle}H{right}" stroke="{LIGHT.frame}" stroke-dasharray="4 4"/>',
            f'<polyline points="{path}" fill="none" stroke="{LIGHT.edge}" stroke-width="2"/>',
            *dots,
            f'<g {lettering}><text x="{MARGIN}" y="26">X wins: {x_name}</text>',
            f'<text x="{right}" y="26" text-anchor="end">O wins, below: {o_name}</text>',
            *ticks,
            "</g></svg>",
        )
    )
