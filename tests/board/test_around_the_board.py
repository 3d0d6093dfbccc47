"""What is done around the board: the start screen's ways, the mouse, files, and what is told."""

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot

from pbmserv.board.app import BoardApp, Equipment
from pbmserv.board.frame import Line, Size, Tone
from pbmserv.board.hosts import Host, LocalHost, RecordHost, write_picture
from pbmserv.board.lessons import lessons
from pbmserv.board.menu import (
    Menu,
    apply_choices,
    boards_menu,
    games_menu,
    menu_screen,
    press_menu,
    setup_menu,
    start_menu,
    tasks_menu,
    unfinished_menu,
    value_in,
)
from pbmserv.board.panel import ending_lines
from pbmserv.board.play_session import Intent, Session
from pbmserv.board.saved_games import RESULTS, file_for, save_run, save_unfinished
from pbmserv.board.screen import screen
from pbmserv.board.server_host import MyBoard, ServerBoard, ServerConnection, ServerHost
from pbmserv.board.thinker import thoughts_of
from pbmserv.club.clock import Deadline
from pbmserv.club.match import MatchSummary, Offer, OfferKind
from pbmserv.club.player import Seat
from pbmserv.club.wording import span_words
from pbmserv.commands.answer import Answer
from pbmserv.computer.level_list import LEVELS
from pbmserv.computer.levels import Choice
from pbmserv.computer.review import analyse_positions
from pbmserv.computer.search import Search
from pbmserv.computer.task import Effort
from pbmserv.desk.local_game import READER, new_game
from pbmserv.engine.formats import read_games
from pbmserv.engine.moments import DAY
from pbmserv.engine.position import Side
from pbmserv.engine.record import Record, Status, played
from pbmserv.engine.record_text import parse_record
from pbmserv.engine.spec import parse_game
from pbmserv.errors import EXIT_INTERRUPTED, Fault, PbmservError, Refused
from pbmserv.render.view import View

from .playing import SMALL, session, text_of, typed, view_of
from .test_app import drive, no_sleep, session_of, shown, two, until
from .thinking_thread import ThreadProcess

__all__ = ["no_sleep"]

SIZE_3 = "star(size=3)"
MINE = MyBoard("Star 101", "bob", 0.3, "", "your turn", True, False, Intent("open", "star 101"))


def menu_of(app: BoardApp) -> Menu:
    assert isinstance(app.scene, Menu)
    return app.scene


async def choose_row(pilot: Pilot[int], app: BoardApp, text: str) -> None:
    """Move to the row that begins so."""
    for _ in menu_of(app).rows:
        if menu_of(app).row.text.startswith(text):
            return
        await pilot.press("down")
    raise AssertionError(f"There is no row {text}: {[row.text for row in menu_of(app).rows]}")


async def set_row(pilot: Pilot[int], app: BoardApp, text: str, value: Any) -> None:
    """Change the row until it has this value."""
    await choose_row(pilot, app, text)
    for _ in menu_of(app).row.values:
        if menu_of(app).row.value == value:
            return
        await pilot.press("right")
    raise AssertionError(f"{text} is never {value}")


def ended(play: Callable[..., Any], app: BoardApp) -> int | None:
    """Return the exit code of the program that was left."""
    drive(app, play)
    return app.return_code


def test_q_leads_back_to_the_start_screen_and_from_there_out() -> None:
    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        assert menu_of(app).is_start
        await choose_row(pilot, app, "Two players at one keyboard")
        await pilot.press("enter")
        assert "A new game for two" in shown(app)
        await pilot.press("q")
        assert menu_of(app).is_start
        await choose_row(pilot, app, "Two players at one keyboard")
        await pilot.press("enter", "enter")
        assert () == session_of(app).now.record.moves
        await pilot.press("q")
        assert menu_of(app).is_start
        assert app.is_running
        await pilot.press("q")

    assert 0 == ended(play, BoardApp(None, Equipment()))


def test_where_a_game_was_named_q_leaves_the_program() -> None:
    async def play(pilot: Pilot[int], _app: BoardApp) -> None:
        await pilot.press("q")

    assert 0 == ended(play, BoardApp(LocalHost(two(SIZE_3), None), Equipment()))


@pytest.mark.parametrize("key", ["ctrl+c", "ctrl+q"])
@pytest.mark.parametrize("before", [[], [":", "c"], ["?"], ["p"]])
def test_control_c_leaves_at_once_and_says_so(before: list[str], key: str) -> None:
    async def play(pilot: Pilot[int], _app: BoardApp) -> None:
        await pilot.press("c", "2", *before, key)

    app = BoardApp(LocalHost(two(SIZE_3), None), Equipment())

    assert EXIT_INTERRUPTED == ended(play, app)


