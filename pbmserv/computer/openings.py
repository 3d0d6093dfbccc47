"""First stones: X's winning chance after each, and who wins on boards that are solved, and how.

Both are tables, made once by ``tests/generators/openings.py`` and ``tests/generators/solved.py``.
Of cells that turning or mirroring the board maps onto one another they have the first.
"""

import json
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

from pbmserv.engine.board import Cell
from pbmserv.engine.game import Game
from pbmserv.engine.position import Move, Position, Side
from pbmserv.engine.spec import format_game

CHANCES_TABLE = Path(__file__).with_name("openings.json")
SOLVED_TABLE = Path(__file__).with_name("solved.json")
NEARLY = 20
"""Thousandths by which a first stone may be further from even than the best one."""


def even_opening(game: Game, chance: Random) -> Move | None:
    """Return a first stone after which chances are nearly even, None without a table."""
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
    """Return X's winning chance after a first stone, None without a table."""
    chances = _chances(game)
    return None if chances is None else chances[game.board.names[representative(game, cell)]] / 1000


def has_chances(game: Game) -> bool:
    """Tell whether there is a table of X's chances after each first stone."""
    return _chances(game) is not None


def specs_with_chances(name: str) -> list[str]:
    """Return the specs of the boards of a game for which there is such a table."""
    return [spec for spec in table()["chances"] if spec.startswith(f"{name}(")]


def winner_after(game: Game, cell: Cell) -> Side | None:
    """Return the winner with best play after a first stone, None if that is not known."""
    board = solved_boards().get(_spec(game))
    if board is None:
        return None
    return Side.X if board["margins"][game.board.names[representative(game, cell)]] > 0 else Side.O


def is_solved(game: Game) -> bool:
    """Tell whether it is known who wins after every first stone."""
    return _spec(game) in solved_boards()


def known_winner(game: Game, position: Position) -> Side | None:
    """Return who wins a solved board on which X has the only stone and O is to move, or None.

    Whether O may still swap is not asked.
    """
    cells = position.cells_of(Side.X)
    is_reply = position.to_move is Side.O and position.empty_count == len(game.board) - 1
    return winner_after(game, min(cells)) if cells and is_reply else None


def winning_replies(game: Game, position: Position) -> list[Cell]:
    """Return all stones of O that win a solved board on which X has the only one, else []."""
    if known_winner(game, position) is not Side.O:
        return []
    [cell] = position.cells_of(Side.X)
    first, names = representative(game, cell), game.board.names
    image = next(to for to in ((*range(len(names)),), *game.symmetries) if to[first] == cell)
    replies = solved_boards()[_spec(game)]["replies"][names[first]].split()
    return sorted(image[game.board.index[name]] for name in replies)


def representative(game: Game, cell: Cell) -> Cell:
    """Return the first of the cells that turning or mirroring the board maps onto this one."""
    return min(cell, *(images[cell] for images in game.symmetries))


def distinct_cells(game: Game) -> list[Cell]:
    """Return the representatives of all cells."""
    return sorted({representative(game, cell) for cell in range(len(game.board))})


def _chances(game: Game) -> dict[str, int] | None:
    found: dict[str, int] | None = table()["chances"].get(_spec(game))
    return found


def _spec(game: Game) -> str:
    """Return the spec by which the tables have a game: a swap that may not come changes nothing."""
    return format_game(replace(game, noswap=False))


@lru_cache(maxsize=1)
def table() -> dict[str, Any]:
    """Return the table of chances: for each spec X's, in thousandths, by the cell's name."""
    found: dict[str, Any] = json.loads(CHANCES_TABLE.read_text(encoding="utf-8"))
    return found


@lru_cache(maxsize=1)
def solved_boards() -> dict[str, Any]:
    """Return for each spec X's margins by the cell's name, and the nodes of the proof.

    No margin is 0; it is 1 or -1 in games in which only the winner counts. Where it is below 0,
    ``replies`` has the names of all cells with which O wins.
    """
    found: dict[str, Any] = json.loads(SOLVED_TABLE.read_text(encoding="utf-8"))
    return found
