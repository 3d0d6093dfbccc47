"""Transcripts: sessions of a shell in a text, run again and compared.

Each command that ``read_steps`` finds is typed into one bash; what it must print is standard output
and standard error together, exactly.
``python -m tests.transcripts.bash_sessions FILE ...`` writes what is printed now into the files.

The session has an empty home folder, shown as ``/home/you``, and a clock that stands still.
"""

import os
import subprocess
import sys
import tempfile
from contextlib import AbstractContextManager, nullcontext
from enum import Enum
from pathlib import Path

from pbmserv.commands.page_examples import SessionStep, read_steps
from tests.daemon.resident_process import milliseconds, served_in, workers

from .forking_server import HAND_OVER, forking_in

HOME = "/home/you"
MOMENT = 1_794_000_000
"""What the clock says: 2026-11-06 21:20:00 UTC."""

MARK = "\x1e\n"
MANY = 10
"""So many commands take a server time that can be seen."""


class Way(Enum):
    """Which process does the commands of a session."""

    STARTED = "started"
    """For each, one is started, which imports what it needs."""
    FORKED = "forked"
    """For each, one is forked that has all imported."""
    SERVED = "served"
    """A resident server does what it can of them, and must do something."""


def run_steps(steps: list[SessionStep], home: Path, way: Way) -> list[str]:
    """Return what each command prints, all typed into one bash in the folder ``home``."""
    patches = home / ".patches"
    patches.mkdir()
    (patches / "sitecustomize.py").write_text(
        f"import time\ntime.time = lambda: {MOMENT}.0\n{HAND_OVER * (way is Way.FORKED)}"
    )
    environ = {
        "HOME": str(home),
        "LC_ALL": "C.UTF-8",
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "PYTHONPATH": str(patches),
        "TERM": "dumb",
        "TZ": "UTC",
    }
    script = "".join(
        f"{step.command}\nstatus=$?; printf '\\036\\n'; (exit $status)\n" for step in steps
    )
    with _server(environ, way) as (environ, server):
        done = subprocess.run(
            ["bash", "--norc", "-c", script],
            cwd=home,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        if server is not None and way is Way.SERVED and len(steps) >= MANY:
            assert sum(map(milliseconds, workers(server))) > 10
    printed = done.stdout.decode().replace(str(home), HOME).split(MARK)
    return ["\n".join(line.rstrip() for line in text.splitlines()) for text in printed[:-1]]


def _server(
    environ: dict[str, str], way: Way
) -> AbstractContextManager[tuple[dict[str, str], "subprocess.Popen[bytes] | None"]]:
    match way:
        case Way.STARTED:
            return nullcontext((environ, None))
        case Way.FORKED:
            return forking_in(environ, MOMENT)
        case Way.SERVED:
            return served_in(environ)


def rewrite(file: Path) -> None:
    """Put what the commands print now in place of what the file says."""
    lines = file.read_text(encoding="utf-8").splitlines()
    steps = list(read_steps(lines))
    with tempfile.TemporaryDirectory() as folder:
        printed = run_steps(steps, Path(folder).resolve(), Way.STARTED)
    for step, text in reversed(list(zip(steps, printed, strict=True))):
        indented = [f"{step.indent}{line}".rstrip() for line in text.splitlines()]
        lines[step.first : step.last] = indented
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        rewrite(Path(name))
