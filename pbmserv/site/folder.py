"""The folder of a site: pages appear whole or not at all, and what did not change is left alone."""

import fcntl
import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from hashlib import blake2b
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from pbmserv.errors import Refused
from pbmserv.store.files.location import full_path

STATE = ".pbmserv-site.sqlite"
"""What the last run wrote; all is written again if it is missing or damaged."""

UNFINISHED = ".unfinished"
LOCK = ".pbmserv-site.lock"
"""Marks the folder as one of ours; not empty only during a run."""

OURS = {"boards", "players"}
"""Folders that may have no page any more; all others always have one."""

DIGEST_SIZE = 16
BUFFER = 16_384
A_CHUNK = 300
"""Boards on one page of the archive."""

TABLES = """
CREATE TABLE note (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE page (path TEXT PRIMARY KEY, digest BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE player (id INTEGER PRIMARY KEY, signature TEXT NOT NULL);
CREATE TABLE board (
    id INTEGER PRIMARY KEY, signature TEXT NOT NULL, path TEXT NOT NULL, first_id INTEGER NOT NULL,
    second_id INTEGER NOT NULL, is_running INTEGER NOT NULL, changed_at INTEGER NOT NULL,
    year INTEGER, chunk INTEGER, line TEXT NOT NULL
);
CREATE INDEX ix_board_first ON board (first_id, changed_at);
CREATE INDEX ix_board_second ON board (second_id, changed_at);
CREATE INDEX ix_board_changed ON board (changed_at, id);
CREATE INDEX ix_board_running ON board (changed_at, id) WHERE is_running;
CREATE INDEX ix_board_chunk ON board (year, chunk);
INSERT INTO note VALUES ('unswept', 'there may be pages of earlier runs');
"""


class BoardLine(NamedTuple):
    """A board in one line of the pages; ``path`` is its page without the suffix.

    ``x`` and ``o`` are numbers of players; ``to_move`` and ``winner`` are "X", "O" or ""; ``how``
    is the reason of the end in words.
    """

    id: int
    signature: str
    path: str
    title: str
    options: str
    first_id: int
    second_id: int
    x: int
    o: int
    names: tuple[str, str]
    result: str
    ply: int
    is_running: bool
    changed_at: int
    year: int | None
    to_move: str = ""
    due_at: int | None = None
    winner: str = ""
    how: str = ""

    @property
    def number(self) -> int:
        """The number of the board in its game."""
        return int(self.path.rpartition("/")[2])

    @property
    def short(self) -> str:
        """The name of the board in lists: ``Star 101``."""
        return self.title.replace(" Board ", " ")

    @property
    def ending(self) -> str:
        """How the game ended, as a part of a line: ``alice (X) wins by resignation``."""
        return self.result.removesuffix(".")

    @property
    def mover(self) -> str:
        """The name of the player to move, "" after the end."""
        return self.names["XO".index(self.to_move)] if self.to_move else ""


