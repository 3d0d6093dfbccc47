"""Programs that play: what they are told, what is made of their answers, and how they misbehave."""

import json
import os
import shutil
from contextlib import suppress
from pathlib import Path
from random import Random
from select import select
from signal import SIGKILL
from time import monotonic

import pytest

from pbmserv.computer.proof import prove
from pbmserv.desk import robot_programs
from pbmserv.desk.robot_programs import Program, ask_program
from pbmserv.engine.position import Move, Side
from pbmserv.engine.record import Record, played
from pbmserv.engine.spec import parse_game
from pbmserv.errors import Fault
from tests.fake_program import ANSWER, fake

PROGRAM = Program(("/bin/robot",), 5, 100)


def game_after(spec: str, moves: str) -> Record[str]:
    return played(parse_game(spec), moves.split())


def asked(monkeypatch: pytest.MonkeyPatch, record: Record[str], said: str) -> tuple[str, list[str]]:
    """Return the move of a program that says this, # for the number of genmove, and its orders."""
    told: list[str] = []

    def converse(program: Program, lines: list[str]) -> str:
        assert program is PROGRAM
        told.extend(lines)
        return said.replace("#", str(len(told) - 1))

    monkeypatch.setattr(robot_programs, "_converse", converse)
    move = ask_program(record, PROGRAM)
    return "resign" if move is None else move.text, told


@pytest.mark.parametrize(
    ("spec", "moves", "told"),
    [
        ("hex(size=4)", "", "genmove black"),
        ("hex(size=4)", "A2", "play black A2, param_game allow_swap 1, genmove white"),
        ("hex(size=4)", "A2 swap", "play black A2, genmove white"),
        ("hex(size=4)", "A2 swap C3", "play black A2, play white C3, genmove black"),
        (
            "y(size=4)",
            "A4 swap B4 pass",
            "play black A4, play white B4, play black pass, genmove white",
        ),
        ("starstar(size=4,komi=-7)", "", "genmove black"),
        ("star(size=4,komi=-7)", "", "genmove black"),
        ("hex(size=4,noswap)", "A2", "play black A2, genmove white"),
    ],
)
def test_a_program_is_told_the_whole_game_and_asked_for_the_next_move(
    monkeypatch: pytest.MonkeyPatch, spec: str, moves: str, told: str
) -> None:
    """The stones are those of the board, and colours take turns: of a swap nothing is said."""
    komi = ["komi -7"] if "komi" in spec else []
    expected = ["boardsize 4", *komi, "clear_board", *told.split(", "), "quit"]

    assert asked(monkeypatch, game_after(spec, moves), "=# resign")[1] == expected


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
    assert asked(monkeypatch, game_after("hex(size=4)", moves), said)[0] == move


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
    with pytest.raises(Fault, match=why) as raised:
        asked(monkeypatch, game_after("hex(size=4)", moves), said)

    assert raised.value.code == "robot-program"


def test_a_robot_without_a_program_is_told_the_operator() -> None:
    with pytest.raises(Fault, match="There is no program for this robot in the settings"):
        ask_program(game_after("hex(size=4)", ""), None)


@pytest.mark.parametrize("megabytes", [None, 512], ids=["keyboard", "robot"])
@pytest.mark.parametrize(
    ("genmove", "other"),
    [
        (ANSWER, "print(f'={number}', end='\\n\\n')"),
        (f"{ANSWER}; time.sleep(60)", "print(f'={number}', end='\\n\\n')"),
        (f"{ANSWER}; os.kill(os.getpid(), 9)", "print(f'={number}', end='\\n\\n')"),
        (f"print('e' * 100_000, file=sys.stderr); {ANSWER}", "sys.stderr.write('noise\\n' * 9999)"),
        (f"print('gogui-gfx:\\\\nuct\\\\n'); {ANSWER}", "print('Loading a net ...')"),
        (f"os.write(1, b'\\\\xff\\\\xfe\\\\x00'); print(); {ANSWER}", "pass"),
        (f"os.fork() or time.sleep(60); {ANSWER}", "pass"),
    ],
    ids=["good", "does not quit", "dies after it", "loud", "chatty", "binary", "forks"],
)
def test_a_move_is_heard_whatever_else_a_program_does(
    tmp_path: Path, genmove: str, other: str, megabytes: int | None
) -> None:
    program = Program(fake(tmp_path, genmove, other), 30, megabytes)
    start = monotonic()
    move = ask_program(game_after("hex(size=4)", "A2 swap C3"), program)

    assert move is not None
    assert move.text == "B2"
    assert monotonic() - start < 30


@pytest.mark.parametrize("megabytes", [None, 512], ids=["keyboard", "robot"])
@pytest.mark.parametrize(
    ("genmove", "other", "why"),
    [
        ("sys.exit(3)", "pass", "gave no answer"),
        ("os.kill(os.getpid(), 11)", "pass", "gave no answer"),
        ("print(f'={number}')", "pass", "gave no answer"),
        ("print(f'={number} c3')", "pass", "not answer with a legal move"),
        ("print(f'={number} swap-pieces')", "pass", "not answer with a legal move"),
        ("print(f'={number} q99')", "pass", "not answer with a legal move"),
        ("print(f'?{number} I cannot')", "pass", "refused genmove black"),
        (ANSWER, "print(f'?{number} unacceptable size')", "refused boardsize 4"),
        ("while True: print('=x' * 99_999)", "pass", "gave no answer"),
    ],
)
def test_what_is_no_move_is_told_with_its_reason(
    tmp_path: Path, genmove: str, other: str, why: str, megabytes: int | None
) -> None:
    program = Program(fake(tmp_path, genmove, other), 30, megabytes)
    with pytest.raises(Fault, match=why):
        ask_program(game_after("hex(size=4)", "A2 swap C3"), program)


