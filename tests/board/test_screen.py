"""Whole screens as text at three sizes, compared with kept ones.

After a change that is meant, `python -m tests.board.test_screen` writes them anew.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pbmserv.board.course import course_of_record
from pbmserv.board.frame import Frame, Size, width_of
from pbmserv.board.menu import menu_screen, press_menu, setup_menu, start_menu
from pbmserv.board.pages_shown import page_lines
from pbmserv.board.play_session import Session, Thoughts, sit_down
from pbmserv.board.screen import LEAST, cell_at, layout, screen
from pbmserv.engine.games import find_game, game_names
from pbmserv.engine.record import Record
from pbmserv.engine.spec import parse_game

from .playing import SMALL, session, text_of, typed

SCREENS = Path(__file__).with_name("screens")
SIZES = (SMALL, Size(100, 40), Size(200, 50))
STARSTAR = "S50 T40 A61 A50 *50 R43 S41 T52 *61 A40 R50 T60"


def record() -> Session:
    game = parse_game("star(size=4)")
    moves = ("C3", "D1", "B3", "E2", "A5", "F1", "pass", "pass")
    outcome = game.outcome(game.replay(moves))
    return sit_down(course_of_record(Record(game, "alice", "bob", moves, outcome, board="101")))


def thinking() -> Session:
    begun = typed(session("hex(size=5)", "C3 B2 B4", two=False), "t")
    thoughts = Thoughts(0.62, ("Best: C4 61 %", "Line: C4 D2 A5", "1500 simulations"))
    return replace(begun, thoughts=thoughts)


SHOWN: dict[str, Callable[[], Session]] = {
    "star": lambda: typed(session("star(size=6)", "E5 F5 E6 F4 D6 G3 C8 H2"), "c", "left"),
    "starstar": lambda: typed(session("starstar(size=6)", STARSTAR), "o", "b"),
    "tournament": lambda: session("starstar(size=10)", "S50 T40"),
    "starweb": lambda: typed(session("starweb(size=6)", "F6 G6 F7"), "k"),
    "polyy": lambda: session("polyy(size=5)", "A31 00 B20"),
    "y": lambda: typed(session("y(size=6)", "C4 C5"), "p"),
    "hex": thinking,
    "double": lambda: typed(session("starstar(size=4,double)", "S40"), "enter"),
    "record": record,
    "typing": lambda: typed(session("star(size=4)", "C3"), ":", *"d4"),
    "keys": lambda: typed(session("star(size=4)"), "?"),
    "score": lambda: typed(session("star(size=4)", "C3 A5 D1"), "s"),
}


def kept_text(name: str, size: Size) -> str:
    return text_of(screen(SHOWN[name](), size)) + "\n"


def file_of(name: str, size: Size) -> Path:
    return SCREENS / f"{name}-{size.width}x{size.height}.txt"


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size.width}x{size.height}")
@pytest.mark.parametrize("name", SHOWN)
def test_a_screen_is_as_it_was(name: str, size: Size) -> None:
    assert file_of(name, size).read_text() == kept_text(name, size)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size.width}x{size.height}")
@pytest.mark.parametrize("name", SHOWN)
def test_every_screen_fits_its_terminal(name: str, size: Size) -> None:
    frame = screen(SHOWN[name](), size)

    assert size.height == len(frame.lines)
    assert size.width >= max(map(width_of, frame.lines))
    assert "?" in {hit.key for hit in frame.hits} | {"?"}


@pytest.mark.parametrize("name", game_names())
@pytest.mark.parametrize("size", [LEAST, *SIZES], ids=lambda size: f"{size.width}x{size.height}")
def test_every_cell_of_the_largest_boards_can_be_seen_and_clicked(name: str, size: Size) -> None:
    kind = find_game(name)
    option = kind.options()[0] if name != "polyy" else kind.options()[1]
    most = option.choices[-1] if option.choices else option.high
    begun = session(f"{name}({option.name}={most})")
    for cell in range(0, len(begun.game.board), 7):
        moved = replace(begun, cursor=cell)
        frame = screen(moved, size)
        column, line = frame.cursor
        row = "".join(span.text for span in frame.lines[line])
        assert row[column - 1] == "<", begun.game.board.names[cell]
        assert cell == cell_at(moved, size, column, line)


def test_a_larger_terminal_gives_a_larger_board() -> None:
    game = parse_game("starstar(size=10)")

    assert (1, 1, 2) == tuple(layout(game, size).scale for size in SIZES)
    assert layout(game, SMALL).panel == 0


@pytest.mark.parametrize("size", [LEAST, Size(60, 16)], ids=str)
def test_a_page_that_is_longer_than_the_screen_is_scrolled(size: Size) -> None:
    begun = typed(session("starstar(size=6)", STARSTAR), "s")
    page = [text_of(Frame((line,))) for line in page_lines(begun, size)]
    room = size.height - 3
    shown = []
    for _ in range(len(page)):
        frame = screen(begun, size)
        lines = text_of(frame).splitlines()
        assert (begun.scroll, size.height) == (frame.scroll, len(frame.lines))
        assert f"lines {frame.scroll + 1} to" in lines[0]
        shown.append(lines[1])
        begun = replace(typed(begun, "down"), note="")
        begun = replace(begun, scroll=screen(begun, size).scroll)

    assert page[: len(page) - room] == shown[: len(page) - room]
    assert page[-1] in text_of(screen(typed(begun, "home", "end"), size))
    assert 0 == screen(typed(begun, "home"), size).scroll
    assert "s" == typed(begun, "pageup").page
    assert "" == typed(begun, "enter").page == typed(begun, "s").page


def test_a_long_note_takes_no_line_from_under_the_cursor() -> None:
    begun = session("starstar(size=10)")
    points = begun.game.board.points
    last = replace(begun, cursor=max(range(len(points)), key=lambda cell: points[cell].line))
    for moved in (last, last.said("A note that goes on and on. " * 12)):
        frame = screen(moved, SMALL)
        column, line = frame.cursor

        assert "<" == text_of(frame).splitlines()[line][column - 1]
        assert moved.cursor == cell_at(moved, SMALL, column, line)


def test_a_note_of_two_lines_moves_no_board_that_has_room() -> None:
    begun = session("star(size=4)")
    noted = begun.said("A note that goes on and on. " * 4)

    assert screen(begun, SMALL).cursor == screen(noted, SMALL).cursor


def test_what_is_told_of_a_long_page_is_whole_beside_a_long_title() -> None:
    begun = session("star(size=4)")
    lesson = replace(begun, course=replace(begun.course, title="Lesson 1: a chain and the rim"))

    for size in (LEAST, Size(60, 20)):
        title = text_of(screen(typed(lesson, "?"), size)).splitlines()[0]
        assert re.search(r"  lines 1 to \d+ of \d+$", title)


def test_a_terminal_that_is_too_small_is_told() -> None:
    assert "Too small: a board needs 40" in text_of(screen(session(), Size(39, 12)))


def test_resizing_loses_nothing() -> None:
    begun = typed(session("star(size=6)"), *"f6", ":", *"d4")

    for size in (SMALL, LEAST, SIZES[2]):
        assert "d4" in text_of(screen(begun, size))
        assert "<.>" in text_of(screen(begun, size))


def test_the_start_screen_offers_what_there_is() -> None:
    menu = start_menu("the game of Star (move 3)", "ascii", has_server=True)
    text = text_of(menu_screen(menu, SMALL))

    assert "Go on with the game of Star (move 3)" in text
    assert "My boards on the server" in text
    alone = start_menu("", "ascii", has_server=False)
    assert "server" not in text_of(menu_screen(alone, SMALL))


@pytest.mark.parametrize("size", [LEAST, Size(60, 20), SMALL], ids=str)
def test_all_that_is_told_under_a_menu_is_read(size: Size) -> None:
    note = "The unfinished game cannot be read. Move that file away or delete it."
    menu = setup_menu("computer", "ascii")
    start = replace(menu, note=note)
    maxi = press_menu(menu, "row 2")
    words = [" ".join(text_of(menu_screen(each, size)).split()) for each in (start, maxi)]

    assert note in words[0]
    assert "Maxi: Maxi-Star: only the best chain of each side counts." in words[1]
    for text in words:
        assert text.endswith(menu.hint)
    for at in range(len(menu.rows)):
        frame = menu_screen(replace(start, at=at), size)
        assert size.height == len(frame.lines)
        assert menu.rows[at].text in text_of(frame).splitlines()[frame.cursor[1]]


def test_a_new_game_is_chosen_by_arrows_and_by_mouse() -> None:
    menu = setup_menu("computer", "ascii")
    changed = press_menu(press_menu(menu, "row 1"), "left")

    assert (7, 6) == (press_menu(menu, "row 1").rows[1].value, changed.rows[1].value)
    assert menu.rows[menu.at].wish == press_menu(menu, "enter").wish


if __name__ == "__main__":
    SCREENS.mkdir(exist_ok=True)
    for each in SHOWN:
        for room in SIZES:
            file_of(each, room).write_text(kept_text(each, room))
