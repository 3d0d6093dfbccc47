"""A page of the manual for any width: its headings and paragraphs told from what has columns."""

import re
from typing import NamedTuple

TITLE = re.compile(r"[^a-z]*[A-Z][^a-z]*(:.*)?")
"""A heading in capitals, with what it is about behind a colon."""
MOST_WORDS = 4
"""A heading in small letters has so many words at most, and no sentence's end."""


class Part(NamedTuple):
    """A piece of a page: ``h2``, ``p``, or ``pre`` where columns and indents matter."""

    kind: str
    text: str


def parts_of(text: str) -> list[Part]:
    """Return the pieces of a page of plain text, between which stand empty lines."""
    return [_part(block) for block in re.split(r"\n{2,}", text.strip("\n"))]


def _part(block: str) -> Part:
    lines = block.split("\n")
    is_sentence = lines[-1].endswith((".", ":", "?", "!", ")"))
    is_plain = not any(line.startswith(" ") or "  " in line for line in lines)
    if is_plain and len(lines) == 1 and _is_title(block):
        return Part("h2", block)
    return Part("p", " ".join(lines)) if is_plain and is_sentence else Part("pre", block)


def _is_title(line: str) -> bool:
    is_short = len(line.split()) <= MOST_WORDS and line[:1].isupper()
    return bool(TITLE.fullmatch(line)) or (is_short and line[-1].isalpha())
