"""Words as data: those of many languages by which mails are understood are in ``phrases.txt``."""

import re
from functools import cache
from pathlib import Path


def alternatives(name: str) -> str:
    """Return a group of all that stands in a list, to be put into a pattern."""
    return f"(?:{'|'.join(_lists()[name].splitlines())})"


def words(name: str) -> frozenset[str]:
    """Return the words of a list."""
    return frozenset(_lists()[name].split())


def lists_in(file: Path) -> dict[str, str]:
    """Return the text of each list of a file by its name, which stands in brackets above it."""
    _, *parts = re.split(r"(?m)^\[([^\]\n]+)\]\n", file.read_text(encoding="utf-8"))
    return {name: found.strip() for name, found in zip(parts[::2], parts[1::2], strict=True)}


@cache
def _lists() -> dict[str, str]:
    return lists_in(Path(__file__).with_name("phrases.txt"))
