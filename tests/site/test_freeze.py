"""The pages follow the database, nothing is written twice, and nothing private is shown."""

import errno
import json
import multiprocessing
import os
import re
import signal
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from urllib.parse import unquote

import pytest

from pbmserv.cli.shell_commands import SHELL, shell_families
from pbmserv.club.clock import deadline
from pbmserv.club.match import Match
from pbmserv.club.play import remove
from pbmserv.commands.command_table import root
from pbmserv.engine.formats.sgf import format_sgf
from pbmserv.engine.moments import Moment, format_moment
from pbmserv.engine.position import Side
from pbmserv.engine.record_text import parse_record
from pbmserv.errors import Refused
from pbmserv.render.picture import LegendText, draw
from pbmserv.render.png import png_picture
from pbmserv.render.view import standing_words, view_match
from pbmserv.site.board_files import FILES, ShownBoard
from pbmserv.site.pages import YOU, Pages
from pbmserv.store.matches.published import Published
from pbmserv.store.progress import WATCH
from pbmserv.web.freeze import FORMER_STATE, LINE, UNFINISHED, freeze, frozen, open_folder
from tests.databases import ONE_DATABASE, copy_template
from tests.local_server import DAY, LocalServer
from tests.site.conftest import SMALL, WISHES, Club, files_in

pytestmark = pytest.mark.costly

HOSTILE = "<script>alert(1)</script>\"'&]]>"


def test_every_board_has_its_page_its_records_its_feed_and_its_preview(club: Club) -> None:
    club.build()
    files = club.files()

    for game in SMALL:
        path = f"boards/{game}/101"
        record = parse_record(club.page(f"{path}.txt"))
        document = json.loads(club.page(f"{path}.json"))

        assert list(record.texts) == document["moves"]
        assert record.outcome is not None
        assert club.page(f"{path}.sgf") == format_sgf(record)
        assert files[f"{path}.png"].startswith(b"\x89PNG")
        assert f"{path}.html" in files
        assert f"{path}.atom" in files


def test_a_run_with_nothing_new_writes_nothing(club: Club) -> None:
    club.build()
    before = club.files()

    assert (0, 0) == club.build()
    assert before == club.files()


@ONE_DATABASE
def test_a_move_changes_the_pages_of_its_board_and_its_players_alone(club: Club) -> None:
    club.build()
    before = club.files()
    club.play_on("star", 102, 1)
    club.build()
    changed = {path for path, data in club.files().items() if before.get(path) != data}
    board = {
        f"boards/star/102.{end}" for end in ("html", "txt", "json", "sgf", "atom", "png", "svg")
    }
    players = {f"players/{number}.{end}" for number in (1, 2) for end in ("html", "atom")}

    lists = {"index.html", "feed.atom", "boards/index.html", "games/star.html"}

    assert changed == board | players | lists


@pytest.mark.slow
@ONE_DATABASE
def test_what_was_made_bit_by_bit_is_what_one_run_makes(club: Club, tmp_path: Path) -> None:
    club.build()
    club.play_on("hex", 102, 4)
    club.build()
    club.local.do("star move 102 alice secret-alice resign")
    club.local.do("private bob secret-bob on")
    club.build()
    again = Club(club.local, tmp_path / "again")
    again.build()

    assert again.files() == club.files()


def test_a_removed_board_loses_its_pages(club: Club) -> None:
    club.build()
    with club.local.desk.store.writing() as records:
        found = records.matches.find("star", 101, lock=True)
        assert found is not None
        records.matches.save(found, remove(found, found.changed_at)[0])
        records.audit.add(at=1, source="shell", verb="admin remove", outcome="done")
    club.build()

    assert [] == [path for path in club.files() if path.startswith("boards/star/101.")]
    assert "boards/star/101." not in club.page("index.html")
    assert "boards/star/101." not in "".join(
        club.page(path) for path in club.files() if path.startswith("archive/")
    )


