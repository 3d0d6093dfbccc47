"""``show`` writes the picture of a board at any move, and nothing that it should not."""

from pathlib import Path

import pytest

from pbmserv.desk.request import Request
from pbmserv.errors import Denied
from pbmserv.services.session import Source
from tests.local_server import LocalServer

STARTS = {"svg": b"<svg", "png": b"\x89PNG", "html": b"<!DOCTYPE html>"}


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


def test_no_mail_writes_a_file(local: LocalServer, tmp_path: Path) -> None:
    local.start()
    target = tmp_path / "board.svg"
    words = ("star", "show", "101", f"--svg={target}")
    with pytest.raises(Denied) as caught:
        local.desk.handle(Request(words, Source.MAIL, sender="alice@example.net"))

    assert caught.value.code == "shell-only"
    assert not target.exists()