def test_the_process_that_thinks_ends_with_the_program(threads: list[ThreadProcess]) -> None:
    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        await pilot.press("h")
        await until(pilot, lambda: session_of(app).advice)
        assert [False] == [each.is_killed for each in threads]

    drive(BoardApp(LocalHost(two(SIZE_3), None), Equipment(seeds=lambda _: 7)), play)

    assert [True] == [each.is_killed for each in threads]


def test_keys_of_the_library_have_no_meaning_here_and_the_terminals_cursor_is_at_the_cell() -> None:
    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        for key in ("ctrl+p", "ctrl+x", "f1", "shift+tab"):
            await pilot.press("right", key)
            assert "That key does nothing here. Press ? for all keys." in shown(app)
        await pilot.press("tab")
        assert "This works only on server boards." in shown(app)
        for key in ("left", "d", "1"):
            await pilot.press(key)
            column, line = app.cursor_position
            assert "<" == shown(app).splitlines()[line][column - 1]
            assert (column, line) == app.frame.cursor

    drive(BoardApp(LocalHost(two(SIZE_3), None), Equipment()), play)


@pytest.mark.parametrize(("run", "chosen"), [(1, 3), (2, 4), (-2, 2), (-1, 3)])
def test_the_level_to_play_next_is_chosen_already(run: int, chosen: int, tmp_path: Path) -> None:
    save_run(tmp_path / RESULTS, LEVELS[2], run)

    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        await choose_row(pilot, app, "Play against the computer")
        await pilot.press("enter")
        assert LEVELS[chosen - 1] == value_in(menu_of(app), "Level")
        kinds = {kind.name: kind for kind in menu_of(app).rows[0].values}
        await set_row(pilot, app, "Game", kinds["hex"])
        assert LEVELS[chosen - 1] == value_in(menu_of(app), "Level")

    drive(BoardApp(None, Equipment(kept_in=tmp_path)), play)


def test_what_is_chosen_is_played() -> None:
    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        await choose_row(pilot, app, "Two players at one keyboard")
        await pilot.press("enter")
        kinds = {kind.name: kind for kind in menu_of(app).rows[0].values}
        await set_row(pilot, app, "Game", kinds["hex"])
        await set_row(pilot, app, "Size", 5)
        assert parse_game("hex(size=5)") == menu_of(app).game
        await choose_row(pilot, app, "Start")
        await pilot.press("enter")
        assert parse_game("hex(size=5)") == session_of(app).game
        assert {Side.X, Side.O} == session_of(app).now.mine

    drive(BoardApp(None, Equipment()), play)


@pytest.mark.parametrize(
    ("side", "bit", "begins"),
    [(Side.X, 1, False), (Side.O, 0, True), ("random", 0, False), ("random", 1, True)],
)
def test_the_computer_begins_where_one_plays_o(
    side: object,
    bit: int,
    begins: bool,  # noqa: FBT001
    threads: list[ThreadProcess],
) -> None:
    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        await choose_row(pilot, app, "Play against the computer")
        await pilot.press("enter")
        await set_row(pilot, app, "Level", LEVELS[1])
        await set_row(pilot, app, "Your side", side)
        assert LEVELS[1] == value_in(menu_of(app), "Level")
        await choose_row(pilot, app, "Start")
        await pilot.press("enter")
        if begins:
            await until(pilot, lambda: session_of(app).now.record.moves)
        found = session_of(app).now
        assert begins is bool(found.record.moves)
        assert found.mine == {Side.O if begins else Side.X}
        assert begins is bool(threads)

    drive(BoardApp(None, Equipment(seeds=lambda bits: bit if bits == 1 else 7)), play)


