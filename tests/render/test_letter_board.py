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
