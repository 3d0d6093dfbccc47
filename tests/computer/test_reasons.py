"""The reasons for a move are what it does on the board, in words of the score sheet."""

import pytest

from pbmserv.computer.reasons import reasons
from pbmserv.engine.spec import parse_game

STAR, HEX = "star(size=6)", "hex(size=5)"
EDGE = "A3 and A4 are a pair: B3 cannot be cut off from the edge."


@pytest.mark.parametrize(
    ("spec", "moves", "move", "told"),
    [
        (STAR, "A6 F6 A8 F7", "A7", ["A7 joins two chains: +2."]),
        (STAR, "D5 F2 D7 G2", "D6", ["D6 joins two chains."]),
        (STAR, "F1 F6", "G1", ["It earns 1 at once."]),
        (STAR, "D5 G7", "E6", ["E5 and D6 are a pair: E6 cannot be cut off from D5."]),
        (HEX, "A1 E5", "C4", ["B5 and C5 are a pair: C4 cannot be cut off from the edge."]),
        (
            HEX,
            "C2 A1 B4",
            "B3",
            [EDGE, "It threatens to cut C2 off from B4: X should answer at C3."],
        ),
        (STAR, "D5 G7 D7 E6 G5", "D6", ["It keeps X's stones on D5 and D7 apart."]),
        ("starstar(size=6,double)", "*10 S10+T10", "*30+*31", []),
        (STAR, "", "E5", []),
        ("hex(size=3)", "B1 A1 B2 A2", "B3", ["It wins the game."]),
    ],
)
def test_a_reason_is_what_the_move_does(spec: str, moves: str, move: str, told: list[str]) -> None:
    game = parse_game(spec)
    found = reasons(game, game.replay(moves.split()), game.parse_move(move))

    assert told == found
