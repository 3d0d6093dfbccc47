"""Robots that are programs: what they are told, and what is made of their answers."""

import os
from contextlib import suppress
from pathlib import Path
from select import select
from signal import SIGKILL
from typing import IO, Any

import pytest

from pbmserv.club.match import Match
from pbmserv.desk import robot_programs
from pbmserv.desk.robot_programs import Program, ask_program
from pbmserv.errors import Fault
from tests.render.sample_letters import new_match, played

PROGRAM = Program(("/bin/robot",), 5, 100)


def asked(monkeypatch: pytest.MonkeyPatch, match: Match, said: str) -> tuple[str, list[str]]:
    """Return the move of a program that says this, # for the number of genmove, and its orders."""
    told: list[str] = []

    def converse(program: Program, lines: str) -> str:
        assert program is PROGRAM
        told.extend(lines.splitlines())
        return said.replace("#", str(len(told) - 1))

    monkeypatch.setattr(robot_programs, "_converse", converse)
    return ask_program(match, PROGRAM), told


@pytest.mark.parametrize(
    ("spec", "moves", "told"),
    [
        ("hex(size=4)", "", ["1 boardsize 4", "2 clear_board", "3 genmove black", "4 quit"]),
        (
            "hex(size=4)",
            "A2",
            [
                "1 boardsize 4",
                "2 clear_board",
                "3 play black A2",
                "4 param_game allow_swap 1",
                "5 genmove white",
                "6 quit",
            ],
        ),
        (
            "hex(size=4)",
            "A2 swap C3",
            [
                "1 boardsize 4",
                "2 clear_board",
                "3 play black A2",
                "4 play white swap-pieces",
                "5 play black C3",
                "6 genmove white",
                "7 quit",
            ],
        ),
        (
            "starstar(size=4,komi=-7)",
            "",
            ["1 boardsize 4", "2 komi -7", "3 clear_board", "4 genmove black", "5 quit"],
        ),
    ],
)
def test_a_program_is_told_the_whole_game_and_asked_for_the_next_move(
    monkeypatch: pytest.MonkeyPatch, spec: str, moves: str, told: list[str]
) -> None:
    match, _ = played(spec, moves.split())

    assert asked(monkeypatch, match, "=# resign")[1] == told


@pytest.mark.parametrize(
    ("moves", "said", "move"),
    [
        ("", "=1\n\n=2\n\n=# B2\n\n=9\n\n", "B2"),
        ("", "=# \t b2 \r\n", "B2"),
        ("", "=# RESIGN\n", "resign"),
        ("", "=1 B1\n=# B2\n", "B2"),
        ("A2", "=# swap-pieces\n", "swap"),
        ("A2", "=# SWAP-PIECES\n", "swap"),
        ("A2", "=# swap\n", "swap"),
        ("A2", "?4 unknown\n\n=# C3\n", "C3"),
        ("A2", "?99 what\n?0 what\n?12345 what\n=# C3\n", "C3"),
    ],
)
def test_an_answer_is_a_move(
    monkeypatch: pytest.MonkeyPatch, moves: str, said: str, move: str
) -> None:
    match, _ = played("hex(size=4)", moves.split())

    assert asked(monkeypatch, match, said)[0] == move


@pytest.mark.parametrize(
    ("moves", "said", "why"),
    [
        ("", "", "gave no answer"),
        ("", "=#\n", "gave no answer"),
        ("", "=1 B2\n=3B2\n", "gave no answer"),
        ("", "=# B2 C3\n", "gave no answer"),
        ("", " =# B2\n", "gave no answer"),
        ("", "?1 no\n=# B2\n", "refused boardsize 4"),
        ("", "=1\n?2\n", "refused clear_board"),
        ("", "?# no\n", "refused genmove black"),
        ("A2", "?3 no\n=# C3\n", "refused play black A2"),
        ("A2", "=# A2\n", "not answer with a legal move"),
        ("", "=# Z9\n", "not answer with a legal move"),
        ("", "=# swap-pieces\n", "not answer with a legal move"),
    ],
)
def test_whatever_else_is_said_is_told_the_operator(
    monkeypatch: pytest.MonkeyPatch, moves: str, said: str, why: str
) -> None:
    match, _ = played("hex(size=4)", moves.split())
    with pytest.raises(Fault, match=why) as raised:
        asked(monkeypatch, match, said)

    assert raised.value.code == "robot-program"


