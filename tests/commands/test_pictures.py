"""``show`` writes the picture of a board at any move, and nothing that it should not."""

from pathlib import Path

import pytest

from pbmserv.commands.answer import Source
from pbmserv.desk.request import Request
from pbmserv.errors import Denied
from tests.house import House

STARTS = {"svg": b"<svg", "png": b"\x89PNG", "html": b"<!DOCTYPE html>"}


@pytest.mark.parametrize("moment", ["101", "101#1", "101#-1"])
def test_every_kind_is_written(house: House, tmp_path: Path, moment: str) -> None:
    board = house.start()
    house.play(board, "C2 D1")
    files = {kind: tmp_path / f"board.{kind}" for kind in STARTS}
    options = " ".join(f"--{kind}={path}" for kind, path in files.items())
    shown = house.json(f"star show {moment} {options}")

    assert shown["files"] == {kind: str(path) for kind, path in files.items()}
    assert {k: files[k].read_bytes().startswith(start) for k, start in STARTS.items()} == {
        "svg": True,
        "png": True,
        "html": True,
    }


def test_the_picture_is_that_of_the_moment(house: House, tmp_path: Path) -> None:
    house.play(house.start(), "C2 D1")
    first, last = tmp_path / "first.svg", tmp_path / "last.svg"
    house.do(f"star show 101#1 --svg={first}")
    house.do(f"star show 101 --svg={last}")

    assert "C2" in first.read_text()
    assert first.read_text() != last.read_text()


def test_another_file_is_not_overwritten(house: House, tmp_path: Path) -> None:
    house.start()
    precious = tmp_path / "games.sqlite"
    precious.write_text("precious")

    assert "file-exists" == house.code(f"star show 101 --svg={precious}")
    assert "cannot-write" == house.code(f"star show 101 --svg={tmp_path}/none/board.svg")
    assert "precious" == precious.read_text()


def test_a_file_holds_one_board(house: House, tmp_path: Path) -> None:
    house.start()
    house.start()

    assert "one-board" == house.code(f"star show 101 102 --svg={tmp_path}/b.svg")


def test_no_mail_writes_a_file(house: House, tmp_path: Path) -> None:
    house.start()
    target = tmp_path / "board.svg"
    words = ("star", "show", "101", f"--svg={target}")
    with pytest.raises(Denied) as caught:
        house.desk.handle(Request(words, Source.MAIL, sender="alice@example.net"))

    assert caught.value.code == "shell-only"
    assert not target.exists()
