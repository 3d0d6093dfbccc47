"""The board in its loop, driven by Textual's Pilot: by keys alone, and by the mouse alone."""

import asyncio
import re
import signal
import subprocess
from collections.abc import Callable, Coroutine
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from rich.color import ColorType
from textual.geometry import Region
from textual.pilot import Pilot

from pbmserv.board.app import BoardApp, Equipment
from pbmserv.board.canvas import Canvas, palette
from pbmserv.board.drawn_board import BoardStyle, draw_board
from pbmserv.board.frame import Size, Tone
from pbmserv.board.hosts import Host, LocalHost
from pbmserv.board.lessons import TASKS
from pbmserv.board.menu import Menu, strategy_menu
from pbmserv.board.play_session import Intent, Session
from pbmserv.board.saved_games import file_for, save_unfinished
from pbmserv.board.screen import screen
from pbmserv.board.thinker import CUT_OFF, Subject, Thinker, Watch
from pbmserv.commands.page_examples import example_topics, examples_of, page_title
from pbmserv.computer.level_list import HINT_LEVEL, LEVELS
from pbmserv.computer.levels import Choice
from pbmserv.desk.local_game import LocalGame, new_game
from pbmserv.engine.position import PASS
from pbmserv.engine.record import Record
from pbmserv.engine.score import Reason
from pbmserv.engine.spec import parse_game
from pbmserv.errors import Fault
from pbmserv.render.view import View

from .playing import text_of, view_of
from .readme_picture import PICTURE, drawn

GAMES = {
    "star(size=3)": ("C1 C2 D1 pass pass", Reason.TWO_PASSES),
    "starstar(size=4,double)": ("S40 T40+A40 pass pass", Reason.TWO_PASSES),
    "starweb(size=4)": ("C3 swap D4 pass pass", Reason.TWO_PASSES),
    "polyy(sides=3,size=2)": ("A10 B10 C10", Reason.MAJORITY),
    "y(size=3)": ("A3 C1 B3 B2 C3", Reason.CONNECTION),
    "hex(size=3)": ("B1 A1 B2 A2 B3", Reason.CONNECTION),
}

Play = Callable[[Pilot[int], BoardApp], Coroutine[Any, Any, None]]


TURNS = 100
"""So often the loop goes round after a key; three times are enough for all that a key causes."""


async def go_round(_: float = 0.0) -> None:
    """Let what was sent be done; on a busy machine the loop has as many turns as on a calm one."""
    for _turn in range(TURNS):
        await asyncio.sleep(0)


