"""Long help pages on a terminal go through a pager and keep to its width."""

import os
import pty
import subprocess
import sys

import pytest

from tests.installed_program import own_environment

pytestmark = pytest.mark.slow


def on_terminal(words: list[str], columns: int, lines: int) -> str:
    """Return what the command prints on a terminal of this size; the pager marks what it shows."""
    outer, inner = pty.openpty()
    size = {"COLUMNS": str(columns), "LINES": str(lines)}
    environ = own_environment(PAGER="sed s/^/PAGED:/", TERM="xterm", **size)
    done = subprocess.Popen(
        [sys.executable, "-c", "from pbmserv.cli.main import leave; leave([])", *words],
        env=environ,
        stdin=inner,
        stdout=inner,
        stderr=inner,
    )
    os.close(inner)
    shown = b""
    try:
        while part := os.read(outer, 4096):
            shown += part
    except OSError:
        pass  # the terminal has hung up: all was read
    done.wait()
    os.close(outer)
    return shown.decode().replace("\r\n", "\n")


def test_a_long_page_goes_through_the_pager() -> None:
    shown = on_terminal(["help", "star"], columns=80, lines=24)

    assert shown.startswith("PAGED:STAR\n")


@pytest.mark.parametrize(
    ("words", "lines"), [(["help", "star", "--no-pager"], 24), (["help", "star"], 500)]
)
def test_a_page_is_printed_at_once_where_it_fits_or_no_pager_is_wanted(
    words: list[str], lines: int
) -> None:
    assert on_terminal(words, columns=80, lines=lines).startswith("STAR\n")


def test_a_page_keeps_to_the_width_of_the_terminal() -> None:
    shown = on_terminal(["help", "clocks"], columns=50, lines=1000)

    assert max(map(len, shown.splitlines())) <= 50
