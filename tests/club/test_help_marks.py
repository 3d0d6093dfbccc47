"""The mark-up of the help pages: what is a heading, what flows, and what stands as it is."""

from pathlib import Path

import pytest

from pbmserv.club.written_text import Heading, Paragraph, Subheading, parse_page, unwrap_block
from pbmserv.commands.help_files import help_folder

PAGE = """\
# A TABLE: games,
history

One sentence of
two lines, and so on:

    star show 101   shows it

> Subject: help

+ empty corner


## pbmserv restore FILE
        [-dry-run]
"""
BLOCKS = [
    (Heading, "A TABLE: games, history"),
    (Paragraph, "One sentence of two lines, and so on:"),
    (str, "    star show 101   shows it"),
    (str, "> Subject: help"),
    (str, "+ empty corner"),
    (Subheading, "pbmserv restore FILE [-dry-run]"),
]


def test_headings_and_paragraphs_are_told_from_what_stands_as_it_is() -> None:
    assert BLOCKS == [(type(block), unwrap_block(block)) for block in parse_page(PAGE)]


@pytest.mark.parametrize("file", sorted(Path(help_folder()).glob("*.txt")), ids=lambda f: f.stem)
def test_a_page_is_its_blocks_without_their_marks(file: Path) -> None:
    lines = file.read_text(encoding="utf-8").rstrip("\n").split("\n")
    plain = [line.removeprefix("## ").removeprefix("# ") for line in lines]
    blocks = parse_page("\n".join(lines))

    assert plain == "\n\n".join(blocks).split("\n")
    assert isinstance(blocks[0], Heading)
