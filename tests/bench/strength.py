"""How well the computer plays: against plain UCT, OpenSpiel's MCTSBot and its own levels.

Run it as `python -m tests.bench.strength [plain|openspiel|levels ...] [--games=20] [--full]`.
Games are played in pairs with the sides exchanged, from fixed seeds: levels play whole games with
swap, the others begin with a random turn of each side. A match ends early where a sequential test
is sure that the share of wins is above or below what is asked. OpenSpiel wants the extra `bench`.
"""

import argparse
import math
import time
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from itertools import pairwise
from random import Random
from typing import Any, NamedTuple

from pbmserv.computer.level_list import LEVELS, Level
from pbmserv.computer.levels import choose
from pbmserv.computer.search import Search
from pbmserv.computer.task import Effort
from pbmserv.engine.game import JOINT, Game
from pbmserv.engine.games import game_names
from pbmserv.engine.position import EMPTY, Move, Position, Side
from pbmserv.engine.spec import parse_game

Mover = Callable[[Position, int], Move | None]
"""Chooses a move, or None to resign, for a position and a seed."""

AGAINST_PLAIN = (
    "star(size=6)",
    "starstar(size=6)",
    "starstar(size=10)",
    "starweb(size=6)",
    "polyy(size=7)",
    "y(size=9)",
)
AGAINST_OPENSPIEL = ("hex(size=9)", "hex(size=11)", "y(size=9)")
LADDER = ("star(size=6)", "starstar(size=6)", "y(size=9)")
ERROR = 0.05
"""How often either verdict of the sequential test may be wrong."""


class Question(NamedTuple):
    """Whether one player wins at least the share ``high`` rather than at most ``low``."""

    title: str
    game: Game
    players: tuple[Mover, Mover]
    start: Callable[[Random], Position]
    low: float
    high: float


class Result(NamedTuple):
    """What came of a question: games won of those played."""

    wins: int
    games: int

    def verdict(self, low: float, high: float) -> str:
        """Return "yes" or "no" once the likelihoods of ``high`` and ``low`` are far apart."""
        losses = self.games - self.wins
        ratio = self.wins * math.log(high / low) + losses * math.log((1 - high) / (1 - low))
        bound = math.log((1 - ERROR) / ERROR)
        if ratio >= bound:
            return "yes"
        return "no" if ratio <= -bound else ""

    @property
    def interval(self) -> tuple[float, float]:
        """The share of wins that these games speak for, by Wilson, with 95 % confidence."""
        share, z = self.wins / self.games, 1.96
        middle = share + z * z / (2 * self.games)
        half = z * math.sqrt(share * (1 - share) / self.games + z * z / (4 * self.games**2))
        scale = 1 + z * z / self.games
        return (middle - half) / scale, (middle + half) / scale


def searching(game: Game, simulations: int) -> Mover:
    """Return the computer with so many simulations a move."""
    return _mover(game, simulations, is_plain=False)


def plain(game: Game, simulations: int) -> Mover:
    """Return plain UCT with so many simulations a move."""
    return _mover(game, simulations, is_plain=True)


def _mover(game: Game, simulations: int, *, is_plain: bool) -> Mover:

    def mover(position: Position, seed: int) -> Move | None:
        effort = Effort(simulations, seed, is_plain)
        return Search(game, position, effort).analysis().best.move

    return mover


def at_level(game: Game, level: Level) -> Mover:
    """Return a player of this level."""
    return lambda position, seed: choose(game, position, level, seed).move


@lru_cache(maxsize=8)
def rival_game(name: str, size: int) -> Any:
    """Return the game of OpenSpiel with this name."""
    import pyspiel

    return pyspiel.load_game(name, {"board_size": size})


def rival_actions(game: Game) -> list[int]:
    """Return OpenSpiel's number for each of our cells: its Y stands upside down."""
    size: int = game.size  # type: ignore[attr-defined]  # Hex and Y have one
    points = ((ord(name[0]) - ord("A"), int(name[1:]) - 1) for name in game.board.names)
    if game.name == "hex":
        return [row * size + column for column, row in points]
    return [(size - 1 - row) * size + size - 1 - column for column, row in points]


