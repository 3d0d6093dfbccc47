"""Ratings against the paper's worked example, a second calculation and common sense."""

import math
from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.club.rating import (
    DRAW,
    IDLE_PERIOD,
    LOSS,
    START_DEVIATION,
    TAU,
    VOLATILITY_RANGE,
    WIN,
    Rating,
    after_idle,
    at,
    rate,
    rate_game,
)
from pbmserv.engine.moments import WEEK
from pbmserv.engine.position import Side

ratings = st.builds(
    Rating,
    st.floats(500, 2800),
    st.floats(30, START_DEVIATION),
    st.floats(0.03, 0.1),
    st.none() | st.integers(0, 10**9),
)


def test_worked_example_of_the_paper() -> None:
    own = Rating(1500, 200, 0.06)
    games = [(Rating(1400, 30), WIN), (Rating(1550, 100), LOSS), (Rating(1700, 300), LOSS)]

    after = rate(own, games)

    # The paper rounds in between and prints 1464.06 and 0.05999.
    assert math.isclose(1464.06, after.value, abs_tol=0.01)
    assert math.isclose(151.52, after.deviation, abs_tol=0.005)
    assert math.isclose(0.05999, after.volatility, abs_tol=0.00001)


def naive(own: Rating, games: list[tuple[Rating, float]]) -> tuple[float, float, float]:
    """Return value, deviation and volatility by the formulas as printed, solved by bisection."""

    def g(phi: float) -> float:
        return 1 / math.sqrt(1 + 3 * phi**2 / math.pi**2)

    def expected(mu: float, mu_j: float, phi_j: float) -> float:
        return 1 / (1 + math.exp(-g(phi_j) * (mu - mu_j)))

    mu, phi = (own.value - 1500) / 173.7178, own.deviation / 173.7178
    played = [((r.value - 1500) / 173.7178, r.deviation / 173.7178, s) for r, s in games]
    v = 1 / sum(g(p) ** 2 * expected(mu, m, p) * (1 - expected(mu, m, p)) for m, p, _ in played)
    total = sum(g(p) * (s - expected(mu, m, p)) for m, p, s in played)
    delta = v * total

    def f(sigma: float) -> float:
        d = phi**2 + v + sigma**2
        first = sigma**2 * (delta**2 - d) / (2 * d**2)
        return first - (math.log(sigma**2) - math.log(own.volatility**2)) / TAU**2

    low, high = 1e-4, 5.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if f(middle) > 0 else (low, middle)
    phi_star = math.sqrt(phi**2 + low**2)
    new_phi = 1 / math.sqrt(1 / phi_star**2 + 1 / v)
    return 173.7178 * (mu + new_phi**2 * total) + 1500, 173.7178 * new_phi, low


def test_agrees_with_a_second_calculation_away_from_1500() -> None:
    for seed in range(200):
        check_agreement(seed)


def check_agreement(seed: int) -> None:
    chance = Random(seed)
    around = chance.choice([800, 1200, 1900, 2600])

    def someone() -> Rating:
        return Rating(chance.gauss(around, 200), chance.uniform(30, 350), chance.uniform(0.04, 0.1))

    own = someone()
    games = [(someone(), chance.choice([WIN, DRAW, LOSS])) for _ in range(chance.randint(1, 6))]

    after = rate(own, games)

    value, deviation, volatility = naive(own, games)
    least, most = VOLATILITY_RANGE
    assert math.isclose(value, after.value, rel_tol=1e-6)
    assert math.isclose(min(START_DEVIATION, deviation), after.deviation, rel_tol=1e-6)
    assert math.isclose(min(most, max(least, volatility)), after.volatility, rel_tol=1e-5)


def test_where_a_rating_lies_changes_nothing_but_the_value() -> None:
    near = rate(Rating(1500, 100), [(Rating(1600, 80), WIN)])
    far = rate(Rating(2500, 100), [(Rating(2600, 80), WIN)])

    assert math.isclose(near.value + 1000, far.value)
    assert math.isclose(near.deviation, far.deviation)
    assert math.isclose(near.volatility, far.volatility)


@given(ratings, ratings, st.sampled_from([*Side, None]), st.integers(0, 2 * 10**9))
def test_a_game_moves_ratings_the_right_way(
    x: Rating, o: Rating, winner: Side | None, now: int
) -> None:
    new_x, new_o = rate_game(x, o, winner, now)

    if winner is not None:
        won, lost = (new_x.value - x.value, o.value - new_o.value)
        sign = 1 if winner is Side.X else -1
        assert won * sign > 0
        assert lost * sign > 0
    elif x.value != o.value:
        assert (new_x.value - x.value) * (o.value - x.value) >= 0
    for new in (new_x, new_o):
        assert 0 < new.deviation <= START_DEVIATION
        assert VOLATILITY_RANGE[0] <= new.volatility <= VOLATILITY_RANGE[1]
        assert new.last_at is not None
        assert new.last_at >= now


@given(ratings, ratings, st.sampled_from([*Side, None]), st.integers(0, 2 * 10**9))
def test_colours_make_no_difference(x: Rating, o: Rating, winner: Side | None, now: int) -> None:
    new_x, new_o = rate_game(x, o, winner, now)

    other_way = rate_game(o, x, winner.other if winner else None, now)
    assert (new_o, new_x) == other_way


