"""``demo``: a whole game of Star, played by two players through the real commands."""

import secrets
import sys
import tempfile
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

from pbmserv.cli.printing import print_answer
from pbmserv.cli.shell import Shell
from pbmserv.commands.declaration import command
from pbmserv.desk.door import Desk
from pbmserv.desk.request import Request
from pbmserv.errors import EXIT_DONE
from pbmserv.store.store import Store

FIRST, SECOND = "alice", "bob"
SIZE = 4
BOARD = "101"

# After the swap Bob owns the first stone and Alice moves.
MOVES = "D3 swap C4 C3 D4 E4 C5 B4 E3 F2 D2 B3 A5 B6 F3 E2 A4 C6 pass pass"


@command()
def demo(shell: Shell) -> int:
    """Play a whole game of Star while you watch, in a temporary database.

    Two players sign up, one challenges the other, and they play with the commands that you would
    use, up to two passes and the score sheet.
    """
    with tempfile.TemporaryDirectory(prefix="pbmserv-demo-") as folder:
        desk = Desk(lambda: Store.open(str(Path(folder) / "demo.sqlite")))
        password = secrets.token_hex(12)  # never begins like an option
        try:
            for words in _script():
                if not shell.options.json:
                    sys.stdout.write(f"\n$ {' '.join(words)}\n")
                given = (password if word == "-" else word for word in words if word != "pbmserv")
                request = Request(tuple(given), ask_password=None)
                print_answer(desk.handle(request), shell.options)
            if not shell.options.json:
                sys.stdout.write("\nNow you: pbmserv play\n")
        finally:
            desk.close()
    return EXIT_DONE


def _script() -> Iterator[list[str]]:
    """Yield the commands of the demonstration, ``-`` in place of every password."""
    for userid in (FIRST, SECOND):
        yield ["pbmserv", "signup", userid, "-"]
    yield ["star", "challenge", f"-size={SIZE}", FIRST, SECOND]
    for text, mover in zip(MOVES.split(), cycle([FIRST, SECOND]), strict=False):
        yield ["star", "move", BOARD, mover, "-", text]
    yield ["star", "score", BOARD]
