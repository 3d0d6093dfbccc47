"""The search for a move: simulations in the kernel's tree, and what they found.

A search ends after its number of simulations, so that the same seed finds the same on every
machine. Under a limit of time, or watched, it runs in batches of ``BATCH`` simulations. After each
it looks at the processor time of its thread, so that other programs on the machine cost it nothing,
and asks whoever watches whether to go on. The
best move is one that is proven to win, else the most visited of those that are not proven to lose:
visits are steadier than means.

    >>> from pbmserv.engine.spec import parse_game
    >>> hex = parse_game("hex(size=3)")
    >>> analysis = Search(hex, hex.replay(["B1"]), Effort(simulations=500, seed=1)).analysis()
    >>> str(analysis.winner), analysis.best.move.text, analysis.chance
    ('O', 'B2', 1.0)
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import chain
from math import inf
from random import Random
from statistics import fmean
from time import thread_time
from typing import NamedTuple

from pbmserv.computer import kernel
from pbmserv.computer.game_arrays import require_arrays
from pbmserv.computer.links import fastest
from pbmserv.computer.task import Effort, task_of
from pbmserv.engine.board import Cell
from pbmserv.engine.game import Game
from pbmserv.engine.position import Move, Position, Side
from pbmserv.engine.score_tables import TieRule
from pbmserv.errors import Refused

BATCH = 64
"""Simulations between two looks at the time."""

LINE_CELLS = 8
"""Stones of the principal line."""
LINE_VISITS = 8
"""Visits that a stone of the principal line needs."""

MAX_WEIGHT = 1_000_000
"""The weight of the likeliest move of those that are drawn; the least is 1."""

MIN_CHANCE = 0.01
"""The least winning chance that is not proven; the highest is as far from 1."""


class Candidate(NamedTuple):
    """A move with its results in a search, from the view of the side to move.

    ``share`` is the part of all simulations that began with it, and ``chance`` the part of those
    that were won; 0 and 1 only if that is proven. ``margin`` is the mean margin, None in a game
    that has none.
    """

    move: Move
    share: float
    chance: float
    margin: float | None


@dataclass(frozen=True)
class Analysis:
    """The result of a search, from the view of the side to move.

    ``candidates`` come best first. ``winner`` is the side that is proven to win. ``ownership`` has
    for each cell how often X came to own it, from 0 to 1. ``line`` is the likely continuation.
    """

    side: Side
    simulations: int
    candidates: tuple[Candidate, ...]
    winner: Side | None
    ownership: tuple[float, ...]
    line: tuple[Move, ...]

    @property
    def best(self) -> Candidate:
        """The move to play."""
        return self.candidates[0]

    @property
    def chance(self) -> float:
        """The winning chance of the side to move; 0 and 1 only if that is proven."""
        if self.winner is not None:
            return float(self.winner is self.side)
        return clamp_chance(self.best.chance)


def clamp_chance(chance: float) -> float:
    """Return a chance that is not proven, kept away from 0 and 1."""
    return min(max(chance, MIN_CHANCE), 1.0 - MIN_CHANCE)


class Search:
    """A search from one position.

    ``tree_type`` chooses one of the two speeds, by default the faster one.
    """

    def __init__(
        self,
        game: Game,
        position: Position,
        effort: Effort,
        *,
        tree_type: type[kernel.Tree] | None = None,
    ) -> None:
        """Lay out the search; raises :class:`Refused` if the game is over or has no tables."""
        arrays = require_arrays(game)
        if game.is_over(position):
            raise Refused("The game is over.", code="game-over")
        self.game = game
        self.position = position
        self.simulations = effort.simulations
        self.seconds, self.watch = effort.seconds, effort.watch
        self._has_margin = arrays.tables.ending is not TieRule.MAJORITY
        task = task_of(game, arrays, position, effort)
        self._movers = task.movers
        self.tree = (tree_type or fastest(kernel.Tree))(arrays, task)

    def analysis(self) -> Analysis:
        """Run the remaining simulations and return the result."""
        self._run()
        return self.report()

    def report(self) -> Analysis:
        """Return the result of the simulations so far, of which there has been one at least."""
        tree = self.tree
        side = self.position.to_move
        best = self._ranked(0)
        winner = side if tree.value[best[0]] > kernel.CERTAIN else self._winner()
        line = self._turns(list(self._line(best[0], LINE_VISITS)))
        return Analysis(
            side=side,
            simulations=tree.done,
            candidates=tuple(self._candidate(child, winner) for child in best),
            winner=winner,
            ownership=self._ownership(),
            line=tuple(line),
        )

    def draw(self, chance: Random, temperature: float, sight: float) -> Move:
        """Return a turn drawn without a simulation; see :class:`level_list.Level`."""
        tree, count = self.tree, len(self._movers)
        cells, values, priors = (
            [*row[1 : 1 + count]] for row in (tree.cell, tree.value, tree.prior)
        )
        if sight and max(values) > kernel.CERTAIN:
            return self._turn(1 + values.index(max(values)))
        sees = chance.random() < sight
        open_ones = [at for at in range(count) if values[at] > 0 or not sees] or range(count)
        top = max(priors[at] for at in open_ones) or 1.0
        # Whole numbers, so that the last digit of a power is the same on every machine.
        weights = [1] * count
        for at in open_ones:
            weights[at] += round(MAX_WEIGHT * (priors[at] / top) ** (1 / temperature))
        drawn = list[Cell]()
        for _ in range(min(self.game.stones_due(self.position), count)):
            [at] = chance.choices(range(count), weights)
            weights[at] = 0
            drawn.append(cells[at])
        return self.game.placing(drawn)

    def _run(self) -> None:
        """Do the simulations that are left, until the time is over or somebody ends it."""
        tree, start = self.tree, thread_time()
        at_once = BATCH if self.watch or self.seconds < inf else self.simulations
        before = -1
        while before < tree.done:
            before = tree.done
            tree.run(min(before + at_once, self.simulations))
            if thread_time() - start >= self.seconds or (self.watch and self.watch(self)):
                return

    def _winner(self) -> Side | None:
        """Return the winner that the tree has proven, or None."""
        # The tree knows no passes: a pass that ends the game may save a side that is lost in it.
        winner = next((side for side in Side if side.stone == self.tree.winner), None)
        can_end_it = winner is self.position.to_move.other and self.position.passes
        return None if can_end_it else winner

    def _candidate(self, child: int, winner: Side | None) -> Candidate:
        """Return the results of the root's ``child``; ``winner`` is proven to win."""
        tree, is_x = self.tree, self.position.to_move is Side.X
        visits = tree.visits[child]
        won = tree.root_wins[child - 1] / visits if visits else 0.5
        margin = tree.root_margins[child - 1] / (2 * visits) if visits else 0.0
        chance = clamp_chance(won if is_x else 1.0 - won)
        if winner is self.position.to_move.other:
            chance = 0.0
        elif abs(tree.value[child]) > kernel.CERTAIN:
            chance = float(tree.value[child] > 0)
        return Candidate(
            move=self._turn(child),
            share=visits / max(tree.done, 1),
            chance=chance,
            margin=(margin if is_x else -margin) if self._has_margin else None,
        )

    def _turn(self, child: int) -> Move:
        """Return the turn that begins with the root's ``child``, with its best second stone."""
        due = self.game.stones_due(self.position)
        cells = list(self._line(child, 1))[:due]
        if len(cells) < due:
            others = (self.tree.cell[other] for other in self._ranked(0))
            cells += [cell for cell in others if cell not in cells][: due - len(cells)]
        return self.game.placing(cells)

    def _turns(self, cells: list[Cell]) -> Iterator[Move]:
        """Yield the whole turns that these cells make in order."""
        turn: list[Cell] = []
        movers = self._movers
        for cell, mover, following in zip(cells, movers, [*movers[1:], 0], strict=False):
            turn.append(cell)
            if following != mover:
                yield self.game.placing(turn)
                turn = []

    def _line(self, child: int, visits: int) -> Iterator[Cell]:
        """Yield the cells of the best line that begins with the root's ``child``."""
        tree = self.tree
        yield tree.cell[child]
        for depth in range(1, LINE_CELLS):
            if not tree.first[child] or depth == len(self._movers):
                return
            child = self._ranked(child)[0]
            if tree.visits[child] < visits:
                return
            yield tree.cell[child]

    def _ranked(self, node: int) -> list[int]:
        """Return the children of ``node``, best first: proven wins, then by visits."""
        tree = self.tree
        first = tree.first[node]

        def rank(child: int) -> tuple[int, int, float]:
            worth = tree.value[child]
            return (worth > kernel.CERTAIN) - (worth < 0.0), tree.visits[child], worth

        return sorted(range(first, first + tree.width[node]), key=rank, reverse=True)

    def _ownership(self) -> tuple[float, ...]:
        """Return how often X came to own each cell, by the RAVE visits of the root's children."""
        tree, side = self.tree, self.position.to_move
        owned = [float(stone == Side.X.stone) for stone in self.position.stones]
        for child in range(1, len(self._movers) + 1):
            share = (tree.rave_visits[child] - kernel.FIRST_VISITS) / max(tree.done, 1)
            owned[tree.cell[child]] = share if side is Side.X else 1.0 - share
        return tuple(owned)