def test_a_program_that_is_none_cannot_be_started(tmp_path: Path) -> None:
    file = tmp_path / "text"
    file.write_text("no program")
    for arguments in ((str(file),), (str(tmp_path / "missing"),)):
        with pytest.raises(Fault, match="cannot be started"):
            ask_program(game_after("hex(size=4)", ""), Program(arguments, 5))
        with pytest.raises(Fault, match="gave no answer"):
            ask_program(game_after("hex(size=4)", ""), Program(arguments, 5, 512))


def test_a_robots_program_has_nothing_of_ours_and_one_at_the_keyboard_what_its_user_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = tmp_path / "seen"
    monkeypatch.setenv("PBMSERV_HERE", "yes")
    monkeypatch.chdir(tmp_path)
    look = (
        "import resource; limits = [resource.getrlimit(n)[0] for n in (resource.RLIMIT_CPU, "
        "resource.RLIMIT_AS)]; import json; "
        f"open({str(seen)!r}, 'w').write(json.dumps((os.getcwd(), "
        f"sorted(set(os.environ) - {{'LC_CTYPE'}}), limits))); {ANSWER}"
    )
    arguments = fake(tmp_path, look)
    ask_program(game_after("hex(size=4)", ""), Program(arguments, 7, 512))
    assert json.loads(seen.read_text()) == ["/", [], [8, 512 << 20]]
    ask_program(game_after("hex(size=4)", ""), Program(arguments, 7))
    folder, names, limits = json.loads(seen.read_text())
    assert (folder, "PBMSERV_HERE" in names) == (str(tmp_path), True)
    assert 8 not in limits


def test_a_program_that_does_not_end_in_time_is_ended() -> None:
    program = Program(("/bin/sh", "-c", "sleep 60"), 0, 512)
    with pytest.raises(Fault, match="took more than 0 s"):
        ask_program(game_after("hex(size=4)", ""), program)


@pytest.mark.parametrize(
    "end", ["exit 0", "echo =3 a1", pytest.param("sleep 20", marks=pytest.mark.slow)]
)
def test_what_a_program_leaves_behind_is_ended_with_it(tmp_path: Path, end: str) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    held = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    program = Program(("/bin/sh", "-c", f"exec 3>{pipe}; sleep 20 & {end}"), 1, 512)
    with suppress(Fault):
        ask_program(game_after("hex(size=4)", ""), program)

    assert select([held], [], [], 9)[0], "a child of the program holds its end"
    assert b"" == os.read(held, 1)
    os.close(held)


@pytest.mark.parametrize("error", [ProcessLookupError, PermissionError])
def test_what_a_program_said_is_heard_though_nobody_of_its_group_is_left(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, error: type[OSError]
) -> None:
    killed: list[int] = []

    def kill(_group: int, number: int) -> None:
        killed.append(number)
        raise error

    monkeypatch.setattr("os.killpg", kill)
    move = ask_program(game_after("hex(size=4)", ""), Program(fake(tmp_path, ANSWER), 30))

    assert move is not None
    assert killed == [SIGKILL]


MOHEX = os.environ.get("PBMSERV_TEST_MOHEX") or shutil.which("mohex")


@pytest.mark.slow
@pytest.mark.skipif(MOHEX is None, reason="no mohex on PATH or at PBMSERV_TEST_MOHEX")
@pytest.mark.parametrize("start", ["A5", "C3 swap"])
def test_a_foreign_program_plays_a_whole_game(tmp_path: Path, start: str) -> None:
    """MoHex, which moves no stone at a swap, beats chance; once that is proven it may fail."""
    config = tmp_path / "mohex.cfg"
    settings = "max_time 1", "max_memory 100000000", "perform_pre_search 0"
    config.write_text("".join(f"param_mohex {each}\n" for each in settings))
    quiet = ("--quiet", "--use-logfile", "0", "--config", str(config))
    program = Program((str(MOHEX), *quiet), 60, 4096)
    record, chance = game_after("hex(size=5)", start), Random(5)
    mine: Side | None = record.to_move
    while record.outcome is None:
        names = zip(record.game.board.names, record.position.stones, strict=True)
        move: Move | None = record.game.parse_move(
            chance.choice([n for n, stone in names if not stone])
        )
        if record.to_move is mine:
            try:
                move = ask_program(record, program)
            except Fault:
                proof = prove(record.game, record.position, 1)
                assert proof is not None
                assert proof.winner is mine
                break
        assert move is not None
        record = record.play(move)
        if move.is_swap:
            mine = record.position.to_move.other

    assert record.ply > 4
    assert record.outcome is None or record.outcome.winner is mine
