"""How the shell draws boards: styles, words for screen readers, colour on a terminal."""

import re
import subprocess

import pytest

from pbmserv.cli.main import run
from pbmserv.engine.games import find_game, game_names
from tests.cli.own_terminal import on_terminal
from tests.in_process_shell import Shell
from tests.installed_program import PROGRAM, own_environment
from tests.local_server import LocalServer

EACH = pytest.mark.parametrize("name", game_names())
DRAWING = (
    "show 101",
    "show alice",
    "show 101#1",
    "replay 101 2",
    "score 101",
    "preview 101 pass",
    "preview new {cell}",
    'score new --x="{cell}"',
)


def started(local: LocalServer, name: str) -> str:
    """Start a board, play two stones and return the name of the first one's cell."""
    local.game = name
    local.start("")
    cell, other = find_game(name)().board.names[:2]
    local.play(101, [cell, other])
    return cell


def printed(local: LocalServer, capsys: pytest.CaptureFixture[str], words: list[str]) -> str:
    assert run([*words, f"--database={local.url}"]) == 0
    return capsys.readouterr().out


def words_of(name: str, line: str, cell: str) -> list[str]:
    from pbmserv.commands.words import split_line

    return [name, *split_line(line.format(cell=cell))]


@pytest.mark.costly(stay=1)
@EACH
def test_every_command_that_draws_draws_in_both_styles_or_in_words(
    local: LocalServer, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    cell = started(local, name)
    for line in DRAWING:
        words = words_of(name, line, cell)
        ascii_, unicode, plain = (
            printed(local, capsys, [*words, option])
            for option in ("--style=ascii", "--style=unicode", "--plain")
        )

        assert printed(local, capsys, words) == ascii_
        assert ascii_.isascii()
        assert "●" in unicode
        assert re.search(r"^X, 1 stone: " + re.escape(cell) + r"\.$", plain, re.MULTILINE)
        assert not re.search(r"[.+X] +[.+X] +[.+X]", plain)
        for text in (ascii_, unicode):
            assert max(map(len, text.splitlines())) <= 78


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(
    ("encoding", "locale", "has_discs"),
    [
        ("utf-8", "C.UTF-8", True),
        ("utf-8", "de_DE.UTF-8", True),
        ("ascii", "C", False),
        ("latin-1", "de_DE.ISO-8859-1", False),
        ("utf-8", "ja_JP.UTF-8", False),
        ("gb18030", "zh_CN.GB18030", False),
    ],
)
def test_discs_are_drawn_only_where_they_have_one_column(
    encoding: str,
    locale: str,
    has_discs: bool,  # noqa: FBT001
) -> None:
    line = [PROGRAM, "star", "preview", "new", "-size=3", "B3", "--style=unicode"]
    environ = own_environment(PYTHONIOENCODING=encoding, LC_ALL=locale)
    done = subprocess.run(line, env=environ, capture_output=True, check=True)

    assert has_discs == ("●" in done.stdout.decode(encoding))


@pytest.mark.costly(stay=1)
@EACH
def test_words_list_stones_by_player_and_the_last_move(
    local: LocalServer, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    started(local, name)
    cell, other = find_game(name)().board.names[:2]
    lines = printed(local, capsys, [name, "show", "101", "--plain"]).splitlines()

    assert f"X, 1 stone: {cell}." in lines
    assert f"O, 1 stone: {other}." in lines
    assert f"Last turn: {other}." in lines


@pytest.mark.costly(stay=1)
@EACH
def test_a_terminal_shows_the_same_in_colour(name: str) -> None:
    cell = find_game(name)().board.names[0]
    words = [name, "preview", "new", cell]
    coloured = on_terminal(words)

    assert "\x1b[" in coloured.text
    for uncoloured in (on_terminal(words, NO_COLOR="1"), on_terminal(words, TERM="dumb")):
        assert "\x1b[" not in uncoloured.text
        assert coloured.bare == uncoloured.bare
    assert "X, 1 stone: " in on_terminal([*words, "--plain"]).text
    assert "●" in on_terminal([*words, "--style=unicode"]).text


@pytest.mark.parametrize("option", ["--style=fancy", "--style fancy", "-style=unicod"])
def test_a_style_that_there_is_not_is_refused_and_nothing_done(playing: Shell, option: str) -> None:
    done = playing.run(f"star move 101 alice secret-alice D1 {option}")

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("pbmserv: Invalid value for --style: ")
    assert playing.json("star show 101")["moves"] == ["C1", "C2"]


@pytest.mark.parametrize("option", ["--style=UNICODE", "--style=Unicode"])
def test_a_style_is_known_in_any_case(playing: Shell, option: str) -> None:
    assert playing.run(f"star show 101 {option}").out == (
        playing.run("star show 101 --style=unicode").out
    )