def test_the_curve_is_what_is_thought_of_each_moment(threads: list[ThreadProcess]) -> None:
    moves = "C1 C2 D1 B2"

    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        for move in moves.split():
            await pilot.press(*move.lower(), "enter")
        app.perform(Intent("curve"))
        await until(pilot, lambda: len(session_of(app).curve) == 5)
        assert session_of(app).curve == tuple(
            look.chance for look in analyse_positions(session_of(app).now.record, 4)
        )
        assert 1 == len(threads)
        app.scene = replace(session_of(app), now=replace(session_of(app).now))
        app.perform(Intent("curve"))  # it is known now
        assert 5 == len(session_of(app).curve)
        assert session_of(app).turns

    drive(BoardApp(LocalHost(two(SIZE_3), None), Equipment(seeds=lambda _: 3)), play)


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("size", [(80, 24), (40, 12), (100, 30)])
def test_a_game_ends_on_a_page_with_its_result_first(
    size: tuple[int, int], threads: list[ThreadProcess]
) -> None:
    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        for move in ["B1", "A1", "B2", "A2", "B3"]:
            assert "" == session_of(app).page
            await pilot.press(*move.lower(), "enter")
        await until(pilot, lambda: session_of(app).turns)
        assert ("g", 6) == (session_of(app).page, len(session_of(app).curve))
        assert "X wins by connection." in shown(app)
        page = [*map(text_of_line, ending_lines(session_of(app), 40))]
        assert "X wins by connection." == page[0]
        assert any("Winning chance of X" in line for line in page)
        assert "Accuracy: X " in " ".join(page)
        await pilot.press("enter")
        assert "" == session_of(app).page
        await pilot.press("g", "[")
        assert ("", 4) == (session_of(app).page, session_of(app).ply)

    drive(BoardApp(LocalHost(two("hex(size=3)"), None), Equipment()), play, size)
    assert 1 == len(threads)


def test_what_is_thought_of_a_game_is_forgotten_when_it_goes_another_way(
    threads: list[ThreadProcess],
) -> None:
    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        for move in ["B1", "A1", "B2", "A2", "B3"]:
            await pilot.press(*move.lower(), "enter")
        await until(pilot, lambda: session_of(app).turns)
        await pilot.press("u", "enter")
        assert ("", (), ()) == (
            session_of(app).page,
            session_of(app).curve,
            session_of(app).turns,
        )

    drive(BoardApp(LocalHost(two("hex(size=3)"), None), Equipment()), play)
    assert threads


def text_of_line(line: Line) -> str:
    return "".join(span.text for span in line)


def test_what_somebody_has_found_is_not_thought_about_again(threads: list[ThreadProcess]) -> None:
    chances = (0.1, 0.2, 0.3)

    class Reviewed(RecordHost):
        @property
        def review(self) -> dict[str, Any]:
            return {"settled_at": 2, "looks": [[chance, "B2", 0.5, ["B2"]] for chance in chances]}

    async def play(_pilot: Pilot[int], app: BoardApp) -> None:
        app.perform(Intent("curve"))
        assert chances == session_of(app).curve
        assert session_of(app).turns

    record = played(parse_game(SIZE_3), ["C2", "D1"], "alice", "bob")
    drive(BoardApp(Reviewed(record), Equipment()), play)
    assert [] == threads


def test_whoever_leaves_a_game_is_thought_for_no_longer(threads: list[ThreadProcess]) -> None:
    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        await choose_row(pilot, app, "Play against the computer")
        ThreadProcess.may_begin.clear()
        await pilot.press("enter", "enter", "t")
        assert [False] == [each.is_killed for each in threads]
        await pilot.press("q")
        assert menu_of(app).is_start
        assert [True] == [each.is_killed for each in threads]

    drive(BoardApp(None, Equipment(seeds=lambda _: 7)), play)


@pytest.mark.usefixtures("threads")
def test_an_analysis_is_shown_from_the_view_of_x() -> None:
    local = new_game(parse_game("hex(size=3)"), LEVELS[0], computer_begins=False)
    for text in ("B2", "A1"):
        local = local.play(local.game.parse_move(text))

    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        await pilot.press("t")
        await until(pilot, lambda: session_of(app).thoughts is not None)
        thoughts = session_of(app).thoughts
        assert thoughts is not None
        assert thoughts[0] > 0.5
        assert "Best: " in shown(app)
        assert re.search(r"Line: [A-C][1-3]( [A-C][1-3])*\n", shown(app))
        await pilot.press("b", "3", "enter")
        await until(pilot, lambda: session_of(app).thoughts not in {None, thoughts})
        after = session_of(app).thoughts
        assert after is not None
        assert after[0] > 0.5

    drive(BoardApp(LocalHost(local, None), Equipment(seeds=lambda _: 7)), play)


@pytest.mark.parametrize("moves", ["B1 A1 B2", "B1 A1 B2 C1"])
def test_whoever_is_to_move_the_chance_is_that_of_x(moves: str) -> None:
    game = parse_game("hex(size=3)")
    analysis = Search(game, game.replay(moves.split()), Effort(100)).analysis()

    assert thoughts_of(analysis).chance > 0.8


