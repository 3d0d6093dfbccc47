"""A sheet as PDF: a drawing with words in it, of every game, and no image."""

import re
import zlib
from collections import Counter
from typing import NamedTuple

import pytest

from pbmserv.engine.game import Game
from pbmserv.engine.games import find_game, game_names
from pbmserv.engine.position import Side
from pbmserv.engine.record import played
from pbmserv.engine.spec import parse_game
from pbmserv.render.blocks import BoardPicture
from pbmserv.render.colours import LIGHT
from pbmserv.render.geometry import geometry_of
from pbmserv.render.picture import LegendText
from pbmserv.render.png import pdf_sheet
from pbmserv.render.poster import blank_board, poster, with_numbers

CAPTION = LegendText("Board 101 & (more)", "alice", "bob", "X: 3\nalice wins")
POINTS = 72 / 25.4
"""Those of a millimetre."""

ESCAPED = re.compile(rb"\\(.)", re.DOTALL)
ESCAPES = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}
COLOUR = re.compile(rb"((?:[\d.]+ ){3})rg |([\d.]+ )g ")
TEXT = re.compile(
    rb"BT /F1 (?P<size>[\d.]+) Tf 0 Tr 1 0 0 -1 [-\d.]+ [-\d.]+ Tm"
    rb" \((?P<codes>(?:\\.|[^\\)])*)\) Tj",
    re.DOTALL,
)


class Word(NamedTuple):
    """What is written in one place, without an outline, how large and in which colour."""

    text: str
    size: float
    colour: str


class Document:
    """A PDF file of one page as what a reader of it sees."""

    def __init__(self, file: bytes) -> None:
        self.file = file
        streams = re.findall(rb"stream\n(.*?)\nendstream", file, re.DOTALL)
        plain = [self._unpacked(stream) for stream in streams]
        (self.drawn,) = (one for one in plain if b" BT /F1 " in one)
        (names,) = (one for one in plain if b"begincmap" in one)
        pairs = re.findall(rb"<([0-9A-F]{4})> <([0-9A-F]{4})>", names)
        letters = {int(code, 16): chr(int(letter, 16)) for code, letter in pairs}
        self.words = [self._word(found, letters) for found in TEXT.finditer(self.drawn)]

    @staticmethod
    def _unpacked(stream: bytes) -> bytes:
        try:
            return zlib.decompress(stream)
        except zlib.error:
            return stream

    def _word(self, found: re.Match[bytes], letters: dict[int, str]) -> Word:
        codes = ESCAPED.sub(lambda one: ESCAPES.get(one[1], one[1]), found["codes"])
        text = "".join(
            letters[int.from_bytes(codes[at : at + 2])] for at in range(0, len(codes), 2)
        )
        *_, colour = COLOUR.findall(self.drawn, 0, found.start())
        parts = (colour[0] or 3 * colour[1]).split()
        rgb = "".join(f"{round(255 * float(part)):02x}" for part in parts)
        return Word(text, float(found["size"]), f"#{rgb}")

    @property
    def size(self) -> tuple[float, float]:
        """In millimetres."""
        (box,) = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", self.file)
        width, height = (round(float(side) / POINTS, 1) for side in box)
        return width, height

    @property
    def text(self) -> Counter[str]:
        return Counter(word.text for word in self.words)


def sheet_of(block: BoardPicture) -> Document:
    return Document(pdf_sheet(poster(block, is_flat=True), block.caption.heading))


def board(game: Game, count: int = 9, caption: LegendText = CAPTION) -> BoardPicture:
    record = played(game, list(game.board.names[:count]))
    return BoardPicture(game, record.position, owners=True, caption=caption, record=record)


@pytest.mark.costly
@pytest.mark.parametrize("name", game_names())
@pytest.mark.parametrize("form", ["poster", "blank", "plain"])
def test_a_sheet_of_any_game_holds_lines_and_words_and_no_image(name: str, form: str) -> None:
    game = find_game(name)()
    plain = board(game)
    block = {"poster": with_numbers(plain), "blank": blank_board(plain), "plain": plain}[form]
    sheet = sheet_of(block)
    caption = block.caption
    said = [caption.heading, f"X {caption.x}", f"O {caption.o}", *caption.standing.split("\n")]
    said = [" ".join(line.split()) for line in said if line]
    numbers = [str(turn) for turn in range(1, 10)] if form == "poster" else []
    labels = [label.text for label in geometry_of(game).labels]

    assert sheet.file.startswith(b"%PDF-")
    assert (210, 297) == tuple(sorted(sheet.size))
    assert not Counter([*said, *labels, *numbers]) - sheet.text
    assert b"/Subtype /Image" not in sheet.file
    assert not re.search(rb" Do\b|/Pattern", sheet.drawn)
    assert len(game.board) < len(re.findall(rb" l h?", sheet.drawn))


def test_the_sheet_of_a_wide_board_lies_on_its_side() -> None:
    assert (297, 210) == sheet_of(board(parse_game("hex(size=11)"))).size


def test_a_sheet_has_its_heading_as_title() -> None:
    assert rb"/Title (Board 101 & \(more\))" in sheet_of(board(parse_game("star(size=4)"))).file


def test_its_one_font_is_ours_and_stands_in_it() -> None:
    sheet = sheet_of(board(parse_game("star(size=4)")))

    assert 1 == sheet.file.count(b"/FontFile2 ")
    assert {b"DejaVuSans"} == {*re.findall(rb"/FontName /[A-Z]+\+([A-Za-z]{10})", sheet.file)}
    assert {b"/F1"} == {*re.findall(rb"/F\d+", sheet.drawn)}


def test_a_number_is_written_in_what_is_seen_on_its_stone() -> None:
    """White on X and dark on O; dark on a dead stone of X, too, which is pale."""
    game = parse_game("starstar(size=4)")
    rest = [name for name in game.board.names if name not in {"*41", "A40"}]
    alone = {Side.X: ["*41"], Side.O: [*rest, "A40"]}
    beside = {Side.X: ["*41", "A40"], Side.O: []}
    seen = []
    for stones in (alone, beside):
        marks = {game.board.names.index(name): f"7{name[0]}" for name in ("*41", "A40")}
        block = BoardPicture(game, game.position_of(stones), owners=True, marks=marks)
        sheet = sheet_of(block)
        seen.append({word.text: word.colour for word in sheet.words if word.text in {"7*", "7A"}})

    assert [{"7*": LIGHT.x_rim, "7A": LIGHT.o_mark}, {"7*": "#ffffff", "7A": "#ffffff"}] == seen


@pytest.mark.parametrize(
    "hostile", ["Łukasz 日本 😀", "שלום العربية", "e\u0301\u202e\x85", '<b>&"9mm"\'']
)
def test_names_and_headings_may_have_any_letters(
    hostile: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """Those that the font does not have are left out, and nothing is said of it."""
    caption = LegendText(f"Board of {hostile}", hostile, "bob", f"{hostile} wins")
    words = sheet_of(board(parse_game("star(size=3)"), 4, caption)).text
    seen = "".join(letter for letter in hostile if " " <= letter <= "~")

    assert {f"Board of {seen}".strip(), f"X {seen}".strip(), "O bob"} <= {*map(str.strip, words)}
    assert ("", "") == capfd.readouterr()


def test_stones_alone_and_words_like_those_of_a_style_are_drawn() -> None:
    caption = LegendText("font:8px x", "font:9px y;z", "bob")
    words = sheet_of(board(parse_game("hex(size=3)"), 1, caption)).text

    assert {"font:8px x", "X font:9px y;z"} <= {*words}
