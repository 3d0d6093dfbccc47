"""The archive of games: what is in it and what is not, whose names it has, and its bytes."""

import gzip
import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pbmserv.club.play import play
from pbmserv.club.player import Player, PlayerStatus, Robot, Seat, parse_userid
from pbmserv.computer.level_list import LEVELS, Level
from pbmserv.engine.formats import read_games
from pbmserv.engine.formats.own_rows import row_of
from pbmserv.engine.game import Game
from pbmserv.engine.position import SWAP, Side
from pbmserv.engine.record import Record, played
from pbmserv.engine.record_text import format_record
from pbmserv.engine.score import Outcome, Reason
from pbmserv.engine.spec import parse_game
from pbmserv.errors import Fault, Refused
from pbmserv.operators import archive
from pbmserv.operators.archive import ArchivedGame, finished_games, write_archive
from pbmserv.store.files import backup
from pbmserv.store.files.new_file import UNFINISHED, own_folder, sync
from pbmserv.store.store import Records, Store
from tests.bench import collection
from tests.databases import ONE_DATABASE, made_once
from tests.engine.sample_games import random_move
from tests.in_process_shell import Shell
from tests.local_server import DAY, NOW, LocalServer

NEW_YEAR = 1_798_761_600
"""2027-01-01 00:00:00 UTC."""

SPECS = ("star(size=3)", "hex(size=4)", "starstar(size=4,double)", "polyy(size=4)")
NAMES = ("star", "hex", "starstar", "polyy")
GAMES = 240
Row = dict[str, Any]


def sit(player: Player) -> Seat:
    return Seat(player.id, player.userid, player.robot is not None)


def random_record(spec: str, seed: int) -> Record[str]:
    """Return a whole game, a third of them with a swap."""
    chance, record = Random(seed), Record(parse_game(spec), "first", "second")
    while record.outcome is None:
        may_swap = record.game.may_swap(record.position) and seed % 3 == 0
        record = record.play(
            SWAP if may_swap else random_move(record.game, record.position, chance)
        )
    return record


def add_game(records: Records, spec: str, seats: tuple[Seat, Seat], end: int, seed: int) -> None:
    """Store a random game, a move a second, that ends at this moment."""
    copied = random_record(spec, seed)
    begin = end - copied.ply + 1
    before = after = records.matches.add(copied.game, *seats, begin)
    for number, move in enumerate(copied.moves):
        assert after.next_seat is not None
        after, _ = play(after, after.next_seat.player_id, move, begin + number)
    records.matches.save(before, after)


RESIGNED = format_record(
    replace(
        played(parse_game("star(size=3)"), ["C1", "C2"], "erin", "frank"),
        outcome=Outcome(Side.O, Reason.RESIGNATION),
        finished="2026-05-01T12:00:00Z",
    )
)


