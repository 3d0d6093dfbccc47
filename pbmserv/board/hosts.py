"""Who holds the game that is shown, and does with it what was wished: at the keyboard, or a file.

The boards of the server are held in :mod:`pbmserv.board.server_host`.
"""

import re
from abc import ABC, abstractmethod
from pathlib import Path

from pbmserv.board.course import Course, course_of_local, course_of_record
from pbmserv.board.local_game import LocalGame
from pbmserv.board.play_session import Session, Wish
from pbmserv.board.table import owned_by
from pbmserv.board.unfinished import keep_unfinished
from pbmserv.engine.position import Move
from pbmserv.engine.record import Record, format_record
from pbmserv.errors import PbmservError, Refused
from pbmserv.render.picture import draw_owned

LOOK_PAUSE = 2.0
"""Seconds between two looks at whether others have moved."""


class Host(ABC):
    """Holds a game; each method may raise :class:`PbmservError`."""

    is_slow = False
    """Whether what it does may wait for others, and so must not be done by the screen's thread."""

    @abstractmethod
    def course(self) -> Course:
        """Return the game as it stands."""

    @abstractmethod
    def fulfil(self, wish: Wish) -> str:
        """Do what is wished and return a note about it."""

    def look(self) -> Course | None:
        """Return the game if others have changed it since, else None."""
        return None

    @abstractmethod
    def record(self) -> Record:
        """Return the record of the game."""


class LocalHost(Host):
    """A game at one keyboard, kept in a file while it is unfinished."""

    def __init__(self, local: LocalGame, file: Path | None) -> None:
        self.local = local
        self.file = file

    def course(self) -> Course:
        """Return the game as it stands."""
        return course_of_local(self.local)

    def fulfil(self, wish: Wish) -> str:
        """Make or take back a move, or give the game up."""
        match wish.verb:
            case "move":
                return self._go_on(self.local.play(self.local.game.parse_move(wish.text)))
            case "undo":
                return self._go_on(self.local.undo()) or "Taken back."
            case "resign":
                return self._go_on(self.local.resign())
        return ""

    def answer(self, move: Move | None) -> str:
        """Take the computer's move, None where it resigns, and return what it did."""
        note = self._go_on(self.local.answered(move))
        return note or f"The computer {self.local.deed}."

    def record(self) -> Record:
        """Return the record, by which the game can go on."""
        return self.local.record()

    def _go_on(self, local: LocalGame) -> str:
        self.local = local
        if self.file is None:
            return ""
        try:
            keep_unfinished(local, self.file)
        except (PbmservError, OSError) as error:
            self.file = None
            return f"The game cannot be saved for next time: {error}"
        return ""


class RecordHost(Host):
    """A record that is looked through."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._course = course_of_record(record)

    def course(self) -> Course:
        """Return the game of the record."""
        return self._course

    def fulfil(self, wish: Wish) -> str:
        """Do nothing: a record stays as it is; raises :class:`Refused`."""
        raise Refused(
            "This is a record: nothing is played in it.",
            code="only-record",
            hint=f"Try moves out instead of that ({wish.verb}).",
        )

    def record(self) -> Record:
        """Return the record."""
        return self._record


def write_record(record: Record, course: Course, folder: Path) -> str:
    """Write the record of the game into a new file and return a note; raises :class:`Refused`."""
    return _written(folder, course, ".game", format_record(record).encode())


def write_picture(session: Session, folder: Path) -> str:
    """Write the board that is seen as SVG into a new file; raises :class:`Refused`."""
    from pbmserv.render.svg import svg_picture

    game, position = session.game, session.position
    picture = draw_owned(game, position, owned_by(game, position, session.shown))
    return _written(folder, session.course, ".svg", svg_picture(picture).encode())


def _written(folder: Path, course: Course, suffix: str, content: bytes) -> str:
    """Write a file under the first name that is free, and return a note."""
    from pbmserv.store.new_file import write_file

    stem = re.sub("[^a-z0-9]+", "-", course.title.lower()).strip("-")
    names = (f"{stem}{number}{suffix}" for number in ("", *(f"-{n}" for n in range(2, 100))))
    path = next((folder / name for name in names if not (folder / name).exists()), None)
    if path is None:
        raise Refused(f"There are too many files {stem}{suffix} here.", code="file-exists")
    write_file(path, content, suffix=suffix, overwrite=False)
    return f"Written: {path}"
