"""A real terminal for tests: a tmux server of its own, with one shell in it."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from uuid import uuid4

import pytest

from tests.installed_program import script

needs_tmux = pytest.mark.skipif(which("tmux") is None, reason="tmux is not installed")
LONGEST = 40.0
"""Seconds after which what should have appeared long ago is given up."""


@dataclass
class Terminal:
    """One window; ``socket`` is the name of the server."""

    socket: str

    def tmux(self, *words: str) -> str:
        done = subprocess.run(
            ["tmux", "-L", self.socket, *words], capture_output=True, text=True, check=True
        )
        return done.stdout

    def send(self, *keys: str) -> None:
        self.tmux("send-keys", *keys)

    def run(self, line: str) -> None:
        self.send("-l", line)
        self.send("Enter")

    @property
    def text(self) -> str:
        return self.tmux("capture-pane", "-p")

    @property
    def flags(self) -> str:
        """The alternate screen, the mouse, the cursor: 0 0 1 in a terminal left alone."""
        return self.tmux(
            "display-message", "-p", "#{alternate_on} #{mouse_any_flag} #{cursor_flag}"
        ).strip()

    def see(self, words: str) -> str:
        """Wait until the words stand on the screen, and return it."""
        end = time.monotonic() + LONGEST
        while words not in (text := self.text):
            if time.monotonic() > end:
                raise AssertionError(f"{words!r} never came; there stood:\n{text}")
            time.sleep(0.05)
        return text

    def settled(self) -> str:
        """Return the state of the terminal: its flags and modes."""
        self.run("clear; stty -a > modes; echo 'as''ked'")  # typed, it is not what is waited for
        self.see("asked\n")
        return self.flags


def programs(folder: Path) -> Path:
    """Put programs into a folder of a test that look for what others did ten times as often."""
    made = folder / "programs"
    made.mkdir()
    for name, start in (("pbmserv", "pbmserv"), ("star", "game")):
        lines = (
            "from pbmserv.board import hosts",
            "hosts.LOOK_PAUSE = 0.2",
            f"from pbmserv.cli.start import {start}",
            f"{start}()",
        )
        (made / name).write_text(script(*lines))
        (made / name).chmod(0o700)
    return made


@contextmanager
def terminal(folder: Path, *, width: int = 80, height: int = 24) -> Iterator[Terminal]:
    """Open a terminal whose shell keeps everything in a folder, and end it in the end."""
    found = Terminal(f"pbmserv-{uuid4().hex[:12]}")
    path = f"{programs(folder)}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    environ = {
        "PATH": path,
        "HOME": str(folder),
        "XDG_DATA_HOME": str(folder / "data"),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "LANG": "C.UTF-8",
        "PS1": "$ ",
    }
    words = [f"{name}={value}" for name, value in environ.items()]
    size = ["-x", str(width), "-y", str(height)]
    shell = ["env", "-i", "TERM=screen-256color", *words, "bash", "--norc", "--noprofile"]
    try:
        found.tmux("-f", os.devnull, "new-session", "-d", "-c", str(folder), *size, *shell)
        found.see("$")
        yield found
    finally:
        subprocess.run(["tmux", "-L", found.socket, "kill-server"], check=False)
