"""Wrong inputs in a text, a line each, and what is answered: typed again, all in one process.

``python -m tests.commands.wrong_inputs`` writes the answers that are given now into the text.
"""

import io
import os
import re
import shlex
import tempfile
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from pbmserv.cli.main import run
from pbmserv.club.puzzles import puzzles
from pbmserv.commands.synonyms import words_of
from pbmserv.desk.door import TimeAndChance
from pbmserv.desk.passwords import Passwords
from pbmserv.engine.games import game_names
from tests.local_server import NOW, cheap_hash

TEXT = Path(__file__).parent / "wrong_inputs.txt"

LISTS = re.compile(
    r"^(Syntax: (?:pbmserv )?[a-z-]+(?: [a-z]+)?|Commands:) .*(?:\n(?! *\w+:).+)*", re.MULTILINE
)
"""Syntax lines and lists of commands, which grow and are tested elsewhere, as the games do."""

BEFORE = """
db upgrade
signup alice correct-horse
signup bobby battery-staple
signup carol carols-password
star challenge alice bobby -size=4
star move 101 alice correct-horse C2
star move 101 bobby battery-staple B3
star challenge alice bobby -size=4
star move 102 alice correct-horse C2
star move 102 bobby battery-staple B3
star resign 102 bobby battery-staple
hex challenge alice bobby
tournament create alice correct-horse star "Spring Cup"
"""
"""What has happened before."""


@contextmanager
def club(folder: Path) -> Iterator[None]:
    """Let commands run in a folder of their own, with the club there and cheap passwords."""
    with pytest.MonkeyPatch.context() as patch, chdir(folder):
        for name in [name for name in os.environ if name.startswith("PBMSERV_")]:
            patch.delenv(name)
        patch.setenv("PBMSERV_DATABASE_URL", "games.sqlite")
        patch.setenv("PBMSERV_CONFIG", os.devnull)
        patch.setenv("XDG_CONFIG_HOME", "config")
        patch.setenv("COLUMNS", "80")
        patch.setattr(Passwords, "hash", lambda _, password: cheap_hash(password))
        patch.setattr(Passwords, "verify", lambda _, word, stored: stored == cheap_hash(word))
        world = TimeAndChance(
            lambda: NOW, lambda: 0.5, lambda _: None
        )  # no pause after wrong passwords
        patch.setattr(TimeAndChance.__new__, "__defaults__", tuple(world))
        patch.setattr("pbmserv.commands.puzzle.puzzle_of_day", lambda _: puzzles()[0])
        patch.setattr("sys.stdin", io.StringIO())
        for line in BEFORE.strip().splitlines():
            assert answer(line)[0] == 0, line
        yield


def answer(line: str) -> tuple[int, str]:
    """Type the words after ``pbmserv``; return the exit code and all that is printed."""
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        code = run(shlex.split(line))
    text = printed.getvalue().replace(str(Path.cwd()), "/home/you")
    text = LISTS.sub(r"\1 ...", text).replace(", ".join(game_names()), "...")
    return code, "\n".join(map(str.rstrip, text.splitlines())).strip("\n")


def answers(folder: Path) -> Iterator[tuple[str, str, int, str]]:
    """Yield each line with what it is expected to print, its exit code and what it prints."""
    with club(folder):
        for line in TEXT.read_text(encoding="utf-8").splitlines():
            command, tab, expected = line.partition("\t")
            if not tab or words_of("elsewhere") & {*game_names()} & {*command.lower().split()}:
                continue  # what was played elsewhere has a file now
            yield command, expected.replace(" | ", "\n"), *answer(command)


def rewrite() -> None:
    """Put what is printed now in place of what the text says."""
    with tempfile.TemporaryDirectory() as folder:
        given = {command: printed for command, _, _, printed in answers(Path(folder))}
    lines = [line.partition("\t") for line in TEXT.read_text(encoding="utf-8").splitlines()]
    shown = (
        f"{command}\t{' | '.join(given[command].splitlines())}" if tab else command
        for command, tab, _ in lines
    )
    TEXT.write_text("\n".join(shown) + "\n", encoding="utf-8")


if __name__ == "__main__":
    rewrite()