def test_what_the_computer_thinks_is_certain_only_where_it_is_proven() -> None:
    game = parse_game("hex(size=5)")
    for moves, simulations in ((["C3", "A1", "C2", "A2", "C4"], 1), (["C3"], 2), (["C3", "A1"], 3)):
        for seed in range(20):
            analysis = Search(game, game.replay(moves), Effort(simulations, seed)).analysis()
            first, best, *_ = thoughts_of(analysis).lines
            is_certain = bool(re.search(r"\b(0|100) %", first))

            assert is_certain is (analysis.winner is not None)
            assert is_certain is bool(re.search(r"\b(0|100) %", best))


def test_the_record_and_the_picture_are_written_beside_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        await pilot.press("c", "2", "enter")
        for verb in ("save", "save", "picture"):
            app.perform(Intent(verb))
            assert session_of(app).note.startswith(f"Written: {tmp_path}")

    drive(BoardApp(LocalHost(two(SIZE_3), None), Equipment()), play)
    names = sorted(path.name for path in tmp_path.iterdir())

    assert ["star-2.game", "star.game", "star.svg"] == names
    for name in names[:2]:
        record = parse_record((tmp_path / name).read_text(encoding="utf-8"))
        assert ("C2",) == record.texts
    assert "<svg" in (tmp_path / "star.svg").read_text(encoding="utf-8")


def test_a_picture_of_the_end_shows_who_owns_what_and_another_what_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    moves = "T10 *30 R41 T20 T30 R32 R42 *20 R40 R21 A20 *42 S40 A32"
    running, ended = (session("starstar(size=4)", moves + more) for more in ("", " pass pass"))
    assert ended.now.record.outcome is not None

    def drawn(seen: Session) -> str:
        return Path(write_picture(seen).removeprefix("Written: ")).read_text(encoding="utf-8")

    assert drawn(ended) == drawn(typed(ended, "o", "d", "k", "e")) != drawn(typed(ended, "d"))
    assert drawn(running) != drawn(typed(running, "o"))
    assert drawn(running) == drawn(typed(running, "o", "o"))


def test_no_file_is_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("star", *(f"star-{number}" for number in range(2, 100))):
        (tmp_path / f"{name}.game").write_text("mine")

    async def play(_pilot: Pilot[int], app: BoardApp) -> None:
        app.perform(Intent("save"))
        assert "too many files" in session_of(app).note

    drive(BoardApp(LocalHost(two(SIZE_3), None), Equipment()), play)
    assert {"mine"} == {file.read_text() for file in tmp_path.iterdir()}


def test_what_is_pasted_is_typed_into_the_line_and_nowhere_else() -> None:
    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        app.post_message(events.Paste("qq"))
        await pilot.pause()
        assert app.is_running
        assert () == session_of(app).now.record.moves
        await pilot.press(":")
        app.post_message(events.Paste("c2\n"))
        await pilot.pause()
        assert session_of(app).prompt is not None
        await pilot.press("enter")
        assert ["C2"] == [*session_of(app).now.record.texts]

    drive(BoardApp(LocalHost(two(SIZE_3), None), Equipment()), play)


LINK = "https://hexworld.org/board/#4c1,b2a3"


@pytest.mark.parametrize(
    ("spec", "moves", "text"),
    [
        ("hex(size=4)", ("B2", "A3"), LINK),
        ("y(size=5)", ("C4", "D5"), "https://hexanna1.github.io/hex-study/y.html#5c1,c2b1"),
        (SIZE_3, ("C2", "D1"), "pbmserv record 2\ngame: star(size=3)"),
    ],
)
def test_a_link_is_copied_or_a_record_where_there_is_none(
    spec: str, moves: tuple[str, ...], text: str
) -> None:
    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        await pilot.press("y")
        assert app.clipboard.startswith(text)
        assert session_of(app).note.startswith("Copied: ")

    drive(BoardApp(RecordHost(played(parse_game(spec), moves, "alice", "bob")), Equipment()), play)


def test_a_pasted_game_is_stepped_through_after_a_question() -> None:
    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        app.post_message(events.Paste("(;GM[1]SZ[19];B[aa])"))
        await pilot.pause()
        assert session_of(app).question is None
        assert session_of(app).note
        for key in ("escape", "enter"):
            app.post_message(events.Paste(f"{LINK}\n"))
            await pilot.pause()
            assert session_of(app).question is not None
            await pilot.press(key)
            found = session_of(app).now.record
            assert ((), ("B2", "A3"))[key == "enter"] == found.texts
        assert isinstance(app.host, RecordHost)

    drive(BoardApp(LocalHost(two(SIZE_3), None), Equipment()), play)


def test_a_game_is_pasted_into_the_start_screen() -> None:
    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        app.post_message(events.Paste(LINK))
        await pilot.pause()
        assert ("B2", "A3") == session_of(app).now.record.texts
        await pilot.press("q")
        assert isinstance(app.scene, Menu)

    drive(BoardApp(None, Equipment()), play)


