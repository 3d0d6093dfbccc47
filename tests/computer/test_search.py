"""The search: the same at both speeds, true to the rules, and right where it says proven."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

from pbmserv.computer import kernel
from pbmserv.computer.arena import arena_of
from pbmserv.computer.search import Search, fastest_tree, speed, think
from pbmserv.computer.task import Effort, answers_of, movers_from, rewards_of
from pbmserv.engine.game import Game
from pbmserv.engine.position import EMPTY, Position, Side
from pbmserv.engine.score_tables import Ending
from pbmserv.engine.spec import parse_game
from pbmserv.errors import Refused
from tests.engine.sample_games import position_with, random_game, spread

from .exhaustive import Exhaustive
from .test_proof import late_position

COMPILED = fastest_tree()
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
GAMES = [game for game in spread() if arena_of(game)]
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
    """Return a position of a random game before its end."""
    found = [place for _, place in random_game(game, chance.random()) if not game.is_over(place)]
    return chance.choice(found)


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
    statistics = (tree.cell, tree.visits, tree.wins, tree.rave_visits, tree.worth)
    return search.analysis(), *(list(each[: 20 * nodes]) for each in statistics)


@pytest.mark.slow
@pytest.mark.skipif(COMPILED is kernel.Tree, reason="no kernel was compiled at installation")
def test_both_speeds_find_the_same(*, full: bool) -> None:
    different = [
        (game, position, seed)
        for game, position, seed in sample(1000 if full else 50)
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


@BOTH
@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_the_margin_of_a_full_board_is_that_of_the_score(
    game: Game, tree_type: type[kernel.Tree]
) -> None:
    chance = Random(repr(game))
    arena = arena_of(game)
    assert arena is not None
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
        balance = arena.tables.balance(bytes(stones))
        winner = balance.winner or game.tie_winner(position)

        assert {Side.X: 1, Side.O: -1, None: 0}[winner] == (doubled > 0) - (doubled < 0)
        if arena.tables.ending is not Ending.MAJORITY:
            assert abs(doubled - 2 * balance.margin) <= 1


@pytest.mark.slow
@BOTH
@pytest.mark.parametrize("spec", TINY)
def test_what_the_tree_proves_is_what_exhaustive_play_finds(
    spec: str, tree_type: type[kernel.Tree]
) -> None:
    game = parse_game(spec)
    exhaustive = Exhaustive(game)
    chance = Random(spec)
    proven = 0
    for number in range(60):
        position = late_position(game, chance.randint(2, 6), chance)
        if game.is_over(position):
            continue
        found = Search(game, position, Effort(2000, number), tree_type=tree_type).analysis()
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


def test_a_win_in_one_is_found_and_proven() -> None:
    game = parse_game("y(size=5)")
    position = position_with(game, bytes([0, 1, 2, 1, 2, 0, 1, 2, 0, 2, 0, 0, 0, 2, 0]))
    found = Search(game, position, Effort(500)).analysis()

    assert Side.X is found.winner
    assert 1.0 == found.chance == found.best.chance
    assert 500 > found.simulations


def test_a_side_that_wins_by_passing_is_not_called_lost() -> None:
    game = parse_game("star(size=3)")
    exhaustive = Exhaustive(game)
    chance = Random(5)
    seen = 0
    while seen < 5:
        position = late_position(game, 5, chance)
        if game.is_over(position) or not position.passes:
            continue
        found = Search(game, position, Effort(2000)).analysis()
        if exhaustive.standing(position.stones) is position.to_move:
            seen += 1

            assert found.winner is not position.to_move.other


def test_a_tree_that_is_full_is_searched_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbmserv.computer.task.MOST_NODES", 60)
    game = parse_game("star(size=3)")
    found = Search(game, game.start(), Effort(200)).analysis()

    assert 200 == found.simulations


def test_a_game_that_is_over_is_not_searched() -> None:
    game = parse_game("star(size=3)")

    with pytest.raises(Refused, match="over"):
        Search(game, game.replay(["pass", "pass"]), Effort(10))


def test_a_game_without_tables_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    game = parse_game("star(size=3)")
    monkeypatch.setattr("pbmserv.computer.arena.arena_of", lambda _: None)

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
    arena = arena_of(parse_game("star(size=6)"))
    assert arena is not None
    rewards = rewards_of(arena, 0.2)
    even = len(rewards) // 2

    assert 0.5 == rewards[even]
    assert list(rewards) == sorted(rewards)
    assert rewards[even - 1] < 0.5 < rewards[even + 1]
    assert rewards[even + 1] - rewards[even - 1] >= 0.8
    assert 0.0 <= rewards[0] < rewards[-1] <= 1.0


def test_the_speed_is_told_in_words() -> None:
    assert ("compiled" == speed()) == (COMPILED is not kernel.Tree)


@pytest.mark.parametrize("spec", ["star(size=4)", "starstar(size=4,double)", "hex(size=5)"])
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