def rival_state(game: Game, position: Position) -> Any:
    """Return the position as OpenSpiel's state, with the stones placed in turn."""
    state = rival_game(game.name, game.size).new_initial_state()  # type: ignore[attr-defined]
    actions = rival_actions(game)
    x, o = position.cells_of(Side.X), position.cells_of(Side.O)
    for number in range(len(x) + len(o)):
        state.apply_action(actions[(x, o)[number % 2][number // 2]])
    return state


def rival_bot(game: Game, simulations: int, seed: int) -> Any:
    """Return OpenSpiel's MCTSBot for one of its games."""
    import pyspiel

    known = rival_game(game.name, game.size)  # type: ignore[attr-defined]
    rollouts = pyspiel.RandomRolloutEvaluator(1, seed)
    return pyspiel.MCTSBot(known, rollouts, 1.4, simulations, 1000, True, seed, False)


def rival(game: Game, simulations: int) -> Mover:
    """Return OpenSpiel's MCTSBot, with its solver, as a player."""
    cells = {action: cell for cell, action in enumerate(rival_actions(game))}

    def mover(position: Position, seed: int) -> Move | None:
        bot = rival_bot(game, simulations, seed % 2**31)
        cell = cells[bot.step(rival_state(game, position))]
        return Move(game.board.names[cell], (cell,))

    return mover


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def as_long(game: Game, ours: Mover, theirs: Callable[[Game, int], Mover], try_with: int) -> Mover:
    """Return the other player with so many simulations that it takes as long as ours."""
    start = opening(game, Random(0))
    ours_takes = seconds(lambda: ours(start, 1))
    theirs_takes = seconds(lambda: theirs(game, try_with)(start, 1))
    return theirs(game, max(round(try_with * ours_takes / theirs_takes), 1))


def whole_game(game: Game, chance: Random) -> Position:
    """Return the start: levels choose their first stones and swap themselves."""
    del chance
    return game.start()


def opening(game: Game, chance: Random) -> Position:
    """Return a position after one random stone of each side, or one turn in Double *Star."""
    position = game.start()
    for _ in range(2):
        empty = [cell for cell, stone in enumerate(position.stones) if stone == EMPTY]
        cells = chance.sample(empty, game.stones_due(position))
        names = [game.board.names[cell] for cell in cells]
        position = game.play(position, game.parse_move(JOINT.join(names)))
    return position


def is_won(
    game: Game, start: Position, players: tuple[Mover, Mover], side: Side, seed: int
) -> bool:
    """Play one game to its end, our player having ``side`` at first; tell whether it wins."""
    position = start
    while not game.is_over(position):
        mover = players[position.to_move is not side]
        move = mover(position, seed + position.ply)
        if move is None:
            return position.to_move is not side
        if move.is_swap:
            side = side.other
        position = game.play(position, move)
    outcome = game.outcome(position)
    return outcome is not None and outcome.winner is side


def answer(question: Question, games: int) -> Result:
    """Play until the sequential test is sure, or ``games`` have been played."""
    wins = played = 0
    for number in range(0, games, 2):
        start = question.start(Random(number))
        for side in Side:
            wins += is_won(question.game, start, question.players, side, 1000 * number)
            played += 1
        if Result(wins, played).verdict(question.low, question.high):
            break
    return Result(wins, played)


def against_plain(simulations: int) -> Iterator[Question]:
    for spec in AGAINST_PLAIN:
        game = parse_game(spec)
        ours = searching(game, simulations)
        theirs = as_long(game, ours, plain, 3 * simulations)
        title = f"{spec}: plain UCT, equal time"
        yield Question(title, game, (ours, theirs), partial(opening, game), 0.75, 0.9)


def against_openspiel(simulations: int) -> Iterator[Question]:
    for spec in AGAINST_OPENSPIEL:
        if spec.partition("(")[0] not in game_names():
            continue
        game = parse_game(spec)
        ours = searching(game, simulations)
        theirs = as_long(game, ours, rival, simulations)
        title = f"{spec}: OpenSpiel, equal time"
        yield Question(title, game, (ours, theirs), partial(opening, game), 0.8, 0.95)


def levels(most: int) -> Iterator[Question]:
    for spec in LADDER:
        game = parse_game(spec)
        for lower, higher in pairwise(LEVELS[:most]):
            title = f"{spec}: level {higher.number} v {lower.number}"
            players = at_level(game, higher), at_level(game, lower)
            yield Question(title, game, players, partial(whole_game, game), 0.6, 0.75)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    kinds = ("plain", "openspiel", "levels")
    parser.add_argument("kinds", nargs="*", choices=kinds, default=["plain", "levels"])
    parser.add_argument("--games", type=int, default=20, help="at most so many a question")
    parser.add_argument("--simulations", type=int, default=1000, help="a move, for us")
    parser.add_argument("--full", action="store_true", help="200 games, 4,000 simulations, hours")
    given = parser.parse_args()
    games = 200 if given.full else given.games
    simulations = 4000 if given.full else given.simulations
    asked = {
        "plain": lambda: against_plain(simulations),
        "openspiel": lambda: against_openspiel(simulations),
        "levels": lambda: levels(len(LEVELS) if given.full else 5),
    }
    for kind in given.kinds:
        for question in asked[kind]():
            found = answer(question, games)
            low, high = found.interval
            told = found.verdict(question.low, question.high) or "open"
            print(
                f"{question.title:40} {found.wins:4} of {found.games:4}   {low:4.0%} to {high:4.0%}"
                f"   at least {question.high:.0%}: {told}",
                flush=True,
            )


if __name__ == "__main__":
    main()
