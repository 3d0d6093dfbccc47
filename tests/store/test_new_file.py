"""A new file is complete under its name or not there at all, and overwrites nothing unasked."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from pbmserv.errors import PbmservError, Refused
from pbmserv.store.files.location import full_path
from pbmserv.store.files.new_file import new_file, write_file


def write(target: Path, *, overwrite: bool = False) -> None:
    with new_file(target, overwrite=overwrite) as unfinished:
        unfinished.write_text("new")


def write_in_vain(target: Path, error: Exception) -> None:
    with new_file(target, overwrite=True) as unfinished:
        unfinished.write_text("half")
        raise error


def refusal(action: Callable[[], object]) -> Refused:
    with pytest.raises(Refused) as caught:
        action()
    return caught.value


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("before", [None, "old"])
def test_a_half_written_file_is_never_under_its_name(tmp_path: Path, before: str | None) -> None:
    target = tmp_path / "file.txt"
    if before is not None:
        target.write_text(before)
    with new_file(target, overwrite=True) as unfinished:
        unfinished.write_text("half")
        found = target.read_text() if target.exists() else None

    assert found == before
    assert target.read_text() == "half"
    assert names(tmp_path) == ["file.txt"]


@pytest.mark.parametrize("before", [None, "old"])
def test_a_failure_leaves_what_was_there(tmp_path: Path, before: str | None) -> None:
    target = tmp_path / "file.txt"
    if before is not None:
        target.write_text(before)
    with pytest.raises(ZeroDivisionError):
        write_in_vain(target, ZeroDivisionError())

    assert names(tmp_path) == ([] if before is None else ["file.txt"])
    assert before is None or target.read_text() == before


def test_nothing_is_overwritten_unasked(tmp_path: Path) -> None:
    target = tmp_path / "file.txt"
    target.write_text("old")
    error = refusal(lambda: write(target))

    assert error.code == "file-exists"
    assert "--force" in error.advice
    assert target.read_text() == "old"

    write(target, overwrite=True)

    assert target.read_text() == "new"
    assert names(tmp_path) == ["file.txt"]


def test_who_comes_between_is_not_overwritten(tmp_path: Path) -> None:
    target = tmp_path / "file.txt"

    def race() -> None:
        with new_file(target) as unfinished:
            unfinished.write_text("mine")
            target.write_text("theirs")

    assert refusal(race).code == "file-exists"
    assert target.read_text() == "theirs"
    assert names(tmp_path) == ["file.txt"]


def test_without_hard_links_it_works_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    target = tmp_path / "file.txt"
    write(target)

    assert refusal(lambda: write(target)).code == "file-exists"
    assert names(tmp_path) == ["file.txt"]


@pytest.mark.parametrize("overwrite", [False, True])
def test_nothing_is_written_through_a_symbolic_link(tmp_path: Path, *, overwrite: bool) -> None:
    precious, link = tmp_path / "precious", tmp_path / "link"
    precious.write_text("old")
    link.symlink_to(precious)
    error = refusal(lambda: write(link, overwrite=overwrite))

    assert error.code == "file-exists"
    assert "--force" not in error.advice
    assert link.is_symlink()
    assert precious.read_text() == "old"


def test_a_link_to_nowhere_makes_no_file(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "elsewhere")

    assert refusal(lambda: write(link, overwrite=True)).code == "file-exists"
    assert names(tmp_path) == ["link"]


def test_a_folder_and_a_database_in_use_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    used = tmp_path / "games.sqlite"
    used.write_text("old")
    used.with_name("games.sqlite-wal").write_text("journal")

    assert refusal(lambda: write(tmp_path / "folder", overwrite=True)).code == "file-exists"
    assert refusal(lambda: write(used, overwrite=True)).code == "file-exists"
    assert used.read_text() == "old"


@pytest.mark.parametrize(
    ("name", "code"),
    [("none/file", "no-such-folder"), ("file/file", "cannot-write"), ("n" * 300, "cannot-write")],
)
def test_a_name_that_cannot_be(tmp_path: Path, name: str, code: str) -> None:
    (tmp_path / "file").touch()

    assert refusal(lambda: write(tmp_path / name)).code == code
    assert names(tmp_path) == ["file"]


def test_a_tilde_is_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))

    assert full_path(Path("~/file.txt")) == tmp_path / "file.txt"
    assert full_path(Path("file.txt")) == Path.cwd() / "file.txt"
    assert refusal(lambda: full_path(Path("~nobody-of-this-name/f"))).code == "no-such-folder"


def test_only_a_file_of_the_kind_is_overwritten(tmp_path: Path) -> None:
    games, board = tmp_path / "games.sqlite", tmp_path / "board.SVG"
    games.write_text("games")
    board.write_text("old")

    def draw(file: Path) -> None:
        write_file(file, b"<svg", suffix=".svg", overwrite=True)

    draw(board)
    draw(tmp_path / "any-name")

    assert refusal(lambda: draw(games)).code == "file-exists"
    found = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert found == {"games.sqlite": "games", "board.SVG": "<svg", "any-name": "<svg"}


def test_rights_follow_what_is_written(tmp_path: Path) -> None:
    umask = os.umask(0o027)
    try:
        write(tmp_path / "private")
        write_file(tmp_path / "open.svg", b"", suffix=".svg", overwrite=False)
    finally:
        os.umask(umask)
    found = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("private", "open.svg")]

    assert found == [0o600, 0o640]


def test_a_full_disk_is_our_fault(tmp_path: Path) -> None:
    with pytest.raises(PbmservError) as caught:
        write_in_vain(tmp_path / "file", OSError(28, "No space left on device"))

    assert caught.value.code == "database-full"
    assert names(tmp_path) == []


def test_what_a_killed_program_left_is_swept_but_nothing_that_is_being_written(
    tmp_path: Path,
) -> None:
    left = [tmp_path / ".0123.unfinished", tmp_path / ".0123.unfinished-journal"]
    for file in left:
        file.write_text("half")
    with new_file(tmp_path / "a") as first:
        with new_file(tmp_path / "b"):
            assert first.exists()
        first.write_text("whole")

    assert {file.name for file in tmp_path.iterdir()} == {"a", "b"}
    assert (tmp_path / "a").read_text() == "whole"