def test_a_stone_of_a_board_whose_swap_was_mirrored_comes_back_to_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    match, _ = played("hex(size=4)", ["A3", "swap", "B4"])
    move, told = asked(monkeypatch, match, "=# D1\n")
    mirror = match.game.swap_mirror
    told_cells = [line.split()[-1] for line in told if line.split()[1] == "play"]
    cell = match.game.parse_move("D1").cells[0]

    assert told_cells[0] == "A3"
    assert told_cells[1] == "swap-pieces"
    assert match.game.parse_move(told_cells[2]).cells == (
        mirror[match.game.parse_move("B4").cells[0]],
    )
    assert match.game.parse_move(move).cells == (mirror[cell],)


def test_a_robot_without_a_program_is_told_the_operator() -> None:
    with pytest.raises(Fault, match="There is no program for this robot in the settings"):
        ask_program(new_match("hex(size=4)"), None)


@pytest.mark.parametrize(
    ("script", "said"),
    [("while read line; do echo =$line; done", "=1 quit"), ("echo lost >&2; exit 3", "")],
)
def test_a_program_reads_its_orders_and_has_nothing_of_ours(script: str, said: str) -> None:
    program = Program(("/bin/sh", "-c", f"{script}\npwd; set; ulimit -t; ulimit -v"), 7, 512)
    heard = robot_programs._converse(program, "1 quit\n").splitlines()

    assert heard[:1] == ([said] if said else [])
    if said:
        assert heard[1] == "/"
        assert heard[-2:] == ["8", str(512 << 10)]
        assert not [line for line in heard if line.startswith(("PBMSERV", "HOME=", "XDG"))]


def test_a_program_that_does_not_end_in_time_is_ended() -> None:
    program = Program(("/bin/sh", "-c", "sleep 60"), 0, 512)
    with pytest.raises(Fault, match="took more than 0 s"):
        robot_programs._converse(program, "")


@pytest.mark.parametrize("end", ["exit 0", pytest.param("sleep 20", marks=pytest.mark.slow)])
def test_what_a_program_leaves_behind_is_ended_with_it(tmp_path: Path, end: str) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    held = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    program = Program(("/bin/sh", "-c", f"exec 3>{pipe}; sleep 20 & {end}"), 1, 512)
    with suppress(Fault):
        robot_programs._converse(program, "")

    assert select([held], [], [], 9)[0], "a child of the program holds its end"
    assert b"" == os.read(held, 1)
    os.close(held)


class Child:
    """A process that has said something and ended."""

    pid = 7

    def __init__(self, words: list[str], *, stdin: IO[bytes], stdout: IO[bytes], **_: Any) -> None:
        assert words[-1] == PROGRAM.arguments[0]
        stdout.write(b"=1 B2, as " + stdin.read())
        stdout.flush()

    def wait(self, seconds: float = 0) -> int:
        assert seconds in {0, PROGRAM.seconds}
        return 0


@pytest.mark.parametrize("error", [None, ProcessLookupError, PermissionError])
def test_what_a_program_said_is_heard_though_nobody_of_its_group_is_left(
    monkeypatch: pytest.MonkeyPatch, error: type[OSError] | None
) -> None:
    killed: list[tuple[int, int]] = []

    def kill(group: int, number: int) -> None:
        killed.append((group, number))
        if error is not None:
            raise error

    monkeypatch.setattr("subprocess.Popen", Child)
    monkeypatch.setattr("os.killpg", kill)

    assert robot_programs._converse(PROGRAM, "1 genmove") == "=1 B2, as 1 genmove"
    assert killed == [(7, SIGKILL)]
