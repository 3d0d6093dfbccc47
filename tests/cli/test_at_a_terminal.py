"""What somebody at a terminal is asked and told: questions, hints on a narrow one, and scripts."""

import gc
import os
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pbmserv.board import full_screen
from pbmserv.cli import start
from pbmserv.cli.main import run
from tests.cli.own_terminal import Shown, on_terminal
from tests.databases import copy_template
from tests.local_server import LocalServer

CLOSE = "admin close alice"


@pytest.fixture
def club(board_template: Path, tmp_path: Path) -> str:
    return copy_template(board_template, tmp_path / "club")


@pytest.mark.costly
@pytest.mark.parametrize(
    ("answer", "code", "is_closed"),
    [("y\n", 0, True), ("n\n", 1, False), ("\n", 1, False)],
)
def test_what_cannot_be_undone_is_asked_about(
    club: str,
    answer: str,
    code: int,
    is_closed: bool,  # noqa: FBT001
) -> None:
    done = on_terminal(CLOSE.split(), ("[y/N]: ", answer), PBMSERV_DATABASE_URL=club)
    after = on_terminal(["admin", "players"], PBMSERV_DATABASE_URL=club)

    assert done.code == code
    assert "Close this account and resign its boards? [y/N]: " in done.text
    assert ("closed" in after.text) is is_closed
    assert ("pbmserv: Nothing was changed.\n" in done.text) is (code == 1)


@pytest.mark.parametrize("more", ["--yes", "--dry-run"])
def test_nobody_is_asked_who_has_said_yes_or_only_tries(club: str, more: str) -> None:
    done = on_terminal([*CLOSE.split(), more], PBMSERV_DATABASE_URL=club)

    assert done.code == 0
    assert "[y/N]" not in done.text


def wrong(columns: int) -> Shown:
    return on_terminal(["star", "move", "101"], COLUMNS=str(columns))


def test_on_a_narrow_terminal_a_syntax_line_goes_on_behind_its_word() -> None:
    narrow, wide = wrong(40), wrong(200)
    at = next(n for n, line in enumerate(narrow.bare) if line.startswith("Syntax: "))
    [syntax] = [line for line in wide.bare if line.startswith("Syntax: ")]
    following = [line for line in narrow.bare[at + 1 :] if line.startswith(" " * 8)]

    assert max(map(len, narrow.bare)) < 40
    assert following
    assert syntax == " ".join([narrow.bare[at], *(line.strip() for line in following)])


def test_the_script_of_a_game_does_its_command_at_a_terminal_too(club: str) -> None:
    done = on_terminal(["show", "101"], entry=start.game, PBMSERV_DATABASE_URL=club)

    assert done.code == 0
    assert done.bare[0].startswith("Star Board 101")


NAMES = ("a" * 24, "Bob" * 8)


@pytest.fixture
def long_names(sqlite_template: Path, tmp_path: Path, cheap: None) -> str:
    del cheap
    url = copy_template(sqlite_template, tmp_path / "long")
    local = LocalServer(url)
    for game, options in (("star", "-size=4"), ("starstar", "-size=4 -double"), ("hex", "")):
        local.game = game
        local.start(options, *NAMES)
    local.do(f"starstar seek {NAMES[0]} secret-{NAMES[0]} 1 -size=4 -double -komi=7")
    local.desk.close()
    return url


@pytest.mark.costly
@pytest.mark.parametrize("term", ["dumb", "xterm-256color"])
@pytest.mark.parametrize("columns", [30, 40, 60, 80, 100])
def test_a_table_stays_within_the_terminal(long_names: str, term: str, columns: int) -> None:
    at = partial(on_terminal, TERM=term, PBMSERV_DATABASE_URL=long_names)
    width = max(columns, 40)
    for words in (["list"], ["star", "games"], ["all", "show", NAMES[0], "next"]):
        wide = at(words, COLUMNS="200")
        narrow = at(words, COLUMNS=str(columns))

        assert max(map(len, narrow.bare)) <= width < max(map(len, wide.bare))
        assert " ".join(narrow.text.split()) == " ".join(wide.text.split()) or term != "dumb"
        assert all(name in "\n".join(narrow.bare) for name in NAMES)
        assert {"board", "moves", "X", "O"} <= {*" ".join(narrow.bare).split()}


def test_a_table_that_goes_to_no_terminal_or_fits_has_its_columns(
    club: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PBMSERV_DATABASE_URL", club)
    shown = on_terminal(["list"], COLUMNS="80", PBMSERV_DATABASE_URL=club)
    monkeypatch.setenv("COLUMNS", "40")

    assert run(["list"]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    at = head.index("turn or result")
    assert rows
    assert all(row[at - 2 : at] == "  " and row[at] != " " for row in (head, *rows))
    assert shown.bare[0] == head


class Seated(Exception):
    """Somebody has sat down at the start screen."""


@pytest.mark.parametrize("words", [[], ["play"], ["PLAY"]])
def test_alone_at_a_terminal_the_program_shows_the_start_screen(
    monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    def sit() -> None:
        raise Seated

    monkeypatch.setattr(full_screen, "open_start", sit)
    monkeypatch.setattr(full_screen, "is_full_terminal", lambda: True)
    monkeypatch.setattr(os, "isatty", lambda number: number == 1)
    monkeypatch.setattr(gc, "freeze", lambda: None)
    monkeypatch.setattr(gc, "disable", lambda: None)
    monkeypatch.setattr(sys, "argv", ["pbmserv", *words])

    with pytest.raises(Seated):
        start.pbmserv()


@pytest.mark.parametrize(
    ("words", "environment"),
    [
        ([], {"TERM": "dumb"}),
        ([], {"_PBMSERV_COMPLETE": "bash_source"}),
        (["help"], {}),
        (["-h"], {}),
    ],
)
def test_the_start_screen_stands_in_the_way_of_nothing_else(
    words: list[str], environment: dict[str, Any]
) -> None:
    shown = on_terminal([*words, "--no-pager"] if words else [], **environment)

    assert shown.code == 0
    assert "LEARN" not in shown.text
    assert shown.text.count("pbmserv") > 1
