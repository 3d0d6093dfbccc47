"""``archive``: all finished games as files for everybody, the same bytes from the same database.

The folder has the games of each game and year, a line and an SGF tree each, in the order in which
they ended. Private players have pseudonyms, by a key that the database keeps. New files take the
place of the earlier ones only when all of them are whole.
"""

import gzip
import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from hashlib import blake2b, file_digest
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pbmserv.cli.printing import print_result
from pbmserv.cli.shell import Shell
from pbmserv.club.wording import with_count
from pbmserv.commands.declaration import Word, command
from pbmserv.commands.game_records import record_of
from pbmserv.commands.slots import DIR, slot
from pbmserv.engine.formats.own_rows import row_of
from pbmserv.engine.formats.sgf import format_sgf
from pbmserv.engine.games import game_names
from pbmserv.engine.record import Record
from pbmserv.errors import EXIT_DONE
from pbmserv.store.files.new_file import UNFINISHED, own_folder, sync
from pbmserv.store.matches.archived import FinishedMatch
from pbmserv.store.matches.published import PublicPlayer
from pbmserv.store.progress import teller
from pbmserv.store.store import Store

SCHEMA = "pbmserv-archive-1"
"""The name of the form of the manifest; a row has its own."""

MANIFEST = "manifest.json"
TEXTS = Path(__file__).with_name("archive_texts")
"""What every archive has besides: what the rows hold, the license, and a page of its files."""

ERASED = "-"
ITEM = '<li><a href="{file}">{file}</a>, games: {games}, bytes: {bytes}'

AT_ONCE = 200
"""Games read in one transaction: a reader that stays open blocks commits."""

LEVEL = 6
"""Of compression: 9 takes three times as long and saves a fiftieth."""


class ArchivedGame(NamedTuple):
    """A game as it is written: in the file of this ``part``, such as a year, as row and as SGF."""

    part: str
    row: Mapping[str, Any]
    record: Record[str]


@command()
def archive(shell: Shell, folder: Annotated[str, Word(slot(DIR))]) -> int:
    """Write all finished games into the folder DIR, for everybody: JSON lines and SGF.

    They are in the public domain from then on (CC0). Imported games, comments and chat are not in
    the archive. Players who hide their names have pseudonyms. See help admin.
    """
    store = shell.desk.store  # without a database there is no folder, either
    with own_folder(Path(folder), "archive") as root:
        manifest = write_archive(root, finished_games(store))
    count, until = manifest["games"], manifest["as_of"]
    told = f"; the last one ended on {until[:10]}" if until else ""
    size = sum(file["bytes"] for file in manifest["files"])
    document = {"archive": folder, "games": count, "as_of": until, "bytes": size}
    print_result(document, f"{with_count(count, 'game')} written{told}.", shell.options)
    return EXIT_DONE


def write_archive(root: Path, games: Iterable[ArchivedGame]) -> dict[str, Any]:
    """Write these games, which come in the order of the files; return the manifest.

    The earlier manifest goes before anything is replaced, and the new one comes last: beside a
    manifest are the files that it names.
    """
    draft = root / UNFINISHED
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir()
    try:
        manifest = _write_files(draft, games)
        for file in draft.iterdir():
            sync(file)
    except BaseException:
        shutil.rmtree(draft)
        raise
    (root / MANIFEST).unlink(missing_ok=True)
    sync(root)  # so that a failing machine cannot bring it back beside other files
    for file in root.glob("games-*.gz"):
        file.unlink()
    for file in sorted(draft.iterdir(), key=lambda file: file.name == MANIFEST):
        file.replace(root / file.name)
    draft.rmdir()
    sync(root)
    return manifest


