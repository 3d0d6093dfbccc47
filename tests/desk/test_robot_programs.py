"""Robots that are programs: told the game, bounded, and never trusted."""

import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from pbmserv.cli.shell_commands import SHELL, shell_families
from pbmserv.commands.command_table import root
from pbmserv.desk.robot_programs import Program
from pbmserv.desk.robot_turns import play_due_turns
from pbmserv.engine.spec import format_game, parse_game
from tests.databases import ONE_DATABASE
from tests.installed_program import PROGRAM
from tests.local_server import LocalServer

pytestmark = [pytest.mark.slow, ONE_DATABASE]

SPEAKER = """
import os, sys, time
sent = []
for line in sys.stdin:
    number, *words = line.split()
    sent.append(words)
    if words[0] == "genmove":
        {genmove}
    else:
        print("=" + number, end="\\n\\n")
"""
"""A program that answers every line, and ``genmove`` as it is told to."""

Seat = Callable[..., None]


@pytest.fixture
def club(local: LocalServer) -> LocalServer:
    local.desk.tree = root(SHELL, shell_families())
    local.sign_up("alice")
    local.do("admin robot add ada -program")
    return local


@pytest.fixture
def seat(club: LocalServer, tmp_path: Path) -> Seat:
    """Let a program that answers ``genmove`` so play for ada."""

    def play(genmove: str, seconds: int = 20, megabytes: int = 512) -> None:
        file = tmp_path / "speaker.py"
        file.write_text(SPEAKER.format(genmove=genmove))
        program = Program((sys.executable, str(file)), seconds, megabytes)
        club.desk.programs = lambda: {"ada": program}

    return play


@pytest.mark.parametrize("spec", ["hex(size=4)", "y(size=4)"])
def test_our_own_engine_plays_a_whole_game_as_a_program(club: LocalServer, spec: str) -> None:
    game = parse_game(spec)
    words = (PROGRAM, "gtp", f"-game={game.name}", "-level=1")
    club.desk.programs = lambda: {"ada": Program(words, 60, 1024)}
    options = " ".join(f"-{o.name}={getattr(game, o.name)}" for o in game.options()[:1])
    board = club.json(f"{game.name} challenge {options} ada alice")["board"]
    chance = Random(3)
    word = "swap"
    while (shown := club.json(f"{game.name} show {board}"))["status"] == "running":
        if shown["players"][shown["to_move"]] == "ada":
            assert play_due_turns(club.desk).problems == []
            continue
        position = game.replay(shown["moves"])
        names = zip(game.board.names, position.stones, strict=True)
        cell = chance.choice([name for name, stone in names if not stone])
        club.do(f"{game.name} move {board} alice secret-alice {word or cell}")
        word = ""

    assert shown["moves"][1] == "swap"
    assert format_game(game) in club.text(f"{game.name} export {board}")


def test_a_program_is_told_the_game_and_nothing_else(club: LocalServer, seat: Seat) -> None:
    club.do("starstar challenge -size=4 -komi=7 alice ada")
    club.do("starstar move 101 alice secret-alice A40")
    seat(
        'assert sent == [["boardsize", "4"], ["komi", "7"], ["clear_board"], '
        '["play", "black", "A40"], ["genmove", "white"]], sent\n'
        '        assert not {*os.environ} - {"LC_CTYPE"} and os.getcwd() == "/"\n'
        '        print("=" + number, "t40", end="\\n\\n")'
    )

    assert play_due_turns(club.desk).problems == []
    assert club.json("starstar show 101")["moves"] == ["A40", "T40"]


@pytest.mark.parametrize(
    ("genmove", "said"),
    [
        ("raise SystemExit(3)", "gave no answer"),
        ("time.sleep(60)", "took more than 1 s"),
        ('print("=" + number, "C2", end="\\n\\n")', "did not answer with a legal move"),
        ('print("=" + number, "\\x1b[2J;DROP", end="\\n\\n")', "did not answer with a legal move"),
        ('print("?" + number, "no", end="\\n\\n")', "refused genmove white"),
        ('while True: print("x" * 100_000)', "gave no answer"),
        ('print("=" + number, "a" * len(bytes(1 << 40)))', "gave no answer"),
    ],
    ids=["crash", "late", "illegal", "rude", "refuses", "floods", "greedy"],
)
def test_what_a_bad_program_does_is_noted_and_harms_nobody(
    club: LocalServer, seat: Seat, genmove: str, said: str
) -> None:
    club.do("star challenge -size=3 alice ada")
    club.do("star move 101 alice secret-alice C2")
    seat(genmove, seconds=1 if "sleep" in genmove else 20)
    (problem,) = play_due_turns(club.desk).problems

    assert problem == f"star 101: The program {said}."
    assert club.show(101)["moves"] == ["C2"]
    assert play_due_turns(club.desk).problems == []  # not before its time


def test_nothing_of_a_late_program_lives_on(club: LocalServer, seat: Seat, tmp_path: Path) -> None:
    club.do("star challenge -size=3 ada alice")
    file = tmp_path / "pid"
    seat(
        f'child = os.fork() or os.getpid(); open({str(file)!r}, "w").write(str(child))\n'
        "        time.sleep(60)",
        seconds=1,
    )
    assert len(play_due_turns(club.desk).problems) == 1
    with suppress(ProcessLookupError):
        for _ in range(100):
            os.kill(int(file.read_text()), 0)
            time.sleep(0.05)
        pytest.fail("a child of the program still runs")