class Folder:
    """The folder of a site, locked for one run by :func:`open_folder`."""

    def __init__(self, root: Path, state: sqlite3.Connection) -> None:
        self.root = root
        self.state = state
        self.written = self.deleted = 0
        self._kept = state.total_changes
        self._made: set[str] = set()
        self._fresh: dict[str, bytes] = {}

    def note(self, name: str) -> str:
        """Return the note of an earlier run with this name, "" without one."""
        row = self.state.execute("SELECT value FROM note WHERE name = ?", (name,)).fetchone()
        return str(row[0]) if row else ""

    def keep_note(self, name: str, value: str) -> None:
        """Keep a note for the next run."""
        self.state.execute("INSERT OR REPLACE INTO note VALUES (?, ?)", (name, value))

    def notes(self, start: str) -> list[str]:
        """Return the names of the notes that begin so."""
        rows = self.state.execute("SELECT name FROM note WHERE name >= ? ORDER BY name", (start,))
        return list(takewhile(lambda name: name.startswith(start), (row[0] for row in rows)))

    def forget_note(self, name: str) -> None:
        """Delete a note."""
        self.state.execute("DELETE FROM note WHERE name = ?", (name,))

    def write(self, path: str, content: str | bytes) -> bool:
        """Write a page unless it has this content already; return whether it changed."""
        data = content.encode() if isinstance(content, str) else content
        digest = blake2b(data, digest_size=8).digest()
        known = self._digest(path)
        if known == digest:
            return False
        if known is None and (file := self.root / path).is_file() and file.read_bytes() == data:
            self._fresh[path] = digest
            return False
        folder = path.rpartition("/")[0]
        if folder not in self._made:
            (self.root / folder).mkdir(parents=True, exist_ok=True)
            self._made.add(folder)
        self._put(path, data)
        self._fresh[path] = digest
        self.written += 1
        return True

    def _put(self, path: str, *parts: bytes) -> None:
        unfinished = f"{self.root}/{UNFINISHED}"
        # Paths, and asking the system for the best size, take as long as all the rest.
        with open(unfinished, "wb", buffering=BUFFER) as file:
            file.writelines(parts)
        os.replace(unfinished, f"{self.root}/{path}")

    def _digest(self, path: str) -> bytes | None:
        if path in self._fresh:
            return self._fresh[path]
        chosen = "SELECT digest FROM page WHERE path = ?"
        row = self.state.execute(chosen, (path,)).fetchone()
        return bytes(row[0]) if row else None

    def write_several(self, stem: str, pages: Sequence[str]) -> None:
        """Write the pages ``stem.html``, ``stem-2.html`` and so on, and delete those after them."""
        for number, content in enumerate(pages, 1):
            self.write(_numbered(stem, number), content)
        number = len(pages) + 1
        while self.delete(_numbered(stem, number)):
            number += 1

    def delete(self, path: str) -> bool:
        """Delete a page; return whether there was one."""
        if self._digest(path) is None:
            return False
        self._fresh.pop(path, None)
        (self.root / path).unlink(missing_ok=True)
        self.state.execute("DELETE FROM page WHERE path = ?", (path,))
        self.deleted += 1
        return True

    def sweep(self) -> None:
        """Delete the pages of runs whose state was lost."""
        if not self.note("unswept"):
            return
        kept = {*self._fresh, *(row[0] for row in self.state.execute("SELECT path FROM page"))}
        for folder in {path.partition("/")[0] for path in kept if "/" in path} | OURS:
            for file in (self.root / folder).rglob("*"):
                if file.is_file() and file.relative_to(self.root).as_posix() not in kept:
                    file.unlink()
                    self.deleted += 1
        self.forget_note("unswept")

    def commit(self) -> None:
        """Save the state, so that a run that is cut off later does not repeat this."""
        self.state.executemany("INSERT OR REPLACE INTO page VALUES (?, ?)", self._fresh.items())
        self._fresh.clear()
        self.state.commit()
        if self.state.total_changes == self._kept:
            return
        os.sync()  # no page is remembered that a failing machine could still lose
        data = self.state.serialize()
        self._put(STATE, data, _digest_of(data))
        self._kept = self.state.total_changes

    def signatures(self, table: str) -> dict[int, str]:
        """Return the signatures of all boards or players by number."""
        statements = {
            "board": "SELECT id, signature FROM board",
            "player": "SELECT id, signature FROM player",
        }
        return dict(self.state.execute(statements[table]))

    def keep_player(self, player_id: int, signature: str) -> None:
        """Keep the signature of a player's page."""
        self.state.execute("INSERT OR REPLACE INTO player VALUES (?, ?)", (player_id, signature))

    def forget_player(self, player_id: int) -> None:
        """Forget a player."""
        self.state.execute("DELETE FROM player WHERE id = ?", (player_id,))

    def keep_board(self, line: BoardLine) -> set[tuple[int, int]]:
        """Keep a board; return the pages of the archive, year and number, that it changes."""
        year, chunk = self._place(line.id)
        changed = {(year, chunk)} if year is not None and chunk is not None else set()
        if line.year != year:
            chunk = None if line.year is None else self._open_chunk(line.year)
        if line.year is not None and chunk is not None:
            changed.add((line.year, chunk))
        self.state.execute(
            "INSERT OR REPLACE INTO board VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(line.id, line.signature, line.path, line.first_id, line.second_id),
                *(int(line.is_running), line.changed_at, line.year, chunk, json.dumps(line)),
            ),
        )
        return changed

    def forget_board(self, board_id: int) -> tuple[str, set[int], set[tuple[int, int]]]:
        """Forget a board; return its path, its players and the pages of the archive to change."""
        chosen = "SELECT path, first_id, second_id FROM board WHERE id = ?"
        path, first, second = self.state.execute(chosen, (board_id,)).fetchone()
        year, chunk = self._place(board_id)
        self.state.execute("DELETE FROM board WHERE id = ?", (board_id,))
        changed = {(year, chunk)} if year is not None and chunk is not None else set()
        return path, {first, second}, changed

    def boards_of(self, player_ids: set[int]) -> set[int]:
        """Return the boards of these players."""
        found: set[int] = set()
        for player_id in player_ids:
            either = "SELECT id FROM board WHERE first_id = ? UNION SELECT id FROM board"
            rows = self.state.execute(f"{either} WHERE second_id = ?", (player_id, player_id))
            found.update(row[0] for row in rows)
        return found

    def newest(self, limit: int, *, are_running: bool | None = None) -> list[BoardLine]:
        """Return the boards that changed last: all, or those running, or those over."""
        wanted = {None: "", True: "WHERE is_running ", False: "WHERE NOT is_running "}[are_running]
        return self._lines(f"{wanted}ORDER BY changed_at DESC, id DESC LIMIT ?", limit)

    def newest_of(
        self, player_id: int, limit: int, *, are_running: bool | None = None
    ) -> list[BoardLine]:
        """Return the boards of a player that changed last: all, or those running, or those over."""
        wanted = "" if are_running is None else f" AND is_running = {are_running:d}"
        mine = [
            f"SELECT id FROM (SELECT id FROM board WHERE {side}_id = ?{wanted}"  # noqa: S608 - words
            " ORDER BY changed_at DESC LIMIT ?)"
            for side in ("first", "second")
        ]
        return self._lines(
            f"WHERE id IN ({' UNION '.join(mine)}) ORDER BY changed_at DESC, id DESC LIMIT ?",
            *(player_id, limit, player_id, limit, limit),
        )

    def of_game(self, game: str, limit: int, *, are_running: bool) -> list[BoardLine]:
        """Return the boards of a game that changed last, those running or those over."""
        chosen = "WHERE is_running = ? AND path >= ? AND path < ?"
        return self._lines(
            f"{chosen} ORDER BY changed_at DESC, id DESC LIMIT ?",
            *(int(are_running), f"boards/{game}/", f"boards/{game}0", limit),
        )

    def with_paths(self, paths: Sequence[str]) -> list[BoardLine]:
        """Return the boards whose pages these are, in the order in which they began."""
        return self._lines(
            "WHERE path IN (SELECT value FROM json_each(?)) ORDER BY id", json.dumps(paths)
        )

    def running_counts(self) -> dict[int, int]:
        """Return how many boards each player has running; one against oneself counts once."""
        rows = self.state.execute(
            "SELECT player, count(*) FROM (SELECT id, first_id AS player FROM board"
            " WHERE is_running UNION SELECT id, second_id FROM board WHERE is_running)"
            " GROUP BY player"
        )
        return dict(rows)

    def chunk(self, year: int, number: int) -> list[BoardLine]:
        """Return the boards of one page of the archive, in the order in which they came there."""
        return self._lines("WHERE year = ? AND chunk = ? ORDER BY changed_at, id", year, number)

    def chunks(self) -> list[tuple[int, int, int]]:
        """Return year, number and boards of every page of the archive."""
        counted = "SELECT year, chunk, count(*) FROM board WHERE year IS NOT NULL GROUP BY 1, 2"
        return self.state.execute(f"{counted} ORDER BY 1, 2").fetchall()

    def _place(self, board_id: int) -> tuple[int | None, int | None]:
        chosen = "SELECT year, chunk FROM board WHERE id = ?"
        return self.state.execute(chosen, (board_id,)).fetchone() or (None, None)

    def _open_chunk(self, year: int) -> int:
        """Return the last page of the archive of a year, or the one after it if it is full."""
        last = "SELECT max(chunk) FROM board WHERE year = ?"
        number = self.state.execute(last, (year,)).fetchone()[0] or 1
        held = "SELECT count(*) FROM board WHERE year = ? AND chunk = ?"
        is_full = self.state.execute(held, (year, number)).fetchone()[0] >= A_CHUNK
        return int(number) + int(is_full)

    def _lines(self, chosen: str, *values: object) -> list[BoardLine]:
        found = self.state.execute(f"SELECT line FROM board {chosen}", values)  # noqa: S608
        lines = (BoardLine(*json.loads(text)) for (text,) in found)
        return [line._replace(names=(line.names[0], line.names[1])) for line in lines]


