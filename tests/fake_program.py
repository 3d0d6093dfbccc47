"""A program that speaks the Go Text Protocol, and does with a line what a test wants."""

import sys
from pathlib import Path

FAKE = """
import os, sys, time
for line in sys.stdin:
    number, *words = line.split()
    if words[0] == "genmove":
        {genmove}
    else:
        {other}
"""
"""A program that does this for genmove, and that for any other line."""


def fake(
    tmp_path: Path, genmove: str, other: str = "print(f'={number}', end='\\n\\n')"
) -> tuple[str, ...]:
    """Return the arguments of such a program."""
    file = tmp_path / "fake.py"
    file.write_text(FAKE.format(genmove=genmove, other=other))
    return sys.executable, str(file)


ANSWER = "print(f'={number} b2', end='\\n\\n', flush=True)"
