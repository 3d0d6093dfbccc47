"""What each level does: it moves by the rules, swaps what is strong, resigns only what is lost."""

from dataclasses import replace
from random import Random
from time import process_time

import pytest

from pbmserv.club.puzzles import Puzzle, puzzles
from pbmserv.computer.level_list import (
    BEFORE,
    FIRST_SEARCH,
    HINT_LEVEL,
    LEVELS,
    PLAIN_LEVEL,
    Level,
    find_level,
    level_of,
    next_level,
    parse_level,
    parse_seconds,
    rating_of,
    timed_level,
)
from pbmserv.computer.levels import accepts, choose, is_quick
from pbmserv.computer.openings import chance_after, distinct_cells
from pbmserv.computer.proof import prove
from pbmserv.computer.search import Search
from pbmserv.computer.task import Effort
from pbmserv.engine.game import Game
from pbmserv.engine.position import PASS, SWAP, Position, Side
from pbmserv.engine.settle import settled
from pbmserv.engine.spec import parse_game
from pbmserv.errors import Misunderstood

from .exhaustive import Exhaustive
from .test_proof import late_position

BEGINNER, PLAIN, MASTER = LEVELS[0], LEVELS[PLAIN_LEVEL - 1], LEVELS[-1]
STRONG = next(level for level in LEVELS if level.solves)
GAMES = (
    "star(size=4)",
    "star(size=4,maxi,corners=2)",
    "starstar(size=4,double)",
    "starstar(size=4,komi=3,handicap=2)",
    "starweb(size=4)",
    "polyy(size=3)",
    "y(size=6)",
    "hex(size=5)",
)
EACH_GAME = pytest.mark.parametrize("spec", GAMES)


def test_each_level_thinks_more_than_the_one_before() -> None:
    efforts = [(-level.temperature, level.simulations) for level in LEVELS]

    assert [*range(1, len(LEVELS) + 1)] == [level.number for level in LEVELS]
    assert len(LEVELS) == len({level.name for level in LEVELS})
    assert len(LEVELS) == len(set(efforts))
    assert efforts == sorted(efforts)
    for field in ("sight", "solves", "proof_depth"):
        values = [getattr(level, field) for level in LEVELS]
        assert values == sorted(values)


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("spec", ["star(size=4)", "starweb(size=4)", "y(size=4)", "hex(size=4)"])
def test_from_level_2_on_none_throws_away_a_win_that_one_move_makes_certain(spec: str) -> None:
    game, chance, seen = parse_game(spec), Random(spec), 0
    exhaustive = Exhaustive(game)
    while seen < 15:
        position = late_position(game, chance.randint(3, 6), chance)
        side = position.to_move

        def is_sure(after: Position, side: Side = side) -> bool:
            end = game.outcome(after) or settled(game, after)
            return end is not None and end.winner is side

        if game.is_over(position) or is_sure(position):
            continue
        if not any(is_sure(game.play(position, move)) for move in game.legal_moves(position)):
            continue
        seen += 1
        for level in LEVELS[1:-2]:
            move = choose(game, position, level, seen).move
            assert move is not None
            after = game.play(position, move)

            assert exhaustive.can_force(side, after.stones, after.to_move, after.passes)


def winning_cells(game: Game, position: Position, side: Side) -> set[int]:
    """Return where one stone of ``side`` wins whatever follows."""
    found = set()
    for cell in range(len(game.board)):
        if not position.stones[cell]:
            after = replace(position, to_move=side, passes=0).after(game.placing((cell,)))
            after = after.with_trace(game.trace_of(after))
            end = game.outcome(after) or settled(game, after)
            if end is not None and end.winner is side:
                found.add(cell)
    return found


