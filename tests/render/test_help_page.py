"""The pictures of ownership on the help page are those that the program draws."""

from textwrap import indent

import pytest

from pbmserv.commands.help_files import read_page
from pbmserv.engine.position import Side
from pbmserv.engine.spec import parse_game
from pbmserv.render.picture import draw
from pbmserv.render.text import text_picture


@pytest.mark.parametrize(
    ("spec", "x", "o"),
    [
        ("starstar(size=4)", "A40 A30 A31 A32 R30 R40", "S40 S41 S42 T40 A42"),
        ("star(size=3)", "C1 B2", "D1 D2"),
        ("starweb(size=4)", "E1 F1", "A5"),
        ("polyy(size=3)", "A20 A21 B20 B21 C20", ""),
    ],
)
def test_the_picture_stands_on_the_page(spec: str, x: str, o: str) -> None:
    game = parse_game(spec)
    position = game.position_of({Side.X: x.split(), Side.O: o.split()})
    lines = indent(text_picture(draw(game, position, owners=True)), "    ")

    assert f"\n\n{lines}\n\n" in read_page("pictures")
