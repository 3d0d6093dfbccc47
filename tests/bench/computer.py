"""How many simulations the computer does in a second, beside OpenSpiel's MCTSBot in the same run.

Run it as `python -m tests.bench.computer [--full]`; it wants the extra `bench`. One core, CPU time.
"""

import argparse
import math
import time
from collections.abc import Callable
from typing import NamedTuple

import pyspiel

from pbmserv.computer import kernel
from pbmserv.computer.links import fastest
from pbmserv.computer.search import Search
from pbmserv.computer.task import Effort
from pbmserv.engine.games import game_names
from pbmserv.engine.spec import parse_game

OURS = ("star(size=6)", "starstar(size=10)")
PAIRS = (
    ("y(size=12)", "y(board_size=12)"),
    ("hex(size=9)", "hex(board_size=9)"),
    ("y(size=23)", "y(board_size=23)"),
    ("hex(size=17)", "hex(board_size=17)"),
)
"""The same game under our name and OpenSpiel's."""

HEAD = (
    f"{'game':18}{'cells':>6} |{'UCT':>9}{'RAVE':>9}{'plain':>8}{'compiled':>10} |"
    f"{'OpenSpiel':>10}{'x UCT':>7}{'x RAVE':>8}"
)
LEGEND = """
UCT        simulations a second from the empty board, by UCT alone
RAVE       with shared results, bridges, proofs and margins: what players meet
plain      the same in plain Python; compiled: how many times faster the compiled kernel is
OpenSpiel  simulations of its C++ MCTSBot with random rollouts on the same board
x          our simulations for each of OpenSpiel's in this run
"""


class Pace(NamedTuple):
    """Simulations in a second on one board, with the rival's if it knows the game."""

    spec: str
    cells: int
    uct: float
    rave: float
    plain: float
    rival: float | None

    @property
    def row(self) -> str:
        ours = (
            f"{self.spec:18}{self.cells:6} |{self.uct:9,.0f}{self.rave:9,.0f}{self.plain:8,.0f}"
            f"{self.rave / self.plain:10.1f} |"
        )
        if self.rival is None:
            return ours
        theirs = self.rival
        return f"{ours}{theirs:10,.0f}{self.uct / theirs:7.1f}{self.rave / theirs:8.1f}"


def best_pace(simulations: int, rounds: int, prepare: Callable[[], Callable[[], object]]) -> float:
    """Return the simulations in a second of CPU time in the best of so many rounds."""
    best = math.inf
    for _ in range(rounds):
        work = prepare()
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return simulations / best


def our_pace(spec: str, effort: Effort, tree_type: type[kernel.Tree], rounds: int) -> float:
    game = parse_game(spec)

    def prepare() -> Callable[[], object]:
        search = Search(game, game.start(), effort, tree_type=tree_type)
        return lambda: search.tree.run(effort.simulations)

    return best_pace(effort.simulations, rounds, prepare)


def rival_pace(name: str, simulations: int, rounds: int) -> float:
    game = pyspiel.load_game(name)
    state = game.new_initial_state()

    def prepare() -> Callable[[], object]:
        rollouts = pyspiel.RandomRolloutEvaluator(1, 1)
        bot = pyspiel.MCTSBot(game, rollouts, 1.4, simulations, 1000, False, 1, False)
        return lambda: bot.step(state)

    return best_pace(simulations, rounds, prepare)


def measure(spec: str, rival: str | None, *, full: bool) -> Pace:
    rounds = 5 if full else 2
    cells = len(parse_game(spec).board)
    simulations = (2_000_000 if full else 500_000) // cells
    compiled = fastest(kernel.Tree)
    return Pace(
        spec,
        cells,
        uct=our_pace(spec, Effort(2 * simulations, is_plain=True), compiled, rounds),
        rave=our_pace(spec, Effort(simulations), compiled, rounds),
        plain=our_pace(spec, Effort(simulations // 20), kernel.Tree, rounds),
        rival=None if rival is None else rival_pace(rival, simulations // 4, rounds),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--full", action="store_true", help="longer rounds, and more of them")
    full = parser.parse_args().full
    known = [pair for pair in PAIRS if pair[0].partition("(")[0] in game_names()]
    print(HEAD)
    for spec, rival in (*((spec, None) for spec in OURS), *known):
        print(measure(spec, rival, full=full).row, flush=True)
    print(LEGEND)


if __name__ == "__main__":
    main()
