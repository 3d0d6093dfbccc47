"""The public pages as files in a folder, of which a run writes those that have changed."""

import os
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import count
from pathlib import Path
from typing import NamedTuple, cast

from flask import Flask, Response
from werkzeug.exceptions import NotFound

from pbmserv.club.puzzles import count_puzzles, puzzle_of_day
from pbmserv.computer.openings import specs_with_chances
from pbmserv.engine.games import find_game, game_names
from pbmserv.engine.record import Status
from pbmserv.site.board_files import FILES, load_boards
from pbmserv.site.game_pages import pictured_steps
from pbmserv.site.manual_pages import manual_names
from pbmserv.site.opening_pages import TABLE
from pbmserv.site.pages import Names, Pages, build_of, club_id
from pbmserv.store.faults import translated
from pbmserv.store.files.new_file import UNFINISHED, own_folder
from pbmserv.store.matches.published import BoardStamp
from pbmserv.store.progress import teller
from pbmserv.store.store import Records
from pbmserv.web.club import Club
from pbmserv.web.public import A_CHUNK, archive_pages

LINE = ".pbmserv-site"
"""The file with the state of the club at the last run, in one line; it is gone during a run."""

FORMER_STATE = ".pbmserv-site.sqlite"

MAY_BE_EMPTY = ("archive", "boards", "players", "tournaments")
OURS = (*MAY_BE_EMPTY, "games", "grounds", "manual", "openings", "puzzle", "standings")
"""The folders in which no file but ours stays; those of the first any change may empty."""

AT_ONCE = 200
"""Boards read in one transaction: a reader that stays open blocks commits."""

PREVIEWS = 1_000
"""So many finished boards, the newest, have a preview, and all that run."""

QUIET = {"login", "logout", "message", "news", "notify", "seek", "vacation"}
"""Commands without a board that change lists at most, and deadlines of their player."""

LIVE = re.compile(r"<!--live-->.*?<!--/live-->\n?", re.DOTALL)
GROUND = re.compile(r"grounds/[\w(),=+-]{1,100}\.svg", re.ASCII)
"""What is drawn on, wherever a page names it: nothing that a player writes leads elsewhere."""

SECOND = 1_000_000_000


def frozen(html: str) -> str:
    """Return a page as it is kept in a file: without what only the live one has."""
    return LIVE.sub("", html)


class FreezeReport(NamedTuple):
    """How many files a run has written and deleted."""

    written: int
    deleted: int


@dataclass
class Folder:
    """The folder of a site, locked for one run by :func:`open_folder`.

    A file's time is when its content changed. The fraction of a second tells what it was made from.
    """

    root: str
    written: int = 0
    deleted: int = 0

    def write(self, path: str, data: bytes, made_from: str = "") -> None:
        """Write a file as a whole unless it has this content already."""
        file, unfinished, now = f"{self.root}/{path}", f"{self.root}/{UNFINISHED}", int(time.time())
        with suppress(FileNotFoundError), open(file, "rb") as known:
            if known.read() == data:
                same = int(os.fstat(known.fileno()).st_mtime)
                os.utime(file, ns=(_time(same, made_from),) * 2)
                return
        with open(unfinished, "wb") as new:
            new.write(data)
        os.utime(unfinished, ns=(_time(now, made_from),) * 2)
        os.makedirs(os.path.dirname(file), exist_ok=True)
        os.replace(unfinished, file)
        self.written += 1

    def is_made_from(self, path: str, made_from: str) -> bool:
        """Tell whether a file is there that was made from this."""
        with suppress(FileNotFoundError):
            found = os.stat(f"{self.root}/{path}")
            return found.st_size > 0 and found.st_mtime_ns % SECOND == _time(0, made_from)
        return False

    def delete(self, path: str) -> bool:
        """Delete a file; return whether there was one."""
        with suppress(FileNotFoundError):
            os.unlink(f"{self.root}/{path}")
            self.deleted += 1
            return True
        return False

    def sweep(self, folders: Sequence[str], kept: set[str]) -> None:
        """Delete all files of these folders whose path, or path without its ending, is not kept."""
        for folder in folders:
            for parent, _, files in os.walk(f"{self.root}/{folder}"):
                paths = (f"{parent[len(self.root) + 1 :]}/{name}" for name in files)
                for path in paths:
                    if not kept & {path, path.rpartition(".")[0]}:
                        self.delete(path)


def _time(seconds: int, made_from: str) -> int:
    digest = blake2b(made_from.encode(), digest_size=8).digest()
    return seconds * SECOND + int.from_bytes(digest) % SECOND


@contextmanager
def open_folder(name: Path) -> Iterator[Folder]:
    """Lock the folder of a site for one run; raises :class:`Refused` if it is no such folder."""
    with own_folder(name, "site") as root:
        yield Folder(str(root))


