"""``batch``: a list of lines, each a transaction of its own."""

import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread
from types import SimpleNamespace
from typing import Any

import pytest

from pbmserv.cli.batch import LINES_AHEAD
from pbmserv.cli.main import run
from pbmserv.commands.answer import Answer
from pbmserv.desk.door import Desk
from tests.in_process_shell import Shell
from tests.local_server import LocalServer

LINES = """# a comment, and an empty line

star move 101 alice secret-alice B3
star move 101 alice secret-alice A3
nosuch
star move 101 bob wrong-secret A3
star move 101 bob secret-bob 'A3
star move 101 bob secret-bob A3
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "in" / "lines"
    path.parent.mkdir()
    path.write_text(LINES, encoding="utf-8")
    return path


def test_a_batch_goes_on_after_a_refusal(playing: Shell, file: Path) -> None:
    done = playing.run(f"batch {file}")
    heads = [line for line in (done.out + done.err).splitlines() if line.startswith("---")]

    assert done.code == 1
    assert sorted(heads) == [
        "--- line 3: done",
        "--- line 4: refused",
        "--- line 5: refused",
        "--- line 6: refused",
        "--- line 7: refused",
        "--- line 8: done",
    ]
    assert playing.json("star show 101")["moves"] == ["C1", "C2", "B3", "A3"]


def test_a_batch_without_a_refusal_ends_well(playing: Shell) -> None:
    done = playing.run("batch -", "star show 101\n\n# nothing\nSTAR ** games\n")

    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("--- line 1: done\nStar Board 101")


def test_a_batch_in_json_is_one_document_a_line_in_order(playing: Shell, file: Path) -> None:
    done = playing.run(f"--json batch {file}")
    documents = [json.loads(line) for line in done.out.splitlines()]

    assert (done.code, done.err) == (1, "")
    assert [d["error"]["code"] if "error" in d else d["ply"] for d in documents] == [
        3,
        "not-your-turn",
        "no-such-command",
        "wrong-login",
        "unbalanced-quotes",
        4,
    ]


def test_an_empty_batch_does_nothing(shell: Shell) -> None:
    assert shell.run("batch -", "") == (0, "", "")


@pytest.mark.parametrize(
    "line",
    ["batch -", "admin games", "demo", "backup x", "db current", "DOCTOR", "** tick", "mail send"],
)
def test_a_batch_has_no_commands_of_the_shell(shell: Shell, line: str) -> None:
    done = shell.run("batch - --json", f"{line}\n")
    error = done.document["error"]

    assert (done.code, error["code"]) == (1, "no-such-command")
    assert "works on the command line only" in error["message"]


@pytest.mark.parametrize("line", ["star show 101 --json", "--yes", "star show 101 --plain"])
def test_options_of_the_shell_are_none_of_a_line(playing: Shell, line: str) -> None:
    done = playing.run("batch - --json", f"{line}\n")

    assert (done.code, done.document["error"]["code"]) in [
        (1, "no-such-option"),
        (1, "incomplete-command"),
    ]


def test_a_dash_in_a_batch_takes_the_environment_never_the_batch(
    playing: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = "star move 101 alice - B3\nstar show 101\n"
    without = playing.run("batch - --json", lines)
    monkeypatch.setenv("PBMSERV_PASSWORD", "secret-alice")
    given = playing.run("batch - --json", lines)

    assert json.loads(without.out.splitlines()[0])["error"]["code"] == "no-password"
    assert [json.loads(line)["ply"] for line in without.out.splitlines()[1:]] == [2]
    assert [json.loads(line)["ply"] for line in given.out.splitlines()] == [3, 3]


def test_import_in_a_batch_reads_no_line(playing: Shell) -> None:
    done = playing.run("batch - --json", "star import\nstar show 101\n")

    assert [next(iter(json.loads(line))) for line in done.out.splitlines()] == ["error", "game"]


def test_nothing_in_a_batch_is_asked_about_even_at_a_terminal(
    playing: Shell, monkeypatch: pytest.MonkeyPatch, file: Path
) -> None:
    file.write_text("signoff alice secret-alice\nstar move 101 bob secret-bob D1\n")
    monkeypatch.setattr("pbmserv.cli.shell._ask_yes_or_no", lambda _question: True)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True))
    refused = run(["batch", str(file), f"--database={playing.url}"])
    told = playing.capsys.readouterr().err

    assert refused == 1
    assert "--- line 1: refused\npbmserv: This cannot be undone, so it must be confirmed:" in told
    assert playing.run("admin player alice").out.count("status: active") == 1
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True))
    run(["batch", str(file), f"--database={playing.url}", "--yes"])
    assert playing.run("admin player alice").out.count("status: closed") == 1


@pytest.mark.parametrize("name", ["nosuch", "/", "nosuch/nosuch", "''"])
def test_a_file_that_cannot_be_read(shell: Shell, name: str) -> None:
    done = shell.run(f"batch {name}")

    assert (done.code, done.out) == (1, "")
    assert name.strip("'") in done.err
    assert "There is no file" in done.err or "cannot be read" in done.err


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, LINES_AHEAD, 5 * LINES_AHEAD + 1])
@pytest.mark.parametrize("is_file", [True, False])
def test_a_line_that_is_no_text_is_refused_and_all_others_are_done(
    count: int, playing: Shell, tmp_path: Path, *, is_file: bool
) -> None:
    lines = b"star games\n" * count + b"star chat 101 alice secret-alice Gr\xfc\xdfe\nlist\n"
    path = tmp_path / "in" / "lines"
    path.parent.mkdir()
    path.write_bytes(lines)
    done = playing.run(f"batch {path if is_file else '-'} --json", b"" if is_file else lines)
    *before, refused, after = map(json.loads, done.out.splitlines())

    assert done.code == 1
    assert refused["error"]["code"] == "not-text"
    assert ["matches" in each for each in (*before, after)] == [True] * (count + 1)
    assert playing.json("star chat 101 alice secret-alice")["remarks"] == []


def test_of_standard_input_each_line_is_answered_before_the_next_is_read(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    del shell
    out, printed = tmp_path / "printed", []

    def typed() -> Iterator[str]:
        for _ in range(2):
            yield "help star\n"
            printed.append(re.findall("--- line .: done", out.read_text()))

    with out.open("w") as stream:
        monkeypatch.setattr(sys, "stdin", typed())
        monkeypatch.setattr(sys, "stdout", stream)
        assert run(["batch", "-"]) == 0

    first, second = "--- line 1: done", "--- line 2: done"
    assert printed == [[first], [first, second]]


@pytest.mark.parametrize("before", [0, 1, 2, LINES_AHEAD])
def test_one_line_that_is_no_text_is_refused_and_all_others_are_done(
    playing: Shell, tmp_path: Path, before: int
) -> None:
    path = tmp_path / "lines"
    # So far apart that one is not read with the other.
    gap = "#" * (1 << 17) + "\n"
    line = "star show 101\n"
    path.write_bytes(f"{line * before}{gap}".encode() + b"\xff\n" + line.encode())
    done = playing.run(f"batch {path}")

    assert 1 == done.code
    assert before + 1 == done.out.count(": done\n")
    assert "The text is not UTF-8." in done.err


def test_a_line_in_a_pipe_is_answered_while_the_pipe_is_open(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path, answered, outcomes = tmp_path / "pipe", Event(), []
    os.mkfifo(path)

    def perform(*_: Any) -> Answer:
        answered.set()
        return Answer(("done",), {})

    def write() -> None:
        with path.open("w") as pipe:
            print("star games", file=pipe, flush=True)
            outcomes.append(answered.wait(5))

    monkeypatch.setattr(Desk, "perform", perform)
    writer = Thread(target=write)
    writer.start()
    done = shell.run(f"batch {path}")
    writer.join()

    assert (done.out, outcomes) == ("--- line 1: done\ndone\n", [True])


@pytest.mark.costly
def test_a_file_is_done_line_by_line_in_order(playing: Shell, tmp_path: Path) -> None:
    path = tmp_path / "in" / "lines"
    path.parent.mkdir()
    asked = ["star games", "star move 101 alice", "star show 101"] * LINES_AHEAD
    path.write_text("\n".join(asked))
    done = playing.run(f"batch {path} --json")
    first = [next(iter(json.loads(line))) for line in done.out.splitlines()]

    assert first == ["matches", "error", "game"] * LINES_AHEAD


def test_a_fault_names_its_line_and_ends_the_batch(playing: Shell) -> None:
    local = LocalServer(playing.url)
    local.damage("UPDATE move SET digest = 'wrong' WHERE ply = 1")
    local.desk.close()
    done = playing.run("batch -", "star games\nstar show 101\nstar games\n")

    assert done.code == 70
    assert "--- line 2: failed\npbmserv: The record of Star board 101 is damaged" in done.err
    assert "line 3" not in done.out + done.err


def test_odd_lines_are_refused_one_by_one(playing: Shell) -> None:
    lines = ["star show a\0b", "star show \x1b[2J", "'" * 3, "star show " + "9" * 30_000, "🌟"]
    done = playing.run("batch - --json", "\n".join(lines))

    assert done.code == 1
    assert len([json.loads(line)["error"] for line in done.out.splitlines()]) == len(lines)
