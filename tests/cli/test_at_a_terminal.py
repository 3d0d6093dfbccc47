"""What somebody at a terminal is asked and told: questions, hints on a narrow one, and scripts."""

from pathlib import Path

import pytest

from pbmserv.cli import start
from tests.cli.own_terminal import Shown, on_terminal
from tests.databases import copy_template

CLOSE = "admin close alice"


@pytest.fixture
def club(board_template: Path, tmp_path: Path) -> str:
    return copy_template(board_template, tmp_path / "club")


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
