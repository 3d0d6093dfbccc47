"""Whole screens as text, compared with kept ones, and what screens of other sizes make of them.

After a change that is meant, `python -m tests.board.test_screen` writes them anew.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from pbmserv.board.drawn_board import STONES, BoardStyle, draw_board
from pbmserv.board.frame import Frame, Line, Size, Tone, width_of
from pbmserv.board.hosts import RecordHost
from pbmserv.board.lessons import LessonHost, lessons, puzzle_tasks
from pbmserv.board.menu import (
    apply_choices,
    games_menu,
    menu_screen,
    press_menu,
    setup_menu,
    start_menu,
    tasks_menu,
)
from pbmserv.board.panel import ending_lines, panel_lines
from pbmserv.board.play_session import Session, Thoughts, new_session
from pbmserv.board.screen import MIN_SIZE, cell_at, layout, offers, page_lines, screen
from pbmserv.engine.games import find_game, game_names
from pbmserv.engine.record import played
from pbmserv.engine.spec import format_game, parse_game
from pbmserv.render.text import Style

from .playing import SMALL, session, text_of, typed, view_of

SCREENS = Path(__file__).with_name("screens")
SIZES = (SMALL, Size(100, 40), Size(200, 50))
STARSTAR = "S50 T40 A61 A50 *50 R43 S41 T52 *61 A40 R50 T60"


def record() -> Session:
    game = parse_game("star(size=4)")
    record = played(game, ["C3", "D1", "B3", "E2", "A5", "F1", "pass", "pass"], "alice", "bob")
    ended = replace(record, outcome=game.outcome(record.position), board="101")
    return new_session(RecordHost(ended).view())


def thinking() -> Session:
    begun = typed(session("hex(size=5)", "C3 B2 B4", two=False), "t")
    thoughts = Thoughts(
        0.62, ("Winning chance of X: 62 %", "Best: C4 61 %", "Line: C4 D2 A5", "1500 simulations")
    )
    return replace(begun, thoughts=thoughts)


CORDS = "D4 E4 E3 F3 D5 C5 D6 C7 D7"
CHANCES = (0.5, 0.6, 0.55, 0.6, 0.4, 0.35, 0.2, 0.1, 0.0)
TURNS = (
    "Turning points, with the winning chance before and after:",
    "Move 4: O plays E2, 40 % -> 60 %. Better: C4, then D3 D4.",
    "Accuracy: X (alice) 81 %, O (bob) 94 %.",
)

SHOWN: dict[str, Callable[[], Session]] = {
    "star": lambda: typed(session("star(size=6)", "E5 F5 E6 F4 D6 G3 C8 H2"), "c", "left"),
    "starstar": lambda: typed(session("starstar(size=6)", STARSTAR), "o", "b"),
    "tournament": lambda: session("starstar(size=10)", "S50 T40"),
    "starweb": lambda: typed(session("starweb(size=6)", "F6 G6 F7"), "k"),
    "polyy": lambda: session("polyy(size=5)", "A31 00 B20"),
    "bent": lambda: typed(session("y(shape=bent)", "E6 E5 D3 D4"), "left"),
    "y": lambda: typed(session("y(size=6)", "C4 C5"), "p"),
    "hex": thinking,
    "double": lambda: typed(session("starstar(size=4,double)", "S40"), "enter"),
    "record": record,
    "cords": lambda: replace(session("hex(size=8)", CORDS), style="unicode"),
    "end": lambda: typed(replace(record(), curve=CHANCES, turned=(4,), turns=TURNS), "g"),
    "typing": lambda: typed(session("star(size=4)", "C3"), ":", *"d4"),
    "keys": lambda: typed(session("star(size=4)"), "?"),
    "score": lambda: typed(session("star(size=4)", "C3 A5 D1"), "s"),
}


def kept_text(name: str, size: Size) -> str:
    return text_of(screen(SHOWN[name](), size)) + "\n"


def file_of(name: str, size: Size) -> Path:
    return SCREENS / f"{name}-{size.width}x{size.height}.txt"


KEPT = [
    *((name, SMALL) for name in SHOWN if name != "bent"),
    *((name, SIZES[1]) for name in ("star", "starstar", "hex", "bent")),
    *((name, SIZES[2]) for name in ("tournament", "end")),
]


@pytest.mark.parametrize(("name", "size"), KEPT, ids=str)
def test_a_screen_is_as_it_was(name: str, size: Size) -> None:
    assert file_of(name, size).read_text(encoding="utf-8") == kept_text(name, size)


def test_no_screen_is_kept_that_is_not_looked_at() -> None:
    assert {file_of(*each) for each in KEPT} == set(SCREENS.iterdir())


def texts(lines: Iterable[Line]) -> list[str]:
    return text_of(Frame(tuple(lines))).split("\n")


@pytest.mark.parametrize("size", SIZES[1:], ids=str)
@pytest.mark.parametrize("name", SHOWN)
def test_a_larger_screen_has_the_drawing_whole_and_the_panel_whole_beside_it(
    name: str, size: Size
) -> None:
    begun = SHOWN[name]()
    frame, (scale, height, width, _) = screen(begun, size), layout(begun.game, size, begun.shown)
    table = draw_board(begun.game, begun.position, BoardStyle(begun.style, scale, begun.shown))
    marks = {**dict.fromkeys(begun.marked, "()"), **({} if begun.page else {begun.cursor: "<>"})}
    board = texts(table.line(n, marks, begun.chain) for n in range(table.height))
    panel = texts(
        ending_lines(begun, width)
        if begun.page == "g"
        else panel_lines(begun, width, height, table.legend)
    )
    shown = texts(frame.lines)[1:-2]
    if begun.page not in {"", "g"}:
        assert shown == texts([*page_lines(begun, size), *[()] * size.height])[:height]
        return
    (column, line), (left, top) = frame.cursor, table.places[begun.cursor]
    left, top = column - left, line - top - 1
    beside = max(left + table.width, shown[0].find(panel[0]))

    assert [row[beside:] for row in shown] == [*panel, *[""] * (height - len(panel))]
    assert [row[:beside].rstrip()[left:] for row in shown] == [
        *[""] * top,
        *board,
        *[""] * (height - top - len(board)),
    ]
    assert {row[:left] for row in shown} <= {"", " " * left}


@pytest.mark.parametrize("name", SHOWN)
def test_a_larger_screen_says_what_a_small_one_says(name: str) -> None:
    small, *large = (
        [row.split() for row in texts(screen(SHOWN[name](), size).lines)] for size in SIZES
    )
    for other in large:
        assert small[-2] == other[-2]
        assert set(small[-1]) - {"m", "more"} <= set(other[-1])
        assert set(other[0]) <= set(small[0])


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size.width}x{size.height}")
@pytest.mark.parametrize("name", SHOWN)
def test_every_screen_fits_its_terminal(name: str, size: Size) -> None:
    frame = screen(SHOWN[name](), size)

    assert size.height == len(frame.lines)
    assert size.width >= max(map(width_of, frame.lines))
    assert "?" in {hit.key for hit in frame.hits} | {"?"}


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("name", game_names())
@pytest.mark.parametrize("size", [MIN_SIZE, *SIZES], ids=lambda size: f"{size.width}x{size.height}")
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
    assert layout(game, Size(1000, 1000)).scale == 3


def test_at_the_beginning_nothing_is_on_that_nobody_has_asked_for() -> None:
    begun = session()

    assert [] == [name for name in ("thinks", "rings", "shows", "page") if getattr(begun, name)]


@pytest.mark.parametrize("size", [MIN_SIZE, Size(60, 16)], ids=str)
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


def test_what_a_narrow_sheet_breaks_goes_on_under_its_own_words() -> None:
    begun = typed(session("starstar(size=6)", STARSTAR), "s")
    wide, narrow = (
        [text_of(Frame((line,))) for line in page_lines(begun, Size(width, 40))]
        for width in (200, MIN_SIZE.width)
    )
    first = next(n for n, text in enumerate(narrow) if "+0" in text)
    words = narrow[first].index("spark")

    assert narrow[first] not in wide
    assert words == len(narrow[first + 1]) - len(narrow[first + 1].lstrip())
    assert " ".join(f"{narrow[first]} {narrow[first + 1]}".split()) in {
        " ".join(text.split()) for text in wide
    }


def test_between_two_parts_beside_the_board_there_is_one_empty_line() -> None:
    begun = replace(thinking(), advice=("C4, for it joins.",))
    begun = replace(begun, now=replace(begun.now, said=("alice: Hello", "bob: Good luck")))
    lines = [text_of(Frame((line,))) for line in panel_lines(begun, 30, 100, ())]
    firsts = ["B3: if O plays here", "C4, for it joins.", "X ####", "alice:", "bob:", "  1 X"]
    places = [n for n, line in enumerate(lines) if line.startswith(tuple(firsts))]

    assert len(firsts) == len(places)
    assert [""] * len(places) == [lines[place - 1] for place in places]
    assert "" not in [lines[place - 2] for place in places]


def test_a_long_note_takes_no_line_from_under_the_cursor() -> None:
    begun = session("starstar(size=10)")
    points = begun.game.board.points
    last = replace(begun, cursor=max(range(len(points)), key=lambda cell: points[cell].line))
    for moved in (last, last.say("A note that goes on and on. " * 12)):
        frame = screen(moved, SMALL)
        column, line = frame.cursor

        assert "<" == text_of(frame).splitlines()[line][column - 1]
        assert moved.cursor == cell_at(moved, SMALL, column, line)


def test_a_note_of_two_lines_moves_no_board_that_has_room() -> None:
    begun = session("star(size=4)")
    noted = begun.say("A note that goes on and on. " * 4)

    assert screen(begun, SMALL).cursor == screen(noted, SMALL).cursor


def test_what_is_told_of_a_long_page_is_whole_beside_a_long_title() -> None:
    begun = session("star(size=4)")
    lesson = replace(begun, now=replace(begun.now, title="Lesson 1: a chain and the rim"))

    for size in (MIN_SIZE, Size(60, 20)):
        title = text_of(screen(typed(lesson, "?"), size)).splitlines()[0]
        assert re.search(r"  lines 1 to \d+ of \d+$", title)


LONGEST = {
    "star": "star(size=6,maxi,corners=2)",
    "starstar": "starstar(size=6,double,komi=-12,handicap=3)",
    "starweb": "starweb(size=10,notch=4)",
    "polyy": "polyy(sides=5,size=5)",
    "y": "y(size=6)",
    "hex": "hex(size=11)",
}


def moments(spec: str, style: Style) -> Iterator[Session]:
    """Yield a game near its end as it is seen: now, tried, before, and its pages."""
    chance, game = Random(spec), parse_game(spec)
    position, moves = game.start(), list[str]()
    while not game.is_over(position) and position.empty_count > len(game.board) // 3:
        cells = [cell for cell, stone in enumerate(position.stones) if not stone]
        move = game.placing(chance.sample(cells, game.stones_due(position)))
        position = game.play(position, move)
        moves.append(move.text)
    for begun in (session(spec, " ".join(moves)), session(spec, " ".join(moves[:9]), two=False)):
        named = replace(begun.now, title=f"{begun.now.title} Board 104729")
        shown = replace(begun, style=style, now=named)
        for keys in ((), ("v",), ("v", "enter"), ("[",), ("s",), ("?",)):
            yield typed(shown, *keys)


@pytest.mark.costly
@pytest.mark.parametrize("style", ["ascii", "unicode"])
@pytest.mark.parametrize("name", game_names())
def test_no_line_is_cut_and_no_number_is_parted_from_its_name(name: str, style: Style) -> None:
    for moment in moments(LONGEST.get(name, name), style):
        for width in (40, 46, 53, 61, 66, 72, 80, 100):
            for height in (12, 24, 40):
                frame = screen(moment, Size(width, height))
                lines = text_of(frame).splitlines()
                last = [columns[-1] for line in lines[1:] if (columns := re.split("  +", line))]

                assert width >= max(map(width_of, frame.lines)), lines
                assert lines[0].startswith(f" {moment.now.title}"), lines[0]
                assert moment.page == "?" or not [
                    end for end in last if re.search(r"(\b[XO]:|\bby|(?<!to )\bmove)$", end)
                ], last
                if not moment.page:
                    assert re.search(r" move \d+( of \d+)?$", lines[0]), lines[0]


STORED = replace(view_of("star(size=3)", "C2"), number=101)
OFFERED: dict[str, tuple[Callable[[], Session], str]] = {
    "nothing was played": (session, "p h s ? q"),
    "a swap is possible": (lambda: session(moves="C2"), "p w u r h [ ] s ? q"),
    "and is so no longer": (lambda: session(moves="C2 B2"), "p u r h [ ] s ? q"),
    "moves are tried": (lambda: typed(session(moves="C2"), "v"), "escape u r h [ ] s ? q"),
    "the past is seen": (lambda: typed(session(moves="C2 B2"), "["), "escape u r h [ ] s ? q"),
    "the computer's turn": (lambda: session(moves="C2", two=False), "u r [ ] s ? q"),
    "the game is over": (lambda: session(moves="C2 B2 pass pass"), "g [ ] s ? q"),
    "between people": (lambda: new_session(STORED), "p w u r n / [ ] s ? q"),
    "of others": (lambda: new_session(replace(STORED, reader=None)), "n / [ ] s ? q"),
    "a task": (lambda: new_session(LessonHost(lessons()).view()), "p h s ? q"),
    "a task with a move": (lambda: new_session(LessonHost(lessons(), 6).view()), "p w h [ ] s ? q"),
}


@pytest.mark.parametrize("name", OFFERED)
def test_what_can_be_done_now_is_offered_and_nothing_else(name: str) -> None:
    begin, keys = OFFERED[name]
    begun = begin().say("")
    frame = screen(begun, Size(200, 50))

    assert keys == " ".join(key for key, _ in offers(begun))
    assert {*keys.split(), "enter"} == {hit.key for hit in frame.hits}
    for hit in frame.hits:
        after = typed(begun, hit.key)
        assert not after.note.startswith(("That key does nothing", "It is not your turn")), hit.key


def test_a_task_has_no_moves_to_count() -> None:
    begun = new_session(LessonHost(lessons()).view())

    assert "after move" not in text_of(screen(begun, SMALL))
    assert "after move" not in text_of(screen(typed(begun, "v"), SMALL))


def test_a_terminal_that_is_too_small_is_told() -> None:
    assert "Terminal too small: it needs 40" in text_of(screen(session(), Size(39, 12)))


def test_resizing_loses_nothing() -> None:
    begun = typed(session("star(size=6)"), *"f6", ":", *"d4")

    for size in (SMALL, MIN_SIZE, SIZES[2]):
        assert "d4" in text_of(screen(begun, size))
        assert "<.>" in text_of(screen(begun, size))


def test_the_start_screen_offers_what_there_is() -> None:
    menu = start_menu(["Star (size 6), move 3"], "ascii", has_server=True, done=(3, 17))
    text = text_of(menu_screen(menu, SMALL))

    assert "Go on with Star (size 6), move 3" in text
    assert "All unfinished games" not in text
    assert "My boards on the server" in text
    assert "Lessons    3 of 10   ###-------" in text
    assert "Puzzles   17 of 116  #---------" in text
    alone = text_of(menu_screen(start_menu([], "ascii", has_server=False), SMALL))
    assert "server" not in alone
    assert "Go on" not in alone
    assert "Puzzles    0 of 116  ----------" in alone
    assert "YOUR BOARDS" not in alone


@pytest.mark.parametrize("size", [MIN_SIZE, SMALL], ids=str)
def test_every_row_of_a_long_list_is_read(size: Size) -> None:
    games = [f"Star (size {number}), move 4" for number in range(3, 15)]
    assert "All unfinished games (12)" in text_of(
        menu_screen(start_menu(games, "ascii", has_server=True), SMALL)
    )
    for menu in (
        tasks_menu(lessons(), {1, 2}, "ascii"),
        tasks_menu(puzzle_tasks(), set(), "unicode"),
        games_menu(games, "ascii"),
        start_menu(games, "ascii", has_server=True, done=(10, 116)),
    ):
        for at, row in enumerate(menu.rows):
            frame = menu_screen(replace(menu, at=at), size)
            lines = text_of(frame).splitlines()
            assert f"> {row.text}" in lines[frame.cursor[1]]
            assert size.width >= max(map(width_of, frame.lines))


@pytest.mark.parametrize(
    ("size", "has_board"),
    [(Size(200, 60), True), (Size(200, 14), False), (Size(50, 60), False), (MIN_SIZE, False)],
    ids=str,
)
def test_a_menu_has_its_board_beside_it_whole_or_not_at_all(
    size: Size,
    has_board: bool,  # noqa: FBT001
) -> None:
    for menu in (start_menu([], "ascii", has_server=True), setup_menu("computer", "ascii")):
        frame = menu_screen(menu, size)
        lines = text_of(frame).splitlines()
        table = draw_board(menu.game, menu.position, BoardStyle(scale=2))
        board = [text_of(Frame((row,))).strip() for row in table.rows]
        board = [row for row in board if row[:1].isdigit()]
        beside = [row for row in board if any(line.endswith(row) for line in lines)]

        assert size.height == len(frame.lines)
        assert size.width >= max(map(width_of, frame.lines))
        assert beside == (board if has_board else [])


@pytest.mark.parametrize("size", [MIN_SIZE, Size(60, 20), SMALL], ids=str)
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
    assert menu.rows[menu.at].intent == press_menu(menu, "enter").intent


def test_another_shape_brings_the_size_that_it_has() -> None:
    menu = setup_menu("two", "ascii", parse_game("polyy(size=4)"))
    row = next(number for number, row in enumerate(menu.rows) if row.text == "Shape")
    shaped = apply_choices(press_menu(replace(menu, at=row), "right"))

    assert ("", "polyy(size=7,sides=9,shape=open)") == (shaped.note, format_game(shaped.game))
    assert (row, "open") == (shaped.at, shaped.row.value)
    narrow = apply_choices(press_menu(replace(shaped, at=1), "left"))
    assert "Invalid value for -size (7 with -shape=open)." == narrow.note
    assert shaped.game == narrow.game


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("name", game_names())
@pytest.mark.parametrize("opponent", ["computer", "two"])
def test_every_value_of_every_option_can_be_chosen(name: str, opponent: str) -> None:
    kind = find_game(name)
    for option in kind.options():
        begun = setup_menu(opponent, "ascii", kind())
        row = next(n for n, row in enumerate(begun.rows) if row.text == option.name.capitalize())
        menu, found = replace(begun, at=row), []
        for _ in menu.row.values:
            found.append(menu.row.value)
            if menu.note == "":
                assert getattr(menu.game, option.name) == menu.row.value
            menu = apply_choices(press_menu(menu, "right"))

        assert {False, True} == set(found) if option.is_flag else len(found) > 1
        assert set(option.choices) <= set(found)
        assert {option.low, option.high} - {None} <= set(found)
        assert menu.row.value == begun.rows[row].value


@pytest.mark.parametrize(("scale", "width"), [(1, 1), (2, 3), (3, 3)])
def test_a_stone_s_colour_is_as_wide_as_there_is_room(scale: int, width: int) -> None:
    game = parse_game("hex(size=5)")
    position = game.replay(["C3", "B2", "B4", "D1"])
    table = draw_board(game, position, BoardStyle(scale=scale))
    stones = [(s.tone, len(s.text)) for line in table.lines for s in line if s.tone in STONES]

    assert {(Tone.X, width), (Tone.O, width), (Tone.LAST_O, width)} == set(stones)
    assert len(stones) == 4


if __name__ == "__main__":
    SCREENS.mkdir(exist_ok=True)
    for each in KEPT:
        file_of(*each).write_text(kept_text(*each), encoding="utf-8")
