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
from hashlib import blake2b, sha256
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pbmserv.cli.printing import print_result
from pbmserv.cli.shell import Shell
from pbmserv.club.clock import StoredClock
from pbmserv.club.match import Match
from pbmserv.club.time_limits import format_limits
from pbmserv.club.wording import with_count
from pbmserv.commands.declaration import Word, command
from pbmserv.commands.game_records import record_of
from pbmserv.commands.slots import DIR, slot
from pbmserv.engine.formats.own_rows import row_of
from pbmserv.engine.formats.sgf import format_sgf
from pbmserv.engine.record import Record
from pbmserv.errors import EXIT_DONE
from pbmserv.store.files.new_file import UNFINISHED, own_folder, sync
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
        for name in names:
            packed = (folder / name).read_bytes()
            sums = {"bytes": len(packed), "sha256": sha256(packed).hexdigest()}
            files.append({"file": name, "game": game, "games": count, **sums})
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


def finished_games(store: Store) -> Iterator[ArchivedGame]:
    """Yield the games for the archive, each game's in the order in which they ended."""
    with store.writing(for_operators=True) as records:
        ends, key = records.archived.ends(), records.archived.key()
    tell = teller(lambda: len(ends))
    for done in range(0, len(ends), AT_ONCE):
        some = dict(ends[done : done + AT_ONCE])
        with store.reading() as records:
            matches = {match.id: match for match in records.published.matches([*some])}
            seats = {seat for match in matches.values() for seat in (match.first, match.second)}
            names = records.published.names({seat.player_id for seat in seats})
            changes = records.published.changes([*some])
            clocks = {clock.match_id: clock for clock in records.clocks.of(some)}
        for number, end in some.items():
            match = matches[number]
            # Meanwhile an end may have been undone, and come again.
            if match.changed_at == end and not (match.is_running or match.is_removed):
                yield _archived(match, clocks.get(number), names, changes, key)
        tell(done + len(some))


def _archived(
    match: Match,
    clock: StoredClock | None,
    names: Mapping[int, PublicPlayer],
    changes: Mapping[tuple[int, int], tuple[float, float]],
    key: bytes,
) -> ArchivedGame:
    """Return a game as it is written."""
    first, second = (
        seat._replace(userid=_public_name(seat.player_id, names[seat.player_id], key))
        for seat in (match.first, match.second)
    )
    record = record_of(replace(match, first=first, second=second))
    seats = {"first": first.player_id, "second": second.player_id}
    if any(names[player_id].is_private for player_id in seats.values()):
        # By the number of the board everybody can ask who plays there.
        record = replace(record, board=_pseudonym(key, f"board {match.id}"))
    rated = {who: changes.get((match.id, player_id)) for who, player_id in seats.items()}
    taken_over = match.origin.ply if match.origin else 0
    row = {
        **row_of(record),
        "rated": match.is_rated and not match.is_agreed_early,
        "ratings": {who: change and round(change[0]) for who, change in rated.items()},
        "clock": clock and format_limits(clock.limits),
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
