import io

import pytest
from rich.console import Console

from pbmserv.engine.spec import parse_game
from pbmserv.render.blocks import Block, BoardPicture, Table, plain_text
from pbmserv.render.picture import Picture, draw
from pbmserv.render.terminal import terminal_picture, terminal_target
from pbmserv.render.text import GLYPHS, Role, Style, text_picture


def a_picture() -> Picture:
    star = parse_game("star(size=4)")
    return draw(star, star.replay(["D4", "E4", "C4"]))


def printed(console: Console) -> str:
    console.print(terminal_picture(a_picture()), soft_wrap=True)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize("style", GLYPHS)
def test_without_colour_it_is_the_text_picture(style: Style) -> None:
    assert terminal_picture(a_picture(), style).plain == text_picture(a_picture(), style)


@pytest.mark.parametrize("lists_stones", [False, True])
def test_without_colour_every_block_is_its_plain_text(*, lists_stones: bool) -> None:
    star = parse_game("star(size=4)")
    rows = (("alice", "12"), ("bob", "3"))
    blocks: list[Block] = [
        "Words.",
        BoardPicture(star, star.replay(["D4", "E4"])),
        Table(("who", "points"), rows, right=(1,)),
        Table(("who",), ()),
    ]
    coloured = terminal_target("unicode", lists_stones=lists_stones)

    shown = "\n\n".join(coloured.render(block).plain for block in blocks)
    assert shown == plain_text(blocks, "unicode", lists_stones=lists_stones)


def test_the_sides_have_their_colours_and_the_last_stone_stands_out() -> None:
    shown = printed(Console(file=io.StringIO(), force_terminal=True, color_system="truecolor"))

    assert "\x1b[1;38;2;52;139;211mX\x1b[0m" in shown
    assert "\x1b[1;38;2;240;174;51mO\x1b[0m" in shown
    assert "\x1b[1;38;2;255;255;255;48;2;52;139;211mX\x1b[0m" in shown


def test_stones_on_corners_are_underlined() -> None:
    web = parse_game("starweb(size=4)")
    text = terminal_picture(draw(web, web.replay(["E1", "D3", "F1"])))

    assert [
        text.plain[span.start : span.end] for span in text.spans if "underline" in str(span.style)
    ] == ["X", "X"]


def test_no_color_leaves_no_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    shown = printed(Console(file=io.StringIO(), force_terminal=True, color_system="truecolor"))

    assert "38;2" not in shown
    assert "X" in shown


def test_a_narrow_terminal_does_not_break_lines() -> None:
    shown = printed(Console(file=io.StringIO(), width=10))

    assert shown == text_picture(a_picture()) + "\n"


def test_every_role_has_a_style() -> None:
    from pbmserv.render.terminal import _STYLES

    assert set(_STYLES) == set(Role)
