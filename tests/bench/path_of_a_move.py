"""How straight the way of a move is: calls, files, changes of file and of room, statements.

Run it as `python -m tests.bench.path_of_a_move [--statements]`. A move is made as the shell makes
it in a club without mail, and another by a mail that answers a letter of the board, each in a
process of its own. Counted are calls of named functions of pbmserv (Python 3.12 runs
comprehensions without a call) and not what runs while a module is imported; a change is a call
whose file, or room (the package below pbmserv), is not that of the call before it.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from types import FrameType

if not __package__:
    sys.path.insert(0, str(Path(__file__).parents[2]))

import pbmserv

PACKAGE = f"{Path(pbmserv.__file__).parent}{os.sep}"
PASSWORD = "correct-horse"
STATEMENTS = "--statements"
COLUMNS = ("calls", "files", "file changes", "room changes", "statements")


class Walk:
    """Notes the file of every function of pbmserv that is called, in order, and the statements."""

    def __init__(self) -> None:
        self.files: list[str] = []
        self.statements: list[str] = []
        self.imports = 0

    def hook(self, frame: FrameType, event: str, _: object) -> None:
        """Note a call; for :func:`sys.setprofile`."""
        code = frame.f_code
        if not code.co_filename.startswith(PACKAGE):
            return
        if code.co_name == "<module>":
            self.imports += {"call": 1, "return": -1}.get(event, 0)
        elif event == "call" and not self.imports and not code.co_name.startswith("<"):
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
        for userid in ("alice", "bob"):
            here.run("signup", userid, PASSWORD, f"{userid}@example.net")
        for _ in range(2):
            here.run("star", "challenge", "alice", "bob")
        to, mail = a_move(here, 102, "token")
        print(f"{'':12}{''.join(f'{column:>14}' for column in COLUMNS)}")
        environ = {**here.environ, "PBMSERV_MAIL_ADDRESS": ""}
        report("star move", ["star", "move", "101", "alice", PASSWORD, "F6"], environ)
        report("token reply", ["mail", "receive", f"--recipient={to}"], here.environ, mail)
        if here.outcomes()[-1] != "done":
            raise SystemExit("the mail was not taken for a move")


def report(name: str, words: Sequence[str], environ: dict[str, str], data: bytes = b"") -> None:
    """Walk in a process of its own and print what was counted there."""
    child = [sys.executable, "-m", "tests.bench.path_of_a_move", *words]
    done = subprocess.run(child, input=data, env=environ, capture_output=True, check=True)
    figures, *statements = done.stderr.decode().splitlines()
    print(f"{name:12}{''.join(f'{figure:>14}' for figure in figures.split())}")
    if sys.argv[1:] == [STATEMENTS]:
        print("".join(f"    {statement[:130]}\n" for statement in statements), end="")


if __name__ == "__main__":
    if sys.argv[1:] in ([], [STATEMENTS]):
        main()
    else:
        walked(sys.argv[1:])