def _numbered(stem: str, number: int) -> str:
    return f"{stem}.html" if number == 1 else f"{stem}-{number}.html"


@contextmanager
def open_folder(name: Path) -> Iterator[Folder]:
    """Lock the folder of a site for one run; raises :class:`Refused` if it is no such folder."""
    root = full_path(name)
    try:
        root.mkdir(parents=True, exist_ok=True)
        found = {entry.name for entry in root.iterdir()} - {UNFINISHED}
        if found and not found & {LOCK, STATE}:
            raise Refused(
                f"The folder {root} contains other files.",
                code="folder-in-use",
                hint="Name a new or empty folder, or one that pbmserv site has made.",
            )
        with (root / LOCK).open("a+", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            lock.seek(0)
            was_broken_off = bool(lock.read())
            lock.write("running\n")
            lock.flush()
            with closing(_state_of(root)) as state:
                folder = Folder(root, state)
                if was_broken_off:
                    folder.keep_note("unswept", "a run was broken off")
                yield folder
                folder.commit()
            lock.truncate(0)
    except OSError as error:
        raise Refused(
            f"The folder {root} cannot be written: {error.strerror}.",
            code="cannot-write",
            hint="No page is damaged; correct this and run the command again.",
        ) from error


def _state_of(root: Path) -> sqlite3.Connection:
    """Return the state of the last run, an empty one if it is missing or damaged."""
    state = sqlite3.connect(":memory:")
    file = root / STATE
    try:
        kept = file.read_bytes() if file.is_file() else b""
    except OSError:
        kept = b""
    data, digest = kept[:-DIGEST_SIZE], kept[-DIGEST_SIZE:]
    if data and digest == _digest_of(data):
        state.deserialize(data)
    else:
        state.executescript(TABLES)
    return state


def _digest_of(data: bytes) -> bytes:
    """Return the digest of a state, which depends on the tables of this version."""
    return blake2b(data, digest_size=DIGEST_SIZE, key=blake2b(TABLES.encode()).digest()).digest()