def before_it_is_settled(game: Game, chance: Random) -> list[Position]:
    """Return the last two positions of a random game that filling the board does not settle."""
    seen = [game.start()]
    while (end := settled(game, seen[-1])) is not None and end.winner is None:
        cell = chance.choice([cell for cell, at in enumerate(seen[-1].stones) if not at])
        seen.append(game.play(seen[-1], game.placing((cell,))))
    return seen[-3:-1]


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(
    "spec", ["star(size=5)", "starstar(size=4)", "starweb(size=4)", "polyy(size=4)", "hex(size=7)"]
)
def test_a_level_sees_what_one_stone_decides_as_often_as_it_looks(spec: str) -> None:
    game, won, saved = parse_game(spec), 0, 0
    missed = dict.fromkeys(LEVELS[:10], 0)
    for seed in range(25):
        for position in before_it_is_settled(game, Random(seed)):
            side = position.to_move
            wins = winning_cells(game, position, side)
            threats = winning_cells(game, position, side.other)
            for level in missed:
                move = choose(game, position, level, seed).move
                cells = {*move.cells} if move is not None else set()

                assert wins & cells or not wins or level is BEGINNER
                is_right = threats & cells or not threats or wins or move is None
                assert is_right or level.sight < 1
                missed[level] += not is_right
            won += bool(wins)
            saved += bool(threats and not wins)

    assert won > 5
    assert saved > 3
    assert missed[BEGINNER]


def test_only_the_lowest_level_misses_its_own_win() -> None:
    game, missed = parse_game("star(size=5)"), 0
    for seed in range(25):
        for position in before_it_is_settled(game, Random(seed)):
            if wins := winning_cells(game, position, position.to_move):
                move = choose(game, position, BEGINNER, seed).move
                missed += move is not None and not wins & {*move.cells}

    assert missed


@pytest.mark.parametrize(
    ("number", "least", "most"), [(1, 0, 8), (5, 12, 32), (6, 30, 40), (7, 39, 40)]
)
def test_the_higher_a_level_the_more_often_it_saves_a_bridge(
    number: int, least: int, most: int
) -> None:
    game, saved = parse_game("hex(size=11)"), 0
    stones = {Side.X: ["F6", "G4", "B9"], Side.O: ["F5", "C3", "I8"]}
    position = replace(game.position_of(stones), to_move=Side.X, last=(game.board.index["F5"],))
    for seed in range(40):
        move = choose(game, position, LEVELS[number - 1], seed).move
        saved += move is not None and move.text == "G5"

    assert least <= saved <= most