@ONE_DATABASE
def test_a_preview_that_is_wanted_again_is_drawn_again(
    club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    club.local.desk.tree = root(SHELL, shell_families())
    monkeypatch.setattr("pbmserv.web.freeze.PREVIEWS", len(SMALL))
    seen = []
    for line in ("", "star resign 102 alice secret-alice", "admin remove star 102"):
        if line:
            club.local.do(line)
        club.build()
        files = club.files()
        seen.append([f"boards/{game}/101.png" in files for game in ("hex", "star")])

        assert "boards/hex/102.png" in files

    assert [[True, True], [False, True], [True, True]] == seen


RECORDED = "(;FF[4]GM[11]SZ[5]PB[Mimhex 2]PW[Zo\u00eb <b>]RE[W+R];B[c3];W[b2])"


def test_names_in_a_record_are_beside_its_board_but_for_private_players(club: Club) -> None:
    line = "hex import alice secret-alice -first=alice -second=bob"
    board = club.local.json(line, RECORDED)["board"]
    page = f"boards/hex/{board}.html"
    club.build()

    assert "In the record alice is Mimhex 2 and bob is Zo\u00eb &lt;b&gt;." in club.page(page)
    assert '<a href="https://hexworld.org/board/#5c1,c3b2:rb">HexWorld</a>' in club.page(page)
    assert "HexWorld" not in club.page("boards/star/101.html")
    club.local.do("private bob secret-bob on")
    club.build()

    assert "In the record alice is Mimhex 2." in club.page(page)
    assert not [name for name, content in club.files().items() if "Zo\u00eb".encode() in content]


def test_who_wants_to_be_private_is_named_on_no_page(club: Club) -> None:
    club.build()

    assert "players/2.html" in club.files()

    club.local.do("private bob secret-bob on")
    club.build()
    named = [
        path
        for path, data in club.files().items()
        if b"bob" in data and not path.startswith("manual/") and not path.endswith(".png")
    ]

    assert [] == named
    assert "players/2.html" not in club.files()
    assert "player 2" in club.page("boards/star/101.html")
    for game in SMALL:
        record = parse_record(club.page(f"boards/{game}/101.txt"))

        assert {"alice", "player 2"} == {record.first, record.second}

    club.local.do("private bob secret-bob off")
    club.build()

    assert "bob" in club.page("boards/star/101.html")


def test_only_what_everybody_may_see_is_shown(club: Club) -> None:
    local = club.local
    local.do("add alice secret-alice hidden@example.org")
    local.game = "star"
    mover = local.show(102)["to_move"]
    planner = local.show(102)["players"][{"X": "O", "O": "X"}[mover]]
    local.do(f"star queue 102 {planner} secret-{planner} A3")
    local.do("star chat 102 alice secret-alice -", "whispered")
    local.do("block alice secret-alice bob")
    club.build()
    everything = b"".join(
        data for path, data in club.files().items() if not path.startswith("manual/")
    )

    assert b"hidden@example.org" not in everything
    assert b"whispered" not in everything
    assert b"queue" not in everything

    club.wishes = WISHES._replace(chat=True)
    club.build()

    assert "whispered" in club.page("boards/star/102.html")


@ONE_DATABASE
def test_what_players_write_is_text_on_every_page(club: Club) -> None:
    club.local.do("star chat 102 alice secret-alice -", HOSTILE)
    club.wishes = WISHES._replace(chat=True)
    club.build()
    page = club.page("boards/star/102.html")

    assert HOSTILE not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


@ONE_DATABASE
def test_a_board_and_the_first_page_say_whose_turn_it_is_and_until_when(club: Club) -> None:
    def told() -> tuple[str, str]:
        club.build()
        match = club.match("hex", 102)
        assert match.next_seat is not None
        with club.local.desk.store.reading() as records:
            (stored,) = records.clocks.of([match.id])
            away = records.absences.of([stored.clock.player_id])
        due_at = deadline(stored.clock, stored.limits, away[stored.clock.player_id]).at
        moment = (
            f'<time class="due" datetime="{format_moment(due_at)}">until {Moment(due_at)}</time>'
        )
        cards = club.page("boards/hex/102.html").split('<li class="card')
        (card,) = (card for card in cards if "to move" in card)
        (square,) = (
            square
            for square in club.page("index.html").split("<li>")
            if 'href="boards/hex/102.html"' in square and "<img" in square
        )

        assert f">{match.next_seat.name}</a></p>" in card
        assert f"<b>to move</b> · {moment}" in card
        assert f"<b>{match.next_seat.name} to move</b><small>{moment}</small>" in square
        return match.next_seat.name, moment

    mover, before = told()
    club.local.do(f"vacation {mover} secret-{mover} 10")
    same, later = told()

    assert same == mover
    assert later > before


@ONE_DATABASE
def test_a_board_tells_the_ratings_that_it_was_played_for(club: Club) -> None:
    local, page = club.local, "boards/hex/101.html"
    local.desk.tree = root(SHELL, shell_families())
    club.build()
    winner = club.match("hex", 101).record.winner
    assert winner is not None

    assert "<small>1662 (+162), joins" in club.page(page)

    local.do("admin remove hex 101")
    local.game = "hex"
    again = local.start("-size=5 -rated")
    local.play(again, "A1 B2")
    local.do(f"hex resign {again} bob secret-bob")
    club.build()

    assert "<small>1662 (+162), joins" in club.page(f"boards/hex/{again}.html")
    assert "<small>1662, joins" in club.page("boards/hex/102.html")


@ONE_DATABASE
def test_whoever_has_no_account_any_more_stands_in_no_list_of_the_best(club: Club) -> None:
    club.local.desk.tree = root(SHELL, shell_families())
    lists = ("standings/hex.html", "standings/index.html", "players/index.html")
    before, after = {"alice", "bob"}, {"alice"}
    for line, expected in (("private bob secret-bob off", before), ("admin close bob", after)):
        club.local.do(line)
        club.build()
        ratings = club.page("index.html").partition("<h2>Ratings")[2].partition("</section>")[0]

        for page in (*map(club.page, lists), ratings):
            assert {name for name in before if re.search(rf"\b{name}\b", page)} == expected

    assert "players/2.html" not in club.files()
    assert "alice" in club.page("boards/hex/101.html")


@ONE_DATABASE
def test_owners_are_shown_when_a_game_has_ended_and_not_before(club: Club) -> None:
    club.play_on("starstar", 102, 40)
    match, path = club.match("starstar", 102), "boards/starstar/102"
    shown = []
    for line in ("", "starstar resign 102 alice secret-alice"):
        if line:
            club.local.do(line)
        club.build()
        shown.append('<g id="own"></g>' not in club.page(f"{path}.html"))

    assert match.is_running
    assert match.game.ownership(match.position).cells
    assert shown == [False, True]


def test_what_all_pages_load_is_small(made: Club) -> None:
    sizes = {name: len(made.page(name).encode()) for name in ("site.css", "site.js")}

    assert {name for name, size in sizes.items() if size > 18_000} == set()


def test_no_page_has_a_style_or_a_handler_of_its_own(made: Club) -> None:
    for path, data in made.files().items():
        if path.endswith(".html"):
            page = data.decode()

            assert not re.search(r"<style|<[a-z][^<>]* (style|on[a-z]+)=|javascript:", page), path
            first = re.findall("<script[^>]*>", page)[0]
            assert re.search(r'site\.js\?[0-9a-f]{16}" defer>$', first), path


def test_pages_are_small(made: Club) -> None:
    sizes = {path: len(data) for path, data in made.files().items() if path.endswith(".html")}

    assert [] == [path for path, size in sizes.items() if size > 100_000]
    assert [] == [path for path in sizes if path.startswith("boards/") and sizes[path] > 60_000]


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(Refused) as caught, open_folder(tmp_path):
        pass

    assert caught.value.code == "folder-in-use"
    assert (tmp_path / "letter.txt").read_text() == "mine"


def test_a_page_that_was_never_finished_is_nothing_else(tmp_path: Path) -> None:
    (tmp_path / UNFINISHED).write_text("<html>")
    with open_folder(tmp_path) as folder:
        folder.write("index.html", b"here")

    assert files_in(tmp_path) == {"index.html": b"here"}


@ONE_DATABASE
def test_a_run_that_was_broken_off_is_ended_by_the_next_one(
    club: Club, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    club.build()
    cut = Club(club.local, tmp_path / "cut")
    rename = os.replace

    def broken(source: str, target: str) -> None:
        if target.endswith("boards/star/101.html"):
            raise KeyboardInterrupt
        rename(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", broken)
        with pytest.raises(KeyboardInterrupt):
            cut.build()

    assert {"site.css", "boards/hex/101.html"} <= cut.files().keys()
    assert "index.html" not in cut.files()

    cut.build()

    assert cut.files() == club.files()


CHANGES = {
    "a name": "admin rename bob robert",
    "a board that is removed": "admin remove y 101",
    "a running board that is removed": "admin remove y 102",
    "a board that ends": "star move 102 alice secret-alice resign",
}


@ONE_DATABASE
@pytest.mark.parametrize(
    ("change", "is_broken"),
    [*((change, True) for change in CHANGES), ("a running board that is removed", False)],
)
def test_each_change_alone_reaches_every_page_also_after_a_run_that_was_broken_off(
    club: Club,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: str,
    is_broken: bool,  # noqa: FBT001
) -> None:
    local = club.local
    local.desk.tree = root(SHELL, shell_families())
    local.do('tournament create alice secret-alice hex "Called off" -size=3')
    local.do("tournament join 2 bob secret-bob")
    local.do("tournament cancel 2 alice secret-alice")
    club.build()
    local.do(CHANGES[change])
    rename = os.replace

    def broken(source: str, target: str) -> None:
        if "/players/" in target:  # the boards were kept by then
            raise KeyboardInterrupt
        rename(source, target)

    if is_broken:
        with monkeypatch.context() as patch:
            patch.setattr(os, "replace", broken)
            with pytest.raises(KeyboardInterrupt):
                club.build()
    club.build()
    again = Club(local, tmp_path / "again")
    again.build()
    made, due = club.files(), again.files()

    stale = {path for path in made.keys() | due.keys() if made.get(path) != due.get(path)}

    assert {path for path in stale if not path.startswith("grounds/")} == set()


@ONE_DATABASE
def test_a_page_of_a_run_that_was_broken_off_goes_with_its_board(
    club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    club.local.desk.tree = root(SHELL, shell_families())
    club.build()
    before = club.files()
    club.local.game = "star"
    board = club.local.start(SMALL["star"])
    rename, page = os.replace, f"boards/star/{board}.html"

    def broken(source: str, target: str) -> None:
        rename(source, target)
        if target.endswith(page):
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", broken)
        with pytest.raises(KeyboardInterrupt):
            club.build()

    assert page in club.files()

    club.local.do(f"admin remove star {board}")
    club.build()

    assert before.keys() == club.files().keys()


def _build_killed(url: str, root: Path, files: int) -> None:
    club = Club(LocalServer(url), root)
    written = 0
    replace = os.replace

    def cut_off(source: str, target: str) -> None:
        nonlocal written
        written += 1
        if written > files:
            os.kill(os.getpid(), signal.SIGKILL)
        replace(source, target)

    os.replace = cut_off  # type: ignore[assignment]
    club.build()


@pytest.mark.slow
@ONE_DATABASE
def test_a_run_that_was_killed_leaves_whole_pages_and_the_next_one_ends_it(
    club: Club, tmp_path: Path
) -> None:
    club.build()
    for files in (1, 20, 60, 70, 80, 90, 120):
        root = tmp_path / f"killed-{files}"
        killed = multiprocessing.get_context("fork").Process(
            target=_build_killed, args=(club.local.url, root, files)
        )
        killed.start()
        killed.join()

        assert killed.exitcode == -signal.SIGKILL

        cut = Club(club.local, root)
        whole = {path: data for path, data in cut.files().items() if path.endswith(".html")}

        assert all(data.rstrip().endswith(b"</html>") for data in whole.values())

        cut.build()

        assert cut.files() == club.files()


@ONE_DATABASE
def test_a_board_that_was_looked_back_on_shows_its_chances(club: Club) -> None:
    club.build()

    assert "<h2>Winning chances</h2>" not in club.page("boards/star/101.html")

    club.review()
    club.build()
    page = club.page("boards/star/101.html")

    assert "<h2>Winning chances</h2>" in page
    assert "C3 was better (90 %, not 50 %)." in page


@ONE_DATABASE
def test_chances_are_those_of_the_game_as_it_ended(club: Club) -> None:
    club.local.desk.tree = root(SHELL, shell_families())
    shown = []
    for change in (
        club.review,
        lambda: club.local.do("admin undo star 101"),
        lambda: club.play_on("star", 101, 20),
        club.review,
    ):
        change()
        club.build()
        shown.append("<h2>Winning chances</h2>" in club.page("boards/star/101.html"))

    assert [True, False, False, True] == shown


@ONE_DATABASE
def test_whatever_has_changed_the_pages_are_those_of_a_first_run(
    club: Club, tmp_path: Path
) -> None:
    local = club.local
    local.desk.tree = root(SHELL, shell_families())
    local.sign_up("carol", "dave", "erin")
    local.do("star chat 102 alice secret-alice -", "the first remark")
    local.do("star chat 102 alice secret-alice -", "the last remark")
    local.do('tournament create carol secret-carol hex "A second one" -size=3')
    local.do("star challenge -size=3 carol dave")
    local.do("hex challenge -size=3 erin dave")
    local.do("starweb seek alice secret-alice 1 -size=5")
    club.wishes = WISHES._replace(chat=True)
    club.build()
    for lines in (
        ("admin remark remove 1", "admin remove y 101", "tournament cancel 2 carol secret-carol"),
        ("admin undo hex 101", "admin rename dave david", "starweb seek alice secret-alice 0"),
        ("private carol secret-carol on", "admin close erin", "admin suspend bob"),
    ):
        for line in lines:
            local.do(line)
        club.build()
    again = Club(local, tmp_path / "again", club.wishes)
    again.build()
    made, due = club.files(), again.files()

    stale = {path for path in made.keys() | due.keys() if made.get(path) != due.get(path)}

    # The empty board that other boards were drawn on may stay.
    assert {path for path in stale if not path.startswith("grounds/")} == set()
    assert "the last remark" in club.page("boards/star/102.html")
    assert not [path for path, data in made.items() if b"the first remark" in data]


@ONE_DATABASE
@pytest.mark.parametrize(("listed", "is_more"), [(1, True), (2, False)])
def test_a_list_says_that_there_is_more_only_where_there_is(
    club: Club,
    listed: int,
    monkeypatch: pytest.MonkeyPatch,
    is_more: bool,  # noqa: FBT001
) -> None:
    for name in ("SEEKS", "LATEST"):
        monkeypatch.setattr(f"pbmserv.web.public.{name}", listed)
    club.local.sign_up("carol", "dave")
    for options in ("-size=3", "-size=4"):
        club.local.do(f"star challenge {options} carol dave")
        club.local.do(f"star seek carol secret-carol 1 {options}")
    club.build()
    index, carol = club.page("index.html"), club.page("players/3.html")

    assert ("There are more: <code>pbmserv list</code>" in index) is is_more
    assert ("There are more: <code>pbmserv all show carol</code>" in carol) is is_more
    assert len(re.findall(r"boards/star/10[456]\.html", carol)) == listed

    club.local.game = "star"
    for board in (104, 105):
        club.local.play(board, "C3 D3")
        club.local.do(f"star resign {board} dave secret-dave")
    club.build()

    assert ("Older results are in the" in club.page("players/3.html")) is is_more


@pytest.mark.parametrize("seed", range(4))
def test_a_folder_holds_what_was_written_last_however_it_came_there(
    tmp_path: Path, seed: int
) -> None:
    chance = Random(seed)
    expected: dict[str, bytes] = {}
    for _ in range(6):
        with open_folder(tmp_path) as folder:
            for _ in range(chance.randrange(40)):
                path = chance.choice(["a.html", "boards/b.html", "boards/hex/c.html"])
                data, before = (
                    chance.choice([b"one", b"two", b""]),
                    (folder.written, folder.deleted),
                )
                if chance.random() < 0.3:
                    counted = (0, int(path in expected))

                    assert folder.delete(path) == (path in expected)
                    expected.pop(path, None)
                else:
                    counted = (int(expected.get(path) != data), 0)
                    folder.write(path, data)
                    expected[path] = data

                assert folder.written - before[0] == counted[0]
                assert folder.deleted - before[1] == counted[1]
                assert expected == files_in(tmp_path)


def test_a_file_tells_what_it_was_made_from_until_something_else_is_written(tmp_path: Path) -> None:
    with open_folder(tmp_path) as folder:
        folder.write("boards/b.html", b"here", "a move")
        assert not folder.is_made_from("boards/a.html", "a move")
        assert not folder.is_made_from("boards/b.html", "another")
    with open_folder(tmp_path) as folder:
        assert folder.is_made_from("boards/b.html", "a move")
        folder.write("boards/b.html", b"here", "another")
        assert folder.is_made_from("boards/b.html", "another")
        assert folder.written == 0
        (tmp_path / "boards/b.html").write_bytes(b"")
        assert not folder.is_made_from("boards/b.html", "another")


def test_a_file_has_the_time_at_which_its_content_changed(tmp_path: Path) -> None:
    file, long_ago = tmp_path / "a.html", 1_500_000_000

    def time_of(data: bytes, made_from: str) -> int:
        with open_folder(tmp_path) as folder:
            folder.write("a.html", data, made_from)
        return int(file.stat().st_mtime)

    time_of(b"here", "a move")
    os.utime(file, (long_ago, long_ago))

    assert time_of(b"here", "a move") == long_ago
    assert time_of(b"here", "another") == long_ago
    assert time_of(b"there", "another") > long_ago


def test_what_is_not_kept_is_swept_from_our_folders_alone(tmp_path: Path) -> None:
    with open_folder(tmp_path) as folder:
        for path in (
            "boards/hex/1.html",
            "boards/hex/1.png",
            "boards/hex/2.html",
            "players/1.atom",
        ):
            folder.write(path, b"ours")
        for path in ("robots.txt", "notes/mine.html", "boards/mine.html"):
            folder.write(path, b"mine")
        folder.sweep(["boards", "players", "games"], {"boards/hex/1", "players/1.atom"})

        assert folder.deleted == 2

    assert files_in(tmp_path).keys() == {
        *("boards/hex/1.html", "boards/hex/1.png", "players/1.atom"),
        *("robots.txt", "notes/mine.html"),
    }


@ONE_DATABASE
def test_a_player_who_is_in_the_database_no_more_loses_their_pages(club: Club) -> None:
    club.local.sign_up("carol", "dave")
    club.build()
    before = club.files().keys()
    club.local.damage("DELETE FROM player WHERE userid = 'carol'")
    club.local.do("private dave secret-dave off")
    club.build()

    assert before - club.files().keys() == {"players/3.html", "players/3.atom"}

    club.local.do("private dave secret-dave off")

    assert club.build().deleted == 0


@ONE_DATABASE
def test_a_player_whose_number_is_there_again_has_their_pages_again(club: Club) -> None:
    club.local.sign_up("carol", "dave")
    found = []
    for number in (3, 99, 3):
        club.local.damage(f"UPDATE player SET id = {number} WHERE userid = 'carol'")  # noqa: S608
        club.local.do("private dave secret-dave off")
        club.build()
        found.append([f"players/{one}.html" in club.files() for one in (3, 99)])

    assert found == [[True, False], [False, True], [True, False]]


def test_a_folder_may_lie_in_somebodys_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with open_folder(Path("~/club/pages")) as folder:
        folder.write("index.html", b"here")

    assert (tmp_path / "club" / "pages" / "index.html").read_text() == "here"


def test_a_preview_is_three_quarters_of_a_picture(made: Club) -> None:
    def size(png: bytes) -> list[int]:
        return [int.from_bytes(png[at : at + 4]) for at in (16, 20)]

    match = made.match("hex", 101)
    x, o = (match.seats[side].name for side in Side)
    words = standing_words(view_match(match), match.game.score(match.position))
    caption = LegendText(match.title, x, o, words)
    whole = size(png_picture(draw(match.game, match.position, owners=True, caption=caption)))
    preview = size((made.root / "boards/hex/101.png").read_bytes())

    assert [abs(4 * part - 3 * of) <= 4 for part, of in zip(preview, whole, strict=True)] == [
        True,
        True,
    ]


@ONE_DATABASE
def test_whoever_watches_a_run_sees_each_part_come_to_its_end(
    club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pbmserv.web.freeze.AT_ONCE", 5)
    club.local.sign_up("carol", "dave", "erin", "frank")
    parts: list[list[tuple[int, int]]] = []

    def watch(done: int, whole: int) -> None:
        if not parts or done <= parts[-1][-1][0]:
            parts.append([])
        parts[-1].append((done, whole))

    token = WATCH.set(watch)
    try:
        club.build()
    finally:
        WATCH.reset(token)
    boards = 2 * len(SMALL) + 1

    assert parts == [
        [(number, boards) for number in range(1, boards + 1)],
        [(number, 12) for number in range(1, 13)],
    ]


@ONE_DATABASE
def test_a_mail_made_ready_is_a_challenge(club: Club) -> None:
    club.local.do("starweb seek alice secret-alice 1 -size=5 -notch=1")
    club.wishes = WISHES._replace(mail="pbmserv@example.org")
    club.build()
    links = re.findall(r"mailto:pbmserv@example.org\?subject=([^\"]+)", club.page("index.html"))
    links += re.findall(r"mailto:[^?]+\?subject=([^\"]+)", club.page("players/1.html"))

    assert len(links) == 3
    assert all(re.fullmatch(r"[\w.%~-]+", link) for link in links)
    join, *challenges = map(unquote, links)
    for line, title in zip(challenges, ("Starweb", "Star"), strict=True):
        words = line.replace(YOU, "bob")

        assert club.local.text(words).startswith(f"New {title} Board")
    club.local.do(join.replace(YOU, "carol").replace("YOUR-PASSWORD", "secret-carol"))

    assert "carol" in club.local.userids()


def _flip(state: Path) -> None:
    data = bytearray(state.read_bytes())
    data[len(data) // 2] ^= 1
    state.write_bytes(data)


def _overlay(state: Path) -> None:
    state.unlink()
    os.mkfifo(state)


DAMAGE: dict[str, Callable[[Path], object]] = {
    "deleted": Path.unlink,
    "emptied": lambda state: state.write_bytes(b""),
    "other text": lambda state: state.write_text("no database", encoding="utf-8"),
    "cut off": lambda state: os.truncate(state, state.stat().st_size - 8),
    "a bit": _flip,
    "a pipe": _overlay,
}


@ONE_DATABASE
@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_state_that_is_not_whole_is_made_anew_without_a_word(club: Club, damage: str) -> None:
    club.build()
    before = club.files()
    DAMAGE[damage](club.root / LINE)
    with club.local.desk.store.writing() as records:
        found = records.matches.find("star", 101, lock=True)
        assert found is not None
        records.matches.save(found, remove(found, found.changed_at)[0])
        records.audit.add(at=1, source="shell", verb="admin remove", outcome="done")
    (club.root / "robots.txt").write_text("mine", encoding="utf-8")
    (club.root / "boards/star/999.html").write_text("of an earlier run", encoding="utf-8")
    first, second = club.build(), club.build()
    after = club.files()
    changed = {path for path, data in after.items() if before.get(path) != data} - {"robots.txt"}

    assert first.written == len(changed)
    assert second == (0, 0)
    assert not [path for path in after if path.startswith(("boards/star/101.", "boards/star/999"))]
    assert after.keys() <= before.keys() | {"robots.txt"}
    assert after["robots.txt"] == b"mine"
    assert after["boards/hex/101.html"] == before["boards/hex/101.html"]


def test_a_page_that_is_kept_is_what_a_guest_sees_without_what_is_alive(made: Club) -> None:
    visitor = made.app().test_client()
    for path, data in made.files().items():
        live = visitor.get(f"/{path}").data

        assert data == (frozen(live.decode()).encode() if path.endswith(".html") else live), path


def test_what_is_alive_is_taken_out_wherever_it_stands() -> None:
    page = "<p>\n<!--live-->\n<a>in</a>\n<!--/live-->\n</p><!--live--><b><!--/live--><i><!--x-->"

    assert frozen(page) == "<p>\n</p><i><!--x-->"
    assert frozen("<p>") == "<p>"


def drawn(club: Club, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Bring the folder up to date; return the boards whose page was made."""
    found = []
    page = FILES["html"]

    def noting(pages: Pages, shown: ShownBoard) -> str | bytes:
        found.append(f"{shown.match.game.name} {shown.match.number}")
        return page(pages, shown)

    with monkeypatch.context() as patch:
        patch.setattr("pbmserv.web.freeze.FILES", {**FILES, "html": noting})
        club.build()
    return found


@ONE_DATABASE
def test_no_board_is_drawn_but_those_on_whose_pages_something_changed(
    club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    local = club.local
    local.desk.tree = root(SHELL, shell_families())
    everything = {f"{game} {board}" for game in SMALL for board in (101, 102)} | {"star 103"}
    running = everything - {f"{game} 101" for game in SMALL}
    local.sign_up("carol")
    expected: list[tuple[str, set[str]]] = [
        ("", everything),
        ("star seek alice secret-alice 1", set()),
        ("signup dave secret-dave", set()),
        ("message alice secret-alice bob -", set()),
        ("star chat 102 alice secret-alice -", {"star 102"}),
        ("hex resign 102 bob secret-bob", {"hex 102"}),
        ("vacation alice secret-alice 10", running - {"hex 102"}),
        ("admin rename bob robert", everything),
        ("private carol secret-carol on", set()),
        ("admin remove star 101", {"star 102", "star 103"}),
    ]
    for line, boards in expected:
        if line:
            local.do(line, "Hello.")

        assert (line, set(drawn(club, monkeypatch))) == (line, boards)


@ONE_DATABASE
def test_a_run_of_which_nothing_is_known_draws_no_board_again(
    club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    club.build()
    (club.root / LINE).unlink()
    (club.root / "boards/star/101.html").unlink()
    os.truncate(club.root / "boards/hex/101.html", 0)
    (club.root / "boards/y/101.png").unlink()

    assert drawn(club, monkeypatch) == ["hex 101", "star 101"]
    assert "boards/y/101.png" in club.files()


@ONE_DATABASE
def test_a_run_with_nothing_new_makes_no_page(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    club.build()
    app = club.app()
    monkeypatch.setattr(app, "dispatch_request", lambda: 1 // 0)

    assert freeze(app, club.root) == (0, 0)


@ONE_DATABASE
def test_the_puzzle_of_a_new_day_is_on_the_first_page(club: Club) -> None:
    club.build()
    before = club.files()
    club.local.clock.seconds += DAY
    club.build()

    assert {path for path, data in club.files().items() if before[path] != data} == {"index.html"}


def first_run(club: Club, tmp_path: Path) -> dict[str, bytes]:
    """Return the files of a first run, without the empty boards, of which any may stay."""
    return without_grounds(Club(club.local, tmp_path / "first", club.wishes))


def without_grounds(club: Club) -> dict[str, bytes]:
    club.build()
    return {path: data for path, data in club.files().items() if not path.startswith("grounds/")}


@ONE_DATABASE
def test_pages_follow_a_database_that_was_restored(club: Club, tmp_path: Path) -> None:
    file, kept = Path(club.local.url), tmp_path / "kept.sqlite"
    kept.write_bytes(file.read_bytes())
    club.play_on("hex", 102, 4)
    club.build()
    club.local.close()
    file.write_bytes(kept.read_bytes())
    club.local.clock.seconds += 1
    club.play_on("star", 102, 20)

    assert without_grounds(club) == first_run(club, tmp_path)


@ONE_DATABASE
def test_pages_follow_what_was_committed_after_what_began_later(club: Club, tmp_path: Path) -> None:
    local = club.local
    local.damage(
        "INSERT INTO audit (id, at, source, verb, detail, outcome) "
        "SELECT max(id) + 10, max(at), 'shell', 'login', '', 'done' FROM audit"
    )
    club.build()
    club.play_on("star", 102, 1)
    local.damage("UPDATE audit SET id = id - 5 WHERE id = (SELECT max(id) FROM audit)")

    assert without_grounds(club) == first_run(club, tmp_path)


@ONE_DATABASE
def test_pages_follow_an_audit_that_was_shortened(club: Club, tmp_path: Path) -> None:
    club.build()
    club.play_on("star", 102, 1)
    club.local.damage("DELETE FROM audit WHERE id < (SELECT max(id) FROM audit)")

    assert without_grounds(club) == first_run(club, tmp_path)


@ONE_DATABASE
def test_the_archive_is_in_order_also_when_the_clock_went_back(
    club: Club, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("public", "freeze"):
        monkeypatch.setattr(f"pbmserv.web.{module}.A_CHUNK", 2)
    for game, days in (("star", 400), ("hex", -800), ("y", 30)):
        club.build()
        club.local.clock.seconds += days * DAY
        club.local.do(f"{game} resign 102 alice secret-alice")

    assert without_grounds(club) == first_run(club, tmp_path)


@ONE_DATABASE
def test_a_folder_of_another_club_or_of_other_options_is_made_anew(
    club: Club, tmp_path: Path, sqlite_template: Path
) -> None:
    club.build()
    other = Club(LocalServer(copy_template(sqlite_template, tmp_path / "other")), club.root)
    other.local.clock.seconds += DAY
    other.local.start()

    assert without_grounds(other) == first_run(other, tmp_path)

    other.wishes = WISHES._replace(url="https://club.example.org/")
    other.build()

    assert "https://club.example.org/" in other.page("feed.atom")
    other.local.close()


@ONE_DATABASE
def test_a_folder_of_an_earlier_version_is_taken_over(club: Club) -> None:
    club.root.mkdir()
    for name in (".pbmserv-site.lock", FORMER_STATE, "grounds/star-size-3.svg", "robots.txt"):
        (club.root / name).parent.mkdir(exist_ok=True)
        (club.root / name).write_text("former", encoding="ascii")
    club.build()

    assert club.page("robots.txt") == "former"
    assert not (club.root / FORMER_STATE).exists()
    assert "grounds/star-size-3.svg" not in club.files()
    assert "grounds/star(size=3).svg" in club.files()


@ONE_DATABASE
def test_boards_are_read_some_at_a_time_and_drawn_while_others_write(
    club: Club, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = first_run(club, tmp_path)
    monkeypatch.setattr("pbmserv.web.freeze.AT_ONCE", 3)
    read, page = [], FILES["html"]

    def writing(pages: Pages, shown: ShownBoard) -> str | bytes:
        with club.local.desk.store.writing() as records:
            records.talk.subscribe(1, 1)
            records.talk.unsubscribe(1, 1)
        return page(pages, shown)

    def noting(self: Published, ids: Sequence[int]) -> list[Match]:
        read.append(len(ids))
        return matches(self, ids)

    matches = Published.matches
    monkeypatch.setattr(Published, "matches", noting)
    monkeypatch.setattr("pbmserv.web.freeze.FILES", {**FILES, "html": writing})

    assert without_grounds(club) == expected
    assert max(read) == 3


@ONE_DATABASE
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_a_folder_that_cannot_be_written_damages_no_page(
    club: Club, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    club.build()
    before = club.files()
    club.play_on("star", 102, 1)

    def full(source: str, target: str) -> None:
        raise OSError(number, os.strerror(number), source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        with pytest.raises(Refused, match=os.strerror(number)) as caught:
            club.build()

    assert caught.value.code == "cannot-write"
    assert club.files() == before

    club.build()

    assert club.files() != before


@ONE_DATABASE
def test_a_second_run_waits_for_the_first(club: Club) -> None:
    with open_folder(club.root):
        second = threading.Thread(target=club.build)
        second.start()
        second.join(0.2)

        assert second.is_alive()
        assert club.files() == {}
    second.join()

    assert "index.html" in club.files()


@ONE_DATABASE
def test_what_a_broken_view_makes_is_no_page(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    club.build()
    before = club.files()
    club.play_on("star", 102, 1)
    with monkeypatch.context() as patch:
        patch.setattr("pbmserv.site.game_pages.game_page", lambda *_: 1 // 0)
        with pytest.raises(ZeroDivisionError):
            club.build()

    assert club.files()["games/star.html"] == before["games/star.html"]


@ONE_DATABASE
def test_no_word_of_a_player_leads_out_of_the_folder(club: Club, tmp_path: Path) -> None:
    outside = tmp_path / "outside.svg"
    outside.write_text("mine", encoding="ascii")
    for text in ("../../outside.svg", "../outside.svg", str(outside), "x" * 90, "x" * 300, "%00"):
        name = f"grounds/{text}"
        club.local.do("star chat 102 alice secret-alice -", f'{name} "{name}.svg" {name}#.svg')
        if len(name) < 60:
            club.local.do(f'tournament create alice secret-alice star "{name}.svg" -size=3')
    club.wishes = WISHES._replace(chat=True)
    club.build()

    assert outside.read_text(encoding="ascii") == "mine"
    assert {path.name for path in tmp_path.iterdir()} >= {"outside.svg", "pages"}
    assert not [path for path in club.files() if "x" * 9 in path or "outside" in path]
