"""The words of many languages by which mails are understood: lists, in ``phrases.txt`` by name."""

import re
from functools import cache
from pathlib import Path


def alternatives(name: str) -> str:
    """Return a group of all that stands in a list, to be put into a pattern."""
    return f"(?:{'|'.join(_lists()[name].splitlines())})"


def words(name: str) -> frozenset[str]:
    """Return the words of a list."""
    return frozenset(_lists()[name].split())


@cache
def _lists() -> dict[str, str]:
    text = Path(__file__).with_name("phrases.txt").read_text(encoding="utf-8")
    _, *parts = re.split(r"(?m)^\[([a-z ]+)\]\n", text)
    return {name: found.strip() for name, found in zip(parts[::2], parts[1::2], strict=True)}