@pytest.fixture(autouse=True)
def no_sleep(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for turns of the loop where the Pilot sleeps until the process seems to be idle."""
    monkeypatch.setattr("textual.app.wait_for_idle", go_round)
    monkeypatch.setattr("textual.pilot.wait_for_idle", go_round)


def two(spec: str) -> LocalGame:
    return new_game(parse_game(spec), None, computer_begins=False)


def drive(app: BoardApp, play: Play, size: tuple[int, int] = (80, 24)) -> None:
    async def go() -> None:
        async with app.run_test(size=size) as pilot:
            await play(pilot, app)

    asyncio.run(go())


def session_of(app: BoardApp) -> Session:
    assert isinstance(app.scene, Session)
    return app.scene


def shown(app: BoardApp) -> str:
    """Return what the terminal would show."""
    canvas = app.query_one(Canvas)
    lines = canvas.render_lines(Region(0, 0, app.size.width, app.size.height))
    return "\n".join("".join(segment.text for segment in line).rstrip() for line in lines)


async def until(pilot: Pilot[int], came: Callable[[], object]) -> None:
    """Wait for at most a minute, for an assertion to tell what did not come."""
    for _ in range(3000):
        if came():
            break
        await pilot.pause(0.02)


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("spec", GAMES)
def test_a_whole_game_by_keys_alone(spec: str) -> None:
    moves, reason = GAMES[spec]

    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        for move in moves.split():
            if move in {"pass", "swap"}:
                await pilot.press("p" if move == "pass" else "w", "enter")
                continue
            for name in move.split("+"):
                await pilot.press(*name.lower(), "enter")
        session = session_of(app)
        assert moves.split() == [*session.now.record.texts]
        assert session.now.record.outcome is not None
        assert reason is session.now.record.outcome.reason
        assert session.now.closing in shown(app)

    drive(BoardApp(LocalHost(two(spec), None), Equipment()), play)


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("spec", GAMES)
def test_a_whole_game_by_the_mouse_alone(spec: str) -> None:
    moves, _ = GAMES[spec]

    async def press_word(pilot: Pilot[int], app: BoardApp, key: str) -> None:
        hit = next(hit for hit in app.frame.hits if hit.key == key)
        await pilot.click(offset=(hit.start, hit.line))

    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        for move in moves.split():
            if move in {"pass", "swap"}:
                await press_word(pilot, app, "p" if move == "pass" else "w")
                await press_word(pilot, app, "enter")
                continue
            for name in move.split("+"):
                session = session_of(app)
                cell = session.game.board.index[name]
                moved = screen(replace(session, cursor=cell), Size(*app.size))
                await pilot.click(offset=moved.cursor)
                await pilot.click(offset=moved.cursor)
        assert moves.split() == [*session_of(app).now.record.texts]
        assert session_of(app).now.record.outcome is not None

    drive(BoardApp(LocalHost(two(spec), None), Equipment()), play)


@pytest.mark.parametrize("colours", ["none", "16", "full"])
def test_the_text_is_the_same_in_all_colours(colours: str) -> None:
    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        await pilot.press("c", "2", "enter", "up")
        assert text_of(screen(session_of(app), Size(*app.size))) == shown(app)
        area = Region(0, 0, app.size.width, app.size.height)
        styles = {
            segment.style
            for line in app.query_one(Canvas).render_lines(area)
            for segment in line
            if segment.style
        }
        painted = {colour for style in styles for colour in (style.color, style.bgcolor) if colour}
        kinds = {ColorType.STANDARD} if colours == "16" else {ColorType.TRUECOLOR}
        assert (set() if colours == "none" else kinds) == {colour.type for colour in painted}

    drive(BoardApp(LocalHost(two("star(size=3)"), None), Equipment(colours=colours)), play)


@pytest.mark.parametrize("colours", ["none", "16", "full"])
def test_the_chain_under_the_cursor_is_underlined_in_all_colours(colours: str) -> None:
    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        def underlined() -> str:
            area = Region(0, 0, app.size.width, app.size.height)
            lines = app.query_one(Canvas).render_lines(area)
            marked = [s for line in lines for s in line if s.style and s.style.underline]
            return "".join(segment.text for segment in marked)

        await pilot.press(*"c2", "enter", *"a3", "enter", *"c1", "enter", *"c2")
        assert "" == underlined()
        await pilot.press("c")
        assert "XX" == underlined()
        await pilot.press("c")
        assert "" == underlined()

    drive(BoardApp(LocalHost(two("star(size=3)"), None), Equipment(colours=colours)), play)


def test_what_is_no_stone_keeps_the_terminal_s_own_colours() -> None:
    for colours in ("none", "16", "full"):
        looks = palette(colours)
        for tone in (Tone.PLAIN, Tone.DIM, Tone.STRONG, Tone.KEY):
            assert looks[tone].color is None
            assert looks[tone].bgcolor is None
        is_coloured = looks[Tone.X].bgcolor is not None
        assert is_coloured is (colours != "none")
    assert palette("16")[Tone.X].bgcolor != palette("16")[Tone.O].bgcolor


@pytest.mark.usefixtures("thinking")
def test_a_newcomer_plays_the_computer_from_the_start_screen(tmp_path: Path) -> None:
    kept = tmp_path / "unfinished"

    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        await pilot.press("enter", *["up"] * 6, "left", "left", "down", "down")
        assert "A new game against the computer" in shown(app)
        await pilot.press("end", *["down"] * 3)
        row = next(h for h in app.frame.hits if "Start" in shown(app).splitlines()[h.line])
        await pilot.click(offset=(row.start + 4, row.line))
        await pilot.press("enter")
        await until(pilot, lambda: len(session_of(app).now.record.moves) == 2)
        assert "The computer" in shown(app)
        assert 1 == len(list(kept.iterdir()))
        await pilot.press("q")
        assert re.search(r"Go on with .+ \(size .+\), move 2", shown(app))
        await pilot.press("enter")
        assert 2 == len(session_of(app).now.record.moves)

    drive(BoardApp(None, Equipment(kept_in=kept, seeds=lambda _: 7)), play)


@pytest.mark.usefixtures("thinking")
def test_the_computer_thinks_beside_and_goes_on_after_a_hint(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    think, stop, subjects, stops = Thinker.think, Thinker.stop, [], []

    def noted(
        thinker: Thinker, subject: Subject, watch: Watch, told: Callable[[Any], None]
    ) -> None:
        subjects.append(subject)
        think(thinker, subject, watch, told)

    def stopped(thinker: Thinker) -> None:
        stops.append(1)
        stop(thinker)

    monkeypatch.setattr(Thinker, "think", noted)
    monkeypatch.setattr(Thinker, "stop", stopped)
    local = new_game(parse_game("star(size=3)"), LEVELS[0], computer_begins=False)

    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        assert subjects == [], "nobody has asked for a thought"
        await pilot.press("t")
        await until(pilot, lambda: session_of(app).thoughts is not None)
        assert "Best: " in shown(app)
        await pilot.press("h")
        await until(pilot, lambda: session_of(app).note.startswith("Best: "))
        assert "Best: " in shown(app)
        assert [None, HINT_LEVEL, None] == [subject.level for subject in subjects]
        before = len(stops)
        await pilot.press("t")
        assert (3, before + 1) == (len(subjects), len(stops)), "it thinks no longer"

    drive(BoardApp(LocalHost(local, None), Equipment(seeds=lambda _: 7)), play)


def thinking_process(app: BoardApp) -> "subprocess.Popen[bytes]":
    assert app.thinker is not None
    assert app.thinker._process is not None
    return app.thinker._process.process


def kill_thinker(app: BoardApp) -> None:
    thinking_process(app).kill()
    thinking_process(app).wait()


@pytest.mark.slow
def test_a_thinking_process_that_dies_is_told_or_replaced() -> None:
    local = new_game(parse_game("star(size=6)"), LEVELS[0], computer_begins=False)
    told: list[object] = []

    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        await pilot.press("h")
        await until(pilot, lambda: session_of(app).advice)
        kill_thinker(app)  # while it has nothing to do
        await pilot.press("left", "h")
        await until(pilot, lambda: session_of(app).note.startswith("Best: "))
        thinking_process(app).send_signal(signal.SIGSTOP)  # else it may know an opening at once
        app.think(told.append, local.position, LEVELS[-1])
        kill_thinker(app)
        await until(pilot, lambda: session_of(app).note == CUT_OFF)
        assert (CUT_OFF, []) == (session_of(app).note, told)

    drive(BoardApp(LocalHost(local, None), Equipment(seeds=lambda _: 7)), play)


@pytest.mark.usefixtures("thinking")
def test_what_the_computer_cannot_think_about_is_told() -> None:
    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        app.think(lambda _: None, moves=("C2", "C2"))
        await until(pilot, lambda: session_of(app).note)
        assert "There is already a stone on C2." in shown(app)

    drive(BoardApp(LocalHost(two("star(size=3)"), None), Equipment()), play)


@pytest.mark.usefixtures("thinking")
def test_a_hint_for_a_move_that_is_tried_comes_and_stays() -> None:
    local = new_game(parse_game("star(size=3)"), LEVELS[0], computer_begins=False)

    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        await pilot.press("v", "c", "2", "enter", "h")
        await until(pilot, lambda: session_of(app).advice)
        assert session_of(app).advice
        await pilot.press("up")
        assert session_of(app).advice
        await pilot.press("enter")
        assert () == session_of(app).advice

    drive(BoardApp(LocalHost(local, None), Equipment(seeds=lambda _: 7)), play)


def test_resizing_while_a_move_is_typed_loses_nothing() -> None:
    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        await pilot.press("c", "2", "enter", ":", "d", "1")
        for size in ((40, 12), (30, 9), (200, 50)):
            await pilot.resize_terminal(*size)
            await until(pilot, lambda: ("d1" in shown(app)) is (app.size[0] >= 40))
            assert ("d1" in shown(app)) is (size[0] >= 40)
        await pilot.press("enter")
        assert ["C2", "D1"] == [*session_of(app).now.record.texts]

    drive(BoardApp(LocalHost(two("star(size=3)"), None), Equipment()), play)


class BrokenHost(Host):
    """A board of the server whose database comes and goes."""

    is_slow = True

    def __init__(self) -> None:
        self.is_down = False
        self.sent: list[str] = []

    def view(self) -> View:
        return replace(view_of("star(size=3)", "C2"), number=101)

    def perform(self, intent: Intent) -> str:
        self._answer()
        self.sent.append(intent.text)
        return "Sent."

    def look(self) -> View | None:
        self._answer()
        return None

    def record(self) -> Record[str]:
        raise NotImplementedError

    def _answer(self) -> None:
        if self.is_down:
            raise Fault("The database does not answer.", code="database-down")


def test_a_lost_database_is_waited_for_without_losing_what_was_typed() -> None:
    host = BrokenHost()

    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        host.is_down = True
        await pilot.press("b", "2", "enter", "enter")
        await until(pilot, lambda: "Try again?" in shown(app))
        assert "The database does not answer." in shown(app)
        await pilot.press("escape", "/", "h", "i")
        await app._look()
        assert "hi" in shown(app)
        assert "The database does not answer. Trying again." == session_of(app).note
        host.is_down = False
        await app._look()
        assert "The database is available again." in session_of(app).note
        await app._look()
        await pilot.press("escape", "b", "2", "enter", "enter")
        await until(pilot, lambda: host.sent)
        assert ["B2"] == host.sent

    drive(BoardApp(host, Equipment()), play)


def test_a_new_game_does_not_lose_the_unfinished_one_unasked(tmp_path: Path) -> None:
    def left(spec: str, cell: str) -> LocalHost:
        """Leave a game of this kind unfinished, and return another one that is to begin."""
        local, file = two(spec), file_for(tmp_path, parse_game(spec))
        save_unfinished(local.play(local.game.parse_move(cell)), file)
        return LocalHost(local, file)

    async def go_on(pilot: Pilot[int], app: BoardApp) -> None:
        assert "Go on with Star (size 3), move 1" in shown(app)
        await pilot.press("enter")
        assert ["C2"] == [*session_of(app).now.record.texts]

    async def give_up(pilot: Pilot[int], app: BoardApp) -> None:
        await pilot.press("down", "enter")
        assert () == session_of(app).now.record.moves

    async def another(pilot: Pilot[int], app: BoardApp) -> None:
        await pilot.pause()
        assert "Hex" == session_of(app).now.title

    async def from_the_menu(pilot: Pilot[int], app: BoardApp) -> None:
        assert "All unfinished games (2)" in shown(app)
        await pilot.press("down", "enter")
        assert "Hex (size 3), move 1" in shown(app)
        await pilot.press("down", "down", "enter")
        assert "Lessons    0 of 10" in shown(app)

    for play in (go_on, give_up):
        drive(BoardApp(left("star(size=3)", "C2"), Equipment(kept_in=tmp_path)), play)
    hex_game = LocalHost(two("hex(size=3)"), file_for(tmp_path, parse_game("hex(size=3)")))
    drive(BoardApp(hex_game, Equipment(kept_in=tmp_path)), another)
    left("hex(size=3)", "A1")
    drive(BoardApp(None, Equipment(kept_in=tmp_path)), from_the_menu)


def test_a_file_that_cannot_be_read_is_told_and_not_overwritten(tmp_path: Path) -> None:
    file = file_for(tmp_path, parse_game("star(size=3)"))
    file.write_text("something else")

    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        assert "cannot be read" in shown(app)
        await pilot.press("c", "2", "enter")
        assert ["C2"] == [*session_of(app).now.record.texts]

    drive(BoardApp(LocalHost(two("star(size=3)"), file), Equipment(kept_in=tmp_path)), play)
    assert "something else" == file.read_text()


def test_a_file_that_cannot_be_read_is_told_at_the_start_screen(tmp_path: Path) -> None:
    (tmp_path / "star-size3.game").write_text("something else")

    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        assert "cannot be read" in shown(app)
        await pilot.press("down")
        assert "cannot be read" not in shown(app)

    drive(BoardApp(None, Equipment(kept_in=tmp_path)), play, size=(200, 50))


def test_a_part_of_the_screen_is_drawn_as_it_stands_in_the_whole() -> None:
    async def play(_pilot: Pilot[int], app: BoardApp) -> None:
        whole = shown(app).splitlines()
        part = app.query_one(Canvas).render_lines(Region(10, 0, 25, len(whole)))
        texts = ["".join(segment.text for segment in line) for line in part]
        assert [line.ljust(80)[10:35] for line in whole] == texts

    drive(BoardApp(LocalHost(two("star(size=3)"), None), Equipment()), play)


def test_lessons_and_puzzles_are_chosen_done_and_remembered(tmp_path: Path) -> None:
    lessons, puzzles = tmp_path / "lessons.solved", tmp_path / "puzzles.solved"

    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        await pilot.press("down", "down", "enter")
        assert "Ten small lessons" in shown(app)
        await pilot.press("down", "enter", "h")
        assert "Lesson 2 of 10: Joining" in shown(app)
        assert "Best: B3." in shown(app)
        await pilot.press("enter")
        assert "Right!" in shown(app)
        await pilot.press("enter")
        assert "Lesson 3 of 10" in shown(app)
        await pilot.press("q")
        assert "Lessons    1 of 10" in shown(app)
        await pilot.press(*["down"] * 3, "enter")
        assert "116 puzzles: one move wins" in shown(app)
        await pilot.press("enter", "h", "enter")
        assert "Puzzle 1 of 116" in shown(app)
        assert "Right!" in shown(app)
        assert ("[2]", "[1]") == (lessons.read_text(), puzzles.read_text())

    drive(BoardApp(None, Equipment(lessons=lessons, puzzles=puzzles)), play)


def test_an_example_of_a_strategy_page_is_chosen_and_its_list_comes_back() -> None:
    topic = example_topics()[-1]
    number, example = next((n, e) for n, e in enumerate(examples_of(topic)) if e.record.ply > 1)

    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        await pilot.press(*["down"] * 4, "enter", *["down"] * (len(example_topics()) - 1), "enter")
        assert page_title(topic) in shown(app)
        await pilot.press(*["down"] * number)
        assert isinstance(app.scene, Menu)
        assert app._pictured(app.scene).position == example.record.position
        await pilot.press("enter")
        is_game = len(example.remarks) > 1
        assert session_of(app).count == (0 if is_game else example.record.ply)
        assert example.view.title in shown(app)
        await pilot.press("]" if is_game else "[", "q")
        assert page_title(topic) in shown(app)
        assert isinstance(app.scene, Menu)
        assert app.scene.at == number
        await pilot.press("q")
        assert [row.text for row in strategy_menu("ascii").rows] == [
            row.text for row in app.scene.rows
        ]
        await pilot.press("enter", "q", "q")
        assert app.scene.is_start

    drive(BoardApp(None, Equipment()), play, (120, 50))


def test_the_picture_in_readme_shows_what_the_board_shows() -> None:
    _, frame = asyncio.run(drawn())
    text = unescape(re.sub(r"<[^>]*>", "", PICTURE.read_text(encoding="utf-8")))
    seen = "".join(text.split())

    assert [] == [line for line in text_of(frame).splitlines() if "".join(line.split()) not in seen]
    assert "help/play.svg" in (PICTURE.parents[1] / "README.md").read_text(encoding="utf-8")


def test_after_the_last_lesson_a_first_game_is_offered(tmp_path: Path) -> None:
    kept = tmp_path / "unfinished"

    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        await pilot.press("down", "down", "enter", "up", "up", "enter")
        assert "Lesson 10 of 10" in shown(app)
        await pilot.press("p", "enter")
        assert "Press Enter for a first game against the computer." in shown(app)
        await pilot.press("enter")
        assert "A new game against the computer" in shown(app)
        assert "1 newcomer" in shown(app)
        await pilot.press("enter")
        assert ("Star", ()) == (session_of(app).now.title, session_of(app).now.record.moves)

    drive(BoardApp(None, Equipment(kept_in=kept)), play)


@pytest.mark.parametrize(("row", "number"), [(2, 1), (2, 7), (3, 1), (3, 2)])
def test_a_list_of_tasks_shows_the_position_of_the_one_that_is_chosen(
    row: int, number: int
) -> None:
    word = ("Lesson", "Puzzle")[row - 2]
    record = TASKS[word]().task(number).record

    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        await pilot.press(*["down"] * row, "enter", *["down"] * (number - 1))
        assert isinstance(app.scene, Menu)
        pictured = app._pictured(app.scene)
        assert (record.game, record.position) == (pictured.game, pictured.position)
        looks = [
            draw_board(record.game, record.position, BoardStyle("ascii", scale)) for scale in (1, 2)
        ]
        rows = ("".join(span.text for span in look.rows[2]).strip() for look in looks)
        assert any(row in shown(app) for row in rows)

    drive(BoardApp(None, Equipment()), play, (120, 50))


@pytest.mark.parametrize(
    ("spec", "moves", "text", "key"),
    [
        ("star(size=3)", "C2", "swap", "w"),
        ("hex(size=4)", "B2", "swap", "w"),
        ("star(size=3)", "C2 B2", "pass", "p"),
        ("starweb(size=4)", "C3 D4", "pass", "p"),
    ],
)
def test_a_hint_of_swap_or_pass_says_its_key_and_enter_plays_nothing(
    spec: str, moves: str, text: str, key: str
) -> None:
    local = two(spec)
    for each in moves.split():
        local = local.play(local.game.parse_move(each))

    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        app.show_hint(local.position, Choice(local.game.parse_move(text)))
        assert f"Press {key} to do it." in session_of(app).note
        assert f"Press {key} to do it." in session_of(app).advice[0]
        await pilot.press("enter", "enter")
        assert local.record.texts == session_of(app).now.record.texts
        assert None is session_of(app).question
        await pilot.press(key, "enter")
        assert (*local.record.texts, text) == session_of(app).now.record.texts

    drive(BoardApp(LocalHost(local, None), Equipment()), play)


def test_leaving_asks_about_a_game_that_cannot_be_kept_or_has_ended(tmp_path: Path) -> None:
    begun = two("star(size=3)").play(two("star(size=3)").game.parse_move("C2"))
    fresh, ended = two("star(size=3)"), begun.play(PASS).resign()
    file = tmp_path / "star.game"

    assert ["", ""] == [LocalHost(local, file).view().losing for local in (begun, fresh)]
    assert "" == LocalHost(fresh, None).view().losing
    assert "Leave, and lose this game?" == LocalHost(begun, None).view().losing
    assert "Only x saves a finished game" in LocalHost(ended, file).view().losing
