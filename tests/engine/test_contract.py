"""What every game promises, over all games there are and a spread of their options."""

import json
import pickle
from dataclasses import replace
from itertools import islice, pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.engine.game import Game
from pbmserv.engine.games import game_names
from pbmserv.engine.position import PASS, SWAP, Position, Side
from pbmserv.engine.score import Reason, Score, Tally
from pbmserv.engine.spec import format_game, parse_game
from pbmserv.errors import IllegalMove, InvalidMove
from pbmserv.render.score_lines import headline

from .sample_games import on_every_game, position_with, random_filling, random_game, spread

GAMES = list(spread())
EXCHANGE = bytes.maketrans(b"\x01\x02", b"\x02\x01")


def middle_of(game: Game, seed: int = 1) -> Position:
    """Return the position after a third of a random game."""
    positions = [position for _, position in random_game(game, seed)]
    return positions[len(positions) // 3]


@on_every_game
def test_a_game_that_was_played_goes_to_another_process(game: Game) -> None:
    position = middle_of(game)
    assert game.score(position).points

    assert (game, position) == pickle.loads(pickle.dumps((game, position)))  # noqa: S301 - ours


# Boards


@on_every_game
def test_neighbours_are_mutual_and_the_board_hangs_together(game: Game) -> None:
    board = game.board
    reached = [0]
    for cell in reached:
        reached += [other for other in board.neighbours[cell] if other not in reached]

    assert len(board) == len(reached)
    for cell, others in enumerate(board.neighbours):
        assert cell not in others
        assert sorted(set(others)) == list(others)
        assert all(cell in board.neighbours[other] for other in others)


@on_every_game
def test_every_name_is_found_in_any_case(game: Game) -> None:
    for cell, name in enumerate(game.board.names):
        assert cell == game.board.find(name)
        assert cell == game.board.find(name.lower())
    for synonym, name in game.board.synonyms.items():
        assert game.board.find(name) == game.board.find(synonym)


@on_every_game
def test_symmetries_keep_neighbours_and_differ(game: Game) -> None:
    neighbours = game.board.neighbours
    symmetries = game.board.symmetries

    assert len({*symmetries, tuple(range(len(game.board)))}) == len(symmetries) + 1
    for images in symmetries:
        for cell, others in enumerate(neighbours):
            assert sorted(images[other] for other in others) == list(neighbours[images[cell]])


# Scores


@on_every_game
def test_symmetries_keep_the_score(game: Game) -> None:
    assert set(game.symmetries) <= set(game.board.symmetries)
    for seed, images in enumerate(game.symmetries):
        stones = random_filling(game, seed)
        turned = bytearray(len(stones))
        for cell, image in enumerate(images):
            turned[image] = stones[cell]
        here = game.score(Position(stones))
        there = game.score(Position(bytes(turned)))

        assert (here.points, here.winner, here.full) == (there.points, there.winner, there.full)


@on_every_game
def test_exchanging_colours_exchanges_the_score(game: Game) -> None:
    for seed in range(5 if game.is_colour_symmetric else 0):
        stones = random_filling(game, seed)
        here = game.score(Position(stones))
        there = game.score(Position(stones.translate(EXCHANGE)))

        assert {side: here.points[side.other] for side in Side} == there.points
        if here.winner is not None and here.points[Side.X] != here.points[Side.O]:
            assert here.winner.other is there.winner


@on_every_game
def test_full_boards_add_up(game: Game) -> None:
    for seed in range(3):
        score = game.score(Position(random_filling(game, seed, full=True)))

        assert score.full
        assert score.verdict in ("X", "O", "draw")
        if game.full_board_sum is not None:
            assert game.full_board_sum == sum(score.points.values())


@on_every_game
def test_a_score_is_ready_for_json_and_gives_its_reasons(game: Game) -> None:
    position = position_with(game, random_filling(game, 7))
    score = game.score(position)
    details = json.loads(json.dumps(dict(score.details)))

    assert dict(score.details) == details
    for line in score.sheet:
        assert line.title
        assert line.why
        assert set(line.cells) <= set(range(len(game.board)))


def test_words_are_found_when_they_are_asked_for_and_once() -> None:
    asked: list[str] = []
    line = Tally(Side.X, "chain", 1, "touches three externals, minus 2")

    def sheet() -> tuple[Tally, ...]:
        asked.append("sheet")
        return (line, Tally(Side.O, "inner chain", 0, "touches no external"))

    score = Score({Side.X: 1, Side.O: 0}, Side.X, full=False, sheet=sheet)

    assert headline(score, is_over=False).endswith("X is ahead by 1")
    assert asked == []
    assert score.sheet is score.sheet
    assert list(score.earned) == [(Side.X, "chain", 1)]
    assert asked == ["sheet"]
    assert (score.details, score.notes) == ({}, ())


@pytest.mark.costly(stay=1)
@on_every_game
def test_what_earned_points_is_the_same_with_words_and_without(game: Game) -> None:
    for _, position in islice(random_game(game, 5), 0, None, 5):
        score = game.score(position)
        earned = [(side, title, points) for side, title, points in score.earned if points]
        lines = [line for line in score.sheet if line.points]

        assert earned == [(line.side, line.title, line.points) for line in lines]


@pytest.mark.costly(stay=1)
@on_every_game
def test_a_score_does_not_depend_on_what_was_scored_before(game: Game) -> None:
    positions = [position for _, position in random_game(game, 6)]
    in_order = [game.score(position) for position in positions]
    for number in Random(6).sample(range(len(positions)), min(20, len(positions))):
        again = game.score(positions[number])

        assert again == in_order[number]
        assert list(again.earned) == list(in_order[number].earned)


@on_every_game
def test_a_typed_position_is_the_played_one(game: Game) -> None:
    position = middle_of(game)
    names = {side: [game.board.names[cell] for cell in position.cells_of(side)] for side in Side}
    typed = game.position_of(names)

    assert position.stones == typed.stones
    assert game.score(position) == game.score(typed)
    assert game.decided(position) == game.decided(typed)


@on_every_game
def test_a_typed_position_with_a_cell_twice_is_refused(game: Game) -> None:
    name = game.board.names[0]
    with pytest.raises(IllegalMove):
        game.position_of({Side.X: [name, name]})
    with pytest.raises(IllegalMove):
        game.position_of({Side.X: [name], Side.O: [name.lower()]})
    with pytest.raises(InvalidMove):
        game.position_of({Side.X: ["pass"]})


# Moves


@on_every_game
def test_legal_moves_are_unique_and_can_be_written_read_and_played(game: Game) -> None:
    for position in (game.start(), middle_of(game)):
        moves = list(islice(game.legal_moves(position), 2000))

        assert len({move.text for move in moves}) == len(moves)
        assert moves == [game.parse_move(move.text.lower()) for move in moves]
        for move in moves[:: max(1, len(moves) // 50)]:
            assert game.play(position, move).ply == position.ply + 1


@pytest.mark.costly(stay=1)
@on_every_game
def test_playing_changes_no_position(game: Game) -> None:
    before = [(position, repr(position), position.trace) for _, position in random_game(game, 2)]
    traces = [repr(trace) for _, _, trace in before]
    for position, _, _ in before[::5]:
        for move in islice(game.legal_moves(position), 5):
            game.play(position, move)
        game.score(position)

    assert [text for _, text, _ in before] == [repr(position) for position, _, _ in before]
    assert traces == [repr(position.trace) for position, _, _ in before]


@pytest.mark.costly(stay=1)
@on_every_game
def test_the_record_of_a_game_replays_to_the_same_position(game: Game) -> None:
    for seed in range(3):
        moves, positions = zip(*random_game(game, seed), strict=True)
        played = positions[-1]
        replayed = game.replay(move.text for move in moves[1:])

        assert played == replayed
        assert played.digest() == replayed.digest()
        assert played.trace == replayed.trace
        assert game.outcome(played) == game.outcome(replayed)


@pytest.mark.costly(stay=1)
@on_every_game
def test_a_game_is_over_when_there_is_an_outcome_and_no_move(game: Game) -> None:
    for seed in range(3):
        history = list(random_game(game, seed))
        for number, (_, position) in enumerate(history):
            is_last = number == len(history) - 1

            assert is_last == game.is_over(position)
            assert is_last == (game.outcome(position) is not None)
            assert is_last == (next(game.legal_moves(position), None) is None)
        end = history[-1][1]
        for text in ("pass", "swap", game.board.names[0]):
            with pytest.raises(IllegalMove, match="over"):
                game.play(end, game.parse_move(text))


@pytest.mark.costly(stay=1)
@on_every_game
def test_the_outcome_names_the_winner_of_the_score(game: Game) -> None:
    for seed in range(3):
        *_, (_, end) = random_game(game, seed)
        outcome = game.outcome(end)

        assert outcome is not None
        assert outcome.reason.is_by_rules
        assert game.score(end).winner is outcome.winner


@on_every_game
def test_stones_are_only_added_and_sides_take_turns(game: Game) -> None:
    history = list(random_game(game, 4))
    for (_, before), (move, after) in pairwise(history):
        assert move is not None
        changed = [cell for cell, stone in enumerate(before.stones) if stone != after.stones[cell]]

        assert sorted(move.cells) == changed
        assert before.ply + 1 == after.ply
        assert all(after.stones[cell] == before.to_move.stone for cell in changed)
        assert (before.to_move if move.is_swap else before.to_move.other) == after.to_move


GARBAGE = (
    "",
    " ",
    "ZZ99",
    "A",
    "1",
    "00x",
    "F6!",
    "+",
    "++",
    "A1+",
    "pass+A1+B2",
    "swap+pass",
    "swap#2",
    "F\x006",
    "F6\x1b[2J",
    "F6\x1f",
    "\N{KELVIN SIGN}1",
    "A\N{ARABIC-INDIC DIGIT ONE}",
    "\N{DRAGON}",
    "A1" * 5000,
    "+".join(["A1"] * 5000),
    "None",
    "-1",
    "---",
)


@on_every_game
def test_garbage_is_refused_as_no_move(game: Game) -> None:
    for text in GARBAGE:
        with pytest.raises(InvalidMove) as refusal:
            game.parse_move(text)
        assert len(text.strip()) < 3 or text not in refusal.value.message


@given(text=st.text(max_size=12) | st.text("ABS0123456789+-* ", max_size=8))
def test_any_text_is_a_move_or_refused(text: str) -> None:
    for game in GAMES[::7]:
        try:
            move = game.parse_move(text)
        except InvalidMove:
            continue

        assert move == game.parse_move(move.text)


@on_every_game
def test_a_taken_cell_is_refused(game: Game) -> None:
    position = game.start()
    first = next(game.legal_moves(position))
    position = game.play(position, first)
    texts = [first.text, f"{first.text}+{first.text}", f"{first.text}+-"]
    for text in texts[: game.most_stones_a_turn * 2 - 1]:
        with pytest.raises(IllegalMove):
            game.play(position, game.parse_move(text))


# Pass and swap


@on_every_game
def test_pass_has_three_spellings(game: Game) -> None:
    for text in ("pass", "PASS", "--", "-"):
        assert game.parse_move(text) is PASS


@on_every_game
def test_two_passes_in_succession_end_the_game(game: Game) -> None:
    once = game.replay(["pass"])
    twice = game.replay(["pass", "pass"])
    outcome = game.outcome(twice)

    assert game.outcome(once) is None
    assert outcome is not None
    assert outcome.reason is Reason.TWO_PASSES


@on_every_game
def test_a_stone_between_two_passes_lets_the_game_go_on(game: Game) -> None:
    position = game.play(game.start(), PASS)
    position = game.play(position, next(game.legal_moves(position)))
    position = game.play(position, PASS)

    assert position.passes == 1
    assert game.outcome(position) is None


@on_every_game
def test_swap_is_the_second_move_of_a_game_with_swap_or_none(game: Game) -> None:
    first = game.play(game.start(), next(game.legal_moves(game.start())))
    if game.is_even and not game.noswap:
        swapped = game.play(first, SWAP)

        assert SWAP in list(game.legal_moves(first))
        assert first.stones == swapped.stones
        assert swapped.to_move is Side.O
        assert swapped.ply == 2
        assert not game.may_swap(swapped)
    else:
        assert SWAP not in list(game.legal_moves(first))
        with pytest.raises(IllegalMove) as refused:
            game.play(first, SWAP)
        assert refused.value.hint == "This game is played without swap."


@on_every_game
def test_without_swap_a_game_is_the_same_but_for_the_swap(game: Game) -> None:
    other = replace(game, noswap=True)
    first = next(game.legal_moves(game.start()))
    position, same = game.play(game.start(), first), other.play(other.start(), first)

    assert not other.allows_swap
    assert game.is_colour_symmetric == other.is_colour_symmetric
    assert game.symmetries == other.symmetries
    assert game.score(position) == other.score(same)
    assert [move for move in game.legal_moves(position) if move != SWAP] == [
        *other.legal_moves(same)
    ]
    assert parse_game(format_game(other)) == other
    assert game.options()[-1].name == "noswap"
    assert game.options()[0].name != "noswap"
    if not game.is_even:
        assert game == other, "it had no swap anyway"
    elif not game.noswap:
        assert f"{format_game(game)[:-1]},noswap)" == format_game(other)


@on_every_game
def test_swap_needs_a_stone_just_placed_by_the_first_move(game: Game) -> None:
    start = game.start()
    stone = next(game.legal_moves(start))
    passed = game.play(start, PASS)
    placed_after_pass = game.play(passed, next(game.legal_moves(passed)))
    passed_after_stone = game.play(game.play(start, stone), PASS)
    for position in (start, passed, placed_after_pass, passed_after_stone):
        assert SWAP not in list(game.legal_moves(position))
        with pytest.raises(IllegalMove):
            game.play(position, SWAP)


def test_the_spread_reaches_every_game() -> None:
    assert set(game_names()) == {game.name for game in GAMES}
