"""Positions in plain words, for screen readers."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from pbmserv.club.wording import with_count
from pbmserv.engine.board import Cell
from pbmserv.engine.game import Game
from pbmserv.engine.position import Position, Side
from pbmserv.engine.score import Ownership


def plain_lines(game: Game, position: Position, *, owners: bool = False) -> list[str]:
    """Return the stones of each side and the last turn, one line each.

    With ``owners`` also who owns what.
    """
    board = game.board

    def listed(cells: Iterable[Cell]) -> str:
        return " ".join(board.names[cell] for cell in sorted(cells)) or "none"

    lines = [f"{game.title}, {board.title}, {position.empty_count} cells empty."]
    stones = {side: position.cells_of(side) for side in Side}
    for side, cells in stones.items():
        count = with_count(len(cells), "stone")
        lines.append(f"{side.value}, {count}: {listed(cells)}.")
    if owners:
        lines += _ownership_lines(game.ownership(position), listed)
    if position.last:
        lines.append(f"Last turn: {listed(position.last)}.")
    elif position.passes:
        lines.append("Last turn: no stone.")
    return lines


def _ownership_lines(owned: Ownership, listed: Callable[[Iterable[Cell]], str]) -> Iterator[str]:
    for title, owners in (("Owned by", owned.cells), ("Corners of", owned.corners)):
        for side in Side:
            if side in owners.values():
                cells = listed(cell for cell in owners if owners[cell] is side)
                yield f"{title} {side.value}: {cells}."
    if owned.corner_counts:
        groups = (
            f"{listed((cell,))} {with_count(count, 'corner')}"
            for cell, count in sorted(owned.corner_counts.items())
        )
        yield f"Corners held by the group of: {', '.join(groups)}."
    if owned.externals:
        counts = Counter(external.sides for external in owned.externals)
        x, o = frozenset({Side.X}), frozenset({Side.O})
        yield (
            f"Externals: {counts[x]} of X, {counts[o]} of O, {counts[x | o]} of both,"
            f" {counts[frozenset()]} of nobody."
        )
