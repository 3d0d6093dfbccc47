"""Hosts hold the game that is shown and carry out intents: at the keyboard, or of a record."""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pbmserv.board.drawn_board import owned_by
from pbmserv.board.local_game import LocalGame
from pbmserv.board.play_session import Intent, Session
from pbmserv.board.saved_games import SavedGame, load_unfinished, save_unfinished
from pbmserv.engine.position import Move, Position
from pbmserv.engine.record import Record
from pbmserv.engine.record_text import format_record
from pbmserv.errors import PbmservError, Refused
from pbmserv.render.document import Document
from pbmserv.render.picture import draw_owned
from pbmserv.render.view import View, view_record
from pbmserv.store.files.location import full_path

LOOK_PAUSE = 2.0
"""Seconds between two looks at whether others have moved."""


class Host(ABC):
    """Holds a game; each method may raise :class:`PbmservError`."""

    is_slow = False
    """Whether it may wait for the database, so that the screen's thread must not call it."""

    @abstractmethod
    def view(self) -> View:
        """Return the game as it stands."""

    @abstractmethod
    def perform(self, intent: Intent) -> str:
        """Carry out an intent and return a note about it."""

    def look(self) -> View | None:
        """Return the game if others have changed it since the last look, else None."""
        return None

    @property
    def document(self) -> Document | None:
        """The JSON document of the game, if it has more than the view, else None."""
        return None

    @property
    def review(self) -> Mapping[str, Any] | None:
        """The stored chances at each move, None before an analysis."""
        return None

    def hint(self, position: Position) -> Move | None:
        """Return the move that solves a position, None unless it is a task."""
        del position
        return None

    @abstractmethod
    def record(self) -> Record[str]:
        """Return the record of the game."""


class LocalHost(Host):
    """A game at one keyboard, kept in a file while it is unfinished."""

    def __init__(self, local: LocalGame, file: Path | None) -> None:
        self.local = local
        self.file = file

    def view(self) -> View:
        """Return the game, with the question to ask if leaving would lose it."""
        view = self.local.view
        if view.record.outcome is not None:
            return replace(view, losing="Leave? Only x saves a finished game.")
        is_lost = self.file is None and bool(view.record.moves)
        return replace(view, losing="Leave, and lose this game?") if is_lost else view

    def perform(self, intent: Intent) -> str:
        """Make or take back a move, or give the game up."""
        match intent.verb:
            case "move":
                return self._go_on(self.local.play(self.local.game.parse_move(intent.text)))
            case "undo":
                return self._go_on(self.local.undo()) or "Undone."
            case "resign":
                return self._go_on(self.local.resign())
        return ""

    def answer(self, move: Move | None) -> str:
        """Play the computer's move, or resign for None, and return it in words."""
        note = self._go_on(self.local.answered(move))
        return note or f"The computer {self.local.deed}."

    def record(self) -> Record[str]:
        """Return the record, by which the game can go on."""
        return self.local.record

    def displaced(self) -> tuple[SavedGame | None, Refused | None]:
        """Return the unfinished game that saving would replace, or why it cannot be read."""
        try:
            local = load_unfinished(self.file) if self.file else None
        except Refused as error:
            self.file = None
            return None, error
        return (SavedGame(self.file, local) if self.file and local else None), None

    def _go_on(self, local: LocalGame) -> str:
        self.local = local
        if self.file is None:
            return ""
        try:
            save_unfinished(local, self.file)
        except (PbmservError, OSError) as error:
            self.file = None
            return f"The game cannot be saved for next time: {error}"
        return ""


class RecordHost(Host):
    """A record that is looked through."""

    def __init__(self, record: Record[str]) -> None:
        self._record = record
        self._view = view_record(record)

    def view(self) -> View:
        """Return the game of the record."""
        return self._view

    def perform(self, intent: Intent) -> str:
        """Do nothing: a record stays as it is; raises :class:`Refused`."""
        raise Refused(
            "This is a game record; it cannot be changed.",
            code="only-record",
            hint=f"Instead of {intent.verb}, try moves: the key v, or the word try.",
        )

    def record(self) -> Record[str]:
        """Return the record."""
        return self._record


def write_record(record: Record[str], now: View, name: str) -> str:
    """Write the record into the file ``name`` or a new one; raises :class:`Refused`."""
    path = full_path(Path(name)) if name else _free_file(now, ".game")
    if path.exists():  # what is said of it elsewhere names an option that there is none of here
        raise Refused(
            f"The file {path} already exists.", code="file-exists", hint="Name a new file."
        )
    return _written(path, format_record(record).encode())


def write_picture(session: Session) -> str:
    """Write the board that is seen as SVG into a new file; raises :class:`Refused`."""
    from pbmserv.render.svg import svg_picture

    game, position = session.game, session.position
    picture = draw_owned(game, position, owned_by(game, position, session.shown))
    return _written(_free_file(session.now, ".svg"), svg_picture(picture).encode())


def _free_file(now: View, suffix: str) -> Path:
    """Return the first free name here for a file of the game; raises :class:`Refused`."""
    stem = re.sub("[^a-z0-9]+", "-", now.title.lower()).strip("-")
    for number in ("", *(f"-{n}" for n in range(2, 100))):
        if not (path := Path.cwd() / f"{stem}{number}{suffix}").exists():
            return path
    raise Refused(f"There are too many files {stem}{suffix} here.", code="file-exists")


def _written(path: Path, content: bytes) -> str:
    from pbmserv.store.files.new_file import write_file

    write_file(path, content, suffix=path.suffix, overwrite=False)
    return f"Written: {path}"
