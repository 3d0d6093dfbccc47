"""The loop around the board: keys, mouse, resizing, time, and whatever takes long."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from os import urandom
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Offset

from pbmserv.board.canvas import Canvas, Ground
from pbmserv.board.errands import Errands
from pbmserv.board.frame import Size
from pbmserv.board.hosts import LOOK_PAUSE, Host, LocalHost, write_picture, write_record
from pbmserv.board.keys import hover, press
from pbmserv.board.local_game import LocalGame, new_game
from pbmserv.board.menu import (
    Menu,
    boards_menu,
    chosen_again,
    menu_screen,
    picked,
    press_menu,
    setup_menu,
    start_menu,
    unfinished_menu,
)
from pbmserv.board.play_session import Session, Thoughts, Wish, sit_down
from pbmserv.board.screen import cell_at, screen
from pbmserv.board.unfinished import load_unfinished
from pbmserv.computer.level_list import HINT_LEVEL, Level
from pbmserv.engine.position import Side
from pbmserv.errors import EXIT_DONE, EXIT_INTERRUPTED, Fault, PbmservError
from pbmserv.render.text import Style

if TYPE_CHECKING:
    from pbmserv.board.server_host import Door
    from pbmserv.board.thinker import Thinker
    from pbmserv.computer.levels import Choice
    from pbmserv.computer.search import Analysis
    from pbmserv.engine.position import Position

T = TypeVar("T")


def random_bits(count: int) -> int:
    """Return a random number of so many bits."""
    return int.from_bytes(urandom(-(-count // 8))) >> (-count % 8)


class Equipment(NamedTuple):
    """What the board is drawn with, and where it reaches.

    ``door`` opens boards of the server where somebody is signed in; ``kept_in`` is the file of the
    unfinished game.
    """

    style: Style = "ascii"
    colours: str = "full"
    kept_in: Path | None = None
    door: Door | None = None
    seeds: Callable[[int], int] = random_bits


class BoardApp(App[int]):
    """Everything around what is seen: it holds a scene and passes keys to it.

    ``failure`` is what went wrong where the loop ended by an error of ours.
    """

    CSS = "Screen { background: ansi_default; } Canvas { width: 100%; height: 100%; }"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "interrupt", priority=True, show=False),
        Binding("ctrl+q", "interrupt", priority=True, show=False),
        Binding("ctrl+z", "suspend_process", priority=True, show=False),
    ]

    def __init__(self, host: Host | None, equipment: Equipment) -> None:
        """Begin with this game, or with the start screen without one."""
        super().__init__(ansi_color=True)
        self.host: Host | None = None
        self.equipment = equipment
        self.failure: Exception | None = None
        self.thinker: Thinker | None = None
        self.has_menu = host is None
        self.kept: LocalGame | None = None
        self.is_cut_off = False
        self._studied: object = None
        self._errands = Errands()
        self._tasks: set[asyncio.Task[None]] = set()
        self.fresh: LocalGame | None = None
        self.canvas = Canvas(equipment.colours, self.paint)
        self.scene: Menu | Session = self._begin(host) if host else self._start()

    # The loop

    def compose(self) -> ComposeResult:
        """Lay out the one widget that draws everything."""
        yield self.canvas

    def get_default_screen(self) -> Ground:
        """Return what lies under the canvas."""
        return Ground(id="_default")

    def on_mount(self) -> None:
        """Begin: catch what would end the program, and let the computer move."""
        loop = asyncio.get_running_loop()
        if not self.is_headless:
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                loop.add_signal_handler(number, partial(self.leave, 128 + number))
        self.canvas.focus()
        self.set_interval(LOOK_PAUSE, self._look)
        self._go_on()
        self.paint()

    def on_unmount(self) -> None:
        """End the process that thinks."""
        if self.thinker is not None:
            self.thinker.close()

    def leave(self, code: int = EXIT_DONE) -> None:
        """End the program with this exit code."""
        self.exit(code, return_code=code)

    def action_interrupt(self) -> None:
        """Leave at once: what was played is kept."""
        self.leave(EXIT_INTERRUPTED)

    def _handle_exception(self, error: Exception) -> None:
        self.failure = self.failure or error
        super()._handle_exception(error)

    def _fatal_error(self) -> None:
        # The usual report shows every local variable, passwords too.
        self._close_messages_no_wait()

    # What comes in

    def on_key(self, event: events.Key) -> None:
        """Pass a key to what is shown."""
        event.stop()
        event.prevent_default()
        character = event.character if event.is_printable else None
        self.press(character or event.key)

    def on_paste(self, event: events.Paste) -> None:
        """Type what is pasted into the line that is being typed."""
        if isinstance(self.scene, Session) and self.scene.prompt is not None:
            for character in event.text.replace("\n", " "):
                self.press(character)

    def on_click(self, event: events.Click) -> None:
        """Press what is clicked."""
        column, line = event.screen_x, event.screen_y
        if isinstance(self.scene, Session):
            cell = cell_at(self.scene, self.room, column, line)
            if cell is not None:
                self.press(f"cell {cell}")
                return
        if key := self.frame.key_at(column, line):
            self.press(key)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Tell what lies under the mouse."""
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
        has_page = isinstance(self.scene, Session) and bool(self.scene.page)
        self.press(in_page if has_page or isinstance(self.scene, Menu) else at_board)

    # What is shown

    @property
    def room(self) -> Size:
        """The size of the terminal."""
        return Size(self.size.width, self.size.height)

    def paint(self) -> None:
        """Show what there is to see now."""
        if not self.is_running or self.room.width == 0:
            return
        scene = self.scene
        self.frame = (
            screen(scene, self.room)
            if isinstance(scene, Session)
            else menu_screen(scene, self.room)
        )
        if isinstance(scene, Session) and scene.scroll != self.frame.scroll:
            self.scene = replace(scene, scroll=self.frame.scroll)
        self.canvas.show(self.frame)
        self.cursor_position = Offset(*self.frame.cursor)

    def press(self, key: str) -> None:
        """Do what a key does."""
        scene = self.scene
        self.scene = press(scene, key) if isinstance(scene, Session) else press_menu(scene, key)
        if wish := self.scene.wish:
            self.scene = replace(self.scene, wish=None)
            self.fulfil(wish)
        self._study()
        self.paint()

    def tell(self, note: str) -> None:
        """Show a note until the next key."""
        if note:
            self.scene = replace(self.scene, note=note)

    # What is wished

    def fulfil(self, wish: Wish) -> None:
        """Do what a key asked for; what cannot be done is told."""
        try:
            own = getattr(self, f"do_{wish.verb}", None)
            if own is not None:
                own(wish)
            elif self.host is not None and self.host.is_slow:
                self._later(partial(self.host.fulfil, wish), self._changed, wish)
            elif self.host is not None:
                self._changed(self.host.fulfil(wish))
        except PbmservError as error:
            self.tell(error.words)

    def do_leave(self, _: Wish) -> None:
        """Go back to the start screen, or end the program from there."""
        if isinstance(self.scene, Session) and self.has_menu:
            self._stop_thinking()
            self.host = None
            self.scene = self._start()
        elif isinstance(self.scene, Menu) and self.has_menu and not self.scene.is_start:
            self.scene = self._start()
        else:
            self.leave()

    def do_resume(self, _: Wish) -> None:
        """Go on with the unfinished game."""
        if self.kept is not None:
            self._sit(LocalHost(self.kept, self.equipment.kept_in))

    def do_replace(self, _: Wish) -> None:
        """Begin the new game in place of the unfinished one."""
        if self.fresh is not None:
            self._sit(LocalHost(self.fresh, self.equipment.kept_in))

    def do_setup(self, wish: Wish) -> None:
        """Show the choices of a new game."""
        self.scene = setup_menu(wish.text, self.equipment.style)

    def do_changed(self, _: Wish) -> None:
        """Lay the choices out again after one was changed."""
        if isinstance(self.scene, Menu):
            self.scene = chosen_again(self.scene)

    def do_start(self, wish: Wish) -> None:
        """Begin the game that is chosen."""
        menu = self.scene
        if not isinstance(menu, Menu):
            return
        level, begins = None, False
        if wish.text == "computer":
            level, side = picked(menu, "Level"), picked(menu, "Your side")
            begins = bool(self.equipment.seeds(1)) if side == "random" else side is Side.O
        self.fresh = new_game(menu.game, level, computer_begins=begins)
        words, _ = self._kept_words()
        if words:
            self.scene = unfinished_menu(words, menu.game, self.equipment.style)
        else:
            self.do_replace(wish)

    def do_lesson(self, _: Wish) -> None:
        """Begin the lessons."""
        from pbmserv.board.lessons import LessonHost

        self._sit(LessonHost())

    def do_boards(self, _: Wish) -> None:
        """Show the player's boards on the server."""
        from pbmserv.board.server_host import board_rows

        if self.equipment.door is not None:
            self._later(partial(board_rows, self.equipment.door), self._listed)

    def do_open(self, wish: Wish) -> None:
        """Sit down at a board of the server."""
        from pbmserv.board.server_host import ServerBoard, ServerHost

        game, _, number = wish.text.partition(" ")
        if self.equipment.door is not None:
            self._later(
                partial(ServerHost, self.equipment.door, ServerBoard(game, int(number))), self._sit
            )

    def _listed(self, rows: list[tuple[str, Wish]]) -> None:
        self.scene = boards_menu(rows, self.equipment.style)

    def do_hint(self, _: Wish) -> None:
        """Have the computer say what it would do."""
        position = self.session.position
        self._think(partial(self._hinted, position), position, HINT_LEVEL)
        self.tell("The computer is thinking ...")

    def do_curve(self, _: Wish) -> None:
        """Work out X's chance after each move."""
        course = self.session.course
        chances = course.chances or self.session.curve
        if len(chances) == len(course.positions):
            self._curved(chances)
        else:
            self._think(self._curved, moves=tuple(move.text for move in course.moves))

    def _curved(self, chances: tuple[float, ...]) -> None:
        if isinstance(self.scene, Session):
            self.scene = replace(self.scene, curve=chances)

    def do_export(self, _: Wish) -> None:
        """Write the record into a file."""
        if self.host is not None:
            self.tell(write_record(self.host.record(), self.session.course, Path.cwd()))

    def do_picture(self, _: Wish) -> None:
        """Write the board into a file."""
        self.tell(write_picture(self.session, Path.cwd()))

    @property
    def session(self) -> Session:
        """The session at a board; only while there is one."""
        if not isinstance(self.scene, Session):
            raise TypeError("Nobody sits at a board.")
        return self.scene

    def _begin(self, host: Host) -> Menu | Session:
        """Return what is shown first of a game: a new one is not to lose the unfinished one."""
        words, _ = self._kept_words()
        if not words or not isinstance(host, LocalHost):
            return self._seated(host)
        self.fresh = host.local
        return unfinished_menu(words, host.local.game, self.equipment.style)

    def _kept_words(self) -> tuple[str, str]:
        """Return how the unfinished game is called, if there is one, and why it cannot be read."""
        self.kept = None
        try:
            self.kept = load_unfinished(self.equipment.kept_in) if self.equipment.kept_in else None
        except PbmservError as error:
            return "", error.words
        kept = self.kept
        return (f"the game of {kept.game.title} (move {len(kept.moves)})" if kept else ""), ""

    def _start(self) -> Menu:
        """Return the start screen as it is now."""
        words, note = self._kept_words()
        menu = start_menu(words, self.equipment.style, has_server=self.equipment.door is not None)
        return replace(menu, note=note)

    def _sit(self, host: Host) -> None:
        self.scene = self._seated(host)
        self._go_on()

    def _seated(self, host: Host) -> Session:
        self.host = host
        return replace(sit_down(host.course()), style=self.equipment.style)

    # What becomes of it

    def _changed(self, note: str = "") -> None:
        """Show the game as it stands now, and let the computer go on."""
        if self.host is None or not isinstance(self.scene, Session):
            return
        before, course = self.scene.course, self.host.course()
        session = self.scene.with_course(course)
        self.scene = session.said(note)
        is_news = course.moves != before.moves and session.is_my_turn
        if session.rings and is_news:
            self.bell()
        self._go_on()

    def _go_on(self) -> None:
        """Let the computer think where it is its turn."""
        host = self.host
        if isinstance(host, LocalHost) and (level := host.local.thinks):
            self._think(partial(self._moved, host.local), host.local.position, level)

    def _moved(self, before: LocalGame, choice: Choice) -> None:
        """Make the computer's move, unless the game went another way meanwhile."""
        host = self.host
        if isinstance(host, LocalHost) and host.local is before:
            self._changed(host.answer(choice.move))

    def _hinted(self, position: Position, choice: Choice) -> None:
        self._studied = None  # what was thought about before goes on
        if isinstance(self.scene, Session) and self.scene.position == position:
            from pbmserv.computer.hint_words import hint_lines

            lines = hint_lines(self.scene.game, position, choice)
            cells = choice.move.cells if choice.move else ()
            cursor = cells[0] if cells else self.scene.cursor
            self.scene = replace(self.scene, cursor=cursor, advice=tuple(lines), note=lines[0])

    def _study(self) -> None:
        """Think about what is seen, where that is wanted, and no longer about anything else."""
        scene = self.scene
        if not isinstance(scene, Session) or scene.course.is_waiting:
            return
        position = scene.position if scene.thinks and not scene.is_over else None
        if position == self._studied:
            return
        self._studied = position
        if position is None:
            self._stop_thinking()
        else:
            self.scene = replace(scene, thoughts=None)
            self._think(partial(self._thought, position), position)

    def _thought(self, position: object, analysis: Analysis) -> None:
        if self._studied == position and isinstance(self.scene, Session):
            self.scene = replace(self.scene, thoughts=thoughts_of(analysis))

    def _stop_thinking(self) -> None:
        if self.thinker is not None:
            self.thinker.stop()

    def _think(
        self,
        told: Callable[[Any], None],
        position: Position | None = None,
        level: Level | None = None,
        moves: tuple[str, ...] = (),
    ) -> None:
        """Think about the game in place of anything else; ``told`` is called with what comes."""
        from pbmserv.board.thinker import Task, Thinker

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
        task = Task(self.session.game, position, level, moves, self.equipment.seeds(32))
        self.thinker.think(task, watch, tell)

    def _later(
        self, work: Callable[[], T], then: Callable[[T], None], wish: Wish | None = None
    ) -> None:
        """Do what may wait for others beside the screen, then go on with what came of it.

        A wish that met a fault of the database is asked about once more.
        """

        async def wait() -> None:
            try:
                then(await self._errands.do(work))
            except Fault as fault:
                self.tell(fault.words)
                if wish is not None and isinstance(self.scene, Session):
                    self.scene = self.scene.asked(f"{fault.message} Try again?", wish)
            except PbmservError as error:
                self.tell(error.words)
                await self._look()
            self.paint()

        self.tell("Waiting for the server ...")
        task = asyncio.get_running_loop().create_task(wait())
        self._tasks.add(task)
        task.add_done_callback(self._waited)

    def _waited(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, Exception):
            self._handle_exception(error)

    async def _look(self) -> None:
        """See whether others have moved at the board."""
        host = self.host
        if host is None or not host.is_slow:
            return
        try:
            found = await self._errands.do(host.look)
        except Fault as fault:
            self.is_cut_off = True
            self.tell(f"{fault.message} Trying again.")
        except PbmservError as error:
            self.tell(error.words)
        else:
            if self.is_cut_off:
                self.is_cut_off = False
                self.tell("The database answers again.")
            if found is not None:
                self._changed(self.scene.note)
        self.paint()


def thoughts_of(analysis: Analysis) -> Thoughts:
    """Return an analysis as it is shown."""
    best = analysis.best
    margin = "" if best.margin is None else f", margin {best.margin:+.1f}"
    line = " ".join(move.text for move in analysis.line)
    return Thoughts(
        analysis.chance if analysis.side is Side.X else 1.0 - analysis.chance,
        (
            f"Best: {best.move.text} {100 * best.chance:.0f} %{margin}",
            f"Line: {line}",
            f"{analysis.simulations} simulations",
        ),
    )
