"""Pages of the manual, taken apart into what flows and what has columns."""

from pathlib import Path

from pbmserv.commands.help import help_folder
from pbmserv.site.manual_text import Part, parts_of

PAGE = """\
A TABLE: games, history

How it is played

One sentence of
two lines.

    star show 101   shows it

pbmserv restore FILE [-dry-run]

On a board there are also
"""


def test_headings_and_sentences_are_told_from_columns_and_commands() -> None:
    assert [
        Part("h2", "A TABLE: games, history"),
        Part("h2", "How it is played"),
        Part("p", "One sentence of two lines."),
        Part("pre", "    star show 101   shows it"),
        Part("pre", "pbmserv restore FILE [-dry-run]"),
        Part("pre", "On a board there are also"),
    ] == parts_of(PAGE)


def test_no_word_of_the_manual_is_lost() -> None:
    for file in Path(help_folder()).glob("*.txt"):
        text = file.read_text(encoding="utf-8")

        assert text.split() == " ".join(part.text for part in parts_of(text)).split()
