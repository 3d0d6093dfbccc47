"""What moves are worth by their surroundings: ``python -m tests.generators.patterns [KIND ...]``.

It lets the computer play against itself, with what it has learned so far, and writes what it learns
from the visits of its moves into ``pbmserv/computer/patterns.json``. It wants numpy (the extra
``dev``). A round takes ``--minutes`` of processor time a kind of game, on boards of usual sizes.
"""

import argparse
import json
import time
from collections.abc import Iterator
from functools import lru_cache
from random import Random
from typing import Any, NamedTuple

import numpy as np

from pbmserv.computer.patterns import (
    BRIDGE,
    KEYS,
    LINE,
    SCALE,
    SLOTS,
    TABLE,
    Surroundings,
    classes,
    part_sizes,
    surroundings_of,
    table,
)
from pbmserv.computer.search import Search
from pbmserv.computer.task import Effort
from pbmserv.engine.board import Cell
from pbmserv.engine.game import Game
from pbmserv.engine.position import EMPTY, Position, Side
from pbmserv.engine.score_tables import Tables
from pbmserv.engine.settle import tables_of
from pbmserv.engine.spec import parse_game

BOARDS = {
    "hex": ("hex(size=7)", "hex(size=9)", "hex(size=11)", "hex(size=11)"),
    "y": ("y(size=8)", "y(size=10)", "y(size=12)"),
    "star": ("star(size=5)", "star(size=6)", "star(size=7)", "star(size=9)"),
    "star maxi": ("star(size=5,maxi)", "star(size=6,maxi)", "star(size=7,maxi)"),
    "starstar": ("starstar(size=4)", "starstar(size=6)", "starstar(size=8)", "starstar(size=6)"),
    "starstar double": tuple(f"starstar(size={size},double)" for size in (4, 6, 6, 8)),
    "starweb": ("starweb(size=6)", "starweb(size=8)"),
    "polyy": ("polyy(size=5)", "polyy(size=6)", "polyy(size=7)"),
}
REPLYING = {"hex", "y"}
"""The games in which playouts reply to the last stone, for it has made them stronger."""
SIMULATIONS = 1600
RANDOM_STONES = 4
"""A game begins with so many random stones at most."""
DECIDED = 0.03
"""It is left where one side's chance is no better."""
VARIED = 0.25
"""So often a move is drawn by its visits; else the best one is played."""

STEPS = 200
PACE = 0.1
PENALTY = 2e-5
"""How much a weight costs, by its square: those seen seldom stay small."""
HELD_OUT = 0.1
"""The part of the games that only tells how well the rest was learned."""

OFFSETS = (0, *np.cumsum(part_sizes()))
NONE = int(OFFSETS[-1])
"""Stands for no pattern: its weight is nought."""
FEATURES = 4
"""Every cell has so many patterns: ring, bridge ring, zone, and how it lies to the last stone."""


class Sample(NamedTuple):
    """A position with the visits of its moves, and the number of its game."""

    position: Position
    tables: Tables
    cells: list[Cell]
    visits: list[int]
    game: int


def self_play(name: str, minutes: float, seed: int) -> Iterator[Sample]:
    """Yield what the computer thinks in games of a kind against itself, for so long."""
    chance = Random(f"{name} {seed}")
    end = time.process_time() + 60 * minutes
    number = 0
    while time.process_time() < end:
        number += 1
        game = parse_game(chance.choice(BOARDS[name]))
        yield from _one_game(game, number, chance)


def _one_game(game: Game, number: int, chance: Random) -> Iterator[Sample]:
    tables = tables_of(game)
    assert tables is not None
    position = game.start()
    for _ in range(chance.randint(0, RANDOM_STONES)):
        empty = [cell for cell, stone in enumerate(position.stones) if stone == EMPTY]
        position = game.play(
            position, game.placing(chance.sample(empty, game.stones_due(position)))
        )
    while not game.is_over(position):
        search = Search(game, position, Effort(SIMULATIONS, chance.getrandbits(30)))
        analysis = search.analysis()
        if not DECIDED < analysis.chance < 1 - DECIDED:
            return
        tree = search.tree
        cells = list(tree.cell[1 : 1 + position.empty_count])
        visits = list(tree.visits[1 : 1 + position.empty_count])
        yield Sample(position, tables, cells, visits, number)
        move = analysis.best.move
        if chance.random() < VARIED:
            shares = [candidate.share for candidate in analysis.candidates]
            move = chance.choices(analysis.candidates, shares)[0].move
        position = game.play(position, move)


@lru_cache(maxsize=16)
def _arrays(tables: Tables) -> tuple[Any, Any, Any, Any, Surroundings]:
    """Return rings, bridge rings, marks and zones as arrays."""
    around = surroundings_of(tables)
    rings, bridge_rings = np.array(around.ring), np.array(around.bridge_ring)
    return rings, bridge_rings, np.array(around.marks), np.array(around.zones), around


TURNED, MIRRORED = (np.array(numbers) for numbers in classes())
POWERS = 4 ** np.arange(SLOTS)


