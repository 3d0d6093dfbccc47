"""The board in a real terminal: it is given back as it was, whatever ends the program."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pbmserv.engine.record_text import parse_record

from .tmux import Terminal, needs_tmux, terminal

pytestmark = [pytest.mark.slow, needs_tmux]

PLAY = "star play -size=3 -two; echo code $?"
CRASH = """\
import sys
from pbmserv.board import app
from pbmserv.cli.main import run

def press(session, key):
    password = "hush-hush"
    raise RuntimeError("broken")

app.press = press
sys.exit(run(["play", "star", "-two"]))
"""


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Terminal]:
    with terminal(tmp_path) as found:
        yield found


def modes(folder: Path) -> str:
    return (folder / "modes").read_text()


def begun(shell: Terminal, folder: Path, line: str) -> str:
    """Start the board with this line and return the modes of the terminal before."""
    assert "0 0 1" == shell.settled()
    before = modes(folder)
    shell.run(f"clear; {line}")
    shell.see("q leave")
    assert "1 1 0" == shell.flags
    return before


def test_a_game_is_played_to_its_end_and_the_terminal_left_clean(
    shell: Terminal, tmp_path: Path
) -> None:
    before = begun(shell, tmp_path, PLAY)
    shell.send("c", "2", "Enter", "d", "1", "Enter", "p", "Enter")
    shell.see("A second pass now ends the game")
    shell.send("p", "Enter")
    shell.see("after two passes.")
    shell.send("x", "Enter")
    shell.see("Written:")
    shell.send("q", "Enter")
    shell.see("code 0")

    assert "q leave" not in shell.text
    assert ("0 0 1", before) == (shell.settled(), modes(tmp_path))
    record = parse_record((tmp_path / "star.game").read_text())
    assert ("C2", "D1", "pass", "pass") == record.texts
    shell.run("clear; star play star.game; echo code $?")
    shell.see("after two passes.")
    shell.send("[", "[", "[")
    shell.see("after move 1 of 4")
    shell.send("C-c")
    shell.see("code 130")


@pytest.mark.parametrize(("end", "code"), [("C-c", 130), ("TERM", 143), ("HUP", 129), ("INT", 130)])
def test_whatever_ends_it_the_terminal_is_as_before(
    shell: Terminal, tmp_path: Path, end: str, code: int
) -> None:
    before = begun(shell, tmp_path, f"echo $$ > shell; {PLAY}")
    shell.send("c", "2", "Enter")
    shell.see("after move 1")
    if end == "C-c":
        shell.send(end)
    else:
        pid = (tmp_path / "shell").read_text().strip()
        shell.tmux("run-shell", f"pkill -{end} -P {pid}")
    shell.see(f"code {code}")

    assert ("0 0 1", before) == (shell.settled(), modes(tmp_path))
    assert "Traceback" not in shell.text
    assert (tmp_path / "data/pbmserv/unfinished/star-size3.game").exists()


def test_a_crash_is_a_sentence_and_shows_no_secret(shell: Terminal, tmp_path: Path) -> None:
    (tmp_path / "crash.py").write_text(CRASH)
    before = begun(shell, tmp_path, "python crash.py; echo code $?")
    shell.send("Up")
    shell.see("code 70")

    assert "Internal error of the board (RuntimeError); the game is saved." in shell.text
    assert ("0 0 1", before) == (shell.settled(), modes(tmp_path))
    kept = (tmp_path / "data/pbmserv/board-error.txt").read_text()
    assert "RuntimeError: broken" in kept
    assert "hush-hush" not in kept.replace('password = "hush-hush"', "")
    assert "hush-hush" not in shell.text


@pytest.mark.parametrize(
    "line",
    ["TERM=dumb star play", "star play < /dev/null", "star play 2> log", "star play --plain"],
)
def test_without_a_full_terminal_it_is_played_in_lines(shell: Terminal, line: str) -> None:
    shell.run(f"clear; {line}; echo code $?")
    shell.see("Type a cell to place a stone, help for other words")
    if "null" not in line:
        shell.send("C-d")
    shell.see("code 0")


def test_the_computer_answers_and_an_unfinished_game_goes_on(shell: Terminal) -> None:
    shell.run("star play -size=3 -level=1; echo code $?")
    shell.see("q leave")
    shell.send("c", "2", "Enter")
    shell.see("after move 2")
    shell.send("q")
    shell.see("code 0")
    shell.run("pbmserv; echo again $?")
    shell.see("Go on with Star (size 3), move 2")
    shell.send("Enter")
    shell.see("after move 2")
    shell.send("q")
    shell.see("LEARN")
    shell.send("q")
    shell.see("again 0")
