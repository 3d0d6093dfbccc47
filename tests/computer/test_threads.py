"""What several searches of one position found together: they share the work and what they know."""

from collections.abc import Mapping
from random import Random
from time import process_time

import pytest

from pbmserv.computer.level_list import ENDLESS
from pbmserv.computer.search import Analysis, Candidate, merge_analyses, think
from pbmserv.computer.task import Effort
from pbmserv.engine.position import Move, Side
from pbmserv.engine.spec import parse_game

from .exhaustive import Exhaustive
from .test_proof import late_position


def found(
    parts: Mapping[str, tuple[float, float]], simulations: int = 100, winner: Side | None = None
) -> Analysis:
    """Return what a search found for these moves: the share and the chance of each."""
    candidates = tuple(
        Candidate(Move(name, (ord(name),)), share, chance, 10 * chance)
        for name, (share, chance) in parts.items()
    )
    best = max(candidates, key=lambda one: one.share)
    ranked = tuple(sorted(candidates, key=lambda one: one is not best))
    owned = (1.0, parts[best.move.text][1])
    return Analysis(Side.X, simulations, ranked, winner, owned, (best.move, Move("z")))


def names(analysis: Analysis) -> list[str]:
    return [one.move.text for one in analysis.candidates]


def test_the_move_that_was_tried_most_in_all_is_best_and_the_others_follow() -> None:
    one = found({"a": (0.5, 0.6), "b": (0.4, 0.7), "c": (0.1, 0.1)})
    other = found({"a": (0.1, 0.2), "b": (0.7, 0.5), "c": (0.2, 0.1)})
    both = merge_analyses([one, other])

    assert ["b", "a", "c"] == names(both)
    assert 200 == both.simulations
    assert other.line == both.line
    assert [0.55, 0.3, 0.15] == pytest.approx([each.share for each in both.candidates])
    # What a search tried more often weighs more.
    assert (0.4 * 0.7 + 0.7 * 0.5) / 1.1 == pytest.approx(both.best.chance)
    assert 10 * both.best.chance == pytest.approx(both.best.margin)
    assert (1.0, 0.55) == pytest.approx(both.ownership)


def test_what_one_search_proves_lost_is_no_longer_the_best() -> None:
    one = found({"a": (0.9, 0.6), "b": (0.1, 0.2)})
    other = found({"b": (0.6, 0.3), "a": (0.4, 0.0)})

    assert ["b", "a"] == names(merge_analyses([one, other]))
    assert ["b", "a"] == names(merge_analyses([other, one]))
    assert 0 == merge_analyses([one, other]).candidates[1].chance


def test_what_one_search_proves_is_what_all_say_with_the_work_of_all() -> None:
    open_one = found({"a": (0.9, 0.6), "b": (0.1, 0.2)})
    proven = found({"b": (0.6, 1.0), "a": (0.4, 0.1)}, simulations=30, winner=Side.X)
    for order in ([open_one, proven], [proven, open_one]):
        both = merge_analyses(order)

        assert (Side.X, 130, 1.0) == (both.winner, both.simulations, both.chance)
        assert proven.candidates == both.candidates


def test_a_move_that_nobody_tried_is_told_as_untried() -> None:
    one = found({"a": (1.0, 0.6), "b": (0.0, 0.5)})
    both = merge_analyses([one, one])

    assert ("b", 0.0, 0.5) == (names(both)[1], both.candidates[1].share, both.candidates[1].chance)


def test_a_game_that_has_no_margins_has_none_for_several_searches_either() -> None:
    game = parse_game("y(size=4)")

    assert {None} == {one.margin for one in think(game, game.start(), Effort(60), 2).candidates}


def test_each_search_has_its_part_of_the_work_and_a_chance_of_its_own() -> None:
    game = parse_game("star(size=4)")
    alone = [think(game, game.start(), Effort(100, seed)) for seed in (7, 8, 9)]
    shared = think(game, game.start(), Effort(300, 7), threads=3)

    assert merge_analyses(alone) == shared
    assert 300 == shared.simulations
    assert 302 >= think(game, game.start(), Effort(299, 7), threads=3).simulations >= 299


@pytest.mark.costly
def test_each_search_has_all_of_the_time() -> None:
    game = parse_game("star(size=6)")
    start = process_time()
    both = think(game, game.start(), Effort(ENDLESS, seconds=0.3), threads=2)

    assert 0.6 <= process_time() - start < 3
    assert both.simulations > 0


@pytest.mark.parametrize("spec", ["hex(size=4)", "star(size=3)"])
def test_whatever_several_searches_say_is_proven_is_true(spec: str) -> None:
    game, truth, chance = parse_game(spec), Exhaustive(parse_game(spec)), Random(spec)
    proven = 0
    for seed in range(20):
        position = late_position(game, 5, chance)
        if game.is_over(position):
            continue
        analysis = think(game, position, Effort(400, seed), threads=2)
        if analysis.winner is not None:
            proven += 1

            assert truth.can_force(
                analysis.winner, position.stones, position.to_move, position.passes
            )
    assert proven > 5