def _keys(rings: Any, stones: Any) -> Any:
    return np.where(rings < 0, -rings, stones[np.maximum(rings, 0)]) @ POWERS


def patterns_of(sample: Sample) -> Any:
    """Return the numbers of the patterns of each cell that the sample speaks of."""
    rings, bridge_rings, marks, zones, around = _arrays(sample.tables)
    position = sample.position
    stones = np.frombuffer(position.stones, dtype=np.uint8).astype(int)
    if position.to_move is Side.O:
        stones = np.array([0, 2, 1])[stones]
        rings, bridge_rings = (
            np.array([-3, -1, -2, *range(len(stones))])[each + 3] for each in (rings, bridge_rings)
        )
    ring_keys, bridge_keys = _keys(rings, stones), _keys(bridge_rings, stones)
    found = np.full((len(stones), FEATURES + 1), NONE)
    turned = part_sizes()[1]
    found[:, 0] = OFFSETS[0] + marks * turned + TURNED[ring_keys]
    found[:, 1] = OFFSETS[1] + TURNED[bridge_keys]
    found[:, 2] = OFFSETS[2] + zones[:, int(position.to_move is Side.O)]
    if position.last:
        for cell, slot in around.near[position.last[0]]:
            key = int(ring_keys[cell])
            if slot < SLOTS:
                key = (key >> 2 * slot | key << 2 * (SLOTS - slot)) & KEYS - 1
                found[cell, 3] = OFFSETS[3] + MIRRORED[key]
                found[cell, 4] = OFFSETS[6] + MIRRORED[key]
            else:
                found[cell, 3] = OFFSETS[{BRIDGE: 4, LINE: 5}[slot]] + TURNED[key]
    return found[sample.cells]


def learn(samples: list[Sample]) -> tuple[Any, float]:
    """Return the weights that make the visits likeliest, and how likely in the games held out."""
    features = np.concatenate([patterns_of(sample) for sample in samples])
    counts = np.array([len(sample.cells) for sample in samples])
    share = np.concatenate([np.array(s.visits) / sum(s.visits) for s in samples])
    held = np.array([sample.game % round(1 / HELD_OUT) == 0 for sample in samples])
    weights = np.zeros(NONE + 1)
    told = 0.0
    for columns in (range(FEATURES), range(FEATURES, FEATURES + 1)):
        part, told_now = _fit(features[:, list(columns)], counts, share, held)
        weights += part
        told = told or told_now
    return weights[:NONE], told


def _fit(features: Any, counts: Any, share: Any, held: Any) -> tuple[Any, float]:
    """Return the weights of a softmax over the cells of each position, by Adam."""
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    learns = np.repeat(~held, counts)
    weights = np.zeros(NONE + 1)
    mean, spread = np.zeros(NONE + 1), np.zeros(NONE + 1)
    likelihood = 0.0
    for step in range(1, STEPS + 1):
        logs = weights[features].sum(axis=1)
        logs -= np.repeat(np.maximum.reduceat(logs, starts), counts)
        odds = np.exp(logs)
        sums = np.repeat(np.add.reduceat(odds, starts), counts)
        odds /= sums
        likelihood = float((share * (logs - np.log(sums)))[~learns].sum() / max(held.sum(), 1))
        error = np.where(learns, odds - share, 0.0)
        slope = np.zeros(NONE + 1)
        for column in range(features.shape[1]):
            slope += np.bincount(features[:, column], error, NONE + 1)
        slope = slope / max((~held).sum(), 1) + PENALTY * weights
        slope[NONE] = 0.0
        mean = 0.9 * mean + 0.1 * slope
        spread = 0.99 * spread + 0.01 * slope**2
        pace = PACE * min(1.0, 3 * (1 - step / (STEPS + 1)))
        weights -= pace * (mean / (1 - 0.9**step)) / (np.sqrt(spread / (1 - 0.99**step)) + 1e-7)
        weights[NONE] = 0.0
    return weights, likelihood


def write(name: str, weights: Any, about: dict[str, object]) -> None:
    """Put the weights of a kind of game into the table, in thousandths."""
    found = table() | {
        name: about | {"weights": [round(SCALE * each) for each in weights.tolist()]}
    }
    rows = ",\n".join(
        f"{json.dumps(each)}: {json.dumps(found[each], separators=(',', ':'))}"
        for each in sorted(found)
    )
    TABLE.write_text(f"{{\n{rows}\n}}\n")
    table.cache_clear()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("kinds", nargs="*", default=[*BOARDS], choices=[*BOARDS])
    parser.add_argument("--minutes", type=float, default=10)
    given = parser.parse_args()
    for name in given.kinds:
        round_number = table().get(name, {"round": 0})["round"] + 1
        samples = list(self_play(name, given.minutes, round_number))
        weights, likelihood = learn(samples)
        about = {
            "round": round_number,
            "positions": len(samples),
            "games": samples[-1].game,
            "simulations": SIMULATIONS,
            "held out": round(likelihood, 3),
            "replies": name in REPLYING,
        }
        write(name, weights, about)
        print(name, about, flush=True)


if __name__ == "__main__":
    main()
