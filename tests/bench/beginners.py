"""How the lowest levels play against three simple players, which know no more than a rule each.

Run it as `python -m tests.bench.beginners [--level=1 ...] [--games=60]`. One plays anywhere, one
beside its own stones, one along its own shortest path between its edges, which is for Hex and Y
alone. Games begin as those of `tests.bench.strength`, in pairs with the sides exchanged.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from heapq import heapify, heappop, heappush
from random import Random

from pbmserv.computer.game_arrays import require_arrays
from pbmserv.computer.level_list import LEVELS, PLAIN_LEVEL, Level
from pbmserv.engine.board import Cell
from pbmserv.engine.game import Game
from pbmserv.engine.position import EMPTY, Move, Position, Side
from pbmserv.engine.spec import parse_game
from tests.bench.strength import Player, Question, Result, answer, at_level, opening

Rule = Callable[[Game, Position, Random], Sequence[Cell]]
"""The empty cells of which one is drawn for the next stone."""

ANY_GAME = (
    "star(size=5)",
    "starstar(size=6)",
    "starweb(size=6)",
    "polyy(size=6)",
    "y(size=8)",
    "hex(size=9)",
)
WITH_EDGES = ("hex(size=7)", "hex(size=9)", "hex(size=11)", "y(size=8)", "y(size=9)", "y(size=11)")
FAR = 10_000
"""The cost of a cell that the opponent has."""


def anywhere(game: Game, position: Position, chance: Random) -> list[Cell]:
    """Return all empty cells."""
    del game, chance
    return [cell for cell, stone in enumerate(position.stones) if stone == EMPTY]


def beside(game: Game, position: Position, chance: Random) -> list[Cell]:
    """Return the empty cells beside own stones, or all if there are none."""
    empty = anywhere(game, position, chance)
    own = {*position.cells_of(position.to_move)}
    return [cell for cell in empty if own.intersection(game.board.neighbours[cell])] or empty


def along_path(game: Game, position: Position, chance: Random) -> list[Cell]:
    """Return the empty cells of a shortest way to join all own edges, or all if there is none."""
    side, neighbours = position.to_move, game.board.neighbours
    x, o = require_arrays(game).tables.marks
    marks = x if side is Side.X else o
    edges = sorted({bit for mark in marks for bit in range(mark.bit_length()) if mark >> bit & 1})
    cost = [{EMPTY: 1, side.stone: 0}.get(stone, FAR) for stone in position.stones]
    far = [_distances(neighbours, cost, [mark >> edge & 1 for mark in marks]) for edge in edges]
    # The ways from the edges to a cell meet there, and its cost is to be counted once.
    sums = [sum(each) - (len(edges) - 1) * own for *each, own in zip(*far, cost, strict=True)]
    least = min(sums)
    found = set[Cell]()
    middle = chance.choice([cell for cell, total in enumerate(sums) if total == least])
    for distances in far if least < FAR else []:
        cell = middle
        found.add(cell)
        while distances[cell] > cost[cell]:
            left = distances[cell] - cost[cell]
            cell = chance.choice([near for near in neighbours[cell] if distances[near] == left])
            found.add(cell)
    empty = anywhere(game, position, chance)
    return sorted(found & {*empty}) or empty


def _distances(
    neighbours: Sequence[Sequence[Cell]], cost: Sequence[int], starts: Sequence[int]
) -> list[int]:
    """Return what the cheapest way costs from a start to every cell, both counted."""
    found = [FAR * len(cost)] * len(cost)
    waiting = [(cost[cell], cell) for cell, is_start in enumerate(starts) if is_start]
    heapify(waiting)
    while waiting:
        far, cell = heappop(waiting)
        if far < found[cell]:
            found[cell] = far
            for near in neighbours[cell]:
                heappush(waiting, (far + cost[near], near))
    return found


def simple(game: Game, rule: Rule) -> Player:
    """Return a player that draws each stone by a rule."""

    def mover(position: Position, simulations: int, seed: int) -> Move:
        del simulations
        chance, cells = Random(seed), list[Cell]()
        stones = bytearray(position.stones)
        for _ in range(min(game.stones_due(position), position.empty_count)):
            after = replace(position, stones=bytes(stones))
            cells.append(chance.choice(rule(game, after, chance)))
            stones[cells[-1]] = position.to_move.stone
        return game.placing(cells)

    return Player(mover, 1)


RIVALS: Sequence[tuple[str, Rule, Sequence[str]]] = (
    ("anywhere", anywhere, ANY_GAME),
    ("beside own stones", beside, ANY_GAME),
    ("along the shortest path", along_path, WITH_EDGES),
)


def measure(level: Level, rule: Rule, specs: Sequence[str], games: int) -> list[Result]:
    """Return what the level wins against such a player, on each board."""
    found = []
    for spec in specs:
        game = parse_game(spec)
        players = at_level(game, level), simple(game, rule)
        question = Question(spec, game, players, partial(opening, game), 0.5, 0.75)
        found.append(answer(question, games, all_of_them=True))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--level", action="append", type=int, help="in place of the usual two")
    parser.add_argument("--games", type=int, default=60, help="on each of six boards")
    given = parser.parse_args()
    for number in given.level or (1, PLAIN_LEVEL):
        for name, rule, specs in RIVALS:
            rows = measure(LEVELS[number - 1], rule, specs, given.games)
            total = Result(sum(row.wins for row in rows), sum(row.games for row in rows))
            low, high = total.interval
            print(
                f"level {number:2} v {name:24}{total.wins:4} of {total.games}"
                f"   {low:.0%} to {high:.0%}   {' '.join(str(row.wins) for row in rows)}",
                flush=True,
            )


if __name__ == "__main__":
    main()