def test_a_record_that_begins_with_stones_is_shown_with_its_notes() -> None:
    found = read_games("(;FF[4]GM[11]SZ[4]AB[b2]AW[c2]PL[B];B[a4](;W[a1])(;W[d1]))")[0]

    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        await pilot.press("g")
        assert "began with stones" in session_of(app).note
        await pilot.press("escape", "y")
        assert "began with stones" in session_of(app).note
        await pilot.press("[")
        assert 1 == session_of(app).count

    assert found.notes
    drive(BoardApp(RecordHost(*found), Equipment()), play)


def test_nothing_about_a_record_is_obeyed_by_the_terminal() -> None:
    async def play(_pilot: Pilot[int], app: BoardApp) -> None:
        seen = shown(app)
        assert "al\N{REPLACEMENT CHARACTER}]52;c;eA==" in seen
        assert "\x1b" not in seen
        assert "\u202e" not in seen

    record = played(parse_game("hex(size=4)"), (), "alice", "bob")
    drive(BoardApp(RecordHost(record, ("al\x1b]52;c;eA== \u202e",)), Equipment()), play)


def test_the_mouse_tells_of_a_cell_and_turns_pages_and_moves() -> None:
    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        for name in ("c2", "d1", "b2"):
            await pilot.press(*name, "enter")
        session = session_of(app)
        cell = session.game.board.index["D2"]
        at = screen(replace(session, cursor=cell), Size(*app.size)).cursor
        await pilot.hover(offset=at)
        assert cell == session_of(app).hovered
        assert "D2: if O plays here" in shown(app)
        await pilot.hover(offset=(0, app.size.height - 1))
        assert session_of(app).hovered is None
        app.on_mouse_scroll_up()
        app.on_mouse_scroll_up()
        assert 1 == session_of(app).ply
        app.on_mouse_scroll_down()
        assert 2 == session_of(app).ply
        await pilot.resize_terminal(60, 12)
        await pilot.press("?")
        app.on_mouse_scroll_down()
        assert 0 < session_of(app).scroll
        app.on_mouse_scroll_up()
        assert 0 == session_of(app).scroll
        assert 2 == session_of(app).ply

    drive(BoardApp(LocalHost(two(SIZE_3), None), Equipment()), play)


def test_a_record_is_looked_through_and_says_that_nothing_is_played_in_it() -> None:
    record = played(parse_game(SIZE_3), ["C2", "D1"], "alice", "bob")

    async def play(_pilot: Pilot[int], app: BoardApp) -> None:
        app.perform(Intent("move", "B2"))
        assert "This is a game record; it cannot be changed." in session_of(app).note
        assert ["C2", "D1"] == [*session_of(app).now.record.texts]

    drive(BoardApp(RecordHost(record), Equipment()), play)
    assert record == RecordHost(record).record()


class Elsewhere(Host):
    """A board of the server at which somebody else moves, and which refuses wishes."""

    is_slow = True

    def __init__(self) -> None:
        self.moves = "C2"
        self.is_changed = False
        self.looks = 0

    def view(self) -> View:
        found = view_of(SIZE_3, self.moves)
        record = found.record.with_players(Seat(READER, "alice"), Seat(0, "bob"))
        return replace(found, record=record, number=101)

    def perform(self, intent: Intent) -> str:
        raise Refused(f"Nobody may {intent.verb} now.", code="no")

    def look(self) -> View | None:
        self.looks += 1
        if not self.is_changed:
            return None
        self.is_changed = False
        return self.view()

    def record(self) -> Record[str]:
        raise Refused("Nothing to write.", code="no-record")


def test_what_others_do_is_seen_and_rings_when_it_is_ones_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    host, rung = Elsewhere(), []
    monkeypatch.setattr(BoardApp, "bell", lambda _: rung.append(1))

    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        await app._look()
        assert 1 == len(session_of(app).now.record.moves)
        assert [] == rung
        host.moves, host.is_changed = "C2 B2", True
        await app._look()
        assert ["C2", "B2"] == [*session_of(app).now.record.texts]
        assert [] == rung
        app.scene = replace(session_of(app), rings=True)
        host.moves, host.is_changed = "C2 B2 D1 D2", True
        await app._look()
        assert [1] == rung
        host.moves, host.is_changed = "C2 B2 D1 D2 C1", True
        await app._look()
        assert [1] == rung
        await pilot.pause()

    drive(BoardApp(host, Equipment()), play)


