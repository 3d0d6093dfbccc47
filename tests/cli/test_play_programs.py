"""``play -engine``: a program of somebody else is the opponent at the keyboard."""

import os
import re
import shlex
import shutil
import time
from contextlib import suppress
from pathlib import Path

import pytest

from pbmserv.board.thinker import WORKER, Subject, results_of
from pbmserv.computer.level_list import Level
from pbmserv.computer.levels import Choice
from pbmserv.engine.position import SWAP
from pbmserv.engine.record_text import parse_record
from pbmserv.engine.spec import parse_game
from pbmserv.side_processes import SideProcess
from tests.fake_program import ANSWER, fake
from tests.in_process_shell import Result, Shell
from tests.installed_program import PROGRAM

MOHEX = os.environ.get("PBMSERV_TEST_MOHEX") or shutil.which("mohex")


@pytest.fixture
def player(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Shell:
    """A shell with a data folder and no database, in a folder of its own."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("PBMSERV_DATABASE_URL", str(tmp_path / "none.sqlite"))
    monkeypatch.chdir(tmp_path)
    return Shell("", monkeypatch, capsys)


def play(
    player: Shell, arguments: tuple[str, ...], words: str, options: str = "hex -size=4"
) -> Result:
    engine = shlex.quote(shlex.join(arguments))
    return player.run(
        f"play {options} -engine={engine}", "".join(f"{w}\n" for w in words.split(","))
    )


def test_a_program_moves_and_its_game_is_not_kept_but_can_be_written(
    player: Shell, tmp_path: Path
) -> None:
    done = play(player, fake(tmp_path, ANSWER), "c3,save new.game")
    record = parse_record((tmp_path / "new.game").read_text())

    assert (done.code, done.err) == (0, "")
    assert "O: computer, python" in done.out
    assert "The computer plays B2." in done.out
    assert "saved" not in done.out
    assert (record.texts, record.first) == (("C3", "B2"), "you")
    assert record.second.startswith("computer-python")
    assert not list((tmp_path / "data").rglob("*.game"))


@pytest.mark.parametrize(
    ("word", "deed"),
    [
        ("swap-pieces", "The computer swaps: your stone now belongs to it."),
        ("resign", "You win by resignation."),
        ("pass", "The computer passes."),
    ],
)
def test_whatever_a_program_may_do_is_done(
    player: Shell, tmp_path: Path, word: str, deed: str
) -> None:
    done = play(player, fake(tmp_path, f"print(f'={{number}} {word}')"), "c3")

    assert (done.code, done.err) == (0, "")
    assert deed in done.out


def test_the_program_may_begin(player: Shell, tmp_path: Path) -> None:
    done = play(player, fake(tmp_path, ANSWER), "c3", "star -size=3 -side=O")

    assert "1. X B2" in done.out
    assert "did not answer with a legal move" in done.err  # B2 again


def test_a_program_that_fails_is_asked_again_after_an_undo(player: Shell, tmp_path: Path) -> None:
    flag = tmp_path / "flag"
    flaky = f"os.path.exists({str(flag)!r}) or (open({str(flag)!r}, 'w'), sys.exit(1)); {ANSWER}"
    done = play(player, fake(tmp_path, flaky), "c3,undo,c4")

    assert done.code == 0
    assert (
        done.err == "pbmserv: The program gave no answer.\nUndo your last move to ask it again.\n"
    )
    assert "The computer plays B2." in done.out


def test_a_program_that_fails_at_once_ends_the_game(player: Shell, tmp_path: Path) -> None:
    done = play(player, fake(tmp_path, "sys.exit(1)"), "c3", "hex -size=4 -side=O")

    assert done.code == 70
    assert "The program gave no answer." in done.err


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ("hex -engine=no-such-program", "(a program that is installed, and its arguments)"),
        ("hex -engine=", "Invalid value for -engine"),
        ('hex "-engine=\'sh"', "Invalid value for -engine"),
        ("hex -engine=sh -level=3", "The options -engine and -level cannot be combined."),
        ("hex -engine=sh -time=3", "The options -engine and -time cannot be combined."),
        ("hex -engine=sh -two", "The options -two and -engine cannot be combined."),
        ("star -engine=sh -maxi", "A program can be told no options except size, komi and noswap."),
    ],
)
def test_what_is_no_opponent_is_refused(player: Shell, options: str, why: str) -> None:
    done = player.run(f"play {options}", "c3\n")

    assert done.code in {1, 2}
    assert why in done.err
    assert done.out == ""


def test_on_a_screen_it_is_asked_as_in_lines_and_hints_are_ours(tmp_path: Path) -> None:
    hex_ = parse_game("hex(size=4)")
    level = Level(None, "fake", program=fake(tmp_path, "print(f'={number} swap-pieces')"))
    subject = Subject(hex_, hex_.replay(["C3"]), level, ("C3",))
    failing = subject._replace(moves=("C3", "swap"), position=hex_.replay(["C3", "swap"]))
    [(is_last, hint)] = results_of(subject._replace(is_hint=True, level=Level(8, "club", 68)))

    assert [*results_of(subject)] == [(True, Choice(SWAP))]
    with pytest.raises(Exception, match="legal move"):
        [*results_of(failing)]
    assert is_last
    assert isinstance(hint, Choice)


@pytest.mark.slow
def test_a_search_that_is_stopped_ends_its_program(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    note = f"open({str(pid)!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    hex_ = parse_game("hex(size=4)")
    level = Level(None, "fake", program=fake(tmp_path, note))
    with SideProcess(WORKER) as side:
        side.ends.send(Subject(hex_, hex_.start(), level))
        while not (pid.exists() and pid.read_text()):
            time.sleep(0.01)
    with suppress(ProcessLookupError):
        for _ in range(500):
            os.kill(int(pid.read_text()), 0)
            time.sleep(0.01)
        pytest.fail("the program still runs")


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param((PROGRAM, "gtp", "-game=hex", "-level=6"), id="ours"),
        pytest.param(
            (MOHEX or "", "--quiet", "--use-logfile", "0"),
            id="mohex",
            marks=pytest.mark.skipif(
                MOHEX is None, reason="no mohex on PATH or at PBMSERV_TEST_MOHEX"
            ),
        ),
    ],
)
def test_real_programs_sit_at_the_keyboard(
    player: Shell, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    if arguments[0] == MOHEX:
        config = tmp_path / "mohex.cfg"
        config.write_text("param_mohex max_time 1\nparam_mohex perform_pre_search 0\n")
        arguments = (*arguments, "--config", str(config))
    done = play(player, arguments, "c3,undo,a1,f6", "hex -size=6")

    assert (done.code, done.err) == (0, "")
    assert len(re.findall("The computer (?:plays|swaps)", done.out)) == 3
