"""Games of OpenSpiel are read as it plays them, and it plays ours to the same winner."""

import re
from random import Random
from typing import Any

import pytest

from pbmserv.engine.formats import read_games
from pbmserv.engine.formats.own_rows import row_of
from pbmserv.engine.game import Game
from pbmserv.engine.position import SWAP
from pbmserv.engine.record import Record
from pbmserv.engine.spec import parse_game

from .sample_games import random_game

SPECS = {
    "hex(size=3)": "hex(board_size=3,swap=True)",
    "hex(size=7)": "hex(board_size=7,swap=True)",
    "hex(size=11)": "hex(board_size=11,swap=True)",
    "y(size=3)": "y(board_size=3)",
    "y(size=9)": "y(board_size=9)",
}
"""Games of ours, and the same in OpenSpiel."""


@pytest.fixture(scope="module")
def openspiel() -> Any:
    """OpenSpiel, which has no part in what is installed for the tests."""
    return pytest.importorskip(
        "pyspiel", reason="OpenSpiel is not installed (pip install open_spiel)"
    )


def test_its_games_are_read_with_its_winner(openspiel: Any, *, full: bool) -> None:
    chance, swaps = Random(39), 0
    for spec, theirs in SPECS.items():
        for _ in range(100 if full else 8):
            game = openspiel.load_game(theirs)
            state = game.new_initial_state()
            while not state.is_terminal():
                swap = max(state.legal_actions())
                is_swap = state.action_to_string(swap) == "swap" and chance.random() < 0.5
                state.apply_action(swap if is_swap else chance.choice(state.legal_actions()))
            words = [state.action_to_string(i % 2, a) for i, a in enumerate(state.history())]
            stored = openspiel.serialize_game_and_state(game, state)
            swaps += "swap" in words
            for text in (stored, f"{theirs}: {state.history_str()}", f"{theirs} {' '.join(words)}"):
                ((record, _),) = read_games(text)

                assert parse_game(spec) == record.game
                assert len(words) == record.ply
                winner = record.with_players(0, 1).winner
                assert winner is not None
                assert 1 == state.returns()[winner], text

    assert swaps > 3


@pytest.mark.parametrize("spec", SPECS)
def test_our_games_have_the_same_winner_there(openspiel: Any, spec: str, *, full: bool) -> None:
    ended = 0
    for seed in range(300 if full else 30):
        record = _random_record(parse_game(spec), seed)
        winner = record.with_players(0, 1).winner
        state = openspiel.load_game(SPECS[spec]).new_initial_state()
        for word in _words_of(record):
            state.apply_action(state.string_to_action(word))
        assert state.is_terminal() is (winner is not None)
        if winner is not None:
            assert 1 == state.returns()[winner]
            ended += 1

    assert ended > 10


def _random_record(game: Game, seed: int) -> Record[str]:
    """Return a random game without passes, and in Y without a swap, which OpenSpiel lacks."""
    record = Record(game, "first", "second")
    for move, _ in random_game(game, seed):
        is_there = move and not move.is_pass and (game.name == "hex" or not move.is_swap)
        if move and is_there and record.outcome is None:
            record = record.play(move)
    return record


def _words_of(record: Record[str]) -> list[str]:
    """Return the actions there: cells after a swap are mirrored, Y begins at an edge."""
    row = row_of(record)
    if record.game.name == "hex":
        return [re.sub("swap-pieces", SWAP.text, word) for word in row["moves_pieces"].split()]
    size = len(record.game.edges()[0].cells)
    return [
        f"{chr(ord('a') + size - 1 - (ord(text[0]) - ord('A')))}{size + 1 - int(text[1:])}"
        for text in record.texts
    ]
