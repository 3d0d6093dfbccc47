"""Saved for the next time: an unfinished game for each game and its options, solved tasks."""

import json
import re
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from pbmserv.computer.level_list import DEFAULT_LEVEL, Level, find_level
from pbmserv.desk.local_game import LocalGame, resume
from pbmserv.engine.game import Game
from pbmserv.engine.record_text import format_record, parse_record
from pbmserv.engine.spec import format_game
from pbmserv.errors import Refused
from pbmserv.render.view import options_words
from pbmserv.settings import open_at_once

RESULTS = "results.json"
"""The name of the file, in the folder of unfinished games, that has how the last ones ended."""

BEFORE = ".game"
"""Ends the name of the file, beside the folder, that had the only game before there were more."""


class SavedGame(NamedTuple):
    """An unfinished game and its file."""

    file: Path
    local: LocalGame

    @property
    def words(self) -> str:
        """The game in words: ``Star (size 6), move 12``."""
        return f"{game_words(self.local.game)}, move {self.local.record.ply}"


def game_words(game: Game) -> str:
    """Return a game with its options in words: ``Star (size 6)``."""
    return f"{game.title} ({options_words(game)})"


def load_unfinished(file: Path) -> LocalGame | None:
    """Return the unfinished game of a file, None without one; raises :class:`Refused`."""
    try:
        with open_at_once(file, "utf-8") as kept:
            return resume(parse_record(kept.read()))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (Refused, OSError, UnicodeDecodeError) as error:
        raise Refused(
            f"The unfinished game in {file} cannot be read.",
            code="bad-record",
            hint="Move that file away or delete it.",
        ) from error


def save_unfinished(local: LocalGame, file: Path) -> None:
    """Save the game, or delete the file if it is over; raises :class:`Refused` or OSError."""
    if not local.is_unfinished:
        file.unlink(missing_ok=True)
        return
    _write(file, format_record(local.record))


def file_for(folder: Path, game: Game) -> Path:
    """Return the file in which an unfinished game of this kind is or would be saved."""
    before = folder.with_suffix(BEFORE)
    try:
        found = load_unfinished(before)
    except Refused:
        found = None
    if found is not None and found.game == game:
        return before
    slug = re.sub(r"[(,]", "-", format_game(game)).replace("=", "").removesuffix(")")
    return folder / f"{slug}.game"


def load_all_unfinished(folder: Path) -> tuple[list[SavedGame], str]:
    """Return all unfinished games, the newest first, and a note about an unreadable file."""
    kept, notes = list[tuple[float, SavedGame]](), list[str]()
    for file in (*folder.glob("*.game"), folder.with_suffix(BEFORE)):
        try:
            local = load_unfinished(file)
            if local is not None:
                kept.append((file.stat().st_mtime, SavedGame(file, local)))
        except Refused as error:
            notes.append(error.words)
        except OSError:
            continue  # another process has just ended that game
    kept.sort(key=lambda each: each[0], reverse=True)
    return [each for _, each in kept], " ".join(notes[:1])


def load_solved(file: Path | None) -> set[int]:
    """Return the numbers of the solved tasks; the empty set if the file cannot be read."""
    try:
        if file is None:
            return set()
        with open_at_once(file, "utf-8") as kept:
            return {int(number) for number in json.load(kept)}
    except (OSError, ValueError, TypeError):
        return set()


def save_solved(file: Path, solved: Collection[int]) -> None:
    """Save the numbers of the solved tasks; raises :class:`Refused` or OSError."""
    _write(file, json.dumps(sorted(solved)))


def load_run(file: Path | None) -> tuple[Level, int]:
    """Return the level of the last game and how many in a row were won, below 0 if lost."""
    try:
        with open_at_once(file or Path(), "utf-8") as kept:
            label, run = json.load(kept)
            return find_level(label) or DEFAULT_LEVEL, int(run)
    except (OSError, ValueError, TypeError, AttributeError):
        return DEFAULT_LEVEL, 0


def save_run(file: Path, level: Level, run: int) -> None:
    """Save what :func:`load_run` returns; raises :class:`Refused` or OSError."""
    _write(file, json.dumps([level.label, run]))


def _write(file: Path, text: str) -> None:
    from pbmserv.store.files.new_file import new_file

    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with new_file(file, overwrite=True) as unfinished:
        unfinished.write_text(text, encoding="utf-8")