@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.parametrize("level", LEVELS[:8:3])
def test_both_speeds_of_the_kernel_choose_the_same(
    spec: str, level: Level, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, chance = parse_game(spec), Random(spec)
    positions = [late_position(game, chance.randint(6, 20), chance) for _ in range(6)]
    asked = [position for position in positions if not game.is_over(position)]
    compiled = [choose(game, position, level, seed).move for seed, position in enumerate(asked)]
    monkeypatch.setattr("pbmserv.computer.search.fastest", lambda kind: kind)

    assert len(asked) > 2
    assert compiled == [
        choose(game, position, level, seed).move for seed, position in enumerate(asked)
    ]


def test_what_is_drawn_is_drawn_by_the_seed_alone() -> None:
    game = parse_game("hex(size=7)")
    position = game.replay(["B2", "D4"])
    drawn = [choose(game, position, BEGINNER, seed).move for seed in range(30)]
    told = [move.text for move in drawn[:6] if move]

    assert drawn == [choose(game, position, BEGINNER, seed).move for seed in range(30)]
    assert len({move.text for move in drawn if move}) > 12
    assert told == ["E5", "D3", "G6", "D1", "F3", "C3"]


@pytest.mark.costly(stay=9)
@pytest.mark.parametrize("spec", [*GAMES, "y(size=7,shape=bent)", "polyy(shape=open)"])
def test_two_levels_play_a_game_to_its_end(spec: str) -> None:
    game = parse_game(spec)
    position = game.start()
    while not game.is_over(position):
        level = PLAIN if position.ply % 2 else BEGINNER
        move = choose(game, position, level, position.ply).move
        if move is None:
            break
        position = game.play(position, move)

    end = settled(game, position)
    assert game.is_over(position) or (end and end.winner) or position.empty_count < 20


def test_the_same_seed_chooses_the_same() -> None:
    game = parse_game("starstar(size=4)")
    position = game.replay(["A30", "S21"])

    for level in (BEGINNER, PLAIN, FIRST_SEARCH):
        assert choose(game, position, level, 5) == choose(game, position, level, 5)


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("spec", ["star(size=3)", "starweb(size=4)", "y(size=4)", "hex(size=3)"])
def test_only_what_is_lost_is_resigned(spec: str) -> None:
    game = parse_game(spec)
    exhaustive = Exhaustive(game)
    chance = Random(spec)
    resigned = 0
    for seed in range(200):
        position = late_position(game, chance.randint(2, 6), chance)
        if game.is_over(position):
            continue
        if choose(game, position, STRONG, seed).move is None:
            resigned += 1
            other = position.to_move.other

            assert exhaustive.can_force(other, position.stones, position.to_move, position.passes)

    assert resigned > 10


@pytest.mark.costly
@EACH_GAME
def test_a_level_that_has_a_time_takes_it_and_no_more(spec: str) -> None:
    game = parse_game(spec)
    for moves in ([], ["pass"]):
        position = game.replay(moves)
        start = process_time()
        choice = choose(game, position, timed_level(0.2), 1)
        seconds = process_time() - start

        assert seconds < 2
        assert choice.analysis is None or choice.analysis.winner or seconds >= 0.2


def test_a_level_is_known_again_by_its_label() -> None:
    for level in (*LEVELS, timed_level(2), timed_level(0.5), timed_level(3600)):
        assert level == find_level(level.label)
    for label in ("", "0", "8", "99", "level0", "level99", "2.0s", "0s", "s", "7s7"):
        assert find_level(label) is None


def test_a_label_of_before_is_that_of_a_level_as_strong() -> None:
    found = [find_level(str(number)) for number in range(1, 8)]

    assert [level.number for level in found if level] == [*BEFORE]
    assert found[4:] == [STRONG, HINT_LEVEL, MASTER]
    assert [500, 10_000, 200_000] == [level.simulations for level in found[4:] if level]


def test_a_level_is_named_by_its_number_or_by_a_rating() -> None:
    assert [*range(1, len(LEVELS) + 1)] == [parse_level(str(level.number)) for level in LEVELS]
    assert PLAIN_LEVEL == parse_level("1500") == parse_level("1450") == parse_level("1550")
    assert PLAIN_LEVEL + 1 == parse_level("1700")
    assert [1, len(LEVELS)] == [parse_level(str(rating_of(n))) for n in (1, len(LEVELS))]
    for level in LEVELS:
        assert level.number == parse_level(str(rating_of(level.number or 0)))


@pytest.mark.parametrize(
    "text", ["0", "15", "899", "3501", "-1", "1.5", "", "01", "15000", "\u0663"]
)
def test_what_is_no_level_is_told_what_would_be_right(text: str) -> None:
    with pytest.raises(Misunderstood, match="1 to 14, or a rating from 900 to 3500") as caught:
        parse_level(text)

    assert caught.value.code == "bad-option-value"


def test_two_games_in_a_row_lead_to_the_next_level() -> None:
    lower, level, upper = LEVELS[3:6]
    runs = {run: next_level(level, run) for run in range(-3, 4)}

    assert {-3: lower, -2: lower, -1: None, 0: None, 1: None, 2: upper, 3: upper} == runs
    assert next_level(LEVELS[-1], 2) is None
    assert next_level(LEVELS[0], -2) is None


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("0.1", 0.1), ("2", 2), ("2.50", 2.5), ("0010", 10), ("3600", 3600), ("3600.0", 3600)],
)
def test_a_time_is_so_many_seconds(text: str, seconds: float) -> None:
    assert seconds == parse_seconds(text)


@pytest.mark.parametrize(
    "text",
    ["0", "0.09", "3600.1", "3601", "-1", "+1", "1e3", "", ".5", "2.", "00010", "inf", "\u0663"],
)
def test_what_is_no_time_or_too_long_a_one_is_refused(text: str) -> None:
    with pytest.raises(Misunderstood):
        parse_seconds(text)