def _write_files(folder: Path, games: Iterable[ArchivedGame]) -> dict[str, Any]:
    files, as_of = [], ""
    for (game, part), some in groupby(games, lambda one: (one.record.game.name, one.part)):
        stem, count = f"games-{game}-{part}", 0
        names = f"{stem}.jsonl.gz", f"{stem}.sgf.gz"
        with _packed(folder / names[0]) as rows, _packed(folder / names[1]) as trees:
            for one in some:
                rows(json.dumps(one.row, separators=(",", ":")) + "\n")
                trees(format_sgf(one.record))
                count, as_of = count + 1, max(as_of, one.record.finished)
        files += [_facts(folder / name, game=game, games=count) for name in names]
    manifest = {
        "schema": SCHEMA,
        "license": "CC0-1.0",
        "as_of": as_of or None,
        "games": sum(file["games"] for file in files) // 2,
        "files": files,
    }
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", "utf-8")
    items = "\n".join(ITEM.format(**file) for file in files)
    for text in TEXTS.iterdir():
        filled = text.read_text("utf-8").format(games=manifest["games"], files=items)
        (folder / text.name).write_text(filled, "utf-8")
    return manifest


@contextmanager
def _packed(file: Path) -> Iterator[Callable[[str], object]]:
    """Yield what writes texts into a compressed file, which has neither a name nor a time in it."""
    with file.open("wb") as raw, gzip.GzipFile("", "wb", LEVEL, raw, mtime=0) as packed:
        yield lambda text: packed.write(text.encode())


def _facts(file: Path, **known: object) -> dict[str, Any]:
    with file.open("rb") as content:
        digest = file_digest(content, "sha256").hexdigest()
    return {"file": file.name, **known, "bytes": file.stat().st_size, "sha256": digest}


def finished_games(store: Store) -> Iterator[ArchivedGame]:
    """Yield the games for the archive, each game's in the order in which they ended."""
    with store.writing(for_operators=True) as records:
        (count, until), key = records.archived.extent(), records.archived.key()
    tell, done = teller(lambda: count), 0
    for game in game_names():
        place = (-1, 0)
        while True:
            with store.reading() as records:
                found = records.archived.after(game, place, until=until, limit=AT_ONCE)
                seats = {s.player_id for one in found for s in (one.match.first, one.match.second)}
                names = records.published.names(seats)
                changes = records.published.changes([one.match.id for one in found])
            if not found:
                break
            for one in found:
                yield _archived(one, names, changes, key)
            place = found[-1].finished_at, found[-1].match.id
            tell(done := done + len(found))


def _archived(
    found: FinishedMatch,
    names: Mapping[int, PublicPlayer],
    changes: Mapping[tuple[int, int], tuple[float, float]],
    key: bytes,
) -> ArchivedGame:
    """Return a game as it is written."""
    seats = found.match.first, found.match.second
    is_hidden = any(names[seat.player_id].is_private for seat in seats)
    first, second = (
        seat._replace(userid=_public_name(seat.player_id, names[seat.player_id], key))
        for seat in seats
    )
    match = replace(found.match, first=first, second=second)
    record = record_of(match)
    if is_hidden:  # by the number of the board everybody can ask who plays there
        record = replace(record, board=_pseudonym(key, f"board {match.id}"))
    before = [changes.get((match.id, seat.player_id), (None,))[0] for seat in seats]
    taken_over = match.origin.ply if match.origin else 0
    row = {
        **row_of(record),
        "rated": match.is_rated and not match.is_agreed_early,
        "ratings": {
            name: value and round(value)
            for name, value in zip(("first", "second"), before, strict=True)
        },
        "clock": found.limits,
        "stamps": [
            None if number < taken_over else turn.played_at - match.started_at
            for number, turn in enumerate(match.turns)
        ],
    }
    shown = replace(record, first=first.name, second=second.name)
    return ArchivedGame(record.finished[:4], row, shown)


def _public_name(number: int, player: PublicPlayer, key: bytes) -> str:
    if player.is_private:
        return _pseudonym(key, f"player {number}")
    return ERASED if player.is_erased else player.userid


def _pseudonym(key: bytes, what: str) -> str:
    """Return the same text for the same thing in every archive of this club; no userid is like it.

    >>> _pseudonym(b"key", "player 7") == _pseudonym(b"key", "player 8")
    False
    """
    return f"~{blake2b(what.encode(), key=key, digest_size=8).hexdigest()}"
