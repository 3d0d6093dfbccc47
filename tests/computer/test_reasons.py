"""The reasons for a move are what it does on the board, in words of the score sheet."""

import pytest

from pbmserv.computer.hint_words import hint, hint_document, hint_marks
from pbmserv.computer.levels import Choice
from pbmserv.computer.reasons import reasons
from pbmserv.computer.search import Search
from pbmserv.computer.task import Effort
from pbmserv.engine.position import PASS, SWAP
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
        (
            "hex(size=7)",
            "A1",
            "C4",
            ["C4 cannot be cut off from the edge: A4 B4 A5 B5 C5 A6 B6 A7 are enough."],
        ),
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


def test_the_move_that_is_told_is_the_one_that_was_chosen() -> None:
    game = parse_game(STAR)
    position = game.replay(["D5", "G7"])
    analysis = Search(game, position, Effort(200, 3)).analysis()
    for number, candidate in enumerate(analysis.candidates[:3]):
        choice = Choice(candidate.move, analysis)
        others = [one.move for one in analysis.candidates[:3] if one is not candidate][:2]
        told = hint(game, position, choice)
        document = hint_document(game, position, choice)

        assert told[0].startswith(f"Best: {candidate.move.text}, winning chance ")
        assert [f"Also: {move.text}," for move in others] == [
            f"{line.partition(',')[0]}," for line in told if line.startswith("Also")
        ]
        assert candidate.move.text == document["best"] == document["candidates"][0]["move"]
        assert "a" == hint_marks(position, choice)[candidate.move.cells[0]].lower()
        assert any("Likely continuation" in line for line in told) is (number == 0)


@pytest.mark.parametrize(
    ("spec", "moves", "move", "told"),
    [
        (STAR, "F1 F6", None, ["This position is lost, whatever you play."]),
        (STAR, "F1 F6", PASS, ["Best: pass."]),
        (STAR, "F1 F6 pass", PASS, ["Best: pass, which wins the game."]),
        (STAR, "F6", SWAP, ["Best: swap, because the first stone is strong."]),
        (STAR, "F1 F6", "G1", ["Best: G1.", "  It earns 1 at once."]),
        ("hex(size=3)", "B1 A1 B2 A2", "B3", ["Best: B3.", "  It wins the game."]),
    ],
)
def test_a_hint_without_a_search_tells_what_is_known(
    spec: str, moves: str, move: object, told: list[str]
) -> None:
    game = parse_game(spec)
    position = game.replay(moves.split())
    chosen = game.parse_move(move) if isinstance(move, str) else move

    assert told == hint(game, position, Choice(chosen))  # type: ignore[arg-type]
