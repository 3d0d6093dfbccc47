"""The pages follow the database, nothing is written twice, and nothing private is shown."""

import json
import multiprocessing
import os
import re
import signal
from pathlib import Path
from urllib.parse import unquote

import pytest

from pbmserv.club.operator_actions import remove
from pbmserv.engine.record import parse_record
from pbmserv.errors import Refused
from pbmserv.site.folder import opened
from pbmserv.site.pages import YOU
from tests.databases import ONE_DATABASE
from tests.local_server import LocalServer
from tests.site.conftest import SMALL, WISHES, Club

HOSTILE = "<script>alert(1)</script>\"'&]]>"


def test_every_board_has_its_page_its_records_its_feed_and_its_preview(club: Club) -> None:
    club.build()
    files = club.files()

    for game in SMALL:
        path = f"boards/{game}/101"
        record = parse_record(club.page(f"{path}.txt"))
        document = json.loads(club.page(f"{path}.json"))

        assert list(record.moves) == document["moves"]
        assert record.outcome is not None
        assert club.page(f"{path}.sgf").count(";") == 1 + len(record.moves)
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
    board = {f"boards/star/102.{end}" for end in ("html", "txt", "json", "sgf", "atom", "png")}
    players = {f"players/{number}.{end}" for number in (1, 2) for end in ("html", "atom")}

    assert changed == board | players | {"index.html", "feed.atom"}


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
    preview = "boards/star/101.png"
    seen = []
    for most in (1_000, 0, 1_000):
        monkeypatch.setattr("pbmserv.site.build.PREVIEWS", most)
        club.play_on("hex", 102, 1)
        club.build()
        seen.append(preview in club.files())

    assert [True, False, True] == seen


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
    local.do("star chat 102 alice secret-alice", "whispered")
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
    club.local.do("star chat 102 alice secret-alice", HOSTILE)
    club.wishes = WISHES._replace(chat=True)
    club.build()
    page = club.page("boards/star/102.html")

    assert HOSTILE not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_pages_are_small(made: Club) -> None:
    sizes = {path: len(data) for path, data in made.files().items() if path.endswith(".html")}

    assert [] == [path for path, size in sizes.items() if size > 100_000]
    assert [] == [path for path in sizes if path.startswith("boards/") and sizes[path] > 60_000]


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(Refused) as caught, opened(tmp_path):
        pass

    assert caught.value.code == "folder-in-use"
    assert (tmp_path / "letter.txt").read_text() == "mine"


@ONE_DATABASE
def test_a_run_that_was_broken_off_is_ended_by_the_next_one(
    club: Club, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    club.build()
    cut = Club(club.local, tmp_path / "cut")
    boards = sum(path.startswith("boards/") for path in club.files())
    rename = os.replace

    def broken(source: str, target: str) -> None:
        nonlocal boards
        boards -= 1
        if boards < 0:
            raise KeyboardInterrupt
        rename(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", broken)
        with pytest.raises(KeyboardInterrupt):
            cut.build()
    cut.build()

    assert cut.files() == club.files()


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

    assert "<h2>Chances</h2>" not in club.page("boards/star/101.html")

    with club.local.desk.store.writing() as records:
        found = records.matches.find("star", 101)

        assert found is not None

        looks = [[0.5, "C3", 0.9, ["C3"]] for _ in range(found.ply + 1)]
        records.reviews.keep(found.id, found.revision, {"settled_at": None, "looks": looks})
    club.build()
    page = club.page("boards/star/101.html")

    assert "<h2>Chances</h2>" in page
    assert "C3 was better (90%, not 50%)." in page


@ONE_DATABASE
def test_a_mail_made_ready_is_a_challenge(club: Club) -> None:
    club.local.do("starweb seek alice secret-alice 1 -size=5 -notch=1")
    club.wishes = WISHES._replace(mail="pbmserv@example.org")
    club.build()
    links = re.findall(r"mailto:pbmserv@example.org\?subject=([^\"]+)", club.page("index.html"))
    links += re.findall(r"mailto:[^?]+\?subject=([^\"]+)", club.page("players/1.html"))

    assert len(links) == 2
    for line, title in zip(map(unquote, links), ("Starweb", "Star"), strict=True):
        words = line.replace(YOU, "bob")

        assert club.local.text(words).startswith(f"New {title} Board")
