"""Puzzles from games of the computer against itself: one move is proven to win, all others to lose.

``python -m tests.generators.puzzles FILE [SPEC ...]`` makes nine for each game and size.
The same seeds make the same puzzles; a FILE that holds some already is gone on with.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from pbmserv.computer.proof import prove
from pbmserv.computer.search import Search
from pbmserv.computer.task import Effort
from pbmserv.engine.game import Game
from pbmserv.engine.position import PASS, Move, Position, Side
from pbmserv.engine.settle import settled
from pbmserv.engine.spec import parse_game

SPECS = (
    *("star(size=4)", "star(size=5)", "starstar(size=4)", "starweb(size=4)", "starweb(size=5)"),
    *("polyy(size=4)", "polyy(size=5)", "y(size=5)", "y(size=6)", "y(size=7)"),
    *("hex(size=5)", "hex(size=6)", "hex(size=7)"),
)
COUNT = 9
DEPTH = 3
EFFORT = 15_000
"""What takes longer to prove is passed over."""
LEAST_EMPTY, MOST_EMPTY = 4, 26
OFTEN, LIKELY = 0.5, 0.55
"""Whether only one move seems to win is asked of a search before anything is proven."""
TRIAL = 1_500
SIMULATIONS = 60
"""How hard the players of the games think."""
GLANCE = 8
"""What a beginner thinks: where that finds the move at once, it is no puzzle."""
GLANCES = 4
FAMILIAR = 3
"""So many puzzles at most come from one game."""


def winning_moves(game: Game, position: Position) -> list[Move] | None:
    """Return the moves that win for who is to move, None unless each is proven to win or lose.

    If the opponent wins after a pass, then also after every move outside of what proves it.
    Passing is left out: a stone is never worse.
    """
    winning, side = [], position.to_move
    threat = prove(game, game.play(position, PASS), DEPTH, EFFORT)
    if threat is None or threat.winner is side:
        return None
    for cell in threat.carrier:
        move = Move(game.board.names[cell], (cell,))
        winner = winner_of(game, game.play(position, move))
        if winner is None:
            return None
        if winner is side:
            winning.append(move)
        if len(winning) > 1:
            return winning
    return winning


def seems_single(game: Game, position: Position) -> bool:
    """Tell whether a search spends most of its time on one move, and takes it for won."""
    best = Search(game, position, Effort(TRIAL)).analysis().best
    return best.share > OFTEN and best.chance > LIKELY


def winner_of(game: Game, position: Position) -> Side | None:
    """Return who is proven to win, None where nobody is."""
    outcome = game.outcome(position)
    if outcome is not None:
        return outcome.winner
    end = settled(game, position)
    if end is not None and end.winner is not None:
        return end.winner
    proof = prove(game, position, DEPTH, EFFORT)
    return proof.winner if proof else None


def is_hard(game: Game, position: Position, solution: Move) -> bool:
    """Tell whether a glance misses the move."""
    glances = (Search(game, position, Effort(GLANCE, seed)).analysis() for seed in range(GLANCES))
    return any(glance.best.move.text != solution.text for glance in glances)


def puzzles_of_game(game: Game, seed: int) -> Iterator[dict[str, Any]]:
    """Yield the puzzles of one game that the computer plays against itself."""
    chance = Random(seed)
    position, texts = game.start(), list[str]()
    found = set[str]()
    while not game.is_over(position) and len(found) < FAMILIAR:
        end = settled(game, position)
        if end is not None and end.is_certain:
            return
        if LEAST_EMPTY <= position.empty_count <= MOST_EMPTY:
            winning = winning_moves(game, position) if seems_single(game, position) else None
            (solution,) = winning if winning and len(winning) == 1 else (None,)
            if solution and solution.text not in found and is_hard(game, position, solution):
                found.add(solution.text)
                yield {"moves": list(texts), "solution": solution.text, "seed": seed}
        effort = Effort(SIMULATIONS, chance.randrange(10**6))
        move = Search(game, position, effort).analysis().best.move
        position = game.play(position, move)
        texts.append(move.text)


def main(words: list[str]) -> int:
    """Make what the file lacks."""
    file, specs = Path(words[0]), words[1:] or SPECS
    made = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    for spec in specs:
        game, seed = parse_game(spec), 0
        while sum(one["game"] == spec for one in made) < COUNT:
            seed += 1
            if any(one["game"] == spec and one["seed"] >= seed for one in made):
                continue
            for puzzle in puzzles_of_game(game, seed):
                if any(one["moves"] == puzzle["moves"] for one in made if one["game"] == spec):
                    continue  # another seed has led there
                made.append({"game": spec, **puzzle})
                sys.stdout.write(f"{spec} {seed}: {puzzle['solution']}\n")
                sys.stdout.flush()
            lines = ",\n".join(json.dumps(one, separators=(",", ":")) for one in made)
            file.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
