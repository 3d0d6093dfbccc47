"""What is done at a board, wherever it is met: on a screen by keys, or in lines by words."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from pbmserv.board.hosts import Host, LocalHost, write_picture, write_record
from pbmserv.board.play_session import Session, Wish, sit_down
from pbmserv.computer.level_list import HINT_LEVEL, Level
from pbmserv.errors import Fault, PbmservError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pbmserv.board.local_game import LocalGame
    from pbmserv.board.menu import Menu
    from pbmserv.computer.levels import Choice
    from pbmserv.engine.position import Position
    from pbmserv.render.text import Style
    from pbmserv.render.view import View

    Failed = Callable[[PbmservError], None]

T = TypeVar("T")


class Controller:
    """Holds the game and what is seen of it, does what is wished, and follows what comes of it.

    Whoever shows it says what becomes of a note, an error, a question, a bell and a long thought.
    """

    host: Host | None = None
    scene: Menu | Session
    style: Style = "ascii"
    is_cut_off = False

    def tell(self, note: str) -> None:
        """Show a note, if it says anything."""

    def complain(self, error: PbmservError) -> None:
        """Tell why something was not done."""

    def bell(self) -> None:
        """Call whoever does not look."""

    def think(self, told: Callable[[Choice], None], position: Position, level: Level) -> None:
        """Have the computer think; ``told`` is called with its choice."""

    def hinted(self, position: Position, choice: Choice) -> None:
        """Show what the computer would do in a position."""

    def lost(self, error: PbmservError) -> None:
        """Tell that nobody can see what others do."""

    def wait(self, work: Callable[[], T], then: Callable[[T], None], failed: Failed) -> None:
        """Do what may wait for others, and go on with what came of it."""
        try:
            done = work()
        except PbmservError as error:
            failed(error)
        else:
            then(done)

    @property
    def session(self) -> Session:
        """The session at a board; only while there is one."""
        if not isinstance(self.scene, Session):
            raise TypeError("Nobody sits at a board.")
        return self.scene

    @property
    def is_slow(self) -> bool:
        """Whether the game is held where others may be waited for."""
        return self.host is not None and self.host.is_slow

    def sit(self, host: Host) -> None:
        """Sit down at a game."""
        self.host = host
        self.scene = replace(sit_down(host.view()), style=self.style)

    @property
    def own(self) -> Mapping[str, Callable[[Wish], None]]:
        """What is not done by whoever holds the game, by the verb of the wish."""
        return {"hint": self.hint, "save": self.save, "picture": self.picture}

    def follow(self, scene: Menu | Session) -> None:
        """Go on with what a key or a line has led to, and do what is wished."""
        self.scene, wish = replace(scene, wish=None), scene.wish
        if wish is not None:
            self.fulfil(wish)

    def fulfil(self, wish: Wish) -> None:
        """Do what is wished; what cannot be done is told."""
        try:
            if (own := self.own.get(wish.verb)) is not None:
                own(wish)
            elif self.host is not None:
                self.wait(partial(self.host.fulfil, wish), self.changed, partial(self.failed, wish))
        except PbmservError as error:
            self.complain(error)

    def failed(self, wish: Wish, error: PbmservError) -> None:
        """Tell why a wish was not granted, and ask about it again where the server failed."""
        self.complain(error)
        if isinstance(error, Fault) and self.is_slow and isinstance(self.scene, Session):
            self.scene = self.scene.asked("Try again?", wish)

    def changed(self, note: str = "") -> None:
        """Show the game as it stands now, and let the computer go on."""
        if self.host is None or not isinstance(self.scene, Session):
            return
        before, now = self.scene.now, self.host.view()
        self.scene = self.scene.with_view(now).said("")
        self.tell(note)
        if self.scene.rings and self.scene.is_my_turn and now.record.moves != before.record.moves:
            self.bell()
        self.go_on()

    def go_on(self) -> None:
        """Let the computer think where it is its turn."""
        host = self.host
        if isinstance(host, LocalHost) and (level := host.local.thinks):
            self.think(partial(self._moved, host.local), host.local.position, level)

    def _moved(self, before: LocalGame, choice: Choice) -> None:
        """Make the computer's move, unless the game went another way meanwhile."""
        if isinstance(self.host, LocalHost) and self.host.local is before:
            self.changed(self.host.answer(choice.move))

    def looked(self, found: View | None) -> None:
        """Follow what others have done, if they have done anything."""
        if self.is_cut_off:
            self.is_cut_off = False
            self.tell("The database answers again.")
        if found is not None:
            self.changed(self.scene.note)

    def hint(self, _: Wish) -> None:
        """Have the computer say what it would do."""
        position = self.session.position
        told = self.host.hint(position) if self.host is not None else None
        if told is None:
            self.think(partial(self.hinted, position), position, HINT_LEVEL)
        else:
            from pbmserv.computer.levels import Choice

            self.hinted(position, Choice(told))

    def save(self, wish: Wish) -> None:
        """Write the record into the file that is named, or one that has the game's name."""
        if self.host is not None:
            self.tell(write_record(self.host.record(), self.session.now, wish.text))

    def picture(self, _: Wish) -> None:
        """Write the board into a file."""
        self.tell(write_picture(self.session))
