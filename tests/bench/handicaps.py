"""What komi and the first move are worth: learned in games of the levels, and put to the test.

Run it as `python -m tests.bench.handicaps learn|even [--games=20] [--board=SPEC ...]`.

`learn` plays games without swap between equal levels. Where there is komi, it goes up after each
win of X and down after each of O, with two points more or less in between (Dixon and Mood, 1948).
A logistic curve is fitted to all of them: the log odds of X are `first - komi * point`. With
`--write` that becomes `pbmserv/club/handicaps.json`.

`even` plays, with other seeds, games of levels 1, 2 and 4 steps apart with the handicaps that
`challenge -even` gives them. How far they are apart on each board is measured first, in games with
swap of each level against the next. `--full` plays what help handicap tells. What has been played
is kept in the file `--kept`, and a later run goes on from there.
"""

import argparse
import json
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from pbmserv.computer.level_list import LEVELS
from pbmserv.computer.levels import choose
from pbmserv.engine.game import Game
from pbmserv.engine.position import Side
from pbmserv.engine.spec import format_game, parse_game

KEPT = Path(tempfile.gettempdir(), "pbmserv-handicaps.json")
"""What has been played."""

WITH_KOMI = (
    *(f"star(size={size})" for size in range(5, 10)),
    *(f"starstar(size={size})" for size in (4, 6, 8, 10)),
    *(f"starstar(size={size},double)" for size in (6, 8)),
    *(f"starweb(size={size},notch={size // 3})" for size in range(5, 9)),
)
WITHOUT_KOMI = (
    *(f"star(size={size},maxi)" for size in (6, 7, 9)),
    *(f"hex(size={size})" for size in (7, 9, 11, 13)),
    *(f"y(size={size})" for size in (7, 9, 11)),
    *(f"polyy(size={size})" for size in (5, 6, 7)),
)
LEARNED_FROM = (3, 5, 7, 8)
"""Levels whose games are learned from, each against itself."""

AT_A_TIME = 20
"""Games on one board before the next one has its turn."""

JITTER = (0, -2, 2)
"""Points by which komi differs from that of the staircase, in turn."""


def play(game: Game, levels: tuple[int, int], seed: str) -> float:
    """Return 1.0 if the first of these levels wins, 0.0 if the second does, 0.5 for a draw."""
    chance = Random(seed)
    position, swapped = game.start(), False
    while (outcome := game.outcome(position)) is None:
        is_x = position.to_move is Side.X
        level = LEVELS[levels[is_x is swapped] - 1]
        move = choose(game, position, level, chance.getrandbits(31)).move
        if move is None:
            winner: Side | None = position.to_move.other
            break
        position, swapped = game.play(position, move), swapped or move.is_swap
    else:
        winner = outcome.winner
    if winner is None:
        return 0.5
    return float((winner is Side.X) is not swapped)


class Played:
    """The games played so far, by what was asked: for each komi the first's points, and games."""

    def __init__(self, kept: Path) -> None:
        """Read what was kept."""
        self._kept = kept
        self.found: dict[str, dict[str, list[float]]] = {}
        if kept.exists():
            self.found = json.loads(kept.read_text(encoding="utf-8"))

    def note(self, key: str, komi: int, won: float) -> None:
        """Count a game."""
        counted = self.found.setdefault(key, {}).setdefault(str(komi), [0.0, 0])
        counted[0] += won
        counted[1] += 1

    def games(self, key: str) -> int:
        """Return how many games this key has."""
        return round(sum(games for _, games in self.found.get(key, {}).values()))

    def keep(self) -> None:
        """Write what is to be kept, whole or not at all."""
        new = self._kept.with_suffix(".new")
        new.write_text(json.dumps(self.found, indent=1), encoding="utf-8")
        new.replace(self._kept)


def learn(played: Played, specs: list[str], games: int) -> Iterator[str]:
    """Play games without swap between equal levels until there are so many of each."""
    for done in range(AT_A_TIME, games + AT_A_TIME, AT_A_TIME):
        for spec in specs:
            game = parse_game(spec)
            for level in LEARNED_FROM:
                key = f"{spec} {level}"
                start = played.games(key)
                while (number := played.games(key)) < min(done, games):
                    komi = _next_komi(played.found.get(f"{key} stairs", {}), number)
                    changed = {"komi": komi} if spec in WITH_KOMI and komi else {"noswap": True}
                    tried = replace(game, **changed)
                    won = play(
                        tried, (level, level), f"learn {format_game(tried)} {level} {number}"
                    )
                    played.note(key, komi if spec in WITH_KOMI else 0, won)
                    if spec in WITH_KOMI and number % len(JITTER) == 0:
                        stairs = played.found.setdefault(f"{key} stairs", {"at": [0, 0]})
                        stairs["at"][0] += 1 if won > 0.5 else -1
                if played.games(key) > start:
                    played.keep()
            yield f"{spec}: {min(done, games)} games of each level"


def _next_komi(stairs: dict[str, list[float]], number: int) -> int:
    at = round(stairs["at"][0]) if stairs else 0
    return at + JITTER[number % len(JITTER)]


def main() -> None:
    """Play, and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("learn", "even"))
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--board", action="append", default=[])
    parser.add_argument("--kept", type=Path, default=KEPT)
    said: Any = parser.parse_args()
    played = Played(said.kept)
    specs = said.board or [*WITH_KOMI, *WITHOUT_KOMI]
    for line in learn(played, specs, said.games):
        print(line, flush=True)


if __name__ == "__main__":
    main()
