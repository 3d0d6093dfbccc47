"""Whole games as text, to notice any change of the rules.

Each file of the folder is a game; its first line is the spec. ``python -m
tests.engine.golden_text`` plays them anew, and ``python -m tests.engine.golden_text NAME SPEC``
adds one.
"""

import sys
from collections.abc import Iterable
from pathlib import Path

from pbmserv.engine.position import Side
from pbmserv.engine.spec import parse_game

from .sample_games import random_game

FOLDER = Path(__file__).with_name("golden")


def kept_specs() -> dict[str, str]:
    """Return the specs of the kept games by the names of their files."""
    return {
        path.stem: path.read_text(encoding="utf-8").partition("\n")[0]
        for path in sorted(FOLDER.iterdir())
    }


def written(spec: str, moves: Iterable[str]) -> str:
    """Return a game as text: every move with side, score and trace, then the end of it."""
    game = parse_game(spec)
    position = game.start()
    lines = [spec]
    for text in moves:
        side = position.to_move.value
        position = game.play(position, game.parse_move(text))
        score = game.score(position)
        points = f"X {score.points[Side.X]} O {score.points[Side.O]}"
        lines.append(f"{position.ply}. {side} {text}: {points} {score.verdict} {position.digest()}")
    outcome = game.outcome(position)
    assert outcome is not None, spec
    lines.append(f"{outcome.reason.value}, {outcome.winner.value if outcome.winner else 'draw'}")
    score = game.score(position)
    for line in score.sheet:
        cells = " ".join(game.board.sorted_names(line.cells))
        lines.append(f"{line.side.value} {line.title}, {line.points}: {line.why} [{cells}]")
    return "\n".join([*lines, *score.notes, ""])


def moves_of(text: str) -> list[str]:
    """Return the moves of a game that :func:`written` has written."""
    numbered = (line.partition(":")[0].split() for line in text.splitlines()[1:])
    return [words[2] for words in numbered if len(words) == 3 and words[0].endswith(".")]


def write_all() -> None:
    """Play every kept game anew, and one more if the command line names it."""
    for name, spec in {**kept_specs(), **dict([sys.argv[1:]] if sys.argv[1:] else [])}.items():
        moves = [move.text for move, _ in random_game(parse_game(spec), name) if move]
        (FOLDER / f"{name}.txt").write_text(written(spec, moves), encoding="utf-8")


if __name__ == "__main__":
    write_all()