def test_the_board_is_looked_at_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    host = Elsewhere()
    monkeypatch.setattr("pbmserv.board.app.LOOK_PAUSE", 0.01)

    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        host.moves, host.is_changed = "C2 B2", True
        await until(pilot, lambda: len(session_of(app).now.record.moves) == 2)
        assert "after move 2" in shown(app)

    drive(BoardApp(host, Equipment()), play)


def test_what_the_server_refuses_is_told_and_the_board_read_again() -> None:
    host = Elsewhere()

    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        looks = host.looks
        app.perform(Intent("undo"))
        assert "Waiting for the server" in session_of(app).note
        await until(pilot, lambda: "Nobody may undo now." in session_of(app).note)
        assert "Nobody may undo now." in session_of(app).note
        await until(pilot, lambda: host.looks > looks)
        assert host.looks > looks
        app.perform(Intent("save"))
        assert "Nothing to write." in session_of(app).note

    drive(BoardApp(host, Equipment()), play)


def test_a_board_that_cannot_be_seen_is_asked_for_again_where_the_server_failed_alone() -> None:
    class Silent(Elsewhere):
        error: PbmservError | None = None

        def look(self) -> View | None:
            if self.error is not None:
                raise self.error
            return super().look()

    host = Silent()

    async def note_after(app: BoardApp, error: PbmservError | None) -> str:
        host.error = error
        app.tell("as before")
        await app._look()
        return session_of(app).note

    async def play(_pilot: Pilot[int], app: BoardApp) -> None:
        refused = Refused("You are not signed in.", code="no", hint="Sign in.")
        failed = Fault("The database is away.", code="away")

        assert refused.words == await note_after(app, refused)
        assert "as before" == await note_after(app, None)
        assert "The database is away. Trying again." == await note_after(app, failed)
        assert "The database is available again." == await note_after(app, None)
        assert "as before" == await note_after(app, None)

    drive(BoardApp(host, Equipment()), play)


@pytest.mark.parametrize("intent", [Intent("say", "Hello"), Intent("move", "B2"), Intent("undo")])
def test_what_a_server_that_failed_did_not_do_is_asked_about_and_sent_once_more(
    intent: Intent,
) -> None:
    class Failing(Elsewhere):
        def __init__(self) -> None:
            super().__init__()
            self.errors: list[PbmservError] = [Fault("It is away.", code="away")]
            self.wishes: list[Intent] = []

        def perform(self, intent: Intent) -> str:
            self.wishes.append(intent)
            if self.errors:
                raise self.errors.pop()
            return "Done."

    host = Failing()

    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        app.perform(intent)
        await until(pilot, lambda: session_of(app).question)
        assert "Try again?" == session_of(app).status
        await pilot.press("enter")
        await until(pilot, lambda: "Done." in session_of(app).note)
        assert [intent, intent] == host.wishes
        assert session_of(app).question is None

    drive(BoardApp(host, Equipment()), play)


class SmallServer(ServerConnection):
    """A door behind which alice has boards; ``sent`` are the commands that came."""

    def __init__(self) -> None:
        self.sent: list[Sequence[str]] = []
        self.now = int(time.time()) + 60

    def row(
        self, number: int, to_move: Side, offered_by: int = 0
    ) -> tuple[MatchSummary, Deadline | None]:
        other = Seat(2, "bob") if number < 104 else Seat(3, "robot1", is_robot=True)
        summary = MatchSummary(
            id=number,
            game="star",
            spec="star(size=3)",
            number=number,
            seats={Side.X: Seat(1, "alice"), Side.O: other},
            status=Status.RUNNING,
            ply=number - 100,
            to_move=to_move,
            winner=None,
            reason=None,
            points=None,
            started_at=self.now,
            changed_at=self.now,
            offer=Offer(OfferKind.DRAW, offered_by) if offered_by else None,
        )
        due = self.now + DAY * (number - 100)
        return summary, None if number == 104 else Deadline(due, is_reminded=False)

    def ask(self, words: Sequence[str]) -> Answer:
        self.sent.append(words)
        if list(words) == ["whoami"]:
            return Answer((), {"userid": "alice"})
        if words[0] == "all":
            rows = (
                self.row(101, Side.O),
                self.row(102, Side.X),
                self.row(103, Side.O, 2),
                self.row(104, Side.O, 1),
            )
            return Answer((), {}, summaries=rows)
        raise Refused(f"No board {words[-1]}.", code="no-such-board")

    def change_stamp(self, _game: str, _number: int) -> tuple[int, int]:
        return 0, 0

    def review(self, _game: str, _number: int) -> None:
        return None