def test_a_time_goes_before_a_level_and_a_level_before_the_usual_one() -> None:
    assert HINT_LEVEL is level_of(None, None, HINT_LEVEL)
    numbers = range(1, len(LEVELS) + 1)
    assert [*LEVELS] == [level_of(number, None, HINT_LEVEL) for number in numbers]
    for number in (None, 1, 7):
        level = level_of(number, 2.5, HINT_LEVEL)

        assert timed_level(2.5) == level
        assert ("2.5s", "2.5 s a move", 2.5) == (level.label, level.title, level.seconds)
        assert (MASTER.proof_depth, MASTER.solves) == (level.proof_depth, level.solves)
    assert ("level12", "expert (12)") == (HINT_LEVEL.label, HINT_LEVEL.title)


def quick_at(spec: str, moves: str, number: int) -> bool:
    game = parse_game(spec)
    return is_quick(game, game.replay(moves.split()), LEVELS[number - 1])


@pytest.mark.parametrize(
    ("spec", "moves", "compiled", "plain"),
    [
        ("hex(size=11)", "", 12, 10),  # eight first stones of 50 simulations each, or the level's
        ("hex(size=11)", "A1", 12, 0),  # is it worth a swap?
        ("hex(size=11)", "pass", 12, 10),  # nothing to swap
        ("hex(size=11)", "A1 B2", 12, 10),
        ("hex(size=19)", "A1 B2", 12, 9),
        ("hex(size=19)", "A1", 11, 0),
        ("y(size=26)", "A26 B26", 12, 9),
        ("hex(size=3)", "A1", 13, 11),
        ("hex(size=3)", "A1 B1", 13, 12),
    ],
)
def test_a_level_is_quick_where_its_work_is_little(
    spec: str, moves: str, compiled: int, plain: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The highest level looks for proofs, which nobody knows the time of."""
    for is_compiled, most in ((True, compiled), (False, plain)):
        monkeypatch.setattr("pbmserv.computer.levels.is_compiled", lambda it=is_compiled: it)
        quick = [number for number in range(1, 15) if quick_at(spec, moves, number)]

        assert [*range(1, most + 1)] == quick


def test_a_strong_first_stone_is_swapped_and_a_weak_one_is_not() -> None:
    game = parse_game("hex(size=7)")

    for level in (BEGINNER, STRONG):
        assert SWAP == choose(game, game.replay(["D4"]), level, 1).move
        assert SWAP != choose(game, game.replay(["A1"]), level, 1).move


def test_so_it_is_on_a_board_that_the_table_of_openings_lacks() -> None:
    game = parse_game("starstar(size=4,scoring=alternative)")

    assert chance_after(game, 0) is None
    for level in (BEGINNER, STRONG):
        assert SWAP == choose(game, game.replay(["S42"]), level, 1).move
        assert SWAP != choose(game, game.replay(["R10"]), level, 1).move


def test_the_first_stone_is_nearer_to_even_than_the_best_one() -> None:
    game = parse_game("y(size=7)")

    def unevenness(text: str) -> float:
        effort = Effort(2000, 9)
        chance = Search(game, game.replay([text]), effort).analysis().chance
        return abs(chance - 0.5)

    best = Search(game, game.start(), Effort(2000, 9)).analysis().best.move
    opened = choose(game, game.start(), STRONG, 3).move

    assert opened is not None
    assert unevenness(opened.text) < unevenness(best.text)


def test_a_handicap_game_is_opened_to_win() -> None:
    game = parse_game("starstar(size=4,komi=5)")
    choice = choose(game, game.start(), FIRST_SEARCH, 3)

    assert choice.analysis is not None
    assert choice.analysis.best.move == choice.move


def test_a_pass_is_answered_by_a_pass_where_that_wins() -> None:
    game = parse_game("star(size=3)")
    ahead = game.replay(["B3", "C3", "C1", "pass"])

    assert Side.X is game.when_passed_out(ahead).winner
    assert PASS == choose(game, ahead, BEGINNER, 1).move


def test_a_pass_is_not_answered_by_a_pass_where_that_does_not_win() -> None:
    game = parse_game("star(size=4)")
    behind = game.replay(["C3", "pass"])

    assert PASS != choose(game, behind, BEGINNER, 1).move


def test_an_end_is_accepted_only_by_a_winner_and_by_who_is_lost() -> None:
    game = parse_game("star(size=3)")
    chance = Random(1)
    positions = (late_position(game, 2, chance) for _ in range(200))
    lost = next(one for one in positions if (end := settled(game, one)) and end.winner is Side.X)
    start = game.start()

    assert accepts(game, start, Side.X, Side.X)
    assert not accepts(game, start, Side.X, None)
    assert not accepts(game, start, Side.X, Side.O)
    assert accepts(game, lost, Side.O, Side.X)
    assert accepts(game, lost, Side.O, None)
    assert not accepts(game, lost, Side.X, None)


def test_the_highest_level_keeps_what_it_can_prove() -> None:
    game = parse_game("hex(size=4)")
    exhaustive = Exhaustive(game)
    chance = Random(4)
    master = MASTER._replace(simulations=1)
    kept = 0
    for seed in range(60):
        position = late_position(game, 6, chance)
        won = Position(position.stones, position.to_move, ply=4, trace=position.trace)
        proof = None if game.is_over(won) else prove(game, won, 1)
        if proof is None or proof.winner is not won.to_move:
            continue
        move = choose(game, won, master, seed).move
        assert move is not None
        after = game.play(won, move)
        kept += 1

        assert game.is_over(after) or exhaustive.can_force(won.to_move, after.stones, after.to_move)

    assert kept > 10


def typed_in(game: Game, chance: Random) -> Position:
    """Return some stones of both sides without the turns that placed them, and no end."""
    while True:
        cells = chance.sample(game.board.names, chance.randint(1, len(game.board) * 2 // 3))
        half = len(cells) // 2
        position = game.position_of({Side.X: cells[half:], Side.O: cells[:half]})
        position = replace(position, to_move=chance.choice([*Side]))
        if not game.is_over(position):
            return position


@pytest.mark.costly
@EACH_GAME
def test_of_a_position_that_was_typed_in_only_the_stones_are_asked(spec: str) -> None:
    game, chance = parse_game(spec), Random(spec)
    for seed in range(25):
        position = typed_in(game, chance)
        choice = choose(game, position, HINT_LEVEL, seed)
        move = choice.move
        if move is None:
            end = settled(game, position)
            lost = end.winner if end else None
            assert position.to_move.other is (choice.analysis.winner if choice.analysis else lost)
            continue
        after = game.play(position, move)

        assert move.cells
        assert after.empty_count == position.empty_count - game.stones_due(position)
        assert not game.may_swap(after)
        if not game.is_over(after):
            assert SWAP != choose(game, after, BEGINNER, seed).move


@pytest.mark.parametrize("spec", ["star(size=4)", "hex(size=5)"])
def test_a_robot_opens_an_empty_board_and_no_other(spec: str) -> None:
    game = parse_game(spec)
    stone = game.position_of({Side.X: [game.board.names[0]]})

    assert choose(game, game.start(), BEGINNER, 1).analysis is None
    assert choose(game, stone, FIRST_SEARCH, 1).analysis is not None
    assert choose(game, game.replay(["pass"]), FIRST_SEARCH, 1).analysis is not None


@pytest.mark.costly(stay=23)
@pytest.mark.parametrize("puzzle", puzzles(), ids=lambda puzzle: str(puzzle.number))
def test_the_hint_of_a_puzzle_is_its_one_move(puzzle: Puzzle) -> None:
    move = choose(puzzle.game, puzzle.position, HINT_LEVEL, 1).move

    assert move is not None
    assert puzzle.solution == move.text


def test_one_cell_stands_for_all_that_look_alike() -> None:
    board = parse_game("star(size=4)").board
    cells = list(distinct_cells(parse_game("star(size=4)")))
    reached = {images[cell] for cell in cells for images in board.symmetries} | set(cells)

    assert set(range(len(board))) == reached
    assert len(cells) < len(board) / 3


def test_a_level_that_is_stopped_moves_at_once_and_proves_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pbmserv.computer.levels.prove", lambda *_: pytest.fail("it goes on"))
    for spec, moves in (("hex(size=11)", "A2"), ("y(size=8)", ""), ("starweb(size=6)", "")):
        game = parse_game(spec)
        position = game.replay(moves.split())
        level = timed_level(3600)._replace(watch=lambda _search: True)
        move = choose(game, position, level, 3).move

        assert move is not None
        assert game.play(position, move).ply == position.ply + 1
