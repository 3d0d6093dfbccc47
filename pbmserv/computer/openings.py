"""First stones: how likely X wins after each of them, computed once for every game and size.

``tests/generators/openings.py`` has made the table.
"""

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

from pbmserv.engine.board import Cell
from pbmserv.engine.game import Game
from pbmserv.engine.position import Move
from pbmserv.engine.spec import format_game

TABLE = Path(__file__).with_name("openings.json")
NEARLY = 20
"""First stones so many thousandths further from even than the best one are as good."""


def even_opening(game: Game, chance: Random) -> Move | None:
    """Return a first stone after which neither side has much the better of it.

    None for a game that the table lacks.
    """
    chances = _chances(game)
    if chances is None:
        return None
    unevenness = {name: abs(chance_of_x - 500) for name, chance_of_x in chances.items()}
    least = min(unevenness.values())
    names = [name for name, found in unevenness.items() if found <= least + NEARLY]
    cell = game.board.index[chance.choice(names)]
    cell = chance.choice([cell, *(images[cell] for images in game.symmetries)])
    return game.placing((cell,))


def chance_after(game: Game, cell: Cell) -> float | None:
    """Return how likely X wins with a first stone there; None for a game that the table lacks."""
    chances = _chances(game)
    return None if chances is None else chances[game.board.names[representative(game, cell)]] / 1000


def representative(game: Game, cell: Cell) -> Cell:
    """Return the cell that stands for all which turning or mirroring maps onto one another."""
    return min(cell, *(images[cell] for images in game.symmetries))


def distinct_cells(game: Game) -> list[Cell]:
    """Return one cell of each set that turning or mirroring the board maps onto another."""
    return sorted({representative(game, cell) for cell in range(len(game.board))})


def _chances(game: Game) -> Mapping[str, int] | None:
    return table()["chances"].get(format_game(game)) if game.is_even else None


@lru_cache(maxsize=1)
def table() -> dict[str, Any]:
    """Return the table: for each spec the chance of X in thousandths by the cell's name."""
    found: dict[str, Any] = json.loads(TABLE.read_text(encoding="utf-8"))
    return found
