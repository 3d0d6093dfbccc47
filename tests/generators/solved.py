"""Who wins after each first stone, and how: ``python -m tests.generators.solved [SPEC ...]``.

It computes what ``pbmserv/computer/solved.json`` lacks, in some minutes for all, and writes the
tables of ``help/solved.txt`` from it.
"""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pbmserv.commands.help_files import help_folder
from pbmserv.computer.openings import SOLVED_TABLE, distinct_cells, representative, solved_boards
from pbmserv.engine.board import Cell
from pbmserv.engine.game import Game
from pbmserv.engine.position import EMPTY, Side
from pbmserv.engine.score_tables import TieRule
from pbmserv.engine.settle import fill_empty
from pbmserv.engine.spec import format_game, parse_game
from tests.generators.proof_search import ProofSearch

SPECS = (
    *(f"hex(size={size})" for size in (3, 4, 5, 6)),
    *(f"y(size={size})" for size in (3, 4, 5, 6, 7, 8)),
    "y(size=4,shape=bent)",
    *("polyy(size=2,sides=3)", "polyy(size=2)", "polyy(size=2,sides=7)", "polyy(size=2,sides=9)"),
    *("polyy(size=3,sides=3)", "polyy(size=3)", "polyy(size=4,sides=3)"),
    *("star(size=3)", "star(size=3,corners=2)", "star(size=3,maxi)", "star(size=3,maxi,corners=2)"),
)
"""The boards that are small enough."""
PAGE = Path(help_folder()) / "solved.txt"
HEAD = "## Hex\n"
"""From here on the page is made."""
BOARDS_A_ROW = 3


def compute(game: Game) -> dict[str, Any]:
    """Return the margin of X after each distinct first stone, and how many positions it took.

    Where only the winner counts, as in Maxi-Star too, it is 1 or -1. Where X loses, it has all
    replies of O that win.
    """
    searches: dict[int, ProofSearch] = {}
    names = game.board.names

    def search(aim: int) -> ProofSearch:
        return searches.setdefault(aim, ProofSearch(game, aim))

    def reaches(stones: bytes, aim: int) -> bool:
        return search(aim).solve(stones, Side.O).winner is Side.X

    stones = {cell: first_stone(game, cell) for cell in distinct_cells(game)}
    margins = {names[cell]: margin_after(game, stones[cell], reaches) for cell in stones}
    nodes = sum(each.nodes for each in searches.values())
    replies = {
        names[cell]: " ".join(names[reply] for reply in winning_replies(search(1), after))
        for cell, after in stones.items()
        if margins[names[cell]] < 0
    }
    return {"nodes": nodes, "margins": margins, "replies": replies}


def winning_replies(search: ProofSearch, stones: bytes) -> Iterator[Cell]:
    """Yield the replies of O after which X does not reach the aim of the search."""
    for cell, stone in enumerate(stones):
        if stone == EMPTY:
            after = stones[:cell] + bytes((Side.O.stone,)) + stones[cell + 1 :]
            if search.solve(after, Side.X).winner is Side.O:
                yield cell


def margin_after(game: Game, stones: bytes, reaches: Callable[[bytes, int], bool]) -> int:
    """Return X's margin with best play, by asking whether X ``reaches`` so much or more."""
    tables = ProofSearch(game).tables
    if tables.ending is not TieRule.DIFFERENCE:
        return 1 if reaches(stones, 1) else -1
    low = tables.balance(fill_empty(stones, Side.O)).margin
    high = tables.balance(fill_empty(stones, Side.X)).margin
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if reaches(stones, middle) else (low, middle - 1)
    return low


def first_stone(game: Game, cell: Cell) -> bytes:
    """Return the stones after X's first one."""
    return bytes(int(cell == other) for other in range(len(game.board)))


def page() -> str:
    """Return the page of solved boards with the tables as they follow from what was found."""
    text = PAGE.read_text(encoding="utf-8")
    return text.partition(HEAD)[0] + "\n\n".join(_blocks()) + "\n"


def _blocks() -> Iterator[str]:
    """Yield what the page shows of each game."""
    boards: dict[str, list[list[str]]] = {}
    for spec in sorted(solved_boards(), key=_size_first):
        game = parse_game(spec)
        boards.setdefault(game.title, []).append([spec, *_picture(game), *_by_how_much(game)])
    for title, pictures in boards.items():
        yield f"## {title}"
        for at in range(0, len(pictures), BOARDS_A_ROW):
            yield _side_by_side(pictures[at : at + BOARDS_A_ROW])


def _size_first(spec: str) -> tuple[str, int, str]:
    game = parse_game(spec)
    return game.name, len(game.board), spec


def _picture(game: Game) -> list[str]:
    """Return the lines of a board on which each cell shows what its first stone is worth."""
    margins = solved_boards()[format_game(game)]["margins"]
    names = game.board.names
    told = [
        "*" if margins[names[representative(game, cell)]] > 0 else "." for cell in range(len(names))
    ]
    points = game.board.points
    left, top = min(point.column for point in points), min(point.line for point in points)
    lines: dict[int, dict[int, str]] = {}
    for cell, point in enumerate(points):
        lines.setdefault(point.line - top, {})[point.column - left] = told[cell]
    rows = []
    for number in range(max(lines) + 1):
        row = lines.get(number, {})
        rows.append("".join(row.get(column, " ") for column in range(max(row, default=-1) + 1)))
    return [row for row in rows if row.strip()]


def _by_how_much(game: Game) -> Iterator[str]:
    """Yield the margins with which X wins and loses, nothing where only the winner counts."""
    if ProofSearch(game).tables.ending is not TieRule.DIFFERENCE:
        return
    margins = {*solved_boards()[format_game(game)]["margins"].values()}
    wins = " or ".join(f"{margin:+d}" for margin in sorted(margins) if margin > 0)
    losses = " or ".join(f"{margin:+d}" for margin in sorted(margins) if margin < 0)
    yield f"* {wins}, . {losses}"


def _side_by_side(pictures: list[list[str]]) -> str:
    """Return pictures beside one another, each with its name above."""
    height = max(map(len, pictures))
    widths = [max(map(len, picture)) + 3 for picture in pictures]
    rows = []
    for number in range(height):
        row = "".join(
            (picture[number] if number < len(picture) else "").ljust(width)
            for picture, width in zip(pictures, widths, strict=True)
        )
        rows.append(f"    {row}".rstrip())
    return "\n".join(rows)


def main(specs: list[str]) -> None:
    """Compute what is lacking, of all or of these boards, and write table and page."""
    found = dict(solved_boards()) if SOLVED_TABLE.exists() else {}
    for spec in specs or SPECS:
        if spec in found:
            continue
        found[spec] = compute(parse_game(spec))
        rows = ",\n".join(
            f"{json.dumps(each)}: {json.dumps(found[each], separators=(',', ':'))}"
            for each in sorted(found)
        )
        SOLVED_TABLE.write_text(f"{{\n{rows}\n}}\n", encoding="utf-8")
    solved_boards.cache_clear()
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
