"""The search: the same at both speeds, true to the rules, and right where it says proven."""

import os
from collections.abc import Iterator
from dataclasses import replace
from math import log, sqrt
from pathlib import Path
from random import Random
from time import process_time

import pytest

from pbmserv.computer import kernel
from pbmserv.computer.game_arrays import arrays_of
from pbmserv.computer.level_list import ENDLESS
from pbmserv.computer.links import fastest
from pbmserv.computer.search import BATCH, Search, describe_speed, think
from pbmserv.computer.task import (
    EXPLORATION,
    RAVE_VISITS,
    Effort,
    answers_of,
    movers_from,
    rewards_of,
    task_of,
)
from pbmserv.engine.game import Game
from pbmserv.engine.position import EMPTY, Position, Side
from pbmserv.engine.score_tables import TieRule
from pbmserv.engine.settle import settled
from pbmserv.engine.spec import parse_game
from pbmserv.errors import Refused
from tests.engine.sample_games import position_with, random_game, spread

from .exhaustive import Exhaustive, Replayed
from .test_proof import late_position

COMPILED = fastest(kernel.Tree)
BOTH = pytest.mark.parametrize(
    "tree_type",
    [
        kernel.Tree,
        pytest.param(
            COMPILED,
            marks=pytest.mark.skipif(
                COMPILED is kernel.Tree, reason="no kernel was compiled when this was installed"
            ),
        ),
    ],
    ids=["plain", "compiled"],
)
GAMES = [game for game in spread() if arrays_of(game)]
"""Every game that the computer can play, as TINY says of ours."""
TINY = [
    "star(size=3)",
    "star(size=3,maxi)",
    "starstar(size=4)",
    "starweb(size=4)",
    "polyy(size=3)",
    "y(size=4)",
    "hex(size=4)",
]


def running_position(game: Game, chance: Random) -> Position:
    """Return a position of a random game until it has ended."""
    found = [place for _, place in random_game(game, chance.random()) if not game.is_over(place)]
    return chance.choice(found)


KEPT = Path(__file__).parent / "searches.txt"
SEARCHED = {
    "star(size=5)": "C4 G4",
    "star(size=4,maxi)": "C3",
    "starstar(size=4)": "S21 A21 R31",
    "starstar(size=4,double)": "S21 A21+R31",
    "starweb(size=5)": "F4",
    "polyy(size=4)": "B20 D20",
    "y(size=7)": "F4 E5 C6",
    "hex(size=7)": "D4 E5",
}


def searched(spec: str, tree_type: type[kernel.Tree] = COMPILED) -> str:
    """Return what a search of 400 simulations finds, and one that is plain UCT."""
    game = parse_game(spec)
    position = game.replay(SEARCHED[spec].split())
    text = f"{spec}: {SEARCHED[spec]}\n"
    for effort in (Effort(400, 7), Effort(200, 7, is_plain=True, has_patterns=False)):
        found = Search(game, position, effort, tree_type=tree_type).analysis()
        for move, share, chance, margin in found.candidates[:4]:
            text += f"  {move.text:8} {share:.4f} {chance:.4f}"
            text += "\n" if margin is None else f" {margin:.4f}\n"
        owned = " ".join(f"{part:.2f}" for part in found.ownership[:8])
        text += f"  {' '.join(move.text for move in found.line)}; {owned}\n"
    return text


@pytest.mark.costly(stay=1)
@BOTH
@pytest.mark.parametrize("spec", SEARCHED)
def test_the_same_search_finds_the_same_on_every_machine(
    spec: str, tree_type: type[kernel.Tree]
) -> None:
    """With ``PBMSERV_TEST_WRITE=1`` what is kept is written anew, for a search that is changed."""
    if os.environ.get("PBMSERV_TEST_WRITE"):
        KEPT.write_text("\n".join(map(searched, SEARCHED)), encoding="utf-8")
    kept = KEPT.read_text(encoding="utf-8").split("\n\n")

    assert searched(spec, tree_type).strip() in [part.strip() for part in kept]


def sample(count: int) -> Iterator[tuple[Game, Position, int]]:
    """Yield so many positions of games with every option, each with a seed."""
    chance = Random("sample")
    for number in range(count):
        game = GAMES[number % len(GAMES)]
        yield game, running_position(game, chance), chance.getrandbits(32)


