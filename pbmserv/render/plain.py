"""Positions in plain words, for screen readers."""

from collections.abc import Iterable

from pbmserv.engine.board import Cell
from pbmserv.engine.game import Game
from pbmserv.engine.position import Position, Side
from pbmserv.render.wording import counted


def plain_lines(game: Game, position: Position) -> list[str]:
    """Return the stones of each side, owned corners and the last turn, one line each."""
    board = game.board

    def listed(cells: Iterable[Cell]) -> str:
        return " ".join(board.sorted_names(cells)) or "none"

    lines = [f"{game.title}, {board.title}, {position.empty_count} cells empty."]
    for side in Side:
        cells = position.cells_of(side)
        count = counted(len(cells), "stone")
        lines.append(f"{side.value}, {count}: {listed(cells)}.")
    owners = game.owners(position)
    lines += [
        f"Corners of {side.value}: {listed(cell for cell in owners if owners[cell] is side)}."
        for side in Side
        if side in owners.values()
    ]
    if position.last:
        lines.append(f"Last turn: {listed(position.last)}.")
    elif position.ply:
        lines.append("Last turn: no stone.")
    return lines