def freeze(app: Flask, name: Path) -> FreezeReport:
    """Bring the folder up to date."""
    club: Club = app.extensions["club"]
    with open_folder(name) as folder, translated(club.desk.store.location.label):
        _Run(app, club, folder).run()
    return FreezeReport(folder.written, folder.deleted)


@dataclass
class _Run:
    """One run over one folder.

    ``is_whole`` if nothing is known of what is there, ``is_wide`` if any board or player may have
    changed, ``is_counted`` if boards began or ended. ``kept`` are the files that stay, some without
    their ending.
    """

    app: Flask
    club: Club
    folder: Folder
    is_whole: bool = True
    is_wide: bool = True
    is_counted: bool = False
    made_by: str = ""
    changed: set[int] = field(default_factory=set)
    players: set[int] = field(default_factory=set)
    previewed: set[int] = field(default_factory=set)
    grounds: set[str] = field(default_factory=set)
    kept: set[str] = field(default_factory=set)

    def run(self) -> None:
        """Bring the folder up to date."""
        line = Path(self.folder.root, LINE)
        with self.club.desk.store.reading() as records:
            published = records.published
            self.made_by = f"{build_of(self.club.options)}-{published.founded()}"
            puzzle = puzzle_of_day(self.club.desk.world.now()).number
            figures = *published.mark(), *published.reviewed(), puzzle
            state = " ".join(map(str, (self.made_by, *figures)))
            known = line.read_text("utf-8", "replace") if line.is_file() else ""
            if known == state:
                return
            before = re.fullmatch(rf"{self.made_by} (\d+) (\d+) (\d+) (\d+) (\d+) \d+", known)
            ids = self._board_ids(records, [*map(int, before.groups())] if before else [])
            self._find_previews(records)
        line.unlink(missing_ok=True)
        for path in _static_paths() if self.is_whole else ():
            self._visit(path)
        self._boards(ids)
        pages = [*self._players()]
        tell = teller(lambda: len(pages))
        for number, page in enumerate(pages, 1):
            self._visit(*page)
            tell(number)
        for path in self._lists():
            self._visit(path)
        for path in sorted(self.grounds):
            if self.is_whole or not Path(self.folder.root, path).is_file():
                self._visit(path)
        if self.is_wide:
            self.folder.sweep(OURS if self.is_whole else MAY_BE_EMPTY, self.kept)
            Path(self.folder.root, FORMER_STATE).unlink(missing_ok=True)
        os.sync()  # no run is remembered that a failing machine could still lose
        line.write_text(state, "utf-8")

    def _board_ids(self, records: Records, before: Sequence[int]) -> list[int]:
        """Return the boards that may have changed, and note what else may have."""
        published, self.is_whole = records.published, not before
        if before:
            entry, *_, reviews, revisions = before
            done = published.changes_since(entry)
            self.is_wide = (
                (*published.mark(entry), reviews, revisions) != (*before[:3], *published.reviewed())
                or any(verb.startswith("admin") for verb, _, _ in done)
                or not all(match_id or verb in QUIET for verb, _, match_id in done)
            )
        if self.is_wide:
            return records.matches.ids()
        named = {match_id for _, _, match_id in done if match_id}
        players = {player_id for _, player_id, _ in done if player_id}
        # A deadline or a rating may have changed on all boards of these players.
        players.update(*(stamp.player_ids for stamp in published.stamps(sorted(named))))
        return sorted(named | published.running_ids(players))

    def _find_previews(self, records: Records) -> None:
        """Find the boards that have a preview, and delete those of boards that had one."""
        offset = max(0, records.figures.boards()["finished"] - 2 * PREVIEWS)
        ids = records.published.finished_ids(offset=offset, limit=2 * PREVIEWS)
        self.previewed = {*ids[-PREVIEWS:]}
        for _, game, number in records.matches.names(ids[:-PREVIEWS]):
            self.folder.delete(f"boards/{game}/{number}.png")

    def _boards(self, ids: Sequence[int]) -> None:
        tell = teller(lambda: len(ids))
        for start in range(0, len(ids), AT_ONCE):
            some = ids[start : start + AT_ONCE]
            with self.club.desk.store.reading() as records:
                published = records.published
                club = club_id(published.founded())
                pages = Pages(Names(published.names), club, self.club.options)
                due = {one.id: found for one in published.stamps(some) if (found := self._due(one))}
                boards = load_boards(records, pages, list(due))
            for number, shown in enumerate(boards, start + len(some) - len(boards) + 1):
                for path, made_from in due[shown.match.id].items():
                    content = FILES[path.rpartition(".")[2]](pages, shown)
                    self._write(path, content, made_from)
                tell(number)

    def _due(self, stamp: BoardStamp) -> dict[str, str]:
        """Return the files of a board to be made, its page at last, and from what each is made."""
        path, is_running = f"boards/{stamp.game}/{stamp.number}", stamp.status == Status.RUNNING
        page, preview = f"{path}.html", f"{path}.png"
        plain = [f"{path}.{ending}" for ending in FILES if ending not in {"html", "png"}]
        if stamp.status == Status.REMOVED:
            is_new = sum(map(self.folder.delete, (*plain, preview, page))) > 0
            due = dict[str, str]()
        else:
            is_new = not self._is_made(page, stamp.text)
            due = dict.fromkeys(plain, "") if is_new else {}
            self.kept.add(path)
            self.grounds.add(f"grounds/{stamp.spec}.svg")
            if not is_running and stamp.id not in self.previewed:
                self.folder.delete(preview)
            elif not self._is_made(preview, stamp.picture):
                due[preview] = stamp.picture
            if is_new:
                due[page] = stamp.text
        if is_new:
            self.changed.add(stamp.id)
            self.players |= stamp.player_ids
            self.is_counted |= not is_running or not Path(self.folder.root, page).is_file()
        return due

    def _is_made(self, path: str, made_from: str) -> bool:
        return self.folder.is_made_from(path, f"{self.made_by} {made_from}")

    def _write(self, path: str, content: str | bytes, made_from: str) -> None:
        if path.endswith(".html"):
            content = frozen(str(content))
            self.grounds.update(GROUND.findall(content))
        data = content.encode() if isinstance(content, str) else content
        self.folder.write(path, data, f"{self.made_by} {made_from}")

    def _visit(self, path: str, made_from: str = "") -> None:
        """Write what is found under an address, or delete the file if there is nothing."""
        # Without what the application does around a view: an error is not to become a page.
        with self.app.test_request_context(f"/{path}"):
            try:
                answer = cast("Response", self.app.dispatch_request())
            except NotFound:
                self.folder.delete(path)
                return
        self.kept.add(path)
        self._write(path, answer.get_data(as_text=True), made_from)

    def _players(self) -> Iterator[tuple[str, str]]:
        """Yield the files of the players that may have changed, and from what each is made."""
        with self.club.desk.store.reading() as records:
            found = records.published.names(None if self.is_wide else self.players)
        for number, one in found.items():
            feed, page, text = f"players/{number}.atom", f"players/{number}.html", repr(one)
            if not one.has_page:
                self.folder.delete(feed)
                self.folder.delete(page)
                continue
            self.kept.update((feed, page))
            if self.is_whole or number in self.players or not self._is_made(page, text):
                yield from ((feed, ""), (page, text))

    def _lists(self) -> Iterator[str]:
        """Yield the addresses of all other pages that may have changed."""
        games = game_names()
        yield from ("index.html", "feed.atom", "boards/index.html", "archive/index.html")
        yield from (f"games/{game}.html" for game in games)
        stems = ["tournaments/index"]
        with self.club.desk.store.reading() as records:
            published = records.published
            # What ended before the first of the changed boards stays where it is.
            first = published.first_end(self.changed, may_be_undone=self.is_wide)
            pages = {
                f"archive/{year}-{number}": (year, number * A_CHUNK)
                for year, sizes in archive_pages(records).items()
                for number, _ in enumerate(sizes, 1)
            }
            tournaments = published.tournaments_of(self.changed)
            if self.is_wide:
                tournaments.update(number for number, *_ in published.tournaments())
        stems += [f"tournaments/{number}" for number in sorted(tournaments)]
        if self.is_wide or self.is_counted:
            stems.append("players/index")
        if self.is_whole or self.is_counted:
            each = ("index", *games)
            stems += [f"{folder}/{name}" for folder in ("standings", "openings") for name in each]
        for stem in stems:
            yield from self._several(stem)
        for path, last in pages.items():
            self.kept.add(path)
            if self.is_whole or last > first:
                yield from (f"{path}.html", f"{path}.js")

    def _several(self, stem: str) -> Iterator[str]:
        """Yield the pages of a list, and those of earlier runs behind them."""
        for number in count(1):
            path = f"{stem}.html" if number == 1 else f"{stem}-{number}.html"
            was_there = Path(self.folder.root, path).is_file()
            yield path
            if path not in self.kept and not was_there:
                return


def _static_paths() -> Iterator[str]:
    """Yield the pages that change with the program and the options alone."""
    yield from ("site.css", "site.js", "icon.svg", "games/index.html")
    for game in game_names():
        yield from (f"games/{game}.svg", f"games/{game}-blank.svg")
        yield from (f"games/{game}-{step.number}.svg" for step in pictured_steps(find_game(game)))
        yield f"openings/{TABLE}{game}.html"
        yield from (f"openings/{spec}.svg" for spec in specs_with_chances(game))
    yield from (f"manual/{name}.html" for name in manual_names())
    yield from (f"puzzle/{number}.html" for number in range(1, count_puzzles() + 1))
