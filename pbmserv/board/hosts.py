"""Hosts hold the game that is shown and carry out intents: at the keyboard, or of a record."""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pbmserv.board.drawn_board import owned_by
from pbmserv.board.play_session import Intent, Session
from pbmserv.board.saved_games import (
    RESULTS,
    SavedGame,
    load_run,
    load_unfinished,
    save_run,
    save_unfinished,
)
from pbmserv.commands.page_examples import examples_of
from pbmserv.computer.level_list import DEFAULT_LEVEL, next_level
from pbmserv.desk.local_game import LocalGame
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
        self._results = file and file.with_name(RESULTS)
        self._before, self._run = (DEFAULT_LEVEL, 0), 0

    def view(self) -> View:
        """Return the game, with the question to ask if leaving would lose it."""
        view = self.local.view
        if view.record.outcome is not None:
            level = self.local.level and next_level(self.local.level, self._run)
            words = f"{'Won' if self._run > 0 else 'Lost'} twice in a row: try level"
            closing = f"{view.closing} {words} {level.number}." if level else view.closing
            return replace(view, losing="Leave? Only x saves a finished game.", closing=closing)
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
        before, self.local = self.local, local
        try:
            self._count(before)
            if self.file is not None:
                save_unfinished(local, self.file)
        except (PbmservError, OSError) as error:
            self.file = self._results = None
            return f"The game cannot be saved for next time: {error}"
        return ""

    def _count(self, before: LocalGame) -> None:
        """Count the wins or losses in a row when a game ends, and anew if its end is undone."""
        level, had, ended = self.local.level, before.record.outcome, self.local.record.outcome
        if not (self._results and level and level.number) or (had is None) is (ended is None):
            return
        if ended is None:
            self._run = 0
            save_run(self._results, *self._before)
            return
        self._before = last, run = load_run(self._results)
        step = {self.local.computer_side: -1, None: 0}.get(ended.winner, 1)
        self._run = step + run * (last.number == level.number and run * step > 0)
        save_run(self._results, level, self._run)


class RecordHost(Host):
    """A record that is looked through."""

    def __init__(self, record: Record[str], notes: tuple[str, ...] = ()) -> None:
        self._record = record
        self._view = view_record(record, notes)

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


class ExampleHost(RecordHost):
    """An example of a help page, by its topic and its number there."""

    def __init__(self, topic: str, number: int) -> None:
        self.topic, self.number = topic, number
        example = examples_of(topic)[number - 1]
        super().__init__(example.record)
        self._view = example.view


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
