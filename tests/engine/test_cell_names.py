"""Cells are found in whatever way people write them, and a wrong one is told what there is."""

import pytest

from pbmserv.engine.cell_names import describe_cells
from pbmserv.engine.spec import parse_game
from pbmserv.errors import InvalidMove


@pytest.mark.parametrize(
    ("spec", "name", "texts"),
    [
        ("star(size=6)", "F6", "F6 f6 F-6 f-6 F06 f006 6F 6f 6-f F6. f6, F6; 6f."),
        ("star(size=6)", "F10", "F10 f10 F-10 F010 10F 10-f 010f f10."),
        ("hex(size=11)", "A1", "A1 a1 A-1 A01 1A 1-a 001a"),
        ("starstar(size=4)", "*10", "*10 p10 P10 *-10 10* 10-*"),
        ("polyy(size=4)", "A10", "A10 a10 10a A-10"),
    ],
)
def test_a_cell_is_found_in_each_way_of_writing_it(spec: str, name: str, texts: str) -> None:
    board = parse_game(spec).board
    for text in (*texts.split(), f" {name}\\t", name.replace(name[0], f"{name[0]} ", 1)):
        found = board.find(text.replace("\\t", "\t"))

        assert found is not None, text
        assert name == board.names[found], text


@pytest.mark.parametrize(
    "text", ["", "F", "6", "F0", "0F", "FF6", "F6F", "F--6", "F1000", "\uff266"]
)
def test_what_names_no_cell_finds_none(text: str) -> None:
    assert parse_game("star(size=6)").board.find(text) is None


@pytest.mark.parametrize(
    ("spec", "text", "told"),
    [
        ("star(size=3)", "A9", "The cells with A are A3 to A4."),
        ("star(size=3)", "9a", "The cells with A are A3 to A4."),
        ("y(size=4)", "D9", "The cells with D are D1 to D4."),
        ("y(size=4)", "A9", "The only cell with A is A4."),
        ("hex(size=3)", "Z1", "Cells are a letter A to C and a number 1 to 3, such as B2."),
        (
            "starstar(size=4)",
            "Z1",
            "Cells are one of *, A, R, S, T and a number 10 to 43, such as R32.",
        ),
        (
            "polyy(size=3)",
            "Z1",
            "Cells are a letter A to E and a number 10 to 21, or 00, such as C20.",
        ),
        ("hex(size=3)", "", "Cells are a letter A to C and a number 1 to 3, such as B2."),
        ("hex(size=3)", "xyz", "Cells are a letter A to C and a number 1 to 3, such as B2."),
    ],
)
def test_a_wrong_cell_is_told_what_there_is(spec: str, text: str, told: str) -> None:
    game = parse_game(spec)

    assert told == describe_cells(game.board.names, text)
    if text:
        with pytest.raises(InvalidMove) as caught:
            game.parse_move(text)

        assert (told, text.upper()) == (caught.value.advice, caught.value.about)
