"""How straight the way of a move is: calls, files, changes of file and of room, statements.

Run it as `python -m tests.bench.path_of_a_move [--statements]`. A move is made as the shell makes
it in a club without mail, and another by a mail that answers a letter of the board, each in a
process of its own. Counted are calls of named functions of pbmserv, also while a module is loaded,
but no bodies of modules, classes and comprehensions (Python 3.12 runs the last without a call); a
change is a call whose file, or room (the package below pbmserv), is not that of the call before it.
"""

import inspect
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import pbmserv

if TYPE_CHECKING:
    from tests.daemon.mail_receive_process import Installation

ROOT = Path(__file__).parents[2]
PACKAGE = f"{Path(pbmserv.__file__).parent}{os.sep}"
PASSWORD = "correct-horse"
STATEMENTS = "--statements"
STAR_MOVE = ["star", "move", "101", "alice", PASSWORD, "F6"]
RECEIVE = "mail receive --recipient={}"
COLUMNS = ("calls", "files", "file changes", "room changes", "statements")


class Walk:
    """Notes the file of every function of pbmserv that is called, in order, and the statements."""

    def __init__(self) -> None:
        self.files: list[str] = []
        self.statements: list[str] = []

    def hook(self, frame: FrameType, event: str, _: object) -> None:
        """Note a call; for :func:`sys.setprofile`."""
        code = frame.f_code
        is_function = code.co_flags & inspect.CO_OPTIMIZED and not code.co_name.startswith("<")
        if event == "call" and is_function and code.co_filename.startswith(PACKAGE):
            self.files.append(code.co_filename.removeprefix(PACKAGE))

    def take(self, words: Sequence[str]) -> int:
        """Run the words as the console command does and return its exit code."""
        from sqlalchemy import Engine, event

        from pbmserv.cli.main import run

        @event.listens_for(Engine, "before_cursor_execute")
        def _note(*told: object) -> None:
            self.statements.append(str(told[2]))

        sys.setprofile(self.hook)
        try:
            return run(words)
        finally:
            sys.setprofile(None)

    def figures(self) -> tuple[int, ...]:
        """Return what was counted, in the order of the columns."""
        rooms = [Path(file).parts[0] for file in self.files]
        return (
            len(self.files),
            len({*self.files}),
            changes(self.files),
            changes(rooms),
            len(self.statements),
        )


def changes(values: Sequence[str]) -> int:
    """Return how often a value differs from the one before it."""
    return sum(one != other for one, other in pairwise(values))


def walked(words: Sequence[str]) -> None:
    """Run the words in this process and print the figures, and the statements if asked for."""
    walk = Walk()
    code = walk.take(words)
    if code:
        raise SystemExit(code)
    statements = [" ".join(statement.split()) for statement in walk.statements]
    sys.stderr.write("\n".join([" ".join(map(str, walk.figures())), *statements]))


def main() -> None:
    """Print the figures of both ways."""
    from tests.bench.mail import a_move
    from tests.daemon.mail_receive_process import Installation

    with tempfile.TemporaryDirectory() as name:
        here = Installation(Path(name))
        start_boards(here)
        to, mail = a_move(here, 102, "token")
        print(f"{'':12}{''.join(f'{column:>14}' for column in COLUMNS)}")
        report("star move", walk_in_a_process(STAR_MOVE, without_mail(here)))
        report("token reply", walk_in_a_process(RECEIVE.format(to).split(), here.environ, mail))
        if here.outcomes()[-1] != "done":
            raise SystemExit("the mail was not taken for a move")


def start_boards(here: "Installation") -> None:
    """Open two accounts and start two boards."""
    for userid in ("alice", "bob"):
        here.run("signup", userid, PASSWORD, f"{userid}@example.net")
    for _ in range(2):
        here.run("star", "challenge", "alice", "bob")


def without_mail(here: "Installation") -> dict[str, str]:
    """Return the environment of a club that has no mail."""
    return {**here.environ, "PBMSERV_MAIL_ADDRESS": ""}


def walk_in_a_process(
    words: Sequence[str], environ: dict[str, str], data: bytes = b""
) -> tuple[list[int], list[str]]:
    """Return the figures of a command, in the order of the columns, and its statements."""
    child = [sys.executable, "-m", "tests.bench.path_of_a_move", *words]
    done = subprocess.run(child, input=data, env=environ, cwd=ROOT, capture_output=True, check=True)
    figures, *statements = done.stderr.decode().splitlines()
    return [int(figure) for figure in figures.split()], statements


def report(name: str, walk: tuple[list[int], list[str]]) -> None:
    """Print the figures of a command, and its statements if they were asked for."""
    figures, statements = walk
    print(f"{name:12}{''.join(f'{figure:>14}' for figure in figures)}")
    if sys.argv[1:] == [STATEMENTS]:
        print("".join(f"    {statement[:130]}\n" for statement in statements), end="")


if __name__ == "__main__":
    if sys.argv[1:] in ([], [STATEMENTS]):
        main()
    else:
        walked(sys.argv[1:])
