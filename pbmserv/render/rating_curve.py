"""A rating over time, drawn in letters."""

from collections.abc import Sequence
from typing import NamedTuple

from pbmserv.engine.moments import utc_date

WIDTH, HEIGHT = 60, 14
MIN_SPREAD = 50.0
"""Points of rating between top and bottom at least, so that a flat curve looks flat."""

MARK, TRAIL = "*", "."


class CurvePoint(NamedTuple):
    """The rating after a game: when that ended, the value, how unsure it was."""

    at: int
    value: float
    deviation: float


def rating_lines(points: Sequence[CurvePoint]) -> list[str]:
    """Return the curve of ratings over time, dots for values that still hold, with its scale."""
    columns = _columns(points)
    low, high = _range([point.value for point in points])
    step = (high - low) / (HEIGHT - 1)
    rows = [[" "] * WIDTH for _ in range(HEIGHT)]
    value = points[0].value
    for column in range(WIDTH):
        mark = TRAIL
        if column in columns:
            value, mark = columns[column].value, MARK
        rows[round((high - value) / step)][column] = mark
    lines = []
    for number, row in enumerate(rows):
        is_labelled = number in {0, HEIGHT // 2, HEIGHT - 1}
        label = f"{high - number * step:.0f}" if is_labelled else ""
        lines.append(f"{label:>5} |{''.join(row)}".rstrip())
    first, last = utc_date(points[0].at), utc_date(points[-1].at)
    lines.append(f"{'':>5} +{'-' * WIDTH}")
    lines.append(f"{'':>7}{first}{last:>{WIDTH - len(first)}}")
    newest = points[-1]
    lines.append(f"Now {newest.value:.0f}, deviation {newest.deviation:.0f} after the last game.")
    return lines


def _columns(points: Sequence[CurvePoint]) -> dict[int, CurvePoint]:
    start = min(point.at for point in points)
    length = max(1, max(point.at for point in points) - start)
    return {(point.at - start) * (WIDTH - 1) // length: point for point in points}


def _range(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    lacking = max(0.0, MIN_SPREAD - (high - low)) / 2
    return low - lacking, high + lacking
