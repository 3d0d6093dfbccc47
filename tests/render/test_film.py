"""A film shows every turn in its time, and to whoever sees no motion how the game stands."""

import re
from xml.etree.ElementTree import Element, fromstring

import pytest

from pbmserv.engine.games import game_names
from pbmserv.engine.record import Record, played
from pbmserv.engine.spec import parse_game
from pbmserv.render.animation import STEP, animation
from pbmserv.render.blocks import BoardPicture
from pbmserv.render.picture import LegendText
from pbmserv.render.poster import poster
from pbmserv.render.svg import svg_board, svg_picture
from pbmserv.render.view import view_blocks, view_record


def a_film(spec: str, moves: str) -> tuple[Record[str], BoardPicture, str]:
    record = played(parse_game(spec), moves.split(), "alice", "bob")
    board = next(one for one in view_blocks(view_record(record)) if isinstance(one, BoardPicture))
    return record, board, animation(board, record)


def stones_of_turn(text: str, number: int) -> list[str]:
    return re.findall(rf'<circle class="([xo]) t d{number}"', text)


@pytest.mark.parametrize("name", game_names())
def test_every_stone_appears_in_its_turn(name: str) -> None:
    cells = parse_game(name).board.names[:6]
    record, _, text = a_film(name, " ".join(cells))

    assert [["x"], ["o"]] * 3 == [stones_of_turn(text, number) for number in range(1, 7)]
    assert [] == stones_of_turn(text, 7)
    for number in range(1, record.ply + 1):
        assert f".d{number}{{animation-delay:{number * STEP:.4g}s}}" in text


def test_a_swap_places_no_stone_and_two_stones_appear_together() -> None:
    _, _, swapped = a_film("hex(size=5)", "C3 swap A1")
    _, _, double = a_film("starstar(double)", "A9 A8+A7")

    assert (["x"], [], ["o"]) == tuple(stones_of_turn(swapped, number) for number in (1, 2, 3))
    assert (["x"], ["o", "o"]) == tuple(stones_of_turn(double, number) for number in (1, 2))


def test_it_ends_as_the_board_is_drawn_elsewhere() -> None:
    _, board, text = a_film("star(size=3)", "A3 B2 B3 pass")
    elsewhere = svg_board(board.draw())
    cells = re.search(r'<g class="shade">.*</g>', elsewhere)

    assert cells is not None
    assert cells[0] in text


@pytest.mark.parametrize("shown", ["film", "poster", "svg"])
@pytest.mark.parametrize("side", ["X", "O"])
def test_names_and_words_that_are_markup_are_words_in_every_drawing(shown: str, side: str) -> None:
    def drawing(name: str) -> Element:
        game = parse_game("star(size=3)")
        names = (name, "bob") if side == "X" else ("alice", name)
        record = played(game, ["A3", "B2"], *names)
        caption = LegendText(f"Board of {name}", *names, f"{name} is ahead")
        board = BoardPicture(game, record.position, caption=caption, record=record)
        drawn = {"film": animation(board, record), "poster": poster(board)}
        return fromstring(drawn.get(shown) or svg_picture(board.draw()))  # noqa: S314 - our own

    hostile, harmless = (drawing(name) for name in ("<b>&amp;\"'</b>", "carol"))

    assert [one.tag for one in harmless.iter()] == [one.tag for one in hostile.iter()]
    words = " ".join(hostile.itertext())
    assert "<b>&amp;\"'</b>" in words
    assert "carol" in " ".join(harmless.itertext())


def test_no_motion_is_forced_on_anybody() -> None:
    _, _, text = a_film("star(size=3)", "A3 B2")

    assert "@media(prefers-reduced-motion:reduce){.f{display:none}.l{animation:none}}" in text
    assert "infinite" not in text
    assert "<script" not in text