def think(game: Game, position: Position, effort: Effort, threads: int = 1) -> Analysis:
    """Return the result of a search, whose simulations ``threads`` share.

    Each has a tree and a seed of its own, so that the same effort and number of threads find the
    same; each has all of the time, if that is limited. Raises :class:`Refused` as :class:`Search`.
    """
    if threads == 1:
        return Search(game, position, effort).analysis()
    share = -(-effort.simulations // threads)
    parts = [effort._replace(simulations=share, seed=effort.seed + n) for n in range(threads)]
    with ThreadPoolExecutor(threads) as pool:
        found = pool.map(lambda part: Search(game, position, part).analysis(), parts)
    return merge_analyses(list(found))


def merge_analyses(found: Sequence[Analysis]) -> Analysis:
    """Return the results of several searches of one position as one analysis."""
    first = next((each for each in found if each.winner), found[0])
    simulations = sum(each.simulations for each in found)
    if first.winner:
        return replace(first, simulations=simulations)
    candidates = _merge_candidates(found)
    best = candidates[0].move
    return replace(
        first,
        simulations=simulations,
        candidates=tuple(candidates),
        ownership=tuple(fmean(owned) for owned in zip(*(a.ownership for a in found), strict=True)),
        line=next((each.line for each in found if each.line[:1] == (best,)), (best,)),
    )


def _merge_candidates(found: Sequence[Analysis]) -> list[Candidate]:
    """Return the moves that several searches tried, best first."""
    tried: dict[Move, list[Candidate]] = defaultdict(list)
    for candidate in chain.from_iterable(each.candidates for each in found):
        tried[candidate.move].append(candidate)
    # Without a win the best is the most visited of those that no tree has proven to lose.
    lost = {move for move, parts in tried.items() if min(part.chance for part in parts) <= 0}
    candidates = [_mean_candidate(parts, len(found)) for parts in tried.values()]
    candidates.sort(key=lambda one: (one.move not in lost, one.share), reverse=True)
    return candidates


def _mean_candidate(parts: Sequence[Candidate], searches: int) -> Candidate:
    """Return the results of a move in several searches with equally many simulations."""
    share = sum(part.share for part in parts)
    if not share:
        return parts[0]
    is_lost = any(part.chance == 0 for part in parts)
    mean = sum(part.chance * part.share for part in parts) / share
    margins = [(part.margin or 0.0) * part.share for part in parts]
    margin = None if parts[0].margin is None else sum(margins) / share
    return Candidate(
        parts[0].move, share / searches, 0.0 if is_lost else clamp_chance(mean), margin
    )


NOT_COMPILED = (
    "plain Python, about 30 times slower: install a C compiler and Python's headers (Debian: "
    "apt-get install gcc python3-dev), then pbmserv again"
)


def is_compiled() -> bool:
    """Tell whether the compiled kernel is used."""
    return fastest(kernel.Tree) is not kernel.Tree


def describe_speed() -> str:
    """Return words on which kernel is used, for ``doctor``."""
    return "compiled" if is_compiled() else NOT_COMPILED
