"""Plans as words: what they may be, and their canonical form both ways."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.club.plans import Plan, format_plan, parse_plan
from pbmserv.engine.game import Game
from pbmserv.engine.games.star import Star
from pbmserv.engine.games.starstar import StarStar
from pbmserv.errors import InvalidMove, Misunderstood

from .random_plans import random_words

STAR = Star()
TINY = Star(size=3)
DOUBLE = StarStar(size=4, double=True)


def plan_of(text: str, game: Game = STAR) -> Plan:
    return parse_plan(text.split(), game)


@pytest.mark.parametrize(
    ("words", "canonical"),
    [
        ("f6 g7 h8", "F6 G7 H8"),
        ("F6:G7 E5:H8", "F6:G7 E5:H8"),
        ("F6:G7/H8:A6", "F6:G7/H8:A6"),
        ("F6:G7 F6:G7/H8:A6 f6:g7/b6:c6", "F6:G7/H8:A6 F6:G7/B6:C6"),
        ("F6 E5:H8", "F6 E5:H8"),
        ("-- swap", "pass swap"),
        ("-:G7/swap:Resign", "pass:G7/swap:resign"),
        ("NONE", "none"),
    ],
)
def test_words_and_their_canonical_form(words: str, canonical: str) -> None:
    plan = plan_of(words)

    assert format_plan(plan) == canonical
    assert plan_of(canonical) == plan


def test_stones_of_the_opponent_are_known_in_any_order() -> None:
    one, other = plan_of("T31+A40:S31+*20", DOUBLE), plan_of("A40+T31:S31+P20", DOUBLE)

    assert one == other
    assert plan_of("A40+-:S31+- --+A40:s31+-", DOUBLE) == plan_of("A40+-:S31+-", DOUBLE)


@pytest.mark.parametrize(
    "words",
    [
        "",
        "F6:G7 H8",
        "F6:G7/H8",
        "F6/G7",
        "F6:G7:H8",
        "F6:G7 F6:H8",
        "resign F6",
        "resign F6:G7",
        "F6:resign/G7:H8",
        "F6 " * 201,
        "/".join(["F6:G7"] * 101),
    ],
)
def test_words_that_make_no_plan(words: str) -> None:
    with pytest.raises(Misunderstood, match="cannot be read"):
        plan_of(words)


@pytest.mark.parametrize("words", ["Z99", "F6:", ":F6", "F6:/G7:H8", "none F6", "F6 \u0416:G7"])
def test_moves_that_cannot_be_read(words: str) -> None:
    with pytest.raises((InvalidMove, Misunderstood)):
        plan_of(words)


@given(st.integers(0, 10**9))
def test_text_both_ways(seed: int) -> None:
    plan = parse_plan(random_words(Random(seed), TINY), TINY)

    assert parse_plan(format_plan(plan).split(), TINY) == plan