@pytest.fixture
@made_once
def club(shell: Shell) -> Shell:
    """Games of four kinds and two years, with one each of what an archive must not have.

    Carol is private and dave erased; robot4 is a computer. Erin runs a board, was declined one, had
    one removed, and imported one.
    """
    local = LocalServer(shell.url)
    local.sign_up("alice", "bob", "carol", "dave", "erin")
    with local.desk.store.writing() as records:
        robot = records.players.add("robot4", None, (), status=PlayerStatus.ACTIVE, now=NOW)
        records.players.make_robot(robot.id, Robot(4, ()))
        found = [records.players.find(name) for name in ("alice", "bob", "carol", "dave", "robot4")]
        seats = [sit(player) for player in found if player]
        for number in range(GAMES):
            first, second = Random(number).sample(seats, 2)
            end = NEW_YEAR - (GAMES // 2 - number // 2) * DAY - 1 + number % 2
            add_game(records, SPECS[number % 4], (first, second), end, number)
    running, declined, removed = (local.start(x="alice", o="erin") for _ in range(3))
    local.play(running, "C1 C2")
    local.move(declined, "erin", "resign")
    local.play(removed, "C1 C2")
    local.move(removed, "erin", "resign")
    local.do("star import erin secret-erin", RESIGNED)
    local.do("star subscribe 101 erin secret-erin")
    local.do("star chat 101 erin secret-erin -text=nosegay")
    local.do("private carol secret-carol on")
    local.do("signoff dave secret-dave -erase")
    local.desk.close()
    assert shell.run(f"admin remove star {removed} --yes").code == 0
    return shell


@pytest.fixture
def store(club: Shell) -> Iterator[Store]:
    opened = Store.open(club.url)
    yield opened
    opened.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of an archive, which is not there yet."""
    return tmp_path / "games"


def rows_of(folder: Path) -> list[Row]:
    files = sorted(folder.glob("*.jsonl.gz"))
    return [json.loads(line) for file in files for line in text_of(file).splitlines()]


def text_of(file: Path) -> str:
    return gzip.decompress(file.read_bytes()).decode()


def trees_of(folder: Path) -> list[str]:
    return [
        f"(;FF{tree}"
        for file in sorted(folder.glob("*.sgf.gz"))
        for tree in text_of(file).split("(;FF")[1:]
    ]


def files_in(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


def write(store: Store, folder: Path) -> Row:
    with own_folder(folder, "archive") as root:
        return write_archive(root, finished_games(store))


def test_every_finished_game_is_a_line_and_a_tree(club: Shell, store: Store, folder: Path) -> None:
    told = club.run(f"archive {folder}")
    rows, trees = rows_of(folder), trees_of(folder)

    assert (told.code, told.err) == (0, "")
    assert told.out == f"{GAMES} games written; the last one ended on 2026-12-31.\n"
    assert GAMES == len(trees) == len(rows) == len({row["id"] for row in rows})
    assert Counter(row["game"] for row in rows) == dict.fromkeys(NAMES, GAMES // 4)
    for row in rows:
        if (number := row["id"].partition("-")[2]).isdigit():
            with store.reading() as records:
                match = records.matches.find(row["game"], int(number))
            assert match is not None
            assert row["moves"].split() == [turn.text for turn in match.turns]
            assert row["stamps"] == [turn.played_at - match.started_at for turn in match.turns]
            assert row["winner"] == match.record.with_players("first", "second").winner


def test_our_own_readers_read_both_forms(store: Store, folder: Path) -> None:
    write(store, folder)
    for name in NAMES:
        files = (folder / f"games-{name}-2026.{ending}.gz" for ending in ("jsonl", "sgf"))
        rows, trees = ([found.record for found in read_games(text_of(file))] for file in files)

        assert len(rows) == GAMES // 4
        for row, tree in zip(rows, trees, strict=True):
            assert (row.game, row.texts, row.outcome) == (tree.game, tree.texts, tree.outcome)
            assert [row.first, row.second] == [
                each.removesuffix(" (computer)") for each in (tree.first, tree.second)
            ]


def test_what_hex_programs_read_has_the_mirrored_cells(store: Store, folder: Path) -> None:
    write(store, folder)
    rows = rows_of(folder)
    swapped = [row for row in rows if row["game"] == "hex" and " swap " in row["moves"]]

    assert {"hex"} == {row["game"] for row in rows if "moves_pieces" in row}
    assert swapped
    for row in swapped:
        ours, theirs = row["moves"].split(), row["moves_pieces"].split()
        mirrored = [
            text if text == "pass" else f"{chr(96 + int(text[1:]))}{ord(text[0]) - 64}"
            for text in ours[2:]
        ]

        assert theirs == [ours[0].lower(), "swap-pieces", *mirrored]


def test_a_game_is_in_the_file_of_the_year_in_which_it_ended(store: Store, folder: Path) -> None:
    with store.writing() as records:
        seats = [sit(player) for player in map(records.players.find, ("alice", "bob")) if player]
        for end in (NEW_YEAR - 1, NEW_YEAR):
            add_game(records, "y(size=4)", (seats[0], seats[1]), end, end)
    manifest = write(store, folder)
    ends = {
        year: [json.loads(text_of(folder / f"games-y-{year}.jsonl.gz"))["finished"]]
        for year in (2026, 2027)
    }

    assert ends == {2026: ["2026-12-31T23:59:59Z"], 2027: ["2027-01-01T00:00:00Z"]}
    assert manifest["as_of"] == "2027-01-01T00:00:00Z"


def test_games_come_in_the_order_in_which_they_ended(
    store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two games of a kind often end in the same second; none is lost between two readings."""
    write(store, folder / "at-once")
    monkeypatch.setattr(archive, "AT_ONCE", 7)
    write(store, folder / "in-parts")
    ends = [row["finished"] for row in rows_of(folder / "at-once") if row["game"] == "hex"]

    assert ends == sorted(ends)
    assert files_in(folder / "at-once") == files_in(folder / "in-parts")


def test_a_game_that_goes_on_meanwhile_is_left_out(
    club: Shell, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "AT_ONCE", 7)
    games = finished_games(store)
    found = [next(games)]
    assert club.run("admin undo starstar 101 --yes").code == 0
    found += games

    assert "starstar-101" not in {one.row["id"] for one in found}
    assert len(found) == GAMES - 1


def test_private_and_erased_players_are_named_nowhere(store: Store, folder: Path) -> None:
    write(store, folder)
    rows, trees = rows_of(folder), trees_of(folder)
    names = Counter(name for row in rows for name in (row["first"], row["second"]))
    (pseudonym,) = names.keys() - {"alice", "bob", "-", "robot4"}
    hidden = [pseudonym in {row["first"], row["second"]} for row in rows]
    text = "\n".join([json.dumps(rows), *trees])

    assert re.fullmatch("~[0-9a-f]{16}", pseudonym)
    for word in ("carol", "dave", "erased", "player", "erin", "frank", "nosegay"):
        assert word not in text.lower()
    for row, tree, is_hidden in zip(rows, trees, hidden, strict=True):
        assert is_hidden == row["id"].partition("-")[2].startswith("~")
        assert is_hidden == ("Board ~" in tree) == (f"[{pseudonym}]" in tree)
        assert f"Board {row['id'].partition('-')[2]}]" in tree
    assert names["-"] > 0
    assert 0 < sum(hidden) < len(rows)


def test_a_pseudonym_stays_and_a_name_comes_back(club: Shell, store: Store, folder: Path) -> None:
    write(store, folder / "first")
    local = LocalServer(club.url)
    local.do("private bob secret-bob on")
    write(store, folder / "second")
    local.do("private carol secret-carol off")
    write(store, folder / "third")
    local.desk.close()
    first, second, third = (
        {name for row in rows_of(folder / run) for name in (row["first"], row["second"])}
        for run in ("first", "second", "third")
    )

    assert (len(first - second), len(second - first)) == (1, 1)
    assert first - second == {"bob"}
    assert second - third == first - {"alice", "bob", "-", "robot4"}
    assert third - second == {"carol"}


def test_another_club_has_other_pseudonyms() -> None:
    same = {archive._pseudonym(key, "player 7") for key in (b"1", b"2")}

    assert len(same | {archive._pseudonym(b"1", "player 8")}) == 3
    assert archive._pseudonym(b"1", "player 7") in same


def test_no_name_of_a_player_looks_like_a_pseudonym_or_like_nobody() -> None:
    for name in (archive._pseudonym(b"1", "player 7"), archive.ERASED):
        with pytest.raises(Refused):
            parse_userid(name)


def test_a_key_is_made_once(local: LocalServer) -> None:
    with local.desk.store.writing() as records:
        made = records.archived.key()
    with local.desk.store.writing() as records:
        kept = records.archived.key()

    assert len(kept) == 32
    assert made == kept


def test_robots_are_marked(store: Store, folder: Path) -> None:
    write(store, folder)
    for row, tree in zip(rows_of(folder), trees_of(folder), strict=True):
        seats = [name for name in ("first", "second") if row[name] == "robot4"]

        assert row["robots"] == seats
        assert bool(seats) == ("[robot4 (computer)]" in tree)


def test_ratings_are_those_before_the_game(shell: Shell, folder: Path) -> None:
    local = LocalServer(shell.url)
    for options, moves, last in (
        ("-size=3", "C1 C2 pass pass", ""),
        ("-size=3", "C1 C2", "resign"),
        ("-size=3 -unrated", "C1 C2", "resign"),
    ):
        board = local.start(options)
        local.play(board, moves)
        if last:
            local.move(board, "alice", last)
    local.desk.close()
    told = shell.run(f"archive {folder} --json").document
    first, second, third = rows_of(folder)

    assert told["games"] == 3
    assert (first["rated"], first["ratings"]) == (True, {"first": 1500, "second": 1500})
    assert second["rated"]
    assert second["ratings"]["first"] != 1500
    assert (third["rated"], third["ratings"]) == (False, {"first": None, "second": None})
    assert [row["reason"] for row in (first, second)] == ["two-passes", "resignation"]
    assert sorted(first["points"]) == ["O", "X"]
    assert second["points"] is None
    assert third["clock"] == "7/21"


def test_moves_that_were_taken_over_have_no_time(local: LocalServer, folder: Path) -> None:
    local.start()
    local.play(101, "C1 C2 B3")
    local.do("star challenge -from=101#2 alice bob")
    local.clock.seconds += 60
    local.play(102, "B3 A3")
    local.move(102, "alice", "resign")
    write(local.desk.store, folder)
    (row,) = rows_of(folder)

    assert row["moves"] == "C1 C2 B3 A3"
    assert row["stamps"] == [None, None, 60, 60]


def test_the_sums_are_those_of_the_files(store: Store, folder: Path) -> None:
    manifest = write(store, folder)
    files = {file["file"]: file for file in manifest["files"]}

    assert manifest == json.loads((folder / "manifest.json").read_text())
    assert files.keys() == {file.name for file in folder.glob("games-*.gz")}
    for name, file in files.items():
        content = (folder / name).read_bytes()
        count = text_of(folder / name).count("\n" if "jsonl" in name else "(;FF")

        assert (file["bytes"], file["sha256"]) == (
            len(content),
            hashlib.sha256(content).hexdigest(),
        )
        assert file["games"] == count
        assert f'href="{name}"' in (folder / "index.html").read_text()
    assert "CC0 1.0 Universal" in (folder / "LICENSE").read_text()
    row = rows_of(folder)[0]
    readme = (folder / "README.md").read_text()

    assert [] == [name for name in (*row, "moves_pieces") if f"`{name}`" not in readme]


def test_the_same_database_makes_the_same_bytes_of_either_kind(
    store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(store, folder / "first")
    monkeypatch.setattr("time.time", lambda: 4_000_000_000.0)
    write(store, folder / "second")
    copied = folder.with_name("copy.sqlite")
    backup.backup(store, copied, overwrite=False, may_be_damaged=False)
    with closing(Store.open(str(copied))) as other:
        write(other, folder / "third")

    assert len(files_in(folder / "first")) > 10
    assert files_in(folder / "first") == files_in(folder / "second")
    assert files_in(folder / "first") == files_in(folder / "third")


def test_an_archive_of_nothing_is_one(shell: Shell, folder: Path) -> None:
    told = shell.run(f"archive {folder}")

    assert told.out == "0 games written.\n"
    assert shell.json(f"archive {folder}")["as_of"] is None
    assert files_in(folder).keys() == {
        *("LICENSE", "README.md", "index.html", "manifest.json", ".pbmserv-archive.lock")
    }


@ONE_DATABASE
def test_a_run_without_a_database_makes_no_folder(
    shell: Shell, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PBMSERV_DATABASE_URL", str(folder.with_name("none.sqlite")))

    assert shell.run(f"archive {folder}").code == 1
    assert not (folder).exists()


@ONE_DATABASE
def test_a_folder_of_others_is_left_alone(club: Shell, folder: Path) -> None:
    folder.mkdir()
    for name in ("LICENSE", "README.md", "manifest.json"):
        (folder / name).write_text("mine")
    refused = club.run(f"archive {folder}")

    assert refused.code == 1
    assert refused.err == (
        f"pbmserv: The folder {folder} contains other files.\n"
        "Name a new or empty folder, or one that pbmserv archive has made.\n"
    )
    assert {"LICENSE", "README.md", "manifest.json"} <= files_in(folder).keys()
    assert (folder / "README.md").read_text() == "mine"


@ONE_DATABASE
def test_a_file_that_was_put_beside_an_archive_stays(store: Store, folder: Path) -> None:
    write(store, folder)
    (folder / "letter.txt").write_text("mine")
    (folder / "games-go-1999.jsonl.gz").write_text("from before")
    write(store, folder)

    assert (folder / "letter.txt").read_text() == "mine"
    assert not (folder / "games-go-1999.jsonl.gz").exists()


@ONE_DATABASE
def test_a_damaged_board_leaves_the_earlier_archive(store: Store, folder: Path) -> None:
    write(store, folder)
    before = files_in(folder)
    with store.writing() as records:
        records.connection.exec_driver_sql("UPDATE move SET digest = 'x' WHERE match_id = 9")
    with pytest.raises(Fault, match="is damaged at move 1"):
        write(store, folder)

    assert files_in(folder) == before
    assert not (folder / UNFINISHED).exists()


@ONE_DATABASE
@pytest.mark.parametrize("works", [0, 1, 5, 11])
def test_a_run_that_is_broken_off_leaves_the_earlier_archive_or_none(
    store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch, works: int
) -> None:
    """Where there is a manifest, the files are those that it names; the next run mends the rest."""
    write(store, folder)
    with store.writing() as records:
        records.connection.exec_driver_sql("DELETE FROM private_player")
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", broken_after(works, Path.replace))
        with pytest.raises(KeyboardInterrupt):
            write(store, folder)

    assert not (folder / "manifest.json").exists()

    write(store, folder)
    write(store, folder.with_name("anew"))

    assert files_in(folder) == files_in(folder.with_name("anew"))


@ONE_DATABASE
@pytest.mark.parametrize("works", [0, 1, 5, 11])
def test_an_interrupted_run_leaves_the_earlier_archive(
    store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch, works: int
) -> None:
    write(store, folder)
    before = files_in(folder)
    with monkeypatch.context() as patch:
        patch.setattr(archive, "sync", broken_after(works, sync))
        with pytest.raises(KeyboardInterrupt):
            write(store, folder)

    assert files_in(folder) == before
    assert not (folder / UNFINISHED).exists()


def broken_after(works: int, call: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function that is interrupted when it is called once more often than this."""
    calls = count()

    def interrupted(*given: Any) -> Any:
        if next(calls) == works:
            raise KeyboardInterrupt
        return call(*given)

    return interrupted


@pytest.mark.parametrize("name", ["Troll]", "back\\slash\\", 'a "quote"', "Zoë", "(;B[a1])"])
def test_a_name_of_any_letters_is_read_back(folder: Path, name: str) -> None:
    record = played(parse_game("hex(size=4)"), ["B2", "C3"], name, "bob")
    record = replace(record, outcome=Outcome(Side.X, Reason.FORFEIT))
    folder.mkdir()
    write_archive(folder, [ArchivedGame("x", row_of(record), record)])
    (row,) = rows_of(folder)
    (found,) = read_games(text_of(folder / "games-hex-x.sgf.gz"))

    assert row["first"] == found.record.first == name


def test_a_collection_of_the_levels_is_the_same_each_time(folder: Path) -> None:
    levels = LEVELS[:3]
    for name in ("one", "two"):
        (folder / name).mkdir(parents=True)
        collection.make(folder / name, "star(size=3)", levels, 5, 8)
    (folder / "other").mkdir()
    collection.make(folder / "other", "star(size=3)", levels, 6, 8)
    rows = rows_of(folder / "one")

    assert files_in(folder / "one") == files_in(folder / "two")
    assert rows != rows_of(folder / "other")
    assert len(rows) == 8
    assert {row["first"] for row in rows} <= {"level1", "level2", "level3"}
    assert {row["finished"] for row in rows} == {None}


def test_a_collection_goes_on_from_what_was_played(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two"):
        (folder / name).mkdir(parents=True)
    with monkeypatch.context() as patch:
        patch.setattr(collection, "play", broken_after(5, collection.play))
        with pytest.raises(KeyboardInterrupt):
            collection.make(folder / "one", "y(size=4)", LEVELS[:2], 5, 8)
    seeds: list[str] = []
    play_on = collection.play

    def noting(game: Game, levels: Sequence[Level], seed: str) -> Record[str]:
        seeds.append(seed)
        return play_on(game, levels, seed)

    with monkeypatch.context() as patch:
        patch.setattr(collection, "play", noting)
        collection.make(folder / "one", "y(size=4)", LEVELS[:2], 5, 8)
    collection.make(folder / "two", "y(size=4)", LEVELS[:2], 5, 8)

    assert seeds == ["5 6", "5 7", "5 8"]
    assert files_in(folder / "one") == files_in(folder / "two")
