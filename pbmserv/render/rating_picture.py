"""Ratings game by game, drawn for a page: those of all games on one scale."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pbmserv.club.rating import START_VALUE
from pbmserv.club.wording import with_count
from pbmserv.club.written_text import escape_html
from pbmserv.render.curve import ticks
from pbmserv.render.rating_curve import CurvePoint

MOST_POINTS = 200

WIDTH, HEIGHT = 480, 210
LEFT, TOP, RIGHT, BOTTOM = 52, 8, 468, 184
"""Where the curve is drawn; its numbers stand at the left and below."""

START = ' class="start"'
A_LINE = 100
"""So many points of rating lie between two lines."""


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
    """Return the rating before the first game and after each, as an element without colours.

    Lines stand at the hundreds, a dashed one where everybody begins; below, the games are counted.
    The band around the curve is one deviation wide to either side.
    """
    games = len(points) - 1
    step = max(1, -(-games // MOST_POINTS))
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
        f'<path{kind} d="M{LEFT - 8} {down(value):.1f}H{WIDTH}"/>'
        f'<text x="0" y="{down(value) + 4:.1f}">{value}</text>'
        for value in range(scale.low, scale.high + 1, A_LINE)
        for kind in (START if value == START_VALUE else "",)
    )
    counts = "".join(
        f'<text class="of" x="{across(game):.1f}" y="{HEIGHT - 6}">{game}</text>'
        for game in ticks(games)
    )
    return (
        f'<svg class="rating" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
        f' aria-label="{escape_html(rating_words(points))}">{hundreds}{counts}'
        f'<polygon points="{line(1, shown)} {line(-1, reversed(shown))}"/>'
        f'<polyline points="{line(0, shown)}"/>'
        f'<circle cx="{across(games):.1f}" cy="{down(points[-1].value):.1f}" r="4"/></svg>'
    )
