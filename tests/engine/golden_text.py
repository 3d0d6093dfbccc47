"""Whole games as text, to notice any change of the rules.

``python -m tests.engine.golden_text`` plays the seeded games anew and writes them.
"""

from collections.abc import Iterable
from pathlib import Path

from pbmserv.engine.position import Side
from pbmserv.engine.spec import parse_game

from .playing import random_game

FOLDER = Path(__file__).with_name("golden")
GAMES = {
    "star-corners-2": "star(size=3,corners=2)",
    "star-maxi": "star(size=4,maxi)",
    "starstar": "starstar(size=4)",
    "starstar-double": "starstar(size=4,scoring=simplified,double,komi=2)",
    "starstar-handicap": "starstar(size=4,scoring=alternative,handicap=3)",
    "starweb": "starweb(size=4)",
    "polyy": "polyy(size=4)",
    "polyy-7": "polyy(size=3,sides=7)",
    "y": "y(size=6)",
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
    """Write every game of :data:`GAMES`."""
    FOLDER.mkdir(exist_ok=True)
    for name, spec in GAMES.items():
        moves = [move.text for move, _ in random_game(parse_game(spec), name) if move]
        (FOLDER / f"{name}.txt").write_text(written(spec, moves), encoding="utf-8")


if __name__ == "__main__":
    write_all()
