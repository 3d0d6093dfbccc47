"""A command at a terminal of its own, in a fork of the tests: what is shown and typed there."""

import os
import pty
import re
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from select import select
from typing import NamedTuple, NoReturn

from pbmserv.cli import start
from tests.daemon.test_forked_server import ended, forked
from tests.installed_program import LONGEST, own_environment, waited_for

ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Shown(NamedTuple):
    """How a command ended at a terminal, and all that was shown there."""

    code: int
    text: str

    @property
    def bare(self) -> list[str]:
        """Its lines without colours and without blanks at their ends."""
        return [line.rstrip() for line in ESCAPE.sub("", self.text).splitlines()]


def _sleeps(pid: int) -> bool:
    """Tell whether a process waits for something, such as to be typed to."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].startswith(("S", "Z"))


def on_terminal(
    words: Sequence[str],
    *typed: tuple[str, str],
    entry: Callable[[], NoReturn] = start.pbmserv,
    **environment: str,
) -> Shown:
    """Run the words at a terminal; of each pair the second is typed when the first was shown last.

    ``entry`` is another script than ``pbmserv``: that of Star.
    """
    outer, inner = pty.openpty()

    def work() -> NoReturn:
        os.close(outer)
        os.login_tty(inner)
        sys.stdin, sys.stdout, sys.stderr = (
            os.fdopen(number, mode, encoding="utf-8", closefd=False)
            for number, mode in enumerate("rww")
        )
        os.environ.clear()
        os.environ.update(own_environment(**{"TERM": "xterm-256color", **environment}))
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.argv = ["pbmserv" if entry is start.pbmserv else "star", *words]
        try:
            entry()
        except SystemExit as end:
            os._exit(end.code if isinstance(end.code, int) else 99)

    pid = forked(work)
    os.close(inner)
    shown, waiting, seen = b"", [*typed], 0
    try:
        while select([outer], [], [], LONGEST)[0] and (part := os.read(outer, 4096)):
            shown += part
            if waiting and shown[seen:].endswith(waiting[0][0].encode()):
                seen = len(shown)
                # Between showing a prompt and reading it Python does not hear Ctrl-C.
                waited_for(lambda: _sleeps(pid))
                os.write(outer, waiting.pop(0)[1].encode())
        os.close(outer)  # hangs up, should it still wait for something
        code = ended(pid)
    except OSError:  # Linux says so when nobody holds the terminal any more
        code = ended(pid)  # which is not to be hung up on while it ends
        os.close(outer)
    return Shown(code, shown.decode().replace("\r\n", "\n"))
