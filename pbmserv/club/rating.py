"""Ratings by Glicko-2: the estimated strength of a player, and its uncertainty.

After Mark Glickman, "Example of the Glicko-2 system" (2022). One thing is our choice, because a
play-by-mail club has no natural rating periods: every game is rated when it ends, from both
players' ratings just before, as if the period were as long as the time since a player's last rated
game. So the time between games widens the deviation once, however many games divide it.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from pbmserv.engine.moments import WEEK
from pbmserv.engine.position import Side

START_VALUE = 1500.0
START_DEVIATION = 350.0
START_VOLATILITY = 0.06

TAU = 0.5
"""The constraint on changes of volatility: Glickman recommends 0.3 to 1.2."""

IDLE_PERIOD = WEEK
"""Seconds without a rated game that count as one rating period."""

PROVISIONAL_DEVIATION = 110.0
"""Above this deviation a rating is shown as provisional."""

MAX_ERROR = 0.2
"""Games with a handicap count if the shift of the log odds has a smaller error than this."""

VOLATILITY_RANGE = (0.01, 0.15)

SCALE = 173.7178
TOLERANCE = 1e-6
MAX_STEPS = 100

WIN, DRAW, LOSS = 1.0, 0.5, 0.0


@dataclass(frozen=True)
class Rating:
    """A player's strength in one game, as estimated.

    The true strength lies within two deviations of ``value`` with 95 per cent probability;
    ``volatility`` is how much it is expected to change. ``last_at`` is when the last rated game
    ended, None before the first.
    """

    value: float = START_VALUE
    deviation: float = START_DEVIATION
    volatility: float = START_VOLATILITY
    last_at: int | None = None

    @property
    def is_provisional(self) -> bool:
        """Whether the deviation is too large for the value to mean much."""
        return self.deviation > PROVISIONAL_DEVIATION

    def agrees_with(self, other: "Rating") -> bool:
        """Tell whether both are the same except for rounding."""
        return self.last_at == other.last_at and all(
            math.isclose(own, others, rel_tol=1e-9)
            for own, others in (
                (self.value, other.value),
                (self.deviation, other.deviation),
                (self.volatility, other.volatility),
            )
        )


class Shift(NamedTuple):
    """What a handicap is worth to X, as a shift of the logarithm of the odds, with its error."""

    odds: float
    error: float

    @property
    def is_known(self) -> bool:
        """Whether it is known so well that games with it count for ratings."""
        return self.error < MAX_ERROR

    def __str__(self) -> str:
        return f"{self.odds:.3f} {self.error:.3f}"


def parse_shift(text: str) -> Shift:
    """Return the shift whose text this is; raises ValueError for anything else.

    >>> parse_shift("-1.25 0.08")
    Shift(odds=-1.25, error=0.08)
    """
    odds, error = map(float, text.split(" "))
    return Shift(odds, error)


NO_SHIFT = Shift(0.0, 0.0)


def rate_game(
    x: Rating, o: Rating, winner: Side | None, now: int, shift: Shift = NO_SHIFT
) -> tuple[Rating, Rating]:
    """Return the ratings of both players after a game that ended now; no winner is a draw.

    A handicap is worth ``shift`` to X.
    """
    before_x, before_o = at(x, now), at(o, now)
    score = DRAW if winner is None else WIN if winner is Side.X else LOSS
    against_x = _handicapped(before_x, -shift.odds, shift.error)
    against_o = _handicapped(before_o, shift.odds, shift.error)
    return (
        replace(rate(x, [(against_o, score)], _idle(x, now)), last_at=_latest(x, now)),
        replace(rate(o, [(against_x, 1 - score)], _idle(o, now)), last_at=_latest(o, now)),
    )


def _handicapped(opponent: Rating, odds: float, error: float) -> Rating:
    """Return the opponent of a game without a handicap that is as hard as one with it.

    The error adds to the deviation. Divided by the weight that this gives, the odds shift the
    logarithm of the odds by themselves.
    """
    deviation = math.hypot(opponent.deviation, SCALE * error)
    value = opponent.value - SCALE * odds / _weight(deviation / SCALE)
    return replace(opponent, value=value, deviation=deviation)


def odds_between(one: Rating, other: Rating) -> float:
    """Return the logarithm of the odds of ``one`` against ``other``: less if they are uncertain."""
    weight = _weight(math.hypot(one.deviation, other.deviation) / SCALE)
    return weight * (one.value - other.value) / SCALE


def chance_of(odds: float) -> float:
    """Return the chance that has this logarithm of the odds.

    >>> chance_of(0.0)
    0.5
    """
    return 1 / (1 + math.exp(-odds))


def at(rating: Rating, now: int) -> Rating:
    """Return the rating now, with its deviation widened since the last rated game."""
    return after_idle(rating, _idle(rating, now))


def _idle(rating: Rating, now: int) -> int:
    return 0 if rating.last_at is None else now - rating.last_at


def after_idle(rating: Rating, seconds: int) -> Rating:
    """Return the rating after ``seconds`` without a game; less than 0 counts as 0."""
    periods = max(0, seconds) / IDLE_PERIOD
    widened = math.hypot(rating.deviation, SCALE * rating.volatility * math.sqrt(periods))
    return replace(rating, deviation=max(rating.deviation, min(START_DEVIATION, widened)))


def rate(own: Rating, games: Sequence[tuple[Rating, float]], seconds: int = IDLE_PERIOD) -> Rating:
    """Return the rating after a period of ``seconds`` with these opponents and scores (1, 0.5, 0).

    Steps 2 to 8 of the paper, whose symbols are kept: mu and phi are value and deviation on the
    inner scale, v the variance that the games alone would leave, delta the improvement they show.
    """
    mu = (own.value - START_VALUE) / SCALE
    phi = own.deviation / SCALE
    information = surprise = 0.0
    for opponent, score in games:
        weight = _weight(opponent.deviation / SCALE)
        lead = weight * (mu - (opponent.value - START_VALUE) / SCALE)
        information += weight * weight * _spread(lead)
        surprise += weight * (score - chance_of(lead))
    if information == 0:
        return after_idle(own, seconds)
    variance = 1 / information
    volatility = _new_volatility(own.volatility, phi, variance, variance * surprise)
    wider = after_idle(replace(own, volatility=volatility), seconds).deviation / SCALE
    sharper = 1 / math.sqrt(1 / wider**2 + information)
    value = SCALE * (mu + sharper**2 * surprise) + START_VALUE
    return Rating(value, min(START_DEVIATION, SCALE * sharper), volatility, own.last_at)


def _latest(rating: Rating, now: int) -> int:
    return now if rating.last_at is None else max(now, rating.last_at)


def _weight(phi: float) -> float:
    """Return g of the paper: the weight of a game against an opponent with this deviation."""
    return 1 / math.sqrt(1 + 3 * (phi / math.pi) ** 2)


def _spread(lead: float) -> float:
    """Return E(1 - E) of the paper, above 0 even if E itself is rounded to 1."""
    odds = math.exp(-abs(lead))
    return odds / (1 + odds) ** 2


def _new_volatility(sigma: float, phi: float, variance: float, delta: float) -> float:
    """Return the volatility after a period: step 5 of the paper, an Illinois iteration."""
    start = 2 * math.log(sigma)
    known = phi * phi + variance

    def slope(x: float) -> float:
        square = math.exp(x)
        pull = square * (delta * delta - known - square) / (2 * (known + square) ** 2)
        return pull - (x - start) / TAU**2

    low, high = start, _other_end(slope, start, delta * delta - known)
    at_low, at_high = slope(low), slope(high)
    for _ in range(MAX_STEPS):
        if abs(high - low) <= TOLERANCE:
            break
        middle = low + (low - high) * at_low / (at_high - at_low)
        at_middle = slope(middle)
        if at_middle * at_high <= 0:
            low, at_low = high, at_high
        else:
            at_low /= 2
        high, at_high = middle, at_middle
    least, most = VOLATILITY_RANGE
    return min(most, max(least, math.exp(low / 2)))


def _other_end(slope: Callable[[float], float], start: float, excess: float) -> float:
    """Return the far end of the interval in which the new volatility lies."""
    if excess > 0:
        return math.log(excess)
    for step in range(1, MAX_STEPS):
        if slope(start - step * TAU) >= 0:
            return start - step * TAU
    return start - MAX_STEPS * TAU
