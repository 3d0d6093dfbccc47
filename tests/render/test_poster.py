"""A sheet of A4: what stands where on it, with the number of every turn, or empty to play on."""

import re
from typing import NamedTuple

import pytest

from pbmserv.engine.record import played
from pbmserv.engine.spec import parse_game
from pbmserv.render.blocks import BoardPicture
from pbmserv.render.geometry import geometry_of
from pbmserv.render.picture import LegendText
from pbmserv.render.poster import blank_board, poster, with_numbers

UPRIGHT, LYING = (210, 297), (297, 210)
TEXT = r'<text class="lg" style=\'font:(\d)px [^>]* x="([\d.]+)" y="(\d+)">([^<]*)<'
BOARD = r'<g transform="translate\(([-\d.]+) ([-\d.]+)\) scale\(([\d.]+)\)"'


class Sheet(NamedTuple):
    """Its size; the words on it with their size and where they stand; the board's four sides."""

    size: tuple[int, int]
    words: list[tuple[str, int, float, int]]
    left: float
    top: float
    right: float
    bottom: float


def sheet_of(block: BoardPicture) -> Sheet:
    text = poster(block)
    found = re.search(r'viewBox="0 0 (\d+) (\d+)" width="(\d+)mm" height="(\d+)mm"', text)
    board = re.search(BOARD, text)

    assert found is not None
    assert board is not None
    assert found.group(1, 2) == found.group(3, 4)
    words = [(told, int(size), float(x), int(y)) for size, x, y, told in re.findall(TEXT, text)]
    middle_x, middle_y, scale = map(float, board.groups())
    box = geometry_of(block.game).box()
    left, top = middle_x + scale * box.left, middle_y + scale * box.top
    right, bottom = left + scale * box.width, top + scale * box.height
    return Sheet((int(found[1]), int(found[2])), words, left, top, right, bottom)


def board(spec: str, moves: str = "", caption: LegendText | None = None) -> BoardPicture:
    record = played(parse_game(spec), moves.split())
    caption = caption or LegendText("Board 101", "alice", "bob", "alice is ahead")
    return BoardPicture(record.game, record.position, caption=caption, record=record)


@pytest.mark.parametrize(
    ("spec", "size"),
    [
        *(("star(size=6)", UPRIGHT), ("star(size=14)", UPRIGHT), ("starstar(size=10)", UPRIGHT)),
        *(("polyy(size=4)", UPRIGHT), ("y(size=26)", UPRIGHT), ("starweb(size=4)", UPRIGHT)),
        *(("hex(size=11)", LYING), ("hex(size=3)", UPRIGHT)),
    ],
)
def test_a_board_is_as_large_as_its_sheet_lets_it_and_in_the_middle(
    spec: str, size: tuple[int, int]
) -> None:
    sheet = sheet_of(board(spec))
    width, height = sheet.size
    across, down = sheet.right - sheet.left, sheet.bottom - sheet.top

    assert size == sheet.size
    assert sheet.left == pytest.approx(width - sheet.right, abs=0.1)
    assert sheet.top - 42 == pytest.approx(height - 24 - sheet.bottom, abs=0.1)
    assert across <= width - 28 + 0.1
    assert down <= height - 66 + 0.1
    assert across == pytest.approx(width - 28, abs=0.1) or down == pytest.approx(
        height - 66, abs=0.1
    )


@pytest.mark.parametrize("spec", ["star(size=6)", "hex(size=5)"])
@pytest.mark.parametrize(
    ("standing", "below"),
    [
        ("X wins", ["X wins"]),
        ("X: 3\nbetween\nX wins", ["X: 3", "X wins"]),
        ("same\nsame", ["same"]),
    ],
)
def test_a_sheet_has_its_words_above_and_below_the_board(
    spec: str, standing: str, below: list[str]
) -> None:
    sheet = sheet_of(board(spec, caption=LegendText("Star & co", "alice", "bob", standing)))
    width, height = sheet.size
    above = [("Star &amp; co", 8, 19), ("X alice", 5, 30), ("O bob", 5, 37)]
    expected = [*above, *((line, 5, height - 16 + 7 * row) for row, line in enumerate(below))]

    assert [(line, size, width / 2, y) for line, size, y in expected] == sheet.words
    assert all(y < sheet.top or y - 5 > sheet.bottom for _, _, _, y in sheet.words)


@pytest.mark.parametrize(("x", "o"), [("", "bob"), ("alice", ""), ("", "")])
def test_whoever_has_no_name_has_no_line(x: str, o: str) -> None:
    sheet = sheet_of(board("star(size=3)", caption=LegendText("Board", x, o)))
    players = [f"{side} {name}" for side, name in (("X", x), ("O", o)) if name]

    assert ["Board", *players] == [line for line, *_ in sheet.words]


def test_each_stone_has_the_number_of_its_turn() -> None:
    star = with_numbers(board("star(size=3)", "A3 swap B2 pass B3"))
    double = with_numbers(board("starstar(size=4,double)", "S40 T40+A40 R40+-"))

    def told(block: BoardPicture) -> dict[str, str]:
        names = block.game.board.names
        return {names[cell]: mark for cell, mark in block.marks.items()}

    assert {"A3": "1", "B2": "3", "B3": "5"} == told(star)
    assert {"S40": "1", "T40": "2", "A40": "2", "R40": "3"} == told(double)
    assert {} == with_numbers(star._replace(record=None, marks={})).marks


@pytest.mark.parametrize("spec", ["star(size=4,maxi)", "starstar(size=4,handicap=2)"])
def test_a_sheet_to_play_on_has_no_stones_of_a_turn_and_room_for_two_names(spec: str) -> None:
    game = parse_game(spec)
    start, empty = game.start(), blank_board(board(spec, game.board.names[-1]))
    lines = [line for line, *_ in sheet_of(empty).words]

    assert (start, {}, None) == (empty.position, {**empty.marks}, empty.record)
    assert f"{game.title} (size 4, {'maxi' if 'maxi' in spec else 'handicap 2'})" == lines[0]
    assert ["X", "O"] == [line[0] for line in lines[1:]]
    assert all(re.fullmatch("[XO]  _{24}", line) for line in lines[1:])
