"""Carries out what keys or words ask for at a board, on a screen or in lines."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from pbmserv.board.hosts import Host, LocalHost, RecordHost, link_of, write_picture, write_record
from pbmserv.board.play_session import Intent, Session, new_session
from pbmserv.commands.record_words import first_game
from pbmserv.computer.level_list import HINT_LEVEL, Level
from pbmserv.errors import Fault, PbmservError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pbmserv.board.menu import Menu
    from pbmserv.computer.levels import Choice
    from pbmserv.desk.local_game import LocalGame
    from pbmserv.engine.position import Position
    from pbmserv.render.text import Style
    from pbmserv.render.view import View

    Failed = Callable[[PbmservError], None]

T = TypeVar("T")


class Controller:
    """Carries out intents; subclasses show notes, errors and hints, and run the search."""

    host: Host | None = None
    scene: Menu | Session
    style: Style = "ascii"
    is_cut_off = False

    def tell(self, note: str) -> None:
        """Show a note unless it is empty."""

    def show_error(self, error: PbmservError) -> None:
        """Show why something was not done."""

    def bell(self) -> None:
        """Ring the terminal's bell."""

    def think(
        self,
        told: Callable[[Choice], None],
        position: Position,
        level: Level,
        moves: tuple[str, ...] = (),
        *,
        is_hint: bool = False,
    ) -> None:
        """Have the computer think after moves; ``told`` gets its choice, or its advice."""

    def show_hint(self, position: Position, choice: Choice) -> None:
        """Show the computer's move in a position."""

    def show_lost(self, error: PbmservError) -> None:
        """Show that the server cannot be reached."""

    def wait(self, work: Callable[[], T], then: Callable[[T], None], failed: Failed) -> None:
        """Run ``work``, which may wait for the database; then call ``then`` or ``failed``."""
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
        """Whether the host may have to wait for the database."""
        return self.host is not None and self.host.is_slow

    def sit(self, host: Host) -> None:
        """Show the game of a host."""
        self.host = host
        self.scene = replace(new_session(host.view()), style=self.style)

    @property
    def own(self) -> Mapping[str, Callable[[Intent], None]]:
        """The intents that the host does not carry out, by verb."""
        return {
            "hint": self.hint,
            "save": self.save,
            "picture": self.picture,
            "copy": self.copy,
            "paste": self.paste,
        }

    def follow(self, scene: Menu | Session) -> None:
        """Take the scene after a key or a line, and carry out its intent."""
        self.scene, intent = replace(scene, intent=None), scene.intent
        if intent is not None:
            self.perform(intent)

    def perform(self, intent: Intent) -> None:
        """Carry out an intent; show why if it cannot be done."""
        try:
            if (own := self.own.get(intent.verb)) is not None:
                own(intent)
            elif self.host is not None:
                self.wait(
                    partial(self.host.perform, intent), self.changed, partial(self.failed, intent)
                )
        except PbmservError as error:
            self.show_error(error)

    def failed(self, intent: Intent, error: PbmservError) -> None:
        """Show why an intent failed; offer another try if the server is at fault."""
        self.show_error(error)
        if isinstance(error, Fault) and self.is_slow and isinstance(self.scene, Session):
            self.scene = self.scene.ask("Try again?", intent)

    def changed(self, note: str = "") -> None:
        """Show the game as it is now, and let the computer move."""
        if self.host is None or not isinstance(self.scene, Session):
            return
        before, now = self.scene.now, self.host.view()
        self.scene = self.scene.with_view(now).say("")
        self.tell(note)
        if self.scene.rings and self.scene.is_my_turn and now.record.moves != before.record.moves:
            self.bell()
        self.go_on()

    def go_on(self) -> None:
        """Let the computer think if it is to move."""
        host = self.host
        if isinstance(host, LocalHost) and (level := host.local.thinks):
            local = host.local
            self.think(partial(self._moved, local), local.position, level, local.record.texts)

    def _moved(self, before: LocalGame, choice: Choice) -> None:
        """Make the computer's move, unless the game has changed meanwhile."""
        if isinstance(self.host, LocalHost) and self.host.local is before:
            self.changed(self.host.answer(choice.move))

    def show_news(self, found: View | None) -> None:
        """Show the moves of others, if any."""
        if self.is_cut_off:
            self.is_cut_off = False
            self.tell("The database is available again.")
        if found is not None:
            self.changed(self.scene.note)

    def hint(self, _: Intent) -> None:
        """Ask the computer for a hint."""
        position = self.session.position
        told = self.host.hint(position) if self.host is not None else None
        if told is None:
            told_to = partial(self.show_hint, position)
            self.think(told_to, position, HINT_LEVEL, is_hint=True)
        else:
            from pbmserv.computer.levels import Choice

            self.show_hint(position, Choice(told))

    def save(self, intent: Intent) -> None:
        """Write the record into the named file, or into one named after the game."""
        if self.host is not None:
            self.tell(write_record(self.host.record(), self.session.now, intent.text))

    def picture(self, _: Intent) -> None:
        """Write the board into a file."""
        self.tell(write_picture(self.session))

    def copy(self, _: Intent) -> None:
        """Hand out a link to the game, or its record."""
        if self.host is not None:
            self.hand_out(link_of(self.host.record()))

    def hand_out(self, text: str) -> None:
        """Give the player a text that is for other programs."""
        self.tell(text)

    def paste(self, intent: Intent) -> None:
        """Step through the game of a link or record; raises :class:`Refused`."""
        self.sit(RecordHost(*first_game(intent.text)))