def rows_of(app: BoardApp) -> list[str]:
    """Return the rows of a menu as they are shown, without their bars."""
    rows = [" ".join((row.parts[:2] + row.parts[3:]) or (row.text,)) for row in menu_of(app).rows]
    return [" ".join(row.split()) for row in rows]


LISTED = [
    "Star 102 bob 2 d 0 h your turn",
    "Star 103 bob 3 d 0 h an offer",
    "Star 101 bob 1 d 0 h their turn",
    "Star 104 robot1 (computer) their turn",
]


def test_the_boards_that_wait_for_one_are_listed_first() -> None:
    server = SmallServer()

    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        await until(pilot, lambda: len(menu_of(app).rows) > 6)
        assert LISTED == rows_of(app)[:4]
        assert "YOUR BOARDS: 2 waiting for you" in shown(app)
        assert shown(app).splitlines()[0].endswith(" alice")
        assert "Star 102" in menu_of(app).row.text
        assert "My boards on the server" not in shown(app)
        await pilot.press("enter")
        await until(pilot, lambda: "No board 102." in menu_of(app).note)
        assert "No board 102." in menu_of(app).note
        assert ["star", "showas", "me", "102"] == list(server.sent[-1])

    drive(BoardApp(None, Equipment(server=server)), play)


def test_what_was_chosen_stays_so_when_the_boards_come() -> None:
    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        await choose_row(pilot, app, "Two players at one keyboard")
        await until(pilot, lambda: len(menu_of(app).rows) > 6)
        assert LISTED == rows_of(app)[:4]
        assert "Two players at one keyboard" == menu_of(app).row.text

    drive(BoardApp(None, Equipment(server=SmallServer())), play)


def test_whoever_comes_back_to_the_start_screen_sees_the_boards_as_they_are_then() -> None:
    class Grown(SmallServer):
        count = 1

        def ask(self, words: Sequence[str]) -> Answer:
            if words[0] == "all":
                rows = [self.row(102 + number, Side.X) for number in range(self.count)]
                return Answer((), {}, summaries=tuple(rows))
            return super().ask(words)

    server = Grown()

    def titles(app: BoardApp) -> list[str]:
        is_menu = isinstance(app.scene, Menu)
        return [row.text for row in menu_of(app).rows if row.parts] if is_menu else []

    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        await until(pilot, lambda: titles(app) == ["Star 102"])
        await choose_row(pilot, app, "Two players at one keyboard")
        await pilot.press("enter", "enter")
        assert "Star" == session_of(app).now.title
        server.count = 2
        await pilot.press("q")
        await until(pilot, lambda: titles(app) == ["Star 102", "Star 103"])
        assert ["Star 102", "Star 103"] == titles(app)

    drive(BoardApp(None, Equipment(server=server)), play)


def test_the_board_of_the_chosen_row_stands_beside_the_start_screen(tmp_path: Path) -> None:
    class Seen(SmallServer):
        def view(self, game: str, number: int) -> View:
            if number != 103:
                raise Refused("Not this one.", code="no")
            return view_of(f"{game}(size=3)", "C2 B2")

    local = two("hex(size=3)")
    save_unfinished(local.play(local.game.parse_move("A3")), file_for(tmp_path, local.game))
    app = BoardApp(None, Equipment(server=Seen(), kept_in=tmp_path))

    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        await until(pilot, lambda: len(menu_of(app).rows) > 6)
        await until(pilot, lambda: app.views.get("star 102", app) is None)
        assert "[X]" in shown(app), "a board of no meaning"
        await pilot.press("down")
        await until(pilot, lambda: app.views.get("star 103"))
        await pilot.pause()
        assert re.search(r"\[O\]", shown(app))
        assert "[X]" not in shown(app)
        await pilot.press("down")
        assert "Go on with Hex (size 3), move 1" == menu_of(app).row.text
        assert "3-| [X]  ." in shown(app)

    drive(app, play, (110, 24))


def test_of_many_boards_the_start_screen_has_the_first_and_a_list_has_all() -> None:
    class Busy(SmallServer):
        def ask(self, words: Sequence[str]) -> Answer:
            if words[0] == "all":
                rows = [self.row(number, Side.X) for number in range(111, 131)]
                return Answer((), {}, summaries=tuple(rows))
            return super().ask(words)

    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        await until(pilot, lambda: "My boards on the server (20)" in shown(app))
        assert "YOUR BOARDS: 20 waiting for you" in shown(app)
        await choose_row(pilot, app, "My boards on the server")
        await pilot.press("enter")
        await until(pilot, lambda: menu_of(app).title == "My boards")
        assert 21 == len(menu_of(app).rows)

    drive(BoardApp(None, Equipment(server=Busy())), play)


