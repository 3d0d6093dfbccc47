"""Handicaps for players of unequal ratings: what komi and the first move are worth.

The table was learned from games of the computer's levels by ``tests/bench/handicaps.py``. It has
for each board the log odds of X between equals without komi and swap, and what each point of komi
takes from them; both depend on how strong the players are. A handicap is komi for the weaker player
as O, the first move without swap, or an ordinary game with swap, whichever brings the forecast
nearest to 50 %.
"""

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from pbmserv.club.rating import (
    NO_SHIFT,
    PROVISIONAL_DEVIATION,
    Rating,
    Shift,
    chance_of,
    odds_between,
)
from pbmserv.engine.game import MAX_KOMI, Game
from pbmserv.engine.spec import format_game
from pbmserv.errors import Misunderstood, Refused

TABLE = Path(__file__).with_name("handicaps.json")

MIDDLE, MEASURED = 1800, (1300, 2300)
"""The rating from which strength is counted, and those of the levels that were learned from."""

UNCERTAIN_DEVIATION = 160.0
"""Above this deviation of a rating there is no handicap; above the provisional one, half of it."""


class Worth(NamedTuple):
    """X's log odds on a board between equals: what is known of it, as a matrix of covariance.

    ``first`` and ``point`` are those of players of :data:`MIDDLE`. The first grows with
    :func:`strength` by ``first_growth``, the logarithm of the second by ``point_growth``. With komi
    a difference of ratings counts ``lead`` times. The matrix is that of these five, but of the
    logarithm of ``point``.
    """

    first: float
    point: float
    first_growth: float
    point_growth: float
    lead: float
    covariance: Sequence[Sequence[float]]

    def shift(self, komi: int, rating: float, lead: float = 0.0) -> Shift:
        """Return what no swap and so much komi are worth to X, for players of this rating.

        ``lead`` is the logarithm of X's odds in games with swap.
        """
        above = strength(rating)
        taken = komi * self.point * math.exp(self.point_growth * above)
        gradient = (1.0, -taken, above, -taken * above, lead)
        odds = self.first + self.first_growth * above - taken + (self.lead - 1) * lead
        variance = sum(
            one * other * each
            for one, row in zip(gradient, self.covariance, strict=True)
            for other, each in zip(gradient, row, strict=True)
        )
        return Shift(round(odds, 3), round(math.sqrt(max(variance, 0.0)), 3))


def strength(rating: float) -> float:
    """Return a rating as the table has it, beyond the levels that it was learned from as there.

    >>> strength(1300), strength(2050), strength(2800)
    (-0.5, 0.25, 0.5)
    """
    least, most = MEASURED
    return (max(least, min(rating, most)) - MIDDLE) / 1000


class EvenGame(NamedTuple):
    """The game that is to be even: who plays X, the first or the second player, and the forecast.

    ``share`` is the part of the difference of the ratings that the handicap is to even out, and
    ``lead`` the first player's rating less the second's. ``forecast`` is the first player's chance.
    """

    game: Game
    is_first_x: bool = True
    shift: Shift = NO_SHIFT
    share: float = 1.0
    lead: float = 0.0
    forecast: float = 0.5

    @property
    def gain(self) -> float:
        """What the first player gains, as a shift of the logarithm of the odds."""
        return self.shift.odds if self.is_first_x else -self.shift.odds

    def words(self, first: str, second: str) -> str:
        """Return the handicap in sentences; the players are named so."""
        strong, weak = (first, second) if self.lead > 0 else (second, first)
        forecast = self.forecast if strong == first else 1 - self.forecast
        lead = abs(round(self.lead))
        told = f"{strong}'s rating is {lead} above {weak}'s" if lead else "The ratings are equal"
        if self.share < 1:
            how = "half a handicap" if self.share else "no handicap"
            told += f", but uncertain, which allows {how}"
        chance = f"Forecast for {strong}: {100 * forecast:.0f} %."
        return f"{told}: {self._terms(weak)}. {chance}"

    def _terms(self, weak: str) -> str:
        if self.game.allows_swap:
            return "an ordinary game with swap"
        komi = getattr(self.game, "komi", 0)
        return f"{weak} plays O and gets komi {komi}" if komi else f"{weak} plays X, without swap"


@lru_cache(maxsize=1)
def table() -> dict[str, Worth]:
    """Return what komi and the first move are worth, by the spec of the board."""
    found = json.loads(TABLE.read_text(encoding="utf-8"))
    return {spec: Worth(*row) for spec, row in found.items()}


def plain_of(game: Game) -> Game:
    """Return the game without the handicap that ``-even`` has given to it."""
    options: dict[str, Any] = {"komi": 0} if hasattr(game, "komi") else {}
    return replace(game, noswap=False, **options)


def even_game(game: Game, first: Rating, second: Rating) -> EvenGame:
    """Return the even game of these two; their deviations are those of today.

    Raises :class:`Misunderstood` for a game that has a handicap already, and :class:`Refused` for a
    board of which nobody knows what a handicap is worth.
    """
    if not game.allows_swap:
        raise Misunderstood(
            "-even chooses the handicap itself.",
            code="options-clash",
            hint="Leave out either -even or the options of handicaps, such as -noswap.",
        )
    worth = table().get(format_game(game))
    if worth is None:
        raise Refused(
            "Nobody has measured what a handicap is worth on this board.",
            code="no-handicap",
            hint="Boards that were measured: pbmserv help handicap",
        )
    uncertainty = max(first.deviation, second.deviation)
    share = 1.0 if uncertainty <= PROVISIONAL_DEVIATION else 0.5
    share = share if uncertainty <= UNCERTAIN_DEVIATION else 0.0
    lead = first.value - second.value
    odds, middle = odds_between(first, second), (first.value + second.value) / 2
    # Of equally good ones the first: an ordinary game, then the least komi.
    evened = [*_handicaps(game, worth, middle, share * odds)]
    best = min(range(len(evened)), key=lambda one: abs(share * odds + evened[one].gain))
    found = [*_handicaps(game, worth, middle, odds)][best]
    return found._replace(share=share, lead=lead, forecast=chance_of(odds + found.gain))


def _handicaps(game: Game, worth: Worth, rating: float, odds: float) -> Iterator[EvenGame]:
    """Yield every handicap: the weaker player is X without swap, or O with komi.

    The ordinary game comes before them. ``odds`` are the first player's, as their logarithm.
    """
    yield EvenGame(game)
    yield EvenGame(replace(game, noswap=True), odds < 0, worth.shift(0, rating, -abs(odds)))
    for komi in range(1, MAX_KOMI + 1) if worth.point else ():
        options: dict[str, Any] = {"komi": komi}
        given = worth.shift(komi, rating, abs(odds))
        yield EvenGame(replace(game, **options), odds >= 0, given)
