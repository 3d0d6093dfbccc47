"""``show`` writes the picture of a board at any move, and nothing that it should not."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from pbmserv.desk.request import Request
from pbmserv.engine.games import find_game, game_names
from pbmserv.errors import Denied
from pbmserv.render.blocks import BoardPicture
from pbmserv.services.session import Source
from tests.local_server import LocalServer

STARTS = {"svg": b"<svg", "png": b"\x89PNG", "html": b"<!DOCTYPE html>"}


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("moment", ["101", "101#1", "101#-1"])
def test_every_kind_is_written(local: LocalServer, tmp_path: Path, moment: str) -> None:
    board = local.start()
    local.play(board, "C2 D1")
    files = {kind: tmp_path / f"board.{kind}" for kind in STARTS}
    options = " ".join(f"--{kind}={path}" for kind, path in files.items())
    shown = local.json(f"star show {moment} {options}")

    assert shown["files"] == {kind: str(path) for kind, path in files.items()}
    assert {k: files[k].read_bytes().startswith(start) for k, start in STARTS.items()} == {
        "svg": True,
        "png": True,
        "html": True,
    }


def test_the_picture_is_that_of_the_moment(local: LocalServer, tmp_path: Path) -> None:
    local.play(local.start(), "C2 D1")
    first, last = tmp_path / "first.svg", tmp_path / "last.svg"
    local.do(f"star show 101#1 --svg={first}")
    local.do(f"star show 101 --svg={last}")

    assert "C2" in first.read_text()
    assert first.read_text() != last.read_text()


def test_another_file_is_not_overwritten(local: LocalServer, tmp_path: Path) -> None:
    local.start()
    precious = tmp_path / "games.sqlite"
    precious.write_text("precious")

    assert "file-exists" == local.code(f"star show 101 --svg={precious}")
    assert "file-exists" == local.code(f"star show 101 --svg={precious} --force")
    assert "no-such-folder" == local.code(f"star show 101 --svg={tmp_path}/none/board.svg")
    assert "precious" == precious.read_text()


def test_a_file_holds_one_board(local: LocalServer, tmp_path: Path) -> None:
    local.start()
    local.start()

    assert "one-board" == local.code(f"star show 101 102 --svg={tmp_path}/b.svg")


@pytest.mark.parametrize("words", ["show 101", "preview 101", "preview new F6", "score new"])
def test_no_mail_writes_a_file(local: LocalServer, tmp_path: Path, words: str) -> None:
    local.start()
    target = tmp_path / "board.svg"
    line = ("star", *words.split(), f"--svg={target}")
    with pytest.raises(Denied) as caught:
        local.desk.handle(Request(line, Source.MAIL, sender="alice@example.net"))

    assert caught.value.code == "shell-only"
    assert not target.exists()


def test_tried_moves_and_typed_positions_are_written_too(
    local: LocalServer, tmp_path: Path
) -> None:
    tried, typed = tmp_path / "tried.svg", tmp_path / "typed.svg"
    local.do(f"star preview new -size=3 B3 C3 --svg={tried}")
    local.do(f"star score new -size=3 --x=B3,C3 --svg={typed}")

    assert "last turn: C3" in tried.read_text()
    assert "X: B3 C3. O: none." in typed.read_text()


@pytest.mark.parametrize("words", ["show 101", "preview 101", "score 101"])
def test_owners_are_shown_where_they_are_asked_for(local: LocalServer, words: str) -> None:
    local.play(local.start(), "C2 D1")
    plain, owned = (
        [block for block in local.do(f"star {line}").blocks if isinstance(block, BoardPicture)]
        for line in (words, f"{words} --owners")
    )

    assert [False] == [block.owners for block in plain]
    assert [True] == [block.owners for block in owned]


@pytest.mark.parametrize("words", ["show 101", "score 101", "replay 101"])
def test_the_board_of_a_finished_game_shows_owners(local: LocalServer, words: str) -> None:
    local.play(local.start(), "C2 D1 pass pass")
    blocks = local.do(f"star {words}").blocks

    assert [True] == [block.owners for block in blocks if isinstance(block, BoardPicture)]


A4 = {("210mm", "297mm"), ("297mm", "210mm")}


def read(text: str) -> ET.Element:
    return ET.fromstring(text)  # noqa: S314 - our own document


def a_sheet(text: str) -> tuple[str, str]:
    start = read(text)
    return start.attrib["width"], start.attrib["height"]


def numbers_on(text: str) -> list[str]:
    found = read(text).iter("{http://www.w3.org/2000/svg}text")
    return [one.text or "" for one in found if one.get("class", "").startswith("n ")]


@pytest.mark.parametrize("game", game_names())
def test_a_poster_has_the_turn_of_every_stone(
    local: LocalServer, tmp_path: Path, game: str
) -> None:
    cells = find_game(game)().board.names[:5]
    local.do(f"{game} preview new {' '.join(cells)} -poster --svg={tmp_path}/game.svg")
    text = (tmp_path / "game.svg").read_text()

    assert a_sheet(text) in A4
    assert ["1", "2", "3", "4", "5"] == sorted(numbers_on(text))


def test_the_ring_of_no_stone_runs_through_its_number(local: LocalServer, tmp_path: Path) -> None:
    local.do(f"star preview new -size=4 D4 B3 F4 D1 F1 -poster --svg={tmp_path}/game.svg")
    shapes: dict[str, list[dict[str, str]]] = {}
    for one in read((tmp_path / "game.svg").read_text()).iter():
        kind = one.get("class", "")
        shapes.setdefault(kind, []).append(one.attrib)
    discs = {(one["cx"], one["cy"]): float(one["r"]) for one in shapes["nb"]}
    stones = {(one["cx"], one["cy"]): float(one["r"]) for one in shapes["o"]}

    assert len(shapes["n no"]) == 2
    assert discs.keys() == stones.keys()
    assert all(radius > 0.64 * stones[at] for at, radius in discs.items())


def test_the_stones_of_one_turn_have_one_number(local: LocalServer, tmp_path: Path) -> None:
    local.do(f"starstar preview new -double A9 A8+A7 pass -poster --svg={tmp_path}/game.svg")

    assert ["1", "2", "2"] == sorted(numbers_on((tmp_path / "game.svg").read_text()))


@pytest.mark.parametrize("words", ["star show 101", "hex preview new -size=3", "y preview new A17"])
def test_a_blank_board_has_no_stone_and_room_for_names(
    local: LocalServer, tmp_path: Path, words: str
) -> None:
    local.play(local.start(), "C2 D1")
    local.do(f"{words} -blank --svg={tmp_path}/board.svg")
    text = (tmp_path / "board.svg").read_text()
    stones = [one.get("class") for one in read(text).iter("{http://www.w3.org/2000/svg}circle")]

    assert a_sheet(text) in A4
    assert not {"x", "o", "lx", "lo"} & {*stones}
    assert 2 == text.count("_____</text>")


@pytest.mark.costly
@pytest.mark.parametrize("sheet", ["", "-poster", "-blank"])
def test_a_pdf_is_one_page_of_a4(local: LocalServer, tmp_path: Path, sheet: str) -> None:
    local.play(local.start(), "C2 D1")
    local.do(f"star show 101 {sheet} --pdf={tmp_path}/board.pdf")
    page = (tmp_path / "board.pdf").read_bytes()
    box = re.search(rb"/MediaBox \[0 0 ([0-9.]+) ([0-9.]+)", page)

    assert page.startswith(b"%PDF")
    assert 1 == page.count(b"/MediaBox")
    assert box is not None
    assert sorted(map(round, map(float, box.groups()))) == [595, 842]


@pytest.mark.parametrize(
    ("form", "kind"),
    [("-poster", ""), ("-blank", ""), ("-film", ""), ("-poster", "html"), ("-blank", "html")]
    + [("-film", kind) for kind in ("png", "html", "pdf")],
)
def test_a_sheet_or_a_film_needs_a_file_that_holds_it(
    local: LocalServer, tmp_path: Path, form: str, kind: str
) -> None:
    local.start()
    file = f"--{kind}={tmp_path}/board.{kind}" if kind else ""

    assert "no-file" == local.code(f"star show 101 {form} {file}")
    assert [] == [*tmp_path.glob("board.*")]


@pytest.mark.parametrize("forms", ["-poster -blank", "-film -poster", "-blank -film"])
def test_one_form_is_chosen(local: LocalServer, tmp_path: Path, forms: str) -> None:
    local.start()

    assert "options-clash" == local.code(f"star show 101 {forms} --svg={tmp_path}/b.svg")
