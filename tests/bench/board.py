"""What the board costs: its first screen, a key, also while the computer thinks, and idleness.

Run it as `python -m tests.bench.board [--full]`. The program sits at a terminal of its own (a
pseudo-terminal of 80 by 24); processor time is read from /proc, so it runs on Linux. The start is
a ratio to bare Python, measured in turns with it.
"""

import argparse
import fcntl
import os
import pty
import resource
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

PROGRAM = str(Path(sys.executable).with_name("pbmserv"))
TICK = os.sysconf("SC_CLK_TCK")
ARROWS = (b"\x1b[C", b"\x1b[B", b"\x1b[C", b"\x1b[A")
QUIET = 0.3
"""Seconds without output after which a screen is taken for drawn."""


@dataclass
class Seat:
    """The program at a terminal of its own."""

    pid: int
    master: int

    def wait(self, words: bytes, longest: float = 60.0) -> bytes:
        """Read until the words appear, then until nothing more comes."""
        found, end = b"", time.monotonic() + longest
        while words not in found:
            if time.monotonic() > end:
                raise TimeoutError(words)
            found += self.read(0.05)
        while more := self.read(QUIET):
            found += more
        return found

    def read(self, longest: float) -> bytes:
        """Return what comes within this time, nothing if nothing does."""
        ready, _, _ = select.select([self.master], [], [], longest)
        return os.read(self.master, 65536) if ready else b""

    def key(self, text: bytes) -> float:
        """Press a key and return the seconds to its first sign on the screen."""
        os.write(self.master, text)
        start = time.perf_counter()
        self.read(5.0)
        taken = time.perf_counter() - start
        while self.read(0.03):
            pass
        return taken

    @property
    def cpu(self) -> float:
        """The seconds of processor time that the program has used by itself."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICK


@contextmanager
def seat(words: list[str], folder: str) -> Iterator[Seat]:
    """Start the program at a terminal, and end it in the end."""
    pid, master = pty.fork()
    if pid == 0:
        os.environ.update({"TERM": "xterm-256color", "XDG_DATA_HOME": folder})
        os.execv(PROGRAM, [PROGRAM, *words])  # noqa: S606 - in the place of this process
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    try:
        yield Seat(pid, master)
    finally:
        os.kill(pid, signal.SIGTERM)
        os.close(master)
        os.waitpid(pid, 0)


def bare() -> float:
    """Return the processor time of bare Python."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", ""], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def first_screen(words: list[str], folder: str) -> float:
    """Return the processor time until the first screen stands."""
    with seat(words, folder) as sat:
        sat.wait(b"leave")
        return sat.cpu


def keys(words: list[str], folder: str, count: int, *, thinking: bool) -> tuple[float, float]:
    """Return the processor time of a key, and the longest time to the screen but a few."""
    with seat(words, folder) as sat:
        sat.wait(b"leave")
        if thinking:
            # A level that thinks for long has the move.
            sat.key(b"\r")
        before = sat.cpu
        taken = sorted(sat.key(ARROWS[number % 4]) for number in range(count))
        return (sat.cpu - before) / count, taken[int(0.95 * count)]


def idle(words: list[str], folder: str, seconds: float) -> float:
    """Return the processor time of a second in which nothing is done."""
    with seat(words, folder) as sat:
        sat.wait(b"leave")
        before = sat.cpu
        sat.read(seconds)
        time.sleep(seconds)
        return (sat.cpu - before) / seconds


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--full", action="store_true", help="more rounds")
    rounds = 15 if parser.parse_args().full else 5
    large = ["play", "starstar", "-size=10", "-level=14"]
    two = ["play", "starstar", "-size=10", "-two"]
    with tempfile.TemporaryDirectory(prefix="pbmserv-bench-") as folder:
        pairs = [(bare(), first_screen(["play"], folder)) for _ in range(rounds)]
        ratio = median(one for _, one in pairs) / median(one for one, _ in pairs)
        print(f"first screen: {ratio:.1f} x bare Python (25 at most)")
        for label, words, thinking in (("a key", two, False), ("a key, thinking", large, True)):
            cpu, longest = keys(words, folder, 40 * rounds, thinking=thinking)
            print(
                f"{label}: {1000 * cpu:.1f} ms of CPU (3 at most), "
                f"{1000 * longest:.0f} ms to the screen (50 at most; 95 % of keys)"
            )
        print(f"idle: {1000 * idle(two, folder, 4.0 * rounds):.1f} ms of CPU a second (5 at most)")


if __name__ == "__main__":
    main()