def figures(search: Search) -> tuple[object, ...]:
    """Return everything that a finished search knows."""
    tree = search.tree
    nodes = max(len(search.position.stones), 1)
    statistics = (tree.cell, tree.visits, tree.wins, tree.rave_visits, tree.value)
    return search.analysis(), *(list(each[: 20 * nodes]) for each in statistics)


@pytest.mark.costly
@pytest.mark.skipif(COMPILED is kernel.Tree, reason="no kernel was compiled at installation")
@pytest.mark.parametrize("count", [16, pytest.param(50, marks=pytest.mark.slow)])
def test_both_speeds_find_the_same(count: int, *, full: bool) -> None:
    different = [
        (game, position, seed)
        for game, position, seed in sample(1000 if full else count)
        if figures(Search(game, position, Effort(60, seed), tree_type=kernel.Tree))
        != figures(Search(game, position, Effort(60, seed), tree_type=COMPILED))
    ]

    assert [] == different


@BOTH
def test_the_same_seed_finds_the_same_and_another_one_does_not(
    tree_type: type[kernel.Tree],
) -> None:
    game = parse_game("starstar(size=4)")

    def visits(seed: int) -> list[int]:
        search = Search(game, game.start(), Effort(100, seed), tree_type=tree_type)
        search.tree.run(100)
        return list(search.tree.visits[:500])

    assert visits(1) == visits(1)
    assert visits(1) != visits(2)


@BOTH
def test_a_search_in_parts_is_the_search_in_one(tree_type: type[kernel.Tree]) -> None:
    game = parse_game("polyy(size=4)")
    whole = Search(game, game.start(), Effort(90), tree_type=tree_type)
    parts = Search(game, game.start(), Effort(90), tree_type=tree_type)
    for done in (20, 40, 60, 80):
        parts.tree.run(done)

    assert whole.analysis() == parts.analysis()


@pytest.mark.costly(stay=12)
@BOTH
@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_the_margin_of_a_full_board_is_that_of_the_score(
    game: Game, tree_type: type[kernel.Tree]
) -> None:
    chance = Random(repr(game))
    arrays = arrays_of(game)
    assert arrays is not None
    for _ in range(5):
        position = late_position(game, 1, chance)
        while game.is_over(position):
            position = late_position(game, 1, chance)
        search = Search(game, position, Effort(1), tree_type=tree_type)
        search.tree.run(1)
        doubled = search.tree.root_margins[0]
        (last,) = (cell for cell, stone in enumerate(position.stones) if stone == EMPTY)
        stones = bytearray(position.stones)
        stones[last] = position.to_move.stone
        balance = arrays.tables.balance(bytes(stones))
        winner = balance.winner or game.tie_winner(position)

        assert {Side.X: 1, Side.O: -1, None: 0}[winner] == (doubled > 0) - (doubled < 0)
        if arrays.tables.ending is not TieRule.MAJORITY:
            assert abs(doubled - 2 * balance.margin) <= 1


