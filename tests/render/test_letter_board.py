"""The board of a letter that can be tapped keeps the order of its cells, whatever shows it."""

import re

import pytest

from pbmserv.engine.spec import parse_game
from pbmserv.render.letter_board import LetterBoard
from pbmserv.render.picture import draw

ROW = re.compile(r"<tr.*?</tr>", re.DOTALL)
CELL = re.compile(r">([*STAR])(\d+)\d<")


@pytest.mark.parametrize("size", [4, 10])
def test_a_row_of_a_sector_is_a_ring_with_one_cell_of_the_next_sector(size: int) -> None:
    game = parse_game(f"starstar(size={size})")
    shown = "".join(LetterBoard(draw(game, game.start())).html(lambda cell: f"x:{cell}"))
    rows = [found for row in ROW.findall(shown) if (found := CELL.findall(row))]
    rings = [
        (len(row), {int(ring) for _, ring in row}, len({letter for letter, _ in row}))
        for row in rows
    ]

    assert rings == [(ring + 1, {ring % 10}, 2) for ring in range(size, 0, -1)] * 5


ANY = re.compile(r">([A-Z*](?:<br>)?\d+|00)<")
BEFORE = re.compile(r'<td colspan="(\d+)"></td>')
TABLE = re.compile(r"<table.*?max-width:(\d+)px.*?</table>", re.DOTALL)
BAR = re.compile(r'<div class="e([xo])" style="margin:3px ([\d.]+)% 3px ([\d.]+)%">')


def tables_of(spec: str) -> tuple[str, list[tuple[int, dict[str, tuple[int, int]]]]]:
    """Return a board's page, and the tables on it: how wide, and the line and column of cells."""
    game = parse_game(spec)
    board = LetterBoard(draw(game, game.start()))
    board.linked = board.names
    page = "\n".join(board.html(lambda cell: f"x:{cell}"))
    tables = []
    for found in TABLE.finditer(page):
        places = {}
        for line, row in enumerate(ROW.findall(found[0])):
            before = BEFORE.search(row)
            for at, name in enumerate(ANY.findall(row)):
                column = (int(before[1]) if before else 0) + 2 * at
                places[name.replace("<br>", "")] = line, column
        tables.append((int(found[1]), places))
    return page, tables


def touch(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Tell whether two cells of a table stand side by side, or one half below the other."""
    lines, columns = abs(one[0] - other[0]), abs(one[1] - other[1])
    return (lines, columns) in {(0, 2), (1, 1)}


@pytest.mark.parametrize(
    "spec", ["hex(size=4)", "hex(size=14)", "star(size=5)", "starweb(size=6)", "y(size=7)"]
)
def test_on_a_lattice_cells_touch_in_the_table_exactly_where_they_touch_on_the_board(
    spec: str,
) -> None:
    board = parse_game(spec).board
    _, [(width, places)] = tables_of(spec)
    links = {(board.names[one], board.names[other]) for one, other in board.links}

    assert {*board.names} == places.keys()
    for number, one in enumerate(board.names):
        for other in board.names[number + 1 :]:
            assert touch(places[one], places[other]) is ((one, other) in links), (one, other)
    assert 0 == min(column for _, column in places.values())
    assert width == 19 * (2 + max(column for _, column in places.values()))


@pytest.mark.parametrize("spec", ["starstar(size=4)", "starstar(size=6)", "polyy(size=4)"])
def test_every_two_neighbours_of_a_polar_board_stand_side_by_side_in_a_sector(spec: str) -> None:
    board = parse_game(spec).board
    _, tables = tables_of(spec)
    middle = {name for name in board.names if name[1:] in {"0", "10"} or name == "00"}
    links = {frozenset((board.names[one], board.names[other])) for one, other in board.links}
    side_by_side = {
        frozenset((one, other))
        for _, places in tables
        for one in places
        for other in places
        if touch(places[one], places[other])
    }

    assert board.sectors == len(tables)
    assert side_by_side <= links
    assert all(link <= middle for link in links - side_by_side)
    for width, places in tables:
        assert width == 19 * (2 + max(column for _, column in places.values()))


@pytest.mark.parametrize("size", [3, 8, 14])
def test_what_x_joins_is_as_wide_as_the_row_beside_it(size: int) -> None:
    page, [(width, places)] = tables_of(f"hex(size={size})")
    columns = width // 19
    first, last = (
        [column for line, column in places.values() if line == at] for at in (0, size - 1)
    )
    found = BAR.findall(page)

    assert ["x", "x"] == [kind for kind, _, _ in found]
    for (_, right, left), row in zip(found, (sorted(first), sorted(last)), strict=True):
        assert float(left) == pytest.approx(100 * row[0] / columns, abs=0.01)
        assert float(right) == pytest.approx(100 * (columns - row[-1] - 2) / columns, abs=0.01)
    assert [size, size] == [len(first), len(last)]