def test_where_the_boards_cannot_be_asked_for_that_is_told_and_can_be_tried_again() -> None:
    class Away(SmallServer):
        def ask(self, _words: Sequence[str]) -> Answer:
            raise Refused("Nobody is there.", code="away")

    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        await until(pilot, lambda: "Nobody is there." in shown(app))
        assert "My boards on the server" in shown(app)

    drive(BoardApp(None, Equipment(server=Away())), play)


@pytest.mark.parametrize(("left", "is_urgent"), [(DAY, True), (3 * DAY, False)])
def test_a_turn_with_little_time_left_stands_out(left: int, is_urgent: bool) -> None:  # noqa: FBT001
    board = MINE._replace(left=span_words(left), is_urgent=is_urgent)
    frame = menu_screen(start_menu([], "ascii", has_server=True, boards=[MINE, board]), SMALL)
    [line] = [line for line in frame.lines if any(span_words(left) in span.text for span in line)]

    assert is_urgent is any("!" in span.text for span in line)
    assert is_urgent is (Tone.STRONG in {span.tone for span in line})


def test_without_a_server_there_are_no_boards_of_it() -> None:
    async def play(_pilot: Pilot[int], app: BoardApp) -> None:
        assert not any("server" in row.text for row in menu_of(app).rows)

    drive(BoardApp(None, Equipment()), play)


def test_every_menu_is_drawn_in_the_style_that_was_asked_for() -> None:
    menus = [
        start_menu(["a game"] * 2, "unicode", has_server=True),
        setup_menu("computer", "unicode"),
        setup_menu("two", "unicode"),
        games_menu(["a game"], "unicode"),
        tasks_menu(lessons(), {1}, "unicode"),
        boards_menu([MINE], "unicode"),
        unfinished_menu("a game", parse_game(SIZE_3), "unicode"),
    ]
    menus += [apply_choices(press_menu(replace(menu, at=0), "right")) for menu in menus[1:3]]

    assert {"unicode"} == {menu.style for menu in menus}
    for menu in menus:
        assert menu.row in menu.rows
        wide = text_of(menu_screen(menu, Size(200, 60)))
        assert wide != text_of(menu_screen(replace(menu, style="ascii"), Size(200, 60)))
        leave = press_menu(menu, "q")
        assert Intent("leave") == leave.intent == press_menu(menu, "escape").intent
        assert press_menu(menu, "x") == menu


def test_what_was_thought_of_another_position_is_not_shown(threads: list[ThreadProcess]) -> None:
    local = new_game(parse_game(SIZE_3), LEVELS[0], computer_begins=False)

    async def play(pilot: Pilot[int], app: BoardApp) -> None:
        await pilot.press("t")
        await until(pilot, lambda: session_of(app).thoughts)
        shown_now = session_of(app).thoughts
        analysis = Search(local.game, local.position, Effort(30)).analysis()
        app._thought("another", thoughts_of(analysis))
        assert shown_now == session_of(app).thoughts
        app.show_hint(local.game.replay(["C1"]), Choice(analysis.best.move, analysis))
        assert () == session_of(app).advice
        await pilot.press("q")

    drive(BoardApp(LocalHost(local, None), Equipment(seeds=lambda _: 7)), play)
    assert threads


def test_the_next_board_is_the_nearest_after_this_one_and_else_the_first() -> None:
    class Waiting(SmallServer):
        numbers = (108, 103, 101, 105)

        def ask(self, words: Sequence[str]) -> Answer:
            if words[0] == "all":
                rows = [self.row(number, Side.X) for number in self.numbers]
                return Answer((), {}, summaries=tuple(rows))
            return super().ask(words)

    host = ServerHost.__new__(ServerHost)
    host.server = Waiting()
    for here, following in ((101, 103), (103, 105), (104, 105), (105, 108), (108, 101), (200, 101)):
        host.place = ServerBoard("star", here)

        assert ServerBoard("star", following) == host._next()


@pytest.mark.parametrize("width", [40, 44, 60, 100])
def test_however_narrow_the_list_says_which_boards_wait(width: int) -> None:
    theirs = MINE._replace(title="Double *Star 1104", opponent="c" * 12, turn="their turn")
    offer = MINE._replace(title="Star 103", turn="an offer", left="20 d 23 h")
    boards = [MINE._replace(left="1 d 0 h !"), offer, theirs]

    for menu in (
        boards_menu(boards, "ascii"),
        start_menu([], "ascii", has_server=True, boards=boards),
    ):
        lines = text_of(menu_screen(menu, Size(width, 24))).splitlines()
        for board in boards:
            [line] = [line for line in lines if board.title in line]
            assert board.turn in line