@pytest.mark.costly(stay=1)
@BOTH
@pytest.mark.parametrize(
    ("most_empty", "simulations"), [(4, 200), pytest.param(6, 2000, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("spec", TINY)
def test_what_the_tree_proves_is_what_exhaustive_play_finds(
    spec: str, most_empty: int, simulations: int, tree_type: type[kernel.Tree]
) -> None:
    game = parse_game(spec)
    exhaustive = Exhaustive(game)
    chance = Random(spec)
    proven = 0
    for number in range(60):
        position = late_position(game, chance.randint(2, most_empty), chance)
        if game.is_over(position):
            continue
        effort = Effort(simulations, number)
        found = Search(game, position, effort, tree_type=tree_type).analysis()
        if found.winner is not None:
            proven += 1

            assert exhaustive.can_force(
                found.winner, position.stones, position.to_move, position.passes
            )
            if found.winner is position.to_move:
                after = game.play(position, found.best.move)

                assert game.is_over(after) or exhaustive.can_force(
                    found.winner, after.stones, after.to_move
                )

    assert proven > 20


@pytest.mark.costly
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("spec", [*TINY, "starstar(size=4,double)", "polyy(size=2,sides=3)"])
def test_a_chance_is_0_or_1_exactly_where_exhaustive_play_says_so(spec: str, threads: int) -> None:
    game = parse_game(spec)
    truth, chance = Replayed(game), Random(f"{spec} {threads}")
    seen = set()
    for number in range(40):
        position = late_position(game, chance.randint(2, 5), chance)
        if game.is_over(position):
            continue
        side, effort = position.to_move, Effort(1 << number % 9, number)
        found = think(game, position, effort, threads)

        assert found.winner in {None, truth.winner(position)}
        if found.winner is not None:
            assert found.chance == float(found.winner is side)
        for one in (each for each in found.candidates if each.share or each is found.best):
            seen.add(one.chance if one.chance in {0, 1} else 0.5)
            if one.chance in {0, 1}:
                winner = side if one.chance else side.other

                assert winner is truth.winner(game.play(position, one.move)), (position, one)
            else:
                assert 0.01 <= one.chance <= 0.99
    assert {0.5, 1} <= seen


@BOTH
@pytest.mark.parametrize(("spec", "simulations"), [("hex(size=3)", 2000), ("y(size=4)", 8000)])
def test_a_first_player_who_wins_is_proven_to_win_from_the_empty_board(
    spec: str, simulations: int, tree_type: type[kernel.Tree]
) -> None:
    game = parse_game(spec)
    for seed in range(3):
        effort = Effort(simulations, seed)

        assert Side.X is Search(game, game.start(), effort, tree_type=tree_type).analysis().winner


def can_force(game: Game, side: Side, position: Position) -> bool:
    """Tell by every legal turn, passes and halves included, whether ``side`` wins."""
    outcome = game.outcome(position)
    if outcome is not None:
        return outcome.winner is side
    ends = (can_force(game, side, game.play(position, move)) for move in game.legal_moves(position))
    return any(ends) if position.to_move is side else all(ends)


@pytest.mark.slow
def test_what_the_tree_proves_holds_where_a_turn_has_two_stones() -> None:
    game = parse_game("starstar(size=4,double)")
    chance = Random("double")
    winners = []
    for seed in range(30):
        position = late_position(game, 3, chance)
        found = Search(game, position, Effort(1000, seed)).analysis()
        if found.winner is not None:
            winners.append(found.winner is position.to_move)

            assert can_force(game, found.winner, position)

    assert {True, False} == {*winners}


@pytest.mark.costly(stay=2)
@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_every_candidate_and_the_line_can_be_played(game: Game) -> None:
    chance = Random(repr(game))
    for seed in range(3):
        position = running_position(game, chance)
        found = Search(game, position, Effort(40, seed)).analysis()
        moves = [candidate.move for candidate in found.candidates]

        assert position.empty_count == len(set(moves)) == len(moves)
        assert all(game.parse_move(move.text) == move for move in moves)
        assert all(game.play(position, move).stones for move in moves)
        for move in found.line:
            if not game.is_over(position):
                position = game.play(position, move)


def test_shares_chances_and_ownership_are_parts_of_one() -> None:
    game = parse_game("star(size=4)")
    position = game.play(game.start(), game.parse_move("D4"))
    found = Search(game, position, Effort(300)).analysis()
    owned = found.ownership

    assert 300 == found.simulations
    assert 1.0 == pytest.approx(sum(candidate.share for candidate in found.candidates))
    assert all(0 <= candidate.chance <= 1 for candidate in found.candidates)
    assert all(0 <= share <= 1 for share in owned)
    assert owned[game.board.index["D4"]] == 1.0
    assert 0 < found.chance < 1


@BOTH
def test_playouts_save_bridges_to_stones_and_to_the_edge(tree_type: type[kernel.Tree]) -> None:
    game = parse_game("hex(size=5)")
    joined = game.replay(["C2", "E5", "B4", "A1"])
    position = replace(joined, to_move=Side.O)

    def playouts_won(seed: int, *, is_plain: bool) -> int:
        effort = Effort(1, seed, is_plain=is_plain)
        search = Search(game, position, effort, tree_type=tree_type)
        search.tree.run(1)
        return sum(search.tree.root_wins)

    # One stone may cut into two bridges at once, so even saving them may fail.
    assert 45 <= sum(playouts_won(seed, is_plain=False) for seed in range(50))
    assert 45 > sum(playouts_won(seed, is_plain=True) for seed in range(50))


@BOTH
@pytest.mark.parametrize("is_plain", [False, True])
@pytest.mark.parametrize(
    "spec", ["star(size=4)", "starweb(size=4)", "polyy(size=4)", "hex(size=5)"]
)
def test_whoever_places_a_stone_owns_a_cell(
    spec: str,
    is_plain: bool,  # noqa: FBT001
    tree_type: type[kernel.Tree],
) -> None:
    game, chance = parse_game(spec), Random(spec)
    for seed in range(3):
        position = running_position(game, chance)
        effort = Effort(40, seed, is_plain=is_plain)
        search = Search(game, position, effort, tree_type=tree_type)
        found = search.analysis()
        stones = zip(position.stones, found.ownership, strict=True)
        x_to_come = (position.empty_count + (position.to_move is Side.X)) // 2

        assert {0: None, 1: 1.0, 2: 0.0}.items() >= {
            (stone, owned) for stone, owned in stones if stone
        }
        if not is_plain and found.winner is None:
            owned = sum(found.ownership) - position.stones.count(Side.X.stone)
            assert x_to_come == pytest.approx(owned)


@pytest.mark.costly
@BOTH
def test_playouts_take_all_cells_alike(tree_type: type[kernel.Tree]) -> None:
    game = parse_game("star(size=3)")
    count = 500
    owned = [
        Search(game, game.start(), Effort(1, seed), tree_type=tree_type).analysis().ownership
        for seed in range(count)
    ]

    assert all(0.4 < sum(of_x) / count < 0.6 for of_x in zip(*owned, strict=True))
    assert len(set(owned)) > 0.5 * count


@BOTH
def test_plain_uct_tries_every_move_once_and_then_the_better_ones_more(
    tree_type: type[kernel.Tree],
) -> None:
    game = parse_game("hex(size=3)")
    for seed in range(5):
        first = Search(game, game.start(), Effort(9, seed, is_plain=True), tree_type=tree_type)
        later = Search(game, game.start(), Effort(1500, seed, is_plain=True), tree_type=tree_type)
        shares = {one.move.text: one.share for one in later.analysis().candidates}

        assert {1 / 9} == {one.share for one in first.analysis().candidates}
        assert "B2" == max(shares, key=shares.__getitem__)
        assert shares["B2"] > 0.4
        assert shares["A1"] + shares["C3"] < shares["B2"]
        assert 1.5 / 1500 < min(shares.values())


def test_of_what_is_uncertain_the_less_it_was_tried_the_more_is_thought() -> None:
    game = parse_game("hex(size=3)")
    arrays = arrays_of(game)
    assert arrays is not None
    task = task_of(game, arrays, game.start(), Effort(1000))
    for visits in (1, 2, 10, 100, 999):
        for own in (1, 5, 50, 500):
            bound = task.spread[visits] * task.inverse_root[own]

            assert EXPLORATION * sqrt(log(visits) / own) == pytest.approx(bound)
    # At so many visits of its own a child's shared results weigh half as much as at none.
    assert 1.0 == task.rave_share[0]
    assert 0.5 == pytest.approx(task.rave_share[RAVE_VISITS])
    assert list(task.rave_share) == sorted(task.rave_share, reverse=True)
    assert {1002} == {len(task.spread), len(task.inverse_root), len(task.rave_share)}


@BOTH
def test_more_simulations_never_forget_a_proof(tree_type: type[kernel.Tree]) -> None:
    game, chance = parse_game("hex(size=4)"), Random(3)
    proven = 0
    for seed in range(20):
        position = late_position(game, 6, chance)
        if game.is_over(position):
            continue
        winners = [
            Search(game, position, Effort(count, seed), tree_type=tree_type).analysis().winner
            for count in (50, 200, 800)
        ]
        known = [winner for winner in winners if winner]
        proven += bool(known)

        assert known == winners[len(winners) - len(known) :]
        assert len({*known}) <= 1
    assert proven > 10


@BOTH
def test_a_win_in_one_is_found_and_proven(tree_type: type[kernel.Tree]) -> None:
    game = parse_game("y(size=5)")
    position = position_with(game, bytes([0, 1, 2, 1, 2, 0, 1, 2, 0, 2, 0, 0, 0, 2, 0]))
    found = Search(game, position, Effort(500), tree_type=tree_type).analysis()

    assert Side.X is found.winner
    assert 1.0 == found.chance == found.best.chance
    assert 500 > found.simulations


@pytest.mark.costly
def test_a_side_that_wins_by_passing_is_not_called_lost() -> None:
    game = parse_game("star(size=3)")
    exhaustive = Exhaustive(game)
    chance = Random(5)
    seen = 0
    while seen < 5:
        position = replace(late_position(game, 5, chance), passes=1)
        side = position.to_move
        if exhaustive.standing(position.stones) is not side:
            continue
        winner = Search(game, position, Effort(2000)).analysis().winner

        assert winner is not side.other
        if exhaustive.can_force(side.other, position.stones, side):
            seen += 1
            before = replace(position, passes=0)

            assert Search(game, before, Effort(2000)).analysis().winner is side.other


def test_a_tree_that_is_full_is_searched_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbmserv.computer.task.MAX_NODES", 60)
    game = parse_game("star(size=3)")
    found = Search(game, game.start(), Effort(200)).analysis()

    assert 200 == found.simulations


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("spec", ["star(size=4)", "hex(size=4)", "starstar(size=4,double)"])
@pytest.mark.parametrize("is_plain", [True, False])
def test_a_tree_that_grows_out_of_its_room_is_the_same_as_one_that_had_it(
    spec: str, monkeypatch: pytest.MonkeyPatch, *, is_plain: bool
) -> None:
    game, effort = parse_game(spec), Effort(150, 3, is_plain=is_plain)
    found = []
    for room in (100_000, 1):
        monkeypatch.setattr(kernel, "INITIAL_ROOM", room)
        search = Search(game, game.replay(["pass"]), effort, tree_type=kernel.Tree)
        begun = search.tree.room
        found.append(search.analysis())

        assert (search.tree.room > begun) is (room == 1)

    assert found[0] == found[1]


@BOTH
@pytest.mark.parametrize("is_plain", [True, False])
def test_weights_that_depend_on_visits_end_somewhere(
    tree_type: type[kernel.Tree], monkeypatch: pytest.MonkeyPatch, *, is_plain: bool
) -> None:
    monkeypatch.setattr("pbmserv.computer.task.MAX_VISITS", 50)
    game, effort = parse_game("star(size=4)"), Effort(600, is_plain=is_plain)
    search = Search(game, game.start(), effort, tree_type=tree_type)

    assert 600 == search.analysis().simulations
    assert max(search.tree.visits) > 60


@pytest.mark.costly
def test_a_search_for_a_time_takes_that_time_unless_it_is_proven_before() -> None:
    game = parse_game("hex(size=11)")
    effort = Effort(ENDLESS, seconds=0.2)
    start = process_time()
    found = Search(game, game.start(), effort).analysis()

    assert 0.2 <= process_time() - start < 2
    assert found.winner is None
    small = parse_game("hex(size=3)")
    assert Search(small, small.start(), Effort(ENDLESS, seconds=60)).analysis().winner is Side.X


@pytest.mark.parametrize("seconds", [0.0, -1.0])
def test_a_search_without_time_has_looked_at_something(seconds: float) -> None:
    game = parse_game("hex(size=11)")
    found = Search(game, game.start(), Effort(ENDLESS, seconds=seconds)).analysis()

    assert 0 < found.simulations < 1000


def test_a_game_that_is_over_is_not_searched() -> None:
    game = parse_game("star(size=3)")

    with pytest.raises(Refused, match="over"):
        Search(game, game.replay(["pass", "pass"]), Effort(10))


def test_a_game_without_tables_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    game = parse_game("star(size=3)")
    monkeypatch.setattr("pbmserv.computer.game_arrays.arrays_of", lambda _: None)

    with pytest.raises(Refused, match="cannot play Star"):
        Search(game, game.start(), Effort(10))


def test_turns_of_two_stones_follow_a_first_of_one() -> None:
    game = parse_game("starstar(size=4,double)")
    start = game.start()
    later = game.replay(["A10"])

    assert [1, 2, 2, 1, 1, 2, 2] == movers_from(start, 1, 2)[:7]
    assert [2, 2, 1, 1, 2, 2, 1] == movers_from(later, 2, 2)[:7]
    assert len(game.board) == len(movers_from(start, 1, 2))


def test_each_stone_answers_one_of_the_turn_before() -> None:
    assert [0, 1, 1, 1] == answers_of([1, 2, 1, 2])
    assert [0, 1, 0, 1, 3, 1, 3] == answers_of([1, 2, 2, 1, 1, 2, 2])


def test_a_higher_margin_is_worth_more_but_never_as_much_as_the_win() -> None:
    arrays = arrays_of(parse_game("star(size=6)"))
    assert arrays is not None
    rewards = rewards_of(arrays, 0.2)
    even = len(rewards) // 2

    assert 0.5 == rewards[even]
    assert list(rewards) == sorted(rewards)
    assert rewards[even - 1] < 0.5 < rewards[even + 1]
    assert rewards[even + 1] - rewards[even - 1] >= 0.8
    assert 0.0 <= rewards[0] < rewards[-1] <= 1.0


def test_once_the_winner_is_settled_only_the_margin_counts() -> None:
    game, chance, seen = parse_game("star(size=4)"), Random(8), set()
    arrays = arrays_of(game)
    assert arrays is not None
    for seed in range(60):
        position = late_position(game, 6, chance)
        if game.is_over(position):
            continue
        end = settled(game, position)
        is_settled = bool(end and end.winner)
        seen.add(is_settled)
        rewards = task_of(game, arrays, position, Effort(10, seed)).rewards
        even = len(rewards) // 2
        won_or_lost = rewards[even + 2] - rewards[even - 2]
        a_bit_more = rewards[even + 6] - rewards[even + 2]

        assert list(rewards) == sorted(rewards)
        if is_settled:
            assert won_or_lost == pytest.approx(a_bit_more)
        else:
            assert won_or_lost > 10 * a_bit_more
    assert {True, False} == seen


def test_the_speed_is_told_in_words() -> None:
    assert ("compiled" == describe_speed()) == (COMPILED is not kernel.Tree)


@pytest.mark.parametrize("spec", ["star(size=4)", "starstar(size=4,double)", "hex(size=9)"])
def test_two_threads_share_the_simulations_and_always_find_the_same(spec: str) -> None:
    game = parse_game(spec)
    found = [think(game, game.start(), Effort(300, 5), threads=2) for _ in range(2)]
    alone = Search(game, game.start(), Effort(150, 5)).analysis()

    assert found[0] == found[1]
    assert 300 == found[0].simulations
    assert pytest.approx(1.0) == sum(one.share for one in found[0].candidates)
    assert found[0].best.move == found[0].line[0]
    assert {one.move.cells[0] for one in alone.candidates} == {
        one.move.cells[0] for one in found[0].candidates
    }


def test_what_one_thread_proves_is_proven() -> None:
    game = parse_game("hex(size=3)")
    found = think(game, game.replay(["B2", "A1"]), Effort(2000, 1), threads=2)

    assert (Side.X, 1.0) == (found.winner, found.chance)


def test_where_the_search_is_not_compiled_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pbmserv.computer.search.is_compiled", lambda: False)

    assert "plain Python" in describe_speed()
    assert "apt-get install gcc python3-dev" in describe_speed()


@pytest.mark.parametrize("spec", ["hex(size=9)", "starstar(size=4,double)"])
def test_a_watched_search_finds_the_same_and_ends_as_soon_as_it_is_told(spec: str) -> None:
    game = parse_game(spec)
    position, seen = game.start(), list[int]()

    def watch(search: Search) -> bool:
        seen.append(search.report().simulations)
        return len(seen) % 4 == 0

    found = [
        Search(game, position, Effort(simulations, 3, watch=each)).analysis()
        for simulations, each in ((150, None), (150, watch), (100_000, watch))
    ]

    assert found[0] == found[1]
    assert seen[:3] == [BATCH, 2 * BATCH, 150]
    assert found[2].simulations < 100_000