def test_a_draw_of_equals_changes_no_value() -> None:
    new_x, new_o = rate_game(Rating(), Rating(), None, 1000)

    assert new_x.value == 1500
    assert new_o.value == 1500


@given(ratings, st.integers(0, 10**9), st.integers(0, 10**9))
def test_deviation_grows_alike_in_one_stretch_and_in_two(
    rating: Rating, first: int, second: int
) -> None:
    at_once = after_idle(rating, first + second)
    in_two = after_idle(after_idle(rating, first), second)

    assert math.isclose(at_once.deviation, in_two.deviation)
    assert rating.deviation <= at_once.deviation <= START_DEVIATION
    assert (rating.value, rating.volatility) == (at_once.value, at_once.volatility)


def test_one_week_away_is_one_period_without_games() -> None:
    rating = Rating(1700, 50, 0.06)

    assert math.isclose(rate(rating, []).deviation, after_idle(rating, IDLE_PERIOD).deviation)


@given(ratings, st.integers(-(10**9), 0))
def test_a_clock_set_back_costs_nothing(rating: Rating, seconds: int) -> None:
    assert after_idle(rating, seconds) == rating


def test_last_game_never_moves_to_the_past() -> None:
    new_x, _ = rate_game(Rating(last_at=5000), Rating(), Side.X, 4000)

    assert new_x.last_at == 5000


def test_a_provisional_rating_settles_and_fades() -> None:
    rating = Rating()
    assert rating.is_provisional
    for day in range(20):
        rating, _ = rate_game(rating, Rating(1500, 60), None, day * 86_400)
    assert not rating.is_provisional

    assert at(rating, 40 * 365 * 86_400).is_provisional


def test_deviation_narrows_with_games_between_equals() -> None:
    steps = [Rating(1500, 200)]
    for _ in range(10):
        steps.append(rate(steps[-1], [(Rating(1500, 80), DRAW)]))

    assert all(later.deviation < earlier.deviation for earlier, later in pairwise(steps))


def test_hopeless_mismatch_is_still_a_number() -> None:
    after = rate(Rating(9000, 30), [(Rating(-9000, 30), LOSS)])

    assert math.isfinite(after.value)
    assert math.isfinite(after.deviation)


def test_agreement_forgives_rounding_only() -> None:
    rating = Rating(1500, 200, 0.06, 7)

    assert rating.agrees_with(Rating(1500 + 1e-9, 200, 0.06, 7))
    assert not rating.agrees_with(Rating(1500.01, 200, 0.06, 7))
    assert not rating.agrees_with(Rating(1500, 200, 0.06, 8))


@pytest.mark.parametrize("most", [1, 2, 3])
def test_a_search_cut_short_still_gives_a_rating(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = rate(Rating(1500, 50, 0.1), [(Rating(1500, 50), DRAW)] * 30)
    monkeypatch.setattr("pbmserv.club.rating.MAX_STEPS", most)

    after = rate(Rating(1500, 50, 0.1), [(Rating(1500, 50), DRAW)] * 30)

    assert VOLATILITY_RANGE[0] <= after.volatility <= VOLATILITY_RANGE[1]
    assert math.isclose(exact.value, after.value, abs_tol=0.01)


@pytest.mark.parametrize("weakness", [0, 200, 400, 1000])
@pytest.mark.parametrize("result", [WIN, DRAW, LOSS])
def test_who_plays_every_week_does_not_become_provisional(weakness: int, result: float) -> None:
    winner = {WIN: Side.X, DRAW: None, LOSS: Side.O}[result]
    own, gone = Rating(1500, 61, 0.06, 0), Rating(1500, 61, 0.06, 0)
    for week in range(1, 61):
        now = week * WEEK
        opponent = Rating(own.value - weakness, 61, 0.06, now)
        own, _ = rate_game(own, opponent, winner, now)

        assert not own.is_provisional
        # A game never leaves less known than if it had not been played.
        assert own.volatility > 0.0601 or own.deviation <= at(gone, now).deviation


def test_time_is_counted_once_however_many_games_divide_it() -> None:
    stronger = Rating(4000, 30)
    for games in (1, 7, 60):
        own = Rating(1500, 61, 0.06, 0)
        for game in range(1, games + 1):
            now = game * 60 * WEEK // games
            own, _ = rate_game(own, replace(stronger, last_at=now), Side.O, now)

        # These games tell nothing: what is left is the time that has passed.
        idle = after_idle(Rating(1500, 61), 60 * WEEK).deviation
        assert math.isclose(idle, own.deviation, rel_tol=1e-4)


def test_a_second_game_at_the_same_moment_only_narrows() -> None:
    first, _ = rate_game(Rating(1500, 61, 0.06, 0), Rating(1500, 61, 0.06, 0), None, 0)
    second, _ = rate_game(first, Rating(1500, 61, 0.06, 0), None, 0)

    assert 61 > first.deviation > second.deviation


@given(ratings, ratings, st.sampled_from([WIN, DRAW, LOSS]))
def test_a_game_a_week_after_the_last_is_a_period_of_the_paper(
    own: Rating, opponent: Rating, score: float
) -> None:
    winner = {WIN: Side.X, DRAW: None, LOSS: Side.O}[score]
    now = 5 * WEEK
    own, opponent = replace(own, last_at=now - WEEK), replace(opponent, last_at=now)
    after, _ = rate_game(own, opponent, winner, now)

    assert replace(rate(own, [(opponent, score)]), last_at=now) == after
