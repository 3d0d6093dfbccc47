"""The pieces of an answer: text, pictures of boards, and tables, shown by the same renderer."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from pbmserv.club.written_text import escape_controls, wrap_line
from pbmserv.engine.position import Side
from pbmserv.render.picture import NO_LEGEND, NO_MARKS, LegendText, draw

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pbmserv.engine.board import Cell
    from pbmserv.engine.game import Game
    from pbmserv.engine.position import Position
    from pbmserv.engine.record import Record
    from pbmserv.engine.score import Ownership
    from pbmserv.render.picture import Picture
    from pbmserv.render.text import Style

T = TypeVar("T")


class BoardPicture(NamedTuple):
    """The board of a position, drawn by whoever shows it, with who owns what or without."""

    game: Game
    position: Position
    owners: bool = False
    caption: LegendText = NO_LEGEND
    marks: Mapping[Cell, str] = NO_MARKS
    """Characters that empty cells show instead of a dot."""
    record: Record[Any] | None = None
    """The game so far, where the position is one of a game."""

    def draw(self) -> Picture:
        """Return the picture to be drawn."""
        return draw(
            self.game, self.position, owners=self.owners, caption=self.caption, marks=self.marks
        )


class Table(NamedTuple):
    """Rows under headings; ``right`` are the columns set flush right, ``empty`` says so if none."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: tuple[int, ...] = ()
    empty: str = "None."


class MoveList(str):
    """Numbered moves in columns, which may also flow."""

    __slots__ = ()


Block = str | BoardPicture | Table


class Target(NamedTuple, Generic[T]):
    """Where blocks are shown, as what becomes of each kind there; words may hold anything."""

    words: Callable[[str], T]
    board: Callable[[BoardPicture], T]
    table: Callable[[Table], T]

    def render(self, block: Block) -> T:
        """Return the block as it is shown here."""
        if isinstance(block, BoardPicture):
            return self.board(block)
        if isinstance(block, Table):
            return self.table(block)
        return self.words(block)


def plain_text(
    blocks: Iterable[Block],
    style: Style = "ascii",
    *,
    lists_stones: bool = False,
    words: Callable[[str], str] = str,
) -> str:
    """Return blocks as plain text: boards in this style or as a list of stones, ``words`` so."""

    def board(block: BoardPicture) -> str:
        return stones_text(block) if lists_stones else board_text(block, style)

    return escape_controls("\n\n".join(map(Target(words, board, table_text).render, blocks)))


def board_text(block: BoardPicture, style: Style = "ascii") -> str:
    """Return the board drawn in characters."""
    from pbmserv.render.text import text_picture

    return text_picture(block.draw(), style)


def stones_text(block: BoardPicture) -> str:
    """Return the board as a list of its stones in words."""
    return "\n".join(plain_lines(block.game, block.position, owners=block.owners))


def plain_lines(game: Game, position: Position, *, owners: bool = False) -> list[str]:
    """Return the stones of each side, the owners if asked for, and the last turn, one line each."""
    from pbmserv.club.wording import with_count

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
    from pbmserv.club.wording import with_count

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
        yield f"Corners of each group: {', '.join(groups)}."
    if owned.externals:
        counts = Counter(external.sides for external in owned.externals)
        x, o = frozenset({Side.X}), frozenset({Side.O})
        yield (
            f"Externals: {counts[x]} of X, {counts[o]} of O, {counts[x | o]} of both,"
            f" {counts[frozenset()]} of nobody."
        )


def narrow_tables(blocks: Iterable[Block], width: int) -> Iterator[Block]:
    """Yield the blocks, with rows in several lines in place of a table of a larger width."""
    for block in blocks:
        rows = table_lines(block) if isinstance(block, Table) else []
        parts = ["\n".join(wrap_line(re.sub("  +", "  ", row), width, "    ")) for row in rows]
        yield "\n".join(parts) if max(map(len, rows), default=0) > width else block


def table_text(table: Table) -> str:
    """Return the table as text."""
    return "\n".join(table_lines(table))


def table_lines(table: Table) -> list[str]:
    """Return the lines of the table, in columns as wide as they need."""
    if not table.rows:
        return [table.empty]
    rows = [
        [escape_controls(cell).replace("\n", " ") for cell in row]
        for row in (table.heads, *table.rows)
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(table.heads))]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if column in table.right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return lines
