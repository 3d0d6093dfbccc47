"""The pieces of an answer: text, pictures of boards, and tables; every door shows them its way."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pbmserv.render.picture import NO_CAPTION, Caption, draw

if TYPE_CHECKING:
    from pbmserv.engine.game import Game
    from pbmserv.engine.position import Position
    from pbmserv.render.picture import Picture


class BoardPicture(NamedTuple):
    """The board of a position, drawn by whoever shows it, with who owns what or without."""

    game: Game
    position: Position
    owners: bool = False
    caption: Caption = NO_CAPTION

    def draw(self) -> Picture:
        """Return the picture to be drawn."""
        return draw(self.game, self.position, owners=self.owners, caption=self.caption)


class Table(NamedTuple):
    """Rows under headings; ``right`` are the columns set flush right, ``empty`` says so if none."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: tuple[int, ...] = ()
    empty: str = "None."


Block = str | BoardPicture | Table


def table_lines(table: Table) -> list[str]:
    """Return the table as text, in columns as wide as they need."""
    if not table.rows:
        return [table.empty]
    rows = [table.heads, *table.rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(table.heads))]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if column in table.right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return lines
