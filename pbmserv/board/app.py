"""The application around the board: keys, mouse, resizing, time, and work in the background."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from secrets import randbits
from threading import Thread
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Offset
from textual.worker import WorkerFailed

from pbmserv.board.actions import hover, press
from pbmserv.board.canvas import BoardCanvas, Canvas
from pbmserv.board.controller import Controller
from pbmserv.board.frame import Size
from pbmserv.board.hosts import LOOK_PAUSE, ExampleHost, Host, LocalHost
from pbmserv.board.lessons import TASKS, LessonHost
from pbmserv.board.menu import (
    Menu,
    boards_menu,
    examples_menu,
    menu_screen,
    press_menu,
    setup_menu,
    start_menu,
    tasks_menu,
    unfinished_menu,
    value_in,
)
from pbmserv.board.panel import ONE_LINE
from pbmserv.board.play_session import Intent, Session, Thoughts
from pbmserv.board.saved_games import (
    RESULTS,
    SavedGame,
    file_for,
    load_all_unfinished,
    load_run,
    load_solved,
)
from pbmserv.board.screen import cell_at, screen
from pbmserv.board.server_host import MyBoard, ServerBoard, ServerConnection, ServerHost, my_boards
from pbmserv.commands.page_examples import examples_of
from pbmserv.commands.record_words import first_game
from pbmserv.computer.level_list import Level, next_level
from pbmserv.desk.local_game import new_game
from pbmserv.engine.position import EMPTY, SWAP, Side
from pbmserv.engine.spec import parse_game
from pbmserv.errors import EXIT_DONE, EXIT_INTERRUPTED, Fault, PbmservError
from pbmserv.render.text import Style

if TYPE_CHECKING:
    from pbmserv.board.controller import Failed
    from pbmserv.board.thinker import Thinker
    from pbmserv.computer.levels import Choice
    from pbmserv.engine.position import Position
    from pbmserv.render.view import View

T = TypeVar("T")

FIRST_GAME = "star(size=5)"
"""The game offered after the last lesson, on a board not much larger."""


class Equipment(NamedTuple):
    """The resources of the app: the server, and the files of unfinished games and solved tasks."""

    style: Style = "ascii"
    colours: str = "full"
    kept_in: Path | None = None
    server: ServerConnection | None = None
    seeds: Callable[[int], int] = randbits
    lessons: Path | None = None
    puzzles: Path | None = None


class BoardApp(App[int], Controller):
    """Holds a scene and passes keys to it; ``failure`` is the error that ended the loop."""

    CSS = "Screen { background: ansi_default; } Canvas { width: 100%; height: 100%; }"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "interrupt", priority=True),
        Binding("ctrl+q", "interrupt", priority=True),
        Binding("ctrl+z", "suspend_process", priority=True),
    ]

    def __init__(self, host: Host | None, equipment: Equipment) -> None:
        """Begin with this game, or with the start screen without one."""
        super().__init__(ansi_color=True)
        self.equipment, self.style = equipment, equipment.style
        self._solved_in = {"Lesson": equipment.lessons, "Puzzle": equipment.puzzles}
        self.failure: BaseException | None = None
        self.thinker: Thinker | None = None
        self.has_menu = host is None
        self.kept: list[SavedGame] = []
        self.mine: tuple[str, list[MyBoard] | None] = ("", None)
        self.views: dict[str, View | None] = {}
        self._studied: object = None
        self._background = BackgroundTasks()
        self.canvas = Canvas(equipment.colours, self.paint)
        if host is None:
            self.scene = self._start()
        else:
            self._begin(host)

    # The loop

    def compose(self) -> ComposeResult:
        """Lay out the one widget that draws everything."""
        yield self.canvas

    def get_default_screen(self) -> BoardCanvas:
        """Return the screen below the canvas."""
        return BoardCanvas()

    def on_mount(self) -> None:
        """Catch the signals that would end the program, and let the computer move."""
        loop = asyncio.get_running_loop()
        if not self.is_headless:
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                loop.add_signal_handler(number, partial(self.leave, 128 + number))
        self.set_interval(LOOK_PAUSE, self._look)
        self.go_on()
        self._find_boards()
        self.paint()

    def on_unmount(self) -> None:
        """End the process that thinks."""
        if self.thinker is not None:
            self.thinker.close()

    def leave(self, code: int = EXIT_DONE) -> None:
        """End the program with this exit code."""
        self.exit(code, return_code=code)

    def action_interrupt(self) -> None:
        """Leave at once; the game is saved."""
        self.leave(EXIT_INTERRUPTED)

    def _handle_exception(self, error: Exception) -> None:
        self.failure = self.failure or (error.error if isinstance(error, WorkerFailed) else error)
        super()._handle_exception(error)

    def _fatal_error(self) -> None:
        # The usual report shows every local variable, passwords too.
        self._close_messages_no_wait()

    # What comes in

    def on_key(self, event: events.Key) -> None:
        """Pass a key to the current scene."""
        # Textual names characters too: "left_square_bracket".
        character = event.character if event.is_printable else None
        self.press(character or event.key)

    def on_paste(self, event: events.Paste) -> None:
        """Insert pasted text into the line being typed, or show the game that it is."""
        scene = self.scene
        if isinstance(scene, Session) and scene.prompt is not None:
            for character in event.text.replace("\n", " "):
                self.press(character)
            return
        pasted = Intent("paste", event.text)
        try:
            first_game(event.text)
            if isinstance(scene, Session):
                question = scene.now.losing or "Step through the pasted game?"
                self.scene = replace(scene, page="").ask(question, pasted)
            else:
                self.paste(pasted)
        except PbmservError as error:
            self.show_error(error)
        self.paint()

    def on_click(self, event: events.Click) -> None:
        """Press the clicked key."""
        column, line = event.screen_x, event.screen_y
        if isinstance(self.scene, Session):
            cell = cell_at(self.scene, self.room, column, line)
            if cell is not None:
                self.press(f"cell {cell}")
                return
        if key := self.frame.key_at(column, line):
            self.press(key)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Show the cell under the mouse."""
        if isinstance(self.scene, Session):
            cell = cell_at(self.scene, self.room, event.screen_x, event.screen_y)
            if cell != self.scene.hovered:
                self.scene = hover(self.scene, cell)
                self.paint()

    def on_mouse_scroll_up(self) -> None:
        """Go back by a move, or up a page."""
        self._wheel("up", "[")

    def on_mouse_scroll_down(self) -> None:
        """Go on by a move, or down a page."""
        self._wheel("down", "]")

    def _wheel(self, in_page: str, at_board: str) -> None:
        has_page = isinstance(self.scene, Session) and self.scene.page
        self.press(in_page if has_page or isinstance(self.scene, Menu) else at_board)

    # What is shown

    @property
    def room(self) -> Size:
        """The size of the terminal."""
        return Size(self.size.width, self.size.height)

    def paint(self) -> None:
        """Draw the scene."""
        if not self.is_running or self.room.width == 0:
            return  # nothing is laid out yet: on_resize paints
        scene = self.scene
        self.frame = (
            screen(scene, self.room)
            if isinstance(scene, Session)
            else menu_screen(self._pictured(scene), self.room)
        )
        if isinstance(scene, Session) and scene.scroll != self.frame.scroll:
            self.scene = replace(scene, scroll=self.frame.scroll)
        self.canvas.show(self.frame)
        self.cursor_position = Offset(*self.frame.cursor)

    def _pictured(self, menu: Menu) -> Menu:
        """Return a menu with the board of the chosen row beside it, as soon as that is known."""
        intent, server = menu.row.intent, self.equipment.server
        if isinstance(intent, Intent) and intent.verb == "resume":
            local = self.kept[int(intent.text)].local
            return replace(menu, game=local.game, position=local.position)
        if isinstance(intent, Intent) and intent.verb == "task":
            word, _, number = intent.text.partition(" ")
            record = TASKS[word]().task(int(number)).record
            return replace(menu, game=record.game, position=record.position)
        if isinstance(intent, Intent) and intent.verb == "example":
            topic, _, number = intent.text.partition(" ")
            shown = examples_of(topic)[int(number) - 1].record
            return replace(menu, game=shown.game, position=shown.position)
        if isinstance(intent, Intent) and intent.verb == "open" and server is not None:
            if intent.text not in self.views:
                self.views[intent.text] = None
                game, _, number = intent.text.partition(" ")
                seen = partial(self.views.__setitem__, intent.text)
                self.run_worker(
                    self._in_background(
                        partial(server.view, game, int(number)), seen, lambda _: None
                    )
                )
            if (view := self.views[intent.text]) is not None:
                return replace(menu, game=view.game, position=view.position)
        return menu

    def press(self, key: str) -> None:
        """Perform the action of a key."""
        scene = self.scene
        self.follow(press(scene, key) if isinstance(scene, Session) else press_menu(scene, key))
        self._study()
        self.paint()

    def tell(self, note: str) -> None:
        """Show a note until the next key."""
        if note:
            self.scene = replace(self.scene, note=note)

    def show_error(self, error: PbmservError) -> None:
        """Show why something was not done."""
        self.tell(error.words)

    # Intents

    @property
    def own(self) -> dict[str, Callable[[Intent], None]]:
        """The intents that the host does not carry out, by verb."""
        is_done = isinstance(self.host, LessonHost) and self.host.leads_to_game
        return {
            **super().own,
            **({"next": self._offer_game} if is_done else {}),
            "curve": self._curve,
            "leave": self._leave_scene,
            "resume": self._resume,
            "start": self._start_game,
            "tasks": self._list_tasks,
            "task": self._begin_task,
            "example": self._open_example,
            "boards": self._list_boards,
            "open": self._open_board,
        }

    def hand_out(self, text: str) -> None:
        """Copy a text to the clipboard, if the terminal allows it."""
        self.copy_to_clipboard(text)
        self.tell(f"Copied: {text if len(text.splitlines()) == 1 else 'the record of the game.'}")

    def paste(self, intent: Intent) -> None:
        """Step through the game of a link or record; raises :class:`Refused`."""
        super().paste(intent)
        self._stop_thinking()

    def _leave_scene(self, _: Intent) -> None:
        if not self.has_menu or (isinstance(self.scene, Menu) and self.scene.is_start):
            self.leave()
            return
        self._stop_thinking()
        host, self.host = self.host, None
        if isinstance(host, ExampleHost):
            self.scene = examples_menu(host.topic, self.style, host.number)
            return
        self.scene = self._start()
        self._find_boards()

    def _resume(self, intent: Intent) -> None:
        file, local = self.kept[int(intent.text)]
        self._sit(LocalHost(local, file))

    def _start_game(self, intent: Intent) -> None:
        menu = self.scene
        if not isinstance(menu, Menu):
            return
        level, begins = None, False
        if intent.text == "computer":
            level, side = value_in(menu, "Level"), value_in(menu, "Your side")
            begins = bool(self.equipment.seeds(1)) if side == "random" else side is Side.O
        local = new_game(menu.game, level, computer_begins=begins)
        folder = self.equipment.kept_in
        self._begin(LocalHost(local, file_for(folder, local.game) if folder else None))
        self.go_on()

    def _list_tasks(self, intent: Intent) -> None:
        solved = load_solved(self._solved_in[intent.text])
        self.scene = tasks_menu(TASKS[intent.text](), solved, self.style)

    def _begin_task(self, intent: Intent) -> None:
        word, _, number = intent.text.partition(" ")
        self._sit(LessonHost(TASKS[word](), int(number), self._solved_in[word]))

    def _open_example(self, intent: Intent) -> None:
        topic, _, number = intent.text.partition(" ")
        self._sit(ExampleHost(topic, int(number)))
        if len(self.session.now.remarks) > 1:  # a whole game begins at its beginning
            self.scene = replace(self.session, ply=0)

    def _offer_game(self, _: Intent) -> None:
        self._stop_thinking()
        self.host = None
        self.scene = setup_menu("computer", self.style, parse_game(FIRST_GAME))

    def _list_boards(self, _: Intent) -> None:
        def listed(found: tuple[str, list[MyBoard]]) -> None:
            self.scene = boards_menu(found[1], self.style)

        if self.equipment.server is not None:
            self.wait(partial(my_boards, self.equipment.server), listed, self.show_error)

    def _find_boards(self) -> None:
        """List the player's boards on the start screen as soon as they are known."""

        def found(mine: tuple[str, list[MyBoard]]) -> None:
            scene = self.scene
            if isinstance(scene, Menu) and scene.is_start:
                self.mine = mine
                self.scene = self._start().keep_choice(scene)

        def failed(error: PbmservError) -> None:
            if isinstance(self.scene, Menu) and self.scene.is_start:
                self.show_error(error)

        server = self.equipment.server
        self.views.clear()
        if server is not None and isinstance(self.scene, Menu) and self.scene.is_start:
            self.run_worker(self._in_background(partial(my_boards, server), found, failed))

    def _open_board(self, intent: Intent) -> None:
        game, _, number = intent.text.partition(" ")
        if self.equipment.server is not None:
            place = ServerBoard(game, int(number))
            self.wait(partial(ServerHost, self.equipment.server, place), self._sit, self.show_error)

    def hint(self, intent: Intent) -> None:
        """Ask the computer for a hint."""
        self.tell("The computer is thinking ...")
        super().hint(intent)

    def show_hint(self, position: Position, choice: Choice) -> None:
        """Show the hint for a position if it is still on the screen."""
        self._studied = None  # what was thought about before goes on
        if isinstance(self.scene, Session) and self.scene.position == position:
            from pbmserv.computer.hint_words import hint

            lines = hint(self.scene.game, position, choice)
            cells = choice.move.cells if choice.move else ()
            cursor = cells[0] if cells else self.scene.cursor
            if choice.move and not cells:  # Enter on a stone plays nothing else by mistake
                lines[0] += f" Press {'w' if choice.move == SWAP else 'p'} to do it."
                stones = (cell for cell, stone in enumerate(position.stones) if stone != EMPTY)
                cursor = next(stones, cursor)
            self.scene = replace(self.scene, cursor=cursor, advice=tuple(lines), note=lines[0])

    def changed(self, note: str = "") -> None:
        """Show the game as it stands now, and its end when it has come."""
        before = self.scene
        super().changed(note)
        after = self.scene
        if isinstance(before, Session) and isinstance(after, Session):
            has_ended = before.now.record.outcome is None and after.now.record.outcome is not None
            if has_ended and before.now.title == after.now.title:
                self.scene = replace(after, page="g", scroll=0)
                self._curve(Intent("curve"))

    def _curve(self, _: Intent) -> None:
        record = self.session.now.record
        if len(self.session.curve) == len(record.positions):
            return
        if record.positions[0] != record.game.start():
            self.tell("There is no curve for a game that began with stones on the board.")
            return
        kept = None if self.host is None else self.host.review
        if kept is not None:
            self._curved(kept)
        else:
            self.think(self._curved, moves=record.texts)

    def _curved(self, found: Mapping[str, Any]) -> None:
        """Show a review, which is still without an end while it is thought about."""
        if not isinstance(self.scene, Session):
            return
        from pbmserv.computer.review import load_review, review_lines

        now = self.scene.now
        review = load_review(now.record, found)
        is_whole = len(review.looks) == len(now.record.positions)
        turns = review_lines(review, now.names, ONE_LINE) if is_whole else ()
        turned = tuple(turn.number for turn in review.turning_points()) if is_whole else ()
        told = tuple(" ".join(text.split()) for text in turns)
        self.scene = replace(self.scene, curve=review.chances, turned=turned, turns=told)

    def _begin(self, host: Host) -> None:
        """Show a game, but ask before a new one takes the place of an unfinished one."""
        problem = None
        if isinstance(host, LocalHost):
            displaced, problem = host.displaced()
            if displaced is not None:
                self.kept = [displaced, SavedGame(displaced.file, host.local)]
                self.scene = unfinished_menu(displaced.words, displaced.local.game, self.style)
                return
        self.sit(host)
        self.tell(problem.words if problem else "")

    def _start(self) -> Menu:
        equipment, (reader, boards) = self.equipment, self.mine
        self.kept, note = load_all_unfinished(equipment.kept_in) if equipment.kept_in else ([], "")
        level, run = load_run(equipment.kept_in and equipment.kept_in / RESULTS)
        menu = start_menu(
            [kept.words for kept in self.kept],
            self.style,
            has_server=equipment.server is not None,
            boards=boards,
            done=(len(load_solved(equipment.lessons)), len(load_solved(equipment.puzzles))),
            level=next_level(level, run) or level,
        )
        return replace(menu, note=note, reader=reader)

    def _sit(self, host: Host) -> None:
        self.sit(host)
        self.go_on()

    # What is thought

    def _study(self) -> None:
        """Analyse the position shown if analysis is on, and stop any other search."""
        scene = self.scene
        if not isinstance(scene, Session) or scene.now.is_waiting:
            return
        position = scene.position if scene.thinks and not scene.is_over else None
        if position == self._studied:
            return
        self._studied = position
        if position is None:
            self._stop_thinking()
        else:
            self.scene = replace(scene, thoughts=None)
            self.think(partial(self._thought, position), position)

    def _thought(self, position: object, thoughts: Thoughts) -> None:
        if self._studied == position and isinstance(self.scene, Session):
            self.scene = replace(self.scene, thoughts=thoughts)

    def _stop_thinking(self) -> None:
        if self.thinker is not None:
            self.thinker.stop()

    def think(
        self,
        told: Callable[[Any], None],
        position: Position | None = None,
        level: Level | None = None,
        moves: tuple[str, ...] = (),
        *,
        is_hint: bool = False,
    ) -> None:
        """Think about the game in place of anything else; ``told`` is called with what comes."""
        from pbmserv.board.thinker import Subject, Thinker

        loop = asyncio.get_running_loop()

        def watch(number: int, read: Callable[[], None]) -> Callable[[], object]:
            loop.add_reader(number, read)
            return partial(loop.remove_reader, number)

        def tell(result: Any) -> None:
            if isinstance(result, str):
                self.tell(result)
            else:
                told(result)
            self._study()
            self.paint()

        self.thinker = self.thinker or Thinker()
        seed = self.equipment.seeds(32)
        subject = Subject(self.session.game, position, level, moves, seed, is_hint)
        self.thinker.think(subject, watch, tell)

    # What may wait for others

    def wait(self, work: Callable[[], T], then: Callable[[T], None], failed: Failed) -> None:
        """Run ``work`` in the background if it may wait for the database; then go on."""
        if self.host is not None and not self.host.is_slow:
            super().wait(work, then, failed)
            return
        self.tell("Waiting for the server ...")
        self.run_worker(self._in_background(work, then, failed))

    async def _in_background(
        self, work: Callable[[], T], then: Callable[[T], None], failed: Failed
    ) -> None:
        try:
            done = await self._background.do(work)
        except PbmservError as error:
            failed(error)
        else:
            then(done)
        self.paint()

    def failed(self, intent: Intent, error: PbmservError) -> None:
        """Show why an intent failed, and look whether others have moved meanwhile."""
        super().failed(intent, error)
        if not isinstance(error, Fault):
            self.run_worker(self._look())

    async def _look(self) -> None:
        if self.host is not None and self.host.is_slow:
            await self._in_background(self.host.look, self.show_news, self.show_lost)

    def show_lost(self, error: PbmservError) -> None:
        """Show that the server cannot be reached."""
        self.is_cut_off = isinstance(error, Fault)
        self.tell(f"{error.message} Trying again." if self.is_cut_off else error.words)


class BackgroundTasks:
    """Runs work that may wait for the database, one task after the other, in a daemon thread.

    A pool of the standard library would be joined at exit, after half a minute at worst.
    """

    def __init__(self) -> None:
        self._waiting: SimpleQueue[tuple[Callable[[], Any], Future[Any]]] = SimpleQueue()
        self._thread: Thread | None = None

    async def do(self, work: Callable[[], T]) -> T:
        """Return the result of the work, or raise its error."""
        done: Future[T] = Future()
        self._waiting.put((work, done))
        if self._thread is None:
            self._thread = Thread(target=self._work, daemon=True)
            self._thread.start()
        return await asyncio.wrap_future(done)

    def _work(self) -> None:
        while True:
            work, done = self._waiting.get()
            if not done.set_running_or_notify_cancel():
                continue
            try:
                done.set_result(work())
            except Exception as error:  # noqa: BLE001 - it is raised again where it is awaited
                done.set_exception(error)
