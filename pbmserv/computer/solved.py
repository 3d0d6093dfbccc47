"""Small boards that are solved: X's margin after each first stone if both sides play best.

``tests/generators/solved.py`` has made the table.
"""

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from pbmserv.computer.openings import representative
from pbmserv.engine.board import Cell
from pbmserv.engine.game import Game
from pbmserv.engine.position import Side
from pbmserv.engine.spec import format_game

TABLE = Path(__file__).with_name("solved.json")


def winner_after(game: Game, cell: Cell) -> Side | None:
    """Return who wins with best play after a first stone there; None where it is not known."""
    board = solved_boards().get(format_game(game))
    if board is None:
        return None
    return Side.X if board["margins"][game.board.names[representative(game, cell)]] > 0 else Side.O


@lru_cache(maxsize=1)
def solved_boards() -> dict[str, Any]:
    """Return for each spec the margins by the cell's name, and the nodes that a proof took.

    Where only the winner counts a margin is 1 or -1; none is 0.
    """
    found: dict[str, Any] = json.loads(TABLE.read_text(encoding="utf-8"))
    return found
